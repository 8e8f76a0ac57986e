/*
 * Launches without correlation ids. Launch calls of the runtime and executions of the device are
 * both first in, first out: work is cut into executions (executions.c), which are aligned with the
 * calls (align.c). DMA work that names a recipe is part of one of its executions.
 *
 * An execution whose call is lost has no launch, and belongs to the step of the call before. Copies
 * without a recipe are inputs and outputs; they belong to the latest copy call before them, or to
 * the operation of the framework that is open then. A
 * collective without one waits for the work before it, and belongs to the step of that.
 */
#include "model/launch/recipes.h"

#include "core/alloc.h"
#include "model/launch/align.h"

enum { LATE_CALLS = 64 }; /* searched for one of the right recipe */

struct tc_matcher {
	struct tc_timeline *timeline; /* borrowed */
	struct tc_calls calls;
	/* Of the device at hand: */
	struct tc_executions executions;
	int32_t *matches;     /* see align.h */
	int64_t work_step_ns; /* a time of the step of the execution at hand; INT64_MIN: none yet */
	int64_t over_count;
};

/* Work whose launch follows from its execution; executions are made of no other work. */
static bool is_in_execution(const struct tc_matcher *matcher, const struct tc_span *span)
{
	return span->recipe != TC_STRTAB_NONE && span->launch_slice_id == TC_NO_ID &&
	       tc_span_engine(matcher->timeline, span) != TC_ENGINE_NONE;
}

static bool is_compute(const struct tc_matcher *matcher, const struct tc_span *span)
{
	enum tc_engine engine = tc_span_engine(matcher->timeline, span);

	return engine == TC_ENGINE_MME || engine == TC_ENGINE_TPC;
}

enum tc_status tc_matcher_read(
	struct tc_matcher *matcher, size_t device, const uint32_t *lanes, size_t lane_count)
{
	struct tc_timeline *timeline = matcher->timeline;
	struct tc_executions *executions = &matcher->executions;
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span = NULL;
	bool is_done = true;

	tc_executions_clear(executions);
	tc_free(matcher->matches);
	matcher->matches = NULL;
	matcher->work_step_ns = INT64_MIN;
	enum tc_status status = tc_cursor_open(&cursor, timeline, lanes, lane_count);
	while (!status && is_done && !(status = tc_cursor_next(cursor, &span)) && span) {
		bool compute = is_compute(matcher, span);
		timeline->devices[device].has_recipes |= compute && span->recipe != TC_STRTAB_NONE;
		if (is_in_execution(matcher, span))
			is_done = tc_executions_add(executions, span, compute);
	}
	tc_cursor_close(cursor);
	matcher->over_count += executions->over_count;
	if (!status && !(is_done && tc_executions_cut(executions) &&
			       tc_align(&matcher->matches, executions)))
		status = tc_no_memory(timeline->ctx);
	return status;
}

/* The latest call before a time that may launch a recipe. */
static const struct tc_call *call_before(
	const struct tc_call_list *list, uint32_t recipe, int64_t ts_ns)
{
	size_t until = tc_calls_until(list, ts_ns);

	for (size_t i = until; i-- > 0 && until - i <= LATE_CALLS;)
		if (tc_recipes_fit(list->rows[i].recipe, recipe))
			return &list->rows[i];
	return NULL;
}

/* The latest call before a time that may copy. An operation of the framework may copy within a
 * graph instead, so it counts only while it is open, and where graphs have calls, too. */
static const struct tc_call *copy_call_before(const struct tc_calls *calls, int64_t ts_ns)
{
	const struct tc_call *call = call_before(&calls->copies, TC_STRTAB_NONE, ts_ns);
	bool is_sure = !call || call->call_class != TC_CALL_FRAMEWORK_COPY ||
		       (ts_ns <= call->end_ns && calls->launches.count > 0);

	return is_sure ? call : NULL;
}

static struct tc_match match_call(const struct tc_call *call, enum tc_launch_method method)
{
	return (struct tc_match){call, method, call->begin_ns};
}

/* The match of work in an execution; number is that of its call, or what align.h has in place of
 * one. */
static struct tc_match match_execution(
	const struct tc_matcher *matcher, int32_t number, const struct tc_span *span)
{
	const struct tc_call_list *launches = &matcher->calls.launches;
	bool is_gaudi = tc_engine_is_gaudi(matcher->timeline->tracks[span->track].engine);

	/* Without idle time between executions the cut may be off by some operations. */
	if (number >= 0 && launches->rows[number].ts_ns > span->ts_ns)
		number = number > 0 ? TC_CALL_LOST - (number - 1) : TC_CALL_BEFORE;
	if (number >= 0)
		return match_call(&launches->rows[number], TC_LAUNCH_RECIPE);
	if (number == TC_CALL_BEFORE)
		return (struct tc_match){
			NULL, is_gaudi ? TC_LAUNCH_BEFORE : TC_LAUNCH_UNKNOWN, span->ts_ns};
	return (struct tc_match){
		NULL, TC_LAUNCH_TIME, launches->rows[TC_CALL_LOST - number].begin_ns};
}

static struct tc_match match_collective(
	const struct tc_matcher *matcher, const struct tc_span *span)
{
	bool knows = matcher->work_step_ns != INT64_MIN;

	return (struct tc_match){NULL, knows ? TC_LAUNCH_TIME : TC_LAUNCH_UNKNOWN,
		knows ? matcher->work_step_ns : span->ts_ns};
}

struct tc_match tc_matcher_find(struct tc_matcher *matcher, const struct tc_span *span)
{
	const struct tc_match nothing = {NULL, TC_LAUNCH_UNKNOWN, span->ts_ns};
	bool compute = is_compute(matcher, span);
	int64_t execution = -1;
	const struct tc_call *call = NULL;

	if (is_in_execution(matcher, span))
		execution = tc_executions_find(&matcher->executions, span, compute);
	if (span->recipe == TC_STRTAB_NONE &&
		matcher->timeline->tracks[span->track].engine == TC_ENGINE_NIC)
		return match_collective(matcher, span);
	if (span->recipe == TC_STRTAB_NONE) {
		call = compute ? NULL : copy_call_before(&matcher->calls, span->ts_ns);
		return call ? match_call(call, TC_LAUNCH_TIME) : nothing;
	}
	if (matcher->calls.launches.count == 0)
		return nothing;
	if (execution >= 0) {
		const struct tc_match match =
			match_execution(matcher, matcher->matches[execution], span);
		if (match.method != TC_LAUNCH_BEFORE)
			matcher->work_step_ns = match.step_ns;
		return match;
	}
	call = call_before(&matcher->calls.launches, span->recipe, span->ts_ns);
	return call ? match_call(call, TC_LAUNCH_TIME)
		    : match_execution(matcher, TC_CALL_BEFORE, span);
}

int64_t tc_matcher_over_count(const struct tc_matcher *matcher)
{
	return matcher->calls.over_count + matcher->over_count;
}

enum tc_status tc_matcher_open(
	struct tc_matcher **out, struct tc_timeline *timeline, struct tc_sorter *calls)
{
	struct tc_matcher *matcher = tc_calloc(1, sizeof(*matcher));

	if (!matcher)
		return tc_no_memory(timeline->ctx);
	matcher->timeline = timeline;
	tc_executions_init(&matcher->executions, &matcher->calls.launches);
	enum tc_status status = tc_calls_load(&matcher->calls, calls, timeline->ctx);
	if (status)
		tc_matcher_close(matcher);
	else
		*out = matcher;
	return status;
}

void tc_matcher_close(struct tc_matcher *matcher)
{
	if (!matcher)
		return;
	tc_executions_clear(&matcher->executions);
	tc_free(matcher->matches);
	tc_calls_clear(&matcher->calls);
	tc_free(matcher);
}

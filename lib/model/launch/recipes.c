/*
 * Launches without correlation ids. Launch calls of the runtime and executions of the device are
 * both first in, first out: work is cut into executions (executions.c), which are aligned with the
 * calls. DMA work that names a recipe is part of one of its executions.
 *
 * An execution whose call is lost has no launch, and belongs to the step of the call before. Copies
 * without a recipe are inputs and outputs; they belong to the latest copy call before them, or to
 * the operation of the framework that is open then. A
 * collective without one waits for the work before it, and belongs to the step of that.
 */

#include "model/launch/recipes.h"

#include "core/alloc.h"
#include "core/saturate.h"
#include "model/launch/executions.h"

/*
 * Which call launched which execution of a device.
 *
 * Aligns calls with executions. Both are first in, first out, so the last execution belongs to the
 * last call that begins before it, the one before it to the call before, and so on. Executions
 * without a call at the front were launched before the recording.
 *
 * Where slices are lost, a call or an execution has no partner. The cheapest alignment is chosen:
 * every call or execution without a partner costs, and so does a call that waits while the device
 * idles. A call that begins after an execution, or names another recipe, cannot be its call. The
 * search goes back in time. It keeps the costs for BAND numbers of calls that are left, near the
 * best one.
 */

/* In place of the number of a call. */
enum {
	TC_CALL_BEFORE = -1, /* it was made before the recording */
	TC_CALL_LOST = -2,   /* or less: it is lost; TC_CALL_LOST - n, where n is the number of the
				call before */
};

enum {
	BAND = 64,
	/* Our defaults, no published source. The unit is one call that waits. */
	SKIP_COST = 4,
	WAIT_COST = 1,
	FRONT_COST = 2, /* cheaper at the front: calls and executions may begin to be recorded at
			   different times */
	IDLE_NS = 50 * 1000,
	NEVER = 1 << 29,
};

/* An execution. */
struct item {
	int64_t start_ns, idle_from_ns;
	uint32_t recipe;
};

/* The choices of the best alignments at one execution; bit k is for base + k calls left. */
struct row {
	uint64_t matched; /* the execution has the call of that number */
	uint64_t skipped; /* the call of that number has no execution */
	uint32_t base;
	uint32_t from; /* if not 0: all calls below this number, down to those left, have no
			  execution */
};

struct search {
	const struct tc_executions *executions;
	const struct tc_call *calls;
	struct row *rows; /* by execution */
	int32_t cost[BAND];
	size_t base;
};

static size_t cheapest(const struct search *search)
{
	size_t best = 0;

	for (size_t k = 1; k < BAND; k++)
		if (search->cost[k] <= search->cost[best])
			best = k;
	return best;
}

/* Sets the band to one number of calls left. */
static void narrow(struct search *search, size_t left, int32_t cost)
{
	search->base = left < BAND ? 0 : left - BAND / 2;
	for (size_t k = 0; k < BAND; k++)
		search->cost[k] = NEVER;
	search->cost[left - search->base] = cost;
}

/* Moves the band down so that its best element is in the middle. */
static void centre(struct search *search)
{
	size_t best = search->base + cheapest(search);
	size_t base = best < BAND / 2 ? 0 : best - BAND / 2;

	if (base >= search->base)
		return;
	size_t shift = search->base - base;
	for (size_t k = BAND; k-- > 0;)
		search->cost[k] = k >= shift ? search->cost[k - shift] : NEVER;
	search->base = base;
}

static int32_t cost_of(const struct item *item, const struct tc_call *call)
{
	if (call->ts_ns > item->start_ns || !tc_recipes_fit(call->recipe, item->recipe))
		return NEVER;
	return tc_sub_saturated(item->start_ns, item->idle_from_ns) > IDLE_NS &&
			       call->done_ns < item->idle_from_ns
		       ? WAIT_COST
		       : 0;
}

static void take_item(struct search *search, const struct item *item, struct row *row)
{
	size_t until = tc_calls_until(search->executions->calls, item->start_ns);
	int32_t *cost = search->cost;

	*row = (struct row){0};
	if (search->base > until) {
		size_t best = cheapest(search);
		row->from = (uint32_t)(search->base + best);
		narrow(search, until, cost[best] + SKIP_COST);
	}
	centre(search);
	row->base = (uint32_t)search->base;
	for (size_t k = BAND - 1; k-- > 0;)
		if (cost[k + 1] < NEVER && cost[k + 1] + SKIP_COST <= cost[k]) {
			cost[k] = cost[k + 1] + SKIP_COST;
			row->skipped |= UINT64_C(1) << k;
		}
	for (size_t k = 0; k < BAND; k++) {
		size_t left = search->base + k;
		int32_t match = NEVER;
		if (k + 1 < BAND && cost[k + 1] < NEVER)
			match = cost[k + 1] + cost_of(item, &search->calls[left]);
		int32_t alone = cost[k] + (left > 0 ? SKIP_COST : FRONT_COST);
		if (match <= alone && match < NEVER)
			row->matched |= UINT64_C(1) << k;
		cost[k] = match < alone ? match : alone;
		if (cost[k] > NEVER)
			cost[k] = NEVER;
	}
}

/* Follows the choices of the cheapest alignment, from the first execution on. */
static void read_back(int32_t *calls, struct search *search)
{
	int32_t latest = TC_CALL_BEFORE;

	for (size_t k = 0; k < BAND; k++)
		search->cost[k] += (int32_t)(search->base + k) * FRONT_COST;
	size_t left = search->base + BAND - 1;
	for (size_t k = BAND; k-- > 0;)
		if (search->cost[k] < search->cost[left - search->base])
			left = search->base + k;
	for (size_t i = 0; i < search->executions->count; i++) {
		const struct row *row = &search->rows[i];
		bool is_matched = row->matched >> (left - row->base) & 1;
		if (is_matched)
			latest = (int32_t)left;
		calls[i] = is_matched || latest < 0 ? latest : TC_CALL_LOST - latest;
		left += is_matched;
		while (row->skipped >> (left - row->base) & 1)
			left++;
		if (row->from > 0)
			left = row->from;
	}
}

/* Takes the executions, the last one first. */
static void take_all(struct search *search)
{
	const struct tc_executions *executions = search->executions;
	size_t at = executions->count;

	for (size_t r = executions->run_count; r-- > 0 && at > 0;) {
		const struct tc_run *run = &executions->runs[r];
		int64_t part_ns = tc_sub_saturated(run->end_ns, run->start_ns) / run->part_count;
		bool goes_on = r > 0 && run[-1].first + run[-1].part_count > run->first;
		struct item item = {.recipe = run->recipe};
		/* An execution in pieces begins with the first of them. */
		for (uint32_t part = run->part_count; part-- > (uint32_t)goes_on;) {
			item.start_ns = run->start_ns + part * part_ns;
			item.idle_from_ns = part > 0 ? item.start_ns : run->idle_from_ns;
			take_item(search, &item, &search->rows[--at]);
		}
	}
}

/* Sets *calls, which the caller frees, to the number of the call of every execution. False when
 * memory is out. */
static bool tc_align(int32_t **calls, const struct tc_executions *executions)
{
	struct search search = {.executions = executions, .calls = executions->calls->rows};
	size_t count = executions->count;

	*calls = tc_calloc(count, sizeof(**calls));
	search.rows = tc_calloc(count, sizeof(*search.rows));
	bool is_done = *calls && search.rows;
	if (is_done && count > 0) {
		const struct tc_run *last = &executions->runs[executions->run_count - 1];
		narrow(&search, tc_calls_until(executions->calls, last->end_ns), 0);
		take_all(&search);
		read_back(*calls, &search);
	}
	tc_free(search.rows);
	return is_done;
}

enum { LATE_CALLS = 64 }; /* searched for one of the right recipe */

struct tc_matcher {
	struct tc_timeline *timeline; /* borrowed */
	struct tc_calls calls;
	/* Of the device at hand: */
	struct tc_executions executions;
	int32_t *matches;     /* see tc_align() */
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
	struct tc_cursor *cursor = tc_cursor_open(timeline->spans, lanes, lane_count);
	const struct tc_span *span;
	bool is_done = true;

	tc_executions_clear(executions);
	tc_free(matcher->matches);
	matcher->matches = NULL;
	matcher->work_step_ns = INT64_MIN;
	while (is_done && (span = tc_cursor_next(cursor))) {
		bool compute = is_compute(matcher, span);
		timeline->devices[device].has_recipes |= compute && span->recipe != TC_STRTAB_NONE;
		if (is_in_execution(matcher, span))
			is_done = tc_executions_add(executions, span, compute);
	}
	tc_cursor_close(cursor);
	enum tc_status status = tc_ctx_status(timeline->ctx);
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

/* The match of work in an execution; number is that of its call, or what tc_align() has in place of
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

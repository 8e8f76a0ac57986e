/* Groups of calls and work with one id, in time order; see correlation.h. */

#include "model/launch/correlation.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"

/*
 * Operations come in time order or in the order of their launches, files have them lane by lane or
 * nearly in time order. So the slices of the latest few launches are marked in bit sets, and runs
 * are read from a set when another launch needs its place.
 */

enum {
	LINK_SORT_BYTES = 2 * 1024 * 1024,
	GROUP_COUNT = 4, /* launches whose work may alternate */
	GROUP_BITS = 64 * 1024,
	WORD_BITS = 64,
};

struct run {
	int64_t first_slice_id, last_slice_id;
	int64_t launch_slice_id;
	int32_t step;
	enum tc_launch_method method;
};

/* Slices of one launch and step; bit i of the set is slice base_id + i. */
struct tc_link_group {
	struct run key; /* its slice ids do not count */
	int64_t base_id;
	size_t low, high; /* words with bits are in [low, high) */
	uint64_t words[GROUP_BITS / WORD_BITS];
};

TC_ORDER(compare_runs, struct run, TC_UP(first_slice_id));

static bool same_link(const struct run *a, const struct run *b)
{
	return a->launch_slice_id == b->launch_slice_id && a->step == b->step &&
	       a->method == b->method;
}

/* The length of the run of set bits in words that starts at bit at; limit is the end of words. */
static size_t run_length(const uint64_t *words, size_t at, size_t limit)
{
	size_t end = at;

	while (end < limit && words[end / WORD_BITS] >> (end % WORD_BITS) & 1)
		end++;
	return end - at;
}

/* Hands the runs of a group to the sorter and empties it. */
static enum tc_status flush_group(struct tc_links *links, struct tc_link_group *group)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct run), LINK_SORT_BYTES, compare_runs};
	size_t limit = group->high * WORD_BITS;
	enum tc_status status = TC_OK;

	for (size_t word = group->low; word < group->high && !status; word++) {
		while (group->words[word] != 0 && !status) {
			size_t bit = (size_t)__builtin_ctzll(group->words[word]);
			size_t at = word * WORD_BITS + bit;
			size_t count = run_length(group->words, at, limit);
			struct run run = group->key;
			run.first_slice_id = group->base_id + (int64_t)at;
			run.last_slice_id = run.first_slice_id + (int64_t)count - 1;
			status = tc_sorter_put(&links->sorter, links->ctx, &layout, &run);
			for (size_t i = at; i < at + count; i++)
				group->words[i / WORD_BITS] &= ~(UINT64_C(1) << (i % WORD_BITS));
		}
	}
	group->low = group->high = 0;
	return status;
}

static bool holds(const struct tc_link_group *group, const struct run *link)
{
	return group->low < group->high && same_link(&group->key, link) &&
	       link->first_slice_id >= group->base_id &&
	       link->first_slice_id - group->base_id < GROUP_BITS;
}

/* The group of a link. A new one takes the place of the oldest. */
static enum tc_status find_group(
	struct tc_link_group **out, struct tc_links *links, const struct run *link)
{
	for (size_t i = 0; i < GROUP_COUNT; i++) {
		*out = &links->groups[(links->latest + i) % GROUP_COUNT];
		if (holds(*out, link))
			return TC_OK;
	}
	links->latest = (links->latest + GROUP_COUNT - 1) % GROUP_COUNT;
	*out = &links->groups[links->latest];
	enum tc_status status = flush_group(links, *out);
	(*out)->key = *link;
	(*out)->base_id = link->first_slice_id - GROUP_BITS / 2;
	(*out)->low = (*out)->high = GROUP_BITS / 2 / WORD_BITS;
	return status;
}

enum tc_status tc_links_add(struct tc_links *links, const struct tc_span *span)
{
	const struct run link = {span->slice_id, span->slice_id, span->launch_slice_id, span->step,
		(enum tc_launch_method)span->method};
	struct tc_link_group *group = NULL;

	if (link.launch_slice_id == TC_NO_ID && link.step < 0 && link.method != TC_LAUNCH_BEFORE)
		return TC_OK;
	if (!links->groups)
		links->groups = tc_calloc(GROUP_COUNT, sizeof(*links->groups));
	if (!links->groups)
		return tc_no_memory(links->ctx);
	enum tc_status status = find_group(&group, links, &link);
	if (status)
		return status;
	size_t bit = (size_t)(span->slice_id - group->base_id), word = bit / WORD_BITS;
	group->words[word] |= UINT64_C(1) << (bit % WORD_BITS);
	group->low = word < group->low ? word : group->low;
	group->high = word >= group->high ? word + 1 : group->high;
	return TC_OK;
}

void tc_links_clear(struct tc_links *links)
{
	tc_sorter_free(links->sorter);
	tc_free(links->groups);
}

/* Joins runs that follow each other. */
struct emitter {
	const struct tc_timeline *timeline;
	struct tc_row_sink *sink;
	struct run run; /* not yet emitted; last_slice_id TC_NO_ID for none */
};

static enum tc_status emit_run(const struct emitter *emitter)
{
	const struct run *run = &emitter->run;

	if (run->last_slice_id == TC_NO_ID)
		return TC_OK;
	struct tc_link_row *row = tc_batch_add_link(emitter->sink->batch);
	if (!row)
		return tc_row_sink_no_memory(emitter->sink);
	row->first_slice_id = run->first_slice_id;
	row->last_slice_id = run->last_slice_id;
	row->launch_slice_id = run->launch_slice_id == TC_NO_ID ? INT64_MIN : run->launch_slice_id;
	row->step_id = run->step < 0 ? INT64_MIN : emitter->timeline->steps[run->step].id;
	row->method = tc_launch_method_name(run->method);
	return tc_row_sink_flush(emitter->sink, false);
}

static enum tc_status on_run(void *user, const void *record)
{
	struct emitter *emitter = user;
	struct run *run = &emitter->run;
	const struct run *next = record;

	if (run->last_slice_id != TC_NO_ID && next->first_slice_id == run->last_slice_id + 1 &&
		same_link(run, next)) {
		run->last_slice_id = next->last_slice_id;
		return TC_OK;
	}
	enum tc_status status = emit_run(emitter);
	*run = *next;
	return status;
}

enum tc_status tc_links_emit(
	struct tc_links *links, const struct tc_timeline *timeline, struct tc_row_sink *sink)
{
	struct emitter emitter = {timeline, sink, {.last_slice_id = TC_NO_ID}};
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < GROUP_COUNT && links->groups && !status; i++)
		status = flush_group(links, &links->groups[i]);
	if (!status)
		status = tc_sorter_each(links->sorter, on_run, &emitter);
	return status ? status : emit_run(&emitter);
}

enum { SORT_BYTES = 2 * 1024 * 1024 };

struct correlated {
	int64_t correlation;
	struct tc_span span;
	int64_t is_device; /* a whole word, so that the record has no padding and packs well */
};

/* By number and time; at one time calls before device work. */
TC_ORDER(compare_correlated, struct correlated,
	TC_UP(correlation) TC_UP(span.ts_ns) TC_UP(is_device) TC_UP(span.slice_id));

static const struct tc_sorter_layout layout = {
	sizeof(struct correlated), SORT_BYTES, compare_correlated};

enum tc_status tc_correlation_add(struct tc_correlation *correlation, const struct tc_span *span,
	int64_t id, const struct tc_label *label)
{
	bool is_device = label->engine != TC_ENGINE_NONE;
	const struct correlated record = {id, *span, is_device};

	if (!is_device && !label->is_note && !tc_recording_add_call(correlation->recording, id))
		return tc_no_memory(correlation->log->ctx);
	return tc_sorter_put(&correlation->sorter, correlation->log->ctx, &layout, &record);
}

/* Events of one number, in time order. */
struct group {
	struct tc_correlation *correlation;
	int64_t id;
	bool has_call;
	struct tc_span call;   /* of the work that follows */
	struct tc_span *early; /* work before the first call */
	size_t early_count, early_capacity;
	struct tc_graph_run run; /* of the work of the call, if it launches a graph */
	int64_t run_count;       /* operations in it */
	int64_t given_up_count;  /* work before the first call beyond the limit */
};

static enum tc_role role_of_copy(const struct tc_label *label)
{
	if (label->kind != TC_OP_MEMCPY)
		return TC_ROLE_NONE;
	if (label->direction == TC_DIRECTION_HTOD)
		return TC_ROLE_INPUT_COPY;
	return label->direction == TC_DIRECTION_DTOH ? TC_ROLE_OUTPUT_COPY : TC_ROLE_NONE;
}

/* Extends the run of a graph by an operation. A run is of one device, that of the first
 * operation. */
static void widen_run(struct group *group, const struct tc_span *work)
{
	const struct tc_timeline *timeline = group->correlation->timeline;
	int64_t device = timeline->tracks[work->track].device;
	int64_t end_ns = tc_span_known_end_ns(work);

	if (timeline->labels[group->call.label].mark != TC_MARK_GRAPH_LAUNCH || device < 0 ||
		work->dur_ns < 0 || tc_span_engine(timeline, work) == TC_ENGINE_OTHER)
		return;
	if (group->run_count == 0)
		group->run = (struct tc_graph_run){work->ts_ns, end_ns, device};
	if (group->run.device != device)
		return;
	group->run_count++;
	if (work->ts_ns < group->run.start_ns)
		group->run.start_ns = work->ts_ns;
	if (end_ns > group->run.end_ns)
		group->run.end_ns = end_ns;
}

static enum tc_status end_run(struct group *group)
{
	bool has_run = group->run_count > 1;

	group->run_count = 0;
	if (has_run)
		tc_timeline_add_graph_run(group->correlation->timeline, &group->run);
	return tc_ctx_status(group->correlation->timeline->ctx);
}

static enum tc_status add_span(const struct group *group, const struct tc_span *span)
{
	tc_spans_add(group->correlation->timeline->spans, span);
	return tc_ctx_status(group->correlation->timeline->ctx);
}

/* Joins work with the call at hand. */
static enum tc_status join(struct group *group, const struct tc_span *work)
{
	const struct tc_correlation *correlation = group->correlation;
	const struct tc_label *label = &correlation->timeline->labels[work->label];
	struct tc_span *call = &group->call, joined = *work;
	enum tc_role role = role_of_copy(label);
	enum tc_status status = TC_OK;

	if (role != TC_ROLE_NONE)
		call->role = (uint8_t)role;
	joined.launch_slice_id = call->slice_id;
	joined.launch_ts_ns = call->ts_ns;
	joined.launch_end_ns = tc_span_known_end_ns(call);
	joined.launch_label = call->label;
	joined.method = TC_LAUNCH_CORRELATION;
	joined.step = tc_timeline_step_at(correlation->timeline, call->ts_ns);
	if (!tc_recording_add_launch(correlation->recording, work->track, work->ts_ns, call->ts_ns))
		return tc_no_memory(correlation->log->ctx);
	widen_run(group, work);
	if (work->ts_ns < call->ts_ns)
		status = tc_import_log_add_one(
			correlation->log, TC_LOG_CLOCK_SKEW, -1, tc_label_name(label));
	if (!status)
		status = tc_links_add(correlation->links, &joined);
	return status ? status : add_span(group, &joined);
}

static enum tc_status keep_early(struct group *group, const struct tc_span *work)
{
	if (group->early_count >= TC_EARLY_MAX_COUNT) {
		group->given_up_count++;
		return add_span(group, work);
	}
	if (!TC_GROW(group->early, group->early_capacity, group->early_count + 1))
		return tc_no_memory(group->correlation->log->ctx);
	group->early[group->early_count++] = *work;
	return TC_OK;
}

static enum tc_status first_call(struct group *group)
{
	enum tc_status status = TC_OK;

	group->has_call = true;
	for (size_t i = 0; i < group->early_count && !status; i++)
		status = join(group, &group->early[i]);
	group->early_count = 0;
	return status ? status
		      : tc_import_log_add_count(group->correlation->log, TC_LOG_LAUNCH_LIMIT,
				group->given_up_count,
				TC_TEXT("device work before the call of its correlation id"));
}

/* A call without an end makes room for the next one. */
static enum tc_status on_call(struct group *group, const struct tc_span *call)
{
	struct tc_span done = *call;
	enum tc_status status = TC_OK;

	if (!group->has_call) {
		group->call = *call;
		return first_call(group);
	}
	if (tc_span_known_end_ns(call) > tc_span_known_end_ns(&group->call)) {
		status = end_run(group);
		done = group->call;
		group->call = *call;
	}
	return status ? status : add_span(group, &done);
}

/* The call goes to the timeline when all of its device work was seen. */
static enum tc_status end_group(struct group *group)
{
	enum tc_status status = TC_OK;

	if (group->has_call)
		status = end_run(group);
	if (!status && group->has_call)
		status = add_span(group, &group->call);
	for (size_t i = 0; i < group->early_count && !status; i++) {
		struct tc_span *work = &group->early[i];
		work->method = (uint8_t)tc_recording_method(
			group->correlation->recording, work->track, group->id);
		status = add_span(group, work);
	}
	group->has_call = false;
	group->early_count = 0;
	group->given_up_count = 0;
	return status;
}

/* A slice on a lane that is no work (a note, a copy of a call) is no call either. */
static bool is_note(const struct tc_timeline *timeline, const struct tc_span *span)
{
	return timeline->tracks[span->track].kind == TC_TRACK_LANE &&
	       tc_span_engine(timeline, span) == TC_ENGINE_NONE;
}

/* Work by its category, or by its lane, which is known only now. */
static bool is_work(const struct tc_timeline *timeline, const struct correlated *item)
{
	return item->is_device || timeline->tracks[item->span.track].kind == TC_TRACK_LANE;
}

static enum tc_status on_item(void *user, const void *record)
{
	struct group *group = user;
	const struct correlated *item = record;
	const struct tc_timeline *timeline = group->correlation->timeline;
	enum tc_status status = TC_OK;

	if (is_note(timeline, &item->span))
		return add_span(group, &item->span);
	if (item->correlation != group->id)
		status = end_group(group);
	group->id = item->correlation;
	if (status)
		return status;
	if (!is_work(timeline, item))
		return on_call(group, &item->span);
	return group->has_call ? join(group, &item->span) : keep_early(group, &item->span);
}

enum tc_status tc_correlation_join(struct tc_correlation *correlation)
{
	struct group group = {.correlation = correlation};
	enum tc_status status = tc_sorter_each(correlation->sorter, on_item, &group);

	if (!status)
		status = end_group(&group);
	tc_free(group.early);
	return status;
}

/* Groups of calls and work with one id, in time order; see correlation.h. */
#include "model/launch/correlation.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"

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
	return has_run ? tc_timeline_add_graph_run(group->correlation->timeline, &group->run)
		       : TC_OK;
}

static enum tc_status add_span(const struct group *group, const struct tc_span *span)
{
	return tc_spans_add(group->correlation->timeline->spans, span);
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

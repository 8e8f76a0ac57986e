/*
 * Launches by correlation id: the tracer gives the host call and the device work it started the
 * same number. Both wait in a sorter; when all are there, each group is joined and goes on to the
 * timeline. A copy tells its call what it was: cudaMemcpyAsync is an input copy when its device
 * work goes HtoD.
 *
 * A number may come back (two traces in one file, counters that wrap), and driver calls nest in
 * runtime calls with the same one. Work belongs to the latest call that starts at or before it,
 * the enclosing one of calls that nest; work before all calls of its number (clocks apart) to the
 * first.
 */
#include "model/state.h"

enum {
	SORT_BYTES = 16 * 1024 * 1024,
	CALL_MAX_COUNT = 32, /* calls of one number held at once; more than any tracer gives */
};

struct correlated {
	int64_t correlation;
	struct tc_span span;
	bool is_device;
};

/* By number; calls before device work; each in time order. */
static int compare_correlated(const void *a, const void *b)
{
	const struct correlated *x = a, *y = b;

	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (x->is_device != y->is_device)
		return x->is_device ? 1 : -1;
	if (x->span.ts_ns != y->span.ts_ns)
		return x->span.ts_ns < y->span.ts_ns ? -1 : 1;
	return x->span.slice_id < y->span.slice_id ? -1 : x->span.slice_id > y->span.slice_id;
}

enum tc_status tc_launches_add(
	struct tc_model *model, const struct tc_span *span, int64_t correlation, bool is_device)
{
	const struct correlated record = {correlation, *span, is_device};
	enum tc_status status = TC_OK;

	if (!model->correlated)
		status = tc_sorter_new(&model->correlated, model->ctx, sizeof(record), SORT_BYTES,
			compare_correlated);
	return status ? status : tc_sorter_add(model->correlated, &record);
}

struct group {
	int64_t correlation;
	struct tc_span calls[CALL_MAX_COUNT];
	size_t call_count;
};

static int64_t end_of(const struct tc_span *span)
{
	return span->dur_ns < 0 ? INT64_MAX : span->ts_ns + span->dur_ns;
}

/* The call that launched work at ts_ns; NULL when the group has none. */
static struct tc_span *call_for(struct group *group, int64_t ts_ns)
{
	struct tc_span *found = group->call_count > 0 ? &group->calls[0] : NULL;

	for (size_t i = 1; i < group->call_count; i++) {
		struct tc_span *call = &group->calls[i];
		if (call->ts_ns <= ts_ns && end_of(call) > end_of(found))
			found = call;
	}
	return found;
}

static enum tc_role role_of_copy(const struct tc_label *label)
{
	if (label->kind != TC_OP_MEMCPY || !label->direction)
		return TC_ROLE_NONE;
	if (strcmp(label->direction, "HtoD") == 0)
		return TC_ROLE_INPUT_COPY;
	return strcmp(label->direction, "DtoH") == 0 ? TC_ROLE_OUTPUT_COPY : TC_ROLE_NONE;
}

static enum tc_status join_device(
	struct tc_model *model, struct group *group, const struct tc_span *span)
{
	struct tc_span joined = *span;
	struct tc_span *call = call_for(group, span->ts_ns);
	enum tc_status status = TC_OK;

	if (call) {
		enum tc_role role = role_of_copy(&model->labels.rows[span->label]);
		if (role != TC_ROLE_NONE)
			call->role = (uint8_t)role;
		joined.launch_slice_id = call->slice_id;
		joined.launch_ts_ns = call->ts_ns;
		joined.launch_end_ns = call->dur_ns < 0 ? call->ts_ns : end_of(call);
		joined.method = TC_LAUNCH_CORRELATION;
		joined.step = tc_steps_at_or_before(model->timeline, call->ts_ns);
		if (span->ts_ns < call->ts_ns)
			status = tc_model_log(model, TC_LOG_CLOCK_SKEW, -1,
				model->labels.rows[span->label].name);
	} else {
		model->tracks.tracks[span->track].unlinked_count++;
	}
	return status ? status : tc_timeline_add_span(model->timeline, &joined);
}

/* The calls go on when their device work was seen. */
static enum tc_status end_group(struct tc_model *model, struct group *group)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < group->call_count && !status; i++)
		status = tc_timeline_add_span(model->timeline, &group->calls[i]);
	group->call_count = 0;
	return status;
}

static enum tc_status add_call(
	struct tc_model *model, struct group *group, const struct tc_span *span)
{
	enum tc_status status = TC_OK;

	if (group->call_count == CALL_MAX_COUNT) {
		status = tc_timeline_add_span(model->timeline, &group->calls[0]);
		memmove(&group->calls[0], &group->calls[1],
			(CALL_MAX_COUNT - 1) * sizeof(group->calls[0]));
		group->call_count--;
	}
	group->calls[group->call_count++] = *span;
	return status;
}

enum tc_status tc_launches_finish(struct tc_model *model)
{
	struct group group = {0};
	const void *record = NULL;

	if (!model->correlated)
		return TC_OK;
	enum tc_status status = tc_sorter_rewind(model->correlated);
	while (!status && !(status = tc_sorter_next(model->correlated, &record)) && record) {
		const struct correlated *item = record;
		if (item->correlation != group.correlation)
			status = end_group(model, &group);
		group.correlation = item->correlation;
		if (!status)
			status = item->is_device ? join_device(model, &group, &item->span)
						 : add_call(model, &group, &item->span);
	}
	if (!status)
		status = end_group(model, &group);
	tc_sorter_free(model->correlated);
	model->correlated = NULL;
	return status;
}

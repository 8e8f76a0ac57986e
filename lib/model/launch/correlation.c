/*
 * Launches by correlation id: the tracer gives the host call and the device work it started the
 * same number. Both wait in a sorter; when all are there, each group is joined and goes on to the
 * timeline. A copy tells its call what it was: cudaMemcpyAsync is an input copy when its device
 * work goes HtoD.
 *
 * A number may come back (two traces in one file, counters that wrap), and driver calls nest in
 * runtime calls with the same one. Work belongs to the latest call that starts at or before it,
 * the enclosing one of calls that nest; work before all calls of its number (clocks apart) to the
 * first. So a group is walked in time order and needs to hold one call, and what came before it.
 *
 * Work without a call was either launched before the recording began, or its call was not recorded.
 * Tracers count ids up, and a lane runs what it is given in order. So work was launched before the
 * recording
 *  - if its id is below that of every call and its lane runs nothing before it that was launched in
 *    the recording;
 *  - if its id does not tell and its lane runs nothing before it that was launched in the recording,
 *    but something after it;
 *  - on a lane where no launch is known, if its id does not tell and it starts before the first call.
 * Where nothing at all is tied to a call, nothing is known.
 */
#include "core/alloc.h"
#include "core/limits.h"
#include "model/state.h"

enum { SORT_BYTES = 2 * 1024 * 1024 };

struct correlated {
	int64_t correlation;
	struct tc_span span;
	int64_t is_device; /* all of its bytes have a meaning, so it packs well */
};

/* By number and time; at one time calls before device work. */
static int compare_correlated(const void *a, const void *b)
{
	const struct correlated *x = a, *y = b;

	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (x->span.ts_ns != y->span.ts_ns)
		return x->span.ts_ns < y->span.ts_ns ? -1 : 1;
	if (x->is_device != y->is_device)
		return x->is_device ? 1 : -1;
	return x->span.slice_id < y->span.slice_id ? -1 : x->span.slice_id > y->span.slice_id;
}

/* Ids above this many bits are those of another rank or library; see emit.c. Ids that fill more
 * spaces than any job has ranks are not counted up, and tell nothing. */
enum { SPACE_BITS = 36, SPACE_MAX_COUNT = 1 << 14 };

static struct tc_text text_of_space(const int64_t *space)
{
	return (struct tc_text){(const char *)space, sizeof(*space)};
}

/* Takes the id of a call. False when memory is out. */
static bool note_call(struct tc_first_calls *calls, int64_t correlation)
{
	int64_t space = correlation >> SPACE_BITS;
	size_t count = calls->spaces.count;
	void *lowest = calls->lowest;

	if (count == 0 || space != calls->space) {
		if (tc_reserve(&lowest, &calls->capacity, count + 1, sizeof(*calls->lowest)))
			return false;
		calls->lowest = lowest;
		calls->number = count < SPACE_MAX_COUNT
					? tc_strtab_intern(&calls->spaces, text_of_space(&space))
					: tc_strtab_find(&calls->spaces, text_of_space(&space));
		if (calls->number == TC_STRTAB_NONE)
			return count >= SPACE_MAX_COUNT;
		calls->space = space;
	}
	if (calls->number == count || correlation < calls->lowest[calls->number])
		calls->lowest[calls->number] = correlation;
	return true;
}

enum tc_status tc_launches_add(
	struct tc_model *model, const struct tc_span *span, int64_t correlation, bool is_device)
{
	const struct correlated record = {correlation, *span, is_device};
	enum tc_status status = TC_OK;

	if (!is_device && !model->labels.rows[span->label].is_note &&
		!note_call(&model->first_calls, correlation))
		return tc_model_no_memory(model);
	if (!model->correlated)
		status = tc_sorter_new(&model->correlated, model->ctx, sizeof(record), SORT_BYTES,
			compare_correlated);
	return status ? status : tc_sorter_add(model->correlated, &record);
}

void tc_launches_clear(struct tc_model *model)
{
	tc_sorter_free(model->correlated);
	model->correlated = NULL;
	tc_strtab_clear(&model->first_calls.spaces);
	tc_free(model->first_calls.lowest);
	model->first_calls = (struct tc_first_calls){0};
}

void tc_launches_seen(struct tc_model *model, uint32_t track, int64_t ts_ns, int64_t call_ns)
{
	struct tc_track_row *row = &model->tracks.tracks[track];
	struct tc_first_calls *calls = &model->first_calls;

	if (!row->has_launched || ts_ns < row->launched_ns)
		row->launched_ns = ts_ns;
	row->has_launched = true;
	if (!calls->has_launched || call_ns < calls->first_ns)
		calls->first_ns = call_ns;
	calls->has_launched = true;
}

/*
 * What the id of work tells whose call is not in the trace: BEFORE when it is below that of every
 * call; TIME when it is not, so that its call was made in the recording and is missing; UNKNOWN
 * when ids tell nothing. Ids come in ascending order: where a lane has run what has a lower one, its
 * order tells.
 */
static enum tc_launch_method method_by_id(
	const struct tc_model *model, uint32_t track, int64_t correlation)
{
	const struct tc_first_calls *calls = &model->first_calls;
	int64_t space = correlation >> SPACE_BITS;
	uint32_t number = tc_strtab_find(&calls->spaces, text_of_space(&space));

	if (number == TC_STRTAB_NONE)
		return TC_LAUNCH_UNKNOWN;
	if (correlation < calls->lowest[number])
		return TC_LAUNCH_BEFORE;
	return model->tracks.tracks[track].has_launched ? TC_LAUNCH_UNKNOWN : TC_LAUNCH_TIME;
}

bool tc_launches_precede(const struct tc_model *model, const struct tc_span *span)
{
	const struct tc_track_row *row = &model->tracks.tracks[span->track];

	if (!model->first_calls.has_launched || span->method == TC_LAUNCH_TIME)
		return false;
	if (row->has_launched)
		return span->ts_ns < row->launched_ns;
	return span->method == TC_LAUNCH_BEFORE || span->ts_ns < model->first_calls.first_ns;
}

/* Events of one number, in time order. */
struct group {
	int64_t correlation;
	bool has_call;
	struct tc_span call;   /* that work belongs to now */
	struct tc_span *early; /* work before the first call */
	size_t early_count, early_capacity;
	struct tc_graph_run run; /* of the work of the call, when that launches graphs */
	int64_t run_count;       /* operations in it */
	int64_t given_up_count;  /* work before the first call that was too much to hold */
};

/* A call without an end gives way to the next one. */
static int64_t end_of(const struct tc_span *span)
{
	return span->ts_ns + (span->dur_ns < 0 ? 0 : span->dur_ns);
}

static enum tc_role role_of_copy(const struct tc_label *label)
{
	if (label->kind != TC_OP_MEMCPY || !label->direction)
		return TC_ROLE_NONE;
	if (strcmp(label->direction, "HtoD") == 0)
		return TC_ROLE_INPUT_COPY;
	return strcmp(label->direction, "DtoH") == 0 ? TC_ROLE_OUTPUT_COPY : TC_ROLE_NONE;
}

/* Takes work of a graph into its run, which is that of the first operation's device. */
static void widen_run(struct tc_model *model, struct group *group, const struct tc_span *work)
{
	const struct tc_timeline *timeline = model->timeline;
	int64_t device = timeline->tracks[work->track].device, end_ns = end_of(work);

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

static enum tc_status end_run(struct tc_model *model, struct group *group)
{
	bool has_run = group->run_count > 1;

	group->run_count = 0;
	return has_run ? tc_timeline_add_graph_run(model->timeline, &group->run) : TC_OK;
}

/* Gives work to the call at hand. */
static enum tc_status join(struct tc_model *model, struct group *group, const struct tc_span *work)
{
	const struct tc_label *label = &model->timeline->labels[work->label];
	struct tc_span *call = &group->call, joined = *work;
	enum tc_role role = role_of_copy(label);
	enum tc_status status = TC_OK;

	if (role != TC_ROLE_NONE)
		call->role = (uint8_t)role;
	joined.launch_slice_id = call->slice_id;
	joined.launch_ts_ns = call->ts_ns;
	joined.launch_end_ns = end_of(call);
	joined.method = TC_LAUNCH_CORRELATION;
	joined.step = tc_steps_at_or_before(model->timeline, call->ts_ns);
	tc_launches_seen(model, work->track, work->ts_ns, call->ts_ns);
	widen_run(model, group, work);
	if (work->ts_ns < call->ts_ns)
		status = tc_model_log(model, TC_LOG_CLOCK_SKEW, -1, label->name);
	if (!status)
		status = tc_links_add(model, &joined);
	return status ? status : tc_timeline_add_span(model->timeline, &joined);
}

static enum tc_status keep_early(
	struct tc_model *model, struct group *group, const struct tc_span *work)
{
	void *early = group->early;

	if (group->early_count >= TC_EARLY_MAX_COUNT) {
		group->given_up_count++;
		return tc_timeline_add_span(model->timeline, work);
	}
	if (tc_reserve(
		    &early, &group->early_capacity, group->early_count + 1, sizeof(*group->early)))
		return tc_model_no_memory(model);
	group->early = early;
	group->early[group->early_count++] = *work;
	return TC_OK;
}

static enum tc_status first_call(struct tc_model *model, struct group *group)
{
	const struct tc_log_entry entry = {TC_LOG_LAUNCH_LIMIT, -1, group->given_up_count,
		TC_TEXT("device work before the call of its correlation id")};
	enum tc_status status = TC_OK;

	group->has_call = true;
	for (size_t i = 0; i < group->early_count && !status; i++)
		status = join(model, group, &group->early[i]);
	group->early_count = 0;
	if (!status && group->given_up_count > 0 && !tc_import_log_add(&model->log, &entry))
		status = tc_model_no_memory(model);
	return status;
}

static enum tc_status on_call(
	struct tc_model *model, struct group *group, const struct tc_span *call)
{
	struct tc_span done = *call;

	if (!group->has_call) {
		group->call = *call;
		return first_call(model, group);
	}
	enum tc_status status = TC_OK;
	if (end_of(call) > end_of(&group->call)) {
		status = end_run(model, group);
		done = group->call;
		group->call = *call;
	}
	return status ? status : tc_timeline_add_span(model->timeline, &done);
}

/* The call goes on when all of its device work was seen. */
static enum tc_status end_group(struct tc_model *model, struct group *group)
{
	enum tc_status status = TC_OK;

	if (group->has_call)
		status = end_run(model, group);
	if (!status && group->has_call)
		status = tc_timeline_add_span(model->timeline, &group->call);
	for (size_t i = 0; i < group->early_count && !status; i++) {
		struct tc_span *work = &group->early[i];
		work->method = (uint8_t)method_by_id(model, work->track, group->correlation);
		status = tc_timeline_add_span(model->timeline, work);
	}
	group->has_call = false;
	group->early_count = 0;
	group->given_up_count = 0;
	return status;
}

/* What stands on a lane and is no work (notes, what is said again there) is no call either. */
static bool is_beside(const struct tc_timeline *timeline, const struct tc_span *span)
{
	return timeline->tracks[span->track].kind == TC_TRACK_LANE &&
	       tc_span_engine(timeline, span) == TC_ENGINE_NONE;
}

/* Work by its category, or by the lane on which it stands, which is known only now. */
static bool is_work(const struct tc_timeline *timeline, const struct correlated *item)
{
	return item->is_device || timeline->tracks[item->span.track].kind == TC_TRACK_LANE;
}

static enum tc_status on_item(
	struct tc_model *model, struct group *group, const struct correlated *item)
{
	enum tc_status status = TC_OK;

	if (is_beside(model->timeline, &item->span))
		return tc_timeline_add_span(model->timeline, &item->span);

	if (item->correlation != group->correlation)
		status = end_group(model, group);
	group->correlation = item->correlation;
	if (status)
		return status;
	if (!is_work(model->timeline, item))
		return on_call(model, group, &item->span);
	return group->has_call ? join(model, group, &item->span)
			       : keep_early(model, group, &item->span);
}

enum tc_status tc_launches_finish(struct tc_model *model)
{
	struct group group = {0};
	const void *record = NULL;

	if (!model->correlated)
		return TC_OK;
	enum tc_status status = tc_sorter_rewind(model->correlated);
	while (!status && !(status = tc_sorter_next(model->correlated, &record)) && record)
		status = on_item(model, &group, record);
	if (!status)
		status = end_group(model, &group);
	tc_free(group.early);
	return status;
}

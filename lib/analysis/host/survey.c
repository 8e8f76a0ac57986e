/*
 * The host survey; see survey.h.
 *
 * Gaps of one tally do not overlap, and a launch within its gap comes while the gap is open. So one
 * pending gap per tally, with all its intervals, is enough to find the thread of its launch.
 */
#include "analysis/host/survey.h"

#include "core/alloc.h"

/* The intervals of a gap so far. */
struct pending_gap {
	struct tc_gap *parts;
	size_t count, capacity;
};

/* Gaps that wait for the slice that launched the work at their end. */
struct pending {
	struct tc_gap_spool *spool;
	struct tc_sorter *input;
	const struct tc_gap *next; /* the next gap of the input; NULL at its end */
	struct pending_gap *gaps;  /* by tally */
	size_t *open;              /* number of tallies with a gap */
	size_t tally_count, open_count;
};

static bool is_synapse(const struct tc_track *track)
{
	return track->name.ptr && tc_text_starts(track->name, TC_TEXT("Synapse/"));
}

static enum tc_status allocate(struct tc_survey *survey, struct pending *pending)
{
	const struct tc_timeline *timeline = survey->timeline;

	survey->thread_count = timeline->host_thread_count;
	TC_ARENA(&survey->arena, pending->gaps, pending->tally_count);
	TC_ARENA(&survey->arena, pending->open, pending->tally_count);
	TC_ARENA(&survey->arena, survey->threads, survey->thread_count);
	TC_ARENA(&survey->arena, survey->seen_labels, timeline->label_count);
	TC_ARENA(&survey->arena, survey->tracks, timeline->track_count);
	enum tc_status status = tc_arena_status(&survey->arena, timeline->ctx);
	if (status)
		return status;
	for (size_t i = 0; i < survey->thread_count; i++) {
		survey->threads[i].extent = TC_INTERVAL_NONE;
		survey->threads[i].until_ns = INT64_MIN;
	}
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct tc_track *track = &timeline->tracks[i];
		if (track->kind != TC_TRACK_THREAD || track->host_thread < 0 ||
			(size_t)track->host_thread >= survey->thread_count)
			continue;
		survey->tracks[survey->track_count++] = (uint32_t)i;
		if (is_synapse(track))
			survey->threads[track->host_thread].is_synapse = true;
	}
	return TC_OK;
}

/* Facts that depend on the label only. */
static void see_label(struct tc_survey *survey, const struct tc_span *span)
{
	const struct tc_label *label = &survey->timeline->labels[span->label];

	if (survey->seen_labels[span->label])
		return;
	survey->seen_labels[span->label] = true;
	survey->has_bridge = survey->has_bridge || label->is_bridge;
	survey->has_device_memory |= label->mark == TC_MARK_DEVICE_MEMORY;
	if (label->is_op && survey->sample_count < TC_SURVEY_SAMPLES)
		survey->samples[survey->sample_count++] = span->slice_id;
}

static void see_time(
	struct tc_survey *survey, struct tc_survey_thread *thread, const struct tc_span *span)
{
	struct tc_interval interval = tc_interval_of(span->ts_ns, span->dur_ns);
	int64_t from_ns = interval.start_ns;

	if (span->ts_ns == 0 && survey->zero_is_no_time) {
		survey->clamped_count++;
		return;
	}
	if (!tc_clocks_know(&survey->clocks, interval.start_ns)) {
		survey->other_clock_count++;
		return;
	}
	thread->extent = tc_interval_join(thread->extent, interval);
	survey->host = tc_interval_join(survey->host, interval);
	if (from_ns < thread->until_ns)
		from_ns = thread->until_ns;
	if (interval.end_ns > from_ns)
		thread->covered_ns += interval.end_ns - from_ns;
	if (interval.end_ns > thread->until_ns)
		thread->until_ns = interval.end_ns;
}

/* Steps and host slices both come in time order, so *at only moves forward over the steps. */
static bool is_step(const struct tc_timeline *timeline, const struct tc_span *span, size_t *at)
{
	while (*at < timeline->step_count && timeline->steps[*at].ts_ns < span->ts_ns)
		(*at)++;
	for (size_t i = *at; i < timeline->step_count && timeline->steps[i].ts_ns == span->ts_ns;
		i++)
		if (timeline->steps[i].slice_id == span->slice_id)
			return true;
	return false;
}

static enum tc_status flush_gap(struct pending *pending, struct pending_gap *gap)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < gap->count && !status; i++)
		status = tc_gap_spool_add(pending->spool, &gap->parts[i]);
	gap->count = 0;
	return status;
}

static enum tc_status add_interval(
	struct pending *pending, struct tc_ctx *ctx, const struct tc_gap *interval)
{
	struct pending_gap *gap = &pending->gaps[interval->tally];
	enum tc_status status = TC_OK;

	if (gap->capacity == 0)
		pending->open[pending->open_count++] = (size_t)interval->tally;
	if (gap->count > 0 && !gap->parts[gap->count - 1].goes_on)
		status = flush_gap(pending, gap);
	if (!TC_GROW(gap->parts, gap->capacity, gap->count + 1))
		return tc_no_memory(ctx);
	gap->parts[gap->count++] = *interval;
	return status;
}

/* Takes the gaps that start before a time. Each replaces the one before it of its tally. A launch
 * at the very start of a gap leaves no part of the gap to the host. */
static enum tc_status open_gaps(struct pending *pending, struct tc_ctx *ctx, int64_t time_ns)
{
	enum tc_status status = TC_OK;

	while (!status && pending->next && pending->next->start_ns < time_ns) {
		status = add_interval(pending, ctx, pending->next);
		if (!status)
			status = TC_SORTER_NEXT(pending->input, pending->next);
	}
	return status;
}

/* Sets the thread of the gaps whose last operation this slice launched. */
static void match_launch(struct pending *pending, struct tc_survey *survey,
	const struct tc_span *span, int32_t thread)
{
	for (size_t i = 0; i < pending->open_count; i++) {
		struct pending_gap *gap = &pending->gaps[pending->open[i]];
		if (gap->count == 0 || gap->parts[0].launch_slice_id != span->slice_id ||
			span->slice_id == TC_NO_ID)
			continue;
		for (size_t part = 0; part < gap->count; part++)
			gap->parts[part].thread = thread;
		survey->threads[thread].is_launching = true;
	}
}

static enum tc_status see_slices(struct tc_survey *survey, struct pending *pending)
{
	const struct tc_timeline *timeline = survey->timeline;
	struct tc_cursor *cursor =
		tc_cursor_open(timeline->spans, survey->tracks, survey->track_count);
	const struct tc_span *span;
	size_t step = 0;
	enum tc_status status = TC_OK;

	while (!status && (span = tc_cursor_next(cursor))) {
		int32_t number = timeline->tracks[span->track].host_thread;
		struct tc_survey_thread *thread = &survey->threads[number];
		survey->slice_count++;
		survey->python_count += timeline->labels[span->label].is_python;
		see_label(survey, span);
		enum tc_role role = tc_span_role(timeline, span);
		survey->has_collective |= role == TC_ROLE_COLLECTIVE;
		if (span->dur_ns < 0)
			continue;
		see_time(survey, thread, span);
		if (role == TC_ROLE_LAUNCH)
			status = tc_usual_add(&survey->launches, span->label, span->dur_ns);
		thread->builds_graphs |= role == TC_ROLE_GRAPH_BUILD;
		survey->knows_work |=
			role != TC_ROLE_NONE || timeline->labels[span->label].is_python;
		thread->launch_count += timeline->labels[span->label].is_launch;
		bool in_step = is_step(timeline, span, &step);
		thread->step_count += in_step;
		survey->knows_work |= in_step;
		if (!status)
			status = open_gaps(pending, timeline->ctx, tc_time_clamp(span->ts_ns));
		if (pending->open_count > 0)
			match_launch(pending, survey, span, number);
	}
	tc_cursor_close(cursor);
	return status ? status : tc_ctx_status(timeline->ctx);
}

/* The first thread with the highest value; -1 when no thread has any. */
static int32_t thread_with_most(const struct tc_survey *survey, size_t member)
{
	int32_t best = -1;
	int64_t most = 0;

	for (size_t i = 0; i < survey->thread_count; i++) {
		int64_t value = 0;
		memcpy(&value, (const char *)&survey->threads[i] + member, sizeof(value));
		if (value > most) {
			most = value;
			best = (int32_t)i;
		}
	}
	return best;
}

/* Labels of the host count if they are seen: a loader's name may stand for none of its slices. */
static enum tc_status find_server(struct tc_survey *survey)
{
	const struct tc_timeline *timeline = survey->timeline;

	for (size_t i = 0; i < timeline->label_count; i++)
		if (survey->seen_labels[i] || timeline->labels[i].role != TC_ROLE_DATALOADER)
			tc_server_see(&survey->server, &timeline->labels[i]);
	return tc_server_find(&survey->server, timeline);
}

static void choose_threads(struct tc_survey *survey)
{
	for (size_t i = 0; i < survey->thread_count; i++) {
		struct tc_survey_thread *thread = &survey->threads[i];
		if (thread->launch_count > 0 || thread->step_count > 0 || thread->builds_graphs)
			thread->is_launching = true;
	}
	survey->main_thread =
		thread_with_most(survey, offsetof(struct tc_survey_thread, step_count));
	if (survey->main_thread < 0)
		survey->main_thread =
			thread_with_most(survey, offsetof(struct tc_survey_thread, launch_count));
	if (survey->main_thread < 0)
		survey->main_thread =
			thread_with_most(survey, offsetof(struct tc_survey_thread, covered_ns));
	if (survey->main_thread >= 0)
		survey->threads[survey->main_thread].is_launching = true;
	for (size_t i = 0; i < survey->thread_count; i++) {
		struct tc_survey_thread *thread = &survey->threads[i];
		thread->is_counted = thread->is_launching || thread->is_synapse;
		if (!thread->is_launching)
			continue;
		survey->launching = tc_interval_join(survey->launching, thread->extent);
	}
}

static enum tc_status run_with_gaps(struct tc_survey *survey, struct pending *pending)
{
	enum tc_status status = TC_SORTER_FIRST(pending->input, pending->next);

	if (!status)
		status = see_slices(survey, pending);
	if (!status)
		status = open_gaps(pending, survey->timeline->ctx, INT64_MAX);
	for (size_t i = 0; i < pending->tally_count && !status; i++)
		status = flush_gap(pending, &pending->gaps[i]);
	return status;
}

enum tc_status tc_survey_run(struct tc_survey *survey, const struct tc_timeline *timeline,
	struct tc_gap_spool *spool, const struct tc_windows *windows)
{
	struct pending pending = {.spool = spool, .tally_count = windows->tally_count};

	*survey = (struct tc_survey){
		.timeline = timeline,
		.main_thread = -1,
		.zero_is_no_time = windows->zero_is_no_time,
		.clocks = windows->clocks,
		.host = TC_INTERVAL_NONE,
		.launching = TC_INTERVAL_NONE,
	};
	enum tc_status status = allocate(survey, &pending);
	if (!status)
		status = tc_usual_init(&survey->launches, timeline->ctx, timeline->label_count);
	pending.input = tc_gap_spool_take_gaps(spool);
	if (!status)
		status = run_with_gaps(survey, &pending);
	if (!status)
		status = tc_usual_find(&survey->launches);
	if (!status) {
		choose_threads(survey);
		status = find_server(survey);
	}
	tc_sorter_free(pending.input);
	for (size_t i = 0; pending.gaps && i < pending.tally_count; i++)
		tc_free(pending.gaps[i].parts);
	return status;
}

void tc_survey_clear(struct tc_survey *survey)
{
	tc_usual_clear(&survey->launches);
	tc_arena_clear(&survey->arena);
	*survey = (struct tc_survey){0};
}

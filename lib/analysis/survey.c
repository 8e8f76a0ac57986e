/*
 * The host survey reads all host slices once, in time order.
 *
 * Gaps of one tally do not overlap, and a launch within its gap comes while the gap is open. So one
 * pending gap per tally, with all its intervals, is enough to find the thread of its launch.
 * Pending gaps are found by their launch, so that a slice does not ask every device.
 */
#include "analysis/survey.h"

#include "core/alloc.h"
#include "core/hash.h"

/* The intervals of a gap so far. */
struct pending_gap {
	struct tc_gap *parts;
	size_t count, capacity;
	struct pending_gap *next, **link; /* in its chain; link NULL outside of one */
};

/* Gaps that wait for the slice that launched the work at their end. */
struct pending {
	struct tc_sorter **out; /* the gaps that have their thread */
	struct tc_sorter *input;
	const struct tc_gap *next;       /* the next gap of the input; NULL at its end */
	struct pending_gap *gaps;        /* by tally */
	struct pending_gap **chains;     /* by the hash of the launch */
	size_t tally_count, chain_count; /* chains: a power of 2 */
};

static bool is_synapse(const struct tc_track *track)
{
	return track->name.ptr && tc_text_starts(track->name, TC_TEXT("Synapse/"));
}

static void allocate(struct tc_survey *survey, struct pending *pending)
{
	const struct tc_timeline *timeline = survey->timeline;

	survey->thread_count = timeline->host_thread_count;
	TC_ARENA(&survey->arena, pending->gaps, pending->tally_count);
	TC_ARENA(&survey->arena, pending->chains, pending->chain_count);
	TC_ARENA(&survey->arena, survey->threads, survey->thread_count);
	TC_ARENA(&survey->arena, survey->seen_labels, timeline->label_count);
	TC_ARENA(&survey->arena, survey->tracks, timeline->track_count);
	if (tc_ctx_failed(timeline->ctx))
		return;
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

/* The times of a slice, unless they do not count. */
static void see_time(struct tc_survey *survey, struct tc_survey_thread *thread,
	const struct tc_span *span, enum tc_role role)
{
	struct tc_interval interval = tc_interval_of(span->ts_ns, span->dur_ns);
	int64_t from_ns = interval.start_ns;

	if (span->ts_ns == 0 && survey->clocks->zero_is_no_time) {
		survey->clamped_count++;
		return;
	}
	if (!tc_clocks_know(survey->clocks, interval.start_ns))
		return;
	thread->extent = tc_interval_join(thread->extent, interval);
	survey->host = tc_interval_join(survey->host, interval);
	if (from_ns < thread->until_ns)
		from_ns = thread->until_ns;
	if (interval.end_ns > from_ns)
		thread->covered_ns += interval.end_ns - from_ns;
	if (interval.end_ns > thread->until_ns)
		thread->until_ns = interval.end_ns;
	tc_silences_see(&survey->silences, span, role);
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

static struct pending_gap **chain_of(const struct pending *pending, int64_t launch_slice_id)
{
	size_t hash = (size_t)tc_hash_of(&launch_slice_id, sizeof(launch_slice_id));

	return &pending->chains[hash & (pending->chain_count - 1)];
}

static void chain(struct pending *pending, struct pending_gap *gap)
{
	if (gap->count == 0 || gap->parts[0].launch_slice_id == TC_NO_ID)
		return;
	gap->link = chain_of(pending, gap->parts[0].launch_slice_id);
	gap->next = *gap->link;
	if (gap->next)
		gap->next->link = &gap->next;
	*gap->link = gap;
}

static void unchain(struct pending_gap *gap)
{
	if (!gap->link)
		return;
	*gap->link = gap->next;
	if (gap->next)
		gap->next->link = gap->link;
	gap->link = NULL;
}

static void flush_gap(struct pending *pending, struct tc_ctx *ctx, struct pending_gap *gap)
{
	unchain(gap);
	for (size_t i = 0; i < gap->count; i++)
		tc_sorter_put(pending->out, ctx, &tc_gap_layout, &gap->parts[i]);
	gap->count = 0;
}

static void add_interval(struct pending *pending, struct tc_ctx *ctx, const struct tc_gap *interval)
{
	struct pending_gap *gap = &pending->gaps[interval->tally];

	if (gap->count > 0 && !gap->parts[gap->count - 1].goes_on)
		flush_gap(pending, ctx, gap);
	TC_PUSH(ctx, gap->parts, gap->count, gap->capacity, *interval);
	if (gap->count == 1)
		chain(pending, gap);
}

/* Takes the gaps that start before a time. Each replaces the one before it of its tally. A launch
 * at the very start of a gap leaves no part of the gap to the host. */
static void open_gaps(struct pending *pending, struct tc_ctx *ctx, int64_t time_ns)
{
	while (pending->next && pending->next->start_ns < time_ns && !tc_ctx_failed(ctx)) {
		add_interval(pending, ctx, pending->next);
		pending->next = tc_sorter_next(pending->input);
	}
}

/* Sets the thread of the gaps whose last operation this slice launched. */
static void match_launch(struct pending *pending, struct tc_survey *survey,
	const struct tc_span *span, int32_t thread)
{
	struct pending_gap *gap = *chain_of(pending, span->slice_id);

	for (; gap; gap = gap->next) {
		if (gap->parts[0].launch_slice_id != span->slice_id)
			continue;
		for (size_t part = 0; part < gap->count; part++)
			gap->parts[part].thread = thread;
		survey->threads[thread].is_launching = true;
	}
}

static void see_slices(struct tc_survey *survey, struct pending *pending)
{
	const struct tc_timeline *timeline = survey->timeline;
	struct tc_cursor *cursor =
		tc_cursor_open(timeline->spans, survey->tracks, survey->track_count);
	const struct tc_span *span;
	size_t step = 0;

	while (!tc_ctx_failed(timeline->ctx) && (span = tc_cursor_next(cursor))) {
		int32_t number = timeline->tracks[span->track].host_thread;
		struct tc_survey_thread *thread = &survey->threads[number];
		survey->slice_count++;
		survey->python_count += timeline->labels[span->label].is_python;
		see_label(survey, span);
		enum tc_role role = tc_span_role(timeline, span);
		survey->has_collective |= role == TC_ROLE_COLLECTIVE;
		if (span->dur_ns < 0)
			continue;
		see_time(survey, thread, span, role);
		if (role == TC_ROLE_LAUNCH)
			tc_usual_add(&survey->launches, span->label, span->dur_ns);
		thread->builds_graphs |= role == TC_ROLE_GRAPH_BUILD;
		survey->knows_work |=
			role != TC_ROLE_NONE || timeline->labels[span->label].is_python;
		thread->launch_count += timeline->labels[span->label].is_launch;
		bool in_step = is_step(timeline, span, &step);
		thread->step_count += in_step;
		survey->knows_work |= in_step;
		open_gaps(pending, timeline->ctx, tc_time_clamp(span->ts_ns));
		match_launch(pending, survey, span, number);
	}
	tc_cursor_close(cursor);
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
static void find_server(struct tc_survey *survey)
{
	const struct tc_timeline *timeline = survey->timeline;

	for (size_t i = 0; i < timeline->label_count; i++)
		if (survey->seen_labels[i] || timeline->labels[i].role != TC_ROLE_DATALOADER)
			tc_server_see(&survey->server, &timeline->labels[i]);
	tc_server_find(&survey->server, timeline);
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

void tc_survey_run(struct tc_survey *survey, struct tc_device_tally *devices)
{
	const struct tc_timeline *timeline = devices->timeline;
	struct pending pending = {.out = &devices->spool.gaps,
		.input = devices->spool.gaps,
		.tally_count = devices->tally_count,
		.chain_count = 1};

	while (pending.chain_count < pending.tally_count)
		pending.chain_count *= 2;
	*survey = (struct tc_survey){
		.arena.ctx = timeline->ctx,
		.timeline = timeline,
		.main_thread = -1,
		.clocks = &devices->clocks,
		.host = TC_INTERVAL_NONE,
		.launching = TC_INTERVAL_NONE,
	};
	allocate(survey, &pending);
	tc_usual_init(&survey->launches, timeline->ctx, timeline->label_count);
	tc_silences_init(&survey->silences, timeline);
	if (tc_ctx_failed(timeline->ctx))
		return;
	devices->spool.gaps = NULL;
	pending.next = tc_sorter_first(pending.input);
	see_slices(survey, &pending);
	open_gaps(&pending, timeline->ctx, INT64_MAX);
	for (size_t i = 0; i < pending.tally_count; i++) {
		flush_gap(&pending, timeline->ctx, &pending.gaps[i]);
		tc_free(pending.gaps[i].parts);
	}
	tc_sorter_free(pending.input);
	tc_usual_find(&survey->launches);
	choose_threads(survey);
	find_server(survey);
	tc_silences_find(&survey->silences, &survey->server);
}

void tc_survey_clear(struct tc_survey *survey)
{
	tc_usual_clear(&survey->launches);
	tc_silences_clear(&survey->silences);
	tc_arena_clear(&survey->arena);
	*survey = (struct tc_survey){0};
}

/*
 * Slices come by their starts, so a silence of all threads is the time from the latest end so far
 * to the next start. A thread's own time before it loads code begins where it last began or ended
 * a slice: of its open slices the ends are kept, and those that are over by the time of the next
 * slice have ended in between.
 */
#include "analysis/silence.h"

#include "analysis/intervals.h"
#include "core/saturate.h"

#include <string.h>

enum { OPEN_MAX = 8 }; /* slices with a role or an operation that are open on a thread */

struct tc_silence_thread {
	int64_t boundary_ns, ends_ns[OPEN_MAX];
	uint32_t open_count, last;
	bool has_begun;
};

void tc_silences_init(struct tc_silences *silences, const struct tc_timeline *timeline)
{
	*silences = (struct tc_silences){.arena.ctx = timeline->ctx,
		.timeline = timeline,
		.until_ns = INT64_MIN,
		.last = UINT32_MAX};
	tc_paged_init(&silences->threads, timeline->ctx, timeline->host_thread_count,
		sizeof(struct tc_silence_thread), NULL);
}

void tc_silences_clear(struct tc_silences *silences)
{
	tc_paged_clear(&silences->threads);
	tc_arena_clear(&silences->arena);
	*silences = (struct tc_silences){0};
}

/* Moves the boundary of a thread to the last end before a time. */
static void pass_ends(struct tc_silence_thread *thread, int64_t time_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < thread->open_count; i++) {
		int64_t end_ns = thread->ends_ns[i];
		if (end_ns > time_ns)
			thread->ends_ns[kept++] = end_ns;
		else if (end_ns > thread->boundary_ns)
			thread->boundary_ns = end_ns;
	}
	thread->open_count = kept;
}

/* A candidate that lasts for long enough in any recording. */
static void add(struct tc_silences *silences, const struct tc_silence *silence)
{
	if (silence->until_ns - silence->from_ns >= TC_SILENCE_NS &&
		TC_ARENA_GROW(
			&silences->arena, silences->items, silences->capacity, silences->count + 1))
		silences->items[silences->count++] = *silence;
}

static void see_thread(
	struct tc_silences *silences, const struct tc_span *span, int32_t number, bool loads_code)
{
	struct tc_silence_thread *thread =
		TC_PAGED_AT(&silences->threads, struct tc_silence_thread, (size_t)number);

	pass_ends(thread, span->ts_ns);
	if (loads_code && thread->has_begun)
		add(silences, &(struct tc_silence){.from_ns = thread->boundary_ns,
				      .until_ns = span->ts_ns,
				      .kind = TC_SILENCE_COMPILE,
				      .thread = number,
				      .before = thread->last,
				      .after = span->label});
	if (!thread->has_begun || span->ts_ns > thread->boundary_ns)
		thread->boundary_ns = span->ts_ns;
	thread->has_begun = true;
	thread->last = span->label;
	if (thread->open_count < OPEN_MAX)
		thread->ends_ns[thread->open_count++] = tc_span_end_ns(span);
}

void tc_silences_see(struct tc_silences *silences, const struct tc_span *span, enum tc_role role)
{
	const struct tc_label *label = &silences->timeline->labels[span->label];
	int32_t thread = silences->timeline->tracks[span->track].host_thread;
	bool loads_code = label->mark == TC_MARK_CODE_LOAD;
	bool tells = role != TC_ROLE_NONE || label->is_op || label->mark == TC_MARK_GARBAGE ||
		     label->mark == TC_MARK_SAVE || label->mark == TC_MARK_PRINTING;

	if (!tells || span->dur_ns < 0 || thread < 0)
		return;
	if (silences->until_ns != INT64_MIN && span->ts_ns > silences->until_ns) {
		const struct tc_silence pause = {.from_ns = silences->until_ns,
			.until_ns = span->ts_ns,
			.kind = TC_SILENCE_PAUSE,
			.thread = thread,
			.before = silences->last,
			.after = span->label};
		tc_durations_add(&silences->lengths, pause.until_ns - pause.from_ns);
		if (!loads_code)
			add(silences, &pause);
	}
	see_thread(silences, span, thread, loads_code);
	if (tc_span_end_ns(span) >= silences->until_ns) {
		silences->until_ns = tc_span_end_ns(span);
		silences->last = span->label;
	}
}

/* From the start of the first step after the warm-up to the end of the last step; without steps all
 * of the time. */
static struct tc_interval steps_of(const struct tc_timeline *timeline)
{
	struct tc_interval all = {INT64_MIN, INT64_MAX};

	if (timeline->step_count == 0)
		return all;
	all = (struct tc_interval){
		timeline->steps[tc_timeline_first_steady(timeline)].ts_ns, INT64_MIN};
	for (size_t i = 0; i < timeline->step_count; i++) {
		int64_t end_ns =
			tc_add_saturated(timeline->steps[i].ts_ns, timeline->steps[i].dur_ns);
		all.end_ns = end_ns > all.end_ns ? end_ns : all.end_ns;
	}
	return all;
}

/* A silence that ends with the last device work before it may be a wait for that which was not
 * recorded; one that goes on for longer is the host's. */
static bool is_wait(const struct tc_silence *silence, int64_t work_end_ns)
{
	return silence->kind == TC_SILENCE_PAUSE &&
	       work_end_ns >= tc_sub_saturated(silence->until_ns, TC_SILENCE_WAKE_NS);
}

static bool has_pause(const struct tc_silences *silences)
{
	for (size_t i = 0; i < silences->count; i++)
		if (silences->items[i].kind == TC_SILENCE_PAUSE)
			return true;
	return false;
}

static void drop_waits(struct tc_silences *silences)
{
	const struct tc_timeline *timeline = silences->timeline;
	uint32_t *lanes = tc_arena_take(&silences->arena, timeline->track_count, sizeof(*lanes));
	size_t lane_count = 0, at = 0, kept = 0;
	int64_t end_ns = INT64_MIN;
	const struct tc_span *span;

	if (!has_pause(silences) || !lanes)
		return;
	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].kind == TC_TRACK_LANE)
			lanes[lane_count++] = (uint32_t)i;
	struct tc_cursor *cursor = tc_cursor_open(timeline->spans, lanes, lane_count);
	do {
		span = tc_ctx_failed(timeline->ctx) ? NULL : tc_cursor_next(cursor);
		for (; at < silences->count &&
			(!span || silences->items[at].until_ns <= span->ts_ns);
			at++)
			if (!is_wait(&silences->items[at], end_ns))
				silences->items[kept++] = silences->items[at];
		if (span && tc_span_engine(timeline, span) != TC_ENGINE_NONE &&
			tc_span_known_end_ns(span) > end_ns)
			end_ns = tc_span_known_end_ns(span);
	} while (span && at < silences->count);
	tc_cursor_close(cursor);
	silences->count = kept;
}

/* Where threads compile side by side, and while another thread compiles, silences overlap. The one
 * that ends last keeps all of its time, and of those before it what lies before its start. */
static void separate(struct tc_silences *silences)
{
	int64_t start_ns = INT64_MAX;
	size_t kept = silences->count;

	for (size_t i = silences->count; i-- > 0;) {
		struct tc_silence silence = silences->items[i];
		if (silence.until_ns > start_ns)
			silence.until_ns = start_ns;
		if (silence.from_ns >= silence.until_ns)
			continue;
		start_ns = silence.from_ns;
		silences->items[--kept] = silence;
	}
	silences->count -= kept;
	if (kept > 0)
		memmove(silences->items, silences->items + kept,
			silences->count * sizeof(*silences->items));
}

void tc_silences_find(struct tc_silences *silences, const struct tc_server *server)
{
	size_t kept = 0;
	int64_t usual_ns =
		silences->lengths.count > 0 ? tc_durations_lowest(&silences->lengths, 2) : 0;
	int64_t least_ns = tc_mul_saturated(usual_ns, TC_SILENCE_TIMES);
	struct tc_interval steps = steps_of(silences->timeline);

	if (least_ns < TC_SILENCE_NS)
		least_ns = TC_SILENCE_NS;
	for (size_t i = 0; i < silences->count; i++) {
		struct tc_silence silence = silences->items[i];
		bool is_pause = silence.kind == TC_SILENCE_PAUSE;
		int64_t length_ns = silence.until_ns - silence.from_ns;
		if (length_ns < least_ns || silences->timeline->recorded_one_of > 1 ||
			(is_pause && tc_server_has_no_work(server, length_ns)))
			continue;
		silence.from_ns += is_pause ? usual_ns : 0;
		if (silence.from_ns < steps.start_ns)
			silence.from_ns = steps.start_ns;
		if (silence.until_ns > steps.end_ns)
			silence.until_ns = steps.end_ns;
		if (silence.from_ns < silence.until_ns)
			silences->items[kept++] = silence;
	}
	silences->count = kept;
	drop_waits(silences);
	separate(silences);
}

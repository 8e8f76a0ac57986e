/*
 * Places of findings. Idle time comes gap by gap, and the gaps of a device in the order of time, so
 * the idle time before any moment is found by bisection.
 */
#include "report/html/places.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"
#include "names/label/label.h"
#include "report/html/items.h"
#include "report/html/tracks.h"
#include "report/view/view.h"

/* ---- idle time */

/* A piece of the gap being read. */
struct piece {
	int64_t seen_ns, dur; /* when its cause was first seen */
	size_t cause;         /* index into causes */
	char name[TC_IDLE_NAME];
};

/* The gap being read. */
struct reading {
	struct tc_ctx *ctx;
	struct tc_idle *idle;
	struct piece *pieces;
	size_t count, capacity;
	int64_t ts, dur;
	uint32_t track, track_before; /* its device; that of the last gap or UINT32_MAX */
	size_t last_cause;
};

static void add_gap(struct reading *reading)
{
	struct tc_idle *idle = reading->idle;
	struct tc_idle_gap gap = {
		.ts = reading->ts, .end = tc_add_saturated(reading->ts, reading->dur)};

	if (reading->track != reading->track_before) {
		TC_PUSH(reading->ctx, idle->devices, idle->device_count, idle->device_capacity,
			idle->gap_count);
	} else {
		const struct tc_idle_gap *last = &idle->gaps[idle->gap_count - 1];
		gap.before_ns = tc_add_saturated(last->before_ns, last->end - last->ts);
	}
	if (TC_PUSH(reading->ctx, idle->gaps, idle->gap_count, idle->gap_capacity, gap))
		reading->track_before = reading->track;
}

TC_ORDER(by_time, struct piece, TC_UP(seen_ns) TC_UP_STRING(name));

/* Places the pieces of the gap one behind the other. */
static void end_gap(struct reading *reading)
{
	int64_t ts = reading->ts;
	bool has_work = false;

	TC_SORT(reading->pieces, reading->count, by_time);
	for (size_t i = 0; i < reading->count; i++) {
		const struct piece *piece = &reading->pieces[i];
		struct tc_idle_cause *cause = &reading->idle->causes[piece->cause];
		if (piece->dur > cause->dur || (piece->dur == cause->dur && ts < cause->ts)) {
			cause->ts = ts;
			cause->dur = piece->dur;
			cause->track = reading->track;
		}
		ts = tc_add_saturated(ts, piece->dur);
		has_work |= !cause->is_no_work;
	}
	reading->count = 0;
	if (has_work)
		add_gap(reading);
}

/* The index of a cause, which is often that of the row before. Adds a cause that is new. */
static size_t find_cause(struct reading *reading, struct tc_text name)
{
	struct tc_idle *idle = reading->idle;
	size_t at = reading->last_cause;

	if (at >= idle->cause_count || !tc_text_equal(tc_text_from(idle->causes[at].name), name))
		for (at = 0; at < idle->cause_count; at++)
			if (tc_text_equal(tc_text_from(idle->causes[at].name), name))
				break;
	if (at == idle->cause_count) {
		struct tc_idle_cause cause = {
			.is_no_work = tc_cause_find(name) == TC_CAUSE_NO_WORK};
		size_t len = name.len < sizeof(cause.name) ? name.len : sizeof(cause.name) - 1;
		memcpy(cause.name, name.ptr, len);
		TC_PUSH(reading->ctx, idle->causes, idle->cause_count, idle->cause_capacity, cause);
	}
	return reading->last_cause = at;
}

/* Columns gap_ts, gap_dur, device, cause, ts, dur. */
static void read_row(
	struct reading *reading, const struct tc_page_tracks *tracks, const struct tc_rows *row)
{
	int64_t ts = tc_rows_int(row, 0);
	struct tc_text device = tc_rows_text(row, 2);
	uint32_t track = reading->track;

	if (track == UINT32_MAX || !tc_text_equal(tc_text_from(tracks->all[track].device), device))
		track = tc_tracks_find_kind(tracks, TC_TRACK_IDLE, device);
	if (reading->count > 0 && (track != reading->track || ts != reading->ts))
		end_gap(reading);
	reading->track = track;
	reading->ts = ts;
	reading->dur = tc_rows_int(row, 1);
	if (track == UINT32_MAX)
		return;
	struct piece piece = {.seen_ns = tc_rows_int(row, 4),
		.dur = tc_rows_int(row, 5),
		.cause = find_cause(reading, tc_rows_text(row, 3))};
	if (piece.cause == reading->idle->cause_count)
		return; /* out of memory */
	memcpy(piece.name, reading->idle->causes[piece.cause].name, sizeof(piece.name));
	TC_PUSH(reading->ctx, reading->pieces, reading->count, reading->capacity, piece);
}

void tc_idle_load(struct tc_idle *idle, const struct tc_page_tracks *tracks)
{
	struct reading reading = {
		.ctx = tracks->ctx, .idle = idle, .track = UINT32_MAX, .track_before = UINT32_MAX};

	*idle = (struct tc_idle){0};
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db,
		"SELECT gap_ts, gap_dur, device, cause, ts, dur FROM gap"
		" WHERE trace_id = ?1 AND gap_ts IS NOT NULL ORDER BY id",
		tracks->trace_id);
	while (tc_rows_next(&rows))
		read_row(&reading, tracks, &rows);
	if (reading.count > 0)
		end_gap(&reading);
	tc_free(reading.pieces);
}

void tc_idle_clear(struct tc_idle *idle)
{
	tc_free(idle->gaps);
	tc_free(idle->devices);
	tc_free(idle->causes);
	*idle = (struct tc_idle){0};
}

int64_t tc_idle_until(const struct tc_idle *idle, size_t device, int64_t time, bool to_end_of_gap)
{
	const struct tc_idle_gap *gaps = &idle->gaps[idle->devices[device]];
	size_t last = device + 1 < idle->device_count ? idle->devices[device + 1] : idle->gap_count;
	size_t at;

	TC_BISECT(at, last - idle->devices[device], gaps[at].ts <= time);
	if (at == 0)
		return 0;
	const struct tc_idle_gap *gap = &gaps[at - 1];
	int64_t end = to_end_of_gap || gap->end < time ? gap->end : time;
	return tc_add_saturated(gap->before_ns, end - gap->ts);
}

const struct tc_idle_cause *tc_idle_longest(const struct tc_idle *idle, struct tc_text cause)
{
	const struct tc_idle_cause *longest = NULL;

	for (size_t i = 0; i < idle->cause_count; i++) {
		const struct tc_idle_cause *each = &idle->causes[i];
		struct tc_text name = tc_text_from(each->name);
		if (each->dur <= 0 ||
			(cause.len > 0 ? !tc_text_equal(name, cause) : each->is_no_work))
			continue;
		if (!longest || each->dur > longest->dur ||
			(each->dur == longest->dur &&
				(each->ts < longest->ts ||
					(each->ts == longest->ts && each->track < longest->track))))
			longest = each;
	}
	return longest;
}

/* ---- places */

static void want(struct tc_places *places, struct tc_ctx *ctx, size_t place, int64_t label_id)
{
	if (TC_PUSH(ctx, places->labels, places->label_count, places->label_capacity,
		    (struct tc_place_label){(uint32_t)place, places->first[label_id]}))
		places->first[label_id] = (uint32_t)places->label_count;
}

static void want_subject(
	struct tc_places *places, const struct tc_page_tracks *tracks, size_t index)
{
	const struct tc_finding *finding = places->all[index].finding;

	if (finding->evidence_count == 0)
		return;
	struct tc_rows rows = tc_rows_open(tracks->ctx, tracks->db, TC_SUBJECT_LABELS_SQL);
	tc_rows_bind_text(&rows, 1, tc_text_from(finding->evidence[0].subject));
	while (tc_rows_next(&rows))
		if ((uint64_t)tc_rows_int(&rows, 0) < places->first_count)
			want(places, tracks->ctx, index, tc_rows_int(&rows, 0));
}

void tc_places_weigh(struct tc_places *places, uint32_t at, struct tc_place slice, bool is_host)
{
	slice.found = true;
	for (size_t i = 0; is_host && i < places->idle.device_count; i++) {
		int64_t idle_ns = tc_idle_until(&places->idle, i,
					  tc_add_saturated(slice.ts, slice.dur), true) -
				  tc_idle_until(&places->idle, i, slice.ts, false);
		slice.cost_ns =
			tc_add_saturated(slice.cost_ns, idle_ns < slice.dur ? idle_ns : slice.dur);
	}
	for (; at > 0; at = places->labels[at - 1].next) {
		struct tc_place *place = &places->all[places->labels[at - 1].place];
		if (place->found &&
			(slice.cost_ns < place->cost_ns ||
				(slice.cost_ns == place->cost_ns && slice.dur <= place->dur)))
			continue;
		slice.finding = place->finding;
		*place = slice;
	}
}

void tc_places_init(struct tc_places *places, const struct tc_page_tracks *tracks,
	const struct tc_advice *advice)
{
	*places = (struct tc_places){0};
	places->first_count = (size_t)tc_rows_single(
		tracks->ctx, tracks->db, "SELECT coalesce(max(id), 0) + 1 FROM label", 0);
	places->first = tc_new(tracks->ctx, places->first_count, sizeof(*places->first));
	places->all = tc_new(tracks->ctx, advice->finding_count + 1, sizeof(*places->all));
	if (!places->first || !places->all)
		return;
	for (const struct tc_finding *finding = NULL;
		(finding = tc_next_finding(advice, tracks->trace_id, finding));)
		places->all[places->count++].finding = finding;
	for (size_t i = 0; i < places->count; i++)
		want_subject(places, tracks, i);
	tc_idle_load(&places->idle, tracks);
}

void tc_places_clear(struct tc_places *places)
{
	tc_free(places->all);
	tc_free(places->labels);
	tc_free(places->first);
	tc_idle_clear(&places->idle);
	*places = (struct tc_places){0};
}

static void places_finish(struct tc_places *places)
{
	for (size_t i = 0; i < places->count; i++) {
		struct tc_place *place = &places->all[i];
		const struct tc_finding *finding = place->finding;
		if (place->found || finding->gain_ns <= 0)
			continue;
		struct tc_text cause = tc_evidence_text(finding, 0, "cause");
		const struct tc_idle_cause *idle = tc_idle_longest(&places->idle, cause);
		if (idle)
			*place = (struct tc_place){.finding = finding,
				.found = true,
				.ts = idle->ts,
				.dur = idle->dur,
				.track = idle->track};
	}
}

/* ---- the survey. Limits are powers of two. For each limit it counts the slices that are at
 * least as long. It also counts how often a short slice starts in another piece of time than the
 * last short slice on its track: each time a new merged item begins. */

#define LIMITS 35       /* the largest is 17 s */
#define ROWS_OF_TRACK 2 /* a guess: short slices in a piece of time lie on two rows */

struct survey {
	const struct tc_page_tracks *tracks;
	int64_t *pieces;       /* by track and limit: the piece of the last short slice */
	size_t longer[LIMITS]; /* slices at least as long as the limit */
	size_t changes[LIMITS];
	size_t all;
};

/* The index of the limit for a duration: the largest power of two not above it; 0 for 0. */
static size_t power_of(int64_t dur)
{
	size_t power = 0;

	while (power < LIMITS - 1 && dur >> (power + 1) > 0)
		power++;
	return power;
}

static void see(struct survey *survey, int64_t ts, int64_t dur, uint32_t track)
{
	uint64_t from_start =
		(uint64_t)tc_sub_saturated(ts, survey->tracks->start_ns) / TC_ITEM_PIECE;
	int64_t *pieces = &survey->pieces[track * LIMITS];
	size_t power = power_of(dur);

	survey->all++;
	survey->longer[power]++;
	for (size_t limit = power + 1; limit < LIMITS; limit++) {
		int64_t piece = (int64_t)(from_start >> limit);
		survey->changes[limit] += piece != pieces[limit];
		pieces[limit] = piece;
	}
}

static int64_t choose(const struct survey *survey, size_t budget)
{
	size_t shorter = 0;

	if (survey->all <= budget)
		return 0;
	for (size_t limit = 1; limit < LIMITS; limit++) {
		shorter += survey->longer[limit - 1];
		size_t merged = survey->changes[limit] * ROWS_OF_TRACK;
		if (survey->all - shorter + (merged < shorter ? merged : shorter) <= budget)
			return INT64_C(1) << limit;
	}
	return INT64_C(1) << LIMITS;
}

void tc_survey(int64_t *least_ns, struct tc_places *places, struct tc_queues *queues,
	const struct tc_page_tracks *tracks, size_t budget)
{
	struct survey survey = {.tracks = tracks,
		.pieces = tc_calloc(tracks->count * LIMITS + 1, sizeof(*survey.pieces))};

	*least_ns = 0;
	if (!survey.pieces) {
		tc_no_memory(tracks->ctx);
		return;
	}
	memset(survey.pieces, 0xff, tracks->count * LIMITS * sizeof(*survey.pieces));
	tc_queues_open(queues, tracks);
	struct tc_rows rows = tc_page_tracks_slices(tracks);
	while (tc_rows_next(&rows)) {
		uint32_t track = tc_page_tracks_find(tracks, tc_rows_int(&rows, 3));
		int64_t ts = tc_rows_int(&rows, 1), dur = tc_slice_dur(&rows);
		if (track == UINT32_MAX)
			continue;
		if (!tc_queues_see(queues, tc_rows_int(&rows, 0), ts, track))
			tc_no_memory(tracks->ctx);
		see(&survey, ts, dur, track);
		tc_places_see(places, tc_rows_int(&rows, 4), ts, dur, track,
			tracks->all[track].kind == TC_TRACK_HOST);
	}
	*least_ns = choose(&survey, budget);
	places_finish(places);
	tc_free(survey.pieces);
	tc_queues_close(queues);
}

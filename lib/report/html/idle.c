/* See places.h. Rows come gap by gap, and the gaps of a device come in time order. */
#include "report/html/places.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"

#define NO_WORK TC_TEXT("no_work") /* the cause of gaps in which there was no work to do */

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
		has_work |= !tc_text_equal(tc_text_from(piece->name), NO_WORK);
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
		struct tc_idle_cause cause = {0};
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
		if (each->dur <= 0 || (cause.len > 0 ? !tc_text_equal(name, cause)
						     : tc_text_equal(name, NO_WORK)))
			continue;
		if (!longest || each->dur > longest->dur ||
			(each->dur == longest->dur &&
				(each->ts < longest->ts ||
					(each->ts == longest->ts && each->track < longest->track))))
			longest = each;
	}
	return longest;
}

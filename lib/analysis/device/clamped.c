/*
 * Clamped timestamps: a writer that cannot map a device clock leaves work, and host slices too, at
 * ts 0, years before the rest of the trace. They must not stretch spans, so this finds them before
 * the sweep. It reads the tracks a second time only when something is at ts 0.
 */
#include "analysis/device/device_tally.h"

#include "core/buf.h"

/* A trace that starts closer to 0 than this may really begin there. Clocks that get clamped count
 * from the epoch, the start of a quarter or the start of the machine. */
static const int64_t far_ns = INT64_C(1000000000);

/* All tracks of threads and devices, NULL without memory. */
static uint32_t *timed_tracks(
	struct tc_arena *arena, const struct tc_timeline *timeline, size_t *count)
{
	uint32_t *tracks = tc_arena_take(arena, timeline->track_count, sizeof(*tracks));

	*count = 0;
	for (size_t i = 0; i < timeline->track_count && tracks; i++)
		if (timeline->tracks[i].kind == TC_TRACK_THREAD ||
			timeline->tracks[i].kind == TC_TRACK_LANE)
			tracks[(*count)++] = (uint32_t)i;
	return tracks;
}

/* Marks the devices with work at ts 0. Reading stops after that time. */
static void find_zeros(struct tc_device_tally *tally, struct tc_cursor *cursor)
{
	const struct tc_timeline *timeline = tally->timeline;
	const struct tc_span *span;

	while ((span = tc_cursor_next(cursor)) && span->ts_ns <= 0) {
		const struct tc_track *track = &timeline->tracks[span->track];
		if (span->ts_ns < 0 || span->dur_ns < 0)
			continue;
		bool is_work = track->kind == TC_TRACK_LANE &&
			       tc_span_engine(timeline, span) != TC_ENGINE_NONE;
		if (is_work)
			tally->is_clamped[track->device] = true;
		else if (track->kind != TC_TRACK_THREAD)
			continue;
		tally->zero_is_no_time = true;
	}
}

/* The time ranges without slices at ts 0: of the host, and of all tracks. */
static void read_rest(
	struct tc_device_tally *tally, struct tc_cursor *cursor, struct tc_interval *rest)
{
	const struct tc_timeline *timeline = tally->timeline;
	const struct tc_span *span;

	while ((span = tc_cursor_next(cursor))) {
		if (span->ts_ns == 0 || span->dur_ns < 0)
			continue;
		struct tc_interval interval = tc_interval_of(span->ts_ns, span->dur_ns);
		*rest = tc_interval_join(*rest, interval);
		if (timeline->tracks[span->track].kind == TC_TRACK_THREAD)
			tally->host = tc_interval_join(tally->host, interval);
	}
}

enum tc_status tc_clamped_find(struct tc_device_tally *tally)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct tc_interval rest = TC_INTERVAL_NONE;
	struct tc_cursor *cursor;
	size_t count = 0;
	uint32_t *tracks = timed_tracks(&tally->arena, timeline, &count);

	tally->host = rest;
	if (!tracks)
		return tc_arena_status(&tally->arena, timeline->ctx);
	cursor = tc_cursor_open(timeline->spans, tracks, count);
	find_zeros(tally, cursor);
	tc_cursor_close(cursor);
	if (tally->zero_is_no_time) {
		cursor = tc_cursor_open(timeline->spans, tracks, count);
		read_rest(tally, cursor, &rest);
		tc_cursor_close(cursor);
	}
	/* The rest is farther from 0 than it is long, so work at 0 would more than double the
	 * range. */
	bool is_far = rest.start_ns <= rest.end_ns && rest.start_ns >= far_ns &&
		      rest.start_ns > rest.end_ns - rest.start_ns;
	tally->zero_is_no_time = is_far;
	for (size_t i = 0; i < timeline->device_count; i++)
		tally->is_clamped[i] = tally->is_clamped[i] && is_far;
	return tc_ctx_status(timeline->ctx);
}

static void log_row(struct tc_tables *tables, int64_t trace_id, const char *kind, int64_t count,
	struct tc_buf *message)
{
	const struct tc_sql_value values[] = {tc_sql_int(trace_id), tc_sql_string(kind),
		tc_sql_int(count), tc_sql_text(tc_buf_text(message))};

	if (tc_buf_failed(message))
		tc_tables_keep(tables, tc_no_memory(tables->ctx));
	TC_TABLES_PUT(tables,
		"INSERT INTO import_log (trace_id, kind, severity, byte_offset, count, message)"
		" VALUES (?, ?, 'error', NULL, ?, ?)",
		values);
	tc_buf_clear(message);
}

void tc_clamped_log(
	const struct tc_device_tally *tally, int64_t host_count, struct tc_tables *tables)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct tc_buf message = TC_BUF_EMPTY;

	for (size_t i = 0; i < timeline->device_count; i++) {
		struct tc_text name = timeline->devices[i].name;
		if (tally->clamped_count[i] == 0)
			continue;
		tc_buf_format(&message,
			"%lld operations of device %.*s at ts 0, far before the rest: not counted "
			"as busy",
			(long long)tally->clamped_count[i], (int)name.len,
			name.ptr ? name.ptr : "");
		log_row(tables, timeline->trace_id, "zero_timestamp", tally->clamped_count[i],
			&message);
	}
	if (host_count > 0) {
		tc_buf_format(&message,
			"%lld host slices at ts 0, far before the rest: outside of the analysed "
			"time",
			(long long)host_count);
		log_row(tables, timeline->trace_id, "zero_host_timestamp", host_count, &message);
	}
}

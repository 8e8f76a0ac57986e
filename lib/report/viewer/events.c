/*
 * What tracecoach adds to a trace, in any form. Only the search for the places of findings reads
 * slice by slice.
 */
#include "report/viewer/viewer.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/saturate.h"
#include "report/view/tracks.h"

/* False when memory is out. */
static bool add_line(struct tc_emit *emit, struct tc_emit_track *track)
{
	struct tc_buf name = TC_BUF_EMPTY;

	tc_buf_append_string(&name, track->name);
	if (track->count > 0)
		tc_buf_format(&name, " (%zu)", track->count + 1);
	if (tc_buf_failed(&name))
		tc_no_memory(emit->ctx);
	bool added = TC_PUSH(emit->ctx, track->lines, track->count, track->capacity,
		(struct tc_emit_line){emit->form->line(emit, tc_buf_text(&name)), INT64_MIN});
	tc_buf_clear(&name);
	return added;
}

/* Begins a slice; slices of a track come in the order of time. False when memory is out. */
static bool emit_slice(
	struct tc_emit *emit, struct tc_emit_track *track, const struct tc_emit_slice *slice)
{
	size_t at = 0;

	while (at < track->count && track->lines[at].end_ns > slice->ts)
		at++;
	if (at == track->count && !add_line(emit, track))
		return false;
	track->lines[at].end_ns = tc_add_saturated(slice->ts, slice->dur);
	emit->line = track->lines[at].number;
	emit->slice = *slice;
	emit->form->slice(emit);
	return true;
}

static void emit_track_clear(struct tc_emit_track *track)
{
	tc_free(track->lines);
	*track = (struct tc_emit_track){0};
}

#define FIRST_PID INT64_C(900000000) /* above real pids; within the 32 bits that viewers read */

struct viewer {
	struct tc_emit *emit;
	struct tc_ctx *ctx;
	sqlite3 *db;
	const struct tc_advice *advice;
	const struct tc_viewer_options *options;
	struct tc_page_tracks tracks;
	struct tc_places places;
	struct tc_queues queues;
	struct tc_counters counters;
};

static struct tc_rows open_rows(const struct viewer *viewer, const char *sql)
{
	return TC_ROWS(viewer->ctx, viewer->db, sql, viewer->options->trace_id);
}

/* A pid such that the trace uses neither it nor the numbers after it, which become tids. */
static int64_t choose_pid(const struct viewer *viewer)
{
	int64_t pid = FIRST_PID;
	int64_t count = tc_rows_single(viewer->ctx, viewer->db,
		"SELECT count(*) FROM step WHERE trace_id = ?1", viewer->options->trace_id);

	count += (int64_t)(viewer->tracks.count + viewer->places.count);
	struct tc_rows rows = open_rows(viewer,
		"SELECT DISTINCT n FROM (SELECT CAST(pid AS INTEGER) AS n FROM process WHERE "
		"trace_id = ?1 UNION SELECT CAST(tid AS INTEGER) FROM thread WHERE trace_id = ?1)"
		" WHERE n >= ?2 ORDER BY n");
	tc_rows_bind(&rows, 2, FIRST_PID);
	while (tc_rows_next(&rows) && tc_rows_int(&rows, 0) <= pid + count)
		pid = tc_rows_int(&rows, 0) + 1;
	tc_rows_close(&rows);
	return pid;
}

static int64_t length(int64_t dur)
{
	return dur > 0 ? dur : 0;
}

static void put_steps(struct viewer *viewer)
{
	struct tc_emit_track track = {.name = "steps"};
	struct tc_rows rows = open_rows(viewer,
		"SELECT 'step ' || number, ts, dur, device_dur, is_warm_up FROM step"
		" WHERE trace_id = ?1 ORDER BY ts, dur DESC, id");

	while (tc_rows_next(&rows)) {
		struct tc_emit_slice slice = {tc_rows_text(&rows, 0), tc_rows_int(&rows, 1),
			length(tc_rows_int(&rows, 2))};
		const struct tc_emit_form *form = viewer->emit->form;
		if (!emit_slice(viewer->emit, &track, &slice))
			break;
		bool on_device = !tc_rows_null(&rows, 3);
		form->integer(viewer->emit, "device_ns", on_device, tc_rows_int(&rows, 3));
		form->boolean(viewer->emit, "is_warm_up", tc_rows_int(&rows, 4) != 0);
		form->end(viewer->emit, NULL);
	}
	emit_track_clear(&track);
	tc_rows_close(&rows);
}

TC_ORDER(by_time, struct tc_place, TC_UP(ts) TC_DOWN(dur) TC_UP(finding));

static void put_finding(
	struct viewer *viewer, struct tc_emit_track *track, const struct tc_place *place)
{
	const struct tc_finding *finding = place->finding;
	const struct tc_emit_slice slice = {
		tc_text_from(finding->heuristic->title), place->ts, length(place->dur)};
	const struct tc_emit_form *form = viewer->emit->form;

	if (!emit_slice(viewer->emit, track, &slice))
		return;
	form->text(viewer->emit, "id", tc_text_from(finding->heuristic->id));
	form->text(viewer->emit, "severity", tc_text_from(tc_severity_name(finding->severity)));
	bool gains = finding->gain_ns != TC_GAIN_NONE;

	form->integer(viewer->emit, "gain_ns", gains, finding->gain_ns);
	form->integer(viewer->emit, "gain_low_ns", gains, finding->gain_low_ns);
	form->integer(viewer->emit, "gain_high_ns", gains, finding->gain_high_ns);
	form->text(viewer->emit, "why", tc_text_from(finding->why));
	form->text(viewer->emit, "do", tc_text_from(finding->advice));
	viewer->emit->form->end(viewer->emit, NULL);
}

/* Sorts the places by time, as emit_slice() needs them. */
static void put_findings(struct viewer *viewer)
{
	struct tc_places *places = &viewer->places;
	struct tc_emit_track track = {.name = "findings: the worst place of each"};

	TC_SORT(places->all, places->count, by_time);
	for (size_t i = 0; i < places->count; i++)
		if (places->all[i].found)
			put_finding(viewer, &track, &places->all[i]);
	emit_track_clear(&track);
}

static void put_path(struct viewer *viewer)
{
	struct tc_emit_track track = {.name = "critical path"};
	struct tc_rows rows = open_rows(viewer, TC_PATH_SQL);

	while (tc_rows_next(&rows)) {
		struct tc_emit_slice slice = {tc_rows_text(&rows, 2), tc_rows_int(&rows, 0),
			length(tc_rows_int(&rows, 1))};
		if (emit_slice(viewer->emit, &track, &slice))
			viewer->emit->form->end(viewer->emit, NULL);
	}
	emit_track_clear(&track);
}

static const char idle_sql[] =
	"SELECT g.cause, g.ts, g.dur, g.gap_ts, g.gap_dur, hl.name, g.launch_delay_ns,"
	" iif(p.pid IS NULL, NULL, json_quote(p.pid)), iif(t.tid IS NULL, NULL, json_quote(t.tid)),"
	" l.ts + max(l.dur, 0) / 2, l.id"
	" FROM (" TC_IDLE_SQL ") g"
	" LEFT JOIN slice_row h ON h.id = g.host_slice_id LEFT JOIN label hl ON hl.id = h.label_id"
	" LEFT JOIN slice_row l ON l.id = g.next_launch_slice_id"
	" LEFT JOIN track k ON k.id = l.track_id LEFT JOIN thread t ON t.id = k.thread_id"
	" LEFT JOIN process p ON p.id = t.process_id"
	" WHERE g.device = ?2 AND g.gap_dur >= ?3 ORDER BY g.ts, g.dur, g.cause";

static void put_gap(struct viewer *viewer, struct tc_emit_track *track, const struct tc_rows *row)
{
	const struct tc_emit_slice slice = {
		tc_rows_text(row, 0), tc_rows_int(row, 1), length(tc_rows_int(row, 2))};
	const struct tc_emit_form *form = viewer->emit->form;

	if (!emit_slice(viewer->emit, track, &slice))
		return;
	form->integer(viewer->emit, "gap_ns", true, tc_rows_int(row, 4));
	form->text(viewer->emit, "host", tc_rows_text(row, 5));
	form->integer(viewer->emit, "launch_delay_ns", !tc_rows_null(row, 6), tc_rows_int(row, 6));
	/* An arrow joins the first piece of a gap and the call that launched the work that ended
	 * the gap. It starts at the call if that came before the gap. It meets the call in its
	 * middle, since viewers look for the slice around an arrow's end. */
	const struct tc_emit_call call = {tc_rows_int(row, 10), tc_rows_text(row, 7),
		tc_rows_text(row, 8), tc_rows_int(row, 9)};
	bool has_call = tc_rows_int(row, 1) == tc_rows_int(row, 3) && !tc_rows_null(row, 7) &&
			!tc_rows_null(row, 8);
	form->end(viewer->emit, has_call ? &call : NULL);
}

static void put_idle(struct viewer *viewer, const char *device)
{
	struct tc_buf name = TC_BUF_EMPTY;

	tc_buf_format(&name, "device %s idle, by cause", device);
	struct tc_emit_track track = {.name = tc_buf_string(&name)};
	struct tc_rows rows = open_rows(viewer, idle_sql);
	tc_rows_bind_text(&rows, 2, tc_text_from(device));
	tc_rows_bind(&rows, 3, viewer->options->least_gap_ns);
	if (!track.name)
		tc_no_memory(viewer->ctx);
	while (tc_rows_next(&rows))
		put_gap(viewer, &track, &rows);
	emit_track_clear(&track);
	tc_buf_clear(&name);
}

static void put_counters(struct viewer *viewer)
{
	for (size_t i = 0; i < viewer->counters.count; i++) {
		const struct tc_counter *counter = &viewer->counters.all[i];
		for (size_t k = 0; k < counter->count; k++)
			viewer->emit->form->counter(viewer->emit, tc_text_from(counter->name),
				counter->points[k].ts, counter->points[k].value);
	}
}

static void load(struct viewer *viewer)
{
	int64_t least_ns;

	tc_page_tracks_load(&viewer->tracks, viewer->ctx, viewer->db, viewer->options->trace_id);
	if (viewer->tracks.id_count == 0)
		return;
	tc_places_init(&viewer->places, &viewer->tracks, viewer->advice);
	tc_survey(&least_ns, &viewer->places, &viewer->queues, &viewer->tracks, SIZE_MAX);
	tc_counters_load(&viewer->counters, &viewer->tracks, &viewer->queues, false);
}

static void put_all(struct viewer *viewer)
{
	viewer->emit->form->begin(viewer->emit, choose_pid(viewer));
	put_steps(viewer);
	put_findings(viewer);
	put_path(viewer);
	for (size_t i = 0; i < viewer->tracks.count; i++)
		if (viewer->tracks.all[i].kind == TC_TRACK_IDLE)
			put_idle(viewer, viewer->tracks.all[i].device);
	put_counters(viewer);
}

void tc_viewer_put_events(struct tc_emit *emit, sqlite3 *db, const struct tc_advice *advice,
	const struct tc_viewer_options *options)
{
	struct viewer viewer = {
		.emit = emit, .ctx = emit->ctx, .db = db, .advice = advice, .options = options};

	load(&viewer);
	if (!tc_ctx_failed(viewer.ctx))
		put_all(&viewer);
	tc_page_tracks_clear(&viewer.tracks);
	tc_places_clear(&viewer.places);
	tc_queues_clear(&viewer.queues);
	tc_counters_clear(&viewer.counters);
}

#include "report/html/parts.h"
#include "report/html/tracks.h"

#include "core/alloc.h"
#include "core/saturate.h"

#define LEAST_PART 200 /* shorter host work than this part of an edge joins the piece around it */

static void add(
	struct tc_edges *edges, struct tc_ctx *ctx, int64_t from, int64_t to, struct tc_text cause)
{
	if (from >= to)
		return;
	struct tc_edge_piece piece = {.ts = from, .dur = tc_sub_saturated(to, from)};
	for (size_t i = 0; i < cause.len && i < sizeof(piece.cause) - 1; i++)
		piece.cause[i] = cause.ptr[i];
	TC_PUSH(ctx, edges->all, edges->count, edges->capacity, piece);
}

/* Adds what the host does, piece by piece, from a step's start to the first device work. */
static void add_start(
	struct tc_edges *edges, const struct tc_page_tracks *tracks, int64_t from, int64_t to)
{
	static const char between[] = "before_first_work";
	int64_t least_ns = tc_sub_saturated(to, from) / LEAST_PART, at = from;
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db,
		"SELECT ts, ts + dur, role FROM host_event WHERE trace_id = ?1 AND ts < ?3"
		" AND ts + dur > ?2 ORDER BY ts, dur DESC, id",
		tracks->trace_id, from, to);

	while (tc_rows_next(&rows)) {
		int64_t begin = tc_rows_int(&rows, 0), end = tc_rows_int(&rows, 1);
		begin = begin < at ? at : begin;
		end = end > to ? to : end;
		if (tc_sub_saturated(end, begin) <= least_ns)
			continue;
		add(edges, tracks->ctx, at, begin, TC_TEXT(between));
		add(edges, tracks->ctx, begin, end, tc_rows_text(&rows, 2));
		at = end;
	}
	add(edges, tracks->ctx, at, to, TC_TEXT(between));
}

void tc_edges_load(struct tc_edges *edges, const struct tc_page_tracks *tracks)
{
	int64_t start_ns = 0, end_ns = 0;

	*edges = (struct tc_edges){.first_work_ns = INT64_MIN, .last_work_ns = INT64_MAX};
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db,
		"SELECT min(ts), min(device_ts), max(device_ts + device_dur), max(ts + dur)"
		" FROM step WHERE trace_id = ?1",
		tracks->trace_id);
	bool found = tc_rows_next(&rows) && !tc_rows_null(&rows, 1) && !tc_rows_null(&rows, 2);
	if (found) {
		start_ns = tc_rows_int(&rows, 0);
		edges->first_work_ns = tc_rows_int(&rows, 1);
		edges->last_work_ns = tc_rows_int(&rows, 2);
		end_ns = tc_rows_int(&rows, 3);
	}
	tc_rows_close(&rows);
	if (!found)
		return;
	add_start(edges, tracks, start_ns, edges->first_work_ns);
	add(edges, tracks->ctx, edges->last_work_ns, end_ns, TC_TEXT("after_last_work"));
}

void tc_edges_clear(struct tc_edges *edges)
{
	tc_free(edges->all);
	*edges = (struct tc_edges){0};
}

/*
 * The items of a page, kind by kind: slices in the order of their ids (short ones merged while they
 * are read), steps, the critical path, idle time, collectives. At the end they are arranged on the
 * rows of their tracks.
 */
#include "report/view/tracks.h"

#include "analysis/intervals.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/saturate.h"

/* A piece of idle time and what the host does in it. `cause` is a cause of gaps or names the edge.
 * */
struct tc_edge_piece {
	int64_t ts, dur;
	char cause[24];
};

struct tc_edges {
	struct tc_edge_piece *all; /* by time, without overlaps; owned */
	size_t count, capacity;
	int64_t first_work_ns, last_work_ns; /* of all devices together */
};

/* ---- idle time outside of gaps: from the start of the first step to the first device work, and
 * from the last device work to the end of the last step. Without steps this time is start-up and
 * shutdown, which does not count as idle. */

#define LEAST_PART 200 /* shorter host work than this part of an edge joins the piece around it */

static void add_edge(
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
		add_edge(edges, tracks->ctx, at, begin, TC_TEXT(between));
		add_edge(edges, tracks->ctx, begin, end, tc_rows_text(&rows, 2));
		at = end;
	}
	add_edge(edges, tracks->ctx, at, to, TC_TEXT(between));
}

/* Call clear_edges() afterwards, also after a failure. */
static void load_edges(struct tc_edges *edges, const struct tc_page_tracks *tracks)
{
	int64_t start_ns = 0, end_ns = 0;

	*edges = (struct tc_edges){.first_work_ns = INT64_MIN, .last_work_ns = INT64_MAX};
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db,
		"SELECT min(ts), min(device_ts), max(device_ts + device_dur), max(ts + dur)"
		" FROM counted_step WHERE trace_id = ?1",
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
	add_edge(edges, tracks->ctx, edges->last_work_ns, end_ns, TC_TEXT("after_last_work"));
}

static void clear_edges(struct tc_edges *edges)
{
	tc_free(edges->all);
	*edges = (struct tc_edges){0};
}

/* ---- items */

/* Slices being read. */
struct reading {
	struct tc_items *items;
	const struct tc_page_tracks *tracks;
	const struct tc_item_options *options;
	size_t *open;        /* by track and depth: index + 1 of the item that takes short slices */
	bool *is_collective; /* by label.id */
	int64_t *collective_ids; /* slice.id of slices of collectives, ascending */
	size_t collective_count, collective_capacity;
	struct tc_rows nests; /* depths, read beside the slices, by id */
	int64_t nest_id;      /* of the current row of nests; INT64_MAX at its end */
};

/* False when memory is out. */
static bool add_item(struct tc_items *items, struct tc_ctx *ctx, struct tc_item item)
{
	return TC_PUSH(ctx, items->all, items->count, items->capacity, item);
}

static int64_t end_of(const struct tc_item *item)
{
	return tc_add_saturated(item->ts, item->dur);
}

static uint32_t depth_of(struct reading *reading, int64_t id)
{
	while (reading->nest_id < id)
		reading->nest_id =
			tc_rows_next(&reading->nests) ? tc_rows_int(&reading->nests, 0) : INT64_MAX;
	int64_t depth = reading->nest_id == id ? tc_rows_int(&reading->nests, 1) : 0;
	if (depth < 0)
		return 0; /* the store was changed */
	return (uint32_t)(depth < TC_ITEM_ROWS ? depth : TC_ITEM_ROWS - 1);
}

static bool in_window(const struct tc_item_options *options, int64_t ts, int64_t end)
{
	for (size_t i = 0; i < options->window_count; i++)
		if (ts < options->windows[i].end && end > options->windows[i].begin)
			return true;
	return false;
}

/* The number of the piece of time that contains a start. */
static int64_t piece_of(const struct reading *reading, int64_t ts)
{
	int64_t from_start = tc_sub_saturated(ts, reading->tracks->start_ns);

	return from_start / (reading->options->least_ns * TC_ITEM_PIECE);
}

/* Merges the slice into the item if it can; returns whether it did. */
static bool merge(struct tc_item *into, const struct reading *reading, const struct tc_item *slice)
{
	int64_t end = tc_add_saturated(into->ts, into->dur);
	int64_t slice_end = tc_add_saturated(slice->ts, slice->dur);

	if (reading->options->least_ns == 0 ||
		piece_of(reading, into->ts) != piece_of(reading, slice->ts))
		return false;
	end = slice_end > end ? slice_end : end;
	into->ts = slice->ts < into->ts ? slice->ts : into->ts;
	into->dur = tc_sub_saturated(end, into->ts);
	into->count++;
	if (slice->dur > into->longest_ns) {
		into->longest_ns = slice->dur;
		into->id = slice->id;
		into->label = slice->label;
	}
	return true;
}

static void read_slice(struct reading *reading, const struct tc_rows *rows)
{
	struct tc_items *items = reading->items;
	struct tc_item slice = {.ts = tc_rows_int(rows, 1),
		.dur = tc_slice_dur(rows),
		.id = tc_rows_int(rows, 0),
		.label = (uint32_t)tc_rows_int(rows, 4),
		.count = 1,
		.track = tc_page_tracks_find(reading->tracks, tc_rows_int(rows, 3))};

	if (slice.track == UINT32_MAX ||
		(uint64_t)tc_rows_int(rows, 4) >= reading->items->label_base)
		return;
	if (reading->is_collective[slice.label])
		TC_PUSH(reading->tracks->ctx, reading->collective_ids, reading->collective_count,
			reading->collective_capacity, slice.id);
	slice.longest_ns = slice.dur;
	slice.row = reading->options->least_ns > 0 ? depth_of(reading, slice.id) : 0;
	bool is_short =
		slice.dur < reading->options->least_ns &&
		!in_window(reading->options, slice.ts, tc_add_saturated(slice.ts, slice.dur));
	size_t *open = &reading->open[slice.track * TC_ITEM_ROWS + slice.row];
	if (is_short && *open > 0 && merge(&items->all[*open - 1], reading, &slice))
		return;
	if (add_item(items, reading->tracks->ctx, slice) && is_short)
		*open = items->count;
}

static void read_slices(struct reading *reading)
{
	struct tc_rows rows = tc_page_tracks_slices(reading->tracks);

	reading->nests = TC_ROWS(reading->tracks->ctx, reading->tracks->db,
		"SELECT slice_id, depth FROM slice_nest WHERE slice_id >= ?1 ORDER BY slice_id",
		reading->tracks->first_slice);
	reading->nest_id = -1;
	while (reading->items->count <= reading->options->most && tc_rows_next(&rows))
		read_slice(reading, &rows);
	tc_rows_close(&reading->nests);
	tc_rows_close(&rows);
}

/* Until no more items come out than may be. */
static void read_until_few(struct reading *reading, struct tc_item_options *options)
{
	struct tc_items *items = reading->items;
	size_t rows = reading->tracks->count * TC_ITEM_ROWS;

	for (;;) {
		items->count = reading->collective_count = 0;
		memset(reading->open, 0, (rows + 1) * sizeof(*reading->open));
		read_slices(reading);
		if (items->count <= options->most ||
			options->least_ns > INT64_MAX / (4 * TC_ITEM_PIECE))
			break;
		options->least_ns = options->least_ns > 0 ? 2 * options->least_ns : 1000;
	}
}

static void find_collective_labels(struct reading *reading)
{
	struct tc_rows rows = tc_rows_open(reading->tracks->ctx, reading->tracks->db,
		"SELECT id FROM label WHERE collective IS NOT NULL AND id >= 0");

	while (tc_rows_next(&rows))
		if ((uint64_t)tc_rows_int(&rows, 0) < reading->items->label_base)
			reading->is_collective[tc_rows_int(&rows, 0)] = true;
}

/* The label for a name that no slice has. Adds it when it is new. */
static bool label_of(
	uint32_t *label, struct tc_items *items, struct tc_ctx *ctx, struct tc_text name)
{
	for (size_t i = items->name_count; i > 0 && i + 32 > items->name_count; i--)
		if (tc_text_equal(tc_text_from(items->names[i - 1]), name)) {
			*label = items->label_base + (uint32_t)(i - 1);
			return true;
		}
	char *taken = tc_text_dup(name);
	*label = items->label_base + (uint32_t)items->name_count;
	if (taken && TC_PUSH(ctx, items->names, items->name_count, items->name_capacity, taken))
		return true;
	if (!taken)
		tc_no_memory(ctx);
	tc_free(taken);
	return false;
}

/* The track of idle time of a device, which is often that of the row before. */
static uint32_t track_again(
	const struct tc_page_tracks *tracks, uint32_t last, struct tc_text device)
{
	if (last != UINT32_MAX && tc_text_equal(tc_text_from(tracks->all[last].device), device))
		return last;
	return tc_tracks_find_kind(tracks, TC_TRACK_IDLE, device);
}

/* Adds a row of ts, dur, name and device; device is NULL for steps. */
static void add_named(struct tc_items *items, const struct tc_page_tracks *tracks,
	enum tc_page_track_kind kind, const struct tc_rows *row)
{
	struct tc_item item = {.ts = tc_rows_int(row, 0),
		.dur = tc_rows_int(row, 1) > 0 ? tc_rows_int(row, 1) : 0,
		.id = -1,
		.count = 1,
		.track = tc_tracks_find_kind(tracks, kind, tc_rows_text(row, 3))};

	if (item.track == UINT32_MAX)
		return;
	if (label_of(&item.label, items, tracks->ctx, tc_rows_text(row, 2)))
		add_item(items, tracks->ctx, item);
}

static void read_named(struct tc_items *items, const struct tc_page_tracks *tracks,
	enum tc_page_track_kind kind, const char *sql)
{
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db, sql, tracks->trace_id);

	while (tc_rows_next(&rows))
		add_named(items, tracks, kind, &rows);
}

/* Orders the pieces of a gap by the time when their cause was first seen, kept in longest_ns. */
TC_ORDER(by_cause, struct tc_item, TC_UP(longest_ns) TC_UP(label));

/* Places the pieces of the last gap one behind the other and merges short ones. No row covers the
 * events that streams recorded within the gap; the last piece takes their time. */
static void place_gap(struct reading *reading, size_t first, struct tc_interval gap)
{
	struct tc_items *items = reading->items;
	size_t count = items->count;

	if (count > first)
		TC_SORT(&items->all[first], count - first, by_cause);
	items->count = first;
	for (size_t i = first; i < count; i++) {
		struct tc_item piece = items->all[i];
		size_t *open = &reading->open[piece.track];
		piece.ts = gap.start_ns;
		if (i + 1 == count)
			piece.dur = tc_interval_measure(gap);
		piece.longest_ns = piece.dur;
		gap.start_ns = tc_time_clamp(end_of(&piece));
		bool is_short = piece.dur < reading->options->least_ns &&
				!in_window(reading->options, piece.ts, gap.start_ns);
		if (is_short && *open > 0 && merge(&items->all[*open - 1], reading, &piece))
			continue;
		items->all[items->count++] = piece;
		*open = is_short ? items->count : *open;
	}
}

/* All rows of a gap come together. */
static void read_gaps(struct reading *reading)
{
	struct tc_items *items = reading->items;
	size_t first = items->count;
	struct tc_interval gap = {0, 0};
	uint32_t track = UINT32_MAX;
	struct tc_rows rows = TC_ROWS(reading->tracks->ctx, reading->tracks->db,
		"SELECT g.gap_ts, g.dur, g.cause, g.device, g.ts, g.gap_dur,"
		" coalesce(s.track_id, -1) FROM gap g"
		" LEFT JOIN slice_row s ON s.id = g.next_launch_slice_id"
		" WHERE g.trace_id = ?1 AND g.gap_ts IS NOT NULL ORDER BY g.id",
		reading->tracks->trace_id);

	while (tc_rows_next(&rows)) {
		uint32_t launcher = tc_page_tracks_find(reading->tracks, tc_rows_int(&rows, 6));
		struct tc_item item = {.dur = tc_rows_int(&rows, 1),
			.id = -1,
			.launcher = launcher == UINT32_MAX ? 0 : launcher,
			.longest_ns = tc_rows_int(&rows, 4),
			.count = 1,
			.track = track_again(reading->tracks, track, tc_rows_text(&rows, 3))};
		struct tc_interval whole =
			tc_interval_of(tc_rows_int(&rows, 0), tc_rows_int(&rows, 5));
		if (item.track != track || whole.start_ns != gap.start_ns) {
			place_gap(reading, first, gap);
			first = items->count;
		}
		gap = whole;
		track = item.track;
		if (track == UINT32_MAX)
			continue;
		if (label_of(&item.label, items, reading->tracks->ctx, tc_rows_text(&rows, 2)))
			add_item(items, reading->tracks->ctx, item);
	}
	place_gap(reading, first, gap);
}

/* Adds the edges of a device. It skips an edge when a gap of the device, from item `first` on, lies
 * further out: the device worked before. */
static void add_edges(struct tc_items *items, const struct tc_page_tracks *tracks,
	const struct tc_edges *edges, uint32_t track, size_t first)
{
	bool is_early = false, is_late = false;

	for (size_t i = first; i < items->count; i++) {
		const struct tc_item *item = &items->all[i];
		is_early |= item->track == track && item->ts < edges->first_work_ns;
		is_late |= item->track == track && end_of(item) > edges->last_work_ns;
	}
	for (size_t i = 0; i < edges->count; i++) {
		const struct tc_edge_piece *piece = &edges->all[i];
		struct tc_item item = {.ts = piece->ts,
			.dur = piece->dur,
			.id = -1,
			.longest_ns = piece->dur,
			.count = 1,
			.track = track};
		if (piece->ts < edges->first_work_ns ? is_early : is_late)
			continue;
		if (label_of(&item.label, items, tracks->ctx, tc_text_from(piece->cause)))
			add_item(items, tracks->ctx, item);
	}
}

static void read_edges(struct tc_items *items, const struct tc_page_tracks *tracks, size_t first)
{
	struct tc_edges edges;

	load_edges(&edges, tracks);
	for (size_t i = 0; i < tracks->count && edges.count > 0; i++)
		if (tracks->all[i].kind == TC_TRACK_IDLE)
			add_edges(items, tracks, &edges, (uint32_t)i, first);
	clear_edges(&edges);
}

static void read_idle(struct tc_items *items, const struct tc_page_tracks *tracks,
	const struct tc_item_options *options)
{
	size_t first = items->count;
	struct reading reading = {.items = items,
		.tracks = tracks,
		.options = options,
		.open = tc_calloc(tracks->count + 1, sizeof(*reading.open))};

	if (reading.open)
		read_gaps(&reading);
	else
		tc_no_memory(tracks->ctx);
	tc_free(reading.open);
	read_edges(items, tracks, first);
}

/* Waits in collectives of trace ?1, with the rank that arrived last; the lowest of several. */
static const char late_sql[] =
	"WITH late AS (SELECT c.match_id, min(j.rank) AS rank FROM collective c"
	" JOIN job_rank j ON j.trace_id = c.trace_id WHERE c.early_ns = 0 GROUP BY c.match_id)"
	" SELECT c.slice_id, l.rank FROM collective c JOIN late l ON l.match_id = c.match_id"
	" WHERE c.trace_id = ?1 AND c.wait_ns > 0 ORDER BY c.slice_id";

/* The pieces of slice ?1 of a collective. When its ranks were compared, the wait for the last rank,
 * ?2, is a piece of its own. */
static const char collective_sql[] =
	"WITH one AS (SELECT s.ts, max(s.dur, 0) AS dur, coalesce(c.kind, l.collective) AS name,"
	" t.device, coalesce(c.wait_ns, 0) AS wait_ns FROM slice_row s"
	" JOIN track t ON t.id = s.track_id AND t.device IS NOT NULL"
	" JOIN label l ON l.id = s.label_id LEFT JOIN collective c ON c.slice_id = s.id"
	" WHERE s.id = ?1) SELECT ts, wait_ns, name || ' waits for rank ' || ?2, device, 1 FROM"
	" one WHERE wait_ns > 0"
	" UNION ALL SELECT ts + wait_ns, dur - wait_ns, name, device, 0 FROM one";

/* Adds the piece in a row of collective_sql. */
static void add_piece(struct reading *reading, const struct tc_rows *row, int64_t late_rank)
{
	struct tc_items *items = reading->items;
	size_t count = items->count;

	add_named(items, reading->tracks, TC_TRACK_COLLECTIVE, row);
	if (items->count > count) {
		items->all[count].is_wait = tc_rows_int(row, 4) != 0;
		items->all[count].late_rank = late_rank;
	}
}

/* Reads two lists, slices of collectives and late ranks, that are both ordered by slice id. */
static void read_pieces(struct reading *reading)
{
	const struct tc_page_tracks *tracks = reading->tracks;
	struct tc_rows rows = tc_rows_prepare(tracks->ctx, tracks->db, collective_sql);
	struct tc_rows late = TC_ROWS(tracks->ctx, tracks->db, late_sql, tracks->trace_id);

	bool has_late = reading->collective_count > 0 && tc_rows_next(&late);
	for (size_t i = 0; i < reading->collective_count && !tc_ctx_failed(tracks->ctx); i++) {
		int64_t id = reading->collective_ids[i];
		while (has_late && tc_rows_int(&late, 0) < id)
			has_late = tc_rows_next(&late);
		bool is_late = has_late && tc_rows_int(&late, 0) == id;
		int64_t late_rank = is_late ? tc_rows_int(&late, 1) : -1;
		tc_rows_again(&rows, id);
		tc_rows_bind(&rows, 2, late_rank);
		while (tc_rows_next(&rows))
			add_piece(reading, &rows, late_rank);
	}
	tc_rows_close(&late);
	tc_rows_close(&rows);
}

TC_ORDER(by_label, struct tc_item, TC_UP(track) TC_UP(label) TC_UP(ts) TC_UP(dur));

/* Joins slices of one collective that overlap on several lanes into one item. */
static void read_collectives(struct reading *reading)
{
	struct tc_items *items = reading->items;
	size_t first = items->count, kept = first;

	read_pieces(reading);
	if (items->count > first)
		TC_SORT(&items->all[first], items->count - first, by_label);
	for (size_t i = first; i < items->count; i++) {
		const struct tc_item *item = &items->all[i];
		struct tc_item *last = kept > first ? &items->all[kept - 1] : NULL;
		if (last && last->track == item->track && last->label == item->label &&
			item->ts < end_of(last))
			last->dur = tc_sub_saturated(
				end_of(item) > end_of(last) ? end_of(item) : end_of(last),
				last->ts);
		else
			items->all[kept++] = *item;
	}
	items->count = kept;
}

TC_ORDER(by_time, struct tc_item, TC_UP(track) TC_UP(ts) TC_DOWN(dur) TC_UP(id));

/* Where several items of a row start together, only one has a length, and it comes last. */
TC_ORDER(by_row, struct tc_item, TC_UP(track) TC_UP(row) TC_UP(ts) TC_UP(dur) TC_UP(id));

/* Whether an item fits on a row behind the item before it. A merged item before it is shortened to
 * make room. */
static bool fits(struct tc_item *before, const struct tc_item *item)
{
	if (before && end_of(before) > item->ts && before->count > 1)
		before->dur = tc_sub_saturated(item->ts, before->ts);
	return !before || end_of(before) <= item->ts;
}

/* Gives each item the first free row, from its own row down, so nested slices are drawn below the
 * slices around them. */
static void arrange(struct tc_items *items)
{
	struct tc_item *last[TC_ITEM_ROWS] = {0};

	TC_SORT(items->all, items->count, by_time);
	for (size_t i = 0; i < items->count; i++) {
		struct tc_item *item = &items->all[i];
		if (i > 0 && items->all[i - 1].track != item->track)
			memset(last, 0, sizeof(last));
		while (item->row < TC_ITEM_ROWS - 1 && !fits(last[item->row], item))
			item->row++;
		last[item->row] = item;
	}
	TC_SORT(items->all, items->count, by_row);
}

static void read_all(struct reading *reading, struct tc_item_options *options)
{
	struct tc_items *items = reading->items;
	const struct tc_page_tracks *tracks = reading->tracks;

	find_collective_labels(reading);
	read_until_few(reading, options);
	read_named(items, tracks, TC_TRACK_STEPS,
		"SELECT ts, dur, 'step ' || number, NULL FROM step WHERE trace_id = ?1"
		" ORDER BY id");
	read_named(items, tracks, TC_TRACK_PATH, TC_PATH_SQL);
	read_idle(items, tracks, options);
	read_collectives(reading);
	if (items->count > 0)
		arrange(items);
}

void tc_items_load(struct tc_items *items, const struct tc_page_tracks *tracks,
	struct tc_item_options *options)
{
	struct reading reading = {.items = items, .tracks = tracks, .options = options};

	*items = (struct tc_items){0};
	int64_t label_count = tc_rows_single(
		tracks->ctx, tracks->db, "SELECT coalesce(max(id), 0) + 1 FROM label", 0);
	if (label_count > INT32_MAX)
		tc_fail(tracks->ctx, TC_ERR_INPUT, "the store has a label number of %lld",
			(long long)label_count);
	items->label_base = (uint32_t)label_count;
	if (!tc_ctx_failed(tracks->ctx)) {
		reading.open = tc_calloc(tracks->count * TC_ITEM_ROWS + 1, sizeof(*reading.open));
		reading.is_collective =
			tc_calloc((size_t)label_count + 1, sizeof(*reading.is_collective));
		if (reading.open && reading.is_collective)
			read_all(&reading, options);
		else
			tc_no_memory(tracks->ctx);
	}
	tc_free(reading.open);
	tc_free(reading.is_collective);
	tc_free(reading.collective_ids);
}

void tc_items_clear(struct tc_items *items)
{
	for (size_t i = 0; i < items->name_count; i++)
		tc_free(items->names[i]);
	tc_free(items->names);
	tc_free(items->all);
	*items = (struct tc_items){0};
}

/* See tracks.h. The slices of a trace have consecutive ids, and so have its tracks. */
#include "report/html/tracks.h"

#include "core/alloc.h"
#include "core/buf.h"

static const char tracks_sql[] =
	"SELECT t.id, " TC_TRACK_NAME_SQL ", t.device FROM track t"
	" LEFT JOIN process p ON p.id = t.process_id LEFT JOIN thread h ON h.id = t.thread_id"
	" WHERE t.trace_id = ?1 ORDER BY t.device IS NULL,"
	" CAST(t.device AS INTEGER), t.device, t.engine, length(t.lane), t.lane,"
	" NOT EXISTS (SELECT 1 FROM host_event e WHERE e.thread_id = t.thread_id),"
	" p.sort_index, h.sort_index, t.process_id, t.id";

static void add(struct tc_page_tracks *tracks, enum tc_page_track_kind kind, int64_t id,
	struct tc_text name, struct tc_text device)
{
	const struct tc_page_track track = {.kind = kind,
		.id = id,
		.name = tc_text_dup(name),
		.device = device.ptr ? tc_text_dup(device) : NULL};

	if (!track.name || (device.ptr && !track.device))
		tc_no_memory(tracks->ctx);
	if (TC_PUSH(tracks->ctx, tracks->all, tracks->count, tracks->capacity, track))
		return;
	tc_free(track.name);
	tc_free(track.device);
}

/* Adds a thread, or a lane below the idle time and collectives of its device. */
static void add_row(struct tc_page_tracks *tracks, const struct tc_rows *row)
{
	struct tc_text device = tc_rows_text(row, 2);
	bool lane = device.ptr != NULL;

	if (lane && tc_tracks_find_kind(tracks, TC_TRACK_IDLE, device) == UINT32_MAX) {
		add(tracks, TC_TRACK_IDLE, -1, TC_TEXT("idle, by cause"), device);
		add(tracks, TC_TRACK_COLLECTIVE, -1, TC_TEXT("collectives"), device);
	}
	add(tracks, lane ? TC_TRACK_LANE : TC_TRACK_HOST, tc_rows_int(row, 0), tc_rows_text(row, 1),
		device);
}

static void load_rows(struct tc_page_tracks *tracks)
{
	add(tracks, TC_TRACK_STEPS, -1, TC_TEXT("steps"), TC_TEXT_NONE);
	add(tracks, TC_TRACK_PATH, -1, TC_TEXT("critical path"), TC_TEXT_NONE);
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db, tracks_sql, tracks->trace_id);
	while (tc_rows_next(&rows))
		add_row(tracks, &rows);
}

static void make_index(struct tc_page_tracks *tracks)
{
	int64_t first = INT64_MAX, last = -1;

	for (size_t i = 0; i < tracks->count; i++) {
		int64_t id = tracks->all[i].id;
		first = id >= 0 && id < first ? id : first;
		last = id > last ? id : last;
	}
	tracks->first_id = first;
	tracks->id_count = last < 0 ? 0 : (size_t)(last - first + 1);
	tracks->index_of = tc_malloc((tracks->id_count + 1) * sizeof(*tracks->index_of));
	if (!tracks->index_of) {
		tc_no_memory(tracks->ctx);
		return;
	}
	memset(tracks->index_of, 0xff, (tracks->id_count + 1) * sizeof(*tracks->index_of));
	for (size_t i = 0; i < tracks->count; i++)
		if (tracks->all[i].id >= 0)
			tracks->index_of[tracks->all[i].id - first] = (uint32_t)i;
}

/* The first slice from `low` on whose track is not before `track`; `high` when there is none. */
static int64_t first_slice_of(
	const struct tc_page_tracks *tracks, int64_t low, int64_t high, int64_t track)
{
	struct tc_rows rows = tc_rows_prepare(tracks->ctx, tracks->db,
		"SELECT id, track_id FROM slice_row WHERE id >= ?1 ORDER BY id LIMIT 1");

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		tc_rows_again(&rows, middle);
		if (tc_rows_next(&rows) && tc_rows_int(&rows, 1) < track)
			low = tc_rows_int(&rows, 0) + 1;
		else
			high = middle;
	}
	tc_rows_close(&rows);
	return low;
}

static void find_slices(struct tc_page_tracks *tracks)
{
	int64_t end = tc_rows_single(
		tracks->ctx, tracks->db, "SELECT coalesce(max(id), -1) + 1 FROM slice_row", 0);
	int64_t last = tracks->first_id + (int64_t)tracks->id_count;

	tracks->first_slice = first_slice_of(tracks, 0, end, tracks->first_id);
	tracks->last_slice = first_slice_of(tracks, tracks->first_slice, end, last) - 1;
}

static void find_times(struct tc_page_tracks *tracks)
{
	struct tc_rows rows = TC_ROWS(tracks->ctx, tracks->db,
		"SELECT start_ns, end_ns FROM trace WHERE id = ?1", tracks->trace_id);

	if (tc_rows_next(&rows)) {
		tracks->start_ns = tc_rows_int(&rows, 0);
		tracks->end_ns = tc_rows_int(&rows, 1);
	}
	tc_rows_close(&rows);
}

void tc_page_tracks_load(
	struct tc_page_tracks *tracks, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	*tracks = (struct tc_page_tracks){.ctx = ctx, .db = db, .trace_id = trace_id};
	load_rows(tracks);
	make_index(tracks);
	if (tracks->id_count > 0)
		find_slices(tracks);
	find_times(tracks);
}

void tc_page_tracks_clear(struct tc_page_tracks *tracks)
{
	for (size_t i = 0; i < tracks->count; i++) {
		tc_free(tracks->all[i].name);
		tc_free(tracks->all[i].device);
	}
	tc_free(tracks->all);
	tc_free(tracks->index_of);
	*tracks = (struct tc_page_tracks){0};
}

uint32_t tc_tracks_find_kind(
	const struct tc_page_tracks *tracks, enum tc_page_track_kind kind, struct tc_text device)
{
	for (size_t i = 0; i < tracks->count; i++)
		if (tracks->all[i].kind == kind &&
			tc_text_equal(tc_text_from(tracks->all[i].device), device))
			return (uint32_t)i;
	return UINT32_MAX;
}

struct tc_rows tc_page_tracks_slices(const struct tc_page_tracks *tracks)
{
	return TC_ROWS(tracks->ctx, tracks->db,
		"SELECT id, ts, dur, track_id, label_id FROM slice_row"
		" WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
		tracks->first_slice, tracks->last_slice);
}

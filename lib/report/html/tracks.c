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

static enum tc_status add(struct tc_page_tracks *tracks, struct tc_page_track track,
	struct tc_text name, struct tc_text device)
{
	if (!TC_GROW(tracks->all, tracks->capacity, tracks->count + 1))
		return tc_no_memory(tracks->ctx);
	struct tc_page_track *added = &tracks->all[tracks->count++];
	*added = track;
	added->name = tc_text_dup(name);
	added->device = device.ptr ? tc_text_dup(device) : NULL;
	return added->name && (added->device || !device.ptr) ? TC_OK : tc_no_memory(tracks->ctx);
}

/* Adds a thread, or a lane below the idle time and collectives of its device. */
static enum tc_status add_row(struct tc_page_tracks *tracks, const struct tc_rows *row)
{
	struct tc_text device = tc_rows_text(row, 2);
	enum tc_status status = TC_OK;
	bool lane = device.ptr != NULL;

	if (lane && tc_tracks_find_kind(tracks, TC_TRACK_IDLE, device) == UINT32_MAX) {
		status = add(tracks, (struct tc_page_track){.kind = TC_TRACK_IDLE, .id = -1},
			TC_TEXT("idle, by cause"), device);
		if (status == TC_OK)
			status = add(tracks,
				(struct tc_page_track){.kind = TC_TRACK_COLLECTIVE, .id = -1},
				TC_TEXT("collectives"), device);
	}
	if (status != TC_OK)
		return status;
	return add(tracks,
		(struct tc_page_track){
			.kind = lane ? TC_TRACK_LANE : TC_TRACK_HOST, .id = tc_rows_int(row, 0)},
		tc_rows_text(row, 1), device);
}

static enum tc_status load_rows(struct tc_page_tracks *tracks)
{
	struct tc_rows rows;
	enum tc_status status =
		add(tracks, (struct tc_page_track){.kind = TC_TRACK_STEPS, .id = -1},
			TC_TEXT("steps"), TC_TEXT_NONE);
	if (status == TC_OK)
		status = add(tracks, (struct tc_page_track){.kind = TC_TRACK_PATH, .id = -1},
			TC_TEXT("critical path"), TC_TEXT_NONE);

	tc_rows_open(&rows, tracks->ctx, tracks->db, tracks_sql);
	tc_rows_bind(&rows, 1, tracks->trace_id);
	if (status != TC_OK)
		rows.status = status;
	while (tc_rows_next(&rows))
		rows.status = add_row(tracks, &rows);
	return tc_rows_close(&rows);
}

static enum tc_status make_index(struct tc_page_tracks *tracks)
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
	if (!tracks->index_of)
		return tc_no_memory(tracks->ctx);
	memset(tracks->index_of, 0xff, (tracks->id_count + 1) * sizeof(*tracks->index_of));
	for (size_t i = 0; i < tracks->count; i++)
		if (tracks->all[i].id >= 0)
			tracks->index_of[tracks->all[i].id - first] = (uint32_t)i;
	return TC_OK;
}

/* The first slice from `low` on whose track is not before `track`; `high` when there is none. */
static enum tc_status first_slice_of(
	int64_t *out, const struct tc_page_tracks *tracks, int64_t low, int64_t high, int64_t track)
{
	struct tc_rows rows;

	tc_rows_open(&rows, tracks->ctx, tracks->db,
		"SELECT id, track_id FROM slice_row WHERE id >= ?1 ORDER BY id LIMIT 1");
	while (low < high && rows.status == TC_OK) {
		int64_t middle = low + (high - low) / 2;
		sqlite3_reset(rows.stmt);
		tc_rows_bind(&rows, 1, middle);
		if (tc_rows_next(&rows) && tc_rows_int(&rows, 1) < track)
			low = tc_rows_int(&rows, 0) + 1;
		else
			high = middle;
	}
	*out = low;
	return tc_rows_close(&rows);
}

static enum tc_status find_slices(struct tc_page_tracks *tracks)
{
	int64_t end = 0;
	enum tc_status status = tc_rows_single(&end, tracks->ctx, tracks->db,
		"SELECT coalesce(max(id), -1) + 1 FROM slice_row", 0);

	if (status == TC_OK)
		status = first_slice_of(&tracks->first_slice, tracks, 0, end, tracks->first_id);
	if (status == TC_OK)
		status = first_slice_of(&tracks->last_slice, tracks, tracks->first_slice, end,
			tracks->first_id + (int64_t)tracks->id_count);
	tracks->last_slice--;
	return status;
}

static enum tc_status find_times(struct tc_page_tracks *tracks)
{
	struct tc_rows rows;

	tc_rows_open(
		&rows, tracks->ctx, tracks->db, "SELECT start_ns, end_ns FROM trace WHERE id = ?1");
	tc_rows_bind(&rows, 1, tracks->trace_id);
	if (tc_rows_next(&rows)) {
		tracks->start_ns = tc_rows_int(&rows, 0);
		tracks->end_ns = tc_rows_int(&rows, 1);
	}
	return tc_rows_close(&rows);
}

enum tc_status tc_page_tracks_load(
	struct tc_page_tracks *tracks, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	*tracks = (struct tc_page_tracks){.ctx = ctx, .db = db, .trace_id = trace_id};
	enum tc_status status = load_rows(tracks);
	if (status == TC_OK)
		status = make_index(tracks);
	if (status == TC_OK && tracks->id_count > 0)
		status = find_slices(tracks);
	return status == TC_OK ? find_times(tracks) : status;
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

void tc_page_tracks_slices(struct tc_rows *rows, const struct tc_page_tracks *tracks)
{
	tc_rows_open(rows, tracks->ctx, tracks->db,
		"SELECT id, ts, dur, track_id, label_id FROM slice_row"
		" WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
	tc_rows_bind(rows, 1, tracks->first_slice);
	tc_rows_bind(rows, 2, tracks->last_slice);
}

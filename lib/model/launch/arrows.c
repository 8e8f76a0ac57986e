/* Arrows from host slices to device work, in an array by the slice they lead to; see arrows.h. */
#include "model/launch/arrows.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/limits.h"
#include "model/state.h"

struct tc_arrows {
	struct tc_model *model;
	struct tc_arrow *rows;
	size_t count, capacity;
	int64_t over_count; /* beyond the limit */
};

/* A lane on which some slice has the id of a call is left to the ids, one of a Gaudi to recipes. */
static bool needs_arrows(const struct tc_model *model, uint32_t track)
{
	const struct tc_track_row *row = &model->tracks.tracks[track];

	return row->kind == TC_TRACK_LANE && row->has_flow_end && !row->has_correlation &&
	       !tc_engine_is_gaudi(row->engine) &&
	       (row->engine != TC_ENGINE_NONE || row->has_device_work);
}

static bool any_needs_arrows(const struct tc_model *model)
{
	for (uint32_t i = 0; i < model->tracks.track_count; i++)
		if (needs_arrows(model, i))
			return true;
	return false;
}

static enum tc_status collect(
	void *user, const struct tc_flow_point *from, const struct tc_flow_point *to)
{
	struct tc_arrows *arrows = user;
	const struct tc_track_row *tracks = arrows->model->tracks.tracks;
	void *rows = arrows->rows;

	if (to->is_v2 || tracks[from->track].kind != TC_TRACK_THREAD ||
		!needs_arrows(arrows->model, to->track))
		return TC_OK;
	if (arrows->count >= TC_CALL_MAX_COUNT) {
		arrows->over_count++;
		return TC_OK;
	}
	if (tc_reserve(&rows, &arrows->capacity, arrows->count + 1, sizeof(*arrows->rows)))
		return tc_model_no_memory(arrows->model);
	tc_launches_seen(arrows->model, to->track, to->ts_ns, from->ts_ns);
	arrows->rows = rows;
	arrows->rows[arrows->count++] =
		(struct tc_arrow){.to = to->slice_id, .from = from->slice_id};
	return TC_OK;
}

static int compare_from(const void *a, const void *b)
{
	const struct tc_arrow *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Those that lead to one slice: the latest to start first. */
static int compare_to(const void *a, const void *b)
{
	const struct tc_arrow *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns > y->ts_ns ? -1 : 1;
	return x->from > y->from ? -1 : x->from < y->from;
}

/* The first row whose slice is not below slice_id; by_to tells which of the two. */
static size_t first_of(const struct tc_arrows *arrows, int64_t slice_id, bool by_to)
{
	size_t low = 0, high = arrows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct tc_arrow *row = &arrows->rows[middle];
		if ((by_to ? row->to : row->from) < slice_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Takes the times of the slices of one host track. */
static enum tc_status read_times(struct tc_arrows *arrows, uint32_t track)
{
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span = NULL;
	enum tc_status status = tc_cursor_open(&cursor, arrows->model->timeline, &track, 1);

	while (!status && !(status = tc_cursor_next(cursor, &span)) && span) {
		for (size_t i = first_of(arrows, span->slice_id, false);
			i < arrows->count && arrows->rows[i].from == span->slice_id; i++) {
			arrows->rows[i].ts_ns = span->ts_ns;
			arrows->rows[i].end_ns =
				span->ts_ns + (span->dur_ns < 0 ? 0 : span->dur_ns);
		}
	}
	tc_cursor_close(cursor);
	return status;
}

/* Leaves one row for each slice that arrows lead to. */
static void keep_nearest(struct tc_arrows *arrows)
{
	size_t count = 0;

	for (size_t i = 0; i < arrows->count; i++)
		if (count == 0 || arrows->rows[count - 1].to != arrows->rows[i].to)
			arrows->rows[count++] = arrows->rows[i];
	arrows->count = count;
}

static enum tc_status log_limit(struct tc_arrows *arrows)
{
	const struct tc_log_entry entry = {TC_LOG_LAUNCH_LIMIT, -1, arrows->over_count,
		TC_TEXT("flows from launch calls to device work")};

	if (arrows->over_count == 0)
		return TC_OK;
	return tc_import_log_add(&arrows->model->log, &entry) ? TC_OK
							      : tc_model_no_memory(arrows->model);
}

static enum tc_status fill(struct tc_arrows *arrows)
{
	struct tc_model *model = arrows->model;
	int64_t unmatched_count;
	enum tc_status status = tc_nest_bind(model);

	if (!status)
		status = tc_flows_each(model, collect, arrows, &unmatched_count);
	if (status || arrows->count == 0)
		return status;
	qsort(arrows->rows, arrows->count, sizeof(*arrows->rows), compare_from);
	for (uint32_t i = 0; i < model->tracks.track_count && !status; i++)
		if (model->tracks.tracks[i].kind == TC_TRACK_THREAD)
			status = read_times(arrows, i);
	qsort(arrows->rows, arrows->count, sizeof(*arrows->rows), compare_to);
	keep_nearest(arrows);
	return status ? status : log_limit(arrows);
}

enum tc_status tc_arrows_find(struct tc_arrows **out, struct tc_model *model)
{
	*out = NULL;
	if (!model->flow_points || !any_needs_arrows(model))
		return TC_OK;
	struct tc_arrows *arrows = tc_calloc(1, sizeof(*arrows));
	if (!arrows)
		return tc_model_no_memory(model);
	arrows->model = model;
	enum tc_status status = fill(arrows);
	if (status)
		tc_arrows_free(arrows);
	else
		*out = arrows;
	return status;
}

void tc_arrows_free(struct tc_arrows *arrows)
{
	if (!arrows)
		return;
	tc_free(arrows->rows);
	tc_free(arrows);
}

const struct tc_arrow *tc_arrow_to(const struct tc_arrows *arrows, int64_t slice_id)
{
	size_t at = arrows ? first_of(arrows, slice_id, true) : 0;

	return arrows && at < arrows->count && arrows->rows[at].to == slice_id ? &arrows->rows[at]
									       : NULL;
}

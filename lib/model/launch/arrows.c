/* Arrows from host slices to device work, in an array by the slice they lead to; see arrows.h. */
#include "model/launch/arrows.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"
#include "model/flows/nest.h"

struct tc_arrows {
	const struct tc_timeline *timeline; /* borrowed, as the next two */
	const struct tc_tracks *tracks;
	struct tc_recording *recording;
	struct tc_arrow *rows;
	size_t count, capacity;
	int64_t over_count; /* beyond the limit */
};

/* Lanes with correlation ids or recipes have better evidence than arrows. */
static bool needs_arrows(const struct tc_tracks *tracks, uint32_t track)
{
	const struct tc_track_row *row = &tracks->tracks[track];

	return row->kind == TC_TRACK_LANE && row->has_flow_end && !row->has_correlation &&
	       !tc_engine_is_gaudi(row->engine) &&
	       (row->engine != TC_ENGINE_NONE || row->has_device_work);
}

static bool any_needs_arrows(const struct tc_tracks *tracks)
{
	for (uint32_t i = 0; i < tracks->track_count; i++)
		if (needs_arrows(tracks, i))
			return true;
	return false;
}

static enum tc_status collect(
	void *user, const struct tc_flow_point *from, const struct tc_flow_point *to)
{
	struct tc_arrows *arrows = user;

	if (to->is_v2 || arrows->tracks->tracks[from->track].kind != TC_TRACK_THREAD ||
		!needs_arrows(arrows->tracks, to->track))
		return TC_OK;
	if (arrows->count >= TC_CALL_MAX_COUNT) {
		arrows->over_count++;
		return TC_OK;
	}
	if (!TC_GROW(arrows->rows, arrows->capacity, arrows->count + 1) ||
		!tc_recording_add_launch(arrows->recording, to->track, to->ts_ns, from->ts_ns))
		return tc_no_memory(arrows->timeline->ctx);
	arrows->rows[arrows->count++] =
		(struct tc_arrow){.to = to->slice_id, .from = from->slice_id};
	return TC_OK;
}

TC_ORDER(compare_from, struct tc_arrow, TC_UP(from) TC_UP(to));

/* Of arrows to one slice the one that starts last comes first. */
TC_ORDER(compare_to, struct tc_arrow, TC_UP(to) TC_DOWN(ts_ns) TC_DOWN(from));

/* The first row whose slice to, or from, is not below slice_id. */
static size_t first_of(const struct tc_arrows *arrows, int64_t slice_id, bool by_to)
{
	const struct tc_arrow *rows = arrows->rows;
	size_t at;

	TC_BISECT(at, arrows->count, (by_to ? rows[at].to : rows[at].from) < slice_id);
	return at;
}

/* Sets the times of the arrows that start on one host track. */
static enum tc_status read_times(struct tc_arrows *arrows, uint32_t track)
{
	struct tc_cursor *cursor = NULL;
	const struct tc_span *span = NULL;
	enum tc_status status = tc_cursor_open(&cursor, arrows->timeline, &track, 1);

	while (!status && !(status = tc_cursor_next(cursor, &span)) && span) {
		for (size_t i = first_of(arrows, span->slice_id, false);
			i < arrows->count && arrows->rows[i].from == span->slice_id; i++) {
			arrows->rows[i].ts_ns = span->ts_ns;
			arrows->rows[i].end_ns = tc_span_known_end_ns(span);
			arrows->rows[i].label = span->label;
		}
	}
	tc_cursor_close(cursor);
	return status;
}

/* Keeps the first row of every slice that arrows lead to. */
static void keep_nearest(struct tc_arrows *arrows)
{
	size_t count = 0;

	for (size_t i = 0; i < arrows->count; i++)
		if (count == 0 || arrows->rows[count - 1].to != arrows->rows[i].to)
			arrows->rows[count++] = arrows->rows[i];
	arrows->count = count;
}

static enum tc_status fill(struct tc_arrows *arrows, struct tc_flows *flows)
{
	const struct tc_tracks *tracks = arrows->tracks;
	int64_t unmatched_count;
	enum tc_status status = tc_nest_bind(flows, arrows->timeline);

	if (!status)
		status = tc_flows_each(flows, collect, arrows, &unmatched_count);
	if (status || arrows->count == 0)
		return status;
	TC_SORT(arrows->rows, arrows->count, compare_from);
	for (uint32_t i = 0; i < tracks->track_count && !status; i++)
		if (tracks->tracks[i].kind == TC_TRACK_THREAD)
			status = read_times(arrows, i);
	TC_SORT(arrows->rows, arrows->count, compare_to);
	keep_nearest(arrows);
	return status ? status
		      : tc_import_log_add_count(flows->log, TC_LOG_LAUNCH_LIMIT, arrows->over_count,
				TC_TEXT("flows from launch calls to device work"));
}

enum tc_status tc_arrows_find(struct tc_arrows **out, struct tc_flows *flows,
	const struct tc_timeline *timeline, const struct tc_tracks *tracks,
	struct tc_recording *recording)
{
	*out = NULL;
	if (!flows->points || !any_needs_arrows(tracks))
		return TC_OK;
	struct tc_arrows *arrows = tc_calloc(1, sizeof(*arrows));
	if (!arrows)
		return tc_no_memory(timeline->ctx);
	*arrows =
		(struct tc_arrows){.timeline = timeline, .tracks = tracks, .recording = recording};
	enum tc_status status = fill(arrows, flows);
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

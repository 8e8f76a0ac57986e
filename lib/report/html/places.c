/* See places.h. */
#include "report/html/places.h"

#include "core/alloc.h"
#include "core/saturate.h"

#define CAUSE "= coalesce(?2, nullif(cause, 'no_work'))" /* ?2; NULL: any but that */

static enum tc_status want(
	struct tc_places *places, struct tc_ctx *ctx, size_t place, int64_t label_id)
{
	if (!TC_GROW(places->labels, places->label_capacity, places->label_count + 1))
		return tc_no_memory(ctx);
	places->labels[places->label_count++] =
		(struct tc_place_label){(uint32_t)place, places->first[label_id]};
	places->first[label_id] = (uint32_t)places->label_count;
	return TC_OK;
}

static enum tc_status want_subject(
	struct tc_places *places, const struct tc_page_tracks *tracks, size_t index)
{
	const struct tc_finding *finding = places->all[index].finding;
	struct tc_rows rows;

	if (finding->evidence_count == 0)
		return TC_OK;
	tc_rows_open(&rows, tracks->ctx, tracks->db, TC_SUBJECT_LABELS_SQL);
	tc_rows_bind_text(&rows, 1, tc_text_from(finding->evidence[0].subject));
	while (tc_rows_next(&rows))
		if ((uint64_t)tc_rows_int(&rows, 0) < places->first_count)
			rows.status = want(places, tracks->ctx, index, tc_rows_int(&rows, 0));
	return tc_rows_close(&rows);
}

static bool add_gap(struct tc_places *places, int64_t ts, int64_t dur, bool is_next_device)
{
	struct tc_place_gap gap = {.ts = ts, .end = tc_add_saturated(ts, dur)};

	if (!TC_GROW(places->gaps, places->gap_capacity, places->gap_count + 1))
		return false;
	if (is_next_device) {
		if (!TC_GROW(places->devices, places->device_capacity, places->device_count + 1))
			return false;
		places->devices[places->device_count++] = places->gap_count;
	} else {
		const struct tc_place_gap *last = &places->gaps[places->gap_count - 1];
		gap.before_ns = tc_add_saturated(last->before_ns, last->end - last->ts);
	}
	places->gaps[places->gap_count++] = gap;
	return true;
}

/* The rows of a gap follow each other, and so do those of a device. */
static enum tc_status load_gaps(struct tc_places *places, const struct tc_page_tracks *tracks)
{
	uint32_t device = UINT32_MAX;
	int64_t last_ts = 0;
	struct tc_rows rows;

	tc_rows_open(&rows, tracks->ctx, tracks->db,
		"SELECT gap_ts, gap_dur, device FROM gap WHERE trace_id = ?1 AND gap_ts IS NOT NULL"
		" AND cause <> 'no_work' ORDER BY id");
	tc_rows_bind(&rows, 1, tracks->trace_id);
	while (tc_rows_next(&rows)) {
		int64_t ts = tc_rows_int(&rows, 0);
		uint32_t track =
			device == UINT32_MAX || !tc_text_equal(tc_rows_text(&rows, 2),
							tc_text_from(tracks->all[device].device))
				? tc_tracks_find_kind(tracks, TC_TRACK_IDLE, tc_rows_text(&rows, 2))
				: device;
		bool is_next = track != device || places->gap_count == 0 || ts < last_ts;
		if (!is_next && ts == last_ts)
			continue;
		if (!add_gap(places, ts, tc_rows_int(&rows, 1), is_next))
			rows.status = tc_no_memory(tracks->ctx);
		device = track;
		last_ts = ts;
	}
	return tc_rows_close(&rows);
}

/* Idle time of a device up to a time, or to the end of the gap around it. */
static int64_t idle_until(
	const struct tc_places *places, size_t device, int64_t time, bool to_end_of_gap)
{
	size_t begin = places->devices[device], low = begin;
	size_t high =
		device + 1 < places->device_count ? places->devices[device + 1] : places->gap_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (places->gaps[middle].ts <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == begin)
		return 0;
	const struct tc_place_gap *gap = &places->gaps[low - 1];
	int64_t end = to_end_of_gap || gap->end < time ? gap->end : time;
	return tc_add_saturated(gap->before_ns, end - gap->ts);
}

void tc_places_weigh(struct tc_places *places, uint32_t at, struct tc_place slice, bool is_host)
{
	slice.found = true;
	for (size_t i = 0; is_host && i < places->device_count; i++) {
		int64_t idle_ns =
			idle_until(places, i, tc_add_saturated(slice.ts, slice.dur), true) -
			idle_until(places, i, slice.ts, false);
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

enum tc_status tc_places_init(struct tc_places *places, const struct tc_page_tracks *tracks,
	const struct tc_advice *advice)
{
	int64_t label_count = 0;

	*places = (struct tc_places){0};
	enum tc_status status = tc_rows_single(&label_count, tracks->ctx, tracks->db,
		"SELECT coalesce(max(id), 0) + 1 FROM label", 0);
	if (status != TC_OK)
		return status;
	places->first_count = (size_t)label_count;
	places->first = tc_calloc(places->first_count, sizeof(*places->first));
	places->all = tc_calloc(advice->finding_count + 1, sizeof(*places->all));
	if (!places->first || !places->all)
		return tc_no_memory(tracks->ctx);
	for (size_t i = 0; i < advice->finding_count; i++)
		if (advice->findings[i].trace_id == tracks->trace_id)
			places->all[places->count++].finding = &advice->findings[i];
	for (size_t i = 0; i < places->count && status == TC_OK; i++)
		status = want_subject(places, tracks, i);
	return status == TC_OK && places->label_count > 0 ? load_gaps(places, tracks) : status;
}

void tc_places_clear(struct tc_places *places)
{
	tc_free(places->all);
	tc_free(places->labels);
	tc_free(places->first);
	tc_free(places->gaps);
	tc_free(places->devices);
	*places = (struct tc_places){0};
}

struct tc_text tc_place_cause(const struct tc_evidence *evidence)
{
	for (const struct tc_field *field = evidence->fields; field && field->name; field++)
		if (field->kind == TC_FIELD_TEXT && strcmp(field->name, "cause") == 0)
			return tc_text_from(field->text);
	return TC_TEXT_NONE;
}

/* The longest stretch of idle time with a cause, of any without one. */
static enum tc_status find_idle(
	struct tc_place *idle, const struct tc_page_tracks *tracks, struct tc_text cause)
{
	struct tc_rows rows;

	*idle = (struct tc_place){0};
	tc_rows_open(&rows, tracks->ctx, tracks->db,
		"SELECT ts, dur, device FROM (" TC_IDLE_SQL
		" AND gap_ts IN (SELECT gap_ts FROM gap WHERE trace_id = ?1 AND cause " CAUSE
		" AND dur = (SELECT max(dur) FROM gap WHERE trace_id = ?1 AND cause " CAUSE
		" AND gap_ts IS NOT NULL))) WHERE cause " CAUSE
		" ORDER BY dur DESC, ts, device LIMIT 1");
	tc_rows_bind(&rows, 1, tracks->trace_id);
	tc_rows_bind_text(&rows, 2, cause);
	if (tc_rows_next(&rows)) {
		idle->ts = tc_rows_int(&rows, 0);
		idle->dur = tc_rows_int(&rows, 1);
		idle->track = tc_tracks_find_kind(tracks, TC_TRACK_IDLE, tc_rows_text(&rows, 2));
		idle->found = idle->track != UINT32_MAX;
	}
	return tc_rows_close(&rows);
}

enum tc_status tc_places_finish(struct tc_places *places, const struct tc_page_tracks *tracks)
{
	struct tc_place any, idle;
	enum tc_status status = find_idle(&any, tracks, TC_TEXT_NONE);

	for (size_t i = 0; i < places->count && status == TC_OK; i++) {
		const struct tc_finding *finding = places->all[i].finding;
		if (places->all[i].found || finding->gain_ns <= 0)
			continue;
		struct tc_text cause = finding->evidence_count > 0
					       ? tc_place_cause(&finding->evidence[0])
					       : TC_TEXT_NONE;
		idle = any;
		if (cause.len > 0)
			status = find_idle(&idle, tracks, cause);
		places->all[i] = idle;
		places->all[i].finding = finding;
	}
	return status;
}

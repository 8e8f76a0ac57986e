/* See places.h. */
#include "report/html/places.h"

#include "core/alloc.h"

static enum tc_status want(
	struct tc_places *places, struct tc_ctx *ctx, size_t place, int64_t label_id)
{
	if (!TC_GROW(places->labels, places->label_capacity, places->label_count + 1))
		return tc_fail(ctx, TC_ERR_NOMEM, "out of memory");
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
		return tc_fail(tracks->ctx, TC_ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < advice->finding_count; i++)
		if (advice->findings[i].trace_id == tracks->trace_id)
			places->all[places->count++].finding = &advice->findings[i];
	for (size_t i = 0; i < places->count && status == TC_OK; i++)
		status = want_subject(places, tracks, i);
	return status;
}

void tc_places_clear(struct tc_places *places)
{
	tc_free(places->all);
	tc_free(places->labels);
	tc_free(places->first);
	*places = (struct tc_places){0};
}

enum tc_status tc_places_finish(struct tc_places *places, const struct tc_page_tracks *tracks)
{
	struct tc_place idle = {0};
	struct tc_rows rows;

	tc_rows_open(&rows, tracks->ctx, tracks->db,
		"SELECT ts, dur, device FROM (" TC_IDLE_SQL
		" AND gap_ts IN (SELECT gap_ts FROM gap WHERE trace_id = ?1 AND cause <> 'no_work'"
		" AND dur = (SELECT max(dur) FROM gap WHERE trace_id = ?1 AND cause <> 'no_work'"
		" AND gap_ts IS NOT NULL))) WHERE cause <> 'no_work' ORDER BY dur DESC, ts, device "
		"LIMIT 1");
	tc_rows_bind(&rows, 1, tracks->trace_id);
	if (tc_rows_next(&rows)) {
		idle = (struct tc_place){.ts = tc_rows_int(&rows, 0),
			.dur = tc_rows_int(&rows, 1),
			.track =
				tc_tracks_find_kind(tracks, TC_TRACK_IDLE, tc_rows_text(&rows, 2))};
		idle.found = idle.track != UINT32_MAX;
	}
	for (size_t i = 0; i < places->count; i++) {
		const struct tc_finding *finding = places->all[i].finding;
		if (places->all[i].found || finding->gain_ns <= 0)
			continue;
		places->all[i] = idle;
		places->all[i].finding = finding;
	}
	return tc_rows_close(&rows);
}

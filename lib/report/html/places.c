#include "report/html/places.h"

#include "core/alloc.h"
#include "core/saturate.h"
#include "report/view/view.h"

static void want(struct tc_places *places, struct tc_ctx *ctx, size_t place, int64_t label_id)
{
	if (TC_PUSH(ctx, places->labels, places->label_count, places->label_capacity,
		    (struct tc_place_label){(uint32_t)place, places->first[label_id]}))
		places->first[label_id] = (uint32_t)places->label_count;
}

static void want_subject(
	struct tc_places *places, const struct tc_page_tracks *tracks, size_t index)
{
	const struct tc_finding *finding = places->all[index].finding;

	if (finding->evidence_count == 0)
		return;
	struct tc_rows rows = tc_rows_open(tracks->ctx, tracks->db, TC_SUBJECT_LABELS_SQL);
	tc_rows_bind_text(&rows, 1, tc_text_from(finding->evidence[0].subject));
	while (tc_rows_next(&rows))
		if ((uint64_t)tc_rows_int(&rows, 0) < places->first_count)
			want(places, tracks->ctx, index, tc_rows_int(&rows, 0));
}

void tc_places_weigh(struct tc_places *places, uint32_t at, struct tc_place slice, bool is_host)
{
	slice.found = true;
	for (size_t i = 0; is_host && i < places->idle.device_count; i++) {
		int64_t idle_ns = tc_idle_until(&places->idle, i,
					  tc_add_saturated(slice.ts, slice.dur), true) -
				  tc_idle_until(&places->idle, i, slice.ts, false);
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

void tc_places_init(struct tc_places *places, const struct tc_page_tracks *tracks,
	const struct tc_advice *advice)
{
	*places = (struct tc_places){0};
	places->first_count = (size_t)tc_rows_single(
		tracks->ctx, tracks->db, "SELECT coalesce(max(id), 0) + 1 FROM label", 0);
	places->first = tc_calloc(places->first_count, sizeof(*places->first));
	places->all = tc_calloc(advice->finding_count + 1, sizeof(*places->all));
	if (!places->first || !places->all) {
		tc_no_memory(tracks->ctx);
		return;
	}
	for (const struct tc_finding *finding = NULL;
		(finding = tc_next_finding(advice, tracks->trace_id, finding));)
		places->all[places->count++].finding = finding;
	for (size_t i = 0; i < places->count; i++)
		want_subject(places, tracks, i);
	tc_idle_load(&places->idle, tracks);
}

void tc_places_clear(struct tc_places *places)
{
	tc_free(places->all);
	tc_free(places->labels);
	tc_free(places->first);
	tc_idle_clear(&places->idle);
	*places = (struct tc_places){0};
}

struct tc_text tc_place_cause(const struct tc_evidence *evidence)
{
	for (const struct tc_field *field = evidence->fields; field && field->name; field++)
		if (field->kind == TC_FIELD_TEXT && strcmp(field->name, "cause") == 0)
			return tc_text_from(field->text);
	return TC_TEXT_NONE;
}

void tc_places_finish(struct tc_places *places)
{
	for (size_t i = 0; i < places->count; i++) {
		struct tc_place *place = &places->all[i];
		const struct tc_finding *finding = place->finding;
		if (place->found || finding->gain_ns <= 0)
			continue;
		struct tc_text cause = finding->evidence_count > 0
					       ? tc_place_cause(&finding->evidence[0])
					       : TC_TEXT_NONE;
		const struct tc_idle_cause *idle = tc_idle_longest(&places->idle, cause);
		if (idle)
			*place = (struct tc_place){.finding = finding,
				.found = true,
				.ts = idle->ts,
				.dur = idle->dur,
				.track = idle->track};
	}
}

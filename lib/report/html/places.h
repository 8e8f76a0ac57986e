/*
 * Where in a timeline a finding shows best. Candidates are the slices with the name in its first row of evidence: the
 * host slice with most idle time of devices from its start until they work again, or the longest device slice.
 * Without such slices, if the finding has a gain: the longest idle time with its cause (column "cause" of
 * its evidence), or with any cause.
 */
#ifndef TC_REPORT_HTML_PLACES_H
#define TC_REPORT_HTML_PLACES_H

#include "report/html/idle.h"
#include "tracecoach/advice.h"

/* The labels of a subject, ?1: those of that name, else those of the longest name that it starts with
 * ("cudaMemcpyAsync in ProfilerStep#5"). */
#define TC_SUBJECT_LABELS_SQL                                                                      \
	"WITH name(name) AS (SELECT name FROM label WHERE length(name) > 2"                        \
	" AND substr(?1, 1, length(name)) = name ORDER BY length(name) DESC LIMIT 1)"              \
	" SELECT id FROM label WHERE name = (SELECT name FROM name)"

struct tc_place {
	const struct tc_finding *finding; /* borrowed */
	bool found;
	int64_t ts, dur; /* valid with found */
	int64_t cost_ns; /* idle time; 0 for work of devices */
	uint32_t track;  /* index of its track */
};

/* A label whose slices count for a place. */
struct tc_place_label {
	uint32_t place, next; /* next: index + 1 of the next one of the same label, 0 for none */
};

struct tc_places {
	struct tc_place *all;
	size_t count;
	struct tc_place_label *labels;
	size_t label_count, label_capacity;
	uint32_t *first; /* by label.id: index + 1 in labels, 0 for none */
	size_t first_count;
	struct tc_idle idle;
};

/* The findings of the trace. tc_places_clear() afterwards, also when it failed. */
enum tc_status tc_places_init(struct tc_places *places, const struct tc_page_tracks *tracks,
	const struct tc_advice *advice);
void tc_places_clear(struct tc_places *places);

/* A slice of the trace, on a track of the host or not, for those from `at` on: the costliest is kept, of equal ones
 * the longest, of equal ones the first. */
void tc_places_weigh(struct tc_places *places, uint32_t at, struct tc_place slice, bool is_host);

static inline void tc_places_see(struct tc_places *places, int64_t label_id, int64_t ts,
	int64_t dur, uint32_t track, bool is_host)
{
	uint32_t at = (uint64_t)label_id < places->first_count ? places->first[label_id] : 0;

	if (at > 0)
		tc_places_weigh(places, at, (struct tc_place){.ts = ts, .dur = dur, .track = track},
			is_host);
}

/* The cause of idle time that a row of evidence is about, as its column "cause"; else nothing. */
struct tc_text tc_place_cause(const struct tc_evidence *evidence);

/* When all slices were seen: idle time for those without one. */
void tc_places_finish(struct tc_places *places);

#endif

/*
 * Finds the place in a timeline that shows a finding best. Candidates are the slices with the name
 * in its first row of evidence. The best host slice is the one with most idle time of devices from
 * its start until they work again; the best device slice is the longest. If a finding has a gain
 * but no such slices, its place is the longest idle time with its cause (column "cause" of its
 * evidence), or with any cause.
 */
#pragma once

#include "report/html/tracks.h"
#include "tracecoach/advice.h"

/* ---- the idle time of devices, from one pass over the gaps of a trace: how much of it
 * lies before any given time, and the longest piece with each cause. */

#define TC_IDLE_NAME 24

/* A gap of a device, and the idle time of the device before it. */
struct tc_idle_gap {
	int64_t ts, end, before_ns;
};

/* The longest piece with a cause. Of several equally long pieces it is the first, on the first
 * device. */
struct tc_idle_cause {
	char name[TC_IDLE_NAME];
	bool is_no_work; /* there was no work to do */
	int64_t ts, dur; /* dur 0: none was seen */
	uint32_t track;  /* the track of idle time, as an index in tc_page_tracks */
};

struct tc_idle {
	struct tc_idle_gap *gaps; /* by device and time, without gaps that have no work to do */
	size_t gap_count, gap_capacity;
	size_t *devices; /* where the gaps of each device begin */
	size_t device_count, device_capacity;
	struct tc_idle_cause *causes;
	size_t cause_count, cause_capacity;
};

/* Call tc_idle_clear() afterwards, also after a failure. */
void tc_idle_load(struct tc_idle *idle, const struct tc_page_tracks *tracks);
void tc_idle_clear(struct tc_idle *idle);

/* Idle time of the device with an index, up to a time or to the end of the gap around that time. */
int64_t tc_idle_until(const struct tc_idle *idle, size_t device, int64_t time, bool to_end_of_gap);

/* The longest piece with a cause. An empty cause matches every cause except no_work. NULL for none.
 * */
const struct tc_idle_cause *tc_idle_longest(const struct tc_idle *idle, struct tc_text cause);

/* The labels of the subject ?1: those with exactly this name, else those with the longest name that
 * it starts with ("cudaMemcpyAsync in ProfilerStep#5"). */
#define TC_SUBJECT_LABELS_SQL                                                                      \
	"WITH name(name) AS (SELECT name FROM label WHERE length(name) > 2"                        \
	" AND substr(?1, 1, length(name)) = name ORDER BY length(name) DESC LIMIT 1)"              \
	" SELECT id FROM label WHERE name = (SELECT name FROM name)"

struct tc_place {
	const struct tc_finding *finding; /* borrowed */
	bool found;
	int64_t ts, dur; /* valid with found */
	int64_t cost_ns; /* idle time; 0 for device work */
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

/* Takes the findings of the trace. Call tc_places_clear() afterwards, also after a failure. */
void tc_places_init(struct tc_places *places, const struct tc_page_tracks *tracks,
	const struct tc_advice *advice);
void tc_places_clear(struct tc_places *places);

/* Offers a slice of the trace to the places whose labels start at `at`. A place keeps the slice
 * with the highest cost; of equal ones the longest, then the first. */
void tc_places_weigh(struct tc_places *places, uint32_t at, struct tc_place slice, bool is_host);

static inline void tc_places_see(struct tc_places *places, int64_t label_id, int64_t ts,
	int64_t dur, uint32_t track, bool is_host)
{
	uint32_t at = (uint64_t)label_id < places->first_count ? places->first[label_id] : 0;

	if (at > 0)
		tc_places_weigh(places, at, (struct tc_place){.ts = ts, .dur = dur, .track = track},
			is_host);
}

/* ---- A first pass over all slices of a trace: it decides from their durations which slices to
 * merge, finds the places, and opens and fills the queues. */

/* Chooses *least_ns: merging slices shorter than that leaves about `budget` items; 0 means that no
 * slice must be merged. */
void tc_survey(int64_t *least_ns, struct tc_places *places, struct tc_queues *queues,
	const struct tc_page_tracks *tracks, size_t budget);

/*
 * A first pass over all slices of a trace. It decides from their durations which slices to merge,
 * and finds where findings show best.
 */
#ifndef TC_REPORT_HTML_SURVEY_H
#define TC_REPORT_HTML_SURVEY_H

#include "report/html/places.h"
#include "report/html/queues.h"

/* Finds the places, opens and fills the queues, and chooses *least_ns. Merging slices shorter than
 * that leaves about `budget` items; 0 means that no slice must be merged. */
void tc_survey(int64_t *least_ns, struct tc_places *places, struct tc_queues *queues,
	const struct tc_page_tracks *tracks, size_t budget);

#endif

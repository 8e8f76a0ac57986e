/*
 * A first pass over all slices of a trace: finds their durations, to decide which of them are merged, and where
 * findings show best.
 */
#ifndef TC_REPORT_HTML_SURVEY_H
#define TC_REPORT_HTML_SURVEY_H

#include "report/html/places.h"
#include "report/html/queues.h"

/* Finds the places, fills the queues, which it opens, and *least_ns: slices that are shorter are merged, so that about `budget` items are
 * left; 0 when nothing need be merged. */
enum tc_status tc_survey(int64_t *least_ns, struct tc_places *places, struct tc_queues *queues,
	const struct tc_page_tracks *tracks, size_t budget);

#endif

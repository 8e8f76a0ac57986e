/*
 * Curves beside the tracks: the work queued on each device, memory in use, and the trace's own
 * counters. A counter keeps only as many points as a screen can show: the highest and the last
 * value of each piece of time.
 */
#ifndef TC_REPORT_HTML_COUNTERS_H
#define TC_REPORT_HTML_COUNTERS_H

#include "core/buf.h"
#include "report/html/queues.h"

#define TC_COUNTER_PIECES 2000
#define TC_COUNTERS_MOST 24
#define TC_COUNTER_SCALE                                                                           \
	1000 /* values are written in thousandths where they are no whole numbers */

struct tc_counter_point {
	int64_t ts;
	double value; /* from ts on */
};

struct tc_counter {
	char *name; /* owned */
	bool is_bytes;
	struct tc_counter_point *points;
	size_t count, capacity;
};

struct tc_counters {
	struct tc_counter all[TC_COUNTERS_MOST];
	size_t count;
};

/* Loads all counters. `queues` are those of the slices of the trace; with_own adds the trace's own
 * counters. Call tc_counters_clear() afterwards, also after a failure. */
void tc_counters_load(struct tc_counters *counters, const struct tc_page_tracks *tracks,
	struct tc_queues *queues, bool with_own);
void tc_counters_clear(struct tc_counters *counters);

#endif

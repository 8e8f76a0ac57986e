/*
 * The idle time of devices in one pass over the gaps of a trace: how much of it lies before any moment, and of
 * each cause the longest piece.
 */
#ifndef TC_REPORT_HTML_IDLE_H
#define TC_REPORT_HTML_IDLE_H

#include "report/html/tracks.h"

#define TC_IDLE_NAME 24

/* A gap of a device, with the idle time of that before it. */
struct tc_idle_gap {
	int64_t ts, end, before_ns;
};

/* The longest piece of gaps with a cause; of equal ones the first, on the first device. */
struct tc_idle_cause {
	char name[TC_IDLE_NAME];
	int64_t ts, dur; /* dur 0: none was seen */
	uint32_t track;  /* of idle time: index in tc_page_tracks */
};

struct tc_idle {
	struct tc_idle_gap *gaps; /* by device and time, those with something to do */
	size_t gap_count, gap_capacity;
	size_t *devices; /* where the gaps of each begin */
	size_t device_count, device_capacity;
	struct tc_idle_cause *causes;
	size_t cause_count, cause_capacity;
};

/* tc_idle_clear() afterwards, also when it failed. */
enum tc_status tc_idle_load(struct tc_idle *idle, const struct tc_page_tracks *tracks);
void tc_idle_clear(struct tc_idle *idle);

/* Idle time of a device, by its index, up to a time, or to the end of the gap around it. */
int64_t tc_idle_until(const struct tc_idle *idle, size_t device, int64_t time, bool to_end_of_gap);

/* The longest piece with a cause; without one, with any but that there was nothing to do. NULL for none. */
const struct tc_idle_cause *tc_idle_longest(const struct tc_idle *idle, struct tc_text cause);

#endif

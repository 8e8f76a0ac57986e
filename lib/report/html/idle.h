/*
 * The idle time of devices, from one pass over the gaps of a trace: how much of it lies before any
 * given time, and the longest piece with each cause.
 */
#ifndef TC_REPORT_HTML_IDLE_H
#define TC_REPORT_HTML_IDLE_H

#include "report/html/tracks.h"

#define TC_IDLE_NAME 24

/* A gap of a device, and the idle time of the device before it. */
struct tc_idle_gap {
	int64_t ts, end, before_ns;
};

/* The longest piece with a cause. Of several equally long pieces it is the first, on the first
 * device. */
struct tc_idle_cause {
	char name[TC_IDLE_NAME];
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

#endif

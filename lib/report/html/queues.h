/*
 * When the work of each device is launched and when it starts. The view queue_depth has the same
 * data but takes ten times as long, so this collects it while its caller reads the slices in the
 * order of their ids.
 */
#ifndef TC_REPORT_HTML_QUEUES_H
#define TC_REPORT_HTML_QUEUES_H

#include "report/html/tracks.h"

/* The launch and start times of the work of a device. */
struct tc_queue {
	int64_t *launches, *starts;
	size_t count, launch_capacity, start_capacity;
};

struct tc_queues {
	struct tc_queue *all; /* by index of the track of a device's idle time */
	size_t count;
	uint32_t *queue_of;             /* by index of a track: index of all; UINT32_MAX: none */
	struct tc_rows links;           /* runs of slices that have a launch, ordered by id */
	int64_t first, last, launch_ns; /* the current run of links */
};

/* Call tc_queues_clear() afterwards, also after a failure. */
void tc_queues_open(struct tc_queues *queues, const struct tc_page_tracks *tracks);
/* Takes the next slice; ids ascend. False when memory is out. */
bool tc_queues_see(struct tc_queues *queues, int64_t id, int64_t ts, uint32_t track);
/* Call it after the last slice. */
void tc_queues_close(struct tc_queues *queues);
void tc_queues_clear(struct tc_queues *queues);

/* Sorts both times; false when memory is out. */
bool tc_queue_sort(struct tc_queue *queue);

#endif

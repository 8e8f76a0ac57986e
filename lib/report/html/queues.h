/*
 * When work of each device is launched, and when it starts: what the view queue_depth is made of, which takes
 * ten times as long. It is gathered from slices that somebody else reads in the order of their ids.
 */
#ifndef TC_REPORT_HTML_QUEUES_H
#define TC_REPORT_HTML_QUEUES_H

#include "report/html/tracks.h"

/* Times of a device's launched work. */
struct tc_queue {
	int64_t *launches, *starts;
	size_t count, launch_capacity, start_capacity;
};

struct tc_queues {
	struct tc_queue *all;           /* by index of the track of a device's idle time */
	size_t count;                   /* of all */
	uint32_t *queue_of;             /* by index of a track: index of all; UINT32_MAX: none */
	struct tc_rows links;           /* runs of slices with their launch, in the order of ids */
	int64_t first, last, launch_ns; /* the run that links stands at */
};

/* tc_queues_clear() afterwards, also when it failed. */
enum tc_status tc_queues_open(struct tc_queues *queues, const struct tc_page_tracks *tracks);
/* A slice; ids ascend. False when memory is out. */
bool tc_queues_see(struct tc_queues *queues, int64_t id, int64_t ts, uint32_t track);
/* When all slices were seen. */
enum tc_status tc_queues_close(struct tc_queues *queues);
void tc_queues_clear(struct tc_queues *queues);

/* Sorts both times; false when memory is out. */
bool tc_queue_sort(struct tc_queue *queue);

#endif

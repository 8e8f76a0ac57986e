/* Events without length: instants, values of counters, allocator events. */
#ifndef TC_MODEL_SLICES_POINTS_H
#define TC_MODEL_SLICES_POINTS_H

#include "decode/raw_event.h"
#include "model/flows/flows.h"

/* All borrowed. */
struct tc_points {
	struct tc_import_log *log;
	struct tc_row_sink *sink;
	struct tc_tracks *tracks;
	struct tc_flows *flows;
};

enum tc_status tc_points_add_instant(const struct tc_points *points,
	const struct tc_raw_event *event, uint32_t track, uint32_t label);
/* Adds a row for each member of args. */
enum tc_status tc_points_add_counter(
	const struct tc_points *points, const struct tc_raw_event *event);
/* An instant of PyTorch's allocator. */
enum tc_status tc_points_add_memory(
	const struct tc_points *points, const struct tc_raw_event *event);

#endif

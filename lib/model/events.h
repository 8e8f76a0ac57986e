/* Raw events by phase: what each letter of ph becomes. */
#ifndef TC_MODEL_EVENTS_H
#define TC_MODEL_EVENTS_H

#include "model/slices/pairs.h"
#include "model/slices/points.h"

/* Where events go. All borrowed. */
struct tc_events {
	struct tc_import_log *log;
	struct tc_tracks *tracks;
	struct tc_labels *labels;
	struct tc_slice_args *args;
	struct tc_slices *slices;
	struct tc_pairs *pairs;
	struct tc_flows *flows;
	const struct tc_points *points;
};

enum tc_status tc_events_take(const struct tc_events *events, const struct tc_raw_event *event);

#endif

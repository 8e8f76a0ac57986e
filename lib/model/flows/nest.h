/*
 * One walk over the tracks in time order: depth and parent of host slices, and the slices that flow
 * points bind to.
 *
 * Flow points bind as in Perfetto: to the enclosing slice, or, for an end without bp "e", to the
 * next slice of the track. A slice encloses the points at its very start and, when no later slice
 * starts there, at its very end (clocks of whole microseconds make both common).
 */
#ifndef TC_MODEL_FLOWS_NEST_H
#define TC_MODEL_FLOWS_NEST_H

#include "model/flows/flows.h"
#include "model/timeline/timeline.h"

/* Makes the rows of slice_nest, and binds the flow points. */
enum tc_status tc_nest_emit(
	struct tc_flows *flows, const struct tc_timeline *timeline, struct tc_row_sink *sink);
/* Binds the flow points alone; tc_nest_emit() finds none later. */
enum tc_status tc_nest_bind(struct tc_flows *flows, const struct tc_timeline *timeline);

#endif

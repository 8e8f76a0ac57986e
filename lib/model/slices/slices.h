/*
 * Where finished slices go: a row in the batch, and the timeline; before that to the launches, if a
 * slice may have one or make one.
 */
#ifndef TC_MODEL_SLICES_SLICES_H
#define TC_MODEL_SLICES_SLICES_H

#include "model/launch/launches.h"
#include "model/row_sink.h"
#include "model/slices/args_forms.h"
#include "model/slices/slice.h"
#include "model/slices/steps.h"
#include "model/timeline/timeline.h"
#include "model/tracks/labels.h"
#include "model/tracks/tracks.h"

/* All borrowed. */
struct tc_slices {
	struct tc_row_sink *sink;
	struct tc_tracks *tracks;
	const struct tc_labels *labels;
	struct tc_timeline *timeline;
	struct tc_steps *steps;
	struct tc_launches *launches;
	struct tc_args_forms *forms;
};

/* Takes a finished slice; *slice_id is its id in the store. */
enum tc_status tc_slices_add(
	int64_t *slice_id, struct tc_slices *slices, const struct tc_slice *slice);

#endif

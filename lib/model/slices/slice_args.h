/* Reads correlation, step, recipe, data type and shapes of a slice from the args of its event. */
#ifndef TC_MODEL_SLICES_SLICE_ARGS_H
#define TC_MODEL_SLICES_SLICE_ARGS_H

#include "core/buf.h"
#include "core/collections/strtab.h"
#include "decode/raw_event.h"
#include "model/slices/numbering.h"
#include "model/slices/slice.h"
#include "model/timeline/timeline.h"
#include "model/tracks/labels.h"
#include "names/label/label.h"
#include "tracecoach/context.h"

/*
 * Call stacks: the Python frames that profilers before with_stack's own events wrote beside each
 * operator, as one text with the innermost frame first. Stacks repeat, so each distinct one has a
 * number, and the timeline its frames as labels.
 */

struct tc_stacks {
	struct tc_strtab texts;
	uint32_t last; /* of texts, or TC_STRTAB_NONE */
};

/* Gives the timeline the frames of all stacks; their labels are added. Before the labels are handed
 * over. */
enum tc_status tc_stacks_hand_over(
	const struct tc_stacks *stacks, struct tc_labels *labels, struct tc_timeline *timeline);

struct tc_slice_args {
	struct tc_ctx *ctx;
	struct tc_strtab *texts;              /* the timeline's; borrowed */
	uint32_t last_recipe, last_data_type; /* of texts, or TC_STRTAB_NONE */
	struct tc_buf scratch;
	struct tc_stacks stacks;
	struct tc_numbering numbering; /* of all events so far */
};

void tc_slice_args_init(struct tc_slice_args *reader, struct tc_ctx *ctx, struct tc_strtab *texts);
void tc_slice_args_clear(struct tc_slice_args *reader);
/* Sets all fields of *slice that come from args. */
enum tc_status tc_slice_args_read(struct tc_slice *slice, struct tc_slice_args *reader,
	const struct tc_raw_event *event, const struct tc_label *label);

#endif

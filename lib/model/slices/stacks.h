/*
 * Call stacks: the Python frames that profilers before with_stack's own events wrote beside each
 * operator, as one text with the innermost frame first. Stacks repeat, so each distinct one has a
 * number, and the timeline its frames as labels.
 */
#ifndef TC_MODEL_SLICES_STACKS_H
#define TC_MODEL_SLICES_STACKS_H

#include "core/collections/strtab.h"
#include "model/timeline/timeline.h"
#include "model/tracks/labels.h"

struct tc_stacks {
	struct tc_strtab texts;
	uint32_t last; /* of texts, or TC_STRTAB_NONE */
};

void tc_stacks_init(struct tc_stacks *stacks);
void tc_stacks_clear(struct tc_stacks *stacks);
/* 1 more than the number of a stack; 0 for an empty one, and for new ones beyond a limit or without
 * memory. */
uint32_t tc_stacks_number(struct tc_stacks *stacks, struct tc_text text);
/* Gives the timeline the frames of all stacks; their labels are added. Before the labels are handed
 * over. */
enum tc_status tc_stacks_hand_over(
	const struct tc_stacks *stacks, struct tc_labels *labels, struct tc_timeline *timeline);

#endif

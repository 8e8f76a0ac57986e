/*
 * Places: where the nodes of captures are in the tree of a trace. They may be nodes of another
 * trace (companion.h), or of this one without the sizes of their inputs; their paths are added when
 * a replay needs them.
 */
#ifndef TC_ANALYSIS_OPERATORS_CAPTURE_PLACES_H
#define TC_ANALYSIS_OPERATORS_CAPTURE_PLACES_H

#include "analysis/operators/tree.h"

struct tc_capture_places {
	uint32_t *nodes; /* of the tree, by node of the other one; TC_NODE_NONE: not yet */
	size_t count, capacity;
};

void tc_capture_places_clear(struct tc_capture_places *places);
/* *out is the place of a node of `from`, which may be the tree itself; TC_NODE_NONE when the tree
 * is full. False when memory is out. */
bool tc_capture_places_find(uint32_t *out, struct tc_capture_places *places, struct tc_tree *tree,
	const struct tc_tree *from, uint32_t node, bool has_sizes);

#endif

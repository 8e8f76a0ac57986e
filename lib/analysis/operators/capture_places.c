/* Nodes of captures in the tree; see capture_places.h. */
#include "analysis/operators/capture_places.h"

#include "core/alloc.h"
#include "model/timeline/span.h"

void tc_capture_places_clear(struct tc_capture_places *places)
{
	tc_free(places->nodes);
	*places = (struct tc_capture_places){0};
}

static bool make_room(struct tc_capture_places *places, uint32_t node)
{
	if (!TC_GROW(places->nodes, places->capacity, (size_t)node + 1))
		return false;
	while (places->count <= node)
		places->nodes[places->count++] = TC_NODE_NONE;
	return true;
}

/* The place of a node's parent, or of its forward operator. */
static bool find_other(uint32_t *out, struct tc_capture_places *places, struct tc_tree *tree,
	const struct tc_tree *from, uint32_t node, bool has_sizes)
{
	*out = TC_NODE_NONE;
	return node == TC_NODE_NONE ||
	       tc_capture_places_find(out, places, tree, from, node, has_sizes);
}

bool tc_capture_places_find(uint32_t *out, struct tc_capture_places *places, struct tc_tree *tree,
	const struct tc_tree *from, uint32_t node, bool has_sizes)
{
	struct tc_node_key key = from->nodes[node].key;
	uint32_t parent = key.parent;

	if (!make_room(places, node))
		return false;
	*out = places->nodes[node];
	if (*out != TC_NODE_NONE)
		return true;
	if (!find_other(&key.parent, places, tree, from, parent, has_sizes) ||
		!find_other(&key.forward, places, tree, from, key.forward, has_sizes))
		return false;
	if (parent != TC_NODE_NONE && key.parent == TC_NODE_NONE)
		return true;
	key.shape = has_sizes ? key.shape : 0;
	if (!tc_tree_find(out, tree, &key, TC_NO_ID))
		return false;
	places->nodes[node] = *out;
	return true;
}

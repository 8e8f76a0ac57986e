/* Paths of host slices; see tree.h. */
#include "analysis/operators/tree.h"

#include <string.h>

#include "core/alloc.h"
#include "core/limits.h"

enum { FIRST_SLOTS = 256 };

void tc_tree_init(struct tc_tree *tree, const struct tc_label *labels)
{
	*tree = (struct tc_tree){.labels = labels};
}

void tc_tree_clear(struct tc_tree *tree)
{
	tc_free(tree->nodes);
	tc_free(tree->slots);
	tc_free(tree->sums);
	*tree = (struct tc_tree){0};
}

const char *tc_node_kind_name(enum tc_node_kind kind)
{
	static const char *const names[] = {"operator", "module", "range", "python", "call"};

	return names[kind];
}

const char *tc_node_phase_name(enum tc_node_phase phase)
{
	static const char *const names[] = {NULL, "forward", "backward", "optimizer", "loader"};

	return names[phase];
}

static uint64_t hash_of(const struct tc_node_key *key)
{
	uint64_t hash = key->shape ^ ((uint64_t)key->parent << 32 | key->label);

	hash = (hash ^ hash >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ key->forward) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return hash ^ hash >> 29;
}

static bool same_key(const struct tc_node_key *a, const struct tc_node_key *b)
{
	return a->label == b->label && a->parent == b->parent && a->shape == b->shape &&
	       a->forward == b->forward;
}

/* The slot of a key, or the free one where it belongs. */
static size_t slot_of(const struct tc_tree *tree, const struct tc_node_key *key)
{
	size_t mask = tree->slot_count - 1, at = hash_of(key) & mask;

	while (tree->slots[at] != TC_NODE_NONE && !same_key(&tree->nodes[tree->slots[at]].key, key))
		at = (at + 1) & mask;
	return at;
}

/* Keeps half of the slots free. */
static bool grow_slots(struct tc_tree *tree)
{
	size_t count = tree->slot_count ? 2 * tree->slot_count : FIRST_SLOTS;
	uint32_t *slots = tc_malloc(count * sizeof(*slots));

	if (!slots)
		return false;
	memset(slots, 0xff, count * sizeof(*slots));
	tc_free(tree->slots);
	tree->slots = slots;
	tree->slot_count = count;
	for (size_t i = 0; i < tree->count; i++)
		slots[slot_of(tree, &tree->nodes[i].key)] = (uint32_t)i;
	return true;
}

static enum tc_node_kind kind_of(const struct tc_label *label)
{
	if (label->is_module)
		return TC_NODE_MODULE;
	if (label->is_op)
		return TC_NODE_OPERATOR;
	if (label->is_python)
		return TC_NODE_PYTHON;
	return label->is_range ? TC_NODE_RANGE : TC_NODE_CALL;
}

/* Python functions may have any name, so only slices of the framework and ranges of its user begin
 * a phase. */
static enum tc_node_phase phase_of(const struct tc_tree *tree, const struct tc_node *node)
{
	const struct tc_label *label = &tree->labels[node->key.label];
	enum tc_node_phase around = TC_NODE_NO_PHASE;

	if (node->key.parent != TC_NODE_NONE)
		around = (enum tc_node_phase)tree->nodes[node->key.parent].phase;
	if (node->key.forward != TC_NODE_NONE)
		return TC_NODE_BACKWARD;
	if (label->role == TC_ROLE_DATALOADER)
		return TC_NODE_LOADER;
	if (label->phase != TC_PHASE_NONE && !label->is_python)
		return label->phase == TC_PHASE_BACKWARD ? TC_NODE_BACKWARD : TC_NODE_OPTIMIZER;
	if (around == TC_NODE_NO_PHASE && node->kind == TC_NODE_OPERATOR)
		return TC_NODE_FORWARD;
	return around;
}

static void find_outer(const struct tc_tree *tree, struct tc_node *node)
{
	uint32_t above = node->key.parent;

	node->is_outer = node->is_outer_shape = true;
	for (; above != TC_NODE_NONE && node->is_outer_shape; above = tree->nodes[above].key.parent)
		if (tree->nodes[above].key.label == node->key.label) {
			node->is_outer = false;
			node->is_outer_shape = tree->nodes[above].key.shape != node->key.shape;
		}
}

static void set_place(const struct tc_tree *tree, struct tc_node *node, uint32_t number)
{
	const struct tc_node *parent =
		node->key.parent == TC_NODE_NONE ? NULL : &tree->nodes[node->key.parent];

	node->kind = kind_of(&tree->labels[node->key.label]) & 15;
	for (int i = 0; i < TC_NODE_KIND_COUNT; i++)
		node->nearest[i] = parent ? parent->nearest[i] : TC_NODE_NONE;
	node->nearest[node->kind] = number;
	node->depth = parent ? (uint16_t)(parent->depth + 1) : 0;
	node->phase = phase_of(tree, node) & 15;
	find_outer(tree, node);
}

/* Makes room for one more node, but not for more than there may be. */
static bool grow_nodes(struct tc_tree *tree)
{
	if (tree->count < tree->capacity ||
		tree->capacity + tree->capacity / 2 <= TC_TREE_MAX_COUNT)
		return TC_GROW(tree->nodes, tree->capacity, tree->count + 1);
	struct tc_node *nodes = tc_realloc(tree->nodes, TC_TREE_MAX_COUNT * sizeof(*nodes));
	if (!nodes)
		return false;
	tree->nodes = nodes;
	tree->capacity = TC_TREE_MAX_COUNT;
	return true;
}

static bool add_node(
	uint32_t *out, struct tc_tree *tree, const struct tc_node_key *key, int64_t slice_id)
{
	bool is_deep = key->parent != TC_NODE_NONE &&
		       tree->nodes[key->parent].depth + 1 >= TC_TREE_MAX_DEPTH;

	if (is_deep || tree->count >= TC_TREE_MAX_COUNT) {
		*out = TC_NODE_NONE;
		return true;
	}
	if (!grow_nodes(tree))
		return false;
	struct tc_node node = {.key = *key,
		.latest_child = TC_NODE_NONE,
		.sums = TC_NODE_NONE,
		.slice_id = slice_id};
	set_place(tree, &node, (uint32_t)tree->count);
	*out = (uint32_t)tree->count;
	tree->nodes[tree->count++] = node;
	return true;
}

bool tc_tree_find(
	uint32_t *node, struct tc_tree *tree, const struct tc_node_key *key, int64_t slice_id)
{
	/* An operator that calls one other, repeatedly. */
	if (key->parent != TC_NODE_NONE) {
		*node = tree->nodes[key->parent].latest_child;
		if (*node != TC_NODE_NONE && same_key(&tree->nodes[*node].key, key))
			return true;
	}
	if (tree->slot_count < 2 * (tree->count + 1) && tree->count < TC_TREE_MAX_COUNT &&
		!grow_slots(tree))
		return false;
	size_t at = slot_of(tree, key);
	*node = tree->slots[at];
	if (*node == TC_NODE_NONE && key->shape != 0 && tree->count >= TC_TREE_MAX_SHAPES) {
		struct tc_node_key without = *key;
		without.shape = 0;
		tree->without_shape_count++;
		return tc_tree_find(node, tree, &without, slice_id);
	}
	if (*node == TC_NODE_NONE) {
		if (!add_node(node, tree, key, slice_id))
			return false;
		tree->slots[at] = *node;
	}
	if (*node == TC_NODE_NONE)
		tree->left_out_count++;
	else if (key->parent != TC_NODE_NONE)
		tree->nodes[key->parent].latest_child = *node;
	return true;
}

struct tc_node_sums *tc_tree_sums_get(struct tc_tree *tree, uint32_t number)
{
	struct tc_node *node = &tree->nodes[number];

	if (node->sums == TC_NODE_NONE) {
		if (!TC_GROW(tree->sums, tree->sums_capacity, tree->sums_count + 1))
			return NULL;
		node->sums = (uint32_t)tree->sums_count++;
		tree->sums[node->sums] = (struct tc_node_sums){0};
	}
	return &tree->sums[node->sums];
}

const struct tc_node_sums *tc_tree_sums_at(const struct tc_tree *tree, uint32_t number)
{
	static const struct tc_node_sums none = {0};
	const struct tc_node *node = &tree->nodes[number];

	return node->sums == TC_NODE_NONE ? &none : &tree->sums[node->sums];
}

static void add_to(int64_t *sum, int64_t value)
{
	*sum = tc_add_saturated(*sum, value);
}

/* To the total of the node itself. */
static bool add_total(struct tc_tree *tree, uint32_t number, struct tc_work_time time)
{
	struct tc_node_sums *sums = tc_tree_sums_get(tree, number);

	if (sums)
		tc_work_time_add(&sums->total_work, time);
	return sums != NULL;
}

bool tc_tree_add_work(struct tc_tree *tree, uint32_t number, struct tc_work_time time)
{
	const struct tc_node *node = &tree->nodes[number];

	for (int i = 0; i < TC_NODE_KIND_COUNT; i++) {
		if (node->nearest[i] == TC_NODE_NONE)
			continue;
		struct tc_node_sums *nearest = tc_tree_sums_get(tree, node->nearest[i]);
		if (!nearest)
			return false;
		nearest->work_count++;
		tc_work_time_add(&nearest->work, time);
	}
	return add_total(tree, number, time);
}

/* The innermost node that contains both, or TC_NODE_NONE. A parent has a lower number. */
static uint32_t join_of(const struct tc_tree *tree, uint32_t a, uint32_t b)
{
	while (a != b && a != TC_NODE_NONE && b != TC_NODE_NONE)
		if (a > b)
			a = tree->nodes[a].key.parent;
		else
			b = tree->nodes[b].key.parent;
	return a == b ? a : TC_NODE_NONE;
}

bool tc_tree_add_replay(
	struct tc_tree *tree, uint32_t node, uint32_t captured, struct tc_work_time time)
{
	uint32_t join = join_of(tree, node, captured);

	if (!tc_tree_add_work(tree, captured, time) || !add_total(tree, node, time))
		return false;
	if (join == TC_NODE_NONE)
		return true;
	struct tc_node_sums *sums = tc_tree_sums_get(tree, join);
	if (sums)
		tc_work_time_take(&sums->total_work, time);
	return sums != NULL;
}

/* Adds the sums of a node to its parent. */
static bool add_to_parent(
	struct tc_tree *tree, const struct tc_node *node, struct tc_node_sums added)
{
	if (node->key.parent == TC_NODE_NONE || node->sums == TC_NODE_NONE)
		return true;
	struct tc_node_sums *sums = tc_tree_sums_get(tree, node->key.parent);
	if (!sums)
		return false;
	tc_work_time_add(&sums->total_work, added.total_work);
	add_to(&sums->backward_ns, added.backward_ns);
	tc_work_time_add(&sums->backward_work, added.backward_work);
	return true;
}

/* Adds the outermost nodes of a backward pass to the operator that it belongs to. */
static bool add_to_forward(
	struct tc_tree *tree, const struct tc_node *node, struct tc_node_sums added)
{
	uint32_t parent = node->key.parent, forward = node->key.forward;

	if (forward == TC_NODE_NONE ||
		(parent != TC_NODE_NONE && tree->nodes[parent].key.forward == forward))
		return true;
	struct tc_node_sums *sums = tc_tree_sums_get(tree, forward);
	if (!sums)
		return false;
	add_to(&sums->backward_ns, node->dur_ns);
	tc_work_time_add(&sums->backward_work, added.total_work);
	return true;
}

bool tc_tree_sum(struct tc_tree *tree)
{
	for (size_t i = tree->count; i-- > 0;) {
		const struct tc_node *node = &tree->nodes[i];
		struct tc_node_sums sums = *tc_tree_sums_at(tree, (uint32_t)i);
		if (!add_to_parent(tree, node, sums) || !add_to_forward(tree, node, sums))
			return false;
	}
	return true;
}

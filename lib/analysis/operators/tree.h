/*
 * The operator tree: host slices by the path of slices around them. All calls of one operator, with
 * inputs of the same sizes and types, in the same place of the model are one node, so the tree of a
 * training run has the size of its step, however many steps are recorded.
 *
 * A parent has a lower number than its children, and an operator of the forward pass has one than
 * the work of the backward pass that belongs to it: sums go up the tree in one pass from the last
 * node to the first.
 */
#ifndef TC_ANALYSIS_OPERATORS_TREE_H
#define TC_ANALYSIS_OPERATORS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/device/launched.h"
#include "names/label/label.h"

#define TC_NODE_NONE UINT32_MAX

enum tc_node_kind {
	TC_NODE_OPERATOR, /* of the framework */
	TC_NODE_MODULE,   /* a call of a torch.nn.Module */
	TC_NODE_RANGE,    /* drawn by record_function() or by the framework */
	TC_NODE_PYTHON,   /* a Python frame */
	TC_NODE_CALL,     /* of a runtime, and all else */
	TC_NODE_KIND_COUNT
};

enum tc_node_phase {
	TC_NODE_NO_PHASE,
	TC_NODE_FORWARD,
	TC_NODE_BACKWARD,
	TC_NODE_OPTIMIZER,
	TC_NODE_LOADER
};

/* The key of a node. */
struct tc_node_key {
	uint64_t shape;   /* as in tc_span */
	uint32_t parent;  /* or TC_NODE_NONE */
	uint32_t label;   /* index of the timeline's labels[] */
	uint32_t forward; /* the operator of which it, or a node above it, is the backward pass */
};

/* What device work and the backward pass give a node; few nodes of a large tree have any. */
struct tc_node_sums {
	int64_t run_count; /* calls whose work ran, of operators whose FLOPs are known */
	/* Device work launched in it but not in a node of its kind below it; and all device work in
	 * it. */
	int64_t work_count;
	struct tc_work_time work, total_work;
	/* The same for the backward pass of the operators in it, and its time on the host. */
	int64_t backward_ns;
	struct tc_work_time backward_work;
};

struct tc_node {
	struct tc_node_key key;
	uint32_t latest_child;                /* the one found last, or TC_NODE_NONE */
	uint32_t sums;                        /* index of sums[], or TC_NODE_NONE */
	uint32_t nearest[TC_NODE_KIND_COUNT]; /* of each kind, it or above it; or TC_NODE_NONE */
	uint16_t depth;
	uint8_t kind : 4, phase : 4;
	bool is_outer : 1;       /* no node above it has its label */
	bool is_outer_shape : 1; /* nor its label and shape together */
	int64_t slice_id;        /* of its first call */
	int64_t count, dur_ns, self_ns;
};

struct tc_tree {
	const struct tc_label *labels;
	struct tc_node *nodes;
	size_t count, capacity;
	struct tc_node_sums *sums;
	size_t sums_count, sums_capacity;
	uint32_t *slots; /* numbers of nodes by the hash of their keys; TC_NODE_NONE is free */
	size_t slot_count;
	int64_t left_out_count;      /* slices without a node: the tree was full */
	int64_t without_shape_count; /* slices whose node has no shape for that reason */
};

void tc_tree_init(struct tc_tree *tree, const struct tc_label *labels);
void tc_tree_clear(struct tc_tree *tree);

/*
 * Sets *node to the node with the key, which it adds for slice_id when it is new. TC_NODE_NONE when
 * the tree is full or the path too long (TC_TREE_MAX_COUNT, TC_TREE_MAX_DEPTH). With many nodes the
 * key loses its shape (TC_TREE_MAX_SHAPES). False when memory is out.
 */
bool tc_tree_find(
	uint32_t *node, struct tc_tree *tree, const struct tc_node_key *key, int64_t slice_id);

/* The sums of a node, until another node gets some; NULL when memory is out. */
struct tc_node_sums *tc_tree_sums_get(struct tc_tree *tree, uint32_t node);
/* The same to read: zeros where there are none. */
const struct tc_node_sums *tc_tree_sums_at(const struct tc_tree *tree, uint32_t node);

/* All of these return false when memory is out. */
/* Adds work launched by a call of this node. It counts for the nearest node of each kind. */
bool tc_tree_add_work(struct tc_tree *tree, uint32_t node, struct tc_work_time time);
/* Adds work of a graph that a call of `node` replays. It counts for the nearest node of each kind
 * above the captured call, and once in the total of every node around either. */
bool tc_tree_add_replay(
	struct tc_tree *tree, uint32_t node, uint32_t captured, struct tc_work_time time);
/* Call it when everything is added: sums up the tree. */
bool tc_tree_sum(struct tc_tree *tree);

const char *tc_node_kind_name(enum tc_node_kind kind);    /* "operator" */
const char *tc_node_phase_name(enum tc_node_phase phase); /* "forward"; NULL for none */

#endif

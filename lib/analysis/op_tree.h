/*
 * The operator tree: host slices by the path of slices around them. All calls of one operator, with
 * inputs of the same sizes and types, in the same place of the model are one node, so the tree of a
 * training run has the size of its step, however many steps are recorded.
 *
 * A parent has a lower number than its children, and an operator of the forward pass has one than
 * the work of the backward pass that belongs to it: sums go up the tree in one pass from the last
 * node to the first.
 *
 * Captures: the calls that a graph was captured from. While a stream is captured, calls launch
 * nothing; each becomes a node of the graph. replays.c finds the call of each device operation of a
 * replay.
 *
 * When memory is out, the context fails, and what is returned is no node, or NULL.
 */
#pragma once

#include <sqlite3.h>

#include "analysis/device_tally.h"
#include "core/collections/arena.h"
#include "core/collections/strtab.h"
#include "names/label/label.h"
#include "store/sql.h"

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
	TC_NODE_RECOMPUTE, /* the forward pass again, within the backward pass */
	TC_NODE_OPTIMIZER,
	TC_NODE_LOADER,
	TC_NODE_PHASE_COUNT
};

/* Device work launched in a phase. */
struct tc_phase_work {
	int64_t count;
	struct tc_work_time time;
};

/* The key of a node. */
struct tc_node_key {
	uint64_t shape;   /* as in tc_span */
	uint32_t parent;  /* or TC_NODE_NONE */
	uint32_t label;   /* index of the timeline's labels[] */
	uint32_t forward; /* the operator of which it, or a node above it, is the backward pass */
};

/* Sums of device work and of the backward pass; few nodes of a large tree have any. */
struct tc_node_sums {
	int64_t run_count; /* calls whose work ran, of operators whose FLOPs are known */
	/* Kernels of matrix products, convolutions and attention in it compute so, by their names.
	 */
	bool has_fp32, has_tf32;
	bool is_transfer; /* copies launched in it, but not in an operator below it, leave the
			     device */
	/* Device work launched in it but not in a node of its kind below it; and all device work in
	 * it. */
	int64_t work_count;
	struct tc_work_time work, total_work;
	/* And of the backward pass of the operators in it, and its time on the host. */
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

/* At most this many operations of a replay and calls of a capture are compared; the captures of
 * larger graphs stay unknown. */
enum { TC_CAPTURE_MAX_CALLS = 1 << 16 };

struct tc_captured {
	uint32_t node;  /* of the tree: the call */
	uint32_t name;  /* of the kernel, of names; TC_STRTAB_NONE: not known */
	bool is_kernel; /* it launches a kernel; else it copies or fills */
};

/* An operator or a module that was called while a graph was captured. */
struct tc_captured_operator {
	uint32_t node;
	uint32_t call; /* number of the first call in or after it, of its capture */
};

struct tc_capture {
	size_t first, count;           /* of calls */
	size_t first_work, work_count; /* of works */
};

struct tc_captures {
	struct tc_captured *calls;
	size_t call_count, call_capacity;
	struct tc_captured_operator *works;
	size_t work_count, work_capacity;
	struct tc_capture *rows; /* the last is the open one */
	size_t count, capacity;
	struct tc_strtab names; /* of kernels */
	bool is_open;
};

struct tc_tree {
	struct tc_ctx *ctx;
	const struct tc_label *labels;
	struct tc_node *nodes;
	size_t count, capacity;
	struct tc_node_sums *sums;
	size_t sums_count, sums_capacity;
	uint32_t *slots; /* numbers of nodes by the hash of their keys; TC_NODE_NONE is free */
	size_t slot_count;
	struct tc_captures captures;
	struct tc_phase_work phases[TC_NODE_PHASE_COUNT];
	int64_t left_out_count;      /* slices without a node: the tree was full */
	int64_t without_shape_count; /* slices whose node has no shape for that reason */
};

void tc_tree_clear(struct tc_tree *tree);

/*
 * The node with the key, which is added for slice_id when it is new. TC_NODE_NONE when the tree is
 * full or the path too long (TC_TREE_MAX_COUNT, TC_TREE_MAX_DEPTH). With many nodes the key loses
 * its shape (TC_TREE_MAX_SHAPES).
 */
uint32_t tc_tree_find(struct tc_tree *tree, const struct tc_node_key *key, int64_t slice_id);

/* Adds work of a label launched by a call of this node, or of TC_NODE_NONE; captured is
 * TC_NODE_NONE, or the captured call that it replays. It counts for the nearest node of each kind,
 * of a replay above the captured call, and once in the total of every node around either. Its time
 * is of the node's phase, and the label says how the nearest operator computes. */
void tc_tree_add_work(struct tc_tree *tree, uint32_t node, uint32_t captured, uint32_t label,
	struct tc_work_time time);
/* Counts a call whose work ran. */
void tc_tree_count_run(struct tc_tree *tree, uint32_t node);

/* The operations of a replay, in the order of time. */
struct tc_replayed {
	struct tc_launched *works;
	size_t count, capacity;
};

/* Takes the start of a host slice with this label that launched no work in the trace. Slices come
 * in time order over all threads. It begins, ends and fills captures. name: as in tc_captured. */
void tc_captures_see(
	struct tc_tree *tree, const struct tc_label *label, uint32_t node, uint32_t name);
/* Adds an operator or a module to the open capture. Those beyond a limit are not kept. */
void tc_captures_add_work(struct tc_tree *tree, uint32_t node);

enum { TC_COMPARE_STEPS = 1 << 28 }; /* bounds all comparing of a trace */

enum tc_misfit {
	TC_FITS,
	TC_MISFIT_COUNTS, /* names are not known, and there are more or fewer operations */
	TC_MISFIT_NAMES,  /* operations have other names than those of any capture */
	TC_MISFIT_LANES,  /* names are not known, and it runs on several lanes */
	TC_MISFIT_PLACES, /* captures of several places of the program fit */
	TC_MISFIT_LIMIT,  /* it was not compared: too much to compare */
	TC_MISFIT_COUNT
};

struct tc_replay_match {
	enum tc_misfit misfit;
	const struct tc_capture *capture; /* NULL: none fits */
	const uint32_t *calls; /* by operation: a call of the capture, TC_NODE_NONE: of none */
	bool has_sizes;
};

/* The caller sets tree, labels, steps_left and the contexts, and clears keys and arena. */
struct tc_graph_matcher {
	struct tc_tree *tree; /* that has the captures */
	const struct tc_label *labels;
	struct tc_strtab keys;      /* number replays by their operations */
	struct tc_arena arena;      /* of matched */
	struct tc_matched *matched; /* by number */
	size_t matched_count, matched_capacity;
	size_t kept_count;  /* operations of these */
	int64_t steps_left; /* of comparing */
};

/* The capture of a replay. The match is valid until the next call. */
struct tc_replay_match tc_graph_matcher_find(
	struct tc_graph_matcher *matcher, const struct tc_replayed *replayed);
/* Why operations have no captured call, as a clause behind a colon. */
extern const char *const tc_misfit_words[TC_MISFIT_COUNT];

/*
 * Places: where the nodes of captures are in the tree of a trace. They may be nodes of another
 * trace (below), or of this one without the sizes of their inputs; their paths are added when a
 * replay needs them.
 */
struct tc_capture_places {
	uint32_t *nodes; /* of the tree, by node of the other one; TC_NODE_NONE: not yet */
	size_t count, capacity;
};

/* The place of a node of `from`, which may be the tree itself; TC_NODE_NONE when the tree is full.
 */
uint32_t tc_capture_place(struct tc_capture_places *places, struct tc_tree *tree,
	const struct tc_tree *from, uint32_t node, bool has_sizes);

struct tc_companion_label {
	uint32_t category, name; /* of texts, or TC_STRTAB_NONE */
};

/*
 * Companion: the calls that graphs were captured from, when the capture is in another trace than
 * the replay. They are read from the store of that trace. The timeline of this trace begins with
 * the labels of that store, in the same order.
 */
struct tc_companion {
	struct tc_strtab texts;
	struct tc_strtab label_keys; /* the bytes of a label; its number is that of the label */
	struct tc_companion_label *labels;
	size_t label_count, label_capacity;
	struct tc_tree tree; /* captures and keys alone; their labels are of labels[] */
	uint32_t *args;      /* by node: of texts, or TC_STRTAB_NONE */
	size_t args_capacity;
};

void tc_companion_clear(struct tc_companion *companion);
/* Adds the captures of a store, which may have none. */
void tc_companion_add(struct tc_companion *companion, struct tc_ctx *ctx, sqlite3 *db);

static inline struct tc_text tc_companion_text(
	const struct tc_companion *companion, uint32_t number)
{
	return number == TC_STRTAB_NONE ? TC_TEXT_NONE : tc_strtab_at(&companion->texts, number);
}

/*
 * When everything is added: sums up the tree and writes op_tree_row, op_work, phase_total,
 * captured_call and captured_args, and to the import log what the limits left out. given: places of
 * nodes of the companion, which may be NULL without any. Returns op_tree_row.id of the first node.
 */
int64_t tc_tree_write(struct tc_tree *tree, const struct tc_timeline *timeline,
	struct tc_tables *tables, const struct tc_companion *companion,
	const struct tc_capture_places *given);

static inline struct tc_sql_value tc_node_value(int64_t base, uint32_t node)
{
	return tc_sql_int_if(node != TC_NODE_NONE, base + node);
}

/*
 * Operator tally: which host slices call which, and the device work they launch. It sees every host
 * slice at its start, in time order over all threads. So it sees an operator of the forward pass
 * before the backward work that belongs to it.
 */
#ifndef TC_ANALYSIS_OPERATORS_OPERATOR_TALLY_H
#define TC_ANALYSIS_OPERATORS_OPERATOR_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/device/launched.h"
#include "analysis/operators/captures.h"
#include "analysis/operators/companion.h"
#include "analysis/operators/tree.h"
#include "core/collections/strtab.h"
#include "model/timeline/timeline.h"
#include "store/tables.h"

/*
 * Calls by step of operators whose FLOPs are known: how many calls of a node began in each step.
 * Steps of a training run repeat, so a row covers consecutive steps with the same number of calls.
 */

/* Steps first to last have count calls each. */
struct tc_step_stretch {
	uint32_t node;
	int32_t first, last;
	int64_t count;
};

struct tc_step_calls {
	struct tc_step_stretch *rows;
	size_t count, capacity;
	struct tc_step_open *open; /* by node */
	size_t open_count, open_capacity;
};

/* Totals of device work by launching node, operation and lane, in insertion order. */

struct tc_node_kernel {
	uint32_t node;    /* or TC_NODE_NONE */
	uint32_t capture; /* for replays: the captured call; else TC_NODE_NONE */
	uint32_t label, track;
	int64_t count, min_ns, max_ns;
	struct tc_work_time time;
};

struct tc_node_kernels {
	struct tc_node_kernel *rows;
	size_t count, capacity;
	struct tc_strtab keys; /* numbers rows by what they are of */
	size_t latest;         /* of rows */
};

/*
 * Forwards: which operator of the forward pass a node of the backward pass belongs to. Autograd
 * counts the operations that it will differentiate, thread by thread. Beside each operator the
 * profiler writes the next number of that count. So of several operators with one number, the last
 * one is differentiated. The work of the backward pass has this number and the profiler's own
 * number of the forward thread.
 *
 * Only the latest numbers of a thread are kept: an operation is differentiated soon or never.
 */

struct tc_forward {
	int64_t sequence;
	uint32_t node;
	int32_t thread;         /* host thread; -1: the slot is free */
	bool is_differentiated; /* and can make room for another */
};

struct tc_forwards {
	struct tc_forward *slots; /* by the last bits of sequence and thread */
	size_t slot_count;
	int32_t *threads; /* number of host threads that have counted */
	size_t thread_count, thread_capacity;
	/* The host thread of each of the profiler's, -1 until it is known. */
	int32_t *known;
	size_t known_count, known_capacity;
};

/*
 * Places: where the nodes of captures are in the tree of a trace. They may be nodes of another
 * trace (companion.h), or of this one without the sizes of their inputs; their paths are added when
 * a replay needs them.
 */

struct tc_capture_places {
	uint32_t *nodes; /* of the tree, by node of the other one; TC_NODE_NONE: not yet */
	size_t count, capacity;
};

/* The state of an open slice of a track, beside tc_nested. */
struct tc_operator_frame {
	uint32_t node;      /* or TC_NODE_NONE */
	bool has_end;       /* its time counts */
	size_t owner;       /* of frames: it, or what it is a part of; SIZE_MAX for none */
	int64_t covered_ns; /* until when nested slices share its time */
};

struct tc_operator_track {
	struct tc_nesting nesting;
	struct tc_operator_frame *frames; /* of nesting.items */
	size_t capacity;
};

struct tc_operator_tally {
	enum tc_status status; /* of what failed first */
	const struct tc_timeline *timeline;
	struct tc_sorter *launched;        /* borrowed; NULL without any device work */
	const struct tc_launched *next;    /* NULL at its end */
	struct tc_operator_track **tracks; /* by track of the timeline; NULL without open slices */
	uint32_t *busy;                    /* tracks that are not NULL */
	size_t busy_count, busy_capacity, busy_limit;
	struct tc_tree tree;
	struct tc_node_kernels kernels;
	struct tc_forwards forwards;
	struct tc_captures captures;
	struct tc_companion *companion;                      /* borrowed; NULL for none */
	struct tc_replayed replayed;                         /* the current replay */
	struct tc_capture_places without_sizes;              /* of captures of the trace */
	struct tc_capture_places given, given_without_sizes; /* of those of the companion */
	struct tc_step_calls steps;
};

/* companion: captures of other traces, or NULL. */
enum tc_status tc_operator_tally_init(struct tc_operator_tally *tally,
	const struct tc_timeline *timeline, struct tc_sorter *launched,
	struct tc_companion *companion);
void tc_operator_tally_clear(struct tc_operator_tally *tally);

/* Takes a host slice that starts, also one without an end. */
enum tc_status tc_operator_tally_start(struct tc_operator_tally *tally, const struct tc_span *span);
/* When the first work starts that the slice launched which is taken next; INT64_MIN for none. */
enum tc_status tc_operator_tally_next_work(
	int64_t *ts_ns, struct tc_operator_tally *tally, const struct tc_span *span);
/* Call it after the last slice. */
enum tc_status tc_operator_tally_finish(struct tc_operator_tally *tally);
/* Writes op_tree_row, op_kernel_row, op_work, op_step, captured_call and captured_args. */
void tc_operator_rows_write(struct tc_operator_tally *tally, struct tc_tables *tables);

#endif

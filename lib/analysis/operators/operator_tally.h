/*
 * Operator tally: which host slices call which, and the device work they launch. It sees every host
 * slice at its start, in time order over all threads. So it sees an operator of the forward pass
 * before the backward work that belongs to it.
 */
#ifndef TC_ANALYSIS_OPERATORS_OPERATOR_TALLY_H
#define TC_ANALYSIS_OPERATORS_OPERATOR_TALLY_H

#include "analysis/device/launched.h"
#include "analysis/operators/captures.h"
#include "analysis/operators/companion.h"
#include "analysis/operators/forwards.h"
#include "analysis/operators/kernels.h"
#include "analysis/operators/capture_places.h"
#include "analysis/operators/step_calls.h"
#include "analysis/operators/tree.h"
#include "model/timeline/nesting.h"
#include "model/timeline/timeline.h"
#include "store/tables.h"

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

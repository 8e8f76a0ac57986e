/*
 * Executions: the work of a device that names recipes, cut so that each part is the work of one
 * launch. A run is work of one recipe on MME and TPC without a break; most runs are one execution.
 */
#ifndef TC_MODEL_LAUNCH_EXECUTIONS_H
#define TC_MODEL_LAUNCH_EXECUTIONS_H

#include "model/launch/calls.h"

struct tc_run {
	int64_t start_ns; /* DMA work before the compute work is part of the run */
	int64_t end_ns;
	int64_t idle_from_ns; /* end of all compute work before the run; INT64_MIN for the first */
	int64_t first_slice_id;
	uint32_t recipe, op_count;
	uint32_t part_count; /* number of executions in it */
	uint32_t first;      /* its first execution, which may also be the last of the run before */
	bool is_after_break; /* the run before is of the same recipe */
};

enum { TC_RUN_PENDING_COUNT = 4 };

/* The state of a walk over the work: [0] is the current run, [1] the one before it. */
struct tc_run_walk {
	size_t begun_count; /* runs */
	int64_t end_ns;     /* of all compute work so far */
	uint32_t recipes[2], seen_counts[2];
	int64_t ends_ns[2];
	/* DMA work of runs that have not begun; a new recipe replaces the oldest */
	struct {
		uint32_t recipe;
		int64_t ts_ns, end_ns;
	} pending[TC_RUN_PENDING_COUNT];
	size_t next_pending;
};

struct tc_executions {
	const struct tc_call_list *calls; /* borrowed */
	struct tc_run *runs;
	size_t run_count, run_capacity;
	size_t count;       /* executions */
	int64_t over_count; /* runs beyond the limit */
	struct tc_run_walk walk;
};

/* The calls are borrowed. */
void tc_executions_init(struct tc_executions *executions, const struct tc_call_list *calls);
void tc_executions_clear(struct tc_executions *executions);

/* First all work that names a recipe is added in time order and then cut. False when memory is
 * out. */
bool tc_executions_add(
	struct tc_executions *executions, const struct tc_span *span, bool is_compute);
bool tc_executions_cut(struct tc_executions *executions);

/* Then the same work is asked for again in the same order. Returns the number of its execution,
 * -1 for none. */
int64_t tc_executions_find(
	struct tc_executions *executions, const struct tc_span *span, bool is_compute);

#endif

/*
 * Executions: the work of a device, cut so that each part is the work of one launch.
 *
 * Work that names recipes: a run is work of one recipe on MME and TPC without a break, or DMA work
 * of a recipe that has no other; most runs are one execution.
 *
 *   tc_executions_init(), tc_executions_add() for all work in time order, tc_executions_cut(), then
 *   tc_executions_find() for the same work in the same order, tc_executions_clear()
 *
 * Collectives on network ports: the same calls, of executions that are of_ports.
 *
 * Without memory the context fails and there are no executions.
 */
#pragma once

#include "core/array.h"
#include "core/saturate.h"
#include "model/timeline/timeline.h"

/* A host call that launches or copies on a runtime without correlation ids. */
struct tc_call {
	/* While the runtime gets the work; calls are in this order. It is the time of the call
	 * itself, or of the enqueue call that another thread made for it. */
	int64_t ts_ns, done_ns;
	int64_t begin_ns, end_ns, slice_id;
	int64_t ready_ns; /* a collective: when the work launched before it still runs */
	uint32_t label, track;
	uint32_t recipe; /* number in the timeline's texts, or TC_STRTAB_NONE */
	enum tc_call_class call_class;
};

struct tc_call_list {
	struct tc_call *rows;
	size_t count, capacity;
};

/* The number of calls that begin at or before a time. */
static inline size_t tc_calls_until(const struct tc_call_list *list, int64_t ts_ns)
{
	size_t at;

	TC_BISECT(at, list->count, list->rows[at].ts_ns <= ts_ns);
	return at;
}

/* False when both are recipes, and different ones. */
static inline bool tc_recipes_fit(uint32_t a, uint32_t b)
{
	return a == b || a == TC_STRTAB_NONE || b == TC_STRTAB_NONE;
}

struct tc_run {
	int64_t start_ns; /* DMA work before the compute work is part of the run */
	int64_t end_ns;
	int64_t idle_from_ns; /* end of all compute work before the run; INT64_MIN for the first */
	int64_t first_slice_id;
	uint32_t recipe, op_count;
	uint32_t part_count; /* number of executions in it */
	uint32_t first;      /* its first execution, which may also be the last of the run before */
	uint32_t copy_recipe; /* that of DMA work between the run before and this one */
	bool is_after_break;  /* the run before is of the same recipe */
	bool is_after_copy;   /* and nothing but DMA work of copy_recipe is between them */
	bool is_copy;         /* DMA work alone */
};

/* The start of a part of a run; of the part after the last one the end. */
static inline int64_t tc_run_part_ns(const struct tc_run *run, uint32_t part)
{
	return part == run->part_count
		       ? run->end_ns
		       : run->start_ns + part * (tc_sub_saturated(run->end_ns, run->start_ns) /
							run->part_count);
}

enum { TC_RUN_PENDING_COUNT = 4, TC_PORT_COUNT = 64 };

/* The state of a walk over the work: [0] is the current run, [1] the one before it. */
struct tc_run_walk {
	size_t begun_count;        /* runs */
	size_t at[2], next;        /* their places among all runs, and that of the next run */
	size_t copy_at, next_copy; /* of the latest copy that is a run, and of the next one */
	uint32_t copied_count;     /* operations seen of the latest one */
	int64_t end_ns;            /* of all compute work so far */
	uint32_t recipes[2], seen_counts[2];
	int64_t ends_ns[2];
	/* DMA work of runs that have not begun; a new recipe replaces the oldest */
	struct {
		uint32_t recipe;
		int64_t ts_ns, end_ns;
	} pending[TC_RUN_PENDING_COUNT];
	size_t next_pending;
	bool is_copying; /* the latest work is DMA work that may be a run: the last of copies */
};

/* The state of a walk over the parts of collectives. */
struct tc_port_walk {
	size_t begun_count; /* collectives */
	int64_t end_ns;     /* of all parts of the latest one */
	int64_t idle_ns;    /* since then no work of the device has run; by the caller */
	uint64_t ports;     /* bit i: port i has a part of it */
	int64_t ends_ns[TC_PORT_COUNT]; /* of that part */
};

struct tc_executions {
	struct tc_ctx *ctx;               /* borrowed */
	const struct tc_call_list *calls; /* borrowed */
	struct tc_run *runs;
	size_t run_count, run_capacity;
	struct tc_run *copies; /* DMA work outside of runs: runs where its recipe has no other */
	size_t copy_count, copy_capacity;
	size_t count;       /* executions */
	int64_t over_count; /* runs and copies beyond the limit, complete after the cut */
	struct tc_run_walk walk;
	struct tc_port_walk ports;
	bool of_ports; /* the work has no recipes: it is parts of collectives */
};

static inline void tc_executions_init(
	struct tc_executions *executions, struct tc_ctx *ctx, const struct tc_call_list *calls)
{
	*executions = (struct tc_executions){.ctx = ctx, .calls = calls};
	for (size_t i = 0; i < TC_RUN_PENDING_COUNT; i++)
		executions->walk.pending[i].ts_ns = INT64_MAX;
}
void tc_executions_clear(struct tc_executions *executions);
void tc_executions_add(
	struct tc_executions *executions, const struct tc_span *span, bool is_compute);
void tc_executions_cut(struct tc_executions *executions);
/* The number of the execution that work belongs to, -1 for none. */
int64_t tc_executions_find(
	struct tc_executions *executions, const struct tc_span *span, bool is_compute);

/*
 * Operation tally (tables op_total and recipe_total): device time by operation, data type and
 * engine, and by recipe. Each instant of busy time goes to one operation. The working engine with
 * the highest priority wins (order of enum tc_engine; NIC lanes and lanes of no engine have none),
 * and on it the operation that started first. Operations that only wait come after all engines:
 * they get the time in which nothing else runs. So exclusive_ns adds up to busy time.
 */
#ifndef TC_ANALYSIS_DEVICE_OP_TALLY_H
#define TC_ANALYSIS_DEVICE_OP_TALLY_H

#include "analysis/device/launched.h"
#include "analysis/device/op_totals.h"
#include "analysis/time/sweep.h"
#include "core/collections/arena.h"
#include "model/timeline/timeline.h"
#include "store/tables.h"

/* The operation that currently gets the time of a device. */
struct tc_op_owner {
	struct tc_open_list working[TC_ENGINE_COUNT + 1]; /* by engine, on the sweep's list 0; the
							     last of waits */
	uint32_t engines;                                 /* bits of the lists that are not empty */
	struct tc_op_open *op;                            /* NULL when the device is idle */
	int64_t since_ns;
	bool has_recipes; /* some of its work names a recipe */
};

enum { TC_OP_RECENT = 4096 };

struct tc_op_tally {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	struct tc_op_totals operations, recipes;
	struct tc_op_total *recent[TC_OP_RECENT]; /* found last, by label */
	struct tc_op_total **last_of_recipe;      /* by number in texts; the last for none */
	struct tc_op_owner *owners;               /* by device */
};

enum tc_status tc_op_tally_init(struct tc_op_tally *tally, const struct tc_timeline *timeline);
void tc_op_tally_clear(struct tc_op_tally *tally);

/* A slice that takes part in the device's time. */
struct tc_op_open {
	struct tc_open open;
	struct tc_op_total *total, *recipe;
	uint32_t classes; /* of work, see busy.h; 0 for none */
	bool is_timed;    /* its lane counts it as an open slice */
	int64_t exclusive_ns;
	int64_t compute_ns; /* for communication: how long its device had computed when it began */
	struct tc_launched launched; /* its row of the launched work, complete at its end */
};

/* Gives *op the totals that a slice belongs to, made when new; -1 when memory is out. */
int tc_op_tally_find(struct tc_op_tally *tally, const struct tc_span *span, struct tc_op_open *op);
/* Counts a slice of dur_ns in a total. */
void tc_op_total_count(struct tc_op_total *total, int64_t dur_ns);

/* The slice starts or ends; its exclusive_ns is complete when it has ended. */
void tc_op_tally_start(struct tc_op_tally *tally, struct tc_op_open *op);
void tc_op_tally_end(struct tc_op_tally *tally, struct tc_op_open *op);

/* Writes both tables. */
void tc_op_tally_write(const struct tc_op_tally *tally, struct tc_tables *tables);

#endif

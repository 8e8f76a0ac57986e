/*
 * Totals of device operations by key, in the order in which keys came. Pointers to totals stay
 * valid until the table is cleared.
 */
#ifndef TC_ANALYSIS_OP_TOTALS_H
#define TC_ANALYSIS_OP_TOTALS_H

#include "core/collections/pool.h"
#include "core/collections/strtab.h"
#include "model/timeline/timeline.h"

#define TC_LABEL_ANY UINT32_MAX

/* The key is device, label, data type, recipe and engine. A table that does not distinguish one of
 * these uses one value for it in all keys. */
struct tc_op_total {
	uint32_t device, label;     /* or TC_LABEL_ANY */
	uint32_t data_type, recipe; /* or TC_STRTAB_NONE */
	enum tc_engine engine;
	enum tc_precision precision; /* by the data type */
	int64_t count, dur_ns, exclusive_ns, min_ns, max_ns;
};

struct tc_op_totals {
	struct tc_strtab keys;
	struct tc_pool pool;
	struct tc_op_total **rows; /* by number of their keys */
	size_t count, capacity;
};

void tc_op_totals_init(struct tc_op_totals *totals, struct tc_ctx *ctx);
void tc_op_totals_clear(struct tc_op_totals *totals);
/* The total of the key, a copy of *key when new; NULL when memory is out, and after a failure. */
struct tc_op_total *tc_op_totals_find(struct tc_op_totals *totals, const struct tc_op_total *key);

#endif

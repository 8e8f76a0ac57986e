/* Rows of op_work: FLOPs and bytes of the nodes of the operator tree, from the arguments of their
 * first call. */
#ifndef TC_ANALYSIS_WORK_OP_WORK_H
#define TC_ANALYSIS_WORK_OP_WORK_H

#include "names/label/label.h"
#include "store/tables.h"

struct tc_op_work {
	int64_t node_id, trace_id, run_count;
	enum tc_work_kind kind;
};

/* Writes the row of a node; none when sizes and types are not recorded. */
void tc_op_work_put(struct tc_tables *tables, const struct tc_op_work *work);

#endif

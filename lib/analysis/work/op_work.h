/* Rows of op_work: FLOPs and bytes of the nodes of the operator tree, from the arguments of their
 * first call. */
#ifndef TC_ANALYSIS_WORK_OP_WORK_H
#define TC_ANALYSIS_WORK_OP_WORK_H

#include <sqlite3.h>

#include "core/context.h"
#include "names/label/label.h"

struct tc_op_works {
	struct tc_ctx *ctx;
	sqlite3_stmt *select, *insert;
};

struct tc_op_work {
	int64_t node_id, trace_id, run_count;
	enum tc_work_kind kind;
};

enum tc_status tc_op_works_init(struct tc_op_works *works, struct tc_ctx *ctx, sqlite3 *db);
void tc_op_works_clear(struct tc_op_works *works);
/* Writes the row of a node; none when sizes and types are not recorded. */
enum tc_status tc_op_works_put(const struct tc_op_works *works, const struct tc_op_work *work);

#endif

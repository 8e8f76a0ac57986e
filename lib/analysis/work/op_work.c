/* Rows of op_work; see op_work.h. */
#include "analysis/work/op_work.h"

#include "analysis/work/formulas.h"
#include "store/sql.h"

enum tc_status tc_op_works_init(struct tc_op_works *works, struct tc_ctx *ctx, sqlite3 *db)
{
	*works = (struct tc_op_works){.ctx = ctx};
	enum tc_status status = tc_sql_prepare(&works->select, ctx, db,
		"SELECT args FROM op_args WHERE node_id = ? AND typeof(args) = 'text'");

	if (!status)
		status = tc_sql_insert(&works->insert, ctx, db,
			"op_work (node_id, trace_id, work, is_matrix, precision, flops, bytes,"
			" run_count)");
	if (status)
		tc_op_works_clear(works);
	return status;
}

void tc_op_works_clear(struct tc_op_works *works)
{
	sqlite3_finalize(works->select);
	sqlite3_finalize(works->insert);
	*works = (struct tc_op_works){0};
}

static struct tc_sql_value known(int64_t value)
{
	return tc_sql_int_if(value != TC_WORK_UNKNOWN, value);
}

static enum tc_status insert(const struct tc_op_works *works, const struct tc_op_work *work,
	const struct tc_inputs *inputs)
{
	const struct tc_work found = tc_work_of(work->kind, inputs);
	const struct tc_sql_value values[] = {
		tc_sql_int(work->node_id),
		tc_sql_int(work->trace_id),
		tc_sql_string(tc_work_name(work->kind)),
		tc_sql_int(found.is_matrix),
		tc_sql_string(tc_precision_name(found.precision)),
		known(found.flops),
		known(found.bytes),
		tc_sql_int(work->run_count),
	};

	return TC_SQL_PUT(works->ctx, works->insert, values);
}

enum tc_status tc_op_works_put(const struct tc_op_works *works, const struct tc_op_work *work)
{
	struct tc_inputs inputs;
	enum tc_status status = TC_OK;

	sqlite3_bind_int64(works->select, 1, work->node_id);
	int result = sqlite3_step(works->select);
	if (result == SQLITE_ROW) {
		const char *args = (const char *)sqlite3_column_text(works->select, 0);
		size_t len = (size_t)sqlite3_column_bytes(works->select, 0);

		if (args && tc_inputs_read(&inputs, (struct tc_text){args, len}))
			status = insert(works, work, &inputs);
	} else if (result != SQLITE_DONE) {
		status = tc_fail(works->ctx, TC_ERR_STORE, "cannot read arguments: %s",
			sqlite3_errmsg(sqlite3_db_handle(works->select)));
	}
	sqlite3_reset(works->select);
	return status;
}

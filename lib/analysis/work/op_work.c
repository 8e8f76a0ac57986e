/* Rows of op_work; see op_work.h. */
#include "analysis/work/op_work.h"

#include "analysis/work/formulas.h"

static struct tc_sql_value known(int64_t value)
{
	return tc_sql_int_if(value != TC_WORK_UNKNOWN, value);
}

struct job {
	struct tc_tables *tables;
	const struct tc_op_work *work;
};

static enum tc_status take_args(void *user, sqlite3_stmt *row)
{
	const struct job *job = user;
	const struct tc_op_work *work = job->work;
	struct tc_text args = tc_sql_column(row, 0).text;
	struct tc_inputs inputs;

	if (!args.ptr || !tc_inputs_read(&inputs, args))
		return TC_OK;
	const struct tc_work found = tc_work_of(work->kind, &inputs);
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

	TC_TABLES_PUT(job->tables,
		"op_work (node_id, trace_id, work, is_matrix, precision, flops, bytes, run_count)",
		values);
	return TC_OK;
}

void tc_op_work_put(struct tc_tables *tables, const struct tc_op_work *work)
{
	const struct tc_sql_value node = tc_sql_int(work->node_id);

	tc_tables_each(tables,
		"SELECT args FROM op_args WHERE node_id = ? AND typeof(args) = 'text'", &node,
		take_args, &(struct job){tables, work});
}

#include "replay/whatif/steps.h"

void tc_whatif_put_step(
	struct tc_tables *tables, const struct tc_whatif_steps *steps, int64_t step_id, size_t step)
{
	const struct tc_shifts *shifts = steps->shifts;

	if (step >= shifts->step_count || shifts->complete_ns[step] == INT64_MIN)
		return;
	const struct tc_sql_value values[] = {tc_sql_int(steps->trace_id),
		tc_sql_string(steps->fix), tc_sql_int(step_id),
		tc_sql_int(shifts->complete_ns[step]),
		tc_sql_int(shifts->complete_then_ns[step * shifts->whatif_count + steps->column])};
	TC_TABLES_PUT(tables, "whatif_step (trace_id, fix, step_id, complete_ns, complete_then_ns)",
		values);
}

/* The steps of a trace, in order. */
struct step_rows {
	struct tc_tables *tables;
	const struct tc_whatif_steps *steps;
	size_t next;
};

static enum tc_status write_step(void *user, sqlite3_stmt *row)
{
	struct step_rows *rows = user;

	tc_whatif_put_step(rows->tables, rows->steps, sqlite3_column_int64(row, 0), rows->next++);
	return rows->tables->status;
}

void tc_whatif_put_steps(struct tc_tables *tables, const struct tc_whatif_steps *steps)
{
	const struct tc_sql_value trace = tc_sql_int(steps->trace_id);

	tc_tables_each(tables, "SELECT id FROM step WHERE trace_id = ?1 ORDER BY ts, id", &trace,
		write_step, &(struct step_rows){tables, steps, 0});
}

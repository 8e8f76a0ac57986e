/* See steps.h. */
#include "replay/whatif/steps.h"

#include "core/array.h"
#include "store/sql.h"

/* The steps of a trace, in order. */
struct step_rows {
	struct tc_ctx *ctx;
	sqlite3_stmt *insert;
	int64_t trace_id;
	const char *fix;
	const struct tc_shifts *shifts;
	size_t column, next;
};

static enum tc_status write_step(void *user, sqlite3_stmt *row)
{
	struct step_rows *rows = user;
	const struct tc_shifts *shifts = rows->shifts;
	size_t step = rows->next++;

	if (step >= shifts->step_count || shifts->complete_ns[step] == INT64_MIN)
		return TC_OK;
	const struct tc_sql_value values[] = {tc_sql_int(rows->trace_id), tc_sql_string(rows->fix),
		tc_sql_int(sqlite3_column_int64(row, 0)), tc_sql_int(shifts->complete_ns[step]),
		tc_sql_int(shifts->complete_then_ns[step * shifts->whatif_count + rows->column])};
	return tc_sql_put(rows->ctx, rows->insert, values, TC_COUNT_OF(values));
}

enum tc_status tc_whatif_write_steps(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id,
	const char *fix, const struct tc_shifts *shifts, size_t column)
{
	struct step_rows rows = {
		.ctx = ctx, .trace_id = trace_id, .fix = fix, .shifts = shifts, .column = column};
	const struct tc_sql_value trace = tc_sql_int(trace_id);
	enum tc_status status = tc_sql_insert(&rows.insert, ctx, db,
		"whatif_step (trace_id, fix, step_id, complete_ns, complete_then_ns)");

	if (!status)
		status = tc_sql_each(ctx, db,
			"SELECT id FROM step WHERE trace_id = ?1 ORDER BY ts, id", &trace,
			write_step, &rows);
	sqlite3_finalize(rows.insert);
	return status;
}

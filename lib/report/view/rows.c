/* Rows of queries. The context has the first failure, and after one no query has rows. */
#include "report/view/rows.h"

#include "store/connection.h"

static void check(const struct tc_rows *rows, int code)
{
	if (code != SQLITE_OK && code != SQLITE_DONE)
		tc_store_fail(rows->ctx, rows->db, "read the store for the report");
}

struct tc_rows tc_rows_open(struct tc_ctx *ctx, sqlite3 *db, const char *sql)
{
	struct tc_rows rows = {.ctx = ctx, .db = db};

	if (!tc_ctx_failed(ctx))
		check(&rows, sqlite3_prepare_v2(db, sql, -1, &rows.stmt, NULL));
	return rows;
}

struct tc_rows tc_rows_open_with(
	struct tc_ctx *ctx, sqlite3 *db, const char *sql, const int64_t *values, size_t count)
{
	struct tc_rows rows = tc_rows_open(ctx, db, sql);

	for (size_t i = 0; i < count; i++)
		tc_rows_bind(&rows, (int)i + 1, values[i]);
	return rows;
}

struct tc_rows tc_rows_prepare(struct tc_ctx *ctx, sqlite3 *db, const char *sql)
{
	struct tc_rows rows = tc_rows_open(ctx, db, sql);

	rows.is_kept = true;
	return rows;
}

void tc_rows_bind(struct tc_rows *rows, int at, int64_t value)
{
	if (!tc_ctx_failed(rows->ctx))
		check(rows, sqlite3_bind_int64(rows->stmt, at, value));
}

void tc_rows_bind_text(struct tc_rows *rows, int at, struct tc_text text)
{
	if (!tc_ctx_failed(rows->ctx))
		check(rows,
			sqlite3_bind_text(rows->stmt, at, text.ptr, (int)text.len, SQLITE_STATIC));
}

static bool step(struct tc_rows *rows)
{
	if (tc_ctx_failed(rows->ctx) || !rows->stmt)
		return false;
	if (tc_ctx_interrupted(rows->ctx)) {
		tc_fail(rows->ctx, TC_ERR_INTERRUPTED, "the report was interrupted");
		return false;
	}
	int code = sqlite3_step(rows->stmt);
	if (code != SQLITE_ROW)
		check(rows, code);
	return code == SQLITE_ROW;
}

bool tc_rows_next(struct tc_rows *rows)
{
	bool found = step(rows);

	if (!found && !rows->is_kept)
		tc_rows_close(rows);
	return found;
}

void tc_rows_again(struct tc_rows *rows, int64_t value)
{
	sqlite3_reset(rows->stmt);
	tc_rows_bind(rows, 1, value);
}

void tc_rows_close(struct tc_rows *rows)
{
	sqlite3_finalize(rows->stmt);
	rows->stmt = NULL;
}

bool tc_rows_null(const struct tc_rows *rows, int column)
{
	return sqlite3_column_type(rows->stmt, column) == SQLITE_NULL;
}

int64_t tc_rows_int(const struct tc_rows *rows, int column)
{
	return sqlite3_column_int64(rows->stmt, column);
}

double tc_rows_real(const struct tc_rows *rows, int column)
{
	return sqlite3_column_double(rows->stmt, column);
}

struct tc_text tc_rows_text(const struct tc_rows *rows, int column)
{
	const char *text = (const char *)sqlite3_column_text(rows->stmt, column);

	return (struct tc_text){text, text ? (size_t)sqlite3_column_bytes(rows->stmt, column) : 0};
}

int64_t tc_rows_single(struct tc_ctx *ctx, sqlite3 *db, const char *sql, int64_t parameter)
{
	struct tc_rows rows = tc_rows_open(ctx, db, sql);

	if (rows.stmt && sqlite3_bind_parameter_count(rows.stmt) > 0)
		tc_rows_bind(&rows, 1, parameter);
	int64_t value = tc_rows_next(&rows) ? tc_rows_int(&rows, 0) : 0;
	tc_rows_close(&rows);
	return value;
}

int64_t tc_rows_steady_ns(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	return tc_rows_single(ctx, db,
		"SELECT iif(s.gain_wall_ns > 0, s.gain_wall_ns, m.value) FROM metric m"
		" LEFT JOIN steady s ON s.trace_id = m.trace_id"
		" WHERE m.trace_id = ?1 AND m.name = 'wall_ns' AND m.device IS NULL AND m.step IS "
		"NULL",
		trace_id);
}

/* Small statements; see statement.h. */
#include "analysis/statement.h"

#include "tracecoach/store.h"

enum tc_status tc_statement_compile(
	sqlite3_stmt **out, struct tc_ctx *ctx, sqlite3 *db, const char *sql, const char *what)
{
	if (sqlite3_prepare_v2(db, sql, -1, out, NULL) != SQLITE_OK)
		return tc_store_fail(ctx, db, what);
	return TC_OK;
}

void tc_statement_text(sqlite3_stmt *statement, int column, struct tc_text text)
{
	if (text.ptr)
		sqlite3_bind_text64(
			statement, column, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8);
	else
		sqlite3_bind_null(statement, column);
}

void tc_statement_string(sqlite3_stmt *statement, int column, const char *string)
{
	tc_statement_text(statement, column, tc_text_from(string));
}

void tc_statement_id(sqlite3_stmt *statement, int column, int64_t id)
{
	if (id >= 0)
		sqlite3_bind_int64(statement, column, id);
	else
		sqlite3_bind_null(statement, column);
}

void tc_statement_integer(sqlite3_stmt *statement, int column, int64_t value)
{
	sqlite3_bind_int64(statement, column, value);
}

enum tc_status tc_statement_run(struct tc_ctx *ctx, sqlite3_stmt *statement, const char *what)
{
	enum tc_status status = TC_OK;
	int code;

	do
		code = sqlite3_step(statement);
	while (code == SQLITE_ROW);
	if (code != SQLITE_DONE)
		status = tc_store_fail(ctx, sqlite3_db_handle(statement), what);
	sqlite3_reset(statement);
	return status;
}

enum tc_status tc_statement_lookup(
	int64_t *out, bool *found, struct tc_ctx *ctx, sqlite3 *db, const char *sql, int64_t id)
{
	sqlite3_stmt *statement = NULL;
	enum tc_status status = tc_statement_compile(&statement, ctx, db, sql, "read the store");

	*found = false;
	if (status)
		return status;
	if (sqlite3_bind_parameter_count(statement) > 0)
		sqlite3_bind_int64(statement, 1, id);
	int code = sqlite3_step(statement);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		status = tc_store_fail(ctx, db, "read the store");
	if (code == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
		*out = sqlite3_column_int64(statement, 0);
		*found = true;
	}
	sqlite3_finalize(statement);
	return status;
}

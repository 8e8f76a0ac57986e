/* Statement helpers; see sql.h. */
#include "store/sql.h"

#include "tracecoach/store.h"

static int check_interrupt(void *user)
{
	return tc_ctx_interrupted(user);
}

void tc_sql_heed_interrupt(sqlite3 *db, struct tc_ctx *ctx)
{
	sqlite3_progress_handler(db, TC_SQL_CHECK_INSTRUCTIONS, check_interrupt, ctx);
}

enum tc_status tc_sql_prepare(sqlite3_stmt **out, struct tc_ctx *ctx, sqlite3 *db, const char *sql)
{
	if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) == SQLITE_OK)
		return TC_OK;
	return tc_store_fail(ctx, db, sql);
}

int tc_sql_bind(sqlite3_stmt *statement, int index, const struct tc_sql_value *value)
{
	switch (value->kind) {
	case TC_SQL_NULL: break;
	case TC_SQL_INT: return sqlite3_bind_int64(statement, index, value->i64);
	case TC_SQL_REAL: return sqlite3_bind_double(statement, index, value->real);
	case TC_SQL_TEXT:
		return sqlite3_bind_text64(statement, index, value->text.ptr, value->text.len,
			SQLITE_STATIC, SQLITE_UTF8);
	}
	return sqlite3_bind_null(statement, index);
}

enum tc_status tc_sql_put(struct tc_ctx *ctx, sqlite3_stmt *statement,
	const struct tc_sql_value *values, size_t count)
{
	int code = SQLITE_OK;

	for (size_t i = 0; i < count && code == SQLITE_OK; i++)
		code = tc_sql_bind(statement, (int)i + 1, &values[i]);
	if (code == SQLITE_OK) {
		do
			code = sqlite3_step(statement);
		while (code == SQLITE_ROW);
	}
	sqlite3_reset(statement);
	if (code == SQLITE_DONE)
		return TC_OK;
	return tc_store_fail(ctx, sqlite3_db_handle(statement), sqlite3_sql(statement));
}

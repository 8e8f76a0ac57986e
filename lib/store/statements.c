/* A list of statements. There are fewer than a hundred, and nearly all are asked for by a constant,
 * so a look at the addresses of their texts finds most. */
#include "store/statements.h"

#include <string.h>

#include "core/alloc.h"
#include "store/connection.h"

static sqlite3_stmt *find(const struct tc_statements *statements, const char *sql)
{
	for (size_t i = 0; i < statements->count; i++)
		if (statements->items[i].sql == sql)
			return statements->items[i].stmt;
	for (size_t i = 0; i < statements->count; i++)
		if (strcmp(statements->items[i].sql, sql) == 0)
			return statements->items[i].stmt;
	return NULL;
}

int tc_statements_get(sqlite3_stmt **out, struct tc_statements *statements, const char *sql)
{
	*out = find(statements, sql);
	if (*out)
		return SQLITE_OK;
	if (!TC_GROW(statements->items, statements->capacity, statements->count + 1))
		return SQLITE_NOMEM;
	int code =
		sqlite3_prepare_v3(statements->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
	if (*out)
		statements->items[statements->count++] = (struct tc_statement){sql, *out};
	return code;
}

void tc_statements_each(struct tc_statements *statements, struct tc_ctx *ctx, const char *sql,
	int64_t parameter, tc_sql_row_fn take, void *user)
{
	sqlite3_stmt *stmt;

	if (tc_ctx_failed(ctx))
		return;
	int code = tc_statements_get(&stmt, statements, sql);
	if (code == SQLITE_OK)
		code = sqlite3_bind_int64(stmt, 1, parameter);
	while (code == SQLITE_OK && !tc_ctx_failed(ctx) &&
		(code = sqlite3_step(stmt)) == SQLITE_ROW) {
		take(user, stmt);
		code = SQLITE_OK;
	}
	/* The connection does not know that the list of statements has no room. */
	if (code != SQLITE_DONE && !tc_ctx_failed(ctx))
		tc_store_fail(ctx, code == SQLITE_NOMEM ? NULL : statements->db, "read the store");
	sqlite3_reset(stmt);
}

void tc_statements_clear(struct tc_statements *statements)
{
	for (size_t i = 0; i < statements->count; i++)
		sqlite3_finalize(statements->items[i].stmt);
	tc_free(statements->items);
	*statements = TC_STATEMENTS_OF(statements->db);
}

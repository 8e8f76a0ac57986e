/* See statements.h. There are fewer than a hundred, so a list is fast enough. */
#include "store/statements.h"

#include <string.h>

#include "core/alloc.h"
#include "store/connection.h"

static sqlite3_stmt *find(const struct tc_statements *statements, const char *sql)
{
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

enum tc_status tc_statements_fail(
	const struct tc_statements *statements, struct tc_ctx *ctx, int code, const char *what)
{
	return tc_store_fail(ctx, code == SQLITE_NOMEM ? NULL : statements->db, what);
}

void tc_statements_clear(struct tc_statements *statements)
{
	for (size_t i = 0; i < statements->count; i++)
		sqlite3_finalize(statements->items[i].stmt);
	tc_free(statements->items);
	*statements = TC_STATEMENTS_OF(statements->db);
}

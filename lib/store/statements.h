/*
 * Statements of one connection, each prepared once, so that they are not compiled again for every
 * trace of a store. They are found by their text.
 */
#pragma once

#include <sqlite3.h>
#include <stddef.h>

#include "core/context.h"
#include "store/sql.h"

struct tc_statement {
	const char *sql;
	sqlite3_stmt *stmt;
};

struct tc_statements {
	sqlite3 *db; /* borrowed; open until tc_statements_clear() */
	struct tc_statement *items;
	size_t count, capacity;
};

#define TC_STATEMENTS_OF(db) ((struct tc_statements){(db), NULL, 0, 0})

/*
 * The first statement of a text, ready to be bound and stepped; NULL when the text has none.
 * Returns an SQLite code. The text must live until tc_statements_clear(). The statement is
 * borrowed: call sqlite3_reset() after use, never sqlite3_finalize(), and do not get it again
 * before that.
 */
int tc_statements_get(sqlite3_stmt **out, struct tc_statements *statements, const char *sql);
/* Calls take with every row of a query, whose one parameter is a number. A failure is in ctx, and
 * take fails it to end the query. */
void tc_statements_each(struct tc_statements *statements, struct tc_ctx *ctx, const char *sql,
	int64_t parameter, tc_sql_row_fn take, void *user);
void tc_statements_clear(struct tc_statements *statements);

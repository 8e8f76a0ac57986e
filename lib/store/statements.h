/*
 * Statements of one connection, each prepared once: what is asked of every trace of a store must
 * not be compiled for every one. They are known by their texts.
 */
#ifndef TC_STORE_STATEMENTS_H
#define TC_STORE_STATEMENTS_H

#include <sqlite3.h>
#include <stddef.h>

#include "core/context.h"

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
 * The first statement of a text, NULL when there is none, ready to be bound and stepped. Returns
 * SQLite's code. The text must live until tc_statements_clear(). The statement is borrowed: whoever
 * is done with it calls sqlite3_reset(), nobody finalizes it, and it is asked for again only then.
 */
int tc_statements_get(sqlite3_stmt **out, struct tc_statements *statements, const char *sql);
/* tc_store_fail() for such a code, which the connection may know nothing of. */
enum tc_status tc_statements_fail(
	const struct tc_statements *statements, struct tc_ctx *ctx, int code, const char *what);
void tc_statements_clear(struct tc_statements *statements);

#endif

/*
 * Tables: rows into the store being built. A statement is prepared once, however many rows it
 * writes, and found by the address of its text. Once the context has failed nothing is done any
 * more, so many steps need one look at it at their end.
 */
#pragma once

#include "store/sql.h"

enum { TC_TABLES_RECENT = 64 }; /* a power of two */

struct tc_tables {
	struct tc_ctx *ctx;
	sqlite3 *db;
	struct tc_table_statement {
		const char *text;
		sqlite3_stmt *statement;
		struct tc_sql_value *bound; /* by the row before; NULL before the first */
	} * items;
	size_t count, capacity;
	uint8_t recent[TC_TABLES_RECENT]; /* by address of a text: where its item may be */
};

#define TC_TABLES_OF(tables_ctx, tables_db)                                                        \
	((struct tc_tables){.ctx = (tables_ctx), .db = (tables_db)})
/* Frees the statements. */
void tc_tables_end(struct tc_tables *tables);

/* Inserts a row. into is a table and its columns, "plan (trace_id, ord, fix)", or a statement. It
 * must stay where it is until tc_tables_end(). */
void tc_tables_put(struct tc_tables *tables, const char *into, const struct tc_sql_value *values,
	size_t count);
#define TC_TABLES_PUT(tables, into, array) tc_tables_put(tables, into, array, TC_COUNT_OF(array))
/* Runs the statements of a text, each with those of the values that it names. */
void tc_tables_run(struct tc_tables *tables, const char *text, const struct tc_sql_value *values,
	size_t count);
/* The integer in the first column of the first row of a query with one parameter (or none: NULL).
 * False without a row, for NULL, and after a failure. */
bool tc_tables_find(int64_t *out, struct tc_tables *tables, const char *sql,
	const struct tc_sql_value *parameter);
/* Calls take with every row of such a query. */
void tc_tables_each(struct tc_tables *tables, const char *sql, const struct tc_sql_value *parameter,
	tc_sql_row_fn take, void *user);

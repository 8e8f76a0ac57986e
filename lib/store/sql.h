/*
 * Small wrappers of SQLite's statements: binding by position, text as struct tc_text, failures as
 * causes in the context, after which nothing is done any more. For stages that write their own
 * tables into the store being built. Parameters are values[0] for ?1 and so on; values and texts
 * must live only during the call.
 */
#pragma once

#include <sqlite3.h>
#include <stddef.h>

#include "core/context.h"
#include "core/array.h"
#include "core/text.h"

/* A value of a row. */
struct tc_sql_value {
	enum { TC_SQL_NULL, TC_SQL_INT, TC_SQL_REAL, TC_SQL_TEXT } kind;
	int64_t i64;
	double real;
	struct tc_text text;
};

static inline struct tc_sql_value tc_sql_null(void)
{
	return (struct tc_sql_value){.kind = TC_SQL_NULL};
}

static inline struct tc_sql_value tc_sql_int(int64_t value)
{
	return (struct tc_sql_value){.kind = TC_SQL_INT, .i64 = value};
}

/* NULL when there is false. */
static inline struct tc_sql_value tc_sql_int_if(bool there, int64_t value)
{
	return there ? tc_sql_int(value) : tc_sql_null();
}

static inline struct tc_sql_value tc_sql_real(double value)
{
	return (struct tc_sql_value){.kind = TC_SQL_REAL, .real = value};
}

/* NULL for a text with ptr NULL. */
static inline struct tc_sql_value tc_sql_text(struct tc_text text)
{
	return (struct tc_sql_value){.kind = text.ptr ? TC_SQL_TEXT : TC_SQL_NULL, .text = text};
}

/* NULL for NULL. */
static inline struct tc_sql_value tc_sql_string(const char *string)
{
	return tc_sql_text(tc_text_from(string));
}

/* NULL for a negative id: there is no such row. */
static inline struct tc_sql_value tc_sql_id(int64_t id)
{
	return tc_sql_int_if(id >= 0, id);
}

/* The text of a column of a row, ptr NULL for NULL; SQLite owns it until the next step. */
static inline struct tc_text tc_sql_column_text(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return (struct tc_text){text, text ? (size_t)sqlite3_column_bytes(row, column) : 0};
}

/* A column of a row, in the same way. */
struct tc_sql_value tc_sql_column(sqlite3_stmt *row, int column);

/* SQLite calls a progress handler after this many instructions: usually microseconds, but each one
 * may call a function that takes a few milliseconds. */
enum { TC_SQL_CHECK_INSTRUCTIONS = 1000 };

/* Lets an interrupt of ctx stop the statements of db. ctx must live until db is closed or gets
 * another context. Replaces the connection's progress handler. */
void tc_sql_stop_on_interrupt(sqlite3 *db, struct tc_ctx *ctx);

/* False for functions that do more than compute, and for those that stay slow under limits of
 * values. */
bool tc_sql_may_call(const char *function);

/* Prepares a statement, runs it once with the values, and frees it. */
void tc_sql_run(struct tc_ctx *ctx, sqlite3 *db, const char *sql, const struct tc_sql_value *values,
	size_t count);
/* Called for a row of a query, which sqlite3_column_*() reads, until the context has failed. */
typedef void (*tc_sql_row_fn)(void *user, sqlite3_stmt *row);

/* Prepares such a query, takes its rows, and frees it. */
void tc_sql_each(struct tc_ctx *ctx, sqlite3 *db, const char *sql,
	const struct tc_sql_value *parameters, tc_sql_row_fn take, void *user);
/* The integer in the first column of the first row; *found: there is a row, and the column is not
 * NULL. */
void tc_sql_lookup(int64_t *out, bool *found, struct tc_ctx *ctx, sqlite3 *db, const char *sql,
	const struct tc_sql_value *parameters);

/*
 * Tables: rows into the store being built. A statement is prepared once, however many rows it
 * writes, and found by the address of its text. Once the context has failed nothing is done any
 * more, so many steps need one look at it at their end.
 */

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

/* The first statement of a text, prepared for the caller to bind and step; NULL when the text has
 * none. Returns an SQLite code, and leaves the context as it is. The statement is borrowed:
 * sqlite3_reset() after use. The text must stay where it is until tc_tables_end(). */
int tc_tables_prepare(sqlite3_stmt **out, struct tc_tables *tables, const char *sql);
/* Inserts a row. into is a table and its columns, "plan (trace_id, ord, fix)", or a statement. It
 * must stay where it is until tc_tables_end(). */
void tc_tables_put(struct tc_tables *tables, const char *into, const struct tc_sql_value *values,
	size_t count);
#define TC_TABLES_PUT(tables, into, array) tc_tables_put(tables, into, array, TC_COUNT_OF(array))
/* Runs the statements of a text, each with those of the values that it names. */
void tc_tables_run(struct tc_tables *tables, const char *text, const struct tc_sql_value *values,
	size_t count);
/* The integer in the first column of the first row of a query, whose parameters are as many values
 * as it has (none: NULL). False without a row, for NULL, and after a failure. */
bool tc_tables_find(int64_t *out, struct tc_tables *tables, const char *sql,
	const struct tc_sql_value *parameters);
/* Calls take with every row of such a query. */
void tc_tables_each(struct tc_tables *tables, const char *sql,
	const struct tc_sql_value *parameters, tc_sql_row_fn take, void *user);

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

/* ---- rows of a query */

/* A running query, which ends after its last row; tc_rows_close() ends one that may have more. The
 * context keeps a failure (tc_ctx_failed()), and after one, whatever failed, no query has rows any
 * more: a report then runs to its end without writing anything. */
struct tc_rows {
	struct tc_ctx *ctx;
	sqlite3 *db;
	sqlite3_stmt *stmt;
	bool is_kept; /* it does not end after its last row */
};

struct tc_rows tc_rows_open(struct tc_ctx *ctx, sqlite3 *db, const char *sql);
/* A query with integers for ?1, ?2 and so on:
 * struct tc_rows rows = TC_ROWS(ctx, db, "SELECT ...", trace_id, step); */
#define TC_ROWS(ctx, db, sql, ...)                                                                 \
	tc_rows_open_with(ctx, db, sql, (const int64_t[]){__VA_ARGS__},                            \
		sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
struct tc_rows tc_rows_open_with(
	struct tc_ctx *ctx, sqlite3 *db, const char *sql, const int64_t *values, size_t count);
/* For more parameters, before the first row. The text is borrowed. */
void tc_rows_bind(struct tc_rows *rows, int at, int64_t value);
void tc_rows_bind_text(struct tc_rows *rows, int at, struct tc_text text);
bool tc_rows_next(struct tc_rows *rows);
void tc_rows_close(struct tc_rows *rows);

/* A query to run several times. tc_rows_again() starts it with a value of ?1; the other parameters
 * stay. It ends with tc_rows_close() only. */
struct tc_rows tc_rows_prepare(struct tc_ctx *ctx, sqlite3 *db, const char *sql);
void tc_rows_again(struct tc_rows *rows, int64_t value);

/* Columns from 0. Text is borrowed until the next row; its ptr is NULL for NULL. */
struct tc_sql_value tc_rows_value(const struct tc_rows *rows, int column);
bool tc_rows_null(const struct tc_rows *rows, int column);
int64_t tc_rows_int(const struct tc_rows *rows, int column);
double tc_rows_real(const struct tc_rows *rows, int column);
struct tc_text tc_rows_text(const struct tc_rows *rows, int column);

/* The integer of the only row of a query with at most one parameter; 0 without rows. */
int64_t tc_rows_single(struct tc_ctx *ctx, sqlite3 *db, const char *sql, int64_t parameter);
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

/* What a report reads: rows of a query. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/context.h"
#include "core/text.h"

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
bool tc_rows_null(const struct tc_rows *rows, int column);
int64_t tc_rows_int(const struct tc_rows *rows, int column);
double tc_rows_real(const struct tc_rows *rows, int column);
struct tc_text tc_rows_text(const struct tc_rows *rows, int column);

/* The integer of the only row of a query with at most one parameter; 0 without rows. */
int64_t tc_rows_single(struct tc_ctx *ctx, sqlite3 *db, const char *sql, int64_t parameter);

/* The steady run of a trace, of which gains are shares; without one its wall time. */
int64_t tc_rows_steady_ns(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);

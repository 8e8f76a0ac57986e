/*
 * Small statements of the analysis: prepare, bind, run. Failures carry what was being done.
 */
#ifndef TC_ANALYSIS_STATEMENT_H
#define TC_ANALYSIS_STATEMENT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/text.h"
#include "tracecoach/context.h"

/* Prepares one statement; what says for what ("write metrics"). */
enum tc_status tc_statement_compile(
	sqlite3_stmt **out, struct tc_ctx *ctx, sqlite3 *db, const char *sql, const char *what);

/* Binds text (NULL when ptr is NULL), a C string (or NULL), an id (NULL when negative), an
 * integer. The texts must live until the statement ran. */
void tc_statement_text(sqlite3_stmt *statement, int column, struct tc_text text);
void tc_statement_string(sqlite3_stmt *statement, int column, const char *string);
void tc_statement_id(sqlite3_stmt *statement, int column, int64_t id);
void tc_statement_integer(sqlite3_stmt *statement, int column, int64_t value);

/* Runs a statement that returns no rows, and resets it. */
enum tc_status tc_statement_run(struct tc_ctx *ctx, sqlite3_stmt *statement, const char *what);

/* The first column of the first row of a query whose parameter 1 is id; found says that there is
 * a row and it is not NULL. */
enum tc_status tc_statement_lookup(
	int64_t *out, bool *found, struct tc_ctx *ctx, sqlite3 *db, const char *sql, int64_t id);

#endif

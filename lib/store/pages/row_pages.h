/*
 * Private to the store: the tables that rows of batches go into, written as pages of an SQLite file
 * without SQLite, which takes five times as long for a row. SQLite must have no transaction open
 * from tc_row_pages_begin() to tc_row_pages_end(), takes its lock anew for the next one, and never
 * writes to these tables; so they have no index until all rows are in.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

#include "core/context.h"
#include "store/batch.h"
#include "store/sql.h"

struct tc_row_pages;

/* Finds the tables, which are empty. NULL after a failure. name is that of the store, in errors;
 * borrowed. */
struct tc_row_pages *tc_row_pages_new(struct tc_ctx *ctx, sqlite3 *db, const char *name);
/* NULL is fine. */
void tc_row_pages_free(struct tc_row_pages *pages);
/* begin, end and save return whether they worked: the context may have failed elsewhere. */
bool tc_row_pages_begin(struct tc_row_pages *pages, int fd);
/* Appends all rows of a batch. Their numbers ascend in each table. */
void tc_row_pages_put(struct tc_row_pages *pages, const struct tc_batch *batch);
/* Appends a row of one of these tables, by its place in batch_rows.def: all columns in the order of
 * the table, the number of the row first. */
void tc_row_pages_append(
	struct tc_row_pages *pages, size_t kind, const struct tc_sql_value *values, size_t count);
/* Makes the file one that SQLite can read. */
bool tc_row_pages_end(struct tc_row_pages *pages);

/* Keeps the state of now, with no rows under way, to restore it later: the pages of the time, in a
 * file that SQLite has brought back to what it was. It then goes on with rows, or ends. With a
 * negative fd nothing is kept any more. */
bool tc_row_pages_save(struct tc_row_pages *pages, int fd);
void tc_row_pages_restore(struct tc_row_pages *pages);

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
/* Makes the file one that SQLite can read. */
bool tc_row_pages_end(struct tc_row_pages *pages);

/* Keeps the state of now, with no rows under way, to restore it later: the pages of the time, in a
 * file that SQLite has brought back to what it was. It then goes on with rows, or ends. */
bool tc_row_pages_save(struct tc_row_pages *pages, int fd);
void tc_row_pages_restore(struct tc_row_pages *pages);
/* Frees what was saved. */
void tc_row_pages_forget(struct tc_row_pages *pages);

/*
 * Private to the store: the tables that rows of batches go into, written without SQLite, which
 * takes five times as long for a row. SQLite must have no transaction open from
 * tc_row_pages_begin() to tc_row_pages_end(), takes its lock anew for the next one, and never
 * writes to these tables; so they have no index until all rows are in.
 */
#ifndef TC_STORE_PAGES_ROW_PAGES_H
#define TC_STORE_PAGES_ROW_PAGES_H

#include <sqlite3.h>

#include "core/context.h"
#include "store/pages/batch_records.h"
#include "store/pages/page_tree.h"

/* All zero, it is empty and can be cleared. */
struct tc_row_pages {
	struct tc_ctx *ctx;
	struct tc_page_file file, saved_file;
	struct tc_page_tree trees[TC_BATCH_KINDS], saved[TC_BATCH_KINDS];
	struct tc_record record;
};

/* Finds the tables, which are empty. */
enum tc_status tc_row_pages_init(struct tc_row_pages *pages, struct tc_ctx *ctx, sqlite3 *db);
enum tc_status tc_row_pages_begin(struct tc_row_pages *pages, int fd);
/* Appends all rows of a batch. Their numbers ascend in each table. */
enum tc_status tc_row_pages_put(struct tc_row_pages *pages, const struct tc_batch *batch);
/* Makes the file one that SQLite can read. */
enum tc_status tc_row_pages_end(struct tc_row_pages *pages);

/* Keeps the state of now, with no rows under way, to restore it later: the pages of the time, in a
 * file that SQLite has brought back to what it was. It then goes on with rows, or ends. */
enum tc_status tc_row_pages_save(struct tc_row_pages *pages, int fd);
enum tc_status tc_row_pages_restore(struct tc_row_pages *pages);
/* Frees what was saved. */
void tc_row_pages_forget(struct tc_row_pages *pages);

void tc_row_pages_clear(struct tc_row_pages *pages);

#endif

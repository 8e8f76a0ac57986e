/*
 * Private to the store: the tables that rows of batches go into, written without SQLite, which
 * takes five times as long for a row. SQLite must have no transaction open from
 * tc_row_pages_begin() to tc_row_pages_end(), takes its lock anew for the next one, and never
 * writes to these tables; so they have no index until all rows are in.
 */
#ifndef TC_STORE_PAGES_ROW_PAGES_H
#define TC_STORE_PAGES_ROW_PAGES_H

#include <sqlite3.h>
#include <stdbool.h>

#include "core/context.h"
#include "store/batch.h"
#include "store/pages/page.h"
#include "store/pages/record.h"

/*
 * Private to the store: a table whose rows come by ascending numbers, written as pages of an SQLite
 * file without SQLite. A page is written once it is full; those that are open, one a level, stay in
 * memory and are written at tc_page_tree_flush(), when SQLite is to read the table, and again when
 * more rows came. Invariants: each page but an empty root has a cell, and the root keeps its number
 * while levels are added below it.
 */

/* A page of numbers leads to a thousand or more: three levels of them to more pages than a file
 * has. */
enum { TC_PAGE_TREE_LEVELS = 5 };

/* The open page of a level; level 0 has the rows. */
struct tc_page_tree_level {
	uint8_t *page;
	uint32_t number;
	unsigned cell_count, cells_at; /* cells lie from cells_at to the end of the page */
	int64_t last_id;               /* of its last cell */
	/* Of inner pages: the page below in the last cell, and the open one. */
	uint32_t last_below, open_below;
};

struct tc_page_tree {
	uint32_t root;
	int level_count;
	struct tc_page_tree_level levels[TC_PAGE_TREE_LEVELS];
	bool has_rows;
	bool is_changed; /* since the last flush */
};

/* Whether a row may have this number: it is larger than that of the row before. */
static inline bool tc_page_tree_takes(const struct tc_page_tree *tree, int64_t id)
{
	return !tree->has_rows || id > tree->levels[0].last_id;
}

/* All of these return 0 or an errno. The root page is that of an empty table. */
int tc_page_tree_init(struct tc_page_tree *tree, uint32_t root);
int tc_page_tree_append(struct tc_page_tree *tree, struct tc_page_file *file, int64_t id,
	struct tc_record_bytes record);
int tc_page_tree_flush(struct tc_page_tree *tree, const struct tc_page_file *file);
void tc_page_tree_clear(struct tc_page_tree *tree);

/* Private to the store: the rows of a batch as records of their tables. */

/* Kinds of rows, each with a table of its own. */
enum { TC_BATCH_KINDS = 9 };

const char *tc_batch_table(int kind);

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

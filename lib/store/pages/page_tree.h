/*
 * Private to the store: a table whose rows come by ascending numbers, written as pages of an SQLite
 * file without SQLite. A page is written once it is full; those that are open, one a level, stay in
 * memory and are written at tc_page_tree_flush(), when SQLite is to read the table, and again when
 * more rows came. Invariants: each page but an empty root has a cell, and the root keeps its number
 * while levels are added below it.
 */
#ifndef TC_STORE_PAGES_PAGE_TREE_H
#define TC_STORE_PAGES_PAGE_TREE_H

#include <stdbool.h>

#include "store/pages/page.h"
#include "store/pages/record.h"

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
/* Makes to a copy of from. to must not own anything; the caller clears both. */
int tc_page_tree_copy(struct tc_page_tree *to, const struct tc_page_tree *from);
void tc_page_tree_clear(struct tc_page_tree *tree);

#endif

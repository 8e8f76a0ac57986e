/*
 * Private to the store: the tables that rows of batches go into, written as pages of an SQLite file
 * without SQLite, which takes five times as long for a row. SQLite must have no transaction open
 * from tc_row_pages_begin() to tc_row_pages_end(), takes its lock anew for the next one, and never
 * writes to these tables; so they have no index until all rows are in.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

#include "core/context.h"
#include "core/text.h"
#include "store/batch.h"
#include "store/pages/page.h"

/* ---- the file */

/* Pages of a file that SQLite does not have in use meanwhile. */
struct tc_page_file {
	int fd;
	uint32_t page_count;
};

/* These return 0 or an errno. */
/* Reads the page count of a file that SQLite has written. */
int tc_page_file_begin(struct tc_page_file *file, int fd);
/* Writes the page count, and counts a change, so that SQLite forgets what it has of the file. */
int tc_page_file_end(const struct tc_page_file *file);

/* The number of a page after the last one. */
uint32_t tc_page_new(struct tc_page_file *file);

/*
 * ---- a record: a row as SQLite stores it, the types of its columns and then their values. Columns
 * are added in the order of the table. Those that are missing at the end have their default, as if
 * they had been added to the table later; so NULLs at the end are not stored.
 */

enum {
	TC_RECORD_COLUMNS = 12, /* at most */
	TC_RECORD_TYPES_BYTES = TC_RECORD_COLUMNS * TC_VARINT_BYTES,
	/* Room before the values for the types and their length, which are known last. */
	TC_RECORD_HEAD_BYTES = TC_RECORD_TYPES_BYTES + 1,
};

struct tc_record {
	uint8_t types[TC_RECORD_TYPES_BYTES];
	size_t type_bytes, stored_type_bytes; /* without NULLs at the end */
	uint8_t *bytes;                       /* the values begin at TC_RECORD_HEAD_BYTES */
	size_t len, capacity;
	bool failed; /* memory is out */
};

/* The bytes of a record that has all its columns. */
struct tc_record_bytes {
	const uint8_t *ptr;
	size_t len;
};

/* Begins the next record with the column of the row's number, whose value is not in the record. */
void tc_record_begin(struct tc_record *record);
void tc_record_text(struct tc_record *record, struct tc_text text);
/* Adds a value of a column of type REAL. */
void tc_record_real(struct tc_record *record, double value);
/* Borrowed until the next one begins. */
struct tc_record_bytes tc_record_end(struct tc_record *record);
void tc_record_clear(struct tc_record *record);

void tc_record_int(struct tc_record *record, int64_t value);

/*
 * ---- a tree: a table whose rows come by ascending numbers, written as pages of an SQLite
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
	/* For inner pages: the page below in the last cell, and the open one. */
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

/* ---- all tables */

/* Kinds of rows, each with a table of its own. */
enum { TC_BATCH_KINDS = 9 };

const char *tc_batch_table(int kind);

/* All zero, it is empty and can be cleared. */
struct tc_row_pages {
	struct tc_ctx *ctx;
	const char *name; /* of the store, in errors; borrowed */
	struct tc_page_file file, saved_file;
	struct tc_page_tree trees[TC_BATCH_KINDS], saved[TC_BATCH_KINDS];
	struct tc_record record;
};

/* Finds the tables, which are empty. */
void tc_row_pages_init(
	struct tc_row_pages *pages, struct tc_ctx *ctx, sqlite3 *db, const char *name);
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

void tc_row_pages_clear(struct tc_row_pages *pages);

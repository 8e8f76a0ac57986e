/*
 * Private to the store: a batch as tables that SQL can read, so that one statement inserts all its rows of a
 * kind. That takes half the time of one statement per row, which would bind, step and reset each time.
 */
#ifndef TC_STORE_BATCH_TABLE_H
#define TC_STORE_BATCH_TABLE_H

#include <sqlite3.h>

#include "core/buf.h"
#include "store/batch.h"

enum { TC_BATCH_TABLE_COUNT = 9 };

/* The tables of one connection read the current batch. */
struct tc_batch_tables {
	const struct tc_batch *batch;
	struct tc_batch_table {
		const struct tc_batch_tables *owner;
		const struct tc_batch_kind *kind;
	} tables[TC_BATCH_TABLE_COUNT];
};

/* Registers the tables with db; returns an SQLite code. *tables must not move until it is
 * unregistered. */
int tc_batch_tables_register(struct tc_batch_tables *tables, sqlite3 *db);
/* Makes db forget them. */
void tc_batch_tables_unregister(sqlite3 *db);

/* Number of rows of table number i in the current batch. */
size_t tc_batch_table_rows(const struct tc_batch_tables *tables, int i);
/* Id of the given row. */
int64_t tc_batch_table_id(const struct tc_batch_tables *tables, int i, size_t row);
/*
 * Appends the statement that inserts every row into the table of the store: with the rows' own ids, or,
 * cheaper, with the ids after the largest one there.
 */
void tc_batch_table_insert_sql(struct tc_buf *sql, int i, bool own_ids);

#endif

/* What helps after a statement that SQLite does not understand: names that are there. */
#ifndef TC_STORE_QUERY_HINT_H
#define TC_STORE_QUERY_HINT_H

#include <sqlite3.h>

#include "core/buf.h"

/*
 * Appends to an error of a statement, as SQLite words it: after "no such column" the nearest column of
 * the tables that the statement names, and all of them; after "no such table" the nearest table.
 * Nothing for other errors.
 */
void tc_query_hint(struct tc_buf *buf, sqlite3 *db, const char *sql, const char *message);

#endif

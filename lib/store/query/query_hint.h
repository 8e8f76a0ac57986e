/* Hints for a statement that SQLite does not understand: names that exist. */
#ifndef TC_STORE_QUERY_QUERY_HINT_H
#define TC_STORE_QUERY_QUERY_HINT_H

#include <sqlite3.h>

#include "core/buf.h"

/*
 * Appends a hint to an error message of SQLite: after "no such column" the nearest column of the
 * tables in the statement, and all their columns; after "no such table" the nearest table. Nothing
 * for other errors.
 */
void tc_query_hint(struct tc_buf *buf, sqlite3 *db, const char *sql, const char *message);

#endif

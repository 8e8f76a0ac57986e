/* The tables and views of an empty store. */
#ifndef TC_STORE_LAYOUT_CREATE_H
#define TC_STORE_LAYOUT_CREATE_H

#include <sqlite3.h>

/* Writes the pages of their tables and indexes into an empty file, before it is opened as a
 * database. Returns 0 or an errno. */
int tc_store_lay_out(int fd);
/* Creates them in the database of that file, in a transaction that stays open; returns an SQLite
 * code. */
int tc_store_create(sqlite3 *db);

#endif

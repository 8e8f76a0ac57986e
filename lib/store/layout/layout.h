/* Private to the store: the tables and views of an empty store, and texts of SQL as SQLite keeps
 * them in its schema. */
#pragma once

#include <sqlite3.h>

/* Writes the pages of all tables and indexes into an empty file, before it is opened as a database.
 * Returns 0 or an errno. */
int tc_store_lay_out(int fd);
/* Creates the tables and views in the database of that file, in a transaction that stays open;
 * returns an SQLite code. */
int tc_store_create(sqlite3 *db);

/* Columns of sqlite_schema and of tables like it. */
#define TC_OBJECT_COLUMNS "(type, name, tbl_name, rootpage, sql)"

/*
 * Inserts into a table with TC_OBJECT_COLUMNS all objects that a text of SQL creates. The text is
 * part of tracecoach: statements that begin with CREATE TABLE, CREATE INDEX or CREATE VIEW, and
 * comments. Objects with pages of their own get numbers from *root on, which moves after the last.
 * Returns an SQLite code.
 */
int tc_objects_put(sqlite3 *db, const char *table, const char *sql, int *root);

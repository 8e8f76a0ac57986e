/*
 * Private to the store: the objects that a text of SQL creates, as SQLite stores them in
 * sqlite_schema. The text is part of tracecoach: statements that begin with CREATE TABLE, CREATE
 * INDEX or CREATE VIEW, and comments.
 */
#ifndef TC_STORE_LAYOUT_OBJECTS_H
#define TC_STORE_LAYOUT_OBJECTS_H

#include <sqlite3.h>

#include "core/text.h"

/* Columns of sqlite_schema and of tables like it. */
#define TC_OBJECT_COLUMNS "(type, name, tbl_name, rootpage, sql)"

struct tc_object {
	struct tc_text type; /* table, index or view */
	struct tc_text name;
	struct tc_text table; /* its own name, or the table of an index */
	struct tc_text sql;   /* from the name on */
	bool has_index_pages; /* an index, or a table WITHOUT ROWID */
};

/* The next object at *at, which moves after it; false at the end of the text. Borrows the text. */
bool tc_object_next(struct tc_object *out, const char **at);

/* Inserts all objects of sql into a table with TC_OBJECT_COLUMNS. Those with pages of their own get
 * numbers from *root on, which moves after the last. Returns an SQLite code. */
int tc_objects_put(sqlite3 *db, const char *table, const char *sql, int *root);

#endif

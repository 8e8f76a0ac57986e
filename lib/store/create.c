/*
 * Makes the tables and views of a store; see create.h. For every CREATE VIEW SQLite searches all of its
 * schema, which took longer than all tables, so views are put there as rows and read at once.
 */
#include "store/create.h"

#include <string.h>

/* The statements in schema/ and views/, embedded by the build. */
extern const char tc_schema_sql[], tc_views_sql[];

static const char create[] = "CREATE VIEW ";

/* Puts one view, of which sql is the statement up to its semicolon, as SQLite would write it. */
static int put_view(sqlite3_stmt *insert, const char *sql, size_t len)
{
	const char *name = sql + sizeof(create) - 1;

	sqlite3_bind_text(insert, 1, name, (int)strcspn(name, " "), SQLITE_STATIC);
	sqlite3_bind_text(insert, 2, sql, (int)len, SQLITE_STATIC);
	sqlite3_step(insert);
	return sqlite3_reset(insert);
}

static int put_views(sqlite3 *db)
{
	sqlite3_stmt *insert = NULL;
	const char *at = tc_views_sql;
	int code = sqlite3_prepare_v2(db,
		"INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql)"
		" VALUES ('view', ?1, ?1, 0, ?2)",
		-1, &insert, NULL);

	while (code == SQLITE_OK && (at = strstr(at, create))) {
		const char *end = strstr(at, ";\n");
		code = end ? put_view(insert, at, (size_t)(end - at)) : SQLITE_CORRUPT;
		at = end;
	}
	sqlite3_finalize(insert);
	return code;
}

int tc_store_create(sqlite3 *db)
{
	int code = sqlite3_exec(db, tc_schema_sql, NULL, NULL, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_exec(db, "PRAGMA writable_schema = ON", NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = put_views(db);
	/* This also forgets what was read of the schema, so that the views are seen. */
	int reset = sqlite3_exec(db, "PRAGMA writable_schema = RESET", NULL, NULL, NULL);
	return code == SQLITE_OK ? reset : code;
}

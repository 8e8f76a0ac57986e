/*
 * Makes the tables and views of a store; see create.h. For every CREATE statement SQLite compiles
 * statements of its own and reads its schema again, which took a seventh of the time of a small
 * trace. So the file is laid out with an empty page for each table and index, and the schema is
 * inserted as rows and read once.
 */
#include "store/layout/create.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "store/layout/objects.h"
#include "store/pages/page.h"

/* The statements in schema/ and views/, embedded by the build. */
extern const char tc_schema_sql[], tc_views_sql[];

/* No other process uses the file before the seal, and it need not survive a crash: no journal, no
 * syncs. Locks cost nothing, because the file system is ours (vfs.h), and SQLite looks whether the
 * file was changed when it takes one: rows are written without it (pages/row_pages.h). */
static const char start_sql[] = "PRAGMA journal_mode = OFF;"
				"PRAGMA synchronous = OFF;"
				"PRAGMA temp_store = FILE;"
				"PRAGMA writable_schema = ON;"
				"BEGIN EXCLUSIVE";

/* After the page of sqlite_schema. */
enum { FIRST_ROOT = 2 };

/* The header of a page without rows. */
static void put_leaf(uint8_t *to, int kind)
{
	to[0] = (uint8_t)kind;
	tc_put_be16(to + 5, TC_PAGE_BYTES); /* where rows begin */
}

/* The header that SQLite itself writes for a database of that page size. */
static void put_header(uint8_t *to, uint32_t page_count)
{
	memcpy(to, "SQLite format 3", 16);
	tc_put_be16(to + 16, TC_PAGE_BYTES);
	to[18] = to[19] = 1; /* file format versions: without a write-ahead log */
	to[21] = 64;         /* fractions of a page that a row may fill: constants of the format */
	to[22] = to[23] = 32;
	tc_put_be32(to + TC_AT_CHANGE_COUNTER, 1);
	tc_put_be32(to + TC_AT_PAGE_COUNT, page_count);
	tc_put_be32(to + 44, 4); /* format of the schema */
	tc_put_be32(to + 56, 1); /* UTF-8 */
	tc_put_be32(to + TC_AT_VALID_FOR, 1);
	tc_put_be32(to + 96, SQLITE_VERSION_NUMBER);
}

static int write_root(int fd, const struct tc_object *object, uint32_t page)
{
	uint8_t leaf[TC_LEAF_BYTES] = {0};

	put_leaf(leaf, object->has_index_pages ? TC_PAGE_INDEX_LEAF : TC_PAGE_TABLE_LEAF);
	return tc_page_write(fd, page, leaf, sizeof(leaf));
}

int tc_store_lay_out(int fd)
{
	uint8_t head[TC_FILE_HEADER_BYTES + TC_LEAF_BYTES] = {0};
	const char *at = tc_schema_sql;
	uint32_t page = FIRST_ROOT;
	struct tc_object object;
	int error = 0;

	while (!error && tc_object_next(&object, &at))
		error = write_root(fd, &object, page++);
	put_header(head, page - 1);
	put_leaf(head + TC_FILE_HEADER_BYTES, TC_PAGE_TABLE_LEAF);
	if (!error)
		error = tc_page_write(fd, 1, head, sizeof(head));
	return error || ftruncate(fd, (off_t)(page - 1) * TC_PAGE_BYTES) == 0 ? error : errno;
}

int tc_store_create(sqlite3 *db)
{
	int root = FIRST_ROOT;
	int code = sqlite3_exec(db, start_sql, NULL, NULL, NULL);

	if (code == SQLITE_OK)
		code = tc_objects_put(db, "sqlite_schema", tc_schema_sql, &root);
	if (code == SQLITE_OK)
		code = tc_objects_put(db, "sqlite_schema", tc_views_sql, &root);
	/* This also makes SQLite read the whole schema again. */
	int reset = sqlite3_exec(db, "PRAGMA writable_schema = RESET", NULL, NULL, NULL);
	return code == SQLITE_OK ? reset : code;
}

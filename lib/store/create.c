/*
 * Makes the tables and views of a store; see create.h. For every CREATE statement SQLite compiles statements
 * of its own and reads its schema again, which took a seventh of the time of a small trace. So the file
 * is laid out with an empty page for each table and index, and the schema is inserted as rows and read
 * once.
 */
#include "store/create.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "store/objects.h"

/* The statements in schema/ and views/, embedded by the build. */
extern const char tc_schema_sql[], tc_views_sql[];

/* Large pages make appends cheap. But every table has at least one page, even in the store of a
 * small trace. */
enum { PAGE_BYTES = 16384 };

/* No other process uses the file before the seal, and it need not survive a crash: no journal, no
 * syncs, no locks. */
static const char start_sql[] = "PRAGMA journal_mode = OFF;"
				"PRAGMA synchronous = OFF;"
				"PRAGMA locking_mode = EXCLUSIVE;"
				"PRAGMA temp_store = FILE;"
				"PRAGMA writable_schema = ON;"
				"BEGIN EXCLUSIVE";

/* Offsets in the header of an SQLite file and of a page, from SQLite's documentation of its file
 * format. */
enum {
	HEADER_BYTES = 100,
	LEAF_BYTES = 8,
	LEAF_OF_INDEX = 10,
	LEAF_OF_TABLE = 13,
	FIRST_ROOT = 2, /* after the page of sqlite_schema */
};

static void put_be16(uint8_t *to, unsigned number)
{
	to[0] = (uint8_t)(number >> 8);
	to[1] = (uint8_t)number;
}

static void put_be32(uint8_t *to, uint32_t number)
{
	put_be16(to, number >> 16);
	put_be16(to + 2, number & 0xffff);
}

/* The header of a page without rows. */
static void put_leaf(uint8_t *to, int kind)
{
	to[0] = (uint8_t)kind;
	put_be16(to + 5, PAGE_BYTES); /* where rows begin */
}

/* The header that SQLite itself writes for a database of that page size. */
static void put_header(uint8_t *to, uint32_t page_count)
{
	memcpy(to, "SQLite format 3", 16);
	put_be16(to + 16, PAGE_BYTES);
	to[18] = to[19] = 1; /* file format versions: without a write-ahead log */
	to[21] = 64;         /* fractions of a page that a row may fill: constants of the format */
	to[22] = to[23] = 32;
	put_be32(to + 24, 1); /* change counter */
	put_be32(to + 28, page_count);
	put_be32(to + 44, 4); /* format of the schema */
	put_be32(to + 56, 1); /* UTF-8 */
	put_be32(to + 92, 1); /* the change counter for which the page count is valid */
	put_be32(to + 96, SQLITE_VERSION_NUMBER);
}

/* 0 or an errno. */
static int write_at(int fd, const uint8_t *bytes, size_t len, off_t offset)
{
	ssize_t put;

	do
		put = pwrite(fd, bytes, len, offset);
	while (put < 0 && errno == EINTR);
	return put == (ssize_t)len ? 0 : put < 0 ? errno : ENOSPC;
}

static int write_root(int fd, const struct tc_object *object, uint32_t page)
{
	uint8_t leaf[LEAF_BYTES] = {0};

	put_leaf(leaf, object->has_index_pages ? LEAF_OF_INDEX : LEAF_OF_TABLE);
	return write_at(fd, leaf, sizeof(leaf), (off_t)(page - 1) * PAGE_BYTES);
}

int tc_store_lay_out(int fd)
{
	uint8_t head[HEADER_BYTES + LEAF_BYTES] = {0};
	const char *at = tc_schema_sql;
	uint32_t page = FIRST_ROOT;
	struct tc_object object;
	int error = 0;

	while (!error && tc_object_next(&object, &at))
		error = write_root(fd, &object, page++);
	put_header(head, page - 1);
	put_leaf(head + HEADER_BYTES, LEAF_OF_TABLE);
	if (!error)
		error = write_at(fd, head, sizeof(head), 0);
	return error || ftruncate(fd, (off_t)(page - 1) * PAGE_BYTES) == 0 ? error : errno;
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

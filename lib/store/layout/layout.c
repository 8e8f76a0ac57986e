/*
 * Makes the tables and views of a store. For every CREATE statement SQLite compiles
 * statements of its own and reads its schema again, which took a seventh of the time of a small
 * trace. So the file is laid out with an empty page for each table and index, and the schema is
 * inserted as rows and read once.
 */
#include "store/layout/layout.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "store/pages/page.h"

/* ---- statements as rows of a schema */

struct object {
	struct tc_text type; /* table, index or view */
	struct tc_text name;
	struct tc_text table; /* its own name, or the table of an index */
	struct tc_text sql;   /* from the name on */
	bool has_index_pages; /* an index, or a table WITHOUT ROWID */
};

static bool takes(const char **at, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

/* After the comment or quoted text that begins here, or else the next character. */
static const char *behind(const char *at)
{
	if (at[0] == '-' && at[1] == '-')
		return at + strcspn(at, "\n");
	if (*at == '\'') {
		const char *end = strchr(at + 1, '\'');
		return end ? end + 1 : at + strlen(at);
	}
	return at + 1;
}

static const char *end_of_statement(const char *at)
{
	while (*at && *at != ';')
		at = behind(at);
	return at;
}

static struct tc_text word_at(const char *at)
{
	return (struct tc_text){at, strcspn(at, " (")};
}

static bool take_type(struct object *object, const char **at)
{
	if (takes(at, "TABLE "))
		object->type = TC_TEXT("table");
	else if (takes(at, "VIEW "))
		object->type = TC_TEXT("view");
	else if (takes(at, "INDEX "))
		object->type = TC_TEXT("index");
	else
		return false;
	takes(at, "IF NOT EXISTS ");
	return true;
}

/* The next object at *at, which moves after it; false at the end of the text. Borrows the text. */
static bool next_object(struct object *out, const char **at)
{
	struct object object = {0};

	while (**at && !(**at == 'C' && takes(at, "CREATE ")))
		*at = behind(*at);
	if (!take_type(&object, at))
		return false;
	const char *end = end_of_statement(*at);
	object.sql = (struct tc_text){*at, (size_t)(end - *at)};
	object.name = object.table = word_at(*at);
	object.has_index_pages = tc_text_ends(object.sql, TC_TEXT("WITHOUT ROWID"));
	if (object.type.ptr[0] == 'i') {
		object.table = word_at(object.name.ptr + object.name.len + strlen(" ON "));
		object.has_index_pages = true;
	}
	*at = end;
	*out = object;
	return true;
}

static void bind(sqlite3_stmt *insert, int index, struct tc_text text)
{
	sqlite3_bind_text(insert, index, text.ptr, (int)text.len, SQLITE_STATIC);
}

static int put(sqlite3_stmt *insert, const struct object *object, int *root)
{
	bool is_view = object->type.ptr[0] == 'v';

	bind(insert, 1, object->type);
	bind(insert, 2, object->name);
	bind(insert, 3, object->table);
	sqlite3_bind_int(insert, 4, is_view ? 0 : (*root)++);
	bind(insert, 5, object->sql);
	sqlite3_step(insert);
	return sqlite3_reset(insert);
}

int tc_objects_put(sqlite3 *db, const char *table, const char *sql, int *root)
{
	sqlite3_stmt *insert = NULL;
	struct object object;
	char *text = sqlite3_mprintf("INSERT INTO %s " TC_OBJECT_COLUMNS " VALUES (?1, ?2, ?3, ?4,"
				     " 'CREATE ' || upper(?1) || ' ' || ?5)",
		table);
	int code = text ? sqlite3_prepare_v2(db, text, -1, &insert, NULL) : SQLITE_NOMEM;

	while (code == SQLITE_OK && next_object(&object, &sql))
		code = put(insert, &object, root);
	sqlite3_finalize(insert);
	sqlite3_free(text);
	return code;
}

/* ---- an empty store */

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

static int write_root(int fd, const struct object *object, uint32_t page)
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
	struct object object;
	int error = 0;

	while (!error && next_object(&object, &at))
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
	/* The pragma also makes SQLite read the whole schema again. After a failure the connection
	 * still has to say what failed. */
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, "PRAGMA writable_schema = RESET", NULL, NULL, NULL);
	return code;
}

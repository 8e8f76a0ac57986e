/*
 * A good database, and changes to it that an input lists, so that seeds are small and most changes
 * get past the door:
 *   0 OFFSET:3 BYTE        a byte of the file
 *   N TABLE COLUMN VALUE   a column of a table: in all rows where N is odd, else in those with its
 *                          greatest value; such rows are removed where N ends with the bits 110
 */
#include <sqlite3.h>
#include <string.h>

#include "fuzz/harness.h"

/* What columns are set to; a table that is STRICT refuses some. */
static const char *const values[] = {"NULL", "0", "-1", "1", "9223372036854775807",
	"-9223372036854775807 - 1", "4611686018427387904", "1e300", "-1e300", "9e999", "''", "'x'",
	"CAST(x'ff' AS TEXT)", "CAST(x'e280ae' AS TEXT)", "CAST(x'c29b32' AS TEXT)",
	"CAST(x'1b5b324a' AS TEXT)", "char(10)", "CAST(x'6100' AS TEXT) || 'b'", "'{\"a\":'",
	"'{\"a\": [1, 2, {\"b\": null}]}'", "replace(hex(zeroblob(3000)), '0', 'a')",
	"replace(hex(zeroblob(3000)), '0', 'a ')", "replace(hex(zeroblob(3000)), '00', 'a::b<')",
	"x'00ff'", "rowid", "rowid * 1000000007", "hex(rowid)", "'0'", "'device'", "'cuda'",
	"'gaudi'", "'%%d%%s%%n'", "2", "1000000000", "-9223372036854775807", "0.5", "'data_loss'",
	"%s + 1", "%s - 1", "-%s", "%s * 4294967296", "%s / 2", "%s || %s"};

enum { VALUE_COUNT = sizeof(values) / sizeof(values[0]) };

/* Runs a statement, or does nothing where the table does not take it. */
static void run(sqlite3 *db, char *sql)
{
	demand(sql != NULL, "out of memory");
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
}

static void change_rows(sqlite3 *db, const uint8_t *change, const char *table, const char *column)
{
	char *name = sqlite3_mprintf("\"%w\"", column);
	char *value = sqlite3_mprintf(values[change[3] % VALUE_COUNT], name, name);
	char *rows = sqlite3_mprintf(
		"%d OR %s = (SELECT max(%s) FROM \"%w\")", change[0] % 2, name, name, table);

	if (change[0] % 8 == 6)
		run(db, sqlite3_mprintf("DELETE FROM \"%w\" WHERE %s", table, rows));
	else
		run(db, sqlite3_mprintf("UPDATE OR REPLACE \"%w\" SET %s = %s WHERE %s", table,
				name, value, rows));
	sqlite3_free(name);
	sqlite3_free(value);
	sqlite3_free(rows);
}

static void change_column(sqlite3 *db, const uint8_t *change)
{
	sqlite3_stmt *columns;

	demand(sqlite3_prepare_v2(db,
		       "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
		       " WHERE m.type = 'table' AND m.rowid % 64 = ?1 AND c.cid = ?2",
		       -1, &columns, NULL) == SQLITE_OK,
		sqlite3_errmsg(db));
	sqlite3_bind_int(columns, 1, change[1] % 64);
	sqlite3_bind_int(columns, 2, change[2] % 24);
	if (sqlite3_step(columns) == SQLITE_ROW)
		change_rows(db, change, (const char *)sqlite3_column_text(columns, 0),
			(const char *)sqlite3_column_text(columns, 1));
	sqlite3_finalize(columns);
}

static void change_columns(const char *path, const uint8_t *data, size_t size)
{
	sqlite3 *db = NULL;

	demand(sqlite3_open(path, &db) == SQLITE_OK, "cannot open the database");
	sqlite3_exec(
		db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL);
	for (size_t at = 0; at + 4 <= size; at += data[at] != 0 ? 4 : 5)
		if (data[at] != 0)
			change_column(db, data + at);
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(db);
}

static void change_bytes(const char *path, long len, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "r+b");

	for (size_t at = 0; file && at + 4 <= size; at += data[at] != 0 ? 4 : 5) {
		if (data[at] != 0 || at + 5 > size)
			continue;
		long offset = data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3];
		fseek(file, offset % len, SEEK_SET);
		fputc(data[at + 4], file);
	}
	if (file)
		fclose(file);
}

void fuzz_write_changed(int index, const struct tc_buf *good, const uint8_t *data, size_t size)
{
	fuzz_write(index, good->ptr, good->len);
	change_columns(fuzz_path(index), data, size < 400 ? size : 400);
	change_bytes(fuzz_path(index), (long)good->len, data, size < 400 ? size : 400);
}

void fuzz_take_file(struct tc_buf *good, const char *path)
{
	FILE *file = fopen(path, "rb");
	char *at;
	size_t got = 1;

	while (file && got > 0 && (at = tc_buf_extend(good, 4096))) {
		got = fread(at, 1, 4096, file);
		good->len -= 4096 - got;
	}
	demand(file && good->len > 0, "cannot read the good file");
	fclose(file);
	unlink(path);
}

/* Sealed stores: what is opened, what is refused, and what the connection may do. */
#include "store_files.h"

#include "store/sealed/guard.h"
#include "store/file/header.h"

#include <errno.h>

#include "core/alloc.h"

static void read_file(const char *path, char **bytes, size_t *len)
{
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*len = (size_t)ftell(file);
	rewind(file);
	*bytes = malloc(*len);
	assert_non_null(*bytes);
	assert_int_equal(fread(*bytes, 1, *len, file), *len);
	fclose(file);
}

static void write_file(const char *path, const char *bytes, size_t len)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	fclose(file);
}

static void expect_refused(const char *path, enum tc_status status, const char *words)
{
	struct tc_store *store = NULL;

	expect_error(tc_store_open(&store, files.ctx, path), status, words);
	assert_null(store);
}

static void probe_looks_at_the_first_bytes(void **state)
{
	(void)state;
	assert_false(tc_store_probe(files.path));
	assert_false(tc_store_probe(files.directory));
	assert_false(tc_store_probe("/dev/null"));
	write_file(files.path, "SQLite format 3", 15); /* without the NUL behind it */
	assert_false(tc_store_probe(files.path));
	write_file(files.path, "SQLite format 3", 16);
	assert_true(tc_store_probe(files.path));
	expect_refused(files.path, TC_ERR_STORE, "not even an SQLite database");
	write_file(files.path, "{}", 2);
	assert_false(tc_store_probe(files.path));
	unlink(files.path);
	tc_store_close(make_store(files.path, 1));
	assert_true(tc_store_probe(files.path));
}

static void others_files_are_refused(void **state)
{
	sqlite3 *db;

	(void)state;
	expect_refused(files.path, TC_ERR_READ, strerror(ENOENT));
	expect_refused(files.directory, TC_ERR_STORE, "a directory");
	write_file(files.path, "", 0);
	expect_refused(files.path, TC_ERR_STORE, "not even an SQLite database");
	write_file(files.path, "{\"traceEvents\": []}", 19);
	expect_refused(files.path, TC_ERR_STORE, files.path);
	unlink(files.path);
	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	exec_sql(db, "CREATE TABLE trace (x)");
	sqlite3_close(db);
	expect_refused(
		files.path, TC_ERR_STORE, "no tracecoach store: tc_import() makes one of a trace");
}

static void change_store(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	exec_sql(db, sql);
	sqlite3_close(db);
}

static void other_versions_are_told(void **state)
{
	(void)state;
	tc_store_close(make_store(files.path, 1));
	change_store("PRAGMA user_version = 0");
	expect_refused(files.path, TC_ERR_STORE, "older");
	change_store("PRAGMA user_version = 1000");
	expect_refused(files.path, TC_ERR_STORE, "newer");
	expect_refused(files.path, TC_ERR_STORE, "import the trace again");
}

static void missing_tables_and_views_are_told(void **state)
{
	static const char *const rows[][2] = {
		{"DROP TABLE evidence", "evidence"},
		{"DROP VIEW slice_arg", "slice_arg"},
		{"DROP TABLE trace", "trace"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tc_store_close(make_store(files.path, 1));
		change_store(rows[i][0]);
		expect_refused(files.path, TC_ERR_STORE, rows[i][1]);
	}
}

/* A journal of another program's beside the store: told, not read, and left as it is. */
static void keep_note(void *user, enum tc_note note, const char *text)
{
	assert_int_equal(note, TC_NOTE_WARNING);
	snprintf(user, 400, "%s", text);
}

static void journals_beside_a_store_are_not_read(void **state)
{
	static const char *const ends[] = {"-wal", "-shm", "-journal"};
	sqlite3 *other;
	struct tc_store *store = NULL;
	char noted[400] = "", stray[160], moved[128], *bytes;
	size_t len;

	(void)state;
	tc_ctx_set_note(files.ctx, keep_note, noted);
	tc_store_close(make_store(files.path, 10));
	assert_int_equal(tc_store_open(&store, files.ctx, files.path), TC_OK);
	assert_string_equal(noted, "");
	tc_store_close(store);
	/* The WAL of a program that has emptied a table, put beside the store as it was. */
	read_file(files.path, &bytes, &len);
	snprintf(moved, sizeof(moved), "%s/other.db", files.directory);
	write_file(moved, bytes, len);
	assert_int_equal(sqlite3_open(moved, &other), SQLITE_OK);
	exec_sql(other, "PRAGMA journal_mode = WAL; DELETE FROM slice_row");
	for (size_t i = 0; i < 3; i++) {
		char *journal;
		size_t journal_len;
		snprintf(stray, sizeof(stray), "%s%s", moved, i < 2 ? ends[i] : ends[0]);
		read_file(stray, &journal, &journal_len);
		snprintf(stray, sizeof(stray), "%s%s", files.path, ends[i]);
		write_file(stray, journal, journal_len);
		assert_int_equal(tc_store_open(&store, files.ctx, files.path), TC_OK);
		assert_non_null(strstr(noted, stray));
		assert_string_equal(
			ask(tc_store_db(store), "SELECT count(*) FROM slice_row"), "10");
		tc_store_close(store);
		assert_int_equal(access(stray, F_OK), 0);
		unlink(stray);
		free(journal);
	}
	sqlite3_close(other);
	unlink(moved);
	free(bytes);
}

/* Another program has set the mode in the header, and closed the store cleanly. */
static void stores_in_wal_mode_are_read(void **state)
{
	struct tc_store *store = NULL;

	(void)state;
	tc_store_close(make_store(files.path, 10));
	change_store("PRAGMA journal_mode = WAL; UPDATE trace SET path = 'moved.json'");
	assert_int_equal(tc_store_open(&store, files.ctx, files.path), TC_OK);
	assert_string_equal(ask(tc_store_db(store), "SELECT path FROM trace"), "moved.json");
	tc_store_close(store);
	assert_int_equal(count_files(), 1);
}

/* Also after a query has had a handler of its own on it. */
static void interrupt_stops_statements(void **state)
{
	struct tc_store *store = make_store(files.path, 1);

	(void)state;
	assert_string_equal(ask(tc_store_db(store), "SELECT count(*) FROM slice_row"), "1");
	tc_ctx_interrupt(files.ctx);
	assert_int_equal(
		sqlite3_exec(tc_store_db(store), endless_sql, NULL, NULL, NULL), SQLITE_INTERRUPT);
	tc_store_guard(store);
	assert_int_equal(
		sqlite3_exec(tc_store_db(store), endless_sql, NULL, NULL, NULL), SQLITE_INTERRUPT);
	tc_store_close(store);
}

static void connection_reads_only(void **state)
{
	static const char *const forbidden[] = {
		"DELETE FROM slice_row",
		"INSERT INTO metric VALUES (0, 'x', NULL, NULL, 1, 'ns')",
		"UPDATE label SET name = 'x'",
		"CREATE TABLE t (x)",
		"CREATE INDEX i ON slice_row (ts)",
		"DROP TABLE slice_row",
		"DROP VIEW slice",
		"ALTER TABLE trace ADD COLUMN x",
		"ATTACH ':memory:' AS other",
		"PRAGMA writable_schema = 1; DELETE FROM sqlite_master",
		"VACUUM",
		"UPDATE sqlite_master SET sql = NULL",
		"PRAGMA user_version = 7; SELECT 1 WHERE 0; DELETE FROM trace",
	};
	const char *const paths[] = {files.path, NULL};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tc_store *store = make_store(paths[i], 10);
		sqlite3 *db = tc_store_db(store);
		for (size_t j = 0; j < sizeof(forbidden) / sizeof(forbidden[0]); j++) {
			if (sqlite3_exec(db, forbidden[j], NULL, NULL, NULL) == SQLITE_OK)
				fail_msg("%s was done", forbidden[j]);
		}
		exec_sql(db, "CREATE TEMP TABLE t (x); CREATE INDEX temp.ti ON t (x);"
			     "INSERT INTO t SELECT id FROM slice; DELETE FROM t WHERE x > 3");
		assert_string_equal(ask(db, "SELECT count(*) FROM t"), "4");
		exec_sql(db, "DROP TABLE t");
		assert_string_equal(ask(db, "SELECT count(*) FROM slice"), "10");
		assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
		tc_store_close(store);
	}
	tc_store_close(NULL);
}

/* Reads everything that is there; any answer is fine but a crash. */
static void read_everything(sqlite3 *db)
{
	static const char *const queries[] = {
		"SELECT sum(length(args)), sum(dur), group_concat(name) FROM slice",
		"SELECT count(*) FROM device_op", "SELECT count(value) FROM slice_arg",
		"SELECT * FROM trace, track, label, metric"};

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		sqlite3_exec(db, queries[i], NULL, NULL, NULL);
}

static void open_and_read(void)
{
	struct tc_store *store = NULL;
	enum tc_status status = tc_store_open(&store, files.ctx, files.path);

	if (!status)
		read_everything(tc_store_db(store));
	assert_true(status == TC_OK || status == TC_ERR_STORE || status == TC_ERR_READ ||
		    status == TC_ERR_IO);
	tc_store_close(store);
	tc_ctx_clear_error(files.ctx);
}

static void cut_stores_are_refused(void **state)
{
	char *bytes;
	size_t len;

	(void)state;
	tc_store_close(make_store(files.path, 3000));
	read_file(files.path, &bytes, &len);
	assert_true(len > 2 * 65536);
	for (size_t cut = 100; cut < len; cut += 20011) {
		write_file(files.path, bytes, cut);
		expect_refused(files.path, TC_ERR_STORE, "cut short");
	}
	write_file(files.path, bytes, len - 1);
	expect_refused(files.path, TC_ERR_STORE, "cut short");
	free(bytes);
}

static void damaged_stores_do_no_harm(void **state)
{
	char *bytes;
	size_t len;
	uint64_t random = 3;

	(void)state;
	tc_store_close(make_store(files.path, 300));
	read_file(files.path, &bytes, &len);
	for (int round = 0; round < 300; round++) {
		size_t places[4];
		char kept[4];
		for (int i = 0; i < 4; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
			/* The start of the first page holds the header and the schema. */
			places[i] = (random >> 33) % (round % 2 ? len : 1024);
			kept[i] = bytes[places[i]];
			bytes[places[i]] = (char)(random >> 20);
		}
		write_file(files.path, bytes, len);
		open_and_read();
		for (int i = 3; i >= 0; i--)
			bytes[places[i]] = kept[i];
	}
	free(bytes);
}

static void failures_are_sorted_by_their_cause(void **state)
{
	struct tc_store *store = make_store(files.path, 1);
	sqlite3 *db = tc_store_db(store);

	(void)state;
	assert_int_not_equal(sqlite3_exec(db, "SELECT missing", NULL, NULL, NULL), SQLITE_OK);
	expect_error(tc_store_fail(files.ctx, db, "read steps"), TC_ERR_STORE,
		"cannot read steps: no such column: missing");
	sqlite3_set_authorizer(db, NULL, NULL);
	exec_sql(db, "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE t (x);"
		     "PRAGMA temp.max_page_count = 3");
	assert_int_not_equal(
		sqlite3_exec(db, "INSERT INTO t VALUES (zeroblob(1000000))", NULL, NULL, NULL),
		SQLITE_OK);
	expect_error(tc_store_fail(files.ctx, db, "write"), TC_ERR_IO, "full");
	expect_error(tc_store_fail(files.ctx, NULL, "open"), TC_ERR_NOMEM, "out of memory");
	tc_store_close(store);
}

static void memory_may_fail_anywhere(void **state)
{
	(void)state;
	tc_store_close(make_store(files.path, 10));
	for (int n = 0; n < 30; n++) {
		struct tc_store *store = NULL;
		tc_alloc_fail_after(n);
		enum tc_status status = tc_store_open(&store, files.ctx, files.path);
		tc_alloc_fail_after(-1);
		assert_int_equal(store != NULL, status == TC_OK);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		tc_store_close(store);
		tc_ctx_clear_error(files.ctx);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(probe_looks_at_the_first_bytes),
		TEST(others_files_are_refused),
		TEST(other_versions_are_told),
		TEST(missing_tables_and_views_are_told),
		TEST(journals_beside_a_store_are_not_read),
		TEST(stores_in_wal_mode_are_read),
		TEST(interrupt_stops_statements),
		TEST(connection_reads_only),
		TEST(cut_stores_are_refused),
		TEST(damaged_stores_do_no_harm),
		TEST(failures_are_sorted_by_their_cause),
		TEST(memory_may_fail_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A user's queries: one statement, reading only, told by line and column what is wrong. */
#include "store_files.h"

#include "core/alloc.h"
#include "core/array.h"
#include "store/connection.h"
#include "tracecoach/query.h"
#include "tracecoach/version.h"

/* Collects a result as "a|b" for the columns and "1|x" for each row, joined by newlines. */
struct collected {
	struct tc_buf text;
	size_t rows;
	bool stops;
};

static int take_rows(void *user, const struct tc_row_batch *rows)
{
	struct collected *to = user;

	for (size_t i = 0; to->rows == 0 && i < rows->column_count; i++)
		tc_buf_format(&to->text, "%s%s", i ? "|" : "", rows->names[i]);
	for (size_t i = 0; i < rows->row_count * rows->column_count; i++) {
		const struct tc_value *value = &rows->values[i];
		tc_buf_append_char(&to->text, i % rows->column_count ? '|' : '\n');
		switch (value->kind) {
		case TC_VALUE_NULL: tc_buf_append_string(&to->text, "-"); break;
		case TC_VALUE_INTEGER:
			tc_buf_format(&to->text, "i%lld", (long long)value->integer);
			break;
		case TC_VALUE_REAL: tc_buf_format(&to->text, "r%g", value->real); break;
		case TC_VALUE_TEXT:
			tc_buf_append_char(&to->text, 't');
			tc_buf_append(&to->text, value->bytes, value->len);
			break;
		case TC_VALUE_BLOB: tc_buf_format(&to->text, "b%zu", value->len); break;
		}
	}
	to->rows += rows->row_count;
	return to->stops ? -1 : 0;
}

static enum tc_status run_with(struct tc_store *store, const char *sql, struct collected *to,
	const struct tc_query_options *options)
{
	*to = (struct collected){0};
	return tc_query_rows(files.ctx, store, sql, options, take_rows, to);
}

static enum tc_status run(struct tc_store *store, const char *sql, struct collected *to)
{
	return run_with(store, sql, to, NULL);
}

static void expect_result(struct tc_store *store, const char *sql, const char *expected)
{
	struct collected got;

	if (run(store, sql, &got))
		fail_msg("%s: %s", sql, tc_ctx_error(files.ctx));
	assert_string_equal(tc_buf_string(&got.text), expected);
	tc_buf_clear(&got.text);
}

static void expect_failure(
	struct tc_store *store, const char *sql, enum tc_status status, const char *words)
{
	struct collected got;

	enum tc_status failed = run(store, sql, &got);

	if (!failed)
		fail_msg("%s was run", sql);
	expect_error(failed, status, words);
	tc_buf_clear(&got.text);
}

static void values_keep_their_types(void **state)
{
	struct tc_store *store = make_store(files.path, 4);

	(void)state;
	expect_result(store,
		"SELECT 1 AS a, -2.5 AS b, 'x' || char(0) || 'y' AS c, NULL, x'00ff', ''",
		"a|b|c|NULL|x'00ff'|''\ni1|r-2.5|tx");
	tc_store_close(store);
}

static void statements_that_read_are_run(void **state)
{
	struct tc_store *store = make_store(files.path, 4);

	(void)state;
	expect_result(store, "SELECT id FROM slice WHERE id > 2", "id\ni3");
	expect_result(store, "SELECT id FROM slice WHERE 0", "id");
	expect_result(store, " -- comment\n ; VALUES (1) ; /* end */ ;\n", "column1\ni1");
	expect_result(store,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
		" WHERE i < 3) SELECT i FROM n ORDER BY i DESC",
		"i\ni3\ni2\ni1");
	expect_result(
		store, "SELECT key, value FROM slice_arg WHERE slice_id = 2", "key|value\nti|i2");
	expect_result(store, "SELECT name FROM pragma_table_info('counter') WHERE cid < 2",
		"name\ntid\nttrace_id");
	char version[64];
	snprintf(version, sizeof(version), "user_version\ni%d", TC_STORE_VERSION);
	expect_result(store, "PRAGMA user_version", version);
	struct collected got;
	assert_int_equal(run(store, "EXPLAIN QUERY PLAN SELECT * FROM device_op", &got), TC_OK);
	assert_true(got.rows > 0);
	tc_buf_clear(&got.text);
	assert_int_equal(run(store, "PRAGMA table_info(slice)", &got), TC_OK);
	assert_true(got.rows > 10);
	tc_buf_clear(&got.text);
	tc_store_close(store);
}

static void everything_else_is_refused(void **state)
{
	static const char *const statements[] = {"DELETE FROM slice_row",
		"DELETE FROM slice_row RETURNING id", "INSERT INTO trace_meta VALUES (0, 'a', 'b')",
		"UPDATE trace SET path = ''", "CREATE TABLE t (x)", "CREATE TEMP TABLE t (x)",
		"DROP TABLE trace", "CREATE TEMP VIEW v AS SELECT 1", "ATTACH 'other.db' AS other",
		"DETACH main", "VACUUM", "VACUUM INTO 'other.db'", "ANALYZE", "BEGIN",
		"BEGIN IMMEDIATE", "COMMIT", "SAVEPOINT s", "PRAGMA user_version = 9",
		"PRAGMA journal_mode = WAL", "PRAGMA query_only = 0", "PRAGMA writable_schema = 1",
		"PRAGMA optimize", "PRAGMA wal_checkpoint", "PRAGMA incremental_vacuum",
		"PRAGMA shrink_memory", "EXPLAIN DELETE FROM slice_row",
		"WITH x AS (SELECT 1) DELETE FROM slice_row", "DELETE FROM slice",
		"INSERT INTO slice VALUES (1)", "UPDATE slice SET name = ''",
		"CREATE VIRTUAL TABLE temp.t USING fts5(x)"};
	const char *const paths[] = {files.path, NULL};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tc_store *store = make_store(paths[i], 4);
		for (size_t j = 0; j < sizeof(statements) / sizeof(statements[0]); j++)
			expect_failure(store, statements[j], TC_ERR_USAGE, "that read");
		expect_failure(store, "UPDATE sqlite_master SET sql = NULL", TC_ERR_USAGE,
			"may not be modified");
		expect_result(store, "SELECT count(*) AS n FROM slice", "n\ni4");
		/* The strictness ends with the query. */
		exec_sql(tc_store_db(store), "CREATE TEMP TABLE t (x)");
		tc_store_close(store);
	}
}

static void exactly_one_statement(void **state)
{
	static const char *const more[] = {"SELECT 1; SELECT 2", "SELECT 1; DELETE FROM trace",
		"SELECT 1; nonsense", "SELECT 1;;;; SELECT 2"};
	static const char *const none[] = {"", " \n\t", ";", "-- only a comment", "/* open"};
	struct tc_store *store = make_store(files.path, 4);

	(void)state;
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		expect_failure(store, more[i], TC_ERR_USAGE, "one statement at a time");
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		expect_failure(store, none[i], TC_ERR_USAGE, "the query is empty");
	tc_store_close(store);
}

static void errors_name_their_place(void **state)
{
	struct tc_store *store = make_store(files.path, 4);

	(void)state;
	expect_failure(store, "SELECT nam FROM slice", TC_ERR_USAGE,
		"line 1, column 8: no such column: nam");
	expect_failure(store, "SELECT 'ä\n', 'ää' FROM\n  slice WHERE (", TC_ERR_USAGE,
		"incomplete input");
	expect_failure(store, "SELECT id,\n  'ää', wrong\nFROM slice", TC_ERR_USAGE,
		"line 2, column 9: no such column: wrong");
	expect_failure(store, "-- first line\n;\nSELEC 1", TC_ERR_USAGE, "line 3, column 1");
	expect_failure(store, "SELECT * FROM nowhere", TC_ERR_USAGE, "no such table: nowhere");
	expect_failure(store, "SELECT json_extract('{', '$.a')", TC_ERR_USAGE, "malformed JSON");
	tc_store_close(store);
}

static void interrupt_ends_the_query(void **state)
{
	static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1"
				      " FROM n) SELECT count(*) FROM n";
	struct tc_store *store = make_store(files.path, 4);

	(void)state;
	tc_ctx_interrupt(files.ctx);
	expect_failure(store, endless, TC_ERR_INTERRUPTED, "interrupted");
	tc_store_close(store);
}

static void a_reader_may_stop(void **state)
{
	struct tc_store *store = make_store(files.path, 4);
	struct collected got = {.stops = true};

	(void)state;
	expect_error(tc_query_rows(files.ctx, store, "SELECT id FROM slice", NULL, take_rows, &got),
		TC_ERR_IO, "stopped");
	assert_string_equal(tc_buf_string(&got.text), "id\ni0\ni1\ni2\ni3");
	tc_buf_clear(&got.text);
	exec_sql(tc_store_db(store), "CREATE TEMP TABLE t (x)");
	tc_store_close(store);
}

/* Without bounds these take minutes within one instruction, where nothing can stop them. */
static void bounds_keep_every_instruction_short(void **state)
{
	static const char *const long_ones[] = {"SELECT randomblob(900000000)",
		"SELECT hex(zeroblob(900000))", "SELECT printf('%*d', 2000000, 1)",
		"SELECT 1 LIKE hex(zeroblob(1000))"};
	struct tc_store *store = make_store(files.path, 4);
	const struct tc_query_options bounded = {.bounded = true};
	struct collected got;

	(void)state;
	for (size_t i = 0; i < TC_COUNT_OF(long_ones); i++) {
		expect_error(run_with(store, long_ones[i], &got, &bounded), TC_ERR_USAGE, "too");
		tc_buf_clear(&got.text);
	}
	expect_result(
		store, "SELECT length(zeroblob(2000000))", "length(zeroblob(2000000))\ni2000000");
	tc_store_close(store);
}

static void memory_may_fail_anywhere(void **state)
{
	struct tc_store *store = make_store(files.path, 4);

	(void)state;
	for (int n = 0; n < 10; n++) {
		struct collected got;
		tc_alloc_fail_after(n);
		enum tc_status status = run(store, "SELECT id FROM slice", &got);
		tc_alloc_fail_after(-1);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		tc_buf_clear(&got.text);
		tc_ctx_clear_error(files.ctx);
	}
	tc_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(values_keep_their_types),
		TEST(statements_that_read_are_run),
		TEST(everything_else_is_refused),
		TEST(exactly_one_statement),
		TEST(errors_name_their_place),
		TEST(interrupt_ends_the_query),
		TEST(a_reader_may_stop),
		TEST(bounds_keep_every_instruction_short),
		TEST(memory_may_fail_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Stores that somebody changed are refused by the text of their schema, and functions of SQL that
 * would fail or hang on what such a store holds do neither. */
#include "sanitized.h"
#include "store_files.h"

#include <time.h>

static void change(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	exec_sql(db, sql);
	sqlite3_close(db);
}

static void changed_schemas_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{"DROP VIEW slice_arg; CREATE VIEW slice_arg AS SELECT 1 AS slice_id",
			"its slice_arg is not"},
		{"DROP TABLE gap; CREATE TABLE gap (trace_id)", "its gap is not"},
		{"DROP TABLE gap; CREATE VIEW gap AS SELECT 1 AS trace_id", "its gap is not"},
		{"CREATE TRIGGER t AFTER INSERT ON label BEGIN SELECT 1; END", "not ours: t"},
		{"CREATE VIEW more AS SELECT 1", "not ours: more"},
		{"CREATE INDEX i ON label(upper(name))", "not ours: i"},
		{"ANALYZE", "not ours: sqlite_stat1"},
		{"PRAGMA writable_schema = 1;"
		 "UPDATE sqlite_master SET sql = sql || ' ' WHERE name = 'slice'",
			"its slice is not"},
		{"PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql ="
		 " 'CREATE VIEW slice AS SELECT zeroblob(9)' WHERE name = 'slice'",
			"its slice is not"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tc_store *store = NULL;
		tc_store_close(make_store(files.path, 1));
		change(rows[i][0]);
		expect_error(
			tc_store_open(&store, files.ctx, files.path), TC_ERR_STORE, rows[i][1]);
		assert_null(store);
	}
}

/* Stores of one trace and of several have different indexes; both are ours. */
static void indexes_may_be_there_or_not(void **state)
{
	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		struct tc_writer *writer = NULL;
		struct tc_store *store = NULL;
		assert_int_equal(tc_writer_open(&writer, files.ctx, files.path), TC_OK);
		if (kind == 1)
			tc_writer_index(writer, false);
		else if (kind == 2)
			tc_writer_expect_several(writer);
		assert_int_equal(tc_writer_seal(&store, writer), TC_OK);
		tc_store_close(store);
		assert_int_equal(tc_store_open(&store, files.ctx, files.path), TC_OK);
		tc_store_close(store);
	}
}

/* One row: a query on the store, which has these functions, and on a plain connection. */
static void expect_same(sqlite3 *ours, sqlite3 *plain, const char *expression)
{
	char sql[600], theirs[200];

	snprintf(sql, sizeof(sql), "SELECT quote(%s)", expression);
	snprintf(theirs, sizeof(theirs), "%s", ask(plain, sql));
	if (strcmp(ask(ours, sql), theirs) != 0)
		fail_msg("%s is %s, not %s", expression, ask(ours, sql), theirs);
}

static const char *const expressions[] = {
	"instr('abcabc', 'ca')",
	"instr('abc', 'd')",
	"instr('abc', '')",
	"instr('', '')",
	"instr('', 'a')",
	"instr(NULL, 'a')",
	"instr('a', NULL)",
	"instr(12345, 34)",
	"instr('h\xc3\xa9h\xc3\xa9o', 'o')",
	"instr('h\xc3\xa9llo', 'll')",
	"instr(x'00112200', x'2200')",
	"instr(x'00112200', x'')",
	"instr(x'6162', 'b')",
	"instr('ab', x'62')",
	"instr('\xc3\xa9', x'a9')",
	"instr(x'c3a9a9', x'a9')",
	"replace('abcabc', 'bc', 'x')",
	"replace('aaa', 'a', 'bb')",
	"replace('abc', '', 'x')",
	"replace('abc', 'abc', '')",
	"replace(NULL, 'a', 'b')",
	"replace('a', NULL, 'b')",
	"replace('a', 'a', NULL)",
	"replace(1232, 2, 5)",
	"replace('', 'a', 'b')",
	"trim('  a b  ')",
	"ltrim('  a ')",
	"rtrim('  a ')",
	"trim('xyaxby', 'yx')",
	"ltrim('xxa', 'x')",
	"rtrim('axx', 'x')",
	"trim('\xc3\xa9"
	"a\xc3\xa9', '\xc3\xa9')",
	"rtrim('a\xe2\x82\xac\xc3\xa9', '\xc3\xa9\xe2\x82\xac')",
	"trim('aaa', 'a')",
	"trim('aaa', '')",
	"trim(NULL)",
	"trim('a', NULL)",
	"trim(x'2020')",
	"trim(101, 1)",

	"abs(-5)",
	"abs(5)",
	"abs(-1.5)",
	"abs('-3')",
	"abs(NULL)",
	"abs('x')",
	"abs(0)",
	"printf('%d %5d|%-5d|%05d|%+d|%,d|% d|%i|%u', 1, 2, 3, 4, 5, 1234567, 7, -8, -1)",
	"printf('%x %X %o %#x %p %r', 255, 255, 8, 255, 17, 22)",
	"printf('%lld %ld', 9223372036854775807, -5)",
	"printf('%f %.2f %8.3f %e %g %G %E %!.20g', 1.5, 2.345, 3.14159, 1e10, 1e-7, 5, 6, "
	"0.1)",
	"printf('%s|%5s|%-5s|%.2s|%z', 'a', 'b', 'c', 'defg', 'z')",
	"printf('%c%5c|%.3c', 'abc', 'x', '\xc3\xa9z')",
	"printf('%q %Q %w', 'a''b', 'c''d', 'e\"f')",
	"printf('%Q %q %s %w', NULL, NULL, NULL, NULL)",
	"printf('%*d|%-*d|%.*f', 5, 1, 6, 2, 2, 1.239)",
	"printf('%*d|', -5, 1)",
	"printf('%% %5% 100%')",
	"printf('%n%d', 4)",
	"printf('%d %s %f')",
	"printf('a %y b', 1)",
	"printf(NULL)",
	"printf()",
	"printf('')",
	"printf('%.0c|', 'x')",
	"printf('%!5.2s|%!.1s', '\xc3\xa9\xc3\xa9\xc3\xa9', '\xc3\xa9')",
	"printf('%s', x'4142')",
	"printf('%d', 'x12')",
	"printf('%5.3d|%-8.3e|%+.1f', 7, 1234.5, 0.05)",
	"format('%04d', 7)",
	"printf('%.3s', 'h\xc3\xa9llo')",
	"printf('%c', '')",
	"printf('%c', NULL)",
	"printf('%-+ 08.3lf|', 2.5)",
	"(SELECT sum(column1) FROM (VALUES (1), (2), (NULL)))",
	"(SELECT sum(column1) FROM (VALUES (1), (2.5), ('3')))",
	"(SELECT sum(column1) FROM (VALUES ('x'), (1)))",
	"(SELECT sum(column1) FROM (VALUES (NULL)))",
	"(SELECT sum(1) WHERE 0)",
	"(SELECT sum(column1) FROM (VALUES (-9223372036854775807), (-1)))",
	"(SELECT group_concat(s) FROM (SELECT sum(column1) OVER (ROWS 1 PRECEDING) AS s"
	" FROM (VALUES (1), (5), (2.5), (7), (8), (NULL), (NULL))))",
	"(SELECT group_concat(s) FROM (SELECT sum(column1) OVER (PARTITION BY column1 % 2) "
	"AS s"
	" FROM (VALUES (1), (5), (2))))",
};

static void functions_are_those_of_sqlite(void **state)
{
	struct tc_store *store = make_store(files.path, 1);
	sqlite3 *plain;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &plain), SQLITE_OK);
	for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++)
		expect_same(tc_store_db(store), plain, expressions[i]);
	sqlite3_close(plain);
	tc_store_close(store);
}

static void large_numbers_end_no_query(void **state)
{
	struct tc_store *store = make_store(files.path, 1);
	sqlite3 *db = tc_store_db(store);

	(void)state;
	assert_string_equal(
		ask(db, "SELECT abs(-9223372036854775807 - 1)"), "9.22337203685478e+18");
	assert_string_equal(ask(db, "SELECT sum(column1) FROM (VALUES (9223372036854775807), (1))"),
		"9.22337203685478e+18");
	/* What comes back into range is exact. */
	assert_string_equal(
		ask(db, "SELECT sum(column1) FROM (VALUES (9223372036854775807), (9), (-10))"),
		"9223372036854775806");
	assert_string_equal(
		ask(db, "SELECT group_concat(s) FROM (SELECT sum(column1) OVER (ROWS 1 PRECEDING)"
			" AS s FROM (VALUES (9223372036854775807), (9), (-10)))"),
		"9223372036854775807,9.22337203685478e+18,-1");
	tc_store_close(store);
}

/* Each takes minutes where it takes time by the product of its texts. */
static void functions_take_linear_time(void **state)
{
	static const char *const queries[] = {
		"SELECT instr(zeroblob(16000000), CAST(zeroblob(8000000) || 'x' AS BLOB))",
		"SELECT instr(t, substr(t, 1, 4000000) || 'b') FROM"
		" (SELECT replace(hex(zeroblob(4000000)), '0', 'a') AS t)",
		"SELECT length(replace(t, substr(t, 1, 4000000) || 'b', 'c')) FROM"
		" (SELECT replace(hex(zeroblob(4000000)), '0', 'a') AS t)",
		"SELECT length(trim(replace(hex(zeroblob(1000000)), '0', 'z'), (SELECT"
		" group_concat(char(i), '') FROM (WITH RECURSIVE n(i) AS (SELECT 256 UNION ALL"
		" SELECT i + 1 FROM n WHERE i < 50000) SELECT i FROM n)) || 'z'))",
	};
	struct tc_store *store;
	clock_t start = clock();

	(void)state;
	if (TC_SANITIZED)
		skip();
	store = make_store(files.path, 1);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		ask(tc_store_db(store), queries[i]);
	assert_true((clock() - start) / CLOCKS_PER_SEC < 60);
	tc_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(changed_schemas_are_refused),
		TEST(indexes_may_be_there_or_not),
		TEST(functions_are_those_of_sqlite),
		TEST(large_numbers_end_no_query),
		TEST(functions_take_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Tables written page by page, as SQLite reads them: every row, in order, in a file that it finds
 * sound, whatever the sizes of rows and wherever the writing stopped in between.
 */
#include "store_files.h"

#include <fcntl.h>

#include "store/pages/row_pages.h"

enum { ROOT = 2 };

/* A database of one empty table t, as SQLite makes it. */
static int make_database(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	exec_sql(db, "PRAGMA page_size = 16384; CREATE TABLE t (id INTEGER PRIMARY KEY, i, x)");
	sqlite3_close(db);
	return open(files.path, O_RDWR | O_CLOEXEC);
}

static sqlite3 *open_database(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
	return db;
}

static void append(struct tc_page_tree *tree, struct tc_page_file *file, int64_t id, int64_t i,
	const char *text, size_t len)
{
	static struct tc_record record;

	tc_record_begin(&record);
	tc_record_int(&record, i);
	tc_record_text(&record, (struct tc_text){text, len});
	assert_false(record.failed);
	assert_int_equal(tc_page_tree_append(tree, file, id, tc_record_end(&record)), 0);
	tc_record_clear(&record);
}

static void finish(struct tc_page_tree *tree, const struct tc_page_file *file)
{
	assert_int_equal(tc_page_tree_flush(tree, file), 0);
	assert_int_equal(tc_page_file_end(file), 0);
	tc_page_tree_clear(tree);
	close(file->fd);
}

static void append_number(struct tc_page_tree *tree, struct tc_page_file *file, int64_t number)
{
	char text[30];
	int len = snprintf(text, sizeof(text), "%lld", (long long)number);

	if (tc_page_tree_takes(tree, number))
		append(tree, file, number, number, text, (size_t)len);
}

/* Around each size at which SQLite stores a number in another way, as column and as row number. */
static void numbers_keep_their_value(void **state)
{
	int fd = make_database();
	struct tc_page_file file;
	struct tc_page_tree tree;

	(void)state;
	assert_int_equal(tc_page_file_begin(&file, fd), 0);
	assert_int_equal(tc_page_tree_init(&tree, ROOT), 0);
	append_number(&tree, &file, INT64_MIN);
	for (int bit = 62; bit >= 0; bit--) {
		for (int near = -2; near <= 2; near++)
			append_number(&tree, &file, -(INT64_C(1) << bit) + near);
	}
	for (int bit = 0; bit < 63; bit++) {
		for (int near = -2; near <= 2; near++)
			append_number(&tree, &file, (INT64_C(1) << bit) + near);
	}
	append_number(&tree, &file, INT64_MAX);
	finish(&tree, &file);
	sqlite3 *db = open_database();
	assert_string_equal(
		ask(db, "SELECT (sum(CAST(i AS TEXT) = x AND typeof(i) = 'integer' AND"
			" id = i) - count(*)) || ' ' || min(i) || ' ' || max(i) FROM t"),
		"0 -9223372036854775808 9223372036854775807");
	assert_true(atoi(ask(db, "SELECT count(*) FROM t")) > 600);
	sqlite3_close(db);
}

/* Sizes at which a row just fits into a page, needs one or several more, or shares one. */
static void texts_of_all_sizes_come_back(void **state)
{
	static const size_t sizes[] = {0, 1, 56, 57, 58, 127, 128, 4030, 4060, 8180, 16300, 16330,
		16340, 16341, 16342, 16343, 16344, 16345, 16346, 16347, 16348, 16349, 16350, 16384,
		18000, 20390, 20400, 20410, 20420, 32720, 32768, 50000, 100000, 300000};
	enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
	int fd = make_database();
	struct tc_page_file file;
	struct tc_page_tree tree;
	char *text = malloc(sizes[COUNT - 1]);

	(void)state;
	for (size_t i = 0; i < sizes[COUNT - 1]; i++)
		text[i] = (char)('a' + i % 23);
	assert_int_equal(tc_page_file_begin(&file, fd), 0);
	assert_int_equal(tc_page_tree_init(&tree, ROOT), 0);
	for (int i = 0; i < 3 * COUNT; i++) {
		size_t len = sizes[(i * 7) % COUNT];
		append(&tree, &file, i, (int64_t)len, text, len);
	}
	finish(&tree, &file);
	sqlite3 *db = open_database();
	sqlite3_stmt *rows;
	sqlite3_prepare_v2(db, "SELECT i, x FROM t ORDER BY id", -1, &rows, NULL);
	int count = 0;
	for (; sqlite3_step(rows) == SQLITE_ROW; count++) {
		size_t len = (size_t)sqlite3_column_int64(rows, 0);
		assert_int_equal((size_t)sqlite3_column_bytes(rows, 1), len);
		assert_memory_equal(sqlite3_column_text(rows, 1), text, len);
	}
	assert_int_equal(count, 3 * COUNT);
	sqlite3_finalize(rows);
	sqlite3_close(db);
	free(text);
}

/* What SQLite finds after each of some rows. */
static void expect_rows(int count)
{
	sqlite3 *db = open_database();
	char sql[100], want[100];

	snprintf(want, sizeof(want), "%d %d", count, count - 1);
	assert_string_equal(ask(db, "SELECT count(*) || ' ' || max(i) FROM t"), want);
	for (int i = 0; i < count; i += count / 3 + 1) {
		snprintf(sql, sizeof(sql), "SELECT i FROM t WHERE id = (1 << 60) + %d", i);
		assert_int_equal(atoi(ask(db, sql)), i);
	}
	sqlite3_close(db);
}

/* Two rows a page, and so many pages that two inner ones lead to them; SQLite reads in between,
 * above all where the second of them has just begun. */
static void trees_grow_while_they_are_read(void **state)
{
	enum { ROWS = 2400, TEXT = 8100, INNER_FULL = 2 * 1090 };
	int fd = make_database();
	struct tc_page_file file;
	struct tc_page_tree tree;
	char *text = malloc(TEXT);

	(void)state;
	memset(text, 'x', TEXT);
	assert_int_equal(tc_page_file_begin(&file, fd), 0);
	assert_int_equal(tc_page_tree_init(&tree, ROOT), 0);
	for (int i = 0, next = 1; i < ROWS; i++) {
		append(&tree, &file, (INT64_C(1) << 60) + i, i, text, TEXT);
		if (i + 1 < next && abs(i - INNER_FULL) > 6 && i + 1 < ROWS)
			continue;
		assert_int_equal(tc_page_tree_flush(&tree, &file), 0);
		assert_int_equal(tc_page_file_end(&file), 0);
		expect_rows(i + 1);
		if (i + 1 == next)
			next = next < 4 ? next + 1 : next * 3;
	}
	assert_int_equal(tree.level_count, 3);
	finish(&tree, &file);
	free(text);
}

/* SQLite keeps the page of its locks out of a file: one of 1 GiB, with a hole. */
static void the_page_of_locks_stays_empty(void **state)
{
	enum { LOCK_PAGE = 65537 };
	int fd = make_database();
	struct tc_page_file file;

	(void)state;
	assert_int_equal(tc_page_file_begin(&file, fd), 0);
	file.page_count = LOCK_PAGE - 2;
	assert_int_equal(tc_page_new(&file), LOCK_PAGE - 1);
	assert_int_equal(tc_page_new(&file), LOCK_PAGE + 1);
	assert_int_equal(tc_page_new(&file), LOCK_PAGE + 2);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(numbers_keep_their_value),
		TEST(texts_of_all_sizes_come_back),
		TEST(trees_grow_while_they_are_read),
		TEST(the_page_of_locks_stays_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

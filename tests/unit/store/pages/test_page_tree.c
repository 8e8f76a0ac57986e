/*
 * Tables written page by page, as SQLite reads them: every row, in order, in a file that it finds
 * sound, whatever the sizes of rows and wherever the writing stopped in between.
 */
#include "store_files.h"

#include <fcntl.h>

#include "store/pages/row_pages.h"

/* Rows of the table of counters, as SQLite is to find them: ts_ns is any number, name any text. */
struct table {
	struct tc_row_pages *pages;
	struct tc_batch *batch;
	int fd;
};

/* A database with that table alone, as SQLite makes it. */
static void make_database(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	exec_sql(db, "PRAGMA page_size = 16384; CREATE TABLE counter (id INTEGER PRIMARY KEY,"
		     " trace_id, i, process_id, x, value)");
	sqlite3_close(db);
}

static struct table begin_table(void)
{
	struct table table = {.batch = tc_batch_new()};
	sqlite3 *db;

	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	table.pages = tc_row_pages_new(files.ctx, db, files.path);
	assert_non_null(table.pages);
	sqlite3_close(db);
	table.fd = open(files.path, O_RDWR | O_CLOEXEC);
	assert_true(tc_row_pages_begin(table.pages, table.fd));
	return table;
}

static sqlite3 *open_database(void)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(files.path, &db), SQLITE_OK);
	return db;
}

static sqlite3 *open_sound_database(void)
{
	sqlite3 *db = open_database();

	assert_string_equal(ask(db, "PRAGMA integrity_check"), "ok");
	return db;
}

static void append(struct table *table, int64_t id, int64_t i, const char *text, size_t len)
{
	struct tc_counter_row *row = tc_batch_add_counter(table->batch);

	*row = (struct tc_counter_row){
		.id = id, .ts_ns = i, .process_id = -1, .name_len = (uint32_t)len};
	tc_buf_append(&table->batch->text, text, len);
	tc_row_pages_put(table->pages, table->batch);
	assert_int_equal(tc_ctx_status(files.ctx), TC_OK);
	tc_batch_reset(table->batch);
}

static void finish(struct table *table)
{
	assert_true(tc_row_pages_end(table->pages));
	tc_row_pages_free(table->pages);
	tc_batch_free(table->batch);
	close(table->fd);
}

static void append_number(struct table *table, int64_t number)
{
	char text[30];
	int len = snprintf(text, sizeof(text), "%lld", (long long)number);

	append(table, number, number, text, (size_t)len);
}

/* Around each size at which SQLite stores a number in another way, as column and as row number. */
static void numbers_keep_their_value(void **state)
{
	struct table table;

	(void)state;
	make_database();
	table = begin_table();
	append_number(&table, INT64_MIN);
	for (int bit = 62; bit > 2; bit--) {
		for (int near = -2; near <= 2; near++)
			append_number(&table, -(INT64_C(1) << bit) + near);
	}
	for (int number = -5; number <= 5; number++)
		append_number(&table, number);
	for (int bit = 3; bit < 63; bit++) {
		for (int near = -2; near <= 2; near++)
			append_number(&table, (INT64_C(1) << bit) + near);
	}
	append_number(&table, INT64_MAX);
	finish(&table);
	sqlite3 *db = open_sound_database();
	assert_string_equal(
		ask(db, "SELECT (sum(CAST(i AS TEXT) = x AND typeof(i) = 'integer' AND"
			" id = i) - count(*)) || ' ' || min(i) || ' ' || max(i) FROM counter"),
		"0 -9223372036854775808 9223372036854775807");
	assert_true(atoi(ask(db, "SELECT count(*) FROM counter")) > 600);
	sqlite3_close(db);
}

/* Sizes at which a row just fits into a page, needs one or several more, or shares one. */
static void texts_of_all_sizes_come_back(void **state)
{
	static const size_t sizes[] = {0, 1, 56, 57, 58, 127, 128, 4030, 4060, 8180, 16300, 16330,
		16340, 16341, 16342, 16343, 16344, 16345, 16346, 16347, 16348, 16349, 16350, 16384,
		18000, 20390, 20400, 20410, 20420, 32720, 32768, 50000, 100000, 300000};
	enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
	struct table table;
	char *text = malloc(sizes[COUNT - 1]);

	(void)state;
	for (size_t i = 0; i < sizes[COUNT - 1]; i++)
		text[i] = (char)('a' + i % 23);
	make_database();
	table = begin_table();
	for (int i = 0; i < 3 * COUNT; i++) {
		size_t len = sizes[(i * 7) % COUNT];
		append(&table, i, (int64_t)len, text, len);
	}
	finish(&table);
	sqlite3 *db = open_sound_database();
	sqlite3_stmt *rows;
	sqlite3_prepare_v2(db, "SELECT i, x FROM counter ORDER BY id", -1, &rows, NULL);
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
	sqlite3 *db = open_sound_database();
	char sql[100], want[100];

	snprintf(want, sizeof(want), "%d %d", count, count - 1);
	assert_string_equal(ask(db, "SELECT count(*) || ' ' || max(i) FROM counter"), want);
	for (int i = 0; i < count; i += count / 3 + 1) {
		snprintf(sql, sizeof(sql), "SELECT i FROM counter WHERE id = (1 << 60) + %d", i);
		assert_int_equal(atoi(ask(db, sql)), i);
	}
	sqlite3_close(db);
}

/* Two rows a page, and so many pages that two inner ones lead to them; SQLite reads in between,
 * above all where the second of them has just begun. */
static void trees_grow_while_they_are_read(void **state)
{
	enum { ROWS = 2400, TEXT = 8100, INNER_FULL = 2 * 1090 };
	struct table table;
	char *text = malloc(TEXT);

	(void)state;
	memset(text, 'x', TEXT);
	make_database();
	table = begin_table();
	for (int i = 0, next = 1; i < ROWS; i++) {
		append(&table, (INT64_C(1) << 60) + i, i, text, TEXT);
		if (i + 1 < next && abs(i - INNER_FULL) > 6 && i + 1 < ROWS)
			continue;
		assert_true(tc_row_pages_end(table.pages));
		expect_rows(i + 1);
		if (i + 1 == next)
			next = next < 4 ? next + 1 : next * 3;
	}
	finish(&table);
	free(text);
}

/* SQLite keeps the page of its locks out of a file: one of 1 GiB, with a hole. */
static void the_page_of_locks_stays_empty(void **state)
{
	enum { LOCK_PAGE = 65537, PAGE_BYTES = 16384, AT_PAGE_COUNT = 28 };
	static const uint8_t page_count[] = {0, 0, 0xff, 0xff}; /* LOCK_PAGE - 2 */
	static char text[3 * PAGE_BYTES];
	uint8_t page[PAGE_BYTES], zero[PAGE_BYTES] = {0};
	struct table table;

	(void)state;
	memset(text, 'x', sizeof(text));
	make_database();
	int fd = open(files.path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pwrite(fd, page_count, sizeof(page_count), AT_PAGE_COUNT), 4);
	assert_int_equal(ftruncate(fd, (off_t)(LOCK_PAGE - 2) * PAGE_BYTES), 0);
	close(fd);
	table = begin_table();
	append(&table, 1, 1, text, sizeof(text));
	assert_int_equal(pread(table.fd, page, sizeof(page), (off_t)(LOCK_PAGE - 2) * PAGE_BYTES),
		PAGE_BYTES);
	assert_memory_not_equal(page, zero, PAGE_BYTES);
	assert_int_equal(pread(table.fd, page, sizeof(page), (off_t)(LOCK_PAGE - 1) * PAGE_BYTES),
		PAGE_BYTES);
	assert_memory_equal(page, zero, PAGE_BYTES);
	finish(&table);
	sqlite3 *db = open_database();
	assert_string_equal(
		ask(db, "SELECT x = replace(hex(zeroblob(24576)), '0', 'x') FROM counter"), "1");
	sqlite3_close(db);
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

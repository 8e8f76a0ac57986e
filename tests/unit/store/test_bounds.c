/* Bounds: a statement that takes too much stops, and nothing else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/files/files.h"
#include "store/bounds.h"
#include "store/file/vfs.h"
#include "tracecoach/store.h"

#define MIB (1024 * 1024)
#define COUNT_TO(n) "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT " n ") "
#define GATHER "SELECT json_group_array(hex(zeroblob(50000)) || i) FROM n"
#define SORT "SELECT x FROM (SELECT randomblob(1000) AS x FROM n) ORDER BY x"

static struct tc_ctx *ctx;
static sqlite3 *db;

static void exec(sqlite3 *connection, const char *sql)
{
	if (sqlite3_exec(connection, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(connection));
}

static sqlite3 *open_database(void)
{
	sqlite3 *connection = NULL;
	int fd = tc_temporary_open();

	assert_true(fd >= 0);
	assert_int_equal(tc_vfs_open(&connection, fd, true), SQLITE_OK);
	close(fd);
	exec(connection, "PRAGMA cache_size = -500");
	return connection;
}

static int set_up(void **state)
{
	(void)state;
	ctx = tc_ctx_new();
	db = open_database();
	/* As while a store is made: what is rolled back is lost. */
	exec(db, "PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE; CREATE TABLE kept (a);"
		 "INSERT INTO kept VALUES (1)");
	return ctx ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	/* Whatever was stopped: the transaction is there, and so is what it wrote. */
	assert_false(sqlite3_get_autocommit(db));
	exec(db, "INSERT INTO kept SELECT a + 1 FROM kept; COMMIT");
	assert_int_equal(sqlite3_total_changes(db), 2);
	sqlite3_close(db);
	tc_ctx_free(ctx);
	return 0;
}

/* The code that a statement ends with, SQLITE_DONE when it is not stopped. */
static int run(struct tc_bounds *bounds, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	bounds->ctx = ctx;
	tc_bounds_begin(bounds, db);
	int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	bounds->runs = true;
	if (code == SQLITE_OK) {
		do
			code = sqlite3_step(statement);
		while (code == SQLITE_ROW);
	}
	sqlite3_finalize(statement);
	tc_bounds_end(bounds);
	return code;
}

static void gathered_values_are_bounded(void **state)
{
	struct tc_bounds bounds = {.left_memory_bytes = 16 * MIB}, wide = {0};

	(void)state;
	sqlite3_memory_highwater(1);
	assert_int_equal(run(&bounds, COUNT_TO("1000") GATHER), SQLITE_INTERRUPT);
	assert_non_null(strstr(bounds.exceeded, "MiB of memory"));
	assert_in_range(sqlite3_memory_highwater(1), 16 * MIB, 40 * MIB);
	assert_int_equal(run(&wide, COUNT_TO("5") GATHER), SQLITE_DONE);
	assert_null(wide.exceeded);
}

static void memory_given_back_is_free_again(void **state)
{
	struct tc_bounds bounds = {.left_memory_bytes = 4 * MIB};

	(void)state;
	assert_int_equal(run(&bounds, COUNT_TO("1000") "SELECT hex(zeroblob(50000)) || i FROM n"),
		SQLITE_DONE);
	assert_null(bounds.exceeded);
}

/* A table of a WITH that is named twice is compiled twice: each of these is twice the one before.
 */
static void compiling_is_bounded(void **state)
{
	char sql[4096] = "WITH a0 AS (SELECT 1 AS x)";
	struct tc_bounds bounds = {.left_memory_bytes = 8 * MIB}, wide = {0};

	(void)state;
	for (int i = 1; i <= 30; i++)
		snprintf(sql + strlen(sql), sizeof(sql) - strlen(sql),
			", a%d AS (SELECT x FROM a%d UNION ALL SELECT x FROM a%d)", i, i - 1,
			i - 1);
	strcat(sql, " SELECT count(*) FROM a30");
	assert_int_equal(run(&bounds, sql), SQLITE_NOMEM);
	assert_non_null(strstr(bounds.exceeded, "MiB of memory"));
	assert_int_equal(run(&wide, "SELECT a FROM kept"), SQLITE_DONE);
}

static void temporary_files_are_bounded(void **state)
{
	struct tc_bounds bounds = {.left_temporary_bytes = 16 * MIB}, wide = {0};

	(void)state;
	assert_int_equal(run(&bounds, COUNT_TO("1000000") SORT), SQLITE_INTERRUPT);
	assert_non_null(strstr(bounds.exceeded, "temporary files"));
	assert_true(bounds.left_temporary_bytes > -16 * MIB);
	assert_int_equal(run(&wide, COUNT_TO("20000") SORT), SQLITE_DONE);
	assert_null(wide.exceeded);
}

/* Each of eight groups 4 MiB by way of files of its own. */
static void temporary_files_given_back_are_free_again(void **state)
{
	struct tc_bounds bounds = {.left_temporary_bytes = 16 * MIB};

	(void)state;
	assert_int_equal(run(&bounds, COUNT_TO("4000") "SELECT (SELECT count(*) FROM (SELECT 1 "
						       "FROM (SELECT randomblob(1000 + m.i) AS x"
						       " FROM n) GROUP BY x)) FROM n AS m LIMIT 8"),
		SQLITE_DONE);
	assert_int_equal(bounds.left_temporary_bytes, 16 * MIB);
	assert_null(bounds.exceeded);
}

static void *gather_apart(void *user)
{
	sqlite3 *apart = open_database();

	exec(apart, COUNT_TO("200") GATHER);
	sqlite3_close(apart);
	return user;
}

static void other_threads_are_not_bounded(void **state)
{
	struct tc_bounds bounds = {.ctx = ctx, .left_memory_bytes = MIB};
	pthread_t thread;

	(void)state;
	tc_bounds_begin(&bounds, db);
	assert_int_equal(pthread_create(&thread, NULL, gather_apart, NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(bounds.left_memory_bytes, MIB);
	tc_bounds_end(&bounds);
	exec(db, COUNT_TO("200") GATHER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(gathered_values_are_bounded),
		TEST(memory_given_back_is_free_again),
		TEST(compiling_is_bounded),
		TEST(temporary_files_are_bounded),
		TEST(temporary_files_given_back_are_free_again),
		TEST(other_threads_are_not_bounded),
	};

	/* Twice is once. */
	if (!tc_store_bound_memory() || !tc_store_bound_memory())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

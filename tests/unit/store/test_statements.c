/* One statement for a text, however often it is asked for. */
#include "memory_store.h"

#include <string.h>

#include "core/alloc.h"
#include "store/sql.h"

static void prepares_once(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_tables tables = TC_TABLES_OF(NULL, db);
	const char *text = "SELECT ?1";
	sqlite3_stmt *first, *again, *other;

	(void)state;
	assert_int_equal(tc_tables_prepare(&first, &tables, text), SQLITE_OK);
	assert_int_equal(sqlite3_bind_int(first, 1, 7), SQLITE_OK);
	assert_int_equal(sqlite3_step(first), SQLITE_ROW);
	sqlite3_reset(first);
	assert_int_equal(tc_tables_prepare(&other, &tables, "SELECT ?1, 2"), SQLITE_OK);
	assert_int_equal(tc_tables_prepare(&again, &tables, text), SQLITE_OK);
	assert_ptr_equal(again, first);
	assert_ptr_not_equal(other, first);
	assert_int_equal(tables.count, 2);
	tc_tables_end(&tables);
	assert_null(sqlite3_next_stmt(db, NULL));
	sqlite3_close(db);
}

static void keeps_nothing_of_what_fails(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_tables tables = TC_TABLES_OF(NULL, db);
	sqlite3_stmt *stmt;

	(void)state;
	assert_int_equal(tc_tables_prepare(&stmt, &tables, "SELECT"), SQLITE_ERROR);
	assert_null(stmt);
	assert_int_equal(tc_tables_prepare(&stmt, &tables, "-- none"), SQLITE_OK);
	assert_null(stmt);
	assert_int_equal(tables.count, 0);
	tc_tables_end(&tables);
	tc_alloc_fail_after(0);
	int code = tc_tables_prepare(&stmt, &tables, "SELECT 1");
	tc_alloc_fail_after(-1);
	assert_int_equal(code, SQLITE_NOMEM);
	assert_null(sqlite3_next_stmt(db, NULL));
	tc_tables_end(&tables);
	sqlite3_close(db);
}

static int64_t sum_of(struct tc_ctx *ctx, sqlite3 *db, const char *sql, int64_t value)
{
	struct tc_rows rows = TC_ROWS(ctx, db, sql, value);
	int64_t sum = 0;

	while (tc_rows_next(&rows))
		sum += tc_rows_int(&rows, 0);
	return sum;
}

/* Rows of a query, and nothing of a context that has failed. */
static void has_every_row(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_ctx *ctx = tc_ctx_new();
	const char *text = "SELECT ?1 UNION ALL SELECT ?1 + 1";

	(void)state;
	assert_int_equal(sum_of(ctx, db, text, 7), 7 + 8);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	assert_int_equal(sum_of(ctx, db, "SELECT nothing", 7), 0);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_STORE);
	assert_int_equal(sum_of(ctx, db, text, 7), 0);
	assert_null(sqlite3_next_stmt(db, NULL));
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

/* One query for several values, also after it was left before its end. */
static void runs_again(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_rows rows = tc_rows_prepare(ctx, db, "SELECT ?1 UNION ALL SELECT ?1 + 1");

	(void)state;
	for (int64_t value = 7; value < 10; value++) {
		tc_rows_again(&rows, value);
		assert_true(tc_rows_next(&rows));
		assert_int_equal(tc_rows_int(&rows, 0), value);
	}
	assert_true(tc_rows_next(&rows));
	assert_int_equal(tc_rows_int(&rows, 0), 10);
	assert_false(tc_rows_next(&rows));
	tc_rows_close(&rows);
	assert_null(sqlite3_next_stmt(db, NULL));
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prepares_once),
		cmocka_unit_test(keeps_nothing_of_what_fails),
		cmocka_unit_test(has_every_row),
		cmocka_unit_test(runs_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

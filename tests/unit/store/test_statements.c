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

static void add(void *user, sqlite3_stmt *row)
{
	*(int64_t *)user += sqlite3_column_int64(row, 0);
}

/* Rows of a query, and nothing of a context that has failed. */
static void calls_with_every_row(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_tables tables = TC_TABLES_OF(ctx, db);
	const struct tc_sql_value seven = tc_sql_int(7), hundred = tc_sql_int(100);
	const char *text = "SELECT ?1 UNION ALL SELECT ?1 + 1";
	int64_t sum = 0;

	(void)state;
	tc_tables_each(&tables, text, &seven, add, &sum);
	tc_tables_each(&tables, text, &hundred, add, &sum);
	assert_int_equal(sum, 7 + 8 + 100 + 101);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	tc_alloc_fail_after(0);
	tc_tables_each(&tables, "SELECT ?1 UNION SELECT 2", &seven, add, &sum);
	tc_tables_each(&tables, "SELECT ?1, 3", &seven, add, &sum);
	tc_alloc_fail_after(-1);
	assert_int_equal(tc_ctx_status(ctx), TC_OK); /* there was room for these */
	tc_tables_each(&tables, "SELECT nothing", &seven, add, &sum);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_STORE);
	sum = 0;
	tc_tables_each(&tables, text, &seven, add, &sum);
	assert_int_equal(sum, 0);
	tc_tables_end(&tables);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prepares_once),
		cmocka_unit_test(keeps_nothing_of_what_fails),
		cmocka_unit_test(calls_with_every_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

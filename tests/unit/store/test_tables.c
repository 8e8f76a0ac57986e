/* Rows through tables.h: one statement for many rows, nothing after a failure. */
#include "memory_store.h"

#include "store/sql.h"

static void test_rows_and_queries(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db = memory_store_open();
	struct tc_tables tables = TC_TABLES_OF(ctx, db);
	int64_t value = 0;

	(void)state;
	tc_tables_put(&tables, "CREATE TABLE pair (a, b)", NULL, 0);
	for (int i = 0; i < 1000; i++) {
		char text[] = "0";
		text[0] = (char)('0' + i % 10);
		const struct tc_sql_value values[] = {
			tc_sql_int(i / 2), tc_sql_text((struct tc_text){text, 1})};
		TC_TABLES_PUT(&tables, "pair (a, b)", values);
	}
	assert_int_equal(tables.count, 2);
	assert_true(tc_tables_find(&value, &tables, "SELECT sum(a) FROM pair", NULL));
	assert_int_equal(value, 2 * (499 * 500 / 2));
	/* A text at the same address is another row's text. */
	assert_true(tc_tables_find(&value, &tables, "SELECT sum(b) FROM pair", NULL));
	assert_int_equal(value, 4500);
	assert_false(tc_tables_find(&value, &tables, "SELECT max(a) FROM pair WHERE a < 0", NULL));
	tc_tables_end(&tables);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	sqlite3_close(db);
	tc_ctx_free(ctx);
}

static void test_nothing_after_a_failure(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db = memory_store_open();
	struct tc_tables tables = TC_TABLES_OF(ctx, db);
	const struct tc_sql_value values[] = {tc_sql_int(1)};
	int64_t value = 0;

	(void)state;
	tc_tables_put(&tables, "CREATE TABLE single (a UNIQUE)", NULL, 0);
	TC_TABLES_PUT(&tables, "single (a)", values);
	TC_TABLES_PUT(&tables, "single (a)", values);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_STORE);
	TC_TABLES_PUT(&tables, "DELETE FROM single WHERE a = ?", values);
	assert_false(tc_tables_find(&value, &tables, "SELECT 1", NULL));
	tc_tables_end(&tables);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_STORE);
	assert_int_equal(memory_store_number(db, "SELECT count(*) FROM single"), 1);
	sqlite3_close(db);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_and_queries),
		cmocka_unit_test(test_nothing_after_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

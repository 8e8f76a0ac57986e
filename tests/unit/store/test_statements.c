/* statements.c: one statement for a text, however often it is asked for. */
#include "memory_store.h"

#include <string.h>

#include "core/alloc.h"
#include "store/statements.h"

static void prepares_once(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_statements statements = TC_STATEMENTS_OF(db);
	const char *text = "SELECT ?1";
	sqlite3_stmt *first, *again, *other;

	(void)state;
	assert_int_equal(tc_statements_get(&first, &statements, text), SQLITE_OK);
	assert_int_equal(sqlite3_bind_int(first, 1, 7), SQLITE_OK);
	assert_int_equal(sqlite3_step(first), SQLITE_ROW);
	sqlite3_reset(first);
	assert_int_equal(tc_statements_get(&other, &statements, "SELECT ?1, 2"), SQLITE_OK);
	assert_int_equal(tc_statements_get(&again, &statements, text), SQLITE_OK);
	assert_ptr_equal(again, first);
	assert_ptr_not_equal(other, first);
	assert_int_equal(statements.count, 2);
	tc_statements_clear(&statements);
	assert_null(sqlite3_next_stmt(db, NULL));
	sqlite3_close(db);
}

static void keeps_nothing_of_what_fails(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_statements statements = TC_STATEMENTS_OF(db);
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3_stmt *stmt;

	(void)state;
	assert_int_equal(tc_statements_get(&stmt, &statements, "SELECT"), SQLITE_ERROR);
	assert_null(stmt);
	assert_int_equal(tc_statements_get(&stmt, &statements, "-- none"), SQLITE_OK);
	assert_null(stmt);
	assert_int_equal(statements.count, 0);
	tc_statements_clear(&statements);
	tc_alloc_fail_after(0);
	int code = tc_statements_get(&stmt, &statements, "SELECT 1");
	tc_alloc_fail_after(-1);
	assert_int_equal(code, SQLITE_NOMEM);
	assert_int_equal(tc_statements_fail(&statements, ctx, code, "ask"), TC_ERR_NOMEM);
	assert_null(sqlite3_next_stmt(db, NULL));
	tc_statements_clear(&statements);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prepares_once),
		cmocka_unit_test(keeps_nothing_of_what_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

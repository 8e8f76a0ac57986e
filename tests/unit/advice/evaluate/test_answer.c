/* Answers: what is refused, how parameters are bound and written into the reproducing query, and
 * rows as JSON. */
#include "memory_store.h"

#include <string.h>

#include "core/collections/arena.h"
#include "advice/evaluate/evaluate.h"
#include "core/alloc.h"

static const char *const none[] = {NULL};
static const struct tc_param some_params[] = {
	{"min", "count", 3, 0, 100, "x"},
	{"min_pct", "pct", 12.5, 0, 100, "x"},
	{.name = NULL},
};
static const double some_values[] = {3, 12.5};

static struct tc_heuristic heuristic_with(const char *sql)
{
	return (struct tc_heuristic){.id = "x",
		.title = "x",
		.advice = "x",
		.why = "x",
		.needs = none,
		.params = some_params,
		.sql = sql,
		.source = "x"};
}

static const char *open_answer(struct tc_answer *answer, struct tc_arena *arena,
	struct tc_tables *tables, const struct tc_heuristic *heuristic)
{
	const struct tc_question question = {
		.tables = tables, .trace_id = 7, .heuristic = heuristic, .values = some_values};

	return tc_answer_open(answer, arena, &question);
}

/* Opens sql and returns the reason why it was refused, owned by *arena. */
static const char *refusal(struct tc_arena *arena, struct tc_tables *tables, const char *sql)
{
	struct tc_heuristic heuristic = heuristic_with(sql);
	struct tc_answer answer;
	const char *reason = open_answer(&answer, arena, tables, &heuristic);

	if (!reason)
		tc_answer_close(&answer);
	return reason;
}

static void test_refuses(void **state)
{
	static const struct {
		const char *sql, *reason;
	} cases[] = {
		{"SELECT 1 AS subject", "missing"},
		{"SELECT 1 AS subject, 2 AS gain, 3 AS confidence, 4 AS count",
			"is gain, not gain_ns"},
		{"SELECT * FROM nowhere", "no such table: nowhere"},
		{"SELECT", "incomplete input"},
		{"", "not one statement"},
		{"-- only a comment", "not one statement"},
		{"SELECT 1 AS subject, 1 AS gain_ns, 1 AS confidence, 1 AS count; SELECT 2",
			"not one statement"},
		{"DELETE FROM finding", "would change the store"},
		{"DELETE FROM account RETURNING heuristic AS subject, 1 AS gain_ns, 1 AS "
		 "confidence, "
		 "1 AS count",
			"would change the store"},
		{"SELECT 1 AS subject, :other AS gain_ns, 1 AS confidence, 1 AS count",
			"unknown parameter :other"},
		{"SELECT 1 AS subject, ? AS gain_ns, 1 AS confidence, 1 AS count",
			"unknown parameter ?"},
	};
	sqlite3 *db = memory_store_open();
	struct tc_tables tables = TC_TABLES_OF(NULL, db);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_arena arena = {0};
		const char *reason = refusal(&arena, &tables, cases[i].sql);
		assert_non_null(reason);
		assert_non_null(strstr(reason, cases[i].reason));
		tc_arena_clear(&arena);
	}
	tc_tables_end(&tables);
	sqlite3_close(db);
}

static void test_quality_needs_serious(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_tables tables = TC_TABLES_OF(NULL, db);
	struct tc_arena arena = {0};
	struct tc_answer answer;
	struct tc_heuristic heuristic = heuristic_with(
		"SELECT 1 AS subject, 1 AS gain_ns, 1 AS confidence, 1 AS count, 0 AS other");

	(void)state;
	heuristic.kind = TC_HEURISTIC_QUALITY;
	const char *reason = open_answer(&answer, &arena, &tables, &heuristic);
	assert_non_null(strstr(reason, "not serious"));
	tc_arena_clear(&arena);
	tc_tables_end(&tables);
	sqlite3_close(db);
}

/* A name that is the prefix of another, a name inside a string, a trailing semicolon. */
static void test_expanded_sql_runs_as_it_is(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_tables tables = TC_TABLES_OF(NULL, db);
	struct tc_arena arena = {0};
	struct tc_answer answer;
	struct tc_heuristic heuristic =
		heuristic_with("SELECT ':min' AS subject, :min_pct AS gain_ns, 'measured' AS "
			       "confidence, :min AS count, :trace_id AS trace ORDER BY 1;\n");
	sqlite3_stmt *stmt;

	(void)state;
	assert_null(open_answer(&answer, &arena, &tables, &heuristic));
	const char *sql = tc_answer_sql(&arena, &answer);
	assert_non_null(strstr(sql, "12.5 AS gain_ns"));
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_bind_parameter_count(stmt), 0);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(stmt, 0), ":min");
	assert_true(sqlite3_column_double(stmt, 1) > 12.4 && sqlite3_column_double(stmt, 1) < 12.6);
	assert_int_equal(sqlite3_column_type(stmt, 3), SQLITE_INTEGER);
	assert_int_equal(sqlite3_column_int(stmt, 3), 3);
	assert_int_equal(sqlite3_column_int(stmt, 4), 7);
	sqlite3_finalize(stmt);
	tc_answer_close(&answer);
	tc_arena_clear(&arena);
	tc_tables_end(&tables);
	sqlite3_close(db);
}

static void test_row_json(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_tables tables = TC_TABLES_OF(NULL, db);
	struct tc_arena arena = {0};
	struct tc_answer answer;
	struct tc_heuristic heuristic = heuristic_with(
		"SELECT 'a\"b\\' || char(10, 1) AS subject, NULL AS gain_ns, 'measured' AS "
		"confidence, 9007199254740993 AS count, 0.1 AS a_pct, 9e999 AS inf, '' AS empty");

	(void)state;
	assert_null(open_answer(&answer, &arena, &tables, &heuristic));
	assert_int_equal(sqlite3_step(answer.stmt), SQLITE_ROW);
	struct tc_buf json = TC_BUF_EMPTY;
	tc_fields_json(
		&json, tc_fields_read(&arena, answer.stmt, tc_fields_names(&arena, answer.stmt)));
	assert_string_equal(tc_buf_string(&json),
		"{\"subject\":\"a\\\"b\\\\\\n\\u0001\",\"gain_ns\":null,\"confidence\":"
		"\"measured\",\"count\":9007199254740993,\"a_pct\":0.1,\"inf\":null,\"empty\":"
		"\"\"}");
	tc_buf_clear(&json);
	tc_answer_close(&answer);
	tc_arena_clear(&arena);
	tc_tables_end(&tables);
	sqlite3_close(db);
}

/* Every allocation of ours fails once. */
static void test_out_of_memory(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_tables tables = TC_TABLES_OF(NULL, db);
	struct tc_heuristic good = heuristic_with(
		"SELECT 'a' AS subject, 1 AS gain_ns, 'measured' AS confidence, :min AS count");
	struct tc_heuristic bad = heuristic_with("SELECT * FROM nowhere");

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		for (int64_t n = 0, done = 0; !done; n++) {
			struct tc_arena arena = {0};
			struct tc_answer answer;

			tc_alloc_fail_after(n);
			const char *reason =
				open_answer(&answer, &arena, &tables, turn ? &bad : &good);
			tc_alloc_fail_after(-1);
			done = reason != tc_answer_no_memory;
			assert_true(!done || (reason != NULL) == (turn == 1));
			if (!reason)
				tc_answer_close(&answer);
			tc_tables_end(&tables);
			tc_arena_clear(&arena);
		}
	}
	tc_tables_end(&tables);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_quality_needs_serious),
		cmocka_unit_test(test_expanded_sql_runs_as_it_is),
		cmocka_unit_test(test_row_json),
		cmocka_unit_test(test_out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

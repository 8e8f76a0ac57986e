/* metrics.c: rows are what was put, in that order, however many are written at once. */
#include "memory_store.h"

#include <string.h>

#include "analysis/metrics.h"
#include "core/buf.h"

static struct tc_metric_writer *open_writer(struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_metric_writer *writer = tc_metric_writer_new(ctx, db, 7);

	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	return writer;
}

static void expect_rows(sqlite3 *db, struct tc_buf *expected)
{
	sqlite3_stmt *rows = NULL;
	struct tc_buf found = TC_BUF_EMPTY;

	assert_int_equal(sqlite3_prepare_v2(db,
				 "SELECT trace_id || ' ' || name || ' ' || ifnull(device, '-') ||"
				 " ' ' || ifnull(step, '-') || ' ' || value || ' ' || unit"
				 " FROM metric ORDER BY rowid",
				 -1, &rows, NULL),
		SQLITE_OK);
	while (sqlite3_step(rows) == SQLITE_ROW)
		tc_buf_format(&found, "%s\n", (const char *)sqlite3_column_text(rows, 0));
	assert_int_equal(sqlite3_finalize(rows), SQLITE_OK);
	assert_string_equal(tc_buf_string(&found), tc_buf_string(expected));
	tc_buf_clear(&found);
}

/* Puts one of three metrics, of the run or of a step, of a device or of none. */
static void put_any(struct tc_metric_writer *writer, struct tc_buf *expected, uint32_t random)
{
	static const enum tc_metric metrics[] = {
		TC_METRIC_WALL, TC_METRIC_SYNC_COUNT, TC_METRIC_DEVICE_BUSY_PCT};
	enum tc_metric metric = metrics[random % 3];
	int64_t step = random >> 4 & 3, value = random >> 8 & 0xff;
	bool has_step = random >> 20 & 3, has_device = random >> 22 & 1;
	struct tc_metric_scope scope = {TC_TEXT_NONE, has_step ? &step : NULL};
	char name[] = "run 0"; /* of a row of the run: gone after the call */

	name[4] = (char)('0' + random % 10);
	if (has_device)
		scope.device = has_step ? TC_TEXT("0") : tc_text_from(name);
	if (metric == TC_METRIC_DEVICE_BUSY_PCT)
		tc_metric_put_ratio(writer, metric, scope, value, 200);
	else
		tc_metric_put(writer, metric, scope, value);
	const struct tc_metric_info *info = tc_metric_info(metric);
	tc_buf_format(expected, "7 %s ", info->name);
	tc_buf_append_text(expected, has_device ? scope.device : TC_TEXT("-"));
	if (has_step)
		tc_buf_format(expected, " %d", (int)step);
	else
		tc_buf_append_string(expected, " -");
	if (metric == TC_METRIC_DEVICE_BUSY_PCT)
		tc_buf_format(expected, " %.1f %s\n", (double)value / 2, info->unit);
	else
		tc_buf_format(expected, " %d %s\n", (int)value, info->unit);
	memset(name, 'x', sizeof(name) - 1);
}

static void rows_are_those_that_were_put(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	uint32_t random = 1;

	(void)state;
	for (int count = 0; count < 60; count++) {
		sqlite3 *db = memory_store_open();
		struct tc_metric_writer *writer = open_writer(ctx, db);
		struct tc_buf expected = TC_BUF_EMPTY;
		for (int i = 0; i < count; i++) {
			random = random * 1664525 + 1013904223;
			put_any(writer, &expected, random >> 3);
		}
		tc_metric_writer_flush(writer);
		assert_int_equal(tc_ctx_status(ctx), TC_OK);
		if (count > 0)
			expect_rows(db, &expected);
		tc_metric_writer_free(writer);
		tc_buf_clear(&expected);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
	}
	tc_ctx_free(ctx);
}

static void the_first_failure_stays(void **state)
{
	const int64_t step = 1;
	const struct tc_metric_scope of_step = {TC_TEXT_NONE, &step};
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db = memory_store_open();
	struct tc_metric_writer *writer = open_writer(ctx, db);

	(void)state;
	memory_store_exec(db, "DROP TABLE metric");
	for (int i = 0; i < 20; i++)
		tc_metric_put(writer, TC_METRIC_WALL, of_step, 1);
	tc_metric_writer_flush(writer);
	enum tc_status status = tc_ctx_status(ctx);
	assert_int_not_equal(status, TC_OK);
	tc_metric_put(writer, TC_METRIC_WALL, TC_METRIC_RUN, 1);
	tc_metric_writer_flush(writer);
	assert_int_equal(tc_ctx_status(ctx), status);
	tc_metric_writer_free(writer);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	tc_ctx_free(ctx);
}

/* Rows of steps are many; a question about the run reads none of them. */
static void questions_about_the_run_use_the_index(void **state)
{
	static const char *const queries[] = {
		"EXPLAIN QUERY PLAN SELECT value FROM metric WHERE trace_id = 1 AND name = "
		"'wall_ns'"
		" AND device IS NULL AND step IS NULL",
		"EXPLAIN QUERY PLAN SELECT t.id, m.value FROM trace t LEFT JOIN metric m"
		" ON m.trace_id = t.id AND m.name = 'step_count' AND m.step IS NULL",
	};
	sqlite3 *db = memory_store_open();

	(void)state;
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		sqlite3_stmt *plan = NULL;
		bool is_used = false;
		assert_int_equal(sqlite3_prepare_v2(db, queries[i], -1, &plan, NULL), SQLITE_OK);
		while (sqlite3_step(plan) == SQLITE_ROW)
			is_used |= strstr((const char *)sqlite3_column_text(plan, 3),
					   "USING COVERING INDEX metric_by_name") != NULL;
		sqlite3_finalize(plan);
		assert_true(is_used);
	}
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_that_were_put),
		cmocka_unit_test(the_first_failure_stays),
		cmocka_unit_test(questions_about_the_run_use_the_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

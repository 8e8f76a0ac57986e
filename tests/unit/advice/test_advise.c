/* advise.c, evaluate.c and trace.c on stores made by hand: outcomes, reasons, evidence, and that
 * running out of memory anywhere leaves nothing behind. */
#include "memory_store.h"
#include "catalogue_fixture.h"

#include <string.h>

#include "advice/trace/trace.h"
#include "advice/evaluate/evaluate.h"
#include "advice/catalogue/catalogue.h"
#include "advice/settings/settings.h"
#include "core/alloc.h"
#include "advice/advise.h"
#include "advice/settings/fixes.h"

static const char *const none[] = {NULL};
static const char *const host_and_device[] = {"host", "device", "framework", "loop", NULL};
static const struct tc_param no_params[] = {{.name = NULL}};

/* What the replay of a fix wins, with its edit. */
static void add_whatif(sqlite3 *db, const char *id, int64_t gain_ns)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_fixes *fixes = tc_advice_fixes_new(ctx, default_settings());

	assert_non_null(fixes);
	for (size_t i = 0; i < fixes->count; i++) {
		if (strcmp(fixes->items[i].id, id) != 0)
			continue;
		char *sql =
			sqlite3_mprintf("INSERT INTO whatif VALUES(0, %Q, %Q, %lld, NULL, NULL, 1,"
					" %lld, %lld)",
				id, fixes->items[i].edit, (long long)gain_ns,
				(long long)gain_ns / 2, (long long)gain_ns * 2);
		memory_store_exec(db, sql);
		sqlite3_free(sql);
	}
	tc_advice_fixes_free(fixes);
	tc_ctx_free(ctx);
}

/* Two steps of 100 ns, a loader that leaves the device idle for 60 ns of the second. */
static void fill_loader_bound(sqlite3 *db)
{
	memory_store_trace(db, 0, 200, host_and_device);
	memory_store_metric(db, 0, "has_steps", NULL, 1);
	memory_store_metric(db, 0, "device_wait_ns", NULL, 70);
	memory_store_metric(db, 0, "device_wait_ns", "0", 70);
	memory_store_metric(db, 0, "device_busy_pct", "0", 65);
	memory_store_exec(db,
		"INSERT INTO metric VALUES(0, 'device_op_count', NULL, 4, 7, 'count'),"
		"(0, 'device_op_count', NULL, 5, 7, 'count');"
		"INSERT INTO step VALUES(0, 0, 4, 'ProfilerStep#4', 0, 100, 1, 10, 80, 0, 0),"
		"(1, 0, 5, 'ProfilerStep#5', 100, 100, 2, 180, 20, 0, 0);"
		"INSERT INTO host_event VALUES(1, 0, 9, 'dataloader', "
		"'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', 110, 65, 0, 1, 0, "
		"60, "
		"0, 0, 0, 0, NULL, NULL, NULL);"
		"INSERT INTO host_total(trace_id, name, role, count, dur_ns, self_ns, exposed_ns, "
		"is_launching, mark) VALUES(0, "
		"'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', 'dataloader', 1, "
		"65, "
		"65, 60, 1, 'loader_main');");
	add_whatif(db, "dataloader-bound", 60);
}

static struct tc_advice *advise(sqlite3 *db)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_advice *advice = NULL;

	memory_store_steady(db);
	advice = tc_advise(ctx, db, default_settings());
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	assert_string_equal(tc_ctx_error(ctx), "");
	tc_ctx_free(ctx);
	return advice;
}

static const struct tc_account_row *account_of(
	const struct tc_advice *advice, int64_t trace_id, const char *id)
{
	for (size_t i = 0; i < advice->account_count; i++)
		if (advice->account[i].trace_id == trace_id &&
			strcmp(advice->account[i].heuristic->id, id) == 0)
			return &advice->account[i];
	fail_msg("no account row of %s", id);
	return NULL;
}

static void test_empty_store(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_advice *advice = advise(db);

	(void)state;
	assert_int_equal(advice->finding_count, 0);
	assert_int_equal(advice->account_count, 0);
	tc_advice_free(advice);
	sqlite3_close(db);
}

/* A trace of which nothing is known: nothing fails, and all that need something do not apply. */
static void test_bare_trace(void **state)
{
	sqlite3 *db = memory_store_open();
	size_t count = tc_catalogue_count(built_in());

	(void)state;
	memory_store_trace(db, 0, 0, none);
	struct tc_advice *advice = advise(db);
	assert_int_equal(advice->account_count, count);
	for (size_t i = 0; i < advice->account_count; i++) {
		const struct tc_account_row *row = &advice->account[i];
		assert_true(row->outcome != TC_OUTCOME_FAILED);
		if (row->heuristic->needs[0]) {
			assert_int_equal(row->outcome, TC_OUTCOME_NOT_APPLICABLE);
			assert_non_null(row->reason);
		}
	}
	assert_string_equal(
		account_of(advice, 0, "dataloader-bound")->reason, "no host slices in the trace");
	tc_advice_free(advice);
	sqlite3_close(db);
}

static void test_finding(void **state)
{
	sqlite3 *db = memory_store_open();
	sqlite3_stmt *stmt;

	(void)state;
	fill_loader_bound(db);
	struct tc_advice *advice = advise(db);
	assert_int_equal(account_of(advice, 0, "dataloader-bound")->outcome, TC_OUTCOME_FIRED);
	assert_int_equal(account_of(advice, 0, "no-steps")->outcome, TC_OUTCOME_QUIET);
	const struct tc_finding *finding = &advice->findings[0];
	assert_string_equal(finding->heuristic->id, "dataloader-bound");
	assert_int_equal(finding->gain_ns, 60);
	assert_int_equal(finding->severity, TC_SEVERITY_HIGH);
	assert_int_equal(finding->confidence, TC_CONFIDENCE_INFERRED);
	assert_true(finding->gain_pct > 29.9 && finding->gain_pct < 30.1);
	assert_int_equal(finding->evidence_count, 1);
	assert_int_equal(finding->evidence[0].count, 1);
	assert_int_equal(finding->evidence[0].gain_ns, 60);
	const struct tc_field *field = finding->evidence[0].fields;
	while (field->name && strcmp(field->name, "loaded_by") != 0)
		field++;
	assert_string_equal(field->text, "main process (num_workers=0)");
	assert_int_equal(sqlite3_prepare_v2(db, finding->sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(stmt, 3), 1); /* calls */
	assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
	sqlite3_finalize(stmt);
	tc_advice_free(advice);
	sqlite3_close(db);
}

/* 1 ns of 200 is below the threshold of 1 %, 2 ns are at it. So is the middle of a range to 4 ns.
 */
static void test_quiet(void **state)
{
	static const struct {
		int gain_ns, high_ns;
		enum tc_outcome outcome;
	} cases[] = {{1, 1, TC_OUTCOME_QUIET}, {2, 2, TC_OUTCOME_FIRED}, {1, 3, TC_OUTCOME_QUIET},
		{1, 4, TC_OUTCOME_FIRED}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sqlite3 *db = memory_store_open();
		char *sql = sqlite3_mprintf(
			"UPDATE whatif SET gain_ns = %d, gain_low_ns = 0, gain_high_ns = %d",
			cases[i].gain_ns, cases[i].high_ns);

		fill_loader_bound(db);
		memory_store_exec(db, sql);
		struct tc_advice *advice = advise(db);
		assert_int_equal(
			account_of(advice, 0, "dataloader-bound")->outcome, cases[i].outcome);
		tc_advice_free(advice);
		sqlite3_free(sql);
		sqlite3_close(db);
	}
}

/* Traces keep apart, findings come trace by trace. */
static void test_two_traces(void **state)
{
	sqlite3 *db = memory_store_open();

	(void)state;
	memory_store_trace(db, 1, 500, host_and_device);
	fill_loader_bound(db);
	struct tc_advice *advice = advise(db);
	assert_int_equal(account_of(advice, 0, "dataloader-bound")->outcome, TC_OUTCOME_FIRED);
	assert_int_equal(account_of(advice, 1, "dataloader-bound")->outcome, TC_OUTCOME_QUIET);
	assert_int_equal(account_of(advice, 1, "no-steps")->outcome, TC_OUTCOME_FIRED);
	for (size_t i = 1; i < advice->finding_count; i++)
		assert_true(advice->findings[i - 1].trace_id <= advice->findings[i].trace_id);
	tc_advice_free(advice);
	sqlite3_close(db);
}

static struct tc_heuristic heuristic_with(const char *sql)
{
	return (struct tc_heuristic){
		.id = "x", .title = "x", .needs = none, .params = no_params, .sql = sql};
}

/* Evaluates one query; returns the box with one account row. */
static struct tc_box *evaluate(sqlite3 *db, const struct tc_heuristic *heuristic)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_capabilities capabilities = TC_CAPABILITIES_EMPTY;
	struct tc_box *box = tc_calloc(1, sizeof(*box));
	struct tc_tables tables = TC_TABLES_OF(ctx, db);
	const struct tc_evaluation evaluation = {
		.ctx = ctx, .tables = &tables, .capabilities = &capabilities, .box = box};

	tc_evaluate(&evaluation, heuristic, NULL, NULL);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	tc_tables_end(&tables);
	assert_int_equal(box->advice.account_count, 1);
	tc_ctx_free(ctx);
	return box;
}

static void test_failures_are_account_rows(void **state)
{
	static const struct {
		const char *sql, *reason;
	} cases[] = {
		{"SELECT nowhere", "does not compile: no such column: nowhere"},
		{"SELECT 'a' AS subject, 1 AS gain_ns, 'sure' AS confidence, 1 AS count",
			"other than measured, inferred or guessed"},
		{"SELECT 'a' AS subject, 1 AS gain_ns, NULL AS confidence, 1 AS count",
			"other than measured, inferred or guessed"},
		{"SELECT json_extract('{', '$') AS subject, 1 AS gain_ns, 'measured' AS "
		 "confidence, "
		 "1 AS count",
			"malformed JSON"},
		{"SELECT 'a' AS subject, abs(-9223372036854775807 - 1) AS gain_ns, 'measured' AS "
		 "confidence, 1 AS count",
			"integer overflow"},
	};
	sqlite3 *db = memory_store_open();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_heuristic heuristic = heuristic_with(cases[i].sql);
		struct tc_box *box = evaluate(db, &heuristic);
		assert_int_equal(box->advice.account[0].outcome, TC_OUTCOME_FAILED);
		assert_non_null(strstr(box->advice.account[0].reason, cases[i].reason));
		assert_int_equal(box->advice.finding_count, 0);
		tc_advice_free(&box->advice);
	}
	sqlite3_close(db);
}

/* The parts that the rows decide: a sum without overflow, weakest confidence, NULLs. */
static void test_rows_make_the_finding(void **state)
{
	static const char rows[] =
		"SELECT 'a' AS subject, 9223372036854775800 AS gain_ns, 'measured' AS confidence, "
		"NULL AS count UNION ALL SELECT 'b', 100, 'guessed', 2 UNION ALL "
		"SELECT NULL, NULL, 'inferred', 3 UNION ALL SELECT 'd', -5, 'measured', 4";
	sqlite3 *db = memory_store_open();
	struct tc_heuristic heuristic = heuristic_with(rows);
	struct tc_box *box = evaluate(db, &heuristic);
	const struct tc_finding *finding = &box->advice.findings[0];

	(void)state;
	assert_true(finding->gain_ns == INT64_MAX);
	assert_int_equal(finding->confidence, TC_CONFIDENCE_GUESSED);
	assert_int_equal(finding->evidence_count, 4);
	assert_int_equal(finding->evidence[0].count, -1);
	assert_string_equal(finding->evidence[2].subject, "(no name)");
	assert_true(finding->evidence[2].gain_ns == TC_GAIN_NONE);
	assert_int_equal(finding->evidence[3].gain_ns, 0);
	tc_advice_free(&box->advice);
	sqlite3_close(db);
}

static void test_no_row_has_a_gain(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_heuristic heuristic = heuristic_with(
		"SELECT 'a' AS subject, NULL AS gain_ns, 'measured' AS confidence, 1 AS count");
	struct tc_box *box = evaluate(db, &heuristic);

	(void)state;
	assert_true(box->advice.findings[0].gain_ns == TC_GAIN_NONE);
	tc_advice_free(&box->advice);
	sqlite3_close(db);
}

/* More rows than are kept: their gains still count. */
static void test_evidence_limit(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_heuristic heuristic = heuristic_with(
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) "
		"SELECT 'row ' || i AS subject, 1 AS gain_ns, 'measured' AS confidence, i AS count "
		"FROM n ORDER BY i");
	struct tc_box *box = evaluate(db, &heuristic);

	(void)state;
	assert_int_equal(box->advice.findings[0].evidence_count, TC_EVIDENCE_MAX_COUNT);
	assert_int_equal(box->advice.findings[0].gain_ns, 1500);
	tc_advice_free(&box->advice);
	sqlite3_close(db);
}

static void test_interrupt(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_advice *advice = NULL;

	(void)state;
	fill_loader_bound(db);
	tc_ctx_interrupt(ctx);
	advice = tc_advise(ctx, db, default_settings());
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_INTERRUPTED);
	assert_null(advice);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

/* Of copies that nothing hides, what is put down to waits of the host is told with those. */
static void test_copies_beside_waits(void **state)
{
	static const char *const has_device[] = {"device", NULL};
	sqlite3 *db = memory_store_open();

	(void)state;
	memory_store_trace(db, 0, 1000, has_device);
	memory_store_metric(db, 0, "device_busy_ns", "0", 1000);
	memory_store_metric(db, 0, "copy_exclusive_ns", "0", 400);
	memory_store_exec(db,
		"INSERT INTO op_total(trace_id, device, category, name, engine, kind, "
		"data_type, count, dur_ns, exclusive_ns, min_ns, max_ns) VALUES(0, '0', "
		"'gpu_memcpy', 'Memcpy HtoD (Pinned -> "
		"Device)', "
		"'copy', 'memcpy', NULL, 4, 400, 400, 100, 100);"
		"INSERT INTO host_block(id, trace_id, kind, role, name, ts, dur, idle_ns, "
		"exposed_ns, next_idle_ns, host_idle_ns, transfer_ns, after_transfer_ns, "
		"next_transfer_ns, cost_ns, held_ns) "
		"VALUES(1, 0, 'sync', 'sync', 'cudaStreamSynchronize', 0, 200, 0, 0, 0, 0, 60, 40, "
		"0, "
		"0, 0)");
	add_whatif(db, "dma-exposed", 300);
	struct tc_advice *advice = advise(db);
	assert_int_equal(account_of(advice, 0, "dma-exposed")->outcome, TC_OUTCOME_FIRED);
	assert_int_equal(advice->findings[0].evidence[0].gain_ns, 300);
	tc_advice_free(advice);
	sqlite3_close(db);
}

static void test_no_store(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_null(tc_advise(ctx, db, default_settings()));
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_STORE);
	assert_non_null(strstr(tc_ctx_error(ctx), "no such table"));
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

static void test_record(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_ctx *ctx = tc_ctx_new();
	size_t count = tc_catalogue_count(built_in());

	(void)state;
	fill_loader_bound(db);
	struct tc_advice *advice = advise(db);
	for (int turn = 0; turn < 2; turn++) { /* the second time replaces the first */
		tc_advice_record(ctx, db, advice);
		assert_int_equal(tc_ctx_status(ctx), TC_OK);
		assert_int_equal(memory_store_number(db, "SELECT count(*) FROM account"), count);
		assert_int_equal(memory_store_number(db, "SELECT count(*) FROM finding"),
			advice->finding_count);
		assert_int_equal(
			memory_store_number(db,
				"SELECT gain_ns FROM finding WHERE id = 1 "
				"AND heuristic = 'dataloader-bound' AND severity = 'high'"),
			60);
		assert_int_equal(
			memory_store_number(db, "SELECT json_extract(data, '$.longest_call_ns') "
						"FROM evidence WHERE finding_id = 1 AND ord = 1"),
			65);
	}
	tc_advice_free(advice);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

static void test_record_needs_tables(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	struct tc_advice *advice = advise(db);
	memory_store_exec(db, "DROP TABLE evidence");
	tc_advice_record(ctx, db, advice);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_STORE);
	tc_advice_free(advice);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

/* Every allocation of ours fails once. */
static void test_out_of_memory(void **state)
{
	sqlite3 *db = memory_store_open();
	enum tc_status status;
	int64_t n = 0;

	(void)state;
	fill_loader_bound(db);
	default_settings();
	do {
		struct tc_ctx *ctx = tc_ctx_new();
		struct tc_advice *advice = NULL;

		tc_alloc_fail_after(n++);
		advice = tc_advise(ctx, db, default_settings());
		tc_alloc_fail_after(-1);
		status = tc_ctx_status(ctx);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		assert_true((status == TC_OK) == (advice != NULL));
		tc_advice_free(advice);
		tc_ctx_free(ctx);
	} while (status != TC_OK);
	assert_true(n > 10);
	sqlite3_close(db);
}

static void test_params(void **state)
{
	const struct tc_catalogue *catalogue = built_in();
	struct tc_settings *settings = tc_settings_for(catalogue);
	size_t count = tc_catalogue_count(catalogue);

	(void)state;
	assert_non_null(settings);
	for (size_t i = 0; i < count; i++)
		for (int j = 0; tc_catalogue_at(built_in(), i)->params[j].name; j++) {
			assert_memory_equal(&tc_params_of(&settings->params, i)[j],
				&tc_catalogue_at(built_in(), i)->params[j].value, sizeof(double));
			assert_int_equal(tc_param_find(tc_catalogue_at(built_in(), i),
						 tc_catalogue_at(built_in(), i)->params[j].name),
				j);
		}
	assert_int_equal(tc_param_find(tc_catalogue_at(built_in(), 0), "no_such_threshold"), -1);
	tc_settings_free(settings);
	for (int64_t n = 0; n < 4; n++) {
		tc_alloc_fail_after(n);
		assert_null(tc_settings_for(catalogue));
		tc_alloc_fail_after(-1);
	}
}

static void test_find(void **state)
{
	(void)state;
	assert_string_equal(built_in_heuristic("recompilation")->id, "recompilation");
	assert_null(built_in_heuristic("recompilatio"));
	assert_null(built_in_heuristic(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_store),
		cmocka_unit_test(test_bare_trace),
		cmocka_unit_test(test_finding),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_two_traces),
		cmocka_unit_test(test_failures_are_account_rows),
		cmocka_unit_test(test_rows_make_the_finding),
		cmocka_unit_test(test_no_row_has_a_gain),
		cmocka_unit_test(test_evidence_limit),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_copies_beside_waits),
		cmocka_unit_test(test_no_store),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_record_needs_tables),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_params),
		cmocka_unit_test(test_find),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

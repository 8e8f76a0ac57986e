/* ranking.c: shares and severities. */
#include "memory_store.h"

#include "advice/ranking/ranking.h"

static const char *const none[] = {NULL};

static const struct tc_heuristic fix = {.id = "fix", .kind = TC_HEURISTIC_FIX},
				 quality = {.id = "quality", .kind = TC_HEURISTIC_QUALITY};

/* Returns whether the trace can be judged. */
static bool settle(sqlite3 *db, struct tc_finding *findings, size_t count)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_gain_trace trace;

	tc_gain_trace_load(&trace, ctx, db, 0, 1);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	for (size_t i = 0; i < count; i++)
		tc_gain_settle(&findings[i], &trace);
	tc_ctx_free(ctx);
	return trace.judges;
}

/* A handful of device operations is no reason for alarm; the gain is told. */
static void test_too_little_to_judge(void **state)
{
	for (int64_t ops = 19; ops <= 20; ops++) {
		sqlite3 *db = memory_store_open();
		struct tc_finding findings[] = {
			{.heuristic = &fix, .gain_ns = 900, .confidence = TC_CONFIDENCE_MEASURED}};

		memory_store_trace(db, 0, 1000, none);
		memory_store_metric(db, 0, "device_op_count", NULL, ops);
		assert_int_equal(settle(db, findings, 1), ops == 20);
		assert_int_equal(settle(db, NULL, 0), ops == 20);
		assert_int_equal(findings[0].gain_ns, 900);
		assert_int_equal(
			findings[0].severity, ops < 20 ? TC_SEVERITY_INFO : TC_SEVERITY_HIGH);
		sqlite3_close(db);
	}
	(void)state;
}

/* Where most operations are missing from the file, its times are not those of the run. */
static void test_missing_operations(void **state)
{
	(void)state;
	for (int64_t one_of = 1; one_of <= 2; one_of++) {
		sqlite3 *db = memory_store_open();
		struct tc_finding findings[] = {{.heuristic = &fix, .gain_ns = 900}};

		memory_store_trace(db, 0, 1000, none);
		memory_store_metric(db, 0, "recorded_one_of_count", NULL, one_of);
		settle(db, findings, 1);
		assert_int_equal(findings[0].gain_ns, one_of == 1 ? 900 : TC_GAIN_NONE);
		assert_true(findings[0].gain_pct > 0 || one_of > 1);
		sqlite3_close(db);
	}
}

/* What is won decides whether a replayed fix is small; where calls and device work are not linked,
 * what its edits take away. */
static void test_small(void **state)
{
	static const char *const edits[] = {"remove role = sync", NULL};
	static const struct tc_heuristic replayed = {
		.id = "replayed", .kind = TC_HEURISTIC_FIX, .edits = edits};
	const struct {
		const struct tc_heuristic *heuristic;
		int64_t wall_ns, gain_ns, removed_ns;
		bool is_blind, is_small;
	} cases[] = {
		{&replayed, 1000, 9, 500, false, true},
		{&replayed, 1000, 10, 500, false, false},
		{&replayed, 1000, 0, 500, true, false},
		{&replayed, 1000, 0, 9, true, true},
		{&replayed, 1000, TC_GAIN_NONE, 0, false, false},
		{&replayed, 0, 0, 0, false, false},
		{&fix, 1000, 1, 0, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tc_gain_trace trace = {.min_gain_pct = 1,
			.wall_ns = cases[i].wall_ns,
			.steady_ns = cases[i].wall_ns,
			.has_shares = true,
			.is_blind = cases[i].is_blind};
		struct tc_finding finding = {.heuristic = cases[i].heuristic,
			.gain_ns = cases[i].gain_ns,
			.removed_ns = cases[i].removed_ns};

		assert_int_equal(tc_gain_is_small(&finding, &trace), cases[i].is_small);
		tc_gain_settle(&finding, &trace);
		assert_int_equal(
			finding.gain_ns, cases[i].is_blind ? TC_GAIN_NONE : cases[i].gain_ns);
	}
}

/* A value in the column that the heuristic names, in any row, is reported whatever the fix wins. */
static void test_always_reported(void **state)
{
	static const char *const edits[] = {"remove role = sync", NULL};
	static const struct tc_heuristic risk = {
		.id = "risk", .kind = TC_HEURISTIC_FIX, .edits = edits, .always_if = "used_pct"};
	static const struct tc_field with[] = {
		{.name = "used_pct", .kind = TC_FIELD_REAL, {.real = 95}}, {.name = NULL}};
	static const struct tc_field without[] = {{.name = "used_pct", .kind = TC_FIELD_NULL},
		{.name = "count", .kind = TC_FIELD_INTEGER, {.integer = 1}}, {.name = NULL}};
	const struct tc_gain_trace trace = {
		.min_gain_pct = 1, .wall_ns = 1000, .judges = true, .has_shares = true};
	struct tc_evidence rows[] = {{.fields = without}, {.fields = without}};
	struct tc_finding finding = {
		.heuristic = &risk, .gain_ns = 9, .evidence = rows, .evidence_count = 2};

	(void)state;
	assert_true(tc_gain_is_small(&finding, &trace));
	rows[1].fields = with;
	assert_false(tc_gain_is_small(&finding, &trace));
	tc_gain_settle(&finding, &trace);
	assert_int_equal(finding.gain_ns, 9);
	assert_int_equal(finding.severity, TC_SEVERITY_INFO);
}

static void test_never_more_than_the_wall(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {{.heuristic = &fix, .gain_ns = INT64_MAX}};

	(void)state;
	memory_store_trace(db, 0, 1000, none);
	settle(db, findings, 1);
	assert_int_equal(findings[0].gain_ns, 1000);
	assert_true(findings[0].gain_pct > 99.9 && findings[0].gain_pct < 100.1);
	sqlite3_close(db);
}

static enum tc_severity severity_of(int64_t gain_ns)
{
	const struct tc_gain_trace trace = {
		.wall_ns = 10000, .steady_ns = 10000, .judges = true, .has_shares = true};
	struct tc_finding finding = {
		.heuristic = &fix, .gain_ns = gain_ns, .confidence = TC_CONFIDENCE_MEASURED};

	tc_gain_settle(&finding, &trace);
	return finding.severity;
}

static void test_severity(void **state)
{
	(void)state;
	assert_int_equal(severity_of(10000), TC_SEVERITY_HIGH);
	assert_int_equal(severity_of(1000), TC_SEVERITY_HIGH);
	assert_int_equal(severity_of(999), TC_SEVERITY_MEDIUM);
	assert_int_equal(severity_of(500), TC_SEVERITY_MEDIUM);
	assert_int_equal(severity_of(499), TC_SEVERITY_LOW);
	assert_int_equal(severity_of(100), TC_SEVERITY_LOW);
	assert_int_equal(severity_of(99), TC_SEVERITY_INFO);
	assert_int_equal(severity_of(0), TC_SEVERITY_INFO);
}

static void test_quality_keeps_its_severity(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {
		{.heuristic = &quality, .severity = TC_SEVERITY_HIGH, .gain_ns = TC_GAIN_NONE},
		{.heuristic = &quality, .severity = TC_SEVERITY_INFO, .gain_ns = TC_GAIN_NONE},
	};

	(void)state;
	memory_store_trace(db, 0, 1000, none);
	settle(db, findings, 2);
	assert_int_equal(findings[0].severity, TC_SEVERITY_HIGH);
	assert_int_equal(findings[1].severity, TC_SEVERITY_INFO);
	sqlite3_close(db);
}

/* A weak sign is at most of medium severity. */
static void test_guesses_are_no_alarm(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {
		{.heuristic = &fix, .gain_ns = 400, .confidence = TC_CONFIDENCE_GUESSED},
		{.heuristic = &fix, .gain_ns = 20, .confidence = TC_CONFIDENCE_GUESSED},
		{.heuristic = &fix, .gain_ns = 400, .confidence = TC_CONFIDENCE_INFERRED},
	};

	(void)state;
	memory_store_trace(db, 0, 1000, none);
	settle(db, findings, 3);
	assert_int_equal(findings[0].severity, TC_SEVERITY_MEDIUM);
	assert_int_equal(findings[1].severity, TC_SEVERITY_LOW);
	assert_int_equal(findings[2].severity, TC_SEVERITY_HIGH);
	sqlite3_close(db);
}

/* No wall time (an empty trace): shares are 0, nothing divides by it. */
static void test_no_wall(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {{.heuristic = &fix, .gain_ns = 5}};

	(void)state;
	settle(db, findings, 1);
	assert_int_equal(findings[0].gain_ns, 5);
	assert_true(findings[0].gain_pct < 0.001);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_little_to_judge),
		cmocka_unit_test(test_missing_operations),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_always_reported),
		cmocka_unit_test(test_never_more_than_the_wall),
		cmocka_unit_test(test_severity),
		cmocka_unit_test(test_quality_keeps_its_severity),
		cmocka_unit_test(test_guesses_are_no_alarm),
		cmocka_unit_test(test_no_wall),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The lines of evidence: what each row tells, and what is told once for all. */
#include "report_fixture.h"

#include "advice/evaluate/evaluate.h"

static const struct tc_says words[] = {
	{"count", TC_SAYS_NOT_ZERO, "# gap~"},
	{"idle_ns", TC_SAYS_NOT_GAIN, "% idle"},
	{"wall_pct", TC_SAYS_ALWAYS, "(% of the wall time)"},
	{"mean_gap_ns", TC_SAYS_SEVERAL, "% each on average"},
	{"held_ns", TC_SAYS_NOT_ZERO, "% of it follows waits"},
	{"short_gap_count", TC_SAYS_NOT_ZERO, "# short gap~ between kernels"},
	{"rate_bytes_per_s", TC_SAYS_ALWAYS, "% at best"},
	{.column = NULL},
};

/* The row of a query, kept to the end of the test program. */
static const struct tc_field *fields_of(sqlite3 *db, const char *sql)
{
	static struct tc_arena arena;
	sqlite3_stmt *stmt;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	const struct tc_field *fields = tc_fields_read(&arena, stmt, tc_fields_names(&arena, stmt));
	sqlite3_finalize(stmt);
	assert_non_null(fields);
	return fields;
}

/* The only finding, whole. */
static char *explained(sqlite3 *db, const struct tc_advice *advice)
{
	struct tc_report_options options = fixture_options();

	options.explain = "1";
	return fixture_text_with(db, advice, &options);
}

/* What rows have alike is told once; zeros without news, and the gain over again, are not. */
static void test_evidence(void **state)
{
	struct tc_heuristic heuristic = fixture_loader;
	sqlite3 *db = fixture_store();
	struct tc_evidence rows[] = {
		{"launch calls", 5000000, 1, TC_CONFIDENCE_MEASURED,
			fields_of(db, "SELECT 5000000 AS idle_ns, 1.0 AS wall_pct,"
				      " 5000000 AS mean_gap_ns, 7000000 AS held_ns")},
		{"building graphs", 3000000, 2, TC_CONFIDENCE_MEASURED,
			fields_of(db, "SELECT 4000000 AS idle_ns, 0.8 AS wall_pct,"
				      " 2000000 AS mean_gap_ns, 7000000 AS held_ns")},
	};
	struct tc_finding finding = {0, &heuristic, TC_SEVERITY_LOW, TC_CONFIDENCE_MEASURED,
		8000000, 8000000, 8000000, 1.6, 0, "SELECT 1", rows, 2, "Do.", "Why.", NULL,
		8000000, 0};
	struct tc_advice advice = {.findings = &finding, .finding_count = 1};

	(void)state;
	heuristic.says = words;
	char *text = explained(db, &advice);
	assert_has(text,
		"  - launch calls: 1 gap, saves 5.000 ms (1.0 % of the wall time)\n"
		"  - building graphs: 2 gaps, saves 3.000 ms, 4.000 ms idle (0.8 % of the wall\n"
		"    time), 2.000 ms each on average\n"
		"  - the same for all: 7.000 ms of it follows waits");
	free(text);
	rows[0].fields = rows[1].fields = fields_of(db, "SELECT 5000000 AS idle_ns, 0 AS held_ns");
	finding.evidence_count = 1;
	finding.gain_ns = 5000000;
	text = explained(db, &advice);
	assert_has(text, "  - launch calls: 1 gap, 5.000 ms idle\n  Why");
	free(text);
	finding.gain_ns = 2000000; /* capped: the row does not promise more */
	text = explained(db, &advice);
	assert_has_not(text, "launch calls: 1 gap, up to");
	free(text);
	rows[0].fields = fields_of(db, "SELECT 25000000000 AS rate_bytes_per_s");
	text = explained(db, &advice);
	assert_has(text, "25.0 GB/s at best");
	free(text);
	rows[0].fields = fields_of(db, "SELECT 2900000 AS rate_bytes_per_s");
	text = explained(db, &advice);
	assert_has(text, "2.90 MB/s at best");
	free(text);
	sqlite3_close(db);
}

/* What stands behind another value, as "of 95.1 GB" does, goes where that is told. */
static void test_evidence_together(void **state)
{
	static const struct {
		const char *first, *second, *lines;
	} cases[] = {
		{"SELECT 5000000 AS idle_ns, 1.0 AS wall_pct",
			"SELECT 4000000 AS idle_ns, 1.0 AS wall_pct",
			"  - a: 1 gap, 5.000 ms idle (1.0 % of the wall time)\n"
			"  - b: 1 gap, 4.000 ms idle (1.0 % of the wall time)\n  Why"},
		{"SELECT 4000000 AS idle_ns, 1.0 AS wall_pct",
			"SELECT 4000000 AS idle_ns, 2.0 AS wall_pct",
			"  - a: 1 gap, 4.000 ms idle (1.0 % of the wall time)\n"
			"  - b: 1 gap, 4.000 ms idle (2.0 % of the wall time)\n  Why"},
		{"SELECT 4000000 AS idle_ns, 1.0 AS wall_pct",
			"SELECT 4000000 AS idle_ns, 1.0 AS wall_pct",
			"  - a: 1 gap\n  - b: 1 gap\n"
			"  - the same for all: 4.000 ms idle (1.0 % of the wall time)\n  Why"},
		{"SELECT 1 AS short_gap_count", "SELECT 2 AS short_gap_count",
			"  - a: 1 gap, 1 short gap between kernels\n"
			"  - b: 1 gap, 2 short gaps between kernels\n  Why"},
		{"SELECT 1 AS count, 1.0 AS wall_pct", "SELECT 1 AS count, 1.0 AS wall_pct",
			"  - a: 1 gap (1.0 % of the wall time)\n"
			"  - b: 1 gap (1.0 % of the wall time)\n  Why"},
	};
	struct tc_heuristic heuristic = fixture_loader;
	sqlite3 *db = fixture_store();

	(void)state;
	heuristic.says = words;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tc_evidence rows[] = {
			{"a", 0, 1, TC_CONFIDENCE_MEASURED, fields_of(db, cases[i].first)},
			{"b", 0, 1, TC_CONFIDENCE_MEASURED, fields_of(db, cases[i].second)},
		};
		struct tc_finding finding = {0, &heuristic, TC_SEVERITY_LOW, TC_CONFIDENCE_MEASURED,
			8000000, 8000000, 8000000, 1.6, 0, "SELECT 1", rows, 2, "Do.", "Why.", NULL,
			8000000, 0};
		struct tc_advice advice = {.findings = &finding, .finding_count = 1};
		char *text = explained(db, &advice);
		assert_has(text, cases[i].lines);
		free(text);
	}
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_evidence),
		cmocka_unit_test(test_evidence_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The list of fixes on the first screen: its order, and what it says of gains that depend on
 * others. */
#include "report_fixture.h"
#include "names/label/label.h"

#include "advice/ranking/ranking.h"

static const struct order_row {
	const char *id, *part_of[2];
	int64_t gain_ns;
} order_rows[] = {{"part", {"whole"}, 60000000}, {"other", {NULL}, 50000000},
	{"whole", {NULL}, 80000000}, {"early", {"late"}, 55000000}, {"late", {NULL}, 62000000},
	{"small", {NULL}, 5100000}, {"vain", {NULL}, 0}, {"unsure", {NULL}, TC_GAIN_NONE}};
#define ORDER_COUNT (sizeof(order_rows) / sizeof(order_rows[0]))

/* A finding with a heuristic of its own; its gain is a part of 500 ms. */
static void set_fix(
	struct tc_finding *finding, struct tc_heuristic *kind, const char *id, int64_t gain_ns)
{
	*kind = fixture_loader;
	kind->id = kind->title = id;
	*finding = fixture_advice()->findings[1];
	finding->heuristic = kind;
	finding->gain_ns = finding->rank_ns = gain_ns;
	finding->gain_pct = (double)gain_ns / 5e6;
}

/* As they are ranked. What stands below the finding that it is part of is indented. */
static void test_order(void **state)
{
	struct tc_heuristic kinds[ORDER_COUNT];
	struct tc_finding findings[ORDER_COUNT];
	struct tc_advice advice = {.findings = findings, .finding_count = ORDER_COUNT};
	sqlite3 *db = fixture_store();

	(void)state;
	for (size_t i = 0; i < ORDER_COUNT; i++) {
		const struct order_row *row = &order_rows[i];
		set_fix(&findings[i], &kinds[i], row->id, row->gain_ns);
		kinds[i].part_of = row->part_of;
		findings[i].advice = "Do it.";
	}
	tc_rank(findings, ORDER_COUNT);
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "  1  whole            80.00 ms         16 %\n     Do it.\n"
			 "  2    part           60.00 ms         12 %\n       Do it.\n"
			 "  3  early            55.00 ms         11 %\n     Do it.\n"
			 "  4  other            50.00 ms         10 %\n     Do it.\n"
			 "  5  late             62.00 ms         12 %\n     Do it.\n"
			 "  1 more: top 6 shows all.\n"
			 "  Also, no time to save: #7 vain; gain unknown: #8 unsure.\n");
	free(text);
	sqlite3_close(db);
}

/* The numbers of the table follow each other: what saves little is in it above what saves much. */
static void test_numbers(void **state)
{
	static const int64_t gains_ns[] = {60000000, 60000000, 2000000, 70000000, 1000000};
	static const int64_t ranks_ns[] = {60000000, 60000000, 2000000, 0, 1000000};
	enum { COUNT = sizeof(gains_ns) / sizeof(gains_ns[0]) };
	struct tc_heuristic kinds[COUNT];
	struct tc_finding findings[COUNT];
	struct tc_advice advice = {.findings = findings, .finding_count = COUNT};
	static const char *const ids[COUNT] = {"one", "two", "little", "sum", "last"};
	static const char *const whole[] = {"sum", NULL};
	sqlite3 *db = fixture_store();

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		set_fix(&findings[i], &kinds[i], ids[i], gains_ns[i]);
		if (i == 1)
			kinds[i].part_of = whole;
		findings[i].rank_ns = ranks_ns[i];
		findings[i].advice = "Do it.";
	}
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "  3  little           2.000 ms         <1 %\n     Do it.\n"
			 "  4  sum              70.00 ms         14 %\n     Do it.\n"
			 "  Also: #5 last, 1.000 ms.\n  For ");
	free(text);
	sqlite3_close(db);
}

/* The causes of idle time name the fix that mends them; the largest one without a fix says so. */
static void test_causes(void **state)
{
	const unsigned loader = 1U << TC_CAUSE_DATALOADER, copies = 1U << TC_CAUSE_INPUT_COPY;
	struct tc_heuristic kinds[2];
	struct tc_finding findings[2];
	struct tc_advice advice = {.findings = findings, .finding_count = 2};
	sqlite3 *db = fixture_store();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		set_fix(&findings[i], &kinds[i], i == 0 ? "copies" : "loader", 100000000);
		kinds[i].causes = i == 0 ? copies : loader;
	}
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "\n    the host fetches the next batch (#2)  ");
	assert_has_not(text, "No check found a fix");
	free(text);
	kinds[1].causes = copies; /* no fix is about the loader */
	text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "\n    the host fetches the next batch  ");
	assert_has(text, "No check found a fix for the largest of these causes.\n");
	free(text);
	struct tc_account_row lacked = {0, &kinds[1], TC_OUTCOME_NOT_APPLICABLE,
		"no stacks; record with_stack=True", false};
	kinds[1].causes = loader;
	advice.finding_count = 1;
	advice.account = &lacked;
	advice.account_count = 1;
	text = fixture_text(db, &advice, tc_render_text);
	assert_has(
		text, "largest of these causes; one lacked data: no\n  stacks; record with_stack=");
	free(text);
	sqlite3_close(db);
}

/* Two fixes of a plan, and one beside it. */
static void set_planned(struct tc_finding findings[3], struct tc_heuristic kinds[3])
{
	static const char *const ids[] = {"first", "hidden", "idle"};

	for (size_t i = 0; i < 3; i++) {
		set_fix(&findings[i], &kinds[i], ids[i], 100000000 - (int64_t)i * 10000000);
		findings[i].plan_order = i < 2 ? (int64_t)i + 1 : 0;
		findings[i].advice = "Do it.";
	}
}

/* A plan shows what each fix saves of a step: alone, beside those above, and what is left. */
static void test_plan(void **state)
{
	struct tc_heuristic kinds[3];
	struct tc_finding findings[3];
	struct tc_advice advice = {.findings = findings, .finding_count = 3};
	sqlite3 *db = fixture_store();

	(void)state;
	set_planned(findings, kinds);
	memory_store_exec(db,
		"INSERT INTO plan_fix VALUES(0, 1, 'first'), (0, 2, 'hidden');"
		"INSERT INTO fix_set VALUES"
		"(0, 0, 0, 0, 0, 160000000, 160000000),"
		"(0, 1, 90000000, 80, 90, 160000000, 130000000),"
		"(0, 2, 3000000, 3, 3, 160000000, 159000000),"
		"(0, 3, 160000000, 1, 2, 160000000, 80000000);"
		"INSERT INTO fix_set_path VALUES(0, 3, 'device', 'mme', 74),"
		"(0, 3, 'device', 'tpc', 26);"
		"INSERT INTO whatif VALUES(0, 'idle', 'x', 6000000, 160000000, 158000000,"
		" 1, 1, 1)");
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "     Fix, best first, per step     alone  in this order  step then\n"
			 "  1  first                      30.00 ms       30.00 ms   130.0 ms  ");
	assert_has(text, "\n     Do it.\n"
			 "  2  hidden                     1.000 ms       50.00 ms   80.00 ms  ");
	assert_has(text,
		"     Do it. Best after #1.\n"
		"  3  idle                       2.000 ms              -          -\n     Do it.\n"
		"  The first 2 together: 2.00 x as fast as the 160.0 ms of a steady step; then on\n"
		"  the critical path: the device works (MME) 74 %.\n");
	assert_has_not(text, "saves");
	free(text);
	text = fixture_text(db, &advice, tc_render_md);
	assert_has(text, "Saves 30.00 ms a step; in the steady run 100.0 ms, 20.0 % of the run; ");
	assert_has(text, "Saves 1.000 ms a step alone, 50.00 ms beside the fixes before it; in the "
			 "steady run 90.00 ms alone, 18.0 % of the run; ");
	free(text);
	findings[0].plan_order = findings[1].plan_order = 0; /* it is a plan of other fixes */
	text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "saves  of 500.0 ms");
	assert_has_not(text, "step then");
	assert_has_not(text, "x as fast");
	free(text);
	sqlite3_close(db);
}

/* A fix that adds nothing to the plan comes last and has no row. */
static void test_nothing_more(void **state)
{
	struct tc_heuristic kinds[3];
	struct tc_finding findings[3];
	struct tc_advice advice = {.findings = findings, .finding_count = 3};
	sqlite3 *db = fixture_store();

	(void)state;
	set_planned(findings, kinds);
	findings[1] = findings[2];
	set_fix(&findings[2], &kinds[1], "hidden", 90000000);
	findings[2].plan_order = TC_PLAN_COVERED;
	memory_store_exec(db,
		"INSERT INTO plan_fix VALUES(0, 1, 'first');"
		"INSERT INTO plan_rest VALUES(0, 1, 'hidden', 0), (0, 2, 'idle', 500);"
		"INSERT INTO fix_set VALUES"
		"(0, 0, 0, 0, 0, 160000000, 160000000),"
		"(0, 1, 90000000, 80, 90, 160000000, 130000000);"
		"INSERT INTO whatif VALUES(0, 'idle', 'x', 6000000, 160000000, 158000000,"
		" 1, 1, 1), (0, 'hidden', 'x', 90000000, 160000000, 159000000, 1, 1, 1)");
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "\n  2  idle                       2.000 ms              -          -\n   "
			 "  Do it.\n"
			 "  Nothing more once these are made: #3 hidden (alone 1.000 ms).\n"
			 "  1.23 x as fast as the 160.0 ms of a steady step.");
	assert_has_not(text, "  3  hidden");
	free(text);
	text = fixture_text(db, &advice, tc_render_md);
	assert_has(text, "Saves 1.000 ms a step alone, nothing beside those of the plan; in the ");
	free(text);
	memory_store_exec(db, "UPDATE whatif SET step_after_ns = 130100000 WHERE fix = 'hidden'");
	text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "#3 hidden (alone 29.90 ms, as much as #1).\n");
	free(text);
	sqlite3_close(db);
}

/* A fix that wins nothing alone has its row in the plan. */
static void test_hidden(void **state)
{
	struct tc_heuristic kinds[3];
	struct tc_finding findings[3];
	struct tc_advice advice = {.findings = findings, .finding_count = 2};
	sqlite3 *db = fixture_store();

	(void)state;
	set_planned(findings, kinds);
	set_fix(&findings[1], &kinds[1], "hidden", 0);
	findings[1].plan_order = 2;
	findings[1].advice = "Do it.";
	memory_store_exec(db, "INSERT INTO plan_fix VALUES(0, 1, 'first'), (0, 2, 'hidden');"
			      "INSERT INTO fix_set VALUES"
			      "(0, 0, 0, 0, 0, 160000000, 160000000),"
			      "(0, 1, 90000000, 80, 90, 160000000, 130000000),"
			      "(0, 2, 0, 0, 0, 160000000, 160000000),"
			      "(0, 3, 160000000, 1, 2, 160000000, 80000000)");
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "\n  2  hidden                      nothing       50.00 ms   80.00 ms  ");
	assert_has(text, "The first 2 together: 2.00 x as fast");
	free(text);
	text = fixture_text(db, &advice, tc_render_md);
	assert_has(text, "Saves nothing alone, 50.00 ms beside the fixes before it; severity ");
	free(text);
	sqlite3_close(db);
}

/* Where the largest cause of idle time has another fix than the first, the critical path says why.
 */
static void test_path(void **state)
{
	struct tc_heuristic kinds[2];
	struct tc_finding findings[2];
	struct tc_advice advice = {.findings = findings, .finding_count = 2};
	static const char *const ids[] = {"first", "loader"};
	sqlite3 *db = fixture_store();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		set_fix(&findings[i], &kinds[i], ids[i], 100000000);
		findings[i].plan_order = (int64_t)i + 1;
		kinds[i].causes = i == 0 ? 1U << TC_CAUSE_DISPATCH : 1U << TC_CAUSE_DATALOADER;
	}
	memory_store_exec(db,
		"INSERT INTO plan_fix VALUES(0, 1, 'first'), (0, 2, 'loader');"
		"INSERT INTO fix_set VALUES"
		"(0, 0, 0, 0, 0, 160000000, 160000000), (0, 1, 90000000, 80, 90, 160000000, "
		"130000000),"
		"(0, 2, 3000000, 3, 3, 160000000, 159000000),"
		"(0, 3, 160000000, 1, 2, 160000000, 80000000);"
		"INSERT INTO fix_set_path VALUES(0, 0, 'host', 'dispatch', 60),"
		"(0, 0, 'device', 'mme', 20), (0, 0, 'host', NULL, 11), (0, 0, 'queue', NULL, 9)");
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text,
		"  On the critical path: the host dispatches operations 60 %, the device works\n"
		"  (MME) 20 %, nothing recorded on the host 11 %.\n");
	free(text);
	kinds[0].causes = kinds[1].causes;
	text = fixture_text(db, &advice, tc_render_text);
	assert_has_not(text, "critical path");
	free(text);
	kinds[0].causes = kinds[1].causes = 0;
	text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "No check found a fix for the largest of these causes");
	free(text);
	sqlite3_close(db);
}

/* Where a number stands, it says that it is guessed. */
static void test_guessed_gains(void **state)
{
	struct tc_heuristic kinds[3];
	struct tc_finding findings[3];
	struct tc_advice advice = {.findings = findings, .finding_count = 3};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		set_fix(&findings[i], &kinds[i], i == 0 ? "first" : "next",
			i == 2 ? 2000000 : 100000000);
	findings[0].confidence = findings[2].confidence = TC_CONFIDENCE_GUESSED;
	for (int md = 0; md < 2; md++) {
		sqlite3 *db = fixture_store();
		char *text = fixture_text(db, &advice, md ? tc_render_md : tc_render_text);
		assert_has(text, "guessed 100.0 ms");
		assert_has(text, md ? "| 100.0 ms |" : "  100.0 ms");
		assert_has(text, "2.000 ms (guessed)");
		if (md)
			assert_has(text, "severity high, guessed.");
		free(text);
		sqlite3_close(db);
	}
}

/* A finding by itself has ten rows of evidence, and says how many more there are. */
static void test_much_evidence(void **state)
{
	static const struct tc_field nothing[] = {{.name = NULL}};
	struct tc_heuristic kind;
	struct tc_finding finding;
	struct tc_advice advice = {.findings = &finding, .finding_count = 1};
	struct tc_evidence rows[12];
	struct tc_report_options options = fixture_options();
	sqlite3 *db = fixture_store();

	(void)state;
	set_fix(&finding, &kind, "first", 100000000);
	for (int i = 0; i < 12; i++)
		rows[i] = (struct tc_evidence){i < 10 ? "shown" : "left out", TC_GAIN_NONE, 2,
			TC_CONFIDENCE_MEASURED, nothing};
	finding.evidence = rows;
	finding.evidence_count = 12;
	options.explain = "first";
	char *text = fixture_text_with(db, &advice, &options);
	assert_has(text, "  - shown: 2 times\n  - and 2 more\n");
	assert_has_not(text, "left out");
	free(text);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_nothing_more),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_guessed_gains),
		cmocka_unit_test(test_much_evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

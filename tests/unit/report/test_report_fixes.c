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
	{"small", {NULL}, 5100000}, {"unsure", {NULL}, TC_GAIN_NONE}};
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

/* As they are ranked. What stands below the finding that it is part of is indented, and a larger
 * gain below a smaller one has its reason. */
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
	assert_has(text,
		"  1  whole            80.00 ms         16 %\n     Do it.\n"
		"  2    part           60.00 ms         12 %\n       Do it.\n"
		"  3  early            55.00 ms         11 %\n     Do it.\n"
		"  4  other            50.00 ms         10 %\n     Do it.\n"
		"  5  late             62.00 ms         12 %\n     Do it.\n"
		"  1 more: top 6 shows all.\n"
		"  Each gain is that of one fix alone; they overlap. Indented: a special case of\n"
		"  the fix above. The order is by what a fix saves beyond its special cases: #5\n"
		"  saves 7.000 ms beyond #3.\n  Also, gain unknown: #7 unsure.\n");
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
	assert_has(text,
		"  3  little           2.000 ms         <1 %\n     Do it.\n"
		"  4  sum              70.00 ms         14 %\n     Do it.\n"
		"  Each gain is that of one fix alone; they overlap. The order is by what a "
		"fix\n  saves beyond its special cases: #4 saves nothing beyond #2.\n"
		"  Also: #5 last, 1.000 ms. For ");
	free(text);
	sqlite3_close(db);
}

/* The verdict names the loader; its fix is the second here. */
static void test_cause_of_another_fix(void **state)
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
	assert_has(text,
		" overlap. The largest cause of idle\n  time is #2. The order is by what a "
		"fix saves.\n");
	free(text);
	kinds[0].causes = loader;
	text = fixture_text(db, &advice, tc_render_text);
	assert_has_not(text, "The largest cause of idle time");
	free(text);
	kinds[0].causes = kinds[1].causes = copies; /* no fix is about the loader */
	text = fixture_text(db, &advice, tc_render_text);
	assert_has_not(text, "The largest cause of idle time");
	free(text);
	sqlite3_close(db);
}

/* A fix that saves little alone says what it saves after the others, if that is much more. */
static void test_gain_after_others(void **state)
{
	struct tc_heuristic kinds[2];
	struct tc_finding findings[2];
	struct tc_advice advice = {.findings = findings, .finding_count = 2};
	sqlite3 *db = fixture_store();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		set_fix(&findings[i], &kinds[i], i == 0 ? "first" : "hidden",
			i == 0 ? 100000000 : 2000000);
	}
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "\n  Also: #2 hidden, 2.000 ms. For");
	free(text);
	memory_store_exec(db, "INSERT INTO plan VALUES(0, 1, 'first', 100000000, 100000000, "
			      "100000000, 160000000, "
			      "130000000, NULL, NULL, NULL), (0, 2, 'hidden', 160000000, "
			      "160000000, 160000000, 160000000, "
			      "110000000, 'device', 'mme', 74.0)");
	text = fixture_text(db, &advice, tc_render_text);
	assert_has(text,
		"\n  A step after the first takes 160.0 ms; with #1 fixed 130.0 ms, then #2\n"
		"  110.0 ms. After that the limit is the device (MME): 74 % of the critical path.\n"
		"  Also: #2 hidden, 2.000 ms alone, 60.00 ms after the others. For");
	free(text);
	findings[1].gain_ns = findings[1].rank_ns = 20000000;
	findings[1].gain_pct = 4;
	text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "saves alone");
	assert_has(text, "#2 saves 20.00 ms alone, and 60.00 ms");
	free(text);
	text = fixture_text(db, &advice, tc_render_md);
	assert_has(text, "2 saves 20.00 ms alone, and 60.00 ms once the fixes before it are made.");
	assert_has(text, "Saves 20.00 ms alone, 4.0 % of the run, and 60.00 ms once the");
	free(text);
	findings[1].gain_ns = findings[1].rank_ns = 30000000; /* half of it is not hidden */
	text = fixture_text(db, &advice, tc_render_text);
	assert_has_not(text, "alone, and");
	assert_has_not(text, "saves alone");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_cause_of_another_fix),
		cmocka_unit_test(test_gain_after_others),
		cmocka_unit_test(test_guessed_gains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The first screen has at most 40 lines of 80 columns, whatever the trace and the advice have to
 * say. */
#include "report_fixture.h"

#include "report/screen/screen.h"
#include "report/text/format.h"

enum { FIXES = 9, SMALL = 5, NOTES = 4, KINDS = FIXES + SMALL + NOTES, FAILED = 12, SETTINGS = 12 };

#define LONG_WORD                                                                                  \
	"a_name_of_a_rule_that_nobody_would_choose_but_a_generator_may_and_that_exceeds_a_line_"   \
	"of_the_terminal"

/* Advice with more to say than a screen holds: each second fix is a special case of the first. */
struct worst {
	struct tc_heuristic kinds[KINDS];
	struct tc_finding findings[KINDS];
	struct tc_account_row account[FAILED];
	struct tc_setting settings[SETTINGS];
	char ids[KINDS][32], reasons[FAILED][200];
	const char *part_of[2];
	struct tc_advice advice;
};

static void fill_finding(struct worst *worst, size_t kind, size_t at)
{
	struct tc_finding *finding = &worst->findings[at];
	bool is_small = kind >= FIXES;

	*finding = fixture_advice()->findings[1];
	finding->heuristic = &worst->kinds[kind];
	finding->gain_ns = is_small ? 100000 : 90000000 - (int64_t)kind * 1000000;
	finding->gain_pct = is_small ? 0.02 : 18;
	finding->rank_ns = is_small ? 100000 : 5000000 + (int64_t)kind;
	finding->plan_order = kind < 4 ? (int64_t)kind + 1 : 0;
	if (kind >= FIXES + SMALL)
		finding->gain_ns = TC_GAIN_NONE;
	finding->advice = "Change what the program does here, as the page of this heuristic says "
			  "in more words. Then record again.";
}

/* What the line of the account and those below it have to say. */
static void fill_account(struct worst *worst)
{
	static const struct tc_param param = {"min_exposed_pct", "pct", 5, 0, 100, "test"};

	for (size_t i = 0; i < FAILED; i++) {
		snprintf(worst->reasons[i], sizeof(worst->reasons[i]), "no such column: %s %zu",
			LONG_WORD, i);
		worst->account[i] = (struct tc_account_row){
			0, &worst->kinds[0], TC_OUTCOME_FAILED, worst->reasons[i], false};
	}
	for (size_t i = 0; i < SETTINGS; i++)
		worst->settings[i] = (struct tc_setting){&worst->kinds[i], &param, 2.5};
}

static void fill_kind(struct worst *worst, size_t i, bool has_long_names)
{
	snprintf(worst->ids[i], sizeof(worst->ids[i]), "kind-%zu", i);
	worst->kinds[i] = i < FIXES + SMALL ? fixture_loader : fixture_cut;
	worst->kinds[i].id = worst->ids[i];
	worst->kinds[i].file = has_long_names ? "rules.sql" : NULL;
	worst->kinds[i].part_of = i % 2 == 1 && i < FIXES ? worst->part_of : NULL;
	worst->kinds[i].title = has_long_names ? LONG_WORD : "The device waits";
}

/* The first kinds of fixes, notes if wanted, and with them failures and settings. */
static struct worst *worst_new(size_t fix_count, bool notes, bool has_long_names)
{
	struct worst *worst = calloc(1, sizeof(*worst));
	size_t count = 0;

	assert_non_null(worst);
	worst->part_of[0] = worst->ids[0];
	for (size_t i = 0; i < KINDS; i++) {
		fill_kind(worst, i, has_long_names);
		if (i < FIXES + SMALL ? i < fix_count : notes)
			fill_finding(worst, i, count++);
	}
	fill_account(worst);
	worst->advice = (struct tc_advice){.findings = worst->findings,
		.finding_count = count,
		.account = worst->account,
		.account_count = notes ? FAILED : 0,
		.settings = worst->settings,
		.setting_count = notes ? SETTINGS : 0,
		.made_with = default_settings()};
	return worst;
}

/* Checks the number of all lines, and the width of those that are not to be copied. */
static void assert_fits(const char *text, int width)
{
	const char *whole = text;
	int lines = 0;

	for (const char *end; (end = strchr(text, '\n')); text = end + 1, lines++) {
		struct tc_text line = {text, (size_t)(end - text)};
		if (tc_format_columns(line) > width &&
			!tc_text_starts(line, TC_TEXT("  tracecoach explain ")))
			fail_msg("too wide: %.*s", (int)line.len, line.ptr);
	}
	assert_string_equal(text, "");
	if (lines > TC_SCREEN_LINES)
		fail_msg("%d lines:\n%s", lines, whole);
}

static void check(sqlite3 *db, const struct tc_advice *advice)
{
	for (int width = 80; width >= 50; width -= 30) {
		struct tc_report_options options = fixture_options();
		options.width = width;
		char *text = fixture_text_with(db, advice, &options);
		assert_fits(text, width);
		free(text);
	}
}

/* A plan of the first four fixes; the findings must say so. */
#define PLAN                                                                                       \
	"INSERT INTO plan_fix VALUES(0, 1, 'kind-0'), (0, 2, 'kind-1'), (0, 3, 'kind-2'),"         \
	" (0, 4, 'kind-3');"                                                                       \
	"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 15)"             \
	" INSERT INTO fix_set SELECT 0, i, i * 10000000, i * 9000000, i * 11000000, 160000000,"    \
	" 160000000 - i * 10000000 FROM n;"                                                        \
	"INSERT INTO fix_set_path VALUES(0, 15, 'device', 'mme', 100);"

static const char *const stores[] = {
	"SELECT 1",
	/* a long path, and a plan under which the last fixes save more */
	"UPDATE trace SET path = 'a/b/" LONG_WORD LONG_WORD LONG_WORD ".json',"
	" device_name = '" LONG_WORD LONG_WORD "';" PLAN,
	/* seven devices */
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6)"
	" INSERT INTO metric SELECT 0, name, CAST(i AS TEXT), NULL, value, unit FROM metric, n"
	" WHERE device = '0' AND step IS NULL",
	/* no verdict */
	"UPDATE metric SET value = 3 WHERE name = 'device_op_count'",
	/* no device work */
	"DELETE FROM metric WHERE name = 'has_device'",
};

static void test_trace(void **state)
{
	static const size_t fix_counts[] = {0, 1, FIXES, FIXES + SMALL};

	(void)state;
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		sqlite3 *db = fixture_store();
		memory_store_exec(db, stores[i]);
		for (int k = 0; k < 16; k++) {
			struct worst *worst = worst_new(fix_counts[k / 4], k & 1, k & 2);
			check(db, &worst->advice);
			free(worst);
		}
		sqlite3_close(db);
	}
}

/* The last fixes go first, and the table says how many are missing. */
static void test_gives_way(void **state)
{
	sqlite3 *db = fixture_store();
	struct worst *few = worst_new(FIXES, false, false);
	struct worst *many = worst_new(FIXES, true, false);

	(void)state;
	char *text = fixture_text(db, &few->advice, tc_render_text);
	assert_has(text, "\n  5  The device waits");
	assert_has(text, "\n  4 more: top 9 shows all.\n");
	free(text);
	text = fixture_text(db, &many->advice, tc_render_text);
	assert_has(text, "\n  3  The device waits");
	assert_has_not(text, "\n  4  ");
	assert_has(text, "\n  6 more: top 9 shows all.\n");
	assert_has(text, "\n  ! The device waits. ");
	assert_has(text, " ...\n"); /* a text that lost its end */
	assert_has(text, "\n  details shows all findings,");
	free(text);
	struct tc_report_options options = fixture_options();
	options.top = FIXES; /* who asks for more gets it */
	text = fixture_text_with(db, &many->advice, &options);
	assert_has(text, "\n  9  The device waits");
	free(text);
	free(few);
	free(many);
	sqlite3_close(db);
}

/* Twelve ranks, three of them late; then the same without a verdict. */
static void test_job(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11)"
		" INSERT INTO trace(id, path, format, form, vendor, rank, read_bytes, event_count)"
		" SELECT i, 'rank.json', 'kineto', 'object', 'gaudi', i, 10, 3 FROM n;"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11)"
		" INSERT INTO metric SELECT i, name, device, step, value, unit FROM metric, n"
		" WHERE step IS NULL;"
		"INSERT INTO job_rank SELECT id, 0, id, 12, 1, 30, 30 - id,"
		" iif(id > 0, 50000000, 0), iif(id > 0, 50000000 + id, 0), 10, 0, 0,"
		" iif(id < 3, id + 1, NULL), 154000000, 325000000 FROM trace;" PLAN);
	for (int k = 0; k < 4; k++) {
		struct worst *worst = worst_new(FIXES + SMALL, k & 1, k & 2);
		char *text = fixture_text(db, &worst->advice, tc_render_text);
		assert_has(text, "One job, 12 of its 12 ranks\n");
		assert_has(text, "comm. exposed");
		assert_has_not(text, "not recorded");
		free(text);
		check(db, &worst->advice);
		free(worst);
	}
	memory_store_exec(db, "UPDATE metric SET value = 3 WHERE name = 'device_op_count'");
	struct worst *worst = worst_new(FIXES, true, false);
	char *text = fixture_text(db, &worst->advice, tc_render_text);
	assert_has(text, "recorded");
	free(text);
	check(db, &worst->advice);
	free(worst);
	sqlite3_close(db);
}

/* The findings of three ranks: the last one sets the pace. Each rank has others, or in another
 * order. */
static const struct {
	int rank;
	char heuristic;
	int64_t gain_ns;
} of_ranks[] = {{0, 'a', 30000000}, {0, 'b', 10000000}, {1, 'b', 40000000}, {1, 'c', 20000000},
	{2, 'c', 50000000}, {2, 'a', 5000000}};

enum { OF_RANKS = sizeof(of_ranks) / sizeof(of_ranks[0]) };

static sqlite3 *store_of_ranks(void)
{
	sqlite3 *db = fixture_store();

	memory_store_exec(db,
		"INSERT INTO trace(id, path, format, form, vendor, rank, read_bytes, event_count)"
		" VALUES (1, 'rank1.json', 'kineto', 'object', 'gaudi', 1, 10, 3),"
		" (2, 'rank2.json', 'kineto', 'object', 'gaudi', 2, 10, 3);"
		"UPDATE trace SET rank = id;"
		"INSERT INTO metric SELECT t.id, m.name, m.device, m.step, m.value, m.unit"
		" FROM metric m, trace t WHERE t.id > 0 AND m.step IS NULL;"
		"INSERT INTO job_rank SELECT id, 0, id, 3, 0, 30, 30, 1000, 1000, 10, 0, 0,"
		" iif(id = 2, 1, NULL), 1000, 1000 FROM trace;");
	return db;
}

struct ranks_advice {
	struct tc_heuristic heuristics[3];
	struct tc_finding findings[OF_RANKS];
	struct tc_evidence evidence[OF_RANKS];
	char names[3][2][16], places[OF_RANKS][80];
	struct tc_advice advice;
	struct tc_account_row account[4];
};

static struct ranks_advice *advice_of_ranks(void)
{
	static const struct tc_field nothing[] = {{.name = NULL}};
	struct ranks_advice *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	for (int i = 0; i < 3; i++) {
		made->heuristics[i] = fixture_loader;
		snprintf(made->names[i][0], sizeof(made->names[i][0]), "%c", 'a' + i);
		snprintf(made->names[i][1], sizeof(made->names[i][1]), "Title %c", 'a' + i);
		made->heuristics[i].id = made->names[i][0];
		made->heuristics[i].title = made->names[i][1];
		made->heuristics[i].says = NULL;
	}
	for (int i = 0; i < OF_RANKS; i++) {
		snprintf(made->places[i], sizeof(made->places[i]), "place %d%s", i,
			i == 5 ? " of a row with much to say on what it saw, so it is cut" : "");
		made->evidence[i] = (struct tc_evidence){
			made->places[i], TC_GAIN_NONE, i + 1, TC_CONFIDENCE_MEASURED, nothing};
		made->findings[i] = (struct tc_finding){of_ranks[i].rank,
			&made->heuristics[of_ranks[i].heuristic - 'a'], TC_SEVERITY_HIGH,
			TC_CONFIDENCE_MEASURED, of_ranks[i].gain_ns, of_ranks[i].gain_ns,
			of_ranks[i].gain_ns, 1, 0, "SELECT 1", &made->evidence[i], 1, "Do it.",
			"Because.", NULL, of_ranks[i].gain_ns, 0};
	}
	made->account[0] = (struct tc_account_row){
		0, &made->heuristics[2], TC_OUTCOME_NOT_APPLICABLE, "no steps", false};
	made->account[1] =
		(struct tc_account_row){1, &made->heuristics[0], TC_OUTCOME_QUIET, NULL, true};
	made->account[2] =
		(struct tc_account_row){2, &made->heuristics[1], TC_OUTCOME_QUIET, NULL, false};
	made->account[3] =
		(struct tc_account_row){2, &made->heuristics[0], TC_OUTCOME_FIRED, NULL, false};
	made->advice = (struct tc_advice){.findings = made->findings,
		.finding_count = OF_RANKS,
		.account = made->account,
		.account_count = TC_COUNT_OF(made->account)};
	return made;
}

/* A number that explain gets is that of the report on the job, and it answers once, with a row for
 * each rank that has the finding. */
static void test_explain_job(void **state)
{
	static const struct {
		const char *asked, *title, *parts[4];
	} want[] = {
		{"1", "#1 Title c (c)",
			{"\n  On rank 0: it lacked data: no steps.\n",
				"Saves the job 50.00 ms in the steady run: what it saves on rank 2",
				"\n  On rank 2:\n  - place 4: 5 times\n",
				"\n     1     20.00 ms  place 3: 4 times\n     2     50.00 ms  "
				"place 4: 5 "}},
		{"#2", "#2 Title a (a)",
			{"\n  On rank 1: what it found wins too little when mended alone.\n",
				"Saves the job 5.000 ms in the steady run: what it saves on rank 2",
				"\n     0     30.00 ms  place 0\n",
				"\n     2     5.000 ms  place 5 of a row with much to say on what "
				"it saw\n"}},
		{"b", "#3 Title b (b)",
			{"\n  On rank 2: it looked and found nothing that reaches its "
			 "thresholds.\n",
				"Saves the job nothing, because it saves nothing on rank 2, which "
				"sets "
				"the",
				"\n     0     10.00 ms  place 1: ",
				"\n     1     40.00 ms  place 2: 3 "}},
	};
	struct ranks_advice *made = advice_of_ranks();
	sqlite3 *db = store_of_ranks();
	char *report = fixture_text(db, &made->advice, tc_render_text);

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct tc_report_options options = fixture_options();
		char line[64];
		options.explain = want[i].asked;
		char *text = fixture_text_with(db, &made->advice, &options);
		snprintf(line, sizeof(line), "\n  %c  %.7s ", want[i].title[1], want[i].title + 3);
		assert_has(report, line);
		assert_has(text, "One job, 3 of its 3 ranks\n");
		assert_has(text, want[i].title);
		for (int k = 0; k < 4; k++)
			assert_has(text, want[i].parts[k]);
		assert_null(strstr(strstr(text, "Because.") + 1, "Because."));
		free(text);
	}
	assert_has(report, "-: nothing");
	free(report);
	/* One step each, and starts far apart: the rank that saves nothing may not be the slow one.
	 */
	memory_store_exec(db, "UPDATE metric SET value = 1 WHERE name = 'step_count';"
			      "UPDATE trace SET start_ns = id * 100000000");
	struct tc_report_options options = fixture_options();
	options.explain = "b";
	char *text = fixture_text_with(db, &made->advice, &options);
	assert_has(text, "Gain unknown for the job: the recordings do not show which rank is slow");
	assert_has_not(text, "Saves the job nothing");
	free(text);
	free(made);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_gives_way),
		cmocka_unit_test(test_job),
		cmocka_unit_test(test_explain_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

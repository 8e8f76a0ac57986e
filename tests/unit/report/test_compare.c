/*
 * What the comparison says: when a difference is one, what is not alike, which advice went away,
 * which trace is meant; its schema, its widths, and its way with memory that is out.
 */
#include "compare_fixture.h"

#include "report/text/format.h"

/* A store whose steps last so long, one behind the other. */
static sqlite3 *store_of_steps(int side, const int64_t *times, int count)
{
	sqlite3 *db = open_empty(side);
	int64_t at = 1000;

	memory_store_trace(db, 0, 1000000, (const char *const[]){NULL});
	for (int i = 0; i < count; i++) {
		exec_free(
			db, sqlite3_mprintf("INSERT INTO step(id, trace_id, number, name, ts, dur, "
					    "slice_id, is_warm_up, is_unused) VALUES(%d, 0, %d, "
					    "'x', %lld, %lld, 0, 0, 0)",
				    i, i, at, times[i]));
		at += times[i];
	}
	return db;
}

#define TIMES(...)                                                                                 \
	(const int64_t[]){__VA_ARGS__}, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static struct tc_compare_result judged(const int64_t *before, int before_count,
	const int64_t *after, int after_count, const char *said)
{
	struct pair pair = pair_of(store_of_steps(TC_BEFORE, before, before_count),
		store_of_steps(TC_AFTER, after, after_count));
	char *text = text_of(&pair, "json");

	assert_has(text, said);
	free(text);
	return pair.result;
}

static void test_judgement(void **state)
{
	struct tc_compare_result result;

	(void)state;
	result = judged(
		TIMES(100, 110, 120), TIMES(110, 100, 120), "No difference: 110 ns per step");
	assert_int_equal(result.outcome, TC_COMPARE_SAME);
	/* Ranges apart, by one nanosecond. */
	result = judged(TIMES(100, 110, 120), TIMES(121, 130, 150),
		"Slower by 24 ns per step, 21.5 %: 134 ns per step instead of 110 ns.");
	assert_int_equal(result.outcome, TC_COMPARE_SLOWER);
	assert_true(result.judged);
	assert_true(result.difference_pct > 21.5 && result.difference_pct < 21.6);
	/* A mean that rounds to nothing is a time to compare with all the same. */
	result = judged(
		TIMES(0, 0, 1), TIMES(100, 100, 100), "Slower by 100 ns per step, 29900.0 %");
	assert_true(result.difference_pct > 29899 && result.difference_pct < 29901);
	/* They touch, and the notches are wide: 1.57 * (20 + 40) / sqrt(3) is 54. */
	result = judged(TIMES(100, 110, 120), TIMES(120, 140, 160),
		"No difference beyond step-to-step variation: 140 ns per step instead of 110 ns, "
		"+27.3 %. A step takes 100 ns to 120 ns before, 120 ns to 160 ns after.\"");
	assert_int_equal(result.outcome, TC_COMPARE_WITHIN);
	/* Ranges overlap by outliers only; the notches are 1.57 * (2 + 2) / sqrt(8), 2.2 apart. */
	result = judged(TIMES(100, 100, 101, 101, 102, 102, 103, 200),
		TIMES(20, 90, 91, 91, 92, 92, 93, 93), "Faster by");
	assert_int_equal(result.outcome, TC_COMPARE_FASTER);
	result = judged(TIMES(100, 100, 101, 101, 102, 102, 103, 120),
		TIMES(102, 102, 103, 103, 104, 104, 105, 90), "\"noise_ns\": 2");
	assert_int_equal(result.outcome, TC_COMPARE_WITHIN);
	/* One long step moves the mean and not the median. */
	result = judged(TIMES(100, 101, 102, 103, 104), TIMES(100, 101, 102, 103, 904),
		"less than half of that: single steps cause the difference.");
	assert_int_equal(result.outcome, TC_COMPARE_WITHIN);
	/* The median says the contrary of the mean. */
	result = judged(TIMES(100, 100, 100, 100, 100), TIMES(90, 90, 90, 90, 900),
		"The median is lower by 10 ns: single long steps make up for it.");
	assert_int_equal(result.outcome, TC_COMPARE_WITHIN);
	/* All steps but one became slower, and that one hides it in the mean. */
	result = judged(TIMES(100, 100, 100, 100, 160), TIMES(115, 115, 115, 115, 115),
		"Slower by 15 ns, 15.0 %, in the median: 115 ns per step instead of 100 ns. Single "
		"long steps hide it in the mean: 115 ns per step instead of 112 ns.");
	assert_int_equal(result.outcome, TC_COMPARE_SLOWER);
	assert_true(result.difference_pct > 14.9 && result.difference_pct < 15.1);
	/* Too few steps to tell. */
	result = judged(TIMES(100, 110), TIMES(300, 310, 320), "is unknown: record more.");
	assert_int_equal(result.outcome, TC_COMPARE_SLOWER);
	assert_false(result.judged);
}

/* A slower run may push a long first step over the limit of warm-up. */
static void test_warm_up_of_one_side(void **state)
{
	(void)state;
	sqlite3 *after = store_of_steps(TC_AFTER, TIMES(240, 115, 115, 115, 115));
	memory_store_exec(after, "UPDATE step SET is_warm_up = 1 WHERE number = 0");
	struct pair pair =
		pair_of(store_of_steps(TC_BEFORE, TIMES(190, 100, 100, 100, 100)), after);
	char *text = text_of(&pair, "json");

	assert_has(text, "Slower by 15 ns per step, 15.0 %: 115 ns per step instead of 100 ns.");
	assert_has(text, "The first step is warm-up on one side, so the means are those of the "
			 "steps after it.");
	free(text);
}

/* The fixture changed by a statement after, and the text of the comparison. */
static char *text_after(const char *change, const char *format)
{
	sqlite3 *after = open_fixture(TC_AFTER);

	memory_store_exec(after, change);
	struct pair pair = pair_of(open_fixture(TC_BEFORE), after);
	return text_of(&pair, format);
}

static void assert_told(const char *change, const char *id, const char *sentence)
{
	char *json = text_after(change, "json");
	char *expected = sqlite3_mprintf("{\"id\": \"%s\", \"text\": \"%s\"}", id, sentence);

	assert_has(json, expected);
	sqlite3_free(expected);
	free(json);
}

static void test_not_alike(void **state)
{
	(void)state;
	assert_told("UPDATE trace SET vendor = 'cuda'", "vendor",
		"The vendor differs: gaudi before, cuda after.");
	assert_told("UPDATE trace SET device_name = NULL", "device",
		"The device differs: GAUDI2 before, unknown after.");
	assert_told("UPDATE metric SET value = 2 WHERE name = 'device_count'", "device-count",
		"The number of devices differs: 1 before, 2 after.");
	assert_told("UPDATE trace SET world_size = 16", "world-size",
		"The number of ranks differs: 8 before, 16 after.");
	assert_told("UPDATE trace SET rank = 2", "rank", "The rank differs: 1 before, 2 after.");
	assert_told("INSERT INTO metric VALUES(0, 'has_ranks', NULL, NULL, 1, 'count')",
		"other-ranks",
		"BEFORE lacks the other ranks of its job, so its waits for them do not show.");
	assert_told("UPDATE metric SET value = 0 WHERE name = 'has_device'", "no-device-work",
		"AFTER has no device work, so only the host is compared.");
	assert_told("UPDATE metric SET value = 1 WHERE name = 'has_shapes';"
		    "INSERT INTO metric VALUES(0, 'has_stacks', NULL, NULL, 1, 'count')",
		"detail",
		"The profiler recorded Python stacks after only, shapes after only, which costs "
		"host time.");
	assert_told("INSERT INTO metric VALUES(0, 'device_op_count', NULL, 10, 5000, 'count')",
		"outside-of-steps",
		"In BEFORE 100.0 % of the device operations were launched by no step. In AFTER "
		"2.3 % of the device operations were launched by no step. They are included in "
		"the operations below.");
	assert_told("SELECT 1", "data-loss",
		"Part of BEFORE could not be read (table import_log). Part of AFTER could not be "
		"read (table import_log).");
	assert_told("DELETE FROM step; UPDATE metric SET value = 0 WHERE name = 'has_steps'",
		"no-steps",
		"AFTER has no steps: the whole traces are compared, whatever work they hold.");
	/* What is alike is not told. */
	char *json = text_after("SELECT 1", "json");
	assert_has_not(json, "differs");
	assert_has_not(json, "after only");
	free(json);
}

/* Expects the verdict of the fixture and of it after a change that leaves nothing to compare by. */
static void assert_unlike(const char *before_change, const char *after_change, const char *why)
{
	sqlite3 *before = open_fixture(TC_BEFORE), *after = open_fixture(TC_AFTER);

	memory_store_exec(before, before_change);
	memory_store_exec(after, after_change);
	struct pair pair = pair_of(before, after);
	char *json = text_of(&pair, "json");
	if (!why) {
		assert_null(pair.result.unlike);
		assert_has_not(json, "not_comparable");
	} else {
		assert_string_equal(pair.result.unlike, why);
		assert_int_equal(pair.result.outcome, TC_COMPARE_UNLIKE);
		assert_has(json, "\"outcome\": \"not_comparable\"");
		assert_has(json, "\"text\": \"Not comparable: ");
		assert_has_not(json, "Faster");
		assert_has_not(json, "Slower");
	}
	free(json);
}

static void test_not_comparable(void **state)
{
	static const char no_steps[] =
		"DELETE FROM step; UPDATE metric SET value = 0 WHERE name = 'has_steps'";
	static const char other_names[] =
		"DELETE FROM step; UPDATE metric SET value = 0 WHERE name = 'has_steps';"
		"UPDATE op_total SET name = 'x' || name; UPDATE host_total SET name = 'x' || name";

	(void)state;
	assert_unlike("", no_steps, "only BEFORE has steps");
	assert_unlike(no_steps, "", "only AFTER has steps");
	assert_unlike("UPDATE metric SET value = 0 WHERE name = 'has_device'", "",
		"only AFTER has device work");
	assert_unlike("", "UPDATE op_total SET name = 'x' || name", NULL);
	assert_unlike(no_steps, no_steps, NULL);
	assert_unlike(no_steps, other_names, "no operation and no host slice is in both traces");
}

/* Gone is what was looked for and not found; what could not be looked for is something else. */
static void test_advice(void **state)
{
	const struct tc_heuristic *all[4];

	for (size_t i = 0; i < 4; i++)
		all[i] = tc_catalogue_at(built_in(), i);
	struct tc_finding before[] = {{.heuristic = all[0], .gain_ns = 600},
		{.heuristic = all[1], .gain_ns = TC_GAIN_NONE},
		{.heuristic = all[2], .gain_ns = 5}};
	struct tc_finding after[] = {
		{.heuristic = all[2], .gain_ns = 90}, {.heuristic = all[3], .gain_ns = 301}};
	struct tc_account_row before_account[] = {{0, all[3], TC_OUTCOME_QUIET, NULL, false}};
	struct tc_account_row after_account[] = {{0, all[0], TC_OUTCOME_QUIET, NULL, false},
		{0, all[1], TC_OUTCOME_NOT_APPLICABLE, "no shapes", false}};
	struct tc_advice advice[] = {
		{default_settings(), before, 3, before_account, 1, NULL, 0, 1, 1},
		{default_settings(), after, 2, after_account, 2, NULL, 0, 1, 1}};
	static const char *const expected[] = {"new", "unknown_after", "gone", "remains"};
	const int order[] = {3, 1, 0, 2};
	struct pair pair = pair_of(store_of_steps(TC_BEFORE, TIMES(100, 110, 120)),
		store_of_steps(TC_AFTER, TIMES(100, 110)));
	sqlite3 *db = open_both();

	(void)state;
	pair.advice[0] = &advice[0];
	pair.advice[1] = &advice[1];
	char *json = text_of(&pair, "json");
	for (int i = 0; i < 4; i++) {
		char sql[128];
		snprintf(sql, sizeof(sql),
			"SELECT json_extract(?1, '$.advice[%d].id', '$.advice[%d].change')", i, i);
		char *want = sqlite3_mprintf("[\"%s\",\"%s\"]", all[order[i]]->id, expected[i]);
		assert_answer(db, sql, json, want);
		sqlite3_free(want);
	}
	assert_int_equal(number_at(db, json, "$.advice[0].after.gain_ns"), 151); /* 301 / 2 */
	assert_int_equal(number_at(db, json, "$.advice[0].after.gain_sum_ns"), 301);
	assert_int_equal(number_at(db, json, "$.advice[2].before.gain_ns"), 200);
	assert_int_equal(number_at(db, json, "$.advice[3].after.gain_ns"), 45);
	assert_answer(db, "SELECT ?1 ->> '$.advice[1].after.reason'", json, "no shapes");
	assert_answer(db, "SELECT json_extract(?1, '$.advice[1].before.gain_ns')", json, "(NULL)");
	sqlite3_close(db);
	free(json);
}

/* What both sides have says whether its gain changed: 200 ns a step before, and two steps after. */
static void test_advice_that_grows(void **state)
{
	static const struct {
		int64_t gain_ns;
		const char *change;
	} cases[] = {{400, " remains "}, {362, " remains "}, {360, " shrank "}, {438, " remains "},
		{440, " grew "}, {TC_GAIN_NONE, " remains "}};
	const struct tc_heuristic *kind;
	size_t index = 0;

	(void)state;
	do
		kind = tc_catalogue_at(built_in(), index++);
	while (kind->kind != TC_HEURISTIC_FIX);
	struct tc_finding before = {.heuristic = kind, .gain_ns = 600};
	struct tc_finding after = {.heuristic = kind};
	struct tc_advice advice[] = {{default_settings(), &before, 1, NULL, 0, NULL, 0, 1, 1},
		{default_settings(), &after, 1, NULL, 0, NULL, 0, 1, 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair pair = pair_of(store_of_steps(TC_BEFORE, TIMES(100, 110, 120)),
			store_of_steps(TC_AFTER, TIMES(100, 110)));
		pair.advice[0] = &advice[0];
		pair.advice[1] = &advice[1];
		after.gain_ns = cases[i].gain_ns;
		char *text = text_of(&pair, "text");
		assert_has(text, cases[i].change);
		free(text);
	}
}

static void test_schema(void **state)
{
	static const struct {
		const char *report, *definition;
	} objects[] = {
		{"$", "$"},
		{"$.tool", "$.properties.tool"},
		{"$.before", "$.\"$defs\".side"},
		{"$.after.compared", "$.\"$defs\".side.properties.compared"},
		{"$.not_alike[0]", "$.properties.not_alike.items"},
		{"$.verdict", "$.properties.verdict"},
		{"$.device[0]", "$.\"$defs\".time"},
		{"$.host[0]", "$.\"$defs\".time"},
		{"$.amounts[0]", "$.\"$defs\".amount"},
		{"$.operations", "$.properties.operations"},
		{"$.operations.rows[0]", "$.\"$defs\".operation"},
		{"$.host_slices.rows[0]", "$.\"$defs\".host_slice"},
		{"$.queries", "$.properties.queries"},
	};
	char path[512];
	sqlite3 *db = memory_store_open();
	char *schema = schema_text("compare.schema.json", path);
	char *json = text_after(
		"UPDATE op_total SET name = '\"\\' || char(0, 10) WHERE engine = 'mme'", "json");

	(void)state;
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		compare_members(db, json, schema, objects[i].report, objects[i].definition);
	bool checked = validate("compare.schema.json", json);
	free(json);
	free(schema);
	sqlite3_close(db);
	if (!checked)
		skip();
}

/* Which trace of several is meant. */
static void test_choice(void **state)
{
	static const char second[] =
		"INSERT INTO trace SELECT 1, path, format, form, vendor, 3, world_size, backend,"
		" device_name, device_memory_bytes, base_time_ns, start_ns, end_ns, read_bytes,"
		" event_count, architecture FROM trace WHERE id = 0";
	static const char other[] =
		"INSERT INTO trace SELECT 1, path, format, form, vendor, 3, world_size, backend,"
		" device_name, device_memory_bytes, base_time_ns, start_ns, end_ns, read_bytes,"
		" event_count, architecture FROM trace; UPDATE trace SET rank = 5 WHERE rank = 1";
	static const struct {
		const char *change;
		int64_t rank;
		const char *error;
	} cases[] = {
		{second, -1, NULL}, /* rank 1 is on both sides */
		{other, -1, "after: 2 traces: choose one with rank N, of ranks 3, 5"},
		{second, 2, "before: no trace of rank 2: there is 1"},
		{second, 1, NULL},
		{"UPDATE trace SET rank = 1", 3, "before: no trace of rank 3: there is 1"},
		{"INSERT INTO trace SELECT 1, path, format, form, vendor, 1, world_size, backend,"
		 " device_name, device_memory_bytes, base_time_ns, start_ns, end_ns, read_bytes,"
		 " event_count, architecture FROM trace",
			1, "after: 2 traces of rank 1: compare one of them alone"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sqlite3 *after = open_fixture(TC_AFTER);
		memory_store_exec(after, cases[i].change);
		struct pair pair = pair_of(open_fixture(TC_BEFORE), after);
		pair.options.has_rank = cases[i].rank >= 0;
		pair.options.rank = cases[i].rank;
		enum tc_status status = run_pair(&pair, "text");
		assert_int_equal(status, cases[i].error ? TC_ERR_USAGE : TC_OK);
		if (cases[i].error)
			assert_string_equal(pair.error, cases[i].error);
		free(pair.out.text);
	}
}

/* No line but a query is longer than the terminal, at any width, and none ends in a blank. */
static void test_widths(void **state)
{
	(void)state;
	for (int width = 50; width <= 140; width += 3) {
		sqlite3 *after = open_fixture(TC_AFTER);
		memory_store_exec(after,
			"UPDATE op_total SET exclusive_ns = exclusive_ns * 3,"
			" name = 'a_kernel_with_a_name_that_is_quite_long_' || name;"
			"UPDATE metric SET value = value * 2 WHERE unit = 'ns'");
		struct pair pair = pair_of(open_fixture(TC_BEFORE), after);
		pair.options.width = width;
		pair.options.ascii = width % 2 == 0;
		pair.advice[0] = fixture_advice();
		char *text = text_of(&pair, "text"), *rest;
		for (char *line = strtok_r(text, "\n", &rest); line;
			line = strtok_r(NULL, "\n", &rest)) {
			int columns = tc_format_columns(tc_text_from(line));
			if (columns > width && !strstr(line, " sqlite3 "))
				fail_msg("%d columns of %d: %s", columns, width, line);
			assert_true(line[strlen(line) - 1] != ' ');
		}
		free(text);
	}
}

/* Markdown has every table, and names cannot break out of their cells. */
static void test_markdown(void **state)
{
	char *text = text_after("UPDATE op_total SET name = 'a|b\nc' WHERE engine = 'mme'", "md");

	(void)state;
	assert_has(text, "# Comparison\n\n**No difference");
	assert_has(text, "\n## What was compared\n");
	assert_has(text, "| before | after | difference | engine | count | mean | operation |\n"
			 "|--:|");
	assert_has(text, "a\\|b?c |\n");
	assert_has(text, "<details><summary>More: critical path,");
	assert_has_not(text, "sqlite3");
	free(text);
}

/* Every n-th allocation fails in turn; each run must fail cleanly until one succeeds, on stores
 * that the failures before it left as they were. */
static void test_without_memory(void **state)
{
	struct tc_compare_side sides[TC_COMPARE_SIDES];
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_report_options options = fixture_options();
	enum tc_status status = TC_ERR_NOMEM;

	(void)state;
	for (int i = 0; i < TC_COMPARE_SIDES; i++) {
		sides[i] = (struct tc_compare_side){
			.advice = fixture_advice(), .source = side_names[i]};
		assert_int_equal(
			tc_store_take_db(&sides[i].store, ctx, open_fixture(i), NULL), TC_OK);
	}
	for (int64_t n = 0; status != TC_OK; n++) {
		struct output out = {0};
		const struct tc_compare_output output = {output_write, &out};
		struct tc_compare_result result;
		size_t count;
		assert_true(n < 5000);
		tc_alloc_fail_after(n);
		status = tc_compare(
			&result, ctx, sides, tc_compare_formats(&count), &options, &output);
		tc_alloc_fail_after(-1);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		free(out.text);
	}
	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		tc_store_close(sides[i].store);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judgement),
		cmocka_unit_test(test_warm_up_of_one_side),
		cmocka_unit_test(test_not_alike),
		cmocka_unit_test(test_not_comparable),
		cmocka_unit_test(test_advice),
		cmocka_unit_test(test_advice_that_grows),
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The reports for CI systems: JUnit XML, and annotations of GitHub. */
#include "report_fixture.h"

static char *text_of(sqlite3 *db, int fail_on, render_fn render)
{
	struct tc_report_options options = fixture_options();
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};

	options.fail_on = fail_on;
	assert_int_equal(fixture_render(&out, ctx, db, fixture_advice(), &options, render), TC_OK);
	tc_ctx_free(ctx);
	return out.text;
}

static int count_of(const char *text, const char *part)
{
	int count = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

static void test_junit(void **state)
{
	sqlite3 *db = fixture_store();
	const struct tc_advice *advice = fixture_advice();
	char head[128];

	(void)state;
	memory_store_exec(db, "UPDATE trace SET path = 'a<b>&\"c\".json', rank = 3");
	char *text = text_of(db, TC_SEVERITY_HIGH, tc_render_junit);
	assert_has(text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tracecoach\">\n");
	snprintf(head, sizeof(head),
		"<testsuite name=\"a&lt;b&gt;&amp;&quot;c&quot;.json (rank 3)\" tests=\"%zu\"",
		advice->account_count);
	assert_has(text, head);
	assert_int_equal(count_of(text, "<testcase "), (int)advice->account_count);
	assert_int_equal(count_of(text, "</testcase>\n"), (int)advice->account_count);
	assert_has(text,
		"name=\"dataloader-bound\"><failure type=\"high\" message=\"The device waits for "
		"the data loader\">Saves 280.0 ms, 56.0 % of the run; severity high, "
		"measured.&#10;");
	char *failures = strstr(text, "failures=\"");
	assert_int_equal(atoi(failures + strlen("failures=\"")), count_of(text, "<failure "));
	assert_int_equal(atoi(strstr(text, "skipped=\"") + strlen("skipped=\"")),
		count_of(text, "<skipped "));
	free(text);
	/* Nothing fails where no gate was asked for; what was found is told all the same. */
	text = text_of(db, 0, tc_render_junit);
	assert_has(text, "failures=\"0\"");
	assert_has_not(text, "<failure");
	assert_has(text, "name=\"dataloader-bound\"><system-out>Saves 280.0 ms");
	free(text);
	sqlite3_close(db);
}

/* A class is called alike wherever the traces lie, and no two are called alike. */
static void test_names(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(
		db, "UPDATE trace SET path = '/home/runner/work/x/trace.json', rank = NULL");
	for (int i = 0; i < 2; i++) {
		char *text = text_of(db, 0, i ? tc_render_github : tc_render_junit);
		assert_has(text, i ? "::trace.json%0A" : "classname=\"trace.json\"");
		assert_has_not(text, "runner");
		free(text);
	}
	memory_store_exec(db,
		"UPDATE trace SET path = '/home/runner/work/x/a/trace.json';"
		"INSERT INTO trace(id, path, format, form, read_bytes, event_count)"
		" VALUES(1, '/home/runner/work/x/ab/trace.json', 'kineto', 'object', 1, 0)");
	char *text = text_of(db, 0, tc_render_junit);
	assert_has(text, "testsuite name=\"a/trace.json\"");
	assert_has(text, "testsuite name=\"ab/trace.json\"");
	free(text);
	memory_store_exec(db, "UPDATE trace SET path = 'traces/a.json' WHERE id = 0;"
			      "UPDATE trace SET path = '/traces/a.json' WHERE id = 1");
	text = text_of(db, 0, tc_render_junit);
	assert_has(text, "testsuite name=\"traces/a.json\"");
	assert_has(text, "testsuite name=\"/traces/a.json\"");
	free(text);
	sqlite3_close(db);
}

static void test_github(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db, "UPDATE trace SET path = '100%' || char(10) || '::error::x.json'");
	char *text = text_of(db, TC_SEVERITY_HIGH, tc_render_github);
	assert_has(text, "::error title=The device waits for the data "
			 "loader::100%25%0A::error::x.json (rank 1)%0A"
			 "Saves 280.0 ms");
	/* A line each, whatever is in the names. */
	assert_int_equal(count_of(text, "\n"), (int)fixture_advice()->finding_count);
	assert_int_equal(count_of(text, "\n::error"), count_of(text, "::error title=") - 1);
	free(text);
	text = text_of(db, 0, tc_render_github);
	assert_has_not(text, "::error title=");
	assert_has(text, "::warning title=The device waits for the data loader::");
	free(text);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_junit),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_github),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

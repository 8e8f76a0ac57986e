/* The Markdown and CSV reports. */
#include "report_fixture.h"

static void test_markdown(void **state)
{
	sqlite3 *db = fixture_store();
	char *text = fixture_text(db, fixture_advice(), tc_render_md);

	(void)state;
	assert_memory_equal(text, "# swin.pt.trace.json\n\ngaudi-lazy, GAUDI2, 1 device", 49);
	assert_has(text, "\n\n**The device is idle 60 % of the time (300.0 ms of 500.0 ms).");
	assert_has(text, "|  | Fix, best first | saves | of 500.0 ms |\n|--:|---|--:|--:|\n"
			 "| 1 | The device waits for the data loader<br>Give the DataLoader more");
	const char *fold = strstr(text, "<details><summary>More: all findings");
	assert_non_null(fold);
	assert_has(fold,
		"\n## \\#&#8203;1 The device waits for the data loader (dataloader-bound)\n\n"
		"Saves 280.0 ms, 56.0 % of the run; severity high, measured.");
	assert_has(fold, "- enumerate(DataLoader)\\#\\_Single.\\_\\_next\\_\\_: 3 times");
	assert_has(fold, "\n</details>\n");
	assert_has_not(text, "SELECT");
	free(text);
	text = fixture_text(db, fixture_no_advice(), tc_render_md);
	assert_has(text, "\nNo check found time to save in this trace.\n");
	free(text);
	memory_store_exec(db, "INSERT INTO trace(id, path, format, form, read_bytes, event_count)"
			      " VALUES(1, 'a|b<c>.json', 'kineto', 'object', 1, 0)");
	text = fixture_text(db, fixture_advice(), tc_render_md);
	assert_has(text, "\n# a\\|b\\<c\\>.json\n\n");
	free(text);
	memory_store_exec(
		db, "UPDATE trace SET path = '/home/runner/work/run/' || id || '/trace.json'");
	text = fixture_text(db, fixture_advice(), tc_render_md);
	assert_has(text, "\n# 0/trace.json\n\n");
	assert_has(text, "\n# 1/trace.json\n\n");
	assert_has_not(text, "# /home");
	free(text);
	sqlite3_close(db);
}

static void test_csv(void **state)
{
	struct tc_report_options options = fixture_options();
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db,
		"INSERT INTO metric VALUES(0, 'device_busy_ns', 'a,\"b', NULL, 7, 'ns'),"
		" (0, 'device_busy_ns', '=cmd|x', NULL, -8, 'ns'),"
		" (0, 'device_busy_ns', char(27) || '[2J' || char(13), NULL, 9, 'ns'),"
		" (0, 'device_busy_ns', '-3', NULL, 10, 'ns')");
	char *text = fixture_text(db, fixture_advice(), tc_render_csv);
	assert_memory_equal(
		text, "trace,device,step,name,value,unit\n0,,,wall_ns,500000000,ns\n", 57);
	assert_has(text, "\n0,,,device_busy_pct,40.0,pct\n");
	assert_has(text, "\n0,\"a,\"\"b\",,device_busy_ns,7,ns\n");
	assert_has(text, "\n0,'=cmd|x,,device_busy_ns,-8,ns\n");
	assert_has(text, "\n0,\\u001b[2J\\u000d,,device_busy_ns,9,ns\n");
	assert_has(text, "\n0,-3,,device_busy_ns,10,ns\n");
	assert_has(text, "\n0,0,11,mme_busy_ns,60000000,ns\n");
	free(text);
	options.has_step = true;
	options.step = 11;
	assert_int_equal(
		fixture_render(&out, ctx, db, fixture_advice(), &options, tc_render_csv), TC_OK);
	assert_has_not(out.text, "device_op_count");
	assert_has(out.text, "\n0,,11,wall_ns,160000000,ns\n");
	free(out.text);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The report for a terminal: its order, its honesty about odd traces, and its widths. */
#include "report_fixture.h"
#include "report/view/ranks.h"

#include "report/text/format.h"
#include "store/sealed/guard.h"
#include "tracecoach/report.h"

/* Every part is there, one behind the other. */
static void assert_in_order(const char *text, const char *const *parts, size_t count)
{
	const char *at = text;

	for (size_t i = 0; i < count; i++) {
		const char *found = strstr(at, parts[i]);
		if (!found)
			fail_msg("not there, or out of order: %s\nin:\n%s", parts[i], text);
		at = found;
	}
}

/* The first screen says what to do, and has no query and no list of what does not apply. */
static void test_screen(void **state)
{
	static const char *const parts[] = {"swin.pt.trace.json\n", "gaudi-lazy, GAUDI2, 1 device",
		"rank 1 of 8 (hccl), 3 steps (10 to",
		"  The device is idle 60 % of the time (300.0 ms of 500.0 ms). Largest cause: the\n"
		"  host fetches the next batch (280.0 ms).\n  ! The file was cut. Record it "
		"again.\n",
		"MME                                75.00 ms  15 %  ",
		"idle                               300.0 ms  60 %  ",
		"    the host fetches the next batch  280.0 ms  56 %  ", "Fix, best first",
		"  1  The device waits for the data loader  280.0 ms         56 %\n",
		"     Give the DataLoader more workers",
		"  2 of 5 checks found something, 2 lacked data.",
		"  Details of a fix: tracecoach explain swin.pt.trace.json 1\n",
		"  details shows all findings"};
	sqlite3 *db = fixture_store();
	char *text = fixture_text(db, fixture_advice(), tc_render_text);
	int lines = 0;

	(void)state;
	assert_in_order(text, parts, sizeof(parts) / sizeof(parts[0]));
	assert_has_not(text, "\033");
	assert_has_not(text, "SELECT");
	assert_has_not(text, "Could not look:");
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_in_range(lines, 15, 40);
	free(text);
	sqlite3_close(db);
}

/* A gain whose ends differ by more than a tenth is a range, with the likely gain behind it. */
static void test_ranges(void **state)
{
	static const char *const parts[] = {"Fix, best first", "saves  of 500.0 ms",
		"The device waits for the data loader  200 to 360 ms  ",
		"  Saves 200 to 360 ms, likely 280.0 ms, 56.0 % of the run; severity high,"};
	struct tc_advice advice = *fixture_advice();
	struct tc_finding findings[2];
	sqlite3 *db = fixture_store();

	(void)state;
	memcpy(findings, advice.findings, sizeof(findings));
	advice.findings = findings;
	findings[1].gain_low_ns = 209000000;
	findings[1].gain_high_ns = 351000000;
	char *text = fixture_details(db, &advice);
	assert_in_order(text, parts, sizeof(parts) / sizeof(parts[0]));
	free(text);
	sqlite3_close(db);
}

static void test_details(void **state)
{
	static const char *const parts[] = {"The device is idle 60 % of the time",
		"\nAbout this trace\n  ! The file was cut.",
		"\n#1 The device waits for the data loader (dataloader-bound)\n",
		"  Saves 280.0 ms, 56.0 % of the run; severity high, measured.", "3 times, saves",
		"worker count 0", "caller aten::x", "  - and 1 more\n", "  Why ",
		"  Do   Give the DataLoader more workers",
		"\nWhere the time went\n  MME and TPC overlap for 46.48 ms. ",
		"Lanes that work at once,", "21.3 of 24, MME 3.9 of 4.\n",
		"\nWhere the host's time went\n", "data loader", "280.0 ms", "\nSteps\n",
		"10 warm-up", "\nDevice idle time by cause\n", "\nLongest gaps\n",
		"\nDevice operations", "\nMME time by data type\n",
		"75.00 ms  100.0 %     30  bf16\n", "\nRecipes by exclusive time\n",
		"120.0 ms  60.0 %          25  fwd #7\n", "80.00 ms  40.0 %           6  none\n",
		"\nStreams\n", "60.00 ms", "several", "stream 7\n", "\nMemory\n", "50.0 %\n",
		"\nAccount\n",
		"  Could not look:\n  - no NIC lanes: dataloader-bound, truncated-trace\n",
		"Not recorded in this trace: shapes", "\nImport log\n",
		"truncated (data loss, at byte 4,849,990, count 61)"};
	sqlite3 *db = fixture_store();
	char *text = fixture_details(db, fixture_advice());

	(void)state;
	assert_in_order(text, parts, sizeof(parts) / sizeof(parts[0]));
	assert_has_not(text, "SELECT");
	free(text);
	sqlite3_close(db);
}

/* One finding, by number, by id, and one that found nothing or is none. */
static void test_explain(void **state)
{
	struct tc_report_options options = fixture_options();
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};
	sqlite3 *db = fixture_store();
	char *texts[3];
	const char *asked[] = {"1", "#1", "dataloader-bound"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		options.explain = asked[i];
		texts[i] = fixture_text_with(db, fixture_advice(), &options);
		assert_string_equal(texts[i], texts[0]);
	}
	assert_has(texts[0], "\n#1 The device waits for the data loader (dataloader-bound)\n");
	assert_has_not(texts[0], " more\n");
	assert_has_not(texts[0], "SELECT");
	free(texts[0]);
	options.sql = true;
	texts[0] = fixture_text_with(db, fixture_advice(), &options);
	assert_has(texts[0],
		"\n  tracecoach import swin.pt.trace.json -o trace.db\n"
		"  tracecoach query trace.db \"SELECT name,\n    \\\"count\\\"\n  FROM metric "
		"WHERE "
		"name = 'a  b'\"\n  The whole page: tracecoach heuristics dataloader-bound\n");
	for (int i = 0; i < 3; i++)
		free(texts[i]);
	options.explain = "truncated-trace";
	texts[0] = fixture_text_with(db, fixture_advice(), &options);
	assert_has(texts[0], "\nThe file was cut\n");
	free(texts[0]);
	for (int i = 0; i < 3; i++) {
		static const char *const wrong[][2] = {
			{"2", "2: no such finding: the report has 1"},
			{"nothing", "nothing: no such heuristic"}, {"1x", "1x: no such heuristic"}};
		options.explain = wrong[i][0];
		assert_int_equal(
			fixture_render(&out, ctx, db, fixture_advice(), &options, tc_render_text),
			TC_ERR_USAGE);
		assert_has(tc_ctx_error(ctx), wrong[i][1]);
		assert_null(out.text);
		tc_ctx_clear_error(ctx);
	}
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

/* No line is longer than the terminal, and none ends in a blank. */
static void test_widths(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	for (int width = 50; width <= 140; width++) {
		struct tc_report_options options = fixture_options();
		options.width = width;
		options.details = width % 3 > 0;
		options.ascii = width % 2 == 0;
		char *text = fixture_text_with(db, fixture_advice(), &options), *rest;
		for (char *line = strtok_r(text, "\n", &rest); line;
			line = strtok_r(NULL, "\n", &rest)) {
			int columns = tc_format_columns(tc_text_from(line));
			if (columns > width)
				fail_msg("%d columns of %d: %s", columns, width, line);
			assert_true(line[strlen(line) - 1] != ' ');
			for (char *c = line; options.ascii && *c; c++)
				assert_true((unsigned char)*c < 0x80);
		}
		free(text);
	}
	sqlite3_close(db);
}

static void test_color(void **state)
{
	struct tc_report_options options = fixture_options();
	sqlite3 *db = fixture_store();

	(void)state;
	options.color = true;
	char *text = fixture_text_with(db, fixture_advice(), &options);
	assert_has(text, "\033[1mThe device is idle 60 %");
	assert_has(text, "\033[1;32m280.0 ms\033[0m");
	free(text);
	sqlite3_close(db);
}

/* The rows of a step add up to its time: what other steps launched is one of them. */
static void test_work_of_other_steps(void **state)
{
	struct tc_report_options options = fixture_options();
	sqlite3 *db = fixture_store();

	(void)state;
	options.has_step = true;
	options.step = 11;
	memory_store_exec(db,
		"UPDATE metric SET value = 80000000 WHERE name = 'idle_ns' AND step = 11;"
		"UPDATE idle_total SET dur = 79000000 WHERE step_id = 1 AND cause = 'dataloader'");
	char *text = fixture_text_with(db, fixture_advice(), &options);
	assert_has(text, "  MME                                60.00 ms  38 %  ██████████▏\n"
			 "  work of other steps                20.00 ms  12 %  ███▍\n"
			 "  idle                               80.00 ms  50 %  █████████████▌\n");
	assert_has_not(text, "taken off");
	free(text);
	memory_store_exec(db, "UPDATE step SET device_dur = 200000000");
	text = fixture_text_with(db, fixture_advice(), &options);
	assert_has(text, "The step's own work runs partly outside of it. That is taken off the "
			 "work of\n  other steps.\n");
	free(text);
	memory_store_exec(db,
		"UPDATE metric SET value = 130000000 WHERE name = 'idle_ns' AND step = 11;"
		"UPDATE idle_total SET dur = 129000000 WHERE step_id = 1 AND cause = 'dataloader'");
	text = fixture_text_with(db, fixture_advice(), &options);
	assert_has(text, "The whole is the step on the host, the rows are the work that it "
			 "launched:\n  they add up to 30.00 ms more, because the device works "
			 "behind the host.\n");
	free(text);
	sqlite3_close(db);
}

static void test_step(void **state)
{
	struct tc_report_options options = fixture_options();
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};
	sqlite3 *db = fixture_store();

	(void)state;
	options.has_step = true;
	options.step = 11;
	options.details = true;
	char *text = fixture_text_with(db, fixture_advice(), &options);
	assert_has(text, "only step 11 shown");
	assert_has(text, "is idle 62 % of the time (100.0 ms of 160.0 ms)");
	assert_has(text, "MME                                60.00 ms  38 %");
	assert_has(text, "Advice is for the whole trace, not for the step only.");
	assert_has(text, "  11    160.0 ms");
	assert_has_not(text, "10 warm-up");
	assert_has_not(text, "61.00 ms"); /* the gap of step 10 */
	assert_has_not(text, "work of other steps");
	free(text);
	options.has_step = true;
	options.step = 13;
	assert_int_equal(fixture_render(&out, ctx, db, fixture_advice(), &options, tc_render_text),
		TC_ERR_USAGE);
	assert_has(tc_ctx_error(ctx), "there is no step 13: the steps are 10 to 12");
	assert_null(out.text);
	tc_ctx_clear_error(ctx);
	memory_store_exec(db, "DELETE FROM step");
	assert_int_equal(fixture_render(&out, ctx, db, fixture_advice(), &options, tc_render_text),
		TC_ERR_USAGE);
	assert_has(tc_ctx_error(ctx), "no steps were recorded");
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

static void test_top(void **state)
{
	struct tc_report_options options = fixture_options();
	sqlite3 *db = fixture_store();
	struct tc_finding findings[3];
	struct tc_advice advice = {.findings = findings, .finding_count = 3};

	(void)state;
	for (int i = 0; i < 3; i++)
		findings[i] = fixture_advice()->findings[1];
	options.top = 1;
	options.details = true;
	char *text = fixture_text_with(db, &advice, &options);
	assert_has(text, "  1  The device waits");
	assert_has_not(text, "  2  The device waits");
	assert_has(text, "2 more: top 3 shows all");
	assert_has_not(text, "#2 The device waits");
	assert_has(text, "2 more findings: top 3 shows all");
	assert_has(text, "the first 1 only; top 10 shows more\n");
	free(text);
	sqlite3_close(db);
}

/* Of very many devices the most idle ones are told, and the fullest. */
static void test_very_many_devices(void **state)
{
	static const char sql[] =
		"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 39)"
		" INSERT INTO metric SELECT trace_id, name, n.i, step, iif(name = 'idle_ns',"
		" value + n.i % 20 * 1000000, iif(name = 'memory_peak_bytes', (40 - n.i) << 20, "
		"value)),"
		" unit FROM n, metric WHERE device = '0' AND step IS NULL";
	struct tc_report_options options = fixture_options();
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db, sql);
	char *text = fixture_text_with(db, fixture_advice(), &options);
	assert_has(text, "the 5 most idle of 40\n");
	assert_has(text, "  TPC lanes  MME lanes\n");
	assert_has_not(text, "the 16");
	free(text);
	options.details = true;
	text = fixture_text_with(db, fixture_advice(), &options);
	assert_has(text, "\n      19  ");
	assert_has(text, "\n      39  ");
	assert_has(text, "\n      32  ");
	assert_has_not(text, "\n      31  "); /* idle as 11, which comes first */
	assert_has(text, "the 16 most idle of 40; top 40 shows all\n");
	assert_has(text, "the 16 fullest of 40; top 40 shows all\n");
	free(text);
	options.top = 40;
	text = fixture_text_with(db, fixture_advice(), &options);
	assert_has(text, "\n      31  ");
	assert_has_not(text, "the 16 most idle of");
	free(text);
	/* Devices without such lanes have no columns of them. */
	memory_store_exec(db, "DELETE FROM metric WHERE name GLOB '*_lanes_mean'");
	text = fixture_text_with(db, fixture_advice(), &options);
	assert_has(text, "copies, fills alone      idle\n");
	assert_has_not(text, "TPC lanes");
	free(text);
	sqlite3_close(db);
}

/* A device that is known by its memory only has no bars, and no heading for them. */
static void test_memory_only(void **state)
{
	char *text = fixture_text_after(
		"DELETE FROM metric WHERE device IS NOT NULL; UPDATE metric SET"
		" value = 0 WHERE name IN ('has_device', 'device_op_count');"
		"INSERT INTO metric VALUES(0, 'memory_peak_bytes', '0', NULL, 5, 'bytes')");

	(void)state;
	assert_has(text, "Where the host's time went");
	assert_has_not(text, "Where the time went");
	free(text);
}

static void test_no_advice(void **state)
{
	char *text = fixture_text_after("DELETE FROM import_log");

	(void)state;
	assert_has(text, "No check found time to save in this trace.");
	assert_has(text, "  0 of 0 checks found something. All of the file was read.\n");
	assert_has(text, "Empty: every event was read.");
	assert_has_not(text, "could not be read");
	free(text);
}

/* Where the verdict cannot judge, nothing is said about what was found or not. */
static void test_no_judgement(void **state)
{
	char *text = fixture_text_after("UPDATE step SET device_ts = NULL WHERE number <> 10");

	(void)state;
	assert_has(text, "No advice: this trace cannot show where time is lost.");
	assert_has_not(text, "No check found");
	free(text);
}

/* Advice without a gain says so; a failed heuristic is named with its reason. */
static void test_no_gain(void **state)
{
	struct tc_finding finding = fixture_advice()->findings[1];
	struct tc_account_row row = {
		0, &fixture_loader, TC_OUTCOME_FAILED, "no such column: x", false};
	struct tc_advice advice = {
		.findings = &finding, .finding_count = 1, .account = &row, .account_count = 1};
	sqlite3 *db = fixture_store();

	(void)state;
	finding.gain_ns = TC_GAIN_NONE;
	char *text = fixture_details(db, &advice);
	assert_has(
		text, "  Gain unknown: this recording does not show what the fix saves; severity");
	assert_has(text, "  Gain unknown: #1 The device waits for the data loader.\n");
	assert_has(text, "  Failed:\n  - no such column: x: dataloader-bound");
	free(text);
	sqlite3_close(db);
}

/* Peaks of the device stand behind the tables, not between the reader and the verdict. */
static void test_data_sheet(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db,
		"INSERT INTO device_peak VALUES(0, 'GAUDI2', 24, 96e9, 2460e9, 300e9,"
		" NULL, 'x', NULL); INSERT INTO precision_peak VALUES(0, 'fp8', 865e12),"
		" (0, 'bf16', 432e12)");
	char *text = fixture_details(db, fixture_advice());
	assert_has(strstr(text, "\nMemory\n"), "\nData sheet of the device\n  GAUDI2: 432 TFLOPS "
					       "in bf16, 865 in fp8, 96 GB of HBM at"
					       " 2460 GB/s\n  (docs/hardware.md)\n");
	free(text);
	sqlite3_close(db);
}

/* A gain of nothing says why. */
static void test_nothing_to_win(void **state)
{
	struct tc_finding finding = fixture_advice()->findings[1];
	struct tc_advice advice = {.findings = &finding, .finding_count = 1};
	sqlite3 *db = fixture_store();

	(void)state;
	finding.gain_ns = 0;
	char *text = fixture_details(db, &advice);
	assert_has(text, "  No time to save in this run; severity high, measured.\n");
	free(text);
	text = fixture_text(db, &advice, tc_render_md);
	assert_has(text, "No time to save in this run; severity high, measured.");
	free(text);
	sqlite3_close(db);
}

/* What is the user's is told as such: rules, and settings. */
static void test_user(void **state)
{
	struct tc_heuristic rule = fixture_loader;
	struct tc_finding finding = fixture_advice()->findings[1];
	struct tc_advice advice = {.findings = &finding, .finding_count = 1};
	sqlite3 *db = fixture_store();

	(void)state;
	rule.file = "my rules/x\033.sql";
	finding.heuristic = &rule;
	char *text = fixture_details(db, &advice);
	assert_has(text, "  1  The device waits for the data loader (user rule)  ");
	assert_has(text, "#1 The device waits for the data loader (dataloader-bound)\n");
	assert_has(text, "  Rule my rules/x?.sql\n");
	assert_has_not(text, "Settings");
	free(text);
	text = fixture_text(db, &advice, tc_render_md);
	assert_has(text, "- **Rule** my rules/x?.sql\n");
	assert_has_not(text, "Settings");
	free(text);
	text = fixture_text(db, &advice, tc_render_json);
	assert_has(text, "\"user\": true");
	free(text);
	text = fixture_details(db, fixture_advice());
	assert_has(text,
		"  Settings other than the defaults: dataloader-bound.min_exposed_pct = 2.5 pct\n");
	free(text);
	text = fixture_text(db, fixture_advice(), tc_render_md);
	assert_has(text, "Settings other than the defaults: dataloader-bound.min\\_exposed\\_pct");
	free(text);
	sqlite3_close(db);
}

/* Two traces: a table over them first, then one report each. */
static void test_ranks(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db,
		"INSERT INTO trace(id, path, format, form, vendor, rank, read_bytes, event_count)"
		" VALUES(1, 'rank0.json', 'kineto', 'object', 'cuda', 0, 10, 3);"
		"INSERT INTO metric VALUES(1, 'wall_ns', NULL, NULL, 7000000, 'ns'),"
		" (1, 'slice_count', NULL, NULL, 1, 'count')");
	char *text = fixture_text(db, fixture_advice(), tc_render_text);
	assert_memory_equal(text, "2 traces\n", 9);
	const char *first = strstr(text, "rank0.json"),
		   *second = strstr(text, "swin.pt.trace.json");
	assert_true(first && second && first < second); /* by rank */
	assert_has(text, "\nrank0.json\n  kineto, cuda, rank 0, no steps, 3 events, 7.000 ms");
	free(text);
	sqlite3_close(db);
}

/* A store changed by hand may have a job whose id is no number: no rank is of that one. */
static void test_job_without_ranks(void **state)
{
	sqlite3 *db = fixture_store();
	struct tc_job job = {.db = db, .ctx = tc_ctx_new(), .advice = fixture_advice()};

	(void)state;
	memory_store_exec(db, "CREATE TABLE loose AS SELECT * FROM job_rank; DROP TABLE job_rank;"
			      "ALTER TABLE loose RENAME TO job_rank;"
			      "INSERT INTO job_rank(trace_id, job_id, rank) VALUES(0, '%s%n', 0)");
	struct tc_ranks_list list = tc_ranks_all(&job);
	assert_null(tc_ranks_next(&list));
	assert_int_equal(tc_ctx_status(job.ctx), TC_ERR_STORE);
	tc_ctx_free(job.ctx);
	sqlite3_close(db);
}

/* Names of a trace never reach the terminal as they are. */
static void test_hostile_names(void **state)
{
	char *text = fixture_text_after(
		"UPDATE trace SET path = 'a' || char(27) || ']0;x' || char(7);"
		"UPDATE op_total SET name = 'k' || char(27) || '[2J' || char(10);"
		"UPDATE import_log SET message = char(155) || 'x'");

	(void)state;
	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c >= 0x20 || *c == '\n');
	assert_has_not(text, "\xc2\x9b");
	assert_has(text, "a?]0;x?");
	free(text);
}

static void test_many_devices(void **state)
{
	char *text = fixture_text_after(
		"INSERT INTO metric SELECT trace_id, name, '1', step, value, unit FROM"
		" metric WHERE device = '0'; INSERT INTO metric SELECT trace_id, name, '10',"
		" step, value, unit FROM metric WHERE device = '0'");

	(void)state;
	assert_has(text, "  device    busy  compute");
	assert_has(text, "      10  40.0 %");
	free(text);
}

/* The table of renderers, and one of them through a store. */
static void test_renderers(void **state)
{
	struct tc_report_options options = fixture_options();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_store *store;
	size_t count = 0;

	(void)state;
	assert_string_equal(tc_renderers(&count)[0].name, "text");
	assert_int_equal(count, 8);
	assert_int_equal(tc_store_take_db(&store, ctx, fixture_store(), NULL), TC_OK);
	for (size_t i = 0; i < count; i++) {
		struct output out = {0};
		const struct tc_renderer *renderer = &tc_renderers(&count)[i];
		if (renderer->render(ctx, store, fixture_advice(), &options, output_write, &out) !=
			TC_OK)
			fail_msg("%s: %s", renderer->name, tc_ctx_error(ctx));
		assert_true(out.len > 100);
		free(out.text);
	}
	tc_store_close(store);
	tc_ctx_free(ctx);
}

static void test_reader_stops(void **state)
{
	struct tc_report_options options = fixture_options();
	sqlite3 *db = fixture_store();
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {.stop_after = 10};

	(void)state;
	assert_int_equal(fixture_render(&out, ctx, db, fixture_advice(), &options, tc_render_text),
		TC_ERR_IO);
	tc_ctx_clear_error(ctx);
	tc_ctx_interrupt(ctx);
	out.stop_after = 0;
	assert_int_equal(fixture_render(&out, ctx, db, fixture_advice(), &options, tc_render_text),
		TC_ERR_INTERRUPTED);
	free(out.text);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

static void test_without_memory(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	fixture_torture(db, fixture_advice(), tc_render_text);
	fixture_torture(db, fixture_advice(), tc_render_md);
	fixture_torture(db, fixture_advice(), tc_render_csv);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screen),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_explain),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_work_of_other_steps),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_top),
		cmocka_unit_test(test_very_many_devices),
		cmocka_unit_test(test_memory_only),
		cmocka_unit_test(test_no_advice),
		cmocka_unit_test(test_no_judgement),
		cmocka_unit_test(test_no_gain),
		cmocka_unit_test(test_nothing_to_win),
		cmocka_unit_test(test_data_sheet),
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_job_without_ranks),
		cmocka_unit_test(test_many_devices),
		cmocka_unit_test(test_renderers),
		cmocka_unit_test(test_reader_stops),
		cmocka_unit_test(test_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

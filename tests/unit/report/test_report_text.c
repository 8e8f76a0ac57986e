/* The letter for the terminal: its order, its honesty about odd traces, and its widths. */
#include "report_fixture.h"
#include "report/ranks.h"

#include "report/format.h"
#include "store/guard.h"
#include "tracecoach/report.h"

/* The text with options changed by the caller; status must be OK. */
static char *text_with(
	sqlite3 *db, const struct tc_advice *advice, const struct tc_report_options *options)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};

	if (fixture_render(&out, ctx, db, advice, options, tc_render_text) != TC_OK)
		fail_msg("%s", tc_ctx_error(ctx));
	tc_ctx_free(ctx);
	return out.text;
}

static void test_order(void **state)
{
	static const char *const parts[] = {"swin.pt.trace.json\n",
		"gaudi-lazy, GAUDI2 with 95.1 GB", "rank 1 of 8 (hccl), 3 steps (10 to",
		"\nVerdict\n", "is idle for 60.0 % of 500.0 ms",
		"mostly while the host fetches the\n  next batch (280.0 ms). Warning: The file was "
		"cut.\n",
		"\nWhere the time went\n", "MME                       75.00 ms   15.0 %",
		"idle                      300.0 ms   60.0 %",
		"MME and TPC overlap for 46.48 ms. Lanes busy while any is, on average: TPC",
		"21.3 of 24, MME 3.9 of 4.\n", "\nWhere the host's time went\n",
		"data loader               290.0 ms   58.0 %", "280.0 ms exposed",
		"\nAbout this trace\n  ! The file was cut.", "\nAdvice, most important first\n",
		" 1 The device waits for the data loader\n",
		"up to 280.0 ms, 56.0 % of the run; severity high, measured\n",
		"The rows below and their query give 310.0 ms; this run can save no more",
		"3 times, up to 280.0 ms (56.0 % of\n     the wall time), worker count 0, "
		"caller aten::x",
		"- and 1 more\n", "Do    Give the DataLoader more workers",
		"Check query 1 at the end\n", "tracecoach heuristics dataloader-bound",
		"\nAccount\n", "fired 2, quiet 1, not applicable 2, failed 0",
		"not applicable, no NIC lanes: dataloader-bound, truncated-trace\n",
		"Not recorded in this trace: shapes",
		"Import log:", "truncated (data loss, at byte 4,849,990, count 61)", "\nSteps\n",
		"10 warm-up", "\nDevice idle time by cause\n", "\nLongest gaps\n",
		"\nDevice operations", "\nMME time by data type\n",
		"90.00 ms  100.0 %     30  bf16\n", "\nRecipes by exclusive time\n",
		"120.0 ms  60.0 %          25  fwd #7\n", "80.00 ms  40.0 %           6  none\n",
		"\nStreams\n", "60.00 ms", "several", "stream 7\n", "\nMemory\n", "50.0 %\n",
		"\nQueries behind the advice\n",
		" 1 tracecoach query trace.db \"SELECT name, \\\"count\\\" FROM metric WHERE "
		"name = 'a  "
		"b'\"\n"};
	sqlite3 *db = fixture_store();
	char *text = fixture_text(db, fixture_advice(), tc_render_text);
	const char *at = text;

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *found = strstr(at, parts[i]);
		if (!found)
			fail_msg("not there, or out of order: %s\nin:\n%s", parts[i], text);
		at = found;
	}
	assert_has_not(text, "\033");
	assert_has_not(text, "None of this wins");
	free(text);
	sqlite3_close(db);
}

/* No line but the command to copy is longer than the terminal, and none ends in a blank. */
static void test_widths(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	for (int width = 50; width <= 140; width++) {
		struct tc_report_options options = fixture_options();
		options.width = width;
		options.ascii = width % 2 == 0;
		char *text = text_with(db, fixture_advice(), &options), *rest;
		for (char *line = strtok_r(text, "\n", &rest); line;
			line = strtok_r(NULL, "\n", &rest)) {
			int columns = tc_format_columns(tc_text_from(line));
			if (columns > width && !strstr(line, " tracecoach query "))
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
	char *text = text_with(db, fixture_advice(), &options);
	assert_has(text, "\033[1mVerdict\033[0m\n");
	assert_has(text, "severity \033[31mhigh\033[0m");
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
	options.step = 11;
	char *text = text_with(db, fixture_advice(), &options);
	assert_has(text, "only step 11 shown");
	assert_has(text, "is idle for 62.5 % of 160.0 ms");
	assert_has(text, "MME                       60.00 ms   37.5 %");
	assert_has(text, "(for the whole trace)");
	assert_has(text, "  11    160.0 ms");
	assert_has_not(text, "10 warm-up");
	assert_has_not(text, "61.00 ms"); /* the gap of step 10 */
	free(text);
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
	char *text = text_with(db, &advice, &options);
	assert_has(text, " 1 The device waits");
	assert_has_not(text, " 2 The device waits");
	assert_has(text, "2 more: --top 3 shows all");
	assert_has(text, "the first 1 only; --top 10 shows more\n");
	free(text);
	sqlite3_close(db);
}

/* Changes the store by one statement and returns the report without advice. */
static char *text_after(const char *change)
{
	sqlite3 *db = fixture_store();

	memory_store_exec(db, change);
	char *text = fixture_text(db, fixture_no_advice(), tc_render_text);
	sqlite3_close(db);
	return text;
}

static void assert_verdict(const char *change, const char *verdict)
{
	char *text = text_after(change), *flat = text;

	for (char *c = text; *c; c++) { /* one blank instead of line ends and indents */
		*flat = *c == '\n' ? ' ' : *c;
		if (!(*flat == ' ' && flat > text && flat[-1] == ' '))
			flat++;
	}
	*flat = '\0';
	assert_has(text, verdict);
	free(text);
}

/* What a trace cannot show is said, and never called health. */
static void test_odd_traces(void **state)
{
	(void)state;
	assert_verdict("DELETE FROM metric WHERE device IS NOT NULL; UPDATE metric SET value = 0"
		       " WHERE name IN ('has_device', 'device_op_count')",
		"The trace has no device work, so device utilization is unknown.");
	assert_verdict("DELETE FROM metric WHERE device IS NOT NULL; UPDATE metric SET value = 0"
		       " WHERE name IN ('has_device', 'device_op_count');"
		       " INSERT INTO metric VALUES(0, 'has_framework', NULL, NULL, 0, 'count')",
		"This is no trace of a deep-learning run");
	assert_verdict("DELETE FROM step; UPDATE metric SET value = 0 WHERE name = 'has_steps'",
		"The trace has no steps: this covers the whole file");
	assert_verdict(
		"DELETE FROM step; UPDATE metric SET value = 0 WHERE name = 'has_steps';"
		"INSERT INTO metric VALUES(0, 'device_span_ns', NULL, NULL, 380000000, 'ns')",
		"including start-up. Of that, 120.0 ms is before the first or after the last "
		"device work.");
	assert_verdict(
		"DELETE FROM step; UPDATE metric SET value = 0 WHERE name = 'has_steps';"
		"INSERT INTO metric VALUES(0, 'device_span_ns', NULL, NULL, 490000000, 'ns')",
		"this covers the whole file, including start-up. Part of the file");
	assert_verdict("UPDATE trace SET start_ns = -59000000",
		"(280.0 ms). The 60.00 ms before the first step are not included.");
	assert_verdict("UPDATE trace SET start_ns = -39000000", "(280.0 ms). Part of the file");
	assert_verdict("INSERT INTO metric VALUES(0, 'host_dataloader_exposed_ns', NULL, 11,"
		       " 186666667, 'ns')",
		"fetches the next batch (280.0 ms, 186.7 ms of it in step 11).");
	assert_verdict("INSERT INTO metric VALUES(0, 'host_dataloader_exposed_ns', NULL, 11,"
		       " 186666666, 'ns')",
		"fetches the next batch (280.0 ms).");
#define SETUP "INSERT INTO metric VALUES(0, 'host_setup_exposed_ns', NULL, NULL, 285000000, 'ns')"
	assert_verdict(SETUP, "the host fetches the next batch (280.0 ms)");
	assert_verdict("UPDATE gap SET dur = 40000000 WHERE cause = 'dataloader';" SETUP,
		"allocates memory (285.0 ms)");
	assert_verdict("UPDATE step SET device_ts = NULL WHERE number <> 10",
		"Degenerate trace: only 1 of 3 steps launched the device work in it.");
	assert_verdict("UPDATE metric SET value = 7 WHERE name = 'device_op_count'",
		"No verdict: only 7 device operations were recorded.");
	assert_verdict("UPDATE metric SET value = 1 WHERE name = 'device_op_count'",
		"only 1 device operation was recorded.");
	assert_verdict(
		"DELETE FROM metric; DELETE FROM step", "No verdict: the trace has no slices");
	assert_verdict("UPDATE metric SET value = 5000000 WHERE name = 'device_wait_ns';"
		       "UPDATE metric SET value = 99.0 WHERE name = 'device_busy_pct'",
		"busy for 99.0 % of 500.0 ms, the largest part in the TPCs (20.0 %).");
	assert_verdict("UPDATE metric SET value = 5000000 WHERE name = 'device_wait_ns';"
		       "INSERT INTO metric VALUES(0, 'exposed_communication_ns', NULL, NULL,"
		       " 100000000, 'ns')",
		"but 20.0 % is exposed communication.");
	assert_verdict("UPDATE metric SET value = 5000000 WHERE name = 'device_wait_ns';"
		       "DELETE FROM op_total; INSERT INTO op_total(trace_id, device, name, engine,"
		       " kind, count, dur_ns, exclusive_ns, min_ns, max_ns, mark) VALUES(0, '0',"
		       " 'event_wait', 'compute', 'kernel', 1, 300000000, 60000000, 1, 1,"
		       " 'device_wait')",
		". For 60.00 ms of that, only waits for other streams run.");
}

/* Two devices like the fixture's, one of them less busy. */
static void test_several_devices(void **state)
{
#define SECOND_DEVICE                                                                              \
	"INSERT INTO metric SELECT trace_id, name, '1', step, value, unit FROM metric"             \
	" WHERE device = '0';"
	(void)state;
	assert_verdict(SECOND_DEVICE "UPDATE metric SET value = 437500000 WHERE device = '1'"
				     " AND name = 'device_wait_ns'",
		"None of the 2 devices is busy for 60.0 % of 500.0 ms, mostly while the host "
		"fetches the next batch (280.0 ms). The most idle one is busy for 12.5 %.");
	assert_verdict(SECOND_DEVICE "UPDATE metric SET value = iif(device IS NULL, 5000000,"
				     " 275000000) WHERE name = 'device_wait_ns'",
		"At least one of the 2 devices is busy for 99.0 % of 500.0 ms, the largest part in "
		"the "
		"TPCs (20.0 %). The most idle one is busy for 45.0 %.");
}

/* Of very many devices the most idle ones are told, and the fullest. */
static void test_very_many_devices(void **state)
{
	static const char sql[] =
		"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 39)"
		" INSERT INTO metric SELECT trace_id, name, n.i, step, iif(name = 'device_wait_ns',"
		" value + n.i % 20 * 1000000, iif(name = 'memory_peak_bytes', (40 - n.i) << 20, "
		"value)),"
		" unit FROM n, metric WHERE device = '0' AND step IS NULL";
	struct tc_report_options options = fixture_options();
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db, sql);
	char *text = text_with(db, fixture_advice(), &options);
	assert_has(text, "\n      19  ");
	assert_has(text, "\n      39  ");
	assert_has(text, "\n      32  ");
	assert_has_not(text, "\n      31  "); /* idle as 11, which comes first */
	assert_has(text, "the 16 most idle of 40; --top 40 shows all\n");
	assert_has(text, "the 16 fullest of 40; --top 40 shows all\n");
	free(text);
	options.top = 40;
	text = text_with(db, fixture_advice(), &options);
	assert_has(text, "\n      31  ");
	assert_has_not(text, "most idle of");
	free(text);
	sqlite3_close(db);
}

/* A device that is known by its memory only has no bars, and no heading for them. */
static void test_memory_only(void **state)
{
	char *text = text_after(
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
	char *text = text_after("DELETE FROM import_log");

	(void)state;
	assert_has(text, "No heuristic found time to save in this trace.");
	assert_has(text, "fired 0, quiet 0, not applicable 0, failed 0");
	assert_has(text, "The import log is empty: every event was read.");
	assert_has_not(text, "could not be read");
	free(text);
}

/* Where the verdict cannot judge, nothing is said about what was found or not. */
static void test_no_judgement(void **state)
{
	char *text = text_after("UPDATE step SET device_ts = NULL WHERE number <> 10");

	(void)state;
	assert_has(text, "None: this trace cannot show where time is lost (see the verdict).");
	assert_has_not(text, "No heuristic found");
	free(text);
}

/* Advice without a gain says so; a failed heuristic is named with its reason. */
static void test_no_gain(void **state)
{
	struct tc_finding finding = fixture_advice()->findings[1];
	struct tc_account_row row = {0, &fixture_loader, TC_OUTCOME_FAILED, "no such column: x"};
	struct tc_advice advice = {
		.findings = &finding, .finding_count = 1, .account = &row, .account_count = 1};
	sqlite3 *db = fixture_store();

	(void)state;
	finding.gain_ns = TC_GAIN_NONE;
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "   severity high, measured\n");
	assert_has(text, "None of this advice has a measured gain.");
	assert_has(text, "failed, no such column: x: dataloader-bound");
	free(text);
	sqlite3_close(db);
}

/* Peaks of the device stand behind the tables, not between the reader and the verdict. */
static void test_data_sheet(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db, "INSERT INTO device_peak VALUES(0, 'GAUDI2', 4, 24, 432, 865,"
			      " 96e9, 2460e9, 'x')");
	char *text = fixture_text(db, fixture_advice(), tc_render_text);
	assert_has(strstr(text, "\nMemory\n"), "\nData sheet of the device\n  GAUDI2: 432 TFLOPS "
					       "in bf16, 865 in fp8, 96 GB of HBM at"
					       " 2460 GB/s\n  (docs/hardware.md)\n");
	free(text);
	sqlite3_close(db);
}

/* A gain of nothing says why, and the gaps in which NICs work are no contradiction. */
static void test_nothing_to_win(void **state)
{
	struct tc_finding finding = fixture_advice()->findings[1];
	struct tc_advice advice = {.findings = &finding, .finding_count = 1};
	sqlite3 *db = fixture_store();

	(void)state;
	memory_store_exec(db, "INSERT INTO metric VALUES(0, 'nic_exclusive_ns', NULL, NULL,"
			      " 20000000, 'ns')");
	finding.gain_ns = 0;
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, "   no time to save in this run; severity high, measured\n");
	assert_has(text, "time in which only the NICs work is idle time");
	free(text);
	text = fixture_text(db, &advice, tc_render_md);
	assert_has(text, "No time to save in this run; severity high, measured.\n");
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
	char *text = fixture_text(db, &advice, tc_render_text);
	assert_has(text, " 1 The device waits for the data loader (user rule)\n");
	assert_has(text, "   Rule  my rules/x?.sql\n");
	assert_has_not(text, "tracecoach heuristics ");
	assert_has_not(text, "Settings");
	free(text);
	text = fixture_text(db, &advice, tc_render_md);
	assert_has(text, " User rule: my rules/x?.sql\n\n```sql\n");
	assert_has_not(text, "Settings");
	free(text);
	text = fixture_text(db, &advice, tc_render_json);
	assert_has(text, "\"user\": true");
	free(text);
	text = fixture_text(db, fixture_advice(), tc_render_text);
	assert_has(text,
		"  Settings other than the defaults: dataloader-bound.min_exposed_pct = 2.5 pct\n");
	free(text);
	text = fixture_text(db, fixture_advice(), tc_render_md);
	assert_has(text, "\n- `dataloader-bound.min_exposed_pct = 2.5` (default 5 pct)\n");
	free(text);
	sqlite3_close(db);
}

/* Two traces: a table over them first, then one letter each. */
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
	assert_has(text, "\nrank0.json\n  kineto, cuda, 0 devices, rank 0, no steps, 7.000 ms");
	free(text);
	sqlite3_close(db);
}

static enum tc_status note_ranks(struct tc_job *job, const struct tc_ranks *ranks)
{
	(void)job, (void)ranks;
	fail_msg("there are no ranks");
	return TC_OK;
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
	assert_int_equal(tc_ranks_each(&job, note_ranks), TC_ERR_STORE);
	tc_ctx_free(job.ctx);
	sqlite3_close(db);
}

/* Names of a trace never reach the terminal as they are. */
static void test_hostile_names(void **state)
{
	char *text = text_after("UPDATE trace SET path = 'a' || char(27) || ']0;x' || char(7);"
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
	char *text = text_after(
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
	assert_int_equal(count, 5);
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
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_top),
		cmocka_unit_test(test_odd_traces),
		cmocka_unit_test(test_several_devices),
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

/* The report on an index: what it says of the fleet, of its jobs, and of what changed. */
#include "fleet/index_fixture.h"

#include <math.h>

#include "core/buf.h"
#include "tracecoach/fleet_report.h"

#define MS 1000000

static const struct index_job night[] = {
	{"team-a/bert", "GAUDI2", 8, 8, 600 * MS, 366 * MS, 200 * MS, 3, 200 * MS, 2 * MS,
		{{0, 300 * MS}, {1, 60 * MS}}, 3},
	{"team-a/small", "A100", 0, 1, 400 * MS, 100 * MS, 240 * MS, 4, 100 * MS, 2 * MS,
		{{1, 40 * MS}}, 3},
	{"team-b/profile", NULL, 0, 1, 400 * MS, 0, 0, 0, 0, 0, {{0, 0}}, 3},
	{"team-b/vit", "H100", 2, 2, 500 * MS, 50 * MS, 425 * MS, 5, 100 * MS, 1 * MS,
		{{2, 25 * MS}}, 3},
};

static char before_path[sizeof(files.path) + 8];

static int to_buf(void *user, const char *bytes, size_t len)
{
	tc_buf_append(user, bytes, len);
	return 0;
}

static const struct tc_fleet_format *format_named(const char *name)
{
	size_t count;
	const struct tc_fleet_format *formats = tc_fleet_formats(&count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	fail_msg("no format %s", name);
	return NULL;
}

/* The report of files.path, since before_path if there is one; borrowed until the next one. */
static const char *report(struct tc_fleet_report_result *result, const char *format,
	struct tc_fleet_report_input input, struct tc_report_options options)
{
	static struct tc_buf text;

	tc_buf_clear(&text);
	input.path = input.path ? input.path : "nightly";
	assert_int_equal(tc_index_open(&input.index, files.ctx, files.path), TC_OK);
	if (input.since_path)
		assert_int_equal(tc_index_open(&input.since, files.ctx, input.since_path), TC_OK);
	const struct tc_compare_output output = {to_buf, &text};
	if (tc_fleet_report(result, files.ctx, &input, format_named(format), &options, &output) !=
		TC_OK)
		fail_msg("%s", tc_ctx_error(files.ctx));
	tc_store_close(input.index);
	tc_store_close(input.since);
	unlink(files.path);
	if (input.since_path)
		unlink(input.since_path);
	if (getenv("TC_SHOW_REPORTS"))
		print_message("%s\n", tc_buf_string(&text));
	return tc_buf_string(&text);
}

static void says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" is not said in:\n%s", words, text);
}

static void says_not(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("\"%s\" is said in:\n%s", words, text);
}

/* Devices: 8 and 1 and 2; the job without device work has none. Hours: 11 * 24. Lost: 2/3 of 192,
 * 2/5 of 24, 15 % of 48. Won: half of 192, a tenth of 24, 5 % of 48. */
static void the_fleet_is_a_sentence(void **state)
{
	struct tc_fleet_report_result result = {0};
	char lost[32], won[32];

	(void)state;
	index_make(files.path, night, 4);
	const char *text = report(&result, "text", (struct tc_fleet_report_input){0},
		(struct tc_report_options){.width = 100});
	says(text, "4 jobs, 12 traces, 11 devices.");
	says(text, "264 device hours a day");
	snprintf(lost, sizeof(lost), "compute for %d", 128 + 10 + 7);
	says(text, lost);
	snprintf(won, sizeof(won), "wins back %d device", 96 + 2 + 2 + 1);
	says(text, won);
	says(text, "1  job without device work  team-b/profile");
	assert_true(strstr(text, "team-a/bert") < strstr(text, "team-a/small"));
	assert_true(strstr(text, "team-a/small") < strstr(text, "team-b/vit"));
	assert_true(result.has_finding);
	assert_int_equal(result.worst, TC_SEVERITY_HIGH);
}

/* A world that cannot be is not counted, and a trace of which no row was made is one not read. */
static void a_damaged_trace_does_not_outweigh_the_others(void **state)
{
	struct tc_fleet_report_result result = {0};

	(void)state;
	for (int json = 0; json < 2; json++) {
		sqlite3 *db = index_begin(files.path);
		for (int i = 0, trace_id = 0; i < 4; i++)
			trace_id = index_add(db, &night[i], i, trace_id);
		exec_sql(db,
			"UPDATE trace SET world_size = 9223372036854775807 WHERE id = 0;"
			"UPDATE trace SET state = 'stopped', reason = 'it was changed' WHERE id = "
			"1;"
			"UPDATE trace SET state = 'failed', reason = 'it is empty' WHERE id = 2");
		index_end(db);
		const char *text =
			report(&result, json ? "json" : "text", (struct tc_fleet_report_input){0},
				(struct tc_report_options){.width = 100});
		says(text, json ? "\"failed_count\": 2" : "4 jobs, 10 traces, 11 devices.");
		if (!json)
			says(text, "2  traces could not be read");
	}
}

static void groups_add_up(void **state)
{
	struct tc_fleet_report_result result = {0};

	(void)state;
	index_make(files.path, night, 4);
	const char *text = report(&result, "text", (struct tc_fleet_report_input){.group_by = 1},
		(struct tc_report_options){.width = 100});
	says(text, "team-a     2        9");
	says(text, "team-b     2        2");
}

/* The first job's fix wins most in one job, that of the two others more in both: 2 * 24 * 48 / 240
 * hours. What all fixes win together stands beside none of them. */
static void a_group_shows_what_the_named_fix_wins(void **state)
{
	static const struct index_job jobs[] = {
		{"x/a", "A100", 1, 1, 240 * MS, 96 * MS, 100 * MS, 3, 80 * MS, 1 * MS,
			{{0, 60 * MS}}, 3},
		{"x/b", "A100", 1, 1, 240 * MS, 96 * MS, 100 * MS, 3, 80 * MS, 1 * MS,
			{{1, 48 * MS}}, 3},
		{"x/c", "A100", 1, 1, 240 * MS, 96 * MS, 100 * MS, 3, 80 * MS, 1 * MS,
			{{1, 48 * MS}}, 3},
	};
	struct tc_fleet_report_result result = {0};

	(void)state;
	index_make(files.path, jobs, 3);
	const char *text = report(&result, "text", (struct tc_fleet_report_input){.group_by = 1},
		(struct tc_report_options){.width = 100});
	says(text, "wins h/day  largest fix");
	says(text, "       9.6  host-bound");
}

/* Of two fixes that win the same, the group names the one that its jobs name. */
static void a_group_names_the_fix_of_its_jobs(void **state)
{
	static const struct index_job jobs[] = {
		{"x/a", "A100", 1, 1, 240 * MS, 96 * MS, 100 * MS, 3, 80 * MS, 1 * MS,
			{{1, 60 * MS}, {0, 60 * MS}}, 3},
	};
	struct tc_fleet_report_result result = {0};

	(void)state;
	for (int group_by = 0; group_by < 2; group_by++) {
		index_make(files.path, jobs, 1);
		const char *text = report(&result, "text",
			(struct tc_fleet_report_input){.group_by = group_by},
			(struct tc_report_options){.width = 100});
		says(text, "6.0  host-bound\n");
	}
}

/* A fix may win more than is lost: it shortens what a device computes. Only then a line says so. */
static void wins_above_lost_are_explained(void **state)
{
	static const struct index_job jobs[] = {
		{"x/a", "A100", 1, 1, 240 * MS, 10 * MS, 220 * MS, 3, 80 * MS, 1 * MS,
			{{0, 60 * MS}}, 0},
	};
	struct tc_fleet_report_result result = {0};

	(void)state;
	index_make(files.path, jobs, 1);
	const char *text = report(&result, "text", (struct tc_fleet_report_input){0},
		(struct tc_report_options){.width = 100});
	says(text, "wins above lost: a fix may shorten the computation, too");
	index_make(files.path, night, 4);
	text = report(&result, "text", (struct tc_fleet_report_input){0},
		(struct tc_report_options){.width = 100});
	assert_null(strstr(text, "wins above lost"));
}

/* bert is slower by far more than its steps vary by; vit by less; small is new, and has the name
 * of none. */
static void changes_are_judged_as_compare_does(void **state)
{
	struct index_job before[] = {night[0], night[3], night[2]};
	struct tc_fleet_report_result result = {0};

	(void)state;
	before[0].step_ns = 150 * MS;
	before[0].fixes[0] = before[0].fixes[1];
	before[0].fixes[1].gain_ns = 0;
	before[1].path = "elsewhere/vit";
	before[1].step_ns = 100 * MS + MS / 10;
	index_make(before_path, before, 3);
	index_make(files.path, night, 4);
	const char *text =
		report(&result, "text", (struct tc_fleet_report_input){.since_path = before_path},
			(struct tc_report_options){.width = 100});
	says(text, "150.0 ms  200.0 ms  +33.3 %  dataloader-bound");
	says(text, "1 job slower, 0 faster, 1 as before (less than steps vary by), 1 with too few "
		   "steps to judge,");
	says(text, "0 gone.");
	says(text, "New:  The device waits for the data loader: in 1 job, team-a/bert");
	assert_true(fabs(result.slower_pct - 100.0 / 3) < 0.01);
	assert_int_equal(result.unjudged_count, 1);
	assert_int_equal(result.judged_count, 2);
}

/* Indexes have no shapes, so another device is other work. */
static void other_devices_are_not_judged(void **state)
{
	static const char first[] = "Since the earlier index\n  Not the same work in 1 job";
	struct index_job before[] = {night[0], night[1]};

	(void)state;
	before[0].device = "H100";
	before[0].world_size = 4;
	before[0].step_ns = 150 * MS;
	for (int anyway = 0; anyway < 2; anyway++)
		for (int json = 0; json < 2; json++) {
			struct tc_fleet_report_result result = {0};
			index_make(before_path, before, 2);
			index_make(files.path, night, 2);
			const char *text = report(&result, json ? "json" : "text",
				(struct tc_fleet_report_input){.since_path = before_path},
				(struct tc_report_options){.width = 200, .anyway = anyway});
			assert_int_equal(result.other_work_count, !anyway);
			assert_true(anyway ? result.slower_pct > 33 : result.slower_pct == 0);
			if (json)
				says(text, anyway ? "\"outcome\": \"slower\""
						  : "\"outcome\": \"other_work\"");
			else
				says(text, first);
			if (!json && !anyway)
				says(text, "1 job, not judged:\n  - team-a/bert: The device");
			says(text, "The device differs: H100 before, GAUDI2 after. The number of "
				   "ranks differs: 4 before, 8 after.");
			says(text, json ? "\"reason\": \"The device" : "8 after.\n");
		}
}

/* The times of a job are those of steps without warm-up, wherever they stand. */
static void a_job_has_one_step_time(void **state)
{
	struct index_job before[] = {night[0]}, after[] = {night[0]};
	struct tc_fleet_report_result result = {0};

	(void)state;
	before[0].step_ns = 150 * MS;
	after[0].wall_ns = 900 * MS;
	for (int format = 0; format < 3; format++) {
		index_make(before_path, before, 1);
		index_make(files.path, after, 1);
		const char *const formats[] = {"text", "csv", "json"};
		const char *text = report(&result, formats[format],
			(struct tc_fleet_report_input){.since_path = before_path},
			(struct tc_report_options){.width = 120});
		if (format == 0)
			says(text, "team-a/bert  8 x GAUDI2  200.0 ms ");
		says(text, format == 0 ? "team-a/bert     150.0 ms  200.0 ms"
				       : (format == 1 ? ",900000000,200000000,"
						      : "\"step_mean_ns\": 200000000"));
	}
}

/* What ends a label of OpenMetrics is escaped, and a number that is not known has no sample. */
static void openmetrics_has_a_sample_a_job(void **state)
{
	struct index_job jobs[] = {night[1], night[2]};
	struct tc_fleet_report_result result = {0};

	(void)state;
	jobs[0].path = "a\"b\\c\nd";
	index_make(files.path, jobs, 2);
	const char *text = report(&result, "openmetrics", (struct tc_fleet_report_input){0},
		(struct tc_report_options){.width = 120});
	says(text, "\ntracecoach_job_step_seconds{path=\"a\\\"b\\\\c\\nd\",device=\"A100\"} 0.1\n");
	says(text,
		"\ntracecoach_job_lost_device_hours{path=\"a\\\"b\\\\c\\nd\",device=\"A100\"} 9.6\n"
		"# EOF\n");
	says_not(text, "profile");
}

/* Characters that are not printed do not make two jobs one: Prometheus refuses such a page whole.
 */
static void openmetrics_keeps_jobs_apart(void **state)
{
	struct index_job jobs[] = {night[1], night[1], night[1], night[1], night[1]};
	struct tc_fleet_report_result result = {0};

	(void)state;
	jobs[0].path = "a\x01";
	jobs[1].path = "a\x02";
	jobs[2].path = "a?";
	jobs[3].path = "a\xe2\x80\xae";
	jobs[4].path = "\xc3\xa9\xff";
	index_make(files.path, jobs, 5);
	const char *text = report(&result, "openmetrics", (struct tc_fleet_report_input){0},
		(struct tc_report_options){.width = 120});
	says(text, "{path=\"a\\\\x01\",device=\"A100\"} 0.1\n");
	says(text, "{path=\"a\\\\x02\",device=\"A100\"} 0.1\n");
	says(text, "{path=\"a?\",device=\"A100\"} 0.1\n");
	says(text, "{path=\"a\\\\xe2\\\\x80\\\\xae\",device=\"A100\"} 0.1\n");
	says(text, "{path=\"\xc3\xa9\\\\xff\",device=\"A100\"} 0.1\n");
}

/* A spreadsheet takes no path for a formula, and the title of Markdown is the same on every
 * machine. */
static void what_others_open_is_safe(void **state)
{
	struct index_job job = night[1];
	struct tc_fleet_report_result result = {0};

	(void)state;
	job.path = "=1+1";
	job.device = "@x";
	index_make(files.path, &job, 1);
	const char *text = report(
		&result, "csv", (struct tc_fleet_report_input){0}, (struct tc_report_options){0});
	says(text, "\n'=1+1,1,0,'@x,1,");
	index_make(files.path, &job, 1);
	text = report(&result, "md", (struct tc_fleet_report_input){.path = "/home/runner/out/"},
		(struct tc_report_options){0});
	assert_memory_equal(text, "# out\n", 6);
	says(text, "| =1+1 |");
}

/* A heuristic that did not fire because it lacked data is not called gone. */
static void what_could_not_look_is_not_gone(void **state)
{
	for (int blind = 3; blind <= 4; blind++) {
		struct index_job after[] = {night[0], night[1]};
		struct tc_fleet_report_result result = {0};

		(void)state;
		after[1].fixes[0].gain_ns = 0;
		after[1].blind = blind;
		index_make(before_path, night, 2);
		index_make(files.path, after, 2);
		const char *text = report(&result, "text",
			(struct tc_fleet_report_input){.since_path = before_path},
			(struct tc_report_options){.width = 100});
		if (blind == 3)
			says(text, "Gone: The host cannot feed the device fast enough: in 1 job, "
				   "team-a/small");
		else
			says_not(text, "Gone:");
	}
}

static int count_lines(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* Of hundreds of jobs that all changed, with something of every kind left out. */
static void it_stays_a_page(void **state)
{
	enum { JOBS = 300 };
	static char names[JOBS][64];
	static struct index_job before[JOBS], after[JOBS];
	struct tc_fleet_report_result result = {0};

	(void)state;
	for (int i = 0; i < JOBS; i++) {
		snprintf(names[i], sizeof(names[i]), "cluster/team-%03d/a-model-of-some-size", i);
		before[i] = after[i] = night[i % 4];
		before[i].path = after[i].path = names[i];
		before[i].step_ns += (i % 3 - 1) * 20 * MS * (before[i].steps > 0);
		before[i].fixes[0].heuristic = (i + 1) % 3;
	}
	index_make(before_path, before, JOBS);
	sqlite3 *db = index_begin(files.path);
	for (int i = 0, trace_id = 0; i < JOBS; i++)
		trace_id = index_add(db, &after[i], i, trace_id);
	exec_sql(db, "UPDATE trace SET state = 'failed', reason = 'cut before the first event'"
		     " WHERE id % 50 = 1; UPDATE trace SET fault_count = 1 WHERE id % 70 = 2;"
		     "UPDATE trace SET state = 'stopped', reason = 'a limit' WHERE id % 90 = 4;"
		     "INSERT INTO import_log SELECT id, 'x', 'data_loss', 1, '9 bytes skipped' FROM"
		     " trace WHERE id % 40 = 0; INSERT INTO left_out VALUES ('x/y', 'Permission"
		     " denied'), ('x/z', 'Permission denied');");
	index_end(db);
	const char *text =
		report(&result, "text", (struct tc_fleet_report_input){.since_path = before_path},
			(struct tc_report_options){.width = 80, .ascii = true});
	assert_in_range(count_lines(text), 45, 60);
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
		assert_true(end - line <= 80);
}

/* A job whose own report has no verdict has no hours here, and its gain counts nowhere. */
static void it_counts_no_job_without_a_verdict(void **state)
{
	struct tc_fleet_report_result result = {0};

	(void)state;
	sqlite3 *db = index_begin(files.path);
	for (int i = 0, trace_id = 0; i < 4; i++)
		trace_id = index_add(db, &night[i], i, trace_id);
	exec_sql(db, "UPDATE trace SET is_judged = 0 WHERE job_id = 0");
	index_end(db);
	const char *text = report(&result, "text", (struct tc_fleet_report_input){0},
		(struct tc_report_options){.width = 100, .ascii = true, .top = 12});
	says(text, "3 devices. Run all day as recorded, that is 72 device hours a day");
	says(text, "1  job whose trace shows too little for a verdict  team-a/bert");
	assert_null(strstr(text, "data loader"));
	assert_true(result.has_judged);
}

/* Every job has its row, also those that the page leaves out. */
static void csv_and_json_have_all_jobs(void **state)
{
	struct tc_fleet_report_result result = {0};

	(void)state;
	for (int json = 0; json < 2; json++) {
		index_make(files.path, night, 4);
		const char *text = report(&result, json ? "json" : "csv",
			(struct tc_fleet_report_input){0}, (struct tc_report_options){.top = 1});
		for (int i = 0; i < 4; i++)
			says(text, night[i].path);
		if (!json) {
			says(text,
				"team-a/bert,8,0,GAUDI2,8,600000000,200000000,600000000,366000000,"
				"400000000,dataloader-bound,300000000,,,,,\n");
			says(text, "team-b/profile,1,0,,,400000000,,,,,,,,,,,\n");
			assert_int_equal(count_lines(text), 5);
		}
	}
}

/* A caller of the library has no command line. */
static void words_are_members_of_options(void **state)
{
	struct tc_fleet_report_result result = {0};

	(void)state;
	index_make(files.path, night, 4);
	const char *text = report(&result, "text", (struct tc_fleet_report_input){0},
		(struct tc_report_options){.width = 100, .ascii = true, .top = 1});
	says(text, "h/day: top N, or the format csv for all.");
	assert_null(strstr(text, "--top"));
	assert_null(strstr(text, "--details"));
}

static int set_up(void **state)
{
	int failed = set_up_files(state);

	snprintf(before_path, sizeof(before_path), "%s.old", files.path);
	return failed;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_members_of_options),
		cmocka_unit_test(the_fleet_is_a_sentence),
		cmocka_unit_test(a_damaged_trace_does_not_outweigh_the_others),
		cmocka_unit_test(groups_add_up),
		cmocka_unit_test(wins_above_lost_are_explained),
		cmocka_unit_test(a_group_shows_what_the_named_fix_wins),
		cmocka_unit_test(a_group_names_the_fix_of_its_jobs),
		cmocka_unit_test(changes_are_judged_as_compare_does),
		cmocka_unit_test(other_devices_are_not_judged),
		cmocka_unit_test(a_job_has_one_step_time),
		cmocka_unit_test(openmetrics_has_a_sample_a_job),
		cmocka_unit_test(openmetrics_keeps_jobs_apart),
		cmocka_unit_test(what_others_open_is_safe),
		cmocka_unit_test(it_counts_no_job_without_a_verdict),
		cmocka_unit_test(what_could_not_look_is_not_gone),
		cmocka_unit_test(it_stays_a_page),
		cmocka_unit_test(csv_and_json_have_all_jobs),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down_files);
}

/*
 * Formats that have a row for each fact, for other programs to read: metrics as CSV, checks as the
 * tests of JUnit XML, findings as the workflow commands of GitHub. In the latter two, --fail-on
 * decides what fails a run.
 */
#include "report/job.h"
#include "report/text/sink.h"
#include "report/view/view.h"

/* ---- every metric of the store: trace, device, step, name, value, unit */

/* An input that was left out has no metrics. It gets a row without a trace, with the reason as the
 * value. */
static void put_left_out(struct tc_job *job)
{
	struct tc_rows rows = tc_rows_open(job->ctx, job->db, tc_left_out_sql);

	while (!tc_sink_dead(&job->sink) && tc_rows_next(&rows)) {
		tc_sink_put(&job->sink, ",,,left_out,");
		tc_put_csv(&job->sink, tc_rows_text(&rows, 1), ",text\n");
	}
	tc_rows_close(&rows);
}

void tc_render_csv(struct tc_job *job)
{
	job->sink.escapes = true;
	tc_sink_put(&job->sink, "trace,device,step,name,value,unit\n");
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT trace_id, device, step, name, value, unit FROM metric"
		" WHERE (?1 < 0 OR step = ?1)"
		" AND (?2 < 0 OR trace_id IN (SELECT id FROM trace WHERE rank = ?2))"
		" ORDER BY trace_id, step, device, rowid",
		job->options.step, job->options.rank);
	while (!tc_sink_dead(&job->sink) && tc_rows_next(&rows))
		for (int column = 0; column < 6; column++)
			tc_put_csv(
				&job->sink, tc_rows_text(&rows, column), column < 5 ? "," : "\n");
	tc_rows_close(&rows);
	put_left_out(job);
}

/* ---- what both CI systems have in common */

/* Whether there is a --fail-on. */
static bool gate_is_asked(const struct tc_job *job)
{
	return job->options.fail_on > TC_SEVERITY_INFO;
}

/* Whether --fail-on counts the finding. */
static bool gate_fails(const struct tc_job *job, const struct tc_finding *finding)
{
	return gate_is_asked(job) && (int)finding->severity >= job->options.fail_on;
}

/* Appends gain, severity and confidence, why it costs time, and what to do, on a line each. */
static void gate_message(struct tc_buf *buf, struct tc_job *job, const struct tc_finding *finding)
{
	tc_evidence_gain(buf, job, finding);
	tc_evidence_severity(buf, finding);
	tc_buf_format(buf, "\n%s\n%s", finding->why, finding->advice);
}

/* ---- workflow commands, which GitHub shows as annotations of a run: an error for what --fail-on
 * counts, a warning or a notice for the rest. A check that failed closes the gate, too. */

/* Writes a command; below its title stand the trace and the message, which it frees. */
static void put_command(struct tc_job *job, const struct tc_view *trace, const char *command,
	const char *title, struct tc_buf *message)
{
	struct tc_buf text = TC_BUF_EMPTY;

	tc_view_append_name(&text, trace);
	tc_buf_append_string(&text, "\n");
	tc_buf_append_text(&text, tc_buf_text(message));
	tc_buf_end(&text, message);
	tc_put_command(&job->sink, command, tc_text_from(title), tc_buf_text(&text));
	tc_buf_end(&job->sink.buf, &text);
}

static void put_annotation(
	struct tc_job *job, const struct tc_view *trace, const struct tc_finding *finding)
{
	struct tc_buf message = TC_BUF_EMPTY;
	const char *command = gate_fails(job, finding)                  ? "error"
			      : finding->severity >= TC_SEVERITY_MEDIUM ? "warning"
									: "notice";

	gate_message(&message, job, finding);
	put_command(job, trace, command, finding->heuristic->title, &message);
}

static void put_failed_check(
	struct tc_job *job, const struct tc_view *trace, const struct tc_account_row *row)
{
	struct tc_buf message = TC_BUF_EMPTY;

	tc_buf_format(&message, "The check %s failed: %s", row->heuristic->id, row->reason);
	put_command(job, trace, gate_is_asked(job) ? "error" : "warning", row->heuristic->title,
		&message);
}

void tc_render_github(struct tc_job *job)
{
	struct tc_views views = tc_views_all(job);

	for (const struct tc_view *trace; (trace = tc_views_next(&views));) {
		for (const struct tc_finding *finding = NULL;
			(finding = tc_next_finding(job->advice, trace->id, finding));)
			put_annotation(job, trace, finding);
		for (const struct tc_account_row *check = NULL;
			(check = tc_next_check(job->advice, trace->id, check));)
			if (check->outcome == TC_OUTCOME_FAILED)
				put_failed_check(job, trace, check);
	}
}

/* ---- JUnit XML, which CI systems show as tests: a suite per trace, a case per heuristic. A
 * finding that --fail-on counts is a failure; a heuristic that lacked data is skipped. */

static void put_finding(struct tc_job *job, struct tc_case *test, const struct tc_finding *finding)
{
	struct tc_buf text = TC_BUF_EMPTY;

	gate_message(&text, job, finding);
	test->text = tc_buf_text(&text);
	test->result = "system-out";
	if (gate_fails(job, finding)) {
		test->result = "failure";
		test->type = tc_text_from(tc_severity_name(finding->severity));
		test->message = tc_text_from(finding->heuristic->title);
	}
	tc_junit_case(&job->sink, test);
	tc_buf_end(&job->sink.buf, &text);
}

/* NULL if the heuristic found nothing. */
static const struct tc_finding *finding_of(
	const struct tc_job *job, const struct tc_account_row *row)
{
	return row->outcome == TC_OUTCOME_FIRED
		       ? tc_find_finding(job->advice, row->trace_id, row->heuristic)
		       : NULL;
}

static void put_case(struct tc_job *job, struct tc_text trace, const struct tc_account_row *row)
{
	const struct tc_finding *finding = finding_of(job, row);
	struct tc_case test = {trace, tc_text_from(row->heuristic->id), .result = NULL};

	if (finding) {
		put_finding(job, &test, finding);
		return;
	}
	if (row->outcome != TC_OUTCOME_QUIET && row->outcome != TC_OUTCOME_FIRED) {
		test.result = row->outcome == TC_OUTCOME_FAILED ? "error" : "skipped";
		test.message = tc_text_from(row->reason ? row->reason : "");
	}
	tc_junit_case(&job->sink, &test);
}

static void put_suite(struct tc_job *job, const struct tc_view *trace)
{
	struct tc_buf name = TC_BUF_EMPTY;
	size_t counts[4] = {0, 0, 0, 0}; /* all, failures, errors, skipped */

	for (const struct tc_account_row *row = NULL;
		(row = tc_next_check(job->advice, trace->id, row));) {
		const struct tc_finding *finding = finding_of(job, row);
		counts[0]++;
		counts[1] += finding && gate_fails(job, finding);
		counts[2] += row->outcome == TC_OUTCOME_FAILED;
		counts[3] += row->outcome == TC_OUTCOME_NOT_APPLICABLE ||
			     row->outcome == TC_OUTCOME_NOT_ASKED;
	}
	tc_view_append_name(&name, trace);
	tc_junit_suite(&job->sink, tc_buf_text(&name), counts);
	for (const struct tc_account_row *row = NULL;
		(row = tc_next_check(job->advice, trace->id, row));)
		put_case(job, tc_buf_text(&name), row);
	tc_junit_suite_end(&job->sink);
	tc_buf_end(&job->sink.buf, &name);
}

void tc_render_junit(struct tc_job *job)
{
	struct tc_views views = tc_views_all(job);

	tc_junit_begin(&job->sink);
	for (const struct tc_view *trace; (trace = tc_views_next(&views));)
		put_suite(job, trace);
	tc_junit_end(&job->sink);
}

/*
 * The report as JSON: everything in the text report and more, under the versioned schema of
 * docs/report.schema.json. It is streamed: steps, whose number grows with the trace, are read row
 * by row. The short form, under docs/summary.schema.json, is the content of a first screen in a few
 * kilobytes: it lists --top findings of a trace, 5 by default, and counts the others.
 */
#include "advice/advice_names.h"
#include "advice/evaluate/evaluate.h"
#include "core/array.h"
#include "core/text/utf8.h"
#include "report/job.h"
#include "report/sections/section.h"
#include "report/text/json.h"
#include "report/view/ranks.h"
#include "report/view/view.h"
#include "tracecoach/version.h"

#define SUMMARY_TOP 5
#define SUMMARY_TRACES 8  /* that are listed one by one; the others are counted */
#define SUBJECT_BYTES 160 /* subjects are names from the trace, and C++ names are long */

/* ---- the short form */

static int64_t top_of(const struct tc_job *job)
{
	return job->top_given ? job->options.top : SUMMARY_TOP;
}

static void put_subject(struct tc_json *json, const struct tc_finding *finding)
{
	struct tc_text subject =
		tc_text_from(finding->evidence_count > 0 ? finding->evidence[0].subject : NULL);

	tc_json_text(
		json, "subject", subject.ptr ? tc_utf8_prefix(subject, SUBJECT_BYTES) : subject);
}

/* A gain with its range, as members gain_ns, gain_low_ns and gain_high_ns. */
static void put_gain(struct tc_json *json, const struct tc_gain_shown *gain)
{
	bool is_known = gain->likely_ns != TC_GAIN_NONE;

	tc_json_int_if(json, "gain_ns", is_known, gain->likely_ns);
	tc_json_int_if(json, "gain_low_ns", is_known, gain->low_ns);
	tc_json_int_if(json, "gain_high_ns", is_known, gain->high_ns);
}

static void put_brief_finding(struct tc_json *json, const struct tc_finding *finding)
{
	const struct tc_gain_shown gain = tc_gain_of(finding);

	tc_json_object(json, NULL);
	tc_json_string(json, "id", finding->heuristic->id);
	tc_json_string(json, "title", finding->heuristic->title);
	tc_json_string(json, "severity", tc_severity_name(finding->severity));
	tc_json_string(json, "confidence", tc_confidence_name(finding->confidence));
	put_gain(json, &gain);
	tc_json_real(json, "gain_pct", finding->gain_pct);
	tc_json_string(json, "advice", finding->advice);
	put_subject(json, finding);
	tc_json_end(json);
}

static void put_brief_findings(struct tc_json *json, const struct tc_job *job, int64_t trace_id)
{
	int64_t count = 0;

	tc_json_array(json, "findings");
	for (const struct tc_finding *finding = NULL;
		(finding = tc_next_finding(job->advice, trace_id, finding)); count++)
		if (count < top_of(job))
			put_brief_finding(json, finding);
	tc_json_end(json);
	tc_json_int(json, "more_finding_count", count > top_of(job) ? count - top_of(job) : 0);
}

/* Writes the length of a step after each fix. */
static void put_brief_plan(struct tc_json *json, struct tc_job *job, int64_t trace_id)
{
	const struct tc_query_place place = {.trace_id = trace_id, .top = top_of(job)};

	tc_json_section(json, job, "summary-plan", &place);
}

static void put_checks(struct tc_json *json, const struct tc_advice *advice, int64_t trace_id)
{
	tc_json_object(json, "checks");
	for (int i = TC_OUTCOME_FIRED; i <= TC_OUTCOME_FAILED; i++)
		tc_json_int(json, tc_outcome_name((enum tc_outcome)i),
			tc_count_outcome(advice, trace_id, (enum tc_outcome)i));
	tc_json_end(json);
}

/* Writes the largest causes of idle time, that of the verdict first. */
static void put_causes(struct tc_json *json, struct tc_job *job, int64_t trace_id)
{
	const struct tc_query_place place = {.trace_id = trace_id, .top = top_of(job)};

	tc_json_section(json, job, "summary-causes", &place);
}

static void put_figure(struct tc_json *json, const struct tc_metric_set *of, enum tc_metric metric)
{
	const struct tc_metric_cell *cell = &of->cells[metric];

	tc_json_int_if(json, tc_metric_info(metric)->name, cell->present, cell->integer);
}

/* Writes the key metrics of what is shown, the run or one step; null for a metric that the trace
 * does not show. */
static void put_figures(struct tc_json *json, const struct tc_view *view)
{
	const struct tc_metric_set *device = tc_view_device(view);

	put_figure(json, &view->shown->run, TC_METRIC_WALL);
	put_figure(json, &view->whole.run, TC_METRIC_STEADY_MEDIAN);
	put_figure(json, device, TC_METRIC_DEVICE_BUSY);
	put_figure(json, device, TC_METRIC_DEVICE_WAIT);
	put_figure(json, device, TC_METRIC_COMM_EXPOSED);
	tc_json_int(json, "step_count", view->step_count);
	tc_json_int(json, "loss_count", view->loss_count);
}

/* "verdict" of a trace. */
static void put_verdict(struct tc_json *json, struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf text = TC_BUF_EMPTY;

	if (tc_verdict_end(&text, job, view, -1))
		tc_buf_append_char(&text, ' ');
	tc_verdict(&text, job, view);
	tc_json_take(json, "verdict", &text);
}

static void put_brief_trace(struct tc_json *json, struct tc_job *job, const struct tc_view *view)
{
	tc_json_object(json, NULL);
	tc_json_int(json, "id", view->id);
	tc_json_text(json, "path", view->path);
	tc_json_int_if(json, "rank", view->rank >= 0, view->rank);
	tc_json_text(json, "format", view->format);
	tc_json_text(json, "device_name", view->device_name);
	put_verdict(json, job, view);
	put_figures(json, view);
	tc_json_int(json, "idle_ns", tc_view_idle_ns(tc_view_device(view)));
	put_causes(json, job, view->id);
	put_brief_findings(json, job, view->id);
	put_brief_plan(json, job, view->id);
	put_checks(json, job->advice, view->id);
	tc_json_end(json);
}

typedef void (*put_job_fn)(struct tc_json *json, struct tc_job *job, const struct tc_ranks *ranks);

/* "jobs", an array that is empty without a job of several ranks. */
static void put_each_job(struct tc_json *json, struct tc_job *job, put_job_fn put)
{
	struct tc_ranks_list list = tc_ranks_all(job);

	tc_json_array(json, "jobs");
	for (const struct tc_ranks *ranks; (ranks = tc_ranks_next(&list));)
		put(json, job, ranks);
	tc_json_end(json);
}

/* The ranks together: what the rank that sets the pace does, and what mends it. */
static void put_brief_job(struct tc_json *json, struct tc_job *job, const struct tc_ranks *ranks)
{
	const struct tc_rank_line *pace = &ranks->lines[ranks->pace];
	struct tc_buf text = TC_BUF_EMPTY;
	int64_t left = (int64_t)ranks->advice_count - top_of(job);

	tc_ranks_verdict(&text, job, ranks);
	tc_json_object(json, NULL);
	tc_json_int(json, "job_id", ranks->job_id);
	tc_json_take(json, "verdict", &text);
	tc_json_int(json, "world_size", ranks->world_size);
	tc_json_int(json, "rank_count", (int64_t)ranks->count);
	tc_json_int(json, "pace_rank", pace->rank);
	tc_json_int(json, "pace_trace_id", pace->trace_id);
	tc_json_int(json, "step_count", pace->step_count);
	tc_json_int_if(json, "step_mean_ns", pace->step_mean_ns > 0, pace->step_mean_ns);
	tc_json_int(json, "wall_ns", pace->wall_ns);
	tc_json_array(json, "findings");
	for (size_t i = 0; i < ranks->advice_count && (int64_t)i < top_of(job); i++)
		put_brief_finding(json, ranks->advice[i].finding);
	tc_json_end(json);
	tc_json_int(json, "more_finding_count", left > 0 ? left : 0);
	put_brief_plan(json, job, pace->trace_id);
	tc_json_end(json);
}

/* Writes why checks could not look, the ids of those checks, and on how many traces. `first` is the
 * first row with that reason. */
static void put_blind(struct tc_json *json, const struct tc_job *job, size_t first)
{
	const struct tc_account_row *rows = job->advice->account;
	struct tc_buf reason = TC_BUF_EMPTY;
	int64_t trace_count = 0, last = -1;

	tc_ctx_append_words(&reason, job->ctx, rows[first].reason ? rows[first].reason : "");
	tc_json_object(json, NULL);
	tc_json_take(json, "reason", &reason);
	tc_json_array(json, "checks");
	for (size_t i = first; i < job->advice->account_count; i++) {
		if (!tc_check_is_alike(&rows[i], &rows[first]))
			continue;
		trace_count += rows[i].trace_id != last;
		last = rows[i].trace_id;
		size_t k = first;
		while (rows[k].heuristic != rows[i].heuristic ||
			!tc_check_is_alike(&rows[k], &rows[i]))
			k++;
		if (k == i)
			tc_json_string(json, NULL, rows[i].heuristic->id);
	}
	tc_json_end(json);
	tc_json_int(json, "trace_count", trace_count);
	tc_json_end(json);
}

/* "not_looked_at": for each reason, the checks that lacked data or failed; a reason says what to
 * record. */
static void put_not_looked_at(struct tc_json *json, const struct tc_job *job)
{
	const struct tc_account_row *rows = job->advice->account;

	tc_json_array(json, "not_looked_at");
	for (size_t i = 0; i < job->advice->account_count; i++) {
		size_t first = 0;
		if (rows[i].outcome != TC_OUTCOME_NOT_APPLICABLE &&
			rows[i].outcome != TC_OUTCOME_FAILED)
			continue;
		while (!tc_check_is_alike(&rows[first], &rows[i]))
			first++;
		if (first == i)
			put_blind(json, job, i);
	}
	tc_json_end(json);
}

static void put_summary(struct tc_job *job)
{
	struct tc_json json = {.sink = &job->sink};
	struct tc_views views = tc_views_all(job);
	int64_t count = 0;

	tc_json_begin(&json, TC_SUMMARY_VERSION);
	put_each_job(&json, job, put_brief_job);
	tc_json_array(&json, "traces");
	for (const struct tc_view *view; (view = tc_views_next(&views));)
		if (count++ < SUMMARY_TRACES)
			put_brief_trace(&json, job, view);
	tc_json_end(&json);
	put_not_looked_at(&json, job);
	tc_json_int(&json, "trace_count", count);
	tc_json_int(&json, "left_out_count",
		tc_rows_single(job->ctx, job->db, "SELECT count(*) FROM left_out", 0));
	tc_json_end(&json);
}

/* ---- the ranks of each job together */

static void put_rank(struct tc_json *json, const struct tc_rank_line *line)
{
	tc_json_object(json, NULL);
	tc_json_int(json, "trace_id", line->trace_id);
	tc_json_int(json, "rank", line->rank);
	tc_json_int(json, "step_count", line->step_count);
	tc_json_int(json, "step_mean_ns", line->step_mean_ns);
	tc_json_int(json, "wall_ns", line->wall_ns);
	tc_json_int(json, "compute_busy_ns", line->compute_ns);
	tc_json_int(json, "exposed_communication_ns", line->exposed_ns);
	tc_json_int_if(json, "late_rank_wait_ns", line->wait_ns >= 0, line->wait_ns);
	tc_json_int_if(json, "start_wait_ns", line->wait_ns >= 0, line->start_wait_ns);
	tc_json_int(json, "device_wait_ns", line->device_wait_ns);
	tc_json_int(json, "late_count", line->late_count);
	tc_json_int(json, "matched_count", line->matched_count);
	tc_json_int_if(json, "late_order", line->late_order > 0, line->late_order);
	tc_json_int_if(json, "late_gain_ns", line->late_order > 0, line->late_gain_ns);
	tc_json_int_if(json, "late_together_ns", line->late_order > 0, line->late_together_ns);
	tc_json_string(json, "top_advice", line->top ? line->top->heuristic->id : NULL);
	tc_json_end(json);
}

static void put_rank_advice(struct tc_json *json, const struct tc_rank_advice *advice)
{
	const struct tc_heuristic *heuristic = advice->finding->heuristic;

	tc_json_object(json, NULL);
	tc_json_string(json, "id", heuristic->id);
	tc_json_string(json, "kind", tc_heuristic_kind_name(heuristic->kind));
	tc_json_string(json, "title", heuristic->title);
	tc_json_string(json, "severity", tc_severity_name(advice->finding->severity));
	put_gain(json, &advice->gain);
	tc_json_int_if(json, "largest_gain_ns", advice->largest->gain_ns != TC_GAIN_NONE,
		advice->largest->gain_ns);
	tc_json_int(json, "largest_rank", advice->largest_rank);
	tc_json_int(json, "rank_count", (int64_t)advice->rank_count);
	tc_json_end(json);
}

static void put_job(struct tc_json *json, struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_buf text = TC_BUF_EMPTY;

	tc_ranks_verdict(&text, job, ranks);
	tc_json_object(json, NULL);
	tc_json_int(json, "job_id", ranks->job_id);
	tc_json_int(json, "world_size", ranks->world_size);
	tc_json_bool(json, "by_guess", ranks->by_guess);
	tc_json_take(json, "verdict", &text);
	tc_json_int(json, "pace_rank", ranks->lines[ranks->pace].rank);
	tc_json_array(json, "ranks");
	for (size_t i = 0; i < ranks->count; i++)
		put_rank(json, &ranks->lines[i]);
	tc_json_end(json);
	tc_json_array(json, "advice");
	for (size_t i = 0; i < ranks->advice_count; i++)
		put_rank_advice(json, &ranks->advice[i]);
	tc_json_end(json);
	tc_json_end(json);
}

static void put_jobs(struct tc_json *json, struct tc_job *job)
{
	put_each_job(json, job, put_job);
}

/* ---- the whole report */

/* {"value": 3, "unit": "count"} from two columns of the row. */
static void put_value(
	struct tc_json *json, const struct tc_rows *row, struct tc_text name, int column)
{
	struct tc_buf key = TC_BUF_EMPTY;

	tc_buf_append_text(&key, name);
	const char *string = tc_buf_string(&key);
	json->sink->buf.failed |= !string;
	tc_json_object(json, string ? string : "");
	if (sqlite3_column_type(row->stmt, column) == SQLITE_INTEGER)
		tc_json_int(json, "value", tc_rows_int(row, column));
	else
		tc_json_real(json, "value", tc_rows_real(row, column));
	tc_json_text(json, "unit", tc_rows_text(row, column + 1));
	tc_json_end(json);
	tc_buf_clear(&key);
}

/* The metrics of a device of a trace, or (NULL) of the run, in a step, or (NULL) in all. */
static const char metrics_sql[] =
	"SELECT name, value, unit FROM metric WHERE trace_id = ?1 AND device IS ?2 AND step IS ?3"
	" ORDER BY rowid";

static void put_metrics(struct tc_json *json, struct tc_rows *rows, struct tc_text device)
{
	tc_json_object(json, "metrics");
	tc_rows_bind_text(rows, 2, device);
	while (tc_rows_next(rows))
		put_value(json, rows, tc_rows_text(rows, 0), 1);
	tc_json_end(json);
}

static void put_run_metrics(
	struct tc_json *json, struct tc_job *job, int64_t trace_id, struct tc_text device)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db, metrics_sql, trace_id);

	put_metrics(json, &rows, device);
}

static void put_devices(struct tc_json *json, struct tc_job *job, const struct tc_view *view)
{
	tc_json_array(json, "devices");
	for (size_t i = 0; i < view->whole.device_count; i++) {
		const char *device = view->whole.devices[i].device;
		tc_json_object(json, NULL);
		tc_json_string(json, "device", device);
		put_run_metrics(json, job, view->id, tc_text_from(device));
		const struct tc_query_place place = {.trace_id = view->id, .device = device};
		tc_json_sections(json, job, TC_SECTION_OF_DEVICE, &place);
		tc_json_end(json);
	}
	tc_json_end(json);
}

static void put_trace_row(struct tc_json *json, struct tc_job *job, int64_t trace_id)
{
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT id, path, format, form, vendor, rank, world_size, backend, device_name,"
		" device_memory_bytes, base_time_ns, start_ns, end_ns, read_bytes, event_count"
		" FROM trace WHERE id = ?1",
		trace_id);

	if (tc_rows_next(&rows))
		tc_json_columns(json, &rows, sqlite3_column_count(rows.stmt));
	tc_rows_close(&rows);
}

static void put_trace(struct tc_json *json, struct tc_job *job, const struct tc_view *view)
{
	tc_json_object(json, NULL);
	put_trace_row(json, job, view->id);
	put_verdict(json, job, view);
	put_run_metrics(json, job, view->id, TC_TEXT_NONE);
	put_devices(json, job, view);
	tc_json_sections(
		json, job, TC_SECTION_OF_TRACE, &(struct tc_query_place){.trace_id = view->id});
	tc_json_end(json);
}

static void put_traces(struct tc_json *json, struct tc_job *job)
{
	struct tc_views views = tc_views_all(job);

	tc_json_array(json, "traces");
	for (const struct tc_view *view; (view = tc_views_next(&views));)
		put_trace(json, job, view);
	tc_json_end(json);
}

/* Repeats the first trace's metrics at the top, where a script for a single trace looks first. */
static void put_first_metrics(struct tc_json *json, struct tc_job *job)
{
	int64_t first = tc_rows_single(job->ctx, job->db, "SELECT min(id) FROM trace", 0);

	put_run_metrics(json, job, first, TC_TEXT_NONE);
}

static const char steps_sql[] =
	"SELECT id, trace_id, number, name, ts, dur, device_ts, device_dur, is_warm_up"
	" FROM counted_step WHERE ?1 < 0 OR number = ?1 ORDER BY id";
static const char step_devices_sql[] =
	"SELECT DISTINCT device FROM metric WHERE trace_id = ?1 AND step = ?3"
	" AND device IS NOT NULL ORDER BY CAST(device AS INTEGER), device";

/* Starts a query of a step, whose columns 1 and 2 are its trace and its number. */
static void of_step(struct tc_rows *rows, const struct tc_rows *step)
{
	tc_rows_again(rows, tc_rows_int(step, 1));
	tc_rows_bind(rows, 3, tc_rows_int(step, 2));
}

static void put_steps(struct tc_json *json, struct tc_job *job)
{
	struct tc_rows metrics = tc_rows_prepare(job->ctx, job->db, metrics_sql);
	struct tc_rows devices = tc_rows_prepare(job->ctx, job->db, step_devices_sql);
	struct tc_rows steps = TC_ROWS(job->ctx, job->db, steps_sql, job->options.step);

	tc_json_array(json, "steps");
	while (!tc_sink_dead(&job->sink) && tc_rows_next(&steps)) {
		tc_json_object(json, NULL);
		tc_json_columns(json, &steps, sqlite3_column_count(steps.stmt));
		of_step(&metrics, &steps);
		put_metrics(json, &metrics, TC_TEXT_NONE);
		tc_json_array(json, "devices");
		for (of_step(&devices, &steps); tc_rows_next(&devices);) {
			tc_json_object(json, NULL);
			tc_json_text(json, "device", tc_rows_text(&devices, 0));
			of_step(&metrics, &steps);
			put_metrics(json, &metrics, tc_rows_text(&devices, 0));
			tc_json_end(json);
		}
		tc_json_end(json);
		tc_json_end(json);
	}
	tc_json_end(json);
	tc_rows_close(&steps);
	tc_rows_close(&devices);
	tc_rows_close(&metrics);
}

static void put_evidence(struct tc_json *json, const struct tc_evidence *evidence)
{
	struct tc_buf data = TC_BUF_EMPTY;

	tc_fields_json(&data, evidence->fields);
	tc_json_object(json, NULL);
	tc_json_string(json, "subject", evidence->subject);
	tc_json_int_if(json, "gain_ns", evidence->gain_ns != TC_GAIN_NONE, evidence->gain_ns);
	tc_json_int_if(json, "count", evidence->count >= 0, evidence->count);
	tc_json_string(json, "confidence", tc_confidence_name(evidence->confidence));
	tc_json_raw(json, "data", tc_buf_text(&data));
	tc_json_end(json);
	tc_buf_end(&json->sink->buf, &data);
}

/* Says where a heuristic is explained: its page, or the file of the user's rule. */
static void put_doc(struct tc_json *json, const struct tc_heuristic *heuristic)
{
	struct tc_buf doc = TC_BUF_EMPTY;

	if (heuristic->file)
		tc_buf_append_string(&doc, heuristic->file);
	else
		tc_buf_format(&doc, "docs/heuristics/%s.md", heuristic->id);
	tc_json_take(json, "doc", &doc);
	tc_json_bool(json, "user", heuristic->file != NULL);
}

static void put_finding(struct tc_json *json, const struct tc_finding *finding)
{
	const struct tc_heuristic *heuristic = finding->heuristic;
	const struct tc_gain_shown gain = tc_gain_of(finding);

	tc_json_object(json, NULL);
	tc_json_int(json, "trace_id", finding->trace_id);
	tc_json_string(json, "id", heuristic->id);
	tc_json_string(json, "kind", tc_heuristic_kind_name(heuristic->kind));
	tc_json_string(json, "title", heuristic->title);
	tc_json_string(json, "advice", finding->advice);
	tc_json_string(json, "why", finding->why);
	tc_json_string(json, "example", finding->example);
	tc_json_string(json, "severity", tc_severity_name(finding->severity));
	tc_json_string(json, "confidence", tc_confidence_name(finding->confidence));
	put_gain(json, &gain);
	tc_json_real(json, "gain_pct", finding->gain_pct);
	tc_json_array(json, "evidence");
	for (size_t i = 0; i < finding->evidence_count; i++)
		put_evidence(json, &finding->evidence[i]);
	tc_json_end(json);
	tc_json_string(json, "sql", finding->sql);
	put_doc(json, heuristic);
	tc_json_end(json);
}

static void put_advice(struct tc_json *json, struct tc_job *job)
{
	tc_json_array(json, "advice");
	for (size_t i = 0; i < job->advice->finding_count; i++)
		put_finding(json, &job->advice->findings[i]);
	tc_json_end(json);
}

static void put_plan(struct tc_json *json, struct tc_job *job)
{
	tc_json_section(json, job, "plan", NULL);
	tc_json_section(json, job, "plan-rest", NULL);
	tc_json_section(json, job, "fix-sets", NULL);
}

/* Whether an id is listed already, for another trace. Objects with reasons differ by trace, so none
 * is. */
static bool said_before(const struct tc_account_row *rows, size_t index, bool reasons)
{
	for (size_t i = 0; i < index && !reasons; i++)
		if (rows[i].heuristic == rows[index].heuristic &&
			rows[i].outcome == rows[index].outcome)
			return true;
	return false;
}

/* Writes the ids of one outcome, or objects with trace and reason for outcomes that have
 * reasons. */
static void put_outcome(
	struct tc_json *json, const struct tc_advice *advice, enum tc_outcome outcome)
{
	bool reasons = outcome != TC_OUTCOME_FIRED && outcome != TC_OUTCOME_QUIET;

	tc_json_array(json, tc_outcome_name(outcome));
	for (size_t i = 0; i < advice->account_count; i++) {
		const struct tc_account_row *row = &advice->account[i];
		if (row->outcome != outcome || said_before(advice->account, i, reasons))
			continue;
		if (!reasons) {
			tc_json_string(json, NULL, row->heuristic->id);
			continue;
		}
		tc_json_object(json, NULL);
		tc_json_string(json, "id", row->heuristic->id);
		tc_json_string(json, "reason", row->reason ? row->reason : "");
		tc_json_int(json, "trace_id", row->trace_id);
		tc_json_end(json);
	}
	tc_json_end(json);
}

static void put_account(struct tc_json *json, const struct tc_job *job)
{
	tc_json_object(json, "account");
	for (int i = TC_OUTCOME_FIRED; i <= TC_OUTCOME_FAILED; i++)
		put_outcome(json, job->advice, (enum tc_outcome)i);
	tc_json_end(json);
}

static void put_settings(struct tc_json *json, const struct tc_advice *advice)
{
	tc_json_array(json, "settings");
	for (size_t i = 0; i < advice->setting_count; i++) {
		const struct tc_setting *setting = &advice->settings[i];

		tc_json_object(json, NULL);
		tc_json_string(json, "id", setting->heuristic->id);
		tc_json_string(json, "param", setting->param->name);
		tc_json_real(json, "value", setting->value);
		tc_json_real(json, "default", setting->param->value);
		tc_json_string(json, "unit", setting->param->unit);
		tc_json_end(json);
	}
	tc_json_end(json);
}

static void put_sections(struct tc_json *json, struct tc_job *job)
{
	tc_json_sections(json, job, TC_SECTION_OF_STORE, NULL);
}

static void put_import(struct tc_json *json, struct tc_job *job)
{
	tc_json_section(json, job, "import-log", NULL);
}

static void put_left_out(struct tc_json *json, struct tc_job *job)
{
	struct tc_rows rows = tc_rows_open(job->ctx, job->db, tc_left_out_sql);

	tc_json_array(json, "left_out");
	while (tc_rows_next(&rows)) {
		tc_json_object(json, NULL);
		tc_json_columns(json, &rows, 2);
		tc_json_end(json);
	}
	tc_json_end(json);
}

void tc_render_json(struct tc_job *job)
{
	static void (*const parts[])(struct tc_json *, struct tc_job *) = {put_traces, put_jobs,
		put_first_metrics, put_steps, put_sections, put_advice, put_plan};
	struct tc_json json = {.sink = &job->sink};

	if (job->options.summary) {
		put_summary(job);
		return;
	}
	if (job->options.rank >= 0) {
		tc_fail(job->ctx, TC_ERR_USAGE,
			"--rank is not for JSON, which holds every rank: choose by rank in "
			"traces[], or give the trace of that rank alone");
		return;
	}
	tc_json_begin(&json, TC_REPORT_VERSION);
	for (size_t i = 0; i < TC_COUNT_OF(parts); i++)
		parts[i](&json, job);
	put_account(&json, job);
	put_settings(&json, job->advice);
	put_import(&json, job);
	put_left_out(&json, job);
	tc_json_end(&json);
}

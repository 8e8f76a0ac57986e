/* The short form of the JSON report; see members.h. */
#include "report/json/members.h"

#include "core/array.h"
#include "core/text/utf8.h"
#include "advice/advice_names.h"
#include "tracecoach/version.h"

#define TOP 5

/* Traces that are listed one by one; the others are counted. */
#define MOST_TRACES 8

/* Subjects are names from the trace, and C++ names are long. */
#define SUBJECT_BYTES 160

static int64_t top_of(const struct tc_job *job)
{
	return job->top_given ? job->options.top : TOP;
}

static void put_subject(struct tc_json *json, const struct tc_finding *finding)
{
	struct tc_text subject =
		tc_text_from(finding->evidence_count > 0 ? finding->evidence[0].subject : NULL);

	tc_json_text(
		json, "subject", subject.ptr ? tc_utf8_prefix(subject, SUBJECT_BYTES) : subject);
}

static void put_finding(struct tc_json *json, const struct tc_finding *finding)
{
	tc_json_object(json, NULL);
	tc_json_string(json, "id", finding->heuristic->id);
	tc_json_string(json, "title", finding->heuristic->title);
	tc_json_string(json, "severity", tc_severity_name(finding->severity));
	tc_json_string(json, "confidence", tc_confidence_name(finding->confidence));
	tc_json_int_if(json, "gain_ns", finding->gain_ns != TC_GAIN_NONE, finding->gain_ns);
	tc_json_real(json, "gain_pct", finding->gain_pct);
	tc_json_string(json, "advice", finding->advice);
	put_subject(json, finding);
	tc_json_end(json);
}

static void put_findings(struct tc_json *json, const struct tc_job *job, int64_t trace_id)
{
	int64_t count = 0;

	tc_json_array(json, "findings");
	for (const struct tc_finding *finding = NULL;
		(finding = tc_next_finding(job->advice, trace_id, finding)); count++)
		if (count < top_of(job))
			put_finding(json, finding);
	tc_json_end(json);
	tc_json_int(json, "more_finding_count", count > top_of(job) ? count - top_of(job) : 0);
}

/* Writes the length of a step after each fix. */
static void put_plan(struct tc_json *json, struct tc_job *job, int64_t trace_id)
{
	const struct tc_query_place place = {.trace_id = trace_id, .top = top_of(job)};

	tc_json_query(json, job, "plan",
		"SELECT fix, gain_ns, step_after_ns FROM plan WHERE trace_id = :trace"
		" ORDER BY ord LIMIT :top",
		&place);
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

	tc_json_query(json, job, "idle_by_cause",
		"SELECT cause, idle_ns FROM idle_cause WHERE trace_id = :trace AND device IS NULL"
		" AND step IS NULL ORDER BY idle_ns DESC, cause LIMIT :top",
		&place);
}

/* Writes the key metrics of the run; null for a metric that the trace does not show. */
static void put_figures(struct tc_json *json, const struct tc_view *view)
{
	static const enum tc_metric of_run[] = {TC_METRIC_WALL, TC_METRIC_STEP_MEDIAN};
	static const enum tc_metric of_device[] = {
		TC_METRIC_DEVICE_BUSY, TC_METRIC_DEVICE_WAIT, TC_METRIC_COMM_EXPOSED};
	const struct tc_metric_set *device = tc_view_device(view);

	for (size_t i = 0; i < TC_COUNT_OF(of_run); i++) {
		const struct tc_metric_cell *cell = &view->whole.run.cells[of_run[i]];
		tc_json_int_if(json, tc_metric_info(of_run[i])->name, cell->present, cell->integer);
	}
	for (size_t i = 0; i < TC_COUNT_OF(of_device); i++) {
		const struct tc_metric_cell *cell = &device->cells[of_device[i]];
		tc_json_int_if(
			json, tc_metric_info(of_device[i])->name, cell->present, cell->integer);
	}
	tc_json_int(json, "step_count", view->step_count);
	tc_json_int(json, "loss_count", view->loss_count);
}

void tc_json_verdict(struct tc_json *json, struct tc_job *job, const struct tc_view *view)
{
	struct tc_buf text = TC_BUF_EMPTY;

	tc_verdict(&text, job, view);
	tc_json_take(json, "verdict", &text);
}

static void put_trace(struct tc_json *json, struct tc_job *job, const struct tc_view *view)
{
	tc_json_object(json, NULL);
	tc_json_int(json, "id", view->id);
	tc_json_text(json, "path", view->path);
	tc_json_int_if(json, "rank", view->rank >= 0, view->rank);
	tc_json_text(json, "format", view->format);
	tc_json_text(json, "device_name", view->device_name);
	tc_json_verdict(json, job, view);
	put_figures(json, view);
	tc_json_int(json, "idle_ns", view->idle_ns);
	put_causes(json, job, view->id);
	put_findings(json, job, view->id);
	put_plan(json, job, view->id);
	put_checks(json, job->advice, view->id);
	tc_json_end(json);
}

void tc_render_json_summary(struct tc_job *job)
{
	struct tc_json json = {.sink = &job->sink};
	struct tc_views views = tc_views_all(job);
	int64_t count = 0;

	tc_json_begin(&json, TC_SUMMARY_VERSION);
	tc_json_array(&json, "traces");
	for (const struct tc_view *view; (view = tc_views_next(&views));)
		if (count++ < MOST_TRACES)
			put_trace(&json, job, view);
	tc_json_end(&json);
	tc_json_int(&json, "trace_count", count);
	tc_json_int(&json, "left_out_count",
		tc_rows_single(job->ctx, job->db, "SELECT count(*) FROM left_out", 0));
	tc_json_end(&json);
}

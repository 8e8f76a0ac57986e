/*
 * The report as JSON: everything in the text report and more, under the versioned schema of
 * docs/report.schema.json. It is streamed: steps, whose number grows with the trace, are read row
 * by row.
 */
#include "advice/advice_names.h"
#include "core/array.h"
#include "advice/evaluate/fields.h"
#include "report/json/members.h"
#include "report/sections/section.h"
#include "report/view/view.h"
#include "tracecoach/version.h"

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

/* Writes the metrics of one device as an object, or those of the run if device has no text. */
static void put_metrics(
	struct tc_json *json, struct tc_job *job, int64_t trace_id, struct tc_text device)
{
	tc_json_object(json, "metrics");
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT name, value, unit FROM metric WHERE trace_id = ?1 AND device IS ?2"
		" AND step IS NULL ORDER BY rowid",
		trace_id);
	tc_rows_bind_text(&rows, 2, device);
	while (tc_rows_next(&rows))
		put_value(json, &rows, tc_rows_text(&rows, 0), 1);
	tc_json_end(json);
}

static void put_devices(struct tc_json *json, struct tc_job *job, const struct tc_view *view)
{
	tc_json_array(json, "devices");
	for (size_t i = 0; i < view->whole.device_count; i++) {
		const char *device = view->whole.devices[i].device;
		tc_json_object(json, NULL);
		tc_json_string(json, "device", device);
		put_metrics(json, job, view->id, tc_text_from(device));
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
	tc_json_verdict(json, job, view);
	put_metrics(json, job, view->id, TC_TEXT_NONE);
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

	put_metrics(json, job, first, TC_TEXT_NONE);
}

/* Columns of steps_sql. */
enum { STEP_MEMBERS = 9, STEP_DEVICE = STEP_MEMBERS, STEP_METRIC, STEP_VALUE };

static const char steps_sql[] =
	"SELECT s.id, s.trace_id, s.number, s.name, s.ts, s.dur, s.device_ts, s.device_dur,"
	" s.is_warm_up, m.device, m.name, m.value, m.unit FROM step s"
	" LEFT JOIN metric m ON m.trace_id = s.trace_id AND m.step = s.number"
	" WHERE ?1 < 0 OR s.number = ?1"
	" ORDER BY s.id, m.device IS NOT NULL, CAST(m.device AS INTEGER), m.device, m.rowid";

/* The position in the stream of steps: the open step, and whether the metrics of a device are open
 * in it. */
struct step_state {
	bool begun; /* a step is open; id is its id */
	int64_t id;
	bool in_device;
	struct tc_buf device;
};

static void end_step(struct tc_json *json, struct step_state *state)
{
	if (!state->begun)
		return;
	tc_json_end(json); /* metrics of the step, or of its last device */
	if (state->in_device)
		tc_json_end(json);
	else
		tc_json_array(json, "devices");
	tc_json_end(json);
	tc_json_end(json);
}

static void begin_step(struct tc_json *json, struct step_state *state, const struct tc_rows *row)
{
	end_step(json, state);
	state->begun = true;
	state->id = tc_rows_int(row, 0);
	state->in_device = false;
	tc_json_object(json, NULL);
	tc_json_columns(json, row, STEP_MEMBERS);
	tc_json_object(json, "metrics");
}

static void begin_step_device(struct tc_json *json, struct step_state *state, struct tc_text device)
{
	tc_json_end(json);
	if (state->in_device)
		tc_json_end(json);
	else
		tc_json_array(json, "devices");
	state->in_device = true;
	tc_buf_reset(&state->device);
	tc_buf_append_text(&state->device, device);
	json->sink->buf.failed |= tc_buf_failed(&state->device);
	tc_json_object(json, NULL);
	tc_json_text(json, "device", device);
	tc_json_object(json, "metrics");
}

static void put_steps(struct tc_json *json, struct tc_job *job)
{
	struct step_state state = {.begun = false};

	tc_json_array(json, "steps");
	struct tc_rows rows = TC_ROWS(job->ctx, job->db, steps_sql, job->options.step);
	while (!tc_sink_dead(&job->sink) && tc_rows_next(&rows)) {
		struct tc_text device = tc_rows_text(&rows, STEP_DEVICE);
		if (!state.begun || tc_rows_int(&rows, 0) != state.id)
			begin_step(json, &state, &rows);
		if (device.ptr &&
			!(state.in_device && tc_text_equal(device, tc_buf_text(&state.device))))
			begin_step_device(json, &state, device);
		if (!tc_rows_null(&rows, STEP_METRIC))
			put_value(json, &rows, tc_rows_text(&rows, STEP_METRIC), STEP_VALUE);
	}
	end_step(json, &state);
	tc_json_end(json);
	tc_buf_clear(&state.device);
	tc_rows_close(&rows);
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

	tc_json_object(json, NULL);
	tc_json_int(json, "trace_id", finding->trace_id);
	tc_json_string(json, "id", heuristic->id);
	tc_json_string(json, "kind", tc_heuristic_kind_name(heuristic->kind));
	tc_json_string(json, "title", heuristic->title);
	tc_json_string(json, "advice", finding->advice);
	tc_json_string(json, "why", finding->why);
	tc_json_string(json, "severity", tc_severity_name(finding->severity));
	tc_json_string(json, "confidence", tc_confidence_name(finding->confidence));
	tc_json_int_if(json, "gain_ns", finding->gain_ns != TC_GAIN_NONE, finding->gain_ns);
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

/* Writes the order of fixes of each trace, and the length of a step after each fix; see the table
 * plan. */
static void put_plan(struct tc_json *json, struct tc_job *job)
{
	tc_json_query(json, job, "plan",
		"SELECT trace_id, fix, gain_ns, step_before_ns, step_after_ns, limit_piece,"
		" limit_name, limit_pct FROM plan ORDER BY trace_id, ord",
		NULL);
}

/* True if an id is listed already, for another trace. Objects with reasons differ by trace, so none
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
	tc_json_query(json, job, "import",
		"SELECT trace_id, kind, severity, byte_offset, count, message FROM import_log"
		" ORDER BY trace_id, rowid",
		NULL);
}

void tc_render_json(struct tc_job *job)
{
	static void (*const parts[])(struct tc_json *, struct tc_job *) = {put_traces, tc_json_jobs,
		put_first_metrics, put_steps, put_sections, put_advice, put_plan};
	struct tc_json json = {.sink = &job->sink};

	if (job->options.summary) {
		tc_render_json_summary(job);
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
	tc_json_query(&json, job, "left_out", tc_left_out_sql, NULL);
	tc_json_end(&json);
}

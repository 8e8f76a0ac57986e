#include "fleet/batch/state.h"

#include <string.h>

#include "advice/ranking/ranking.h"
#include "analysis/metrics.h"
#include "core/alloc.h"
#include "fleet/index/record.h"
#include "report/job.h"
#include "report/view/ranks.h"
#include "advice/advice_names.h"
#include "core/array.h"
#include "core/text/utf8.h"
#include "core/context.h"
#include "store/connection.h"

/* Bytes of a subject or message to keep: enough to recognise it. */
enum { SUBJECT_BYTES = 100, MESSAGE_BYTES = 200 };

void tc_trace_rows_end(struct tc_trace_rows *trace, const char *state, const char *reason)
{
	trace->state = trace->is_unreadable ? "stopped" : state;
	tc_free(trace->reason);
	trace->reason = tc_string_dup(reason);
}

static bool is_done(const struct tc_trace_rows *trace)
{
	return !trace->state && trace->trace_id >= 0;
}

/* Traces and left-out inputs come in the order in which they were given, so each search continues
 * where the last one ended. */
static struct tc_trace_rows *find_path(struct tc_job_rows *rows, size_t *next, struct tc_text path)
{
	for (; *next < rows->count; ++*next)
		if (tc_text_equal(tc_text_from(rows->traces[*next].full_path), path))
			return &rows->traces[(*next)++];
	return NULL;
}

/* The number of the trace with an id of the store, or -1. Ids ascend with the traces. */
static int64_t trace_of(const struct tc_job_rows *rows, int64_t trace_id)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->traces[i].trace_id == trace_id)
			return (int64_t)i;
	return -1;
}

enum tc_status tc_job_rows_ask(struct tc_job_rows *rows, struct tc_store *store)
{
	sqlite3 *db = tc_store_db(store);
	struct tc_trace_rows *trace;
	size_t next = 0;
	struct tc_rows row = tc_rows_open(rows->ctx, db, "SELECT path, id FROM trace ORDER BY id");

	while (tc_rows_next(&row))
		if ((trace = find_path(rows, &next, tc_rows_text(&row, 0))))
			trace->trace_id = tc_rows_int(&row, 1);
	next = 0;
	row = tc_rows_open(rows->ctx, db, "SELECT path, reason FROM left_out ORDER BY id");
	while (tc_rows_next(&row))
		if ((trace = find_path(rows, &next, tc_rows_text(&row, 0))))
			tc_trace_rows_end(trace, "failed", tc_rows_text(&row, 1).ptr);
	row = tc_rows_open(rows->ctx, db, "SELECT trace_id, job_id FROM job_rank");
	while (tc_rows_next(&row)) {
		int64_t rank = trace_of(rows, tc_rows_int(&row, 0));
		if (rank >= 0)
			rows->traces[rank].group = trace_of(rows, tc_rows_int(&row, 1));
	}
	return tc_ctx_status(rows->ctx);
}

/* Collects the rows of a trace. */
struct recorder {
	struct tc_job_rows *rows;
	struct tc_trace_rows *trace;
	struct tc_buf *record;
	sqlite3 *db;
	const struct tc_advice *advice;
};

/* Starts a query about the trace. */
static struct tc_rows open_rows(const struct recorder *recorder, const char *sql)
{
	return TC_ROWS(recorder->rows->ctx, recorder->db, sql, recorder->trace->trace_id);
}

static const char trace_sql[] =
	"SELECT format, vendor, device_name, rank, world_size, NULL,"
	" coalesce(base_time_ns, 0) + start_ns, coalesce(base_time_ns, 0) + end_ns, event_count,"
	" read_bytes, NULL, NULL, NULL FROM trace WHERE id = ?1";

static void judge(const struct recorder *recorder)
{
	struct tc_gain_trace trace = {0};

	tc_gain_trace_load(&trace, recorder->rows->ctx, recorder->db, recorder->trace->trace_id, 0);
	recorder->trace->is_judged = trace.judges;
}

/* A trace that is not done has only what precedes its format. */
static void record_trace(struct recorder *recorder)
{
	const struct tc_trace_rows *trace = recorder->trace;
	struct tc_sql_value values[TC_TRACE_VALUES] = {tc_sql_string(trace->path),
		tc_sql_int(trace->size_bytes), tc_sql_int(trace->mtime_ns),
		tc_sql_int(trace->content_hash), tc_sql_int(trace->side_hash),
		tc_sql_string(trace->state ? trace->state : "done"), tc_sql_string(trace->reason)};
	struct tc_rows row = {0};

	if (is_done(trace)) {
		row = open_rows(recorder, trace_sql);
		bool is_there = tc_rows_next(&row);
		for (int i = TC_TRACE_FORMAT; is_there && i < TC_TRACE_VALUES; i++)
			values[i] = tc_sql_column(row.stmt, i - TC_TRACE_FORMAT);
		values[TC_TRACE_GROUP] = tc_sql_id(trace->group);
		judge(recorder);
		values[TC_TRACE_JUDGED] = tc_sql_int(trace->is_judged);
		values[TC_TRACE_BLIND] = tc_sql_int(tc_count_outcome(
			recorder->advice, trace->trace_id, TC_OUTCOME_NOT_APPLICABLE));
		values[TC_TRACE_FAULTS] = tc_sql_int(
			tc_count_outcome(recorder->advice, trace->trace_id, TC_OUTCOME_FAILED));
	}
	tc_record_add(recorder->record, TC_ROW_TRACE, values, TC_TRACE_VALUES);
	tc_rows_close(&row); /* which owns the texts */
}

/* The number of a metric by name, searched from *at on, as rows come in the order of the table. */
static int metric_of(int *at, struct tc_text name)
{
	for (int i = 0; i < TC_METRIC_COUNT; i++) {
		int metric = (*at + i) % TC_METRIC_COUNT;
		if (tc_text_equal(
			    tc_text_from(tc_metric_info((enum tc_metric)metric)->name), name)) {
			*at = metric + 1;
			return metric;
		}
	}
	return -1;
}

/* Adds the metrics in the order of their numbers, as an index has them. */
static void record_metrics(struct recorder *recorder)
{
	struct tc_sql_value metrics[TC_METRIC_COUNT] = {{0}}; /* NULL where the trace lacks it */
	int next = 0;
	struct tc_rows row = open_rows(recorder,
		"SELECT name, value FROM metric"
		" WHERE trace_id = ?1 AND step IS NULL AND device IS NULL ORDER BY rowid");

	while (tc_rows_next(&row)) {
		int metric = metric_of(&next, tc_rows_text(&row, 0));
		if (metric >= 0)
			metrics[metric] = tc_sql_column(row.stmt, 1); /* a number */
	}
	for (int i = 0; i < TC_METRIC_COUNT; i++) {
		const struct tc_sql_value values[] = {tc_sql_int(i), metrics[i]};
		if (metrics[i].kind != TC_SQL_NULL)
			tc_record_add(recorder->record, TC_ROW_METRIC, values, TC_METRIC_VALUES);
	}
	recorder->trace->step_ns = metrics[TC_METRIC_STEP_MEAN].i64;
	recorder->trace->wall_ns = metrics[TC_METRIC_WALL].i64;
}

static int64_t heuristic_number(
	const struct tc_settings *settings, const struct tc_heuristic *heuristic)
{
	const struct tc_heuristic *at;

	for (size_t i = 0; (at = tc_heuristic_at(settings, i)); i++)
		if (at == heuristic)
			return (int64_t)i;
	return -1;
}

static void record_findings(struct recorder *recorder)
{
	const struct tc_advice *advice = recorder->advice;
	int64_t ord = 0;

	for (const struct tc_finding *finding = NULL;
		(finding = tc_next_finding(advice, recorder->trace->trace_id, finding));) {
		bool has_gain = finding->gain_ns != TC_GAIN_NONE;
		struct tc_text subject = tc_text_from(
			finding->evidence_count > 0 ? finding->evidence[0].subject : NULL);
		const struct tc_sql_value values[] = {tc_sql_int(++ord),
			tc_sql_int(heuristic_number(recorder->rows->settings, finding->heuristic)),
			tc_sql_string(tc_severity_name(finding->severity)),
			tc_sql_string(tc_confidence_name(finding->confidence)),
			tc_sql_int_if(has_gain, finding->gain_ns),
			tc_sql_text(tc_utf8_prefix(subject, SUBJECT_BYTES))};
		tc_record_add(recorder->record, TC_ROW_FINDING, values, TC_FINDING_VALUES);
	}
}

static void record_log(struct recorder *recorder)
{
	struct tc_sql_value values[TC_LOG_VALUES];
	/* SQLite takes message from the row of min(). */
	struct tc_rows row = open_rows(recorder,
		"SELECT kind, severity, sum(count), message, min(rowid) FROM import_log"
		" WHERE trace_id = ?1 AND severity IN ('data_loss', 'error')"
		" GROUP BY kind, severity ORDER BY kind, severity");

	while (tc_rows_next(&row)) {
		for (int i = 0; i < TC_LOG_VALUES; i++)
			values[i] = tc_sql_column(row.stmt, i);
		if (values[3].kind == TC_SQL_TEXT)
			values[3].text = tc_utf8_prefix(values[3].text, MESSAGE_BYTES);
		tc_record_add(recorder->record, TC_ROW_LOG, values, TC_LOG_VALUES);
	}
}

static int drop_bytes(void *user, const char *bytes, size_t len)
{
	(void)user;
	(void)bytes;
	(void)len;
	return 0;
}

/* A trace with a verdict comes first, then one with steps; then the longer time counts. */
static bool is_slower(const struct tc_trace_rows *a, const struct tc_trace_rows *b)
{
	if (a->is_judged != b->is_judged)
		return a->is_judged;
	if ((a->step_ns > 0) != (b->step_ns > 0))
		return a->step_ns > 0;
	return a->step_ns > 0 ? a->step_ns > b->step_ns : a->wall_ns > b->wall_ns;
}

/* Of ranks, only the one that sets the pace may stand for the job; every other trace may. */
static int64_t choose_pace(const struct tc_job_rows *rows, const bool *is_pace)
{
	int64_t best = -1;

	for (size_t i = 0; i < rows->count; i++) {
		const struct tc_trace_rows *trace = &rows->traces[i];
		if (!is_done(trace) || (trace->group >= 0 && !is_pace[i]))
			continue;
		if (best < 0 || is_slower(trace, &rows->traces[best]))
			best = (int64_t)i;
	}
	return best;
}

static void find_pace(
	struct tc_job_rows *rows, struct tc_store *store, const struct tc_advice *advice)
{
	bool *is_pace = tc_calloc(rows->count, sizeof(*is_pace));
	struct tc_job job = {.ctx = rows->ctx,
		.db = tc_store_db(store),
		.advice = advice,
		.options = {.step = -1, .rank = -1},
		.sink = {.write = drop_bytes}};
	struct tc_ranks_list list = tc_ranks_all(&job);

	if (!is_pace)
		tc_no_memory(rows->ctx);
	for (const struct tc_ranks *ranks; (ranks = tc_ranks_next(&list));) {
		int64_t trace = trace_of(rows, ranks->lines[ranks->pace].trace_id);
		if (trace >= 0)
			is_pace[trace] = true;
	}
	if (tc_job_end(&job) == TC_OK)
		rows->pace = choose_pace(rows, is_pace);
	tc_free(is_pace);
}

/* The row of the job precedes those of the traces but is made last, because it needs their
 * facts. */
enum tc_status tc_job_rows_record(struct tc_buf *record, struct tc_job_rows *rows,
	struct tc_store *store, const struct tc_advice *advice)
{
	struct tc_buf traces = TC_BUF_EMPTY;
	struct recorder recorder = {.rows = rows,
		.record = &traces,
		.db = store ? tc_store_db(store) : NULL,
		.advice = advice};

	for (size_t i = 0; i < rows->count; i++) {
		recorder.trace = &rows->traces[i];
		record_trace(&recorder);
		if (!is_done(recorder.trace))
			continue;
		record_metrics(&recorder);
		record_findings(&recorder);
		record_log(&recorder);
	}
	rows->pace = -1;
	if (store)
		find_pace(rows, store, advice);
	const struct tc_sql_value job[TC_JOB_VALUES] = {tc_sql_string(rows->path),
		tc_sql_string(rows->pace < 0 ? "failed" : "done"), tc_sql_null(),
		tc_sql_id(rows->pace)};
	tc_record_add(record, TC_ROW_JOB, job, TC_JOB_VALUES);
	tc_buf_append_text(record, tc_buf_text(&traces));
	tc_buf_end(record, &traces);
	return tc_ctx_status(rows->ctx);
}

void tc_job_rows_clear(struct tc_job_rows *rows)
{
	for (size_t i = 0; rows->traces && i < rows->count; i++) {
		tc_free(rows->traces[i].full_path);
		tc_free(rows->traces[i].reason);
	}
	tc_free(rows->traces);
	rows->traces = NULL;
}

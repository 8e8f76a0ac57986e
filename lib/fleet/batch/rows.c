/* See rows.h. */
#include "fleet/batch/rows.h"

#include <string.h>

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

enum tc_status tc_trace_rows_end(struct tc_trace_rows *trace, const char *state, const char *reason)
{
	trace->state = trace->is_unreadable ? "stopped" : state;
	tc_free(trace->reason);
	trace->reason = tc_string_dup(reason);
	return TC_OK;
}

static bool is_done(const struct tc_trace_rows *trace)
{
	return !trace->state && trace->trace_id >= 0;
}

/* Traces and left-out inputs come in the order in which they were given, so each search continues
 * where the last one ended. */
struct search {
	struct tc_job_rows *rows;
	size_t next;
};

static struct tc_trace_rows *find_path(struct search *search, const char *path)
{
	for (; search->next < search->rows->count; search->next++)
		if (strcmp(search->rows->traces[search->next].full_path, path) == 0)
			return &search->rows->traces[search->next++];
	return NULL;
}

static enum tc_status take_trace(void *user, sqlite3_stmt *row)
{
	struct tc_trace_rows *trace = find_path(user, (const char *)sqlite3_column_text(row, 1));

	if (trace)
		trace->trace_id = sqlite3_column_int64(row, 0);
	return TC_OK;
}

static enum tc_status take_left_out(void *user, sqlite3_stmt *row)
{
	struct tc_trace_rows *trace = find_path(user, (const char *)sqlite3_column_text(row, 0));

	if (trace)
		tc_trace_rows_end(trace, "failed", (const char *)sqlite3_column_text(row, 1));
	return TC_OK;
}

/* The number of the trace with an id of the store, or -1. Ids ascend with the traces. */
static int64_t trace_of(const struct tc_job_rows *rows, int64_t trace_id)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->traces[i].trace_id == trace_id)
			return (int64_t)i;
	return -1;
}

static enum tc_status take_rank(void *user, sqlite3_stmt *row)
{
	struct tc_job_rows *rows = user;
	int64_t trace = trace_of(rows, sqlite3_column_int64(row, 0));

	if (trace >= 0)
		rows->traces[trace].group = trace_of(rows, sqlite3_column_int64(row, 1));
	return TC_OK;
}

enum tc_status tc_job_rows_ask(struct tc_job_rows *rows, struct tc_store *store)
{
	struct search traces = {rows, 0}, left_out = {rows, 0};
	sqlite3 *db = tc_store_db(store);
	enum tc_status status = tc_sql_each(
		rows->ctx, db, "SELECT id, path FROM trace ORDER BY id", NULL, take_trace, &traces);

	for (size_t i = 0; i < rows->count; i++)
		rows->traces[i].group = -1;
	if (!status)
		status = tc_sql_each(rows->ctx, db, "SELECT path, reason FROM left_out ORDER BY id",
			NULL, take_left_out, &left_out);
	return status ? status
		      : tc_sql_each(rows->ctx, db, "SELECT trace_id, job_id FROM job_rank", NULL,
				take_rank, rows);
}

/* Collects the rows of a trace. */
struct recorder {
	struct tc_job_rows *rows;
	struct tc_trace_rows *trace;
	struct tc_buf *record;
	sqlite3 *db;
	const struct tc_advice *advice;
	int metric;                                   /* where the search for the next one starts */
	struct tc_sql_value metrics[TC_METRIC_COUNT]; /* NULL where the trace lacks it */
};

static enum tc_status take_trace_row(void *user, sqlite3_stmt *row)
{
	struct tc_sql_value *values = user;

	for (int i = 0; i < TC_TRACE_VALUES - TC_TRACE_FORMAT; i++)
		values[TC_TRACE_FORMAT + i] = tc_sql_column(row, i);
	return TC_OK;
}

static const char trace_sql[] =
	"SELECT format, vendor, device_name, rank, world_size, NULL,"
	" coalesce(base_time_ns, 0) + start_ns, coalesce(base_time_ns, 0) + end_ns, event_count,"
	" read_bytes, NULL, NULL FROM trace WHERE id = ?1";

/* The first row of a trace in the account, which is ordered by trace. */
static size_t first_account(const struct tc_advice *advice, int64_t trace_id)
{
	size_t at;

	TC_BISECT(at, advice->account_count, advice->account[at].trace_id < trace_id);
	return at;
}

static int64_t count_outcome(const struct recorder *recorder, enum tc_outcome outcome)
{
	const struct tc_advice *advice = recorder->advice;
	int64_t trace_id = recorder->trace->trace_id, count = 0;

	for (size_t i = first_account(advice, trace_id);
		i < advice->account_count && advice->account[i].trace_id == trace_id; i++)
		count += advice->account[i].outcome == outcome;
	return count;
}

/* SQLite owns the texts of the row until the next step, so the row is recorded here. */
static enum tc_status record_store_row(void *user, sqlite3_stmt *row)
{
	struct recorder *recorder = user;
	const struct tc_trace_rows *trace = recorder->trace;
	struct tc_sql_value values[TC_TRACE_VALUES] = {tc_sql_string(trace->path),
		tc_sql_int(trace->size_bytes), tc_sql_int(trace->mtime_ns),
		tc_sql_int(trace->content_hash), tc_sql_int(trace->side_hash),
		tc_sql_string("done"), tc_sql_null()};

	take_trace_row(values, row);
	values[TC_TRACE_GROUP] = tc_sql_id(trace->group);
	values[TC_TRACE_BLIND] = tc_sql_int(count_outcome(recorder, TC_OUTCOME_NOT_APPLICABLE));
	values[TC_TRACE_FAULTS] = tc_sql_int(count_outcome(recorder, TC_OUTCOME_FAILED));
	tc_record_add(recorder->record, TC_ROW_TRACE, values, TC_TRACE_VALUES);
	return TC_OK;
}

/* The number of a metric by name, searched from *at on, as rows come in the order of the table. */
static int metric_of(int *at, const char *name)
{
	for (int i = 0; i < TC_METRIC_COUNT; i++) {
		int metric = (*at + i) % TC_METRIC_COUNT;
		if (strcmp(tc_metric_info((enum tc_metric)metric)->name, name) == 0) {
			*at = metric + 1;
			return metric;
		}
	}
	return -1;
}

static enum tc_status take_metric(void *user, sqlite3_stmt *row)
{
	struct recorder *recorder = user;
	int metric = metric_of(&recorder->metric, (const char *)sqlite3_column_text(row, 0));

	if (metric >= 0)
		recorder->metrics[metric] = tc_sql_column(row, 1); /* a number */
	return TC_OK;
}

/* Adds the metrics in the order of their numbers, as an index has them. */
static enum tc_status record_metrics(struct recorder *recorder, const struct tc_sql_value *id)
{
	struct tc_sql_value *metrics = recorder->metrics;

	for (int i = 0; i < TC_METRIC_COUNT; i++)
		metrics[i] = tc_sql_null();
	enum tc_status status = tc_sql_each(recorder->rows->ctx, recorder->db,
		"SELECT name, value FROM metric"
		" WHERE trace_id = ?1 AND step IS NULL AND device IS NULL ORDER BY rowid",
		id, take_metric, recorder);
	for (int i = 0; i < TC_METRIC_COUNT; i++) {
		const struct tc_sql_value values[] = {tc_sql_int(i), metrics[i]};
		if (metrics[i].kind != TC_SQL_NULL)
			tc_record_add(recorder->record, TC_ROW_METRIC, values, TC_METRIC_VALUES);
	}
	recorder->trace->step_ns = metrics[TC_METRIC_STEP_MEAN].i64;
	recorder->trace->wall_ns = metrics[TC_METRIC_WALL].i64;
	return status;
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

	for (size_t i = 0; i < advice->finding_count; i++) {
		const struct tc_finding *finding = &advice->findings[i];
		if (finding->trace_id != recorder->trace->trace_id)
			continue;
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

static enum tc_status record_log(void *user, sqlite3_stmt *row)
{
	struct recorder *recorder = user;
	struct tc_sql_value values[TC_LOG_VALUES];

	for (int i = 0; i < TC_LOG_VALUES; i++)
		values[i] = tc_sql_column(row, i);
	if (values[3].kind == TC_SQL_TEXT)
		values[3].text = tc_utf8_prefix(values[3].text, MESSAGE_BYTES);
	tc_record_add(recorder->record, TC_ROW_LOG, values, TC_LOG_VALUES);
	return TC_OK;
}

static enum tc_status record_done(struct recorder *recorder)
{
	struct tc_ctx *ctx = recorder->rows->ctx;
	const struct tc_sql_value id = tc_sql_int(recorder->trace->trace_id);
	enum tc_status status =
		tc_sql_each(ctx, recorder->db, trace_sql, &id, record_store_row, recorder);

	if (!status)
		status = record_metrics(recorder, &id);
	if (!status) {
		record_findings(recorder);
		/* SQLite takes message from the row of min(). */
		status = tc_sql_each(ctx, recorder->db,
			"SELECT kind, severity, sum(count), message, min(rowid) FROM import_log"
			" WHERE trace_id = ?1 AND severity IN ('data_loss', 'error')"
			" GROUP BY kind, severity ORDER BY kind, severity",
			&id, record_log, recorder);
	}
	return status;
}

static void record_other(struct recorder *recorder)
{
	const struct tc_trace_rows *trace = recorder->trace;
	struct tc_sql_value values[TC_TRACE_VALUES] = {tc_sql_string(trace->path),
		tc_sql_int(trace->size_bytes), tc_sql_int(trace->mtime_ns),
		tc_sql_int(trace->content_hash), tc_sql_int(trace->side_hash),
		tc_sql_string(trace->state), tc_sql_string(trace->reason)};

	for (int i = TC_TRACE_FORMAT; i < TC_TRACE_VALUES; i++)
		values[i] = tc_sql_null();
	tc_record_add(recorder->record, TC_ROW_TRACE, values, TC_TRACE_VALUES);
}

/* Result of tc_ranks_each(): which traces set the pace of their ranks. */
struct paces {
	struct tc_job_rows *rows;
	bool *is_pace; /* by trace */
};

static void take_pace(struct tc_job *job, const struct tc_ranks *ranks)
{
	struct paces *paces = job->state;
	int64_t trace = trace_of(paces->rows, ranks->lines[ranks->pace].trace_id);

	if (trace >= 0)
		paces->is_pace[trace] = true;
}

static void each_rank(struct tc_job *job)
{
	tc_ranks_each(job, take_pace);
}

static int drop_bytes(void *user, const char *bytes, size_t len)
{
	(void)user;
	(void)bytes;
	(void)len;
	return 0;
}

/* A trace with steps comes before one with only a wall time; then the longer time counts. */
static bool is_slower(const struct tc_trace_rows *a, const struct tc_trace_rows *b)
{
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

static enum tc_status find_pace(
	struct tc_job_rows *rows, struct tc_store *store, const struct tc_advice *advice)
{
	struct paces paces = {rows, tc_calloc(rows->count, sizeof(bool))};
	struct tc_job job = {.ctx = rows->ctx,
		.db = tc_store_db(store),
		.advice = advice,
		.options = {.step = -1, .rank = -1},
		.sink = {.write = drop_bytes},
		.state = &paces};
	enum tc_status status =
		paces.is_pace ? tc_job_run(&job, each_rank) : tc_no_memory(rows->ctx);

	if (!status)
		rows->pace = choose_pace(rows, paces.is_pace);
	tc_free(paces.is_pace);
	return status;
}

/* Records the traces. The row of the job precedes them but is made last, because it needs their
 * facts. */
static enum tc_status record_traces(struct tc_buf *record, struct tc_job_rows *rows,
	struct tc_store *store, const struct tc_advice *advice)
{
	struct recorder recorder = {.rows = rows,
		.record = record,
		.db = store ? tc_store_db(store) : NULL,
		.advice = advice};
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < rows->count && !status; i++) {
		recorder.trace = &rows->traces[i];
		if (is_done(recorder.trace))
			status = record_done(&recorder);
		else
			record_other(&recorder);
	}
	return status;
}

enum tc_status tc_job_rows_record(struct tc_buf *record, struct tc_job_rows *rows,
	struct tc_store *store, const struct tc_advice *advice)
{
	struct tc_buf traces = TC_BUF_EMPTY;
	enum tc_status status = record_traces(&traces, rows, store, advice);

	rows->pace = -1;
	if (!status && store)
		status = find_pace(rows, store, advice);
	const struct tc_sql_value job[TC_JOB_VALUES] = {tc_sql_string(rows->path),
		tc_sql_string(rows->pace < 0 ? "failed" : "done"), tc_sql_null(),
		tc_sql_id(rows->pace)};
	tc_record_add(record, TC_ROW_JOB, job, TC_JOB_VALUES);
	tc_buf_append_text(record, tc_buf_text(&traces));
	tc_buf_end(record, &traces);
	return status;
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

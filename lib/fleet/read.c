/*
 * Reads one job: its traces into a store, and the facts for the index into a record, with the files
 * that a batch keeps of a job. It runs in a process of its own, because a trace may kill it. The
 * parent is told about each trace before the trace is opened.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "advice/advice_names.h"
#include "advice/ranking/ranking.h"
#include "analysis/metrics.h"
#include "core/alloc.h"
#include "core/context.h"
#include "core/files/files.h"
#include "core/text/utf8.h"
#include "fleet/batch.h"
#include "report/job.h"
#include "report/view/ranks.h"
#include "store/connection.h"
#include "tracecoach/advice.h"
#include "tracecoach/import.h"
#include "tracecoach/output.h"
#include "tracecoach/report.h"

/* Facts about a trace that its store does not have. */
struct trace_rows {
	const char *path; /* below the root */
	char *full_path;
	int64_t size_bytes, mtime_ns, changed_ns, content_hash, side_hash;
	/* the file could not be read; that may change while the file stays the same */
	bool is_unreadable;
	const char *state; /* NULL: done, or not known yet */
	char *reason;
	int64_t trace_id; /* in the store, or -1 */
	int64_t group;    /* first trace of the ranks recorded with it, or -1 */
	bool is_judged;   /* its report has a verdict */
	int64_t step_ns, wall_ns;
};

struct job_rows {
	struct tc_ctx *ctx;
	const struct tc_settings *settings;
	const char *path;
	struct trace_rows *traces;
	size_t count;
	int64_t pace; /* number of the trace that stands for the job, or -1 */
};

/* Bytes of a subject or message to keep: enough to recognise it. */
enum { SUBJECT_BYTES = 100, MESSAGE_BYTES = 200 };

/* Sets the state of a trace that is not done. Without memory the reason is missing. */
static void end_trace(struct trace_rows *trace, const char *state, const char *reason)
{
	trace->state = trace->is_unreadable ? "stopped" : state;
	tc_free(trace->reason);
	trace->reason = tc_string_dup(reason);
}

static bool is_done(const struct trace_rows *trace)
{
	return !trace->state && trace->trace_id >= 0;
}

/* Traces and left-out inputs come in the order in which they were given, so each search continues
 * where the last one ended. */
static struct trace_rows *find_path(struct job_rows *rows, size_t *next, struct tc_text path)
{
	for (; *next < rows->count; ++*next)
		if (tc_text_equal(tc_text_from(rows->traces[*next].full_path), path))
			return &rows->traces[(*next)++];
	return NULL;
}

/* The number of the trace with an id of the store, or -1. Ids ascend with the traces. */
static int64_t trace_of(const struct job_rows *rows, int64_t trace_id)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->traces[i].trace_id == trace_id)
			return (int64_t)i;
	return -1;
}

/* Reads from a store which traces it has, why others are missing, which are ranks of one job, and
 * which one stands for the job. */
static void ask_store(struct job_rows *rows, struct tc_store *store)
{
	sqlite3 *db = tc_store_db(store);
	struct trace_rows *trace;
	size_t next = 0;
	struct tc_rows row = tc_rows_open(rows->ctx, db, "SELECT path, id FROM trace ORDER BY id");

	while (tc_rows_next(&row))
		if ((trace = find_path(rows, &next, tc_rows_text(&row, 0))))
			trace->trace_id = tc_rows_int(&row, 1);
	next = 0;
	row = tc_rows_open(rows->ctx, db, "SELECT path, reason FROM left_out ORDER BY id");
	while (tc_rows_next(&row))
		if ((trace = find_path(rows, &next, tc_rows_text(&row, 0))))
			end_trace(trace, "failed", tc_rows_text(&row, 1).ptr);
	row = tc_rows_open(rows->ctx, db, "SELECT trace_id, job_id FROM job_rank");
	while (tc_rows_next(&row)) {
		int64_t rank = trace_of(rows, tc_rows_int(&row, 0));
		if (rank >= 0)
			rows->traces[rank].group = trace_of(rows, tc_rows_int(&row, 1));
	}
}

/* Collects the rows of a trace. */
struct recorder {
	struct job_rows *rows;
	struct trace_rows *trace;
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
	const struct trace_rows *trace = recorder->trace;
	struct tc_sql_value values[TC_TRACE_VALUES] = {tc_sql_string(trace->path),
		tc_sql_int(trace->size_bytes), tc_sql_int(trace->mtime_ns),
		tc_sql_int(trace->content_hash), tc_sql_int(trace->side_hash),
		tc_sql_string(trace->state ? trace->state : "done"), tc_sql_string(trace->reason)};
	struct tc_rows row = {0};

	if (is_done(trace)) {
		row = open_rows(recorder, trace_sql);
		bool is_there = tc_rows_next(&row);
		for (int i = TC_TRACE_FORMAT; is_there && i < TC_TRACE_VALUES; i++)
			values[i] = tc_rows_value(&row, i - TC_TRACE_FORMAT);
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
			metrics[metric] = tc_rows_value(&row, 1); /* a number */
	}
	for (int i = 0; i < TC_METRIC_COUNT; i++) {
		const struct tc_sql_value values[] = {tc_sql_int(i), metrics[i]};
		if (metrics[i].kind != TC_SQL_NULL)
			tc_record_add(recorder->record, TC_ROW_METRIC, values, TC_METRIC_VALUES);
	}
	recorder->trace->step_ns = metrics[TC_METRIC_STEADY_MEDIAN].i64;
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
			has_gain ? tc_sql_real(finding->gain_pct) : tc_sql_null(),
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
			values[i] = tc_rows_value(&row, i);
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
static bool is_slower(const struct trace_rows *a, const struct trace_rows *b)
{
	if (a->is_judged != b->is_judged)
		return a->is_judged;
	if ((a->step_ns > 0) != (b->step_ns > 0))
		return a->step_ns > 0;
	return a->step_ns > 0 ? a->step_ns > b->step_ns : a->wall_ns > b->wall_ns;
}

/* Among ranks, only the one that sets the pace may stand for the job; a trace that is no rank
 * always may. */
static int64_t choose_pace(const struct job_rows *rows, const bool *is_pace)
{
	int64_t best = -1;

	for (size_t i = 0; i < rows->count; i++) {
		const struct trace_rows *trace = &rows->traces[i];
		if (!is_done(trace) || (trace->group >= 0 && !is_pace[i]))
			continue;
		if (best < 0 || is_slower(trace, &rows->traces[best]))
			best = (int64_t)i;
	}
	return best;
}

static void find_pace(struct job_rows *rows, struct tc_store *store, const struct tc_advice *advice)
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

/* Appends the record of the job. store and advice may be NULL when no trace is in a store. The row
 * of the job precedes those of the traces but is made last, because it needs their facts. */
static void record_job(struct tc_buf *record, struct job_rows *rows, struct tc_store *store,
	const struct tc_advice *advice)
{
	struct tc_buf traces = {.ctx = rows->ctx};
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
}

static void clear_rows(struct job_rows *rows)
{
	for (size_t i = 0; rows->traces && i < rows->count; i++) {
		tc_free(rows->traces[i].full_path);
		tc_free(rows->traces[i].reason);
	}
	tc_free(rows->traces);
	rows->traces = NULL;
}

/* ---- Files that are kept. */

/* The format of each report, after a dot. */
enum { KEPT_REPORTS = 2 };
static const char *const report_ends[KEPT_REPORTS] = {".json", ".html"};

/* Files of a job besides its rows: the store, the JSON report and the HTML page, as far as the user
 * wants them. */
struct keep {
	struct tc_ctx *ctx;
	char *store_path, *report_paths[KEPT_REPORTS]; /* NULL when it is not kept */
};

/* Makes the directories above a path. */
static void make_directories(struct tc_ctx *ctx, char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash && !tc_ctx_failed(ctx);
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			tc_fail_errno(ctx, TC_ERR_IO, errno, TC_TO_WRITE, "cannot make %s", path);
		*slash = '/';
	}
}

/* Chooses the paths below OUT/jobs and makes their directories. */
static void open_keep(
	struct keep *keep, const struct tc_fleet *batch, const struct tc_found_job *job)
{
	*keep = (struct keep){.ctx = batch->ctx};
	if (!batch->options.keep_stores)
		return;
	keep->store_path = tc_fleet_kept_path(batch, job, ".db");
	bool has_all = keep->store_path;
	for (int i = 0; i < KEPT_REPORTS; i++) {
		keep->report_paths[i] = tc_fleet_kept_path(batch, job, report_ends[i]);
		has_all &= keep->report_paths[i] != NULL;
	}
	if (has_all)
		make_directories(batch->ctx, keep->store_path);
	else
		tc_no_memory(batch->ctx);
}

static const struct tc_renderer *find_renderer(const char *name)
{
	size_t count;
	const struct tc_renderer *renderer = tc_renderers(&count);

	while (strcmp(renderer->name, name) != 0)
		renderer++;
	return renderer;
}

/* Writes the wanted reports of a store. */
static void write_reports(struct keep *keep, struct tc_store *store, const struct tc_advice *advice)
{
	const struct tc_report_options options = {0};

	for (int i = 0; i < KEPT_REPORTS && keep->report_paths[i]; i++) {
		struct tc_output *output = NULL;
		const struct tc_renderer *renderer = find_renderer(report_ends[i] + 1);
		if (tc_ctx_failed(keep->ctx) ||
			tc_output_open(&output, keep->ctx, keep->report_paths[i],
				keep->store_path) != TC_OK)
			return;
		tc_output_close(output, renderer->render(keep->ctx, store, advice, &options,
						tc_output_write, output));
	}
}

static void clear_keep(struct keep *keep)
{
	tc_free(keep->store_path);
	for (int i = 0; i < KEPT_REPORTS; i++)
		tc_free(keep->report_paths[i]);
	*keep = (struct keep){0};
}

/* ---- Reading. */

struct reading {
	struct tc_fleet *batch;
	const struct tc_found_job *job;
	const struct tc_fleet_job *known;
	struct job_rows rows;
	const char **inputs;  /* full paths of the traces that are read */
	size_t *input_traces; /* the trace of each input */
	size_t input_count;
	const struct tc_fleet_reader *reader;
	char *failure; /* what the system could not do; NULL while it could */
};

static int64_t changed_ns(const struct stat *file)
{
	return (int64_t)file->st_ctim.tv_sec * 1000000000 + file->st_ctim.tv_nsec;
}

/* Facts about a trace before it is read: the key that decides whether to read it next time. */
static void look_at(struct reading *reading, size_t index)
{
	const struct tc_found_trace *found = &reading->job->traces[index];
	struct trace_rows *trace = &reading->rows.traces[index];
	struct tc_buf path = {.ctx = reading->batch->ctx};
	struct stat file;

	if (!tc_found_path(&path, reading->batch->found->root, found->path))
		return;
	trace->full_path = tc_buf_take_string(&path);
	trace->path = found->path;
	trace->trace_id = trace->group = -1;
	if (stat(trace->full_path, &file) == 0 && S_ISREG(file.st_mode)) {
		trace->size_bytes = file.st_size;
		trace->mtime_ns = (int64_t)file.st_mtim.tv_sec * 1000000000 + file.st_mtim.tv_nsec;
		trace->changed_ns = changed_ns(&file);
	}
	trace->side_hash = (int64_t)tc_fleet_hash_side(reading->batch, trace->full_path);
	if (found->is_special) {
		end_trace(trace, "failed", "it is not a regular file");
	} else if (reading->known->stopped && reading->known->stopped[index]) {
		end_trace(trace, "stopped", reading->known->stopped[index]);
	} else {
		reading->input_traces[reading->input_count] = index;
		reading->inputs[reading->input_count++] = trace->full_path;
	}
}

static void prepare(struct reading *reading)
{
	size_t count = reading->job->trace_count;

	reading->inputs = tc_new(reading->batch->ctx, count, sizeof(*reading->inputs));
	reading->input_traces = tc_new(reading->batch->ctx, count, sizeof(*reading->input_traces));
	reading->rows.traces = tc_new(reading->batch->ctx, count, sizeof(*reading->rows.traces));
	if (!reading->inputs || !reading->input_traces || !reading->rows.traces)
		return;
	reading->rows.ctx = reading->batch->ctx;
	reading->rows.settings = reading->batch->options.settings;
	reading->rows.path = reading->job->path;
	reading->rows.count = count;
	for (size_t i = 0; i < count && !tc_ctx_failed(reading->batch->ctx); i++)
		look_at(reading, i);
}

static void hear_begin(void *user, const char *path)
{
	const struct reading *reading = user;

	for (size_t i = 0; i < reading->input_count; i++)
		if (strcmp(reading->inputs[i], path) == 0)
			reading->reader->begin(reading->reader->user, reading->input_traces[i]);
}

/* Keeps the reasons of the inputs left out, in case there is no store that has them. */
static void hear_note(void *user, enum tc_note note, const char *text)
{
	struct reading *reading = user;

	for (size_t i = 0; note == TC_NOTE_LEFT_OUT && i < reading->input_count; i++) {
		struct trace_rows *trace = &reading->rows.traces[reading->input_traces[i]];
		if (!trace->state &&
			tc_text_contains(tc_text_from(text), tc_text_from(trace->full_path)))
			end_trace(trace, "failed", text);
	}
}

/* Sets the state and reason of all traces that are not in the store and have no state yet. */
static void end_all(struct reading *reading, const char *state, const char *reason)
{
	for (size_t i = 0; i < reading->rows.count; i++)
		if (!reading->rows.traces[i].state && reading->rows.traces[i].trace_id < 0)
			end_trace(&reading->rows.traces[i], state, reason);
}

/* Whether the traces are the reason that they could not be read. */
static bool is_of_input(enum tc_status status)
{
	return status == TC_ERR_INPUT || status == TC_ERR_LIMIT || status == TC_ERR_STORE ||
	       status == TC_ERR_USAGE;
}

/* Whether something failed that is told at the end: what was read before stands, and the rows are
 * written. */
static bool put_off_failure(struct reading *reading)
{
	struct tc_ctx *ctx = reading->batch->ctx;

	if (tc_ctx_status(ctx) != TC_ERR_IO || tc_ctx_interrupted(ctx))
		return false;
	if (!reading->failure)
		reading->failure = tc_string_dup(tc_ctx_error(ctx));
	tc_ctx_clear_error(ctx);
	if (!reading->failure)
		tc_no_memory(ctx);
	return true;
}

/* A failed import is a state of the traces, not a failure of the batch; an interrupt is one. */
static void take_failure(struct reading *reading)
{
	struct tc_ctx *ctx = reading->batch->ctx;
	enum tc_status failure = tc_ctx_status(ctx);

	if (failure == TC_OK || failure == TC_ERR_INTERRUPTED || tc_ctx_interrupted(ctx))
		return;
	end_all(reading, is_of_input(failure) ? "failed" : "stopped", tc_ctx_error(ctx));
	if (!put_off_failure(reading))
		tc_ctx_clear_error(ctx);
}

/* A file that changes while it is read is read again next time. */
static void check_unchanged(struct reading *reading)
{
	for (size_t i = 0; i < reading->rows.count; i++) {
		struct trace_rows *trace = &reading->rows.traces[i];
		struct stat file;
		if (trace->trace_id < 0)
			continue;
		if (stat(trace->full_path, &file) || file.st_size != trace->size_bytes ||
			changed_ns(&file) != trace->changed_ns)
			end_trace(trace, "stopped", "it was changed while it was read");
	}
}

static void hash_all(struct reading *reading)
{
	for (size_t i = 0; i < reading->input_count; i++) {
		struct trace_rows *trace = &reading->rows.traces[reading->input_traces[i]];
		uint64_t hash;
		if (tc_fleet_hash_file(&hash, reading->batch->ctx, trace->full_path))
			trace->content_hash = (int64_t)hash;
		else
			trace->is_unreadable = true;
	}
}

/* With a job in every process, threads would only compete. */
static bool reads_inline(const struct tc_fleet *batch)
{
	return batch->options.inline_stages ||
	       (batch->options.process_count > 1 &&
		       batch->counts.wanted_job_count >= batch->options.process_count);
}

static struct tc_store *import_job(
	struct reading *reading, struct tc_advice **advice, const char *db_path)
{
	const struct tc_fleet_options *options = &reading->batch->options;
	struct tc_store *store = NULL;
	const struct tc_import_options import = {
		.inline_stages = reads_inline(reading->batch),
		.no_side_files = options->no_side_files,
		.device = options->device,
		.peaks_path = options->peaks_path,
		.settings = options->settings,
		.advice = advice,
		.begin = hear_begin,
		.begin_user = reading,
	};

	tc_ctx_set_note(reading->batch->ctx, hear_note, reading);
	tc_import(&store, reading->batch->ctx, reading->inputs, reading->input_count, db_path,
		&import);
	/* The rows of a job do not depend on room for its store. */
	if (!store && db_path && put_off_failure(reading))
		return import_job(reading, advice, NULL);
	take_failure(reading);
	return store;
}

static void read_job(struct tc_buf *record, struct reading *reading)
{
	const struct tc_ctx *ctx = reading->batch->ctx;
	struct tc_store *store = NULL;
	struct tc_advice *advice = NULL;
	struct keep keep = {0};

	open_keep(&keep, reading->batch, reading->job);
	if (put_off_failure(reading))
		clear_keep(&keep);
	hash_all(reading);
	if (!tc_ctx_failed(ctx) && reading->input_count > 0)
		store = import_job(reading, &advice, keep.store_path);
	if (store)
		ask_store(&reading->rows, store);
	if (store)
		write_reports(&keep, store, advice);
	put_off_failure(reading);
	check_unchanged(reading);
	end_all(reading, "failed", "it is the same file as another of the job");
	if (!tc_ctx_failed(ctx))
		record_job(record, &reading->rows, store, advice);
	clear_keep(&keep);
	tc_advice_free(advice);
	tc_store_close(store);
}

enum tc_status tc_fleet_read(
	struct tc_fleet *batch, size_t job, const struct tc_fleet_reader *reader)
{
	TC_ENTER(batch->ctx);
	struct reading reading = {.batch = batch,
		.job = &batch->found->jobs[job],
		.known = &batch->jobs[job],
		.reader = reader};
	struct tc_buf record = {.ctx = batch->ctx};

	prepare(&reading);
	if (!tc_ctx_failed(batch->ctx))
		read_job(&record, &reading);
	tc_ctx_set_note(batch->ctx, NULL, NULL);
	clear_rows(&reading.rows);
	tc_free(reading.inputs);
	tc_free(reading.input_traces);
	if (!tc_ctx_failed(batch->ctx)) {
		reader->done(reader->user, record.ptr, record.len);
		if (reading.failure)
			tc_fail(batch->ctx, TC_ERR_IO, "%s", reading.failure);
	}
	tc_buf_clear(&record);
	tc_free(reading.failure);
	return tc_ctx_status(batch->ctx);
}

/*
 * Reads one job: its traces into a store, and the facts for the index into a record. It runs in a
 * process of its own, because a trace may kill it. The parent is told about each trace before the
 * trace is opened.
 */
#include <string.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/context.h"
#include "fleet/batch/state.h"
#include "tracecoach/import.h"

struct reading {
	struct tc_fleet *batch;
	const struct tc_found_job *job;
	const struct tc_fleet_job *known;
	struct tc_job_rows rows;
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
static enum tc_status look_at(struct reading *reading, size_t index)
{
	const struct tc_found_trace *found = &reading->job->traces[index];
	struct tc_trace_rows *trace = &reading->rows.traces[index];
	struct tc_buf path = TC_BUF_EMPTY;
	struct stat file;

	if (!tc_found_path(&path, reading->batch->found->root, found->path))
		return tc_no_memory(reading->batch->ctx);
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
		tc_trace_rows_end(trace, "failed", "it is not a regular file");
	} else if (reading->known->stopped && reading->known->stopped[index]) {
		tc_trace_rows_end(trace, "stopped", reading->known->stopped[index]);
	} else {
		reading->input_traces[reading->input_count] = index;
		reading->inputs[reading->input_count++] = trace->full_path;
	}
	return TC_OK;
}

static enum tc_status prepare(struct reading *reading)
{
	size_t count = reading->job->trace_count;
	enum tc_status status = TC_OK;

	reading->inputs = tc_calloc(count, sizeof(*reading->inputs));
	reading->input_traces = tc_calloc(count, sizeof(*reading->input_traces));
	reading->rows.traces = tc_calloc(count, sizeof(*reading->rows.traces));
	if (!reading->inputs || !reading->input_traces || !reading->rows.traces)
		return tc_no_memory(reading->batch->ctx);
	reading->rows.ctx = reading->batch->ctx;
	reading->rows.settings = reading->batch->options.settings;
	reading->rows.path = reading->job->path;
	reading->rows.count = count;
	for (size_t i = 0; i < count && !status; i++)
		status = look_at(reading, i);
	return status;
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
		struct tc_trace_rows *trace = &reading->rows.traces[reading->input_traces[i]];
		if (!trace->state &&
			tc_text_contains(tc_text_from(text), tc_text_from(trace->full_path)))
			tc_trace_rows_end(trace, "failed", text);
	}
}

/* Sets the state and reason of all traces that are not in the store and have no state yet. */
static void end_all(struct reading *reading, const char *state, const char *reason)
{
	for (size_t i = 0; i < reading->rows.count; i++)
		if (!reading->rows.traces[i].state && reading->rows.traces[i].trace_id < 0)
			tc_trace_rows_end(&reading->rows.traces[i], state, reason);
}

/* Whether the traces are the reason that they could not be read. */
static bool is_of_input(enum tc_status status)
{
	return status == TC_ERR_INPUT || status == TC_ERR_LIMIT || status == TC_ERR_STORE ||
	       status == TC_ERR_USAGE;
}

static enum tc_status take_failure(struct reading *reading, enum tc_status failure)
{
	struct tc_ctx *ctx = reading->batch->ctx;

	if (failure == TC_ERR_INTERRUPTED || tc_ctx_interrupted(ctx))
		return failure;
	end_all(reading, is_of_input(failure) ? "failed" : "stopped", tc_ctx_error(ctx));
	if (failure == TC_ERR_IO)
		reading->failure = tc_string_dup(tc_ctx_error(ctx));
	tc_ctx_clear_error(ctx);
	return failure == TC_ERR_IO && !reading->failure ? tc_no_memory(ctx) : TC_OK;
}

/* A file that changes while it is read is read again next time. */
static void check_unchanged(struct reading *reading)
{
	for (size_t i = 0; i < reading->rows.count; i++) {
		struct tc_trace_rows *trace = &reading->rows.traces[i];
		struct stat file;
		if (trace->trace_id < 0)
			continue;
		if (stat(trace->full_path, &file) || file.st_size != trace->size_bytes ||
			changed_ns(&file) != trace->changed_ns)
			tc_trace_rows_end(trace, "stopped", "it was changed while it was read");
	}
}

static void hash_all(struct reading *reading)
{
	for (size_t i = 0; i < reading->input_count; i++) {
		struct tc_trace_rows *trace = &reading->rows.traces[reading->input_traces[i]];
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

static enum tc_status import_job(struct tc_store **store, struct reading *reading,
	struct tc_advice **advice, const char *db_path)
{
	const struct tc_fleet_options *options = &reading->batch->options;
	const struct tc_import_options import = {
		.inline_stages = reads_inline(reading->batch),
		.no_side_files = options->no_side_files,
		.settings = options->settings,
		.advice = advice,
		.begin = hear_begin,
		.begin_user = reading,
	};

	tc_ctx_set_note(reading->batch->ctx, hear_note, reading);
	return tc_import(store, reading->batch->ctx, reading->inputs, reading->input_count, db_path,
		&import);
}

static enum tc_status read_job(struct tc_buf *record, struct reading *reading)
{
	struct tc_store *store = NULL;
	struct tc_advice *advice = NULL;
	struct tc_keep keep = {0};
	enum tc_status status = tc_keep_open(&keep, reading->batch, reading->job);

	hash_all(reading);
	if (!status && reading->input_count > 0) {
		status = import_job(&store, reading, &advice, keep.store_path);
		if (status)
			status = take_failure(reading, status);
	}
	if (!status && store)
		status = tc_job_rows_ask(&reading->rows, store);
	if (!status && store)
		status = tc_keep_reports(&keep, store, advice);
	check_unchanged(reading);
	end_all(reading, "failed", "it is the same file as another of the job");
	if (!status)
		status = tc_job_rows_record(record, &reading->rows, store, advice);
	tc_keep_clear(&keep);
	tc_advice_free(advice);
	tc_store_close(store);
	return status;
}

enum tc_status tc_fleet_read(
	struct tc_fleet *batch, size_t job, const struct tc_fleet_reader *reader)
{
	struct reading reading = {.batch = batch,
		.job = &batch->found->jobs[job],
		.known = &batch->jobs[job],
		.reader = reader};
	struct tc_buf record = TC_BUF_EMPTY;
	enum tc_status status = prepare(&reading);

	if (!status)
		status = read_job(&record, &reading);
	if (!status && tc_buf_failed(&record))
		status = tc_no_memory(reading.batch->ctx);
	tc_ctx_set_note(batch->ctx, NULL, NULL);
	tc_job_rows_clear(&reading.rows);
	tc_free(reading.inputs);
	tc_free(reading.input_traces);
	if (!status)
		reader->done(reader->user, record.ptr, record.len);
	if (!status && reading.failure)
		status = tc_fail(batch->ctx, TC_ERR_IO, "%s", reading.failure);
	tc_buf_clear(&record);
	tc_free(reading.failure);
	return status;
}

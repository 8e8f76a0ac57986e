/*
 * The stages of one trace. Parsing takes turns on the caller's thread: decoder, model, rows. Helper
 * threads read the source and decode it before it is asked for (decode/fast/); inline there are
 * none, and the rows come in the same order.
 *
 *   parse     bytes -> decoder -> model -> batches of rows, to the writer or into a relay
 *   resolve   the model -> the timeline, which nothing changes from then on
 *   analyse   two tasks that read the timeline: the analysis, and the replay with the fixes
 *   write     links between slices (a third task prepares them), tables of the model, tallies,
 *             gains, the import log: all on the thread that owns the writer
 */
#include "import/trace.h"

#include <pthread.h>
#include <string.h>

#include "analysis/analysis.h"
#include "core/alloc.h"
#include "core/context.h"
#include "core/limits.h"
#include "core/threads/task.h"
#include "decode/fast/prefetch.h"
#include "side/side.h"

/* ---- relay: batches from the thread that fills them to the one that writes them */

/* Batches that may wait: all of a trace of a megabyte. */
enum { BATCHES_MAX = 12 };

/* A ring of places under one lock, each with a batch. Batch n, from 0, goes into batches[n %
 * batch_count], and the filling side gets the empty one that was there. Invariant: written_count <=
 * filled_count <= written_count + batch_count. */
struct relay {
	struct tc_ctx *ctx; /* of the filling side */
	pthread_mutex_t lock;
	pthread_cond_t may_fill, may_write;
	struct tc_batch *batches[BATCHES_MAX];
	size_t batch_count, filled_count, written_count;
	bool is_ended;  /* the filling side has no more */
	bool is_closed; /* the writing side wants no more */
};

/* relay_clear() afterwards, also when it failed. */
static void relay_init(struct relay *relay, struct tc_ctx *ctx, size_t batch_count)
{
	*relay = (struct relay){.ctx = ctx, .batch_count = batch_count};
	pthread_mutex_init(&relay->lock, NULL);
	pthread_cond_init(&relay->may_fill, NULL);
	pthread_cond_init(&relay->may_write, NULL);
	for (size_t i = 0; i < batch_count; i++) {
		relay->batches[i] = tc_batch_new();
		if (!relay->batches[i])
			tc_no_memory(ctx);
	}
}

/* Frees the batches; both threads have ended. */
static void relay_clear(struct relay *relay)
{
	for (size_t i = 0; i < relay->batch_count; i++)
		tc_batch_free(relay->batches[i]);
	pthread_cond_destroy(&relay->may_write);
	pthread_cond_destroy(&relay->may_fill);
	pthread_mutex_destroy(&relay->lock);
}

/* The filling side, a tc_take_batch_fn: fails when the writing side wants no more. */
static enum tc_status relay_take_batch(void *user, struct tc_batch **batch)
{
	struct relay *relay = user;

	if (!*batch) {
		*batch = tc_batch_new();
		return *batch ? TC_OK : tc_no_memory(relay->ctx);
	}
	pthread_mutex_lock(&relay->lock);
	while (!relay->is_closed &&
		relay->filled_count - relay->written_count == relay->batch_count)
		pthread_cond_wait(&relay->may_fill, &relay->lock);
	bool is_open = !relay->is_closed;
	if (is_open) {
		struct tc_batch **place =
			&relay->batches[relay->filled_count++ % relay->batch_count];
		struct tc_batch *empty = *place;
		*place = *batch;
		*batch = empty;
		pthread_cond_signal(&relay->may_write);
	}
	pthread_mutex_unlock(&relay->lock);
	if (is_open)
		return TC_OK;
	return tc_ctx_failed(relay->ctx) ? tc_ctx_status(relay->ctx)
					 : tc_fail(relay->ctx, TC_ERR_INTERRUPTED, "interrupted");
}

/* The filling side has no more batches. */
static void relay_end(struct relay *relay)
{
	pthread_mutex_lock(&relay->lock);
	relay->is_ended = true;
	pthread_cond_signal(&relay->may_write);
	pthread_mutex_unlock(&relay->lock);
}

/* The writing side wants no more: if the filling side waits, it goes on. */
static void relay_close(struct relay *relay)
{
	pthread_mutex_lock(&relay->lock);
	relay->is_closed = true;
	pthread_cond_signal(&relay->may_fill);
	pthread_mutex_unlock(&relay->lock);
}

/* The batch number written_count, once the ones before are written; NULL behind the last. */
static struct tc_batch *relay_next(struct relay *relay, size_t written_count)
{
	pthread_mutex_lock(&relay->lock);
	relay->written_count = written_count;
	pthread_cond_signal(&relay->may_fill);
	while (!relay->is_ended && relay->filled_count == written_count)
		pthread_cond_wait(&relay->may_write, &relay->lock);
	struct tc_batch *batch = relay->filled_count > written_count
					 ? relay->batches[written_count % relay->batch_count]
					 : NULL;
	pthread_mutex_unlock(&relay->lock);
	return batch;
}

/* The writing side: writes batches in order, until the end or a failure. */
static void relay_write(struct relay *relay, const struct tc_trace_job *job)
{
	struct tc_batch *batch;

	for (size_t count = 0; !tc_ctx_failed(job->ctx) && (batch = relay_next(relay, count));
		count++)
		tc_writer_take_batch(job->writer, &batch);
	relay_close(relay);
}

/* ---- a trace that is read */

struct reading {
	const struct tc_trace_job *job;
	struct tc_ctx *ctx; /* of its errors: that of the job, or a part of it on another thread */
	const char *path;
	bool inline_stages;
	struct tc_next_ids *ids; /* move behind it */
	tc_take_batch_fn take;   /* takes its rows */
	void *take_user;
	struct tc_model *model;
	struct tc_input_facts facts;
	const struct tc_timeline *timeline; /* NULL until it is resolved */
	struct tc_task analysing, replaying;
	struct tc_analysis *analysis;
	struct tc_whatif whatif;
};

static void reading_clear(struct reading *reading)
{
	tc_task_drop(&reading->analysing);
	tc_task_drop(&reading->replaying);
	tc_analysis_free(reading->analysis);
	tc_whatif_clear(&reading->whatif);
	tc_model_free(reading->model);
}

/* Read ahead, a trace has errors of its own beside those of the writer. */
static bool has_failed(const struct reading *reading)
{
	return tc_ctx_failed(reading->ctx) || tc_ctx_failed(reading->job->ctx);
}

/* The name of an input in errors. */
static const char *input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

void tc_trace_name_error(struct tc_ctx *ctx, const char *path)
{
	if (tc_ctx_failed(ctx) && !strstr(tc_ctx_error(ctx), input_name(path)))
		tc_fail(ctx, tc_ctx_status(ctx), "%s", input_name(path));
}

/* ---- parse */

struct parse {
	struct reading *reading;
	struct tc_ctx *ctx;
	struct tc_source *source;
	struct tc_decoder *decoder;
};

static void report_progress(const struct parse *p, int64_t read_bytes)
{
	const struct tc_progress progress = {
		.path = p->reading->path,
		.read_bytes = read_bytes,
		.total_bytes = tc_source_total_bytes(p->source),
		.event_count = tc_decoder_facts(p->decoder).event_count,
	};

	tc_ctx_progress(p->ctx, &progress);
}

static void log_loss(const struct parse *p, const struct tc_source_loss *loss)
{
	const struct tc_decode_sink sink = tc_model_sink(p->reading->model);
	int64_t end = tc_decoder_facts(p->decoder).byte_count;
	const struct tc_log_entry cut = {TC_LOG_SOURCE_CUT, end, loss->count,
					  tc_text_from(loss->reason)},
				  tail = {TC_LOG_TRAILING_GARBAGE, end, loss->tail_bytes,
					  TC_TEXT("behind the compressed data")};

	if (loss->count > 0)
		sink.log(sink.user, &cut);
	if (loss->tail_bytes > 0)
		sink.log(sink.user, &tail);
}

/* After the last byte: the rest of the decoder, then the events that the model held back. Which
 * events those are depends on how the input was split, so the loss is logged after them. */
static void end_of_input(const struct parse *p)
{
	const struct tc_source_loss loss = tc_source_loss(p->source);

	tc_decoder_finish(p->decoder, loss.is_at_end);
	if (tc_ctx_failed(p->ctx))
		return;
	log_loss(p, &loss);
	tc_model_end_events(p->reading->model, tc_decoder_facts(p->decoder).ends_early);
}

/* Reads and decodes in turns, on this thread. */
static void run_chunks(const struct parse *p)
{
	char *chunk = tc_malloc(TC_CHUNK_BYTES);
	size_t len = 1;

	if (!chunk)
		tc_no_memory(p->ctx);
	while (!tc_ctx_failed(p->ctx) && len > 0) {
		tc_source_read(p->source, chunk, TC_CHUNK_BYTES, &len);
		if (!tc_ctx_failed(p->ctx))
			tc_decoder_feed(p->decoder, chunk, len);
		report_progress(p, tc_source_read_bytes(p->source));
	}
	tc_free(chunk);
}

static void on_segment(void *user, int64_t read_bytes, bool was_ahead)
{
	(void)was_ahead;
	report_progress(user, read_bytes);
}

/* Nodes of the companion have its labels by their numbers, so these come first. */
static void add_labels(struct tc_model *model, const struct tc_companion *companion)
{
	for (size_t i = 0; companion && i < companion->label_count; i++)
		tc_model_add_label(model,
			tc_companion_text(companion, companion->labels[i].category),
			tc_companion_text(companion, companion->labels[i].name));
}

static void run_stages(struct parse *p)
{
	struct reading *reading = p->reading;

	tc_model_new(&reading->model, p->ctx, reading->ids, reading->take, reading->take_user,
		reading->job->hardware);
	if (!reading->model)
		return;
	const struct tc_decode_sink sink = tc_model_sink(reading->model);
	add_labels(reading->model, reading->job->companion);
	tc_decoder_new(&p->decoder, p->ctx, &sink);
	if (!p->decoder)
		return;
	if (reading->inline_stages)
		run_chunks(p);
	else
		tc_prefetch_feed(p->decoder, p->ctx, p->source, TC_CHUNK_BYTES, on_segment, p);
	if (!tc_ctx_failed(p->ctx))
		end_of_input(p);
}

/* An input without any events is an error that names it, not an empty trace. */
static void check_events(const struct parse *p)
{
	const char *path = p->reading->path;
	const char *name = input_name(path), *kind = tc_side_kind(path);
	const struct tc_decoder_facts facts = tc_decoder_facts(p->decoder);
	const int64_t read_bytes = facts.byte_count;
	struct tc_text loss = tc_model_loss(p->reading->model);
	const bool has_list = facts.list_count > 0;

	if (tc_source_loss(p->source).count > 0)
		tc_fail(p->ctx, TC_ERR_INPUT,
			"%s: damaged: %s, and no event could be read: copy it again", name,
			tc_source_loss(p->source).reason);
	else if (kind && (!has_list || loss.len > 0))
		tc_fail(p->ctx, TC_ERR_INPUT,
			"%s: no trace, but a side file (%s): give the trace, and this file with "
			"--with",
			name, kind);
	else if (!has_list)
		tc_fail(p->ctx, TC_ERR_INPUT,
			"%s: no trace events found in %lld byte%s: give a PyTorch or Chrome trace "
			"(JSON with \"traceEvents\", or a JSON array of events)",
			name, (long long)read_bytes, read_bytes == 1 ? "" : "s");
	else if (loss.len > 0)
		tc_fail(p->ctx, TC_ERR_INPUT, "%s: no event could be kept of its %lld bytes: %.*s",
			name, (long long)read_bytes, (int)loss.len, loss.ptr);
}

static void check_usable(const struct parse *p)
{
	struct tc_text loss = tc_model_loss(p->reading->model);

	if (tc_decoder_facts(p->decoder).event_count == 0)
		check_events(p);
	if (!tc_ctx_failed(p->ctx) && p->reading->job->strict && loss.len > 0)
		tc_fail(p->ctx, TC_ERR_INPUT,
			"%s: parts of the trace are lost (%.*s), and --strict was given; without "
			"it the rest is analysed and the loss is reported",
			input_name(p->reading->path), (int)loss.len, loss.ptr);
}

/* A trace in which nothing can be used is an error. */
static void parse(struct reading *reading)
{
	struct parse p = {.reading = reading, .ctx = reading->ctx};
	TC_TIMED(p.ctx, "stage", "parse");

	if (tc_ctx_failed(p.ctx))
		return;
	tc_source_open(&p.source, p.ctx, reading->path);
	if (p.source)
		run_stages(&p);
	if (!tc_ctx_failed(p.ctx))
		check_usable(&p);
	if (!tc_ctx_failed(p.ctx)) {
		const struct tc_decoder_facts facts = tc_decoder_facts(p.decoder);
		reading->facts = (struct tc_input_facts){
			reading->path, facts.form, facts.byte_count, facts.event_count};
	}
	tc_decoder_free(p.decoder);
	tc_source_close(p.source);
}

/* ---- resolve, analyse */

static void resolve(struct reading *reading)
{
	TC_TIMED(reading->ctx, "stage", "resolve");

	if (!tc_ctx_failed(reading->ctx))
		tc_model_resolve(&reading->timeline, reading->model);
}

/* Traces with more names and threads are analysed and replayed in turn: each holds something for
 * every one of them. A real trace has some thousands. */
enum { BESIDE_MAX_COUNT = 1 << 16 };

static void analyse(void *user)
{
	struct reading *reading = user;
	TC_TIMED(reading->ctx, "stage", "sweep-devices");

	tc_analysis_new(&reading->analysis, reading->ctx, reading->timeline);
}

static void replay(void *user)
{
	struct reading *reading = user;
	TC_TIMED(reading->ctx, "stage", "replay");

	tc_whatif_run(&reading->whatif, reading->timeline, reading->job->fixes);
}

/* Begins the two tasks. Inline they run when their results are asked for. */
static void begin_to_analyse(struct reading *reading)
{
	const struct tc_timeline *timeline = reading->timeline;

	if (tc_ctx_failed(reading->ctx))
		return;
	bool beside = !reading->inline_stages &&
		      timeline->label_count + timeline->host_thread_count <= BESIDE_MAX_COUNT;
	tc_task_begin(&reading->analysing, reading->ctx, !reading->inline_stages, analyse, reading);
	if (reading->job->fixes && !tc_ctx_failed(reading->ctx))
		tc_task_begin(&reading->replaying, reading->ctx, beside, replay, reading);
}

/* ---- write */

enum { LINK_BATCH_COUNT = 4 };

struct links {
	struct tc_model *model;
	struct relay relay;
};

static void prepare_links(void *user)
{
	struct links *links = user;

	tc_model_emit_ties(links->model, relay_take_batch, &links->relay);
	relay_end(&links->relay);
}

/* Writes nesting, flows and launches, which a task prepares. */
static void write_links(struct reading *reading)
{
	const struct tc_trace_job *job = reading->job;
	struct links links = {.model = reading->model};
	struct tc_task task = {0};
	TC_TIMED(reading->ctx, "stage", "write-links");

	if (has_failed(reading))
		return;
	if (reading->inline_stages) {
		tc_model_emit_ties(reading->model, tc_writer_take_batch, job->writer);
		return;
	}
	relay_init(&links.relay, job->ctx, LINK_BATCH_COUNT);
	if (!has_failed(reading))
		tc_task_begin(&task, job->ctx, true, prepare_links, &links);
	if (task.run) /* it waits for this side, which may have failed meanwhile */
		relay_write(&links.relay, job);
	tc_task_end(&task);
	relay_clear(&links.relay);
}

/* Writes the tables of the analysis, then those of the replay. The analysis is freed before a
 * replay that waited for it begins. */
static void write_analysis(struct reading *reading, sqlite3 *db)
{
	const struct tc_trace_job *job = reading->job;

	tc_task_end(&reading->analysing);
	if (!has_failed(reading))
		tc_analysis_write(reading->analysis, db, job->companion);
	tc_analysis_free(reading->analysis);
	reading->analysis = NULL;
	if (has_failed(reading))
		return; /* another thread may still replay */
	tc_task_end(&reading->replaying);
	if (job->fixes && !has_failed(reading))
		tc_whatif_write(&reading->whatif, reading->timeline, db);
	tc_path_clear(&reading->whatif.path);
}

/* All but rows and links, with SQL. */
static void write_tables(struct reading *reading)
{
	const struct tc_trace_job *job = reading->job;
	TC_TIMED(reading->ctx, "stage", "write-tables");

	if (has_failed(reading)) /* its rows are dropped as they are */
		return;
	tc_writer_end_rows(job->writer);
	if (has_failed(reading))
		return;
	sqlite3 *db = tc_writer_db(job->writer);
	tc_model_write_tables(reading->model, db, &reading->facts);
	if (!has_failed(reading))
		tc_replay_keep(reading->timeline, db);
	if (!has_failed(reading))
		write_analysis(reading, db);
	if (!has_failed(reading))
		tc_model_write_log(reading->model, db);
}

/* The caller gets the replay. Where this thread has failed, another one may still work on it. */
static void take_whatif(struct tc_whatif *whatif, struct reading *reading)
{
	tc_task_drop(&reading->replaying);
	*whatif = reading->whatif;
	reading->whatif = (struct tc_whatif){0};
}

void tc_trace_import(struct tc_whatif *whatif, const struct tc_trace_job *job,
	struct tc_next_ids *ids, const char *path)
{
	struct reading reading = {.job = job,
		.ctx = job->ctx,
		.path = path,
		.inline_stages = job->inline_stages,
		.ids = ids,
		.take = tc_writer_take_batch,
		.take_user = job->writer};

	parse(&reading);
	resolve(&reading);
	begin_to_analyse(&reading);
	write_links(&reading);
	write_tables(&reading);
	take_whatif(whatif, &reading);
	reading_clear(&reading);
	tc_trace_name_error(job->ctx, path);
}

/* ---- read-ahead */

/* A trace that a task reads. Its rows come through the relay; the rest is there when the task has
 * ended. */
struct entry {
	struct reading reading;
	struct relay relay;
	struct tc_next_ids ids; /* behind it, but for the flow: arrows are numbered when written */
	struct tc_task task;
};

struct read_ahead {
	const struct tc_trace_job *job;
	const char *const *paths;
	size_t count, begun_count;
	struct tc_next_ids ids;
	struct entry *entry; /* the next trace, which is read; NULL behind the last */
};

static void entry_free(struct entry *entry)
{
	tc_task_drop(&entry->task);
	reading_clear(&entry->reading);
	relay_clear(&entry->relay);
	tc_ctx_free(entry->reading.ctx);
	tc_free(entry);
}

/* NULL when memory is out. */
static struct entry *entry_new(const struct read_ahead *ahead, const char *path)
{
	struct entry *entry = tc_calloc(1, sizeof(*entry));
	struct tc_ctx *ctx = entry ? tc_ctx_new_part(ahead->job->ctx) : NULL;

	if (!ctx) {
		tc_free(entry);
		return NULL;
	}
	entry->ids = ahead->ids;
	entry->reading = (struct reading){.job = ahead->job,
		.ctx = ctx,
		.path = path,
		.inline_stages = true,
		.ids = &entry->ids,
		.take = relay_take_batch,
		.take_user = &entry->relay};
	relay_init(&entry->relay, ctx, BATCHES_MAX);
	if (!tc_ctx_failed(ctx))
		return entry;
	entry_free(entry);
	return NULL;
}

/* The stages that need no store. */
static void read_entry(void *user)
{
	struct entry *entry = user;
	struct reading *reading = &entry->reading;

	parse(reading);
	resolve(reading);
	begin_to_analyse(reading);
	if (!tc_ctx_failed(reading->ctx))
		tc_task_end(&reading->analysing);
	if (!tc_ctx_failed(reading->ctx))
		tc_task_end(&reading->replaying);
	tc_trace_name_error(reading->ctx, reading->path);
	relay_end(&entry->relay);
}

/* Begins to read the next trace, if there is one and memory for it. One that cannot be begun has
 * failed. */
static void begin_next(struct read_ahead *ahead)
{
	ahead->entry = ahead->begun_count < ahead->count
			       ? entry_new(ahead, ahead->paths[ahead->begun_count++])
			       : NULL;
	if (!ahead->entry)
		return;
	tc_task_begin(
		&ahead->entry->task, ahead->entry->reading.ctx, true, read_entry, ahead->entry);
	if (!ahead->entry->task.run)
		relay_end(&ahead->entry->relay);
}

/* The stages that need the store. Arrows are numbered here, for the next trace may be read already.
 * An error of the reading thread becomes one of the import. */
static void write_entry(struct entry *entry, struct tc_next_ids *ids)
{
	struct reading *reading = &entry->reading;
	const struct tc_trace_job *job = reading->job;
	const struct tc_ctx *own = reading->ctx;

	entry->ids.flow = ids->flow;
	write_links(reading);
	write_tables(reading);
	if (tc_ctx_failed(own) && !tc_ctx_failed(job->ctx))
		tc_fail(job->ctx, tc_ctx_status(own), "%s", tc_ctx_error(own));
	if (!tc_ctx_failed(job->ctx))
		*ids = entry->ids;
	tc_trace_name_error(job->ctx, reading->path);
}

/* Imports the next trace. False when no further one can be taken from here. */
static bool import_next(struct tc_whatif *whatif, struct read_ahead *ahead, struct tc_next_ids *ids)
{
	struct entry *entry = ahead->entry;

	*whatif = (struct tc_whatif){0};
	if (!entry) {
		tc_no_memory(ahead->job->ctx);
		return false;
	}
	relay_write(&entry->relay, ahead->job);
	tc_task_end(&entry->task);
	bool was_read = !tc_ctx_failed(entry->reading.ctx);
	if (was_read) /* else the next one has the ids of this one */
		ahead->ids = entry->ids;
	begin_next(ahead);
	write_entry(entry, ids);
	take_whatif(whatif, &entry->reading);
	entry_free(entry);
	return !was_read || !tc_ctx_failed(ahead->job->ctx);
}

void tc_traces_import(const struct tc_trace_job *job, struct tc_next_ids *ids,
	const char *const *paths, size_t count, tc_trace_done_fn done, void *user)
{
	struct read_ahead ahead = {.job = job, .paths = paths, .count = count, .ids = *ids};
	bool goes_on = true;

	begin_next(&ahead);
	for (size_t i = 0; i < count && goes_on; i++) {
		const struct tc_next_ids before = *ids;
		struct tc_whatif whatif;
		goes_on = import_next(&whatif, &ahead, ids);
		goes_on = done(user, &before, &whatif) && goes_on;
	}
	if (ahead.entry) { /* its rows are not wanted */
		relay_close(&ahead.entry->relay);
		entry_free(ahead.entry);
	}
}

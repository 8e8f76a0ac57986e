/* Files to a sealed store, in order; see import.h. */

#include "import/import.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "advice/advise.h"
#include "advice/settings/fixes.h"
#include "analysis/analysis.h"
#include "analysis/ranks.h"
#include "core/alloc.h"
#include "core/context.h"
#include "core/limits.h"
#include "import/analyse.h"
#include "import/parse.h"
#include "import/plans.h"
#include "import/relay.h"
#include "model/model.h"
#include "replay/whatif/stragglers.h"
#include "side/side.h"
#include "store/file/header.h"
#include "store/sql.h"

/*
 * Ahead: while a trace is written, the next one is parsed, resolved, analysed and replayed on a
 * thread of its own. One trace after the other, so their ids follow each other, and what is written
 * is the same, byte for byte, as without. For small traces, of which two fit into memory: large
 * ones use the threads within a trace.
 */

/* Traces to read; everything is borrowed. */
struct tc_ahead_job {
	const char *const *paths;
	size_t count;
	const struct tc_fixes *fixes; /* NULL: none */
	bool strict;
	const struct tc_companion *companion; /* NULL: none */
};

/* A trace that is read. Its rows come through the relay; the rest is there when
 * ahead_finished() has said so. */
struct tc_reading {
	const char *path;
	struct tc_ctx *ctx; /* of its errors */
	struct tc_relay relay;
	struct tc_next_ids ids; /* behind it; the flow is whoever writes its */
	struct tc_input_facts facts;
	struct tc_model *model;
	const struct tc_timeline *timeline;
	struct tc_analysed analysed;
	enum tc_status status;
};

/* Reads a trace with the ids of reading, which it moves on; see import.c. */
typedef enum tc_status (*tc_read_fn)(struct tc_reading *reading, const struct tc_ahead_job *job);

struct tc_ahead;

void tc_reading_free(struct tc_reading *reading); /* NULL is fine */

/* Batches of a trace that wait while the one before is written: all of a trace of a megabyte. */
enum { BATCHES_AHEAD = 12 };

struct tc_ahead {
	struct tc_ctx *ctx;
	struct tc_ahead_job job;
	struct tc_next_ids ids;
	tc_read_fn read;
	struct tc_queue *begun;    /* one: so at most two traces are in memory */
	struct tc_queue *finished; /* the same ones, when they are read */
	atomic_bool stopped;
	pthread_t thread;
};

static struct tc_reading *reading_new(struct tc_ahead *ahead, const char *path)
{
	struct tc_reading *reading = tc_calloc(1, sizeof(*reading));

	if (!reading)
		return NULL;
	reading->path = path;
	reading->ctx = tc_ctx_new_part(ahead->ctx);
	if (reading->ctx && !tc_relay_init(&reading->relay, ahead->ctx, BATCHES_AHEAD))
		return reading;
	tc_reading_free(reading);
	return NULL;
}

void tc_reading_free(struct tc_reading *reading)
{
	if (!reading)
		return;
	tc_analysed_clear(&reading->analysed);
	tc_model_free(reading->model);
	tc_relay_clear(&reading->relay);
	tc_ctx_free(reading->ctx);
	tc_free(reading);
}

/* Reads one; the ids of a trace that failed are given to the next. False to stop. */
static bool read_one(struct tc_ahead *ahead, const char *path)
{
	struct tc_reading *reading = reading_new(ahead, path);

	if (!reading || !tc_queue_put(ahead->begun, reading)) {
		tc_reading_free(reading);
		return false;
	}
	reading->ids = ahead->ids;
	reading->status = ahead->read(reading, &ahead->job);
	if (!reading->status)
		ahead->ids = reading->ids;
	tc_relay_end(&reading->relay);
	return tc_queue_put(ahead->finished, reading);
}

static void *run(void *user)
{
	struct tc_ahead *ahead = user;

	for (size_t i = 0; i < ahead->job.count && !atomic_load(&ahead->stopped); i++)
		if (!read_one(ahead, ahead->job.paths[i]))
			break;
	tc_queue_close(ahead->begun);
	tc_queue_close(ahead->finished);
	return NULL;
}

/* Begins to read. *out is owned by the caller. */
static enum tc_status ahead_new(struct tc_ahead **out, struct tc_ctx *ctx,
	const struct tc_ahead_job *job, const struct tc_next_ids *ids, tc_read_fn read)
{
	struct tc_ahead *ahead = tc_calloc(1, sizeof(*ahead));
	bool good = ahead != NULL;

	if (good) {
		*ahead = (struct tc_ahead){.ctx = ctx, .job = *job, .ids = *ids, .read = read};
		ahead->begun = tc_queue_new(1);
		ahead->finished = tc_queue_new(2);
		good = ahead->begun && ahead->finished &&
		       pthread_create(&ahead->thread, NULL, run, ahead) == 0;
	}
	if (!good) {
		if (ahead) {
			tc_queue_free(ahead->begun);
			tc_queue_free(ahead->finished);
		}
		tc_free(ahead);
		return tc_no_memory(ctx);
	}
	*out = ahead;
	return TC_OK;
}

/* Stops, also in the middle of a trace; NULL is fine. */
static void ahead_free(struct tc_ahead *ahead)
{
	if (!ahead)
		return;
	atomic_store(&ahead->stopped, true);
	tc_queue_close(ahead->begun);
	/* It may be read still: its rows are not wanted. */
	struct tc_reading *reading = tc_queue_try_take(ahead->begun);
	if (reading)
		tc_relay_close(&reading->relay);
	tc_queue_close(ahead->finished);
	pthread_join(ahead->thread, NULL);
	tc_reading_free(reading);
	while (tc_queue_try_take(ahead->finished))
		;
	tc_queue_free(ahead->begun);
	tc_queue_free(ahead->finished);
	tc_free(ahead);
}

/* The next trace, which may still be read: write what the relay gives first. NULL when memory is
 * out. The caller's, to be freed before ahead_free(). */
static struct tc_reading *ahead_next(struct tc_ahead *ahead)
{
	return tc_queue_take(ahead->begun);
}

/* Waits until the trace that was got last is read; returns its status. */
static enum tc_status ahead_finished(struct tc_ahead *ahead)
{
	const struct tc_reading *reading = tc_queue_take(ahead->finished);

	return reading ? reading->status : TC_ERR_NOMEM;
}

struct import {
	struct tc_ctx *ctx;
	struct tc_writer *writer;
	struct tc_next_ids ids;
	const struct tc_import_options *options;
	struct tc_fixes *fixes;       /* NULL without advice */
	struct tc_whatif kept_replay; /* of the only input */
	struct tc_replays replays;    /* of several, those that are ranks */
	struct tc_advice *advice;
	const char *const *paths;
	const struct tc_input_was *was; /* NULL but for a store that is made again */
	size_t count;
	size_t *kept; /* index in paths of each trace, by its id */
	size_t kept_count;
	struct tc_companion *companion; /* NULL for none */
	bool may_leave_out; /* there is more than one input, and strictness does not forbid it */
};

/* The last part of a trace: what was made of its timeline. What the analysis holds is gone before a
 * replay that waited for it begins. */
static enum tc_status write_analysed(
	struct import *import, const struct tc_model *model, struct tc_analysed *analysed)
{
	sqlite3 *db = tc_writer_db(import->writer);
	enum tc_status status = tc_task_end(&analysed->analysing);

	if (!status)
		status = tc_analysis_write(analysed->analysis, db, import->companion);
	tc_analysis_free(analysed->analysis);
	analysed->analysis = NULL;
	if (!status)
		status = tc_task_end(&analysed->replaying);
	if (!status && import->fixes)
		status = tc_whatif_write(&analysed->whatif, analysed->timeline, db);
	if (!status)
		tc_path_clear(&analysed->whatif.path);
	return status ? status : tc_model_write_log(model, db);
}

/* Replays that are needed once all is known: of an only trace for its plan, of ranks for their
 * job. */
static enum tc_status keep_replay(struct import *import, int64_t trace_id, struct tc_whatif *whatif)
{
	const struct tc_sql_value trace = tc_sql_int(trace_id);
	bool is_rank = false;
	int64_t found = 0;

	if (!import->fixes)
		return TC_OK;
	if (import->count == 1) {
		import->kept_replay = *whatif;
		*whatif = (struct tc_whatif){0};
		return TC_OK;
	}
	enum tc_status status =
		tc_sql_lookup(&found, &is_rank, import->ctx, tc_writer_db(import->writer),
			"SELECT 1 FROM trace WHERE id = ?1 AND world_size > 1"
			" AND rank BETWEEN 0 AND world_size - 1",
			&trace);
	return status || !is_rank
		       ? status
		       : tc_replays_take(&import->replays, import->ctx, trace_id, &whatif->replay);
}

/* The first half of a trace: parse, resolve, begin to analyse and replay. */
static enum tc_status begin_trace(
	struct tc_reading *reading, const struct tc_parse_job *job, const struct tc_fixes *fixes)
{
	enum tc_status status = tc_parse(&reading->model, &reading->facts, reading->ctx, job);

	if (!status)
		status = tc_model_resolve(&reading->timeline, reading->model);
	return status ? status
		      : tc_analysed_begin(
				&reading->analysed, reading->timeline, fixes, job->inline_stages);
}

/* The other half, when all rows are in. */
static enum tc_status end_trace(struct import *import, struct tc_reading *reading)
{
	enum tc_status status = tc_writer_end_rows(import->writer);

	if (!status)
		status = tc_model_write_tables(
			reading->model, tc_writer_db(import->writer), &reading->facts);
	if (!status)
		status = write_analysed(import, reading->model, &reading->analysed);
	return status ? status
		      : keep_replay(import, reading->timeline->trace_id, &reading->analysed.whatif);
}

static enum tc_status import_trace(struct import *import, const char *path)
{
	const bool inline_stages = import->options->inline_stages;
	const struct tc_parse_job job = {path, tc_writer_take_batch, import->writer, &import->ids,
		inline_stages, import->options->strict, import->companion};
	struct tc_reading reading = {.ctx = import->ctx};
	enum tc_status status = begin_trace(&reading, &job, import->fixes);

	if (!status)
		status = tc_write_links(import->ctx, reading.model, import->writer, inline_stages);
	if (!status)
		status = end_trace(import, &reading);
	tc_analysed_clear(&reading.analysed);
	tc_model_free(reading.model);
	return status;
}

/* A tracecoach store is not a trace; an old or damaged one gets a message of its own. */
static enum tc_status refuse_store(struct tc_ctx *ctx, const char *path)
{
	struct tc_store *store = NULL;

	if (strcmp(path, "-") == 0 || !tc_store_is_ours(path))
		return TC_OK;
	struct tc_ctx *own = tc_ctx_new();
	if (!own)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot read %s: out of memory", path);
	enum tc_status status = tc_store_open(&store, own, path);
	if (status)
		status = tc_fail(ctx, status == TC_ERR_NOMEM ? status : TC_ERR_INPUT, "%s",
			tc_ctx_error(own));
	else
		status = tc_fail(ctx, TC_ERR_INPUT,
			"%s is a store, not a trace; 'tracecoach analyze' reads one store, alone",
			path);
	tc_store_close(store);
	tc_ctx_free(own);
	return status;
}

/* An error of an input names it. */
static enum tc_status name_error(struct tc_ctx *ctx, enum tc_status status, const char *path)
{
	if (status && !strstr(tc_ctx_error(ctx), tc_input_name(path)))
		return tc_fail(ctx, status, "%s", tc_input_name(path));
	return status;
}

static enum tc_status import_file(struct import *import, const char *path)
{
	enum tc_status status = refuse_store(import->ctx, path);

	if (!status)
		status = import_trace(import, path);
	return name_error(import->ctx, status, path);
}

/* True when the import can continue with the next input. */
static bool is_of_one_input(const struct import *import, enum tc_status status)
{
	return status != TC_ERR_NOMEM && status != TC_ERR_IO && status != TC_ERR_INTERRUPTED &&
	       !tc_ctx_interrupted(import->ctx);
}

static enum tc_status record_left_out(struct import *import, int64_t id, const char *path)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(id), tc_sql_string(path), tc_sql_string(tc_ctx_error(import->ctx))};
	sqlite3 *db = tc_writer_db(import->writer);

	return tc_sql_add(import->ctx, db, "left_out (id, path, reason)", values, 3);
}

/* Removes the rows of a failed input, and notes why it was left out. */
static enum tc_status leave_out(
	struct import *import, int64_t id, const char *path, enum tc_status failure)
{
	if (!import->may_leave_out || import->was || !is_of_one_input(import, failure))
		return failure;
	enum tc_status status = tc_writer_drop(import->writer);
	if (!status)
		status = record_left_out(import, id, path);
	if (status)
		return status;
	tc_ctx_note(import->ctx, TC_NOTE_LEFT_OUT, "%s", tc_ctx_error(import->ctx));
	tc_ctx_clear_error(import->ctx);
	return tc_writer_keep(import->writer);
}

/* What follows an input: it is kept, or left out. ids are those before it. */
static enum tc_status settle(
	struct import *import, size_t index, const struct tc_next_ids *ids, enum tc_status status)
{
	if (status) {
		import->ids = *ids;
		return leave_out(import, (int64_t)index, import->paths[index], status);
	}
	import->kept[import->kept_count++] = index;
	if (import->kept_count == 1 && index + 1 < import->count)
		status = tc_writer_expect_several(import->writer);
	return status || !import->may_leave_out ? status : tc_writer_keep(import->writer);
}

/* Imports one of the inputs, or leaves it out. */
static enum tc_status import_one(struct import *import, size_t index)
{
	const struct tc_next_ids ids = import->ids;
	const char *path = import->paths[index];

	if (import->options->begin)
		import->options->begin(import->options->begin_user, path);
	return settle(import, index, &ids, import_file(import, path));
}

/* The part of an import that needs no store, on the thread that reads ahead. */
static enum tc_status read_trace(struct tc_reading *reading, const struct tc_ahead_job *ahead)
{
	const char *path = reading->path;
	const struct tc_parse_job job = {path, tc_relay_take_batch, &reading->relay, &reading->ids,
		true, ahead->strict, ahead->companion};
	enum tc_status status = refuse_store(reading->ctx, path);

	if (!status)
		status = begin_trace(reading, &job, ahead->fixes);
	if (!status)
		status = tc_task_end(&reading->analysed.analysing);
	if (!status)
		status = tc_task_end(&reading->analysed.replaying);
	return name_error(reading->ctx, status, path);
}

/* The other part. Arrows are numbered here, for the next trace may be read already. */
static enum tc_status write_reading(
	struct import *import, struct tc_ahead *ahead, struct tc_reading *reading)
{
	enum tc_status status = tc_relay_write(&reading->relay, import->writer);
	enum tc_status read = ahead_finished(ahead);

	if (!status)
		status = read;
	reading->ids.flow = import->ids.flow;
	if (!status)
		status = tc_model_emit_ties(reading->model, tc_writer_take_batch, import->writer);
	if (!status)
		status = end_trace(import, reading);
	if (!status)
		import->ids = reading->ids;
	if (status && !tc_ctx_status(import->ctx))
		return tc_fail(import->ctx, status, "%s", tc_ctx_error(reading->ctx));
	return status;
}

/* Imports inputs of which the next is read while one is written. *index is behind the last one that
 * was settled; what was read by ids that turned out to be wrong is read again. */
static enum tc_status import_ahead(struct import *import, size_t *index, size_t end)
{
	const struct tc_ahead_job job = {import->paths + *index, end - *index, import->fixes,
		import->options->strict, import->companion};
	struct tc_ahead *ahead = NULL;
	enum tc_status status = ahead_new(&ahead, import->ctx, &job, &import->ids, read_trace);
	bool goes_on = !status;

	while (goes_on && *index < end) {
		const struct tc_next_ids ids = import->ids;
		struct tc_reading *reading = ahead_next(ahead);
		if (!reading) {
			status = tc_no_memory(import->ctx);
			break;
		}
		enum tc_status written = name_error(
			import->ctx, write_reading(import, ahead, reading), import->paths[*index]);
		goes_on = !written || reading->status;
		status = settle(import, *index, &ids, written);
		goes_on = goes_on && !status;
		++*index;
		tc_reading_free(reading);
	}
	ahead_free(ahead);
	return status;
}

/* Behind the inputs from index on that are small enough to be read ahead, two or more of them. */
static size_t end_of_small(const struct import *import, size_t index)
{
	const struct tc_import_options *options = import->options;
	size_t end = index;
	struct stat file;

	if (options->inline_stages || options->begin)
		return index;
	while (end < import->count && stat(import->paths[end], &file) == 0 &&
		S_ISREG(file.st_mode) && file.st_size <= TC_AHEAD_MAX_BYTES)
		end++;
	return end > index + 1 ? end : index;
}

static enum tc_status import_next(struct import *import, size_t *index)
{
	size_t end = end_of_small(import, *index);

	return end > *index ? import_ahead(import, index, end) : import_one(import, (*index)++);
}

static enum tc_status import_all(struct import *import)
{
	enum tc_status status = TC_OK;

	import->may_leave_out = import->count > 1 && !import->options->strict;
	import->kept = tc_calloc(import->count, sizeof(*import->kept));
	if (!import->kept)
		return tc_no_memory(import->ctx);
	if (import->may_leave_out)
		status = tc_writer_allow_drop(import->writer);
	for (size_t i = 0; i < import->count && !status;)
		status = import_next(import, &i);
	if (!status && import->count > 0 && import->kept_count == 0)
		status = tc_fail(import->ctx, TC_ERR_INPUT,
			"none of the %zu inputs could be read: there is nothing to analyse",
			import->count);
	return status || !import->may_leave_out ? status : tc_writer_end_drop(import->writer);
}

/* A row of trace, whose id is its place among the inputs: none was left out. */
static enum tc_status compare_input(void *user, sqlite3_stmt *row)
{
	const struct import *import = user;
	int64_t id = sqlite3_column_int64(row, 0);
	const struct tc_input_was now = {
		sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2)};
	const struct tc_input_was *was = &import->was[id];

	if (now.read_bytes == was->read_bytes && now.event_count == was->event_count)
		return TC_OK;
	return tc_fail(import->ctx, TC_ERR_INPUT,
		"%s is not the file that the store was made of: it had %lld bytes with %lld "
		"events, "
		"and has %lld with %lld; if it is the right one, import it by its name",
		import->paths[id], (long long)was->read_bytes, (long long)was->event_count,
		(long long)now.read_bytes, (long long)now.event_count);
}

static enum tc_status compare_inputs(struct import *import)
{
	return tc_sql_each(import->ctx, tc_writer_db(import->writer),
		"SELECT id, read_bytes, event_count FROM trace ORDER BY id", NULL, compare_input,
		import);
}

static enum tc_status read_given(struct import *import, size_t index)
{
	const char *const *path = &import->options->side_paths[index];

	return tc_side_read(import->ctx, tc_writer_db(import->writer), path, 1);
}

/* Where traces were left out, some side files may belong to none: they are left out as well. */
static enum tc_status read_given_or_not(struct import *import)
{
	enum tc_status status = tc_writer_allow_drop(import->writer);

	for (size_t i = 0; i < import->options->side_count && !status; i++) {
		status = read_given(import, i);
		status = status ? leave_out(import, (int64_t)(import->count + i),
					  import->options->side_paths[i], status)
				: tc_writer_keep(import->writer);
	}
	return status ? status : tc_writer_end_drop(import->writer);
}

/* After the traces: their ranks show which of them a side file belongs to. */
static enum tc_status import_side_files(struct import *import)
{
	const struct tc_import_options *options = import->options;
	sqlite3 *db = tc_writer_db(import->writer);
	bool is_short = import->kept_count < import->count;
	enum tc_status status = TC_OK;

	if (is_short && options->side_count > 0)
		status = read_given_or_not(import);
	for (size_t i = 0; i < options->side_count && !status && !is_short; i++)
		status = read_given(import, i);
	for (size_t i = 0; i < import->kept_count && !status && !options->no_side_files; i++)
		status = tc_side_find(import->ctx, db, (int64_t)i, import->paths[import->kept[i]]);
	return status;
}

static enum tc_status record_advice(struct import *import)
{
	const struct tc_settings *settings = import->options->settings;
	sqlite3 *db = tc_writer_db(import->writer);

	if (!settings)
		return TC_OK;
	enum tc_status status = tc_advise(&import->advice, import->ctx, db, settings);
	tc_sql_stop_on_interrupt(db, import->ctx); /* advice leaves the connection without */
	if (!status)
		status = tc_advice_record(import->ctx, db, import->advice);
	return status ? status
		      : tc_plans_write(import->ctx, db, import->fixes, import->advice,
				import->count == 1 ? &import->kept_replay : NULL, &import->replays);
}

/* Ends the import: a sealed store, or nothing. */
static enum tc_status seal(struct tc_store **out, struct import *import)
{
	struct tc_advice **wanted = import->options->advice;
	enum tc_status status = tc_writer_seal(out, import->writer);

	if (!status && wanted)
		*wanted = import->advice;
	else
		tc_advice_free(import->advice);
	return status;
}

/* So that the store can be made again. */
static enum tc_status record_captures(struct import *import)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < import->options->capture_count && !status; i++) {
		const struct tc_sql_value values[] = {
			tc_sql_int((int64_t)i), tc_sql_string(import->options->capture_paths[i])};
		status = tc_sql_run(import->ctx, tc_writer_db(import->writer),
			"INSERT INTO capture_file (id, path) VALUES (?, ?)", values, 2);
	}
	return status;
}

static enum tc_status fill(struct import *import)
{
	enum tc_status status = import_all(import);

	if (!status)
		status = record_captures(import);
	if (!status && import->was)
		status = compare_inputs(import);
	if (!status)
		status = tc_writer_index(import->writer);
	if (!status && import->options->full_index)
		status = tc_writer_index_full(import->writer);
	if (!status)
		status = tc_ranks_relate(import->ctx, tc_writer_db(import->writer));
	if (!status && import->fixes)
		status = tc_stragglers_find(
			import->ctx, tc_writer_db(import->writer), import->fixes, &import->replays);
	if (!status)
		status = import_side_files(import);
	if (!status)
		status = record_advice(import);
	tc_free(import->kept);
	return status;
}

static enum tc_status import_into(struct tc_store **out, struct import *import, const char *db_path)
{
	const struct tc_settings *settings = import->options->settings;
	enum tc_status status = tc_writer_open(&import->writer, import->ctx, db_path);

	if (status)
		return status;
	if (settings)
		status = tc_advice_fixes_new(&import->fixes, import->ctx, settings);
	if (!status)
		status = fill(import);
	tc_whatif_clear(&import->kept_replay);
	tc_replays_clear(&import->replays);
	tc_advice_fixes_free(import->fixes);
	if (!status)
		return seal(out, import);
	tc_advice_free(import->advice);
	tc_writer_discard(import->writer);
	return status;
}

enum tc_status tc_import_traces(struct tc_store **out, struct tc_ctx *ctx,
	const struct tc_inputs *inputs, const char *db_path,
	const struct tc_import_options *options, struct tc_companion *companion)
{
	struct import import = {.ctx = ctx,
		.options = options,
		.paths = inputs->traces.items,
		.was = inputs->was,
		.count = inputs->traces.count,
		.companion = companion};

	return import_into(out, &import, db_path);
}

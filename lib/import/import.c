/*
 * The import: trace files to a sealed store. It reads like a page:
 *
 *   find the inputs           inputs/: the files that the paths mean
 *   read the companions       traces in which the graphs of the inputs were captured, through
 *                             temporary stores of their own
 *   for each input            trace.h: parse, resolve, analyse, write, or join a store
 *   for all of them           indexes, ranks of jobs, side files, advice, plans (plans.h)
 *   seal
 *
 * A step does nothing in a context that has failed, so the page has no branches. Of several inputs
 * one that fails is dropped: its error becomes a row of left_out, and the context is cleared.
 */
#include "tracecoach/import.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "advice/advise.h"
#include "advice/settings/fixes.h"
#include "analysis/op_tree.h"
#include "analysis/ranks.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/arena.h"
#include "core/context.h"
#include "core/files/ini.h"
#include "core/files/reads.h"
#include "core/limits.h"
#include "core/text/decimal.h"
#include "import/inputs/inputs.h"
#include "import/plans.h"
#include "import/trace.h"
#include "names/hardware/hardware.h"
#include "replay/stragglers.h"
#include "side/side.h"
#include "store/sql.h"

struct import {
	struct tc_trace_job job;
	struct tc_ctx *ctx; /* that of the job */
	const struct tc_import_options *options;
	const char *const *paths;
	const struct tc_input_was *was; /* NULL but for a store that is made again */
	size_t count, index;            /* of paths; of the next one */
	struct tc_next_ids ids;
	struct tc_fixes *fixes;       /* NULL without advice */
	struct tc_whatif only_replay; /* of the only input */
	struct tc_replays replays;    /* of several, those that are ranks */
	struct tc_join join;
	struct tc_advice *advice;
	const bool *are_stores; /* by index in paths */
	/* By id of a trace: its index in paths; NO_PATH for a trace of a store. */
	size_t *kept;
	size_t kept_count, kept_capacity;
	size_t input_count; /* inputs that were not left out */
	bool may_leave_out; /* there is more than one input, and strictness does not forbid it */
};

#define NO_PATH SIZE_MAX

/* Not while rows are written: then there is no connection. */
static sqlite3 *db_of(const struct import *import)
{
	return tc_writer_db(import->job.writer);
}

/* ---- inputs, one after the other */

/* Replays that are needed once all inputs are in: of an only trace for its plan, of ranks for their
 * job. */
static void keep_replay(struct import *import, int64_t trace_id, struct tc_whatif *whatif)
{
	const struct tc_sql_value trace = tc_sql_int(trace_id);
	bool is_rank = false;
	int64_t found = 0;

	if (!import->fixes || tc_ctx_failed(import->ctx))
		return;
	if (import->count == 1) {
		import->only_replay = *whatif;
		*whatif = (struct tc_whatif){0};
		return;
	}
	tc_sql_lookup(&found, &is_rank, import->ctx, db_of(import),
		"SELECT 1 FROM trace WHERE id = ?1 AND world_size > 1"
		" AND rank BETWEEN 0 AND world_size - 1",
		&trace);
	if (is_rank)
		tc_replays_take(&import->replays, import->ctx, trace_id, &whatif->replay);
}

/* Whether the import can go on with the next input. */
static bool is_of_one_input(const struct import *import)
{
	enum tc_status status = tc_ctx_status(import->ctx);

	return status != TC_ERR_NOMEM && status != TC_ERR_IO && status != TC_ERR_INTERRUPTED &&
	       !tc_ctx_interrupted(import->ctx);
}

/* Removes the rows of an input that failed, and notes why it was left out: then the context is
 * clear. */
static void leave_out(struct import *import, int64_t id, const char *path)
{
	struct tc_ctx *ctx = import->ctx;

	if (!import->may_leave_out || import->was || !is_of_one_input(import))
		return;
	char *reason = tc_string_dup(tc_ctx_error(ctx));
	tc_ctx_clear_error(ctx);
	if (!reason) {
		tc_no_memory(ctx);
		return;
	}
	tc_writer_drop(import->job.writer);
	if (!tc_ctx_failed(ctx)) {
		const struct tc_sql_value values[] = {
			tc_sql_int(id), tc_sql_string(path), tc_sql_string(reason)};
		tc_sql_run(ctx, db_of(import),
			"INSERT INTO left_out (id, path, reason) VALUES (?, ?, ?)", values, 3);
	}
	if (!tc_ctx_failed(ctx)) {
		tc_ctx_note(ctx, TC_NOTE_LEFT_OUT, "%s", reason);
		tc_writer_keep(import->job.writer, true);
	}
	tc_free(reason);
}

/* Notes where the next trace came from. */
static void keep_trace(struct import *import, size_t index)
{
	TC_PUSH(import->ctx, import->kept, import->kept_count, import->kept_capacity, index);
}

/* Keeps an input, or leaves it out. ids are those before it. */
static void settle(struct import *import, size_t index, const struct tc_next_ids *ids)
{
	if (tc_ctx_failed(import->ctx)) {
		import->ids = *ids;
		import->kept_count = (size_t)ids->trace;
		tc_replays_drop(&import->replays, ids->trace);
		leave_out(import, (int64_t)index, import->paths[index]);
		return;
	}
	import->input_count++;
	if (index + 1 < import->count)
		tc_writer_expect_several(import->job.writer);
	if (import->may_leave_out && !tc_ctx_failed(import->ctx))
		tc_writer_keep(import->job.writer, true);
}

/* An input that is a trace. */
static void settle_trace(struct import *import, size_t index, const struct tc_next_ids *ids,
	struct tc_whatif *whatif)
{
	keep_replay(import, ids->trace, whatif);
	tc_whatif_clear(whatif);
	if (!tc_ctx_failed(import->ctx))
		keep_trace(import, index);
	settle(import, index, ids);
}

/* Replays a trace that was joined, with the fixes of this import. */
static void replay_joined(struct import *import, int64_t trace_id)
{
	struct tc_whatif whatif = {0};
	TC_TIMED(import->ctx, "stage", "replay");

	if (!import->fixes || tc_ctx_failed(import->ctx))
		return;
	tc_whatif_again(&whatif, db_of(import), trace_id, import->fixes, import->ctx);
	keep_replay(import, trace_id, &whatif);
	tc_whatif_clear(&whatif);
}

/* Adds the traces of a store. */
static void join_one(struct import *import, size_t index)
{
	const struct tc_next_ids ids = import->ids;

	tc_join_store(&import->join, &import->ids, import->paths[index]);
	for (int64_t id = ids.trace; id < import->ids.trace && !tc_ctx_failed(import->ctx); id++) {
		replay_joined(import, id);
		keep_trace(import, NO_PATH);
	}
	tc_trace_name_error(import->ctx, import->paths[index]);
	settle(import, index, &ids);
}

static void import_one(struct import *import, size_t index)
{
	const struct tc_next_ids ids = import->ids;
	const char *path = import->paths[index];
	struct tc_whatif whatif = {0};

	if (import->options->begin)
		import->options->begin(import->options->begin_user, path);
	if (import->are_stores[index]) {
		join_one(import, index);
		return;
	}
	tc_trace_import(&whatif, &import->job, &import->ids, path);
	settle_trace(import, index, &ids, &whatif);
}

/* Settles the next input of those that are read ahead, and goes on if it may. */
static bool settle_ahead(void *user, const struct tc_next_ids *ids, struct tc_whatif *whatif)
{
	struct import *import = user;

	settle_trace(import, import->index++, ids, whatif);
	return !tc_ctx_failed(import->ctx);
}

/* Behind the inputs from index on that are small enough to be read ahead, two or more of them. */
static size_t end_of_small(const struct import *import, size_t index)
{
	const struct tc_import_options *options = import->options;
	size_t end = index;
	struct stat file;

	if (options->inline_stages || options->begin)
		return index;
	while (end < import->count && !import->are_stores[end] &&
		stat(import->paths[end], &file) == 0 && S_ISREG(file.st_mode) &&
		file.st_size <= TC_AHEAD_MAX_BYTES)
		end++;
	return end > index + 1 ? end : index;
}

/* Imports the next input, or several of which the next is read while one is written. Those that
 * were read with ids that turned out to be wrong are read again. */
static void import_next(struct import *import)
{
	size_t index = import->index, end = end_of_small(import, index);

	if (end > index)
		tc_traces_import(&import->job, &import->ids, import->paths + index, end - index,
			settle_ahead, import);
	else
		import_one(import, import->index++);
}

static void import_traces(struct import *import)
{
	struct tc_ctx *ctx = import->ctx;

	if (tc_ctx_failed(ctx))
		return;
	import->may_leave_out = import->count > 1 && !import->options->strict;
	if (import->may_leave_out)
		tc_writer_keep(import->job.writer, true);
	while (import->index < import->count && !tc_ctx_failed(ctx))
		import_next(import);
	if (tc_ctx_failed(ctx))
		return;
	if (import->count > 0 && import->input_count == 0)
		tc_fail(ctx, TC_ERR_INPUT,
			"none of the %zu inputs could be read: there is nothing to analyse",
			import->count);
	else if (import->may_leave_out)
		tc_writer_keep(import->job.writer, false);
}

/* ---- all inputs are in */

/* Records where captured graphs came from, so that the store can be made again. */
static void record_captures(const struct import *import)
{
	const struct tc_import_options *options = import->options;

	for (size_t i = 0; i < options->capture_count && !tc_ctx_failed(import->ctx); i++) {
		const struct tc_sql_value values[] = {
			tc_sql_int((int64_t)i), tc_sql_string(options->capture_paths[i])};
		tc_sql_run(import->ctx, db_of(import),
			"INSERT INTO capture_file (id, path) VALUES (?, ?)", values, 2);
	}
}

/* A row of trace, whose id is its place among the inputs: none was left out. */
static void compare_input(const struct import *import, const struct tc_rows *row)
{
	int64_t id = tc_rows_int(row, 0);
	const struct tc_input_was now = {tc_rows_int(row, 1), tc_rows_int(row, 2)};
	const struct tc_input_was *was = &import->was[id];

	if (now.read_bytes == was->read_bytes && now.event_count == was->event_count)
		return;
	tc_fail(import->ctx, TC_ERR_INPUT,
		"%s is not the file that the store was made of: it had %lld bytes with %lld "
		"events, "
		"and has %lld with %lld; if it is the right one, import it by its name",
		import->paths[id], (long long)was->read_bytes, (long long)was->event_count,
		(long long)now.read_bytes, (long long)now.event_count);
}

/* Checks that the traces of a store that is made again are those that it was made of. */
static void compare_inputs(struct import *import)
{
	if (!import->was || tc_ctx_failed(import->ctx))
		return;
	struct tc_rows traces = tc_rows_open(import->ctx, db_of(import),
		"SELECT id, read_bytes, event_count FROM trace ORDER BY id");
	while (tc_rows_next(&traces))
		compare_input(import, &traces);
}

static void make_indexes(const struct import *import)
{
	TC_TIMED(import->ctx, "stage", "indexes");

	if (!tc_ctx_failed(import->ctx))
		tc_writer_index(import->job.writer, import->options->full_index);
}

static void relate_ranks(const struct import *import)
{
	TC_TIMED(import->ctx, "stage", "relate-ranks");

	if (!tc_ctx_failed(import->ctx))
		tc_ranks_relate(import->ctx, db_of(import));
}

static void find_stragglers(const struct import *import)
{
	TC_TIMED(import->ctx, "stage", "replay-ranks");

	if (import->fixes && !tc_ctx_failed(import->ctx))
		tc_stragglers_find(import->ctx, db_of(import), import->fixes, &import->replays);
}

static void read_given(const struct import *import, size_t index)
{
	tc_side_read(import->ctx, db_of(import), &import->options->side_paths[index], 1);
}

/* Where traces were left out, some side files may belong to none: they are left out as well. */
static void read_given_or_not(struct import *import)
{
	struct tc_writer *writer = import->job.writer;

	tc_writer_keep(writer, true);
	for (size_t i = 0; i < import->options->side_count && !tc_ctx_failed(import->ctx); i++) {
		read_given(import, i);
		if (tc_ctx_failed(import->ctx))
			leave_out(import, (int64_t)(import->count + i),
				import->options->side_paths[i]);
		else
			tc_writer_keep(writer, true);
	}
	if (!tc_ctx_failed(import->ctx))
		tc_writer_keep(writer, false);
}

/* After the traces: their ranks show which of them a side file belongs to. */
static void import_side_files(struct import *import)
{
	const struct tc_import_options *options = import->options;
	struct tc_ctx *ctx = import->ctx;
	bool is_short = import->input_count < import->count;

	if (is_short && options->side_count > 0 && !tc_ctx_failed(ctx))
		read_given_or_not(import);
	for (size_t i = 0; i < options->side_count && !is_short && !tc_ctx_failed(ctx); i++)
		read_given(import, i);
	if (options->no_side_files)
		return;
	/* A store has the side files of its traces. */
	for (size_t i = 0; i < import->kept_count && !tc_ctx_failed(ctx); i++)
		if (import->kept[i] != NO_PATH)
			tc_side_find(
				ctx, db_of(import), (int64_t)i, import->paths[import->kept[i]]);
}

static void record_advice(struct import *import)
{
	const struct tc_settings *settings = import->options->settings;

	if (!settings || tc_ctx_failed(import->ctx))
		return;
	sqlite3 *db = db_of(import);
	const struct tc_plan_replays replays = {
		import->count == 1 ? &import->only_replay : NULL, &import->replays};
	import->advice = tc_advise(import->ctx, db, settings);
	tc_sql_stop_on_interrupt(db, import->ctx); /* advice leaves the connection without */
	if (!import->advice)
		return;
	tc_plans_make(import->ctx, db, import->fixes, import->advice, &replays);
	if (!tc_ctx_failed(import->ctx))
		tc_advice_record(import->ctx, db, import->advice);
}

/* ---- the store */

/* A sealed store, or nothing. */
static void seal(struct tc_store **out, struct import *import)
{
	struct tc_advice **wanted = import->options->advice;
	TC_TIMED(import->ctx, "stage", "seal");

	if (tc_ctx_failed(import->ctx))
		tc_writer_discard(import->job.writer);
	else
		tc_writer_seal(out, import->job.writer);
	if (wanted && !tc_ctx_failed(import->ctx))
		*wanted = import->advice;
	else
		tc_advice_free(import->advice);
}

/* ---- the peaks that the user gives: a device by its name, or a file with figures of devices. */

enum { MAX_DEVICES = 64 }; /* of a file */

struct peaks {
	struct tc_ctx *ctx;
	struct tc_arena arena;
	const char *path;
	struct tc_hardware rows[MAX_DEVICES];
	size_t count;
};

/* The figure of a key, with what a unit of the file is; NULL for an unknown key. */
static double *figure_of(double *unit, struct tc_hardware *row, const char *key)
{
	const struct tc_text name = tc_text_from(key), suffix = tc_text_from("_tflops");
	const struct {
		const char *key;
		double *figure;
	} others[] = {{"memory_gb", &row->memory_bytes}, {"memory_gb_per_s", &row->bytes_per_s},
		{"link_gb_per_s", &row->link_bytes_per_s}};

	*unit = 1e9;
	for (size_t i = 0; i < TC_COUNT_OF(others); i++)
		if (strcmp(others[i].key, key) == 0)
			return others[i].figure;
	*unit = 1e12;
	for (int i = 0; i < TC_PRECISION_COUNT && tc_text_ends(name, suffix); i++)
		if (i != TC_PRECISION_UNKNOWN &&
			tc_text_equal(tc_text_from(tc_precision_name((enum tc_precision)i)),
				(struct tc_text){name.ptr, name.len - suffix.len}))
			return &row->flops_per_s[i];
	return NULL;
}

static void take_figure(
	struct peaks *peaks, struct tc_hardware *row, const char *key, const char *value)
{
	double unit = 1, number, *figure = figure_of(&unit, row, key);
	bool is_count = strcmp(key, "cores") == 0;

	if (!figure && !is_count)
		tc_fail(peaks->ctx, TC_ERR_USAGE,
			"%s: no such figure: give cores, memory_gb, memory_gb_per_s, "
			"link_gb_per_s, source, or the TFLOPS of matrix products as bf16_tflops, "
			"fp8_tflops and the like",
			key);
	else if (!tc_decimal_double(&number, tc_text_from(value)) || !(number > 0) ||
		 number > 1e9 || (is_count && number != floor(number)))
		tc_fail(peaks->ctx, TC_ERR_USAGE, "%s = %s: give a%s number above 0 and up to 1e9",
			key, value, is_count ? " whole" : "");
	else if (is_count)
		row->core_count = (int64_t)number;
	else
		*figure = number * unit;
}

/* The row of a device, which begins with what its data sheet says, if one is known. */
static struct tc_hardware *row_of(struct peaks *peaks, const char *name)
{
	for (size_t i = 0; i < peaks->count; i++)
		if (strcmp(peaks->rows[i].pattern, name) == 0)
			return &peaks->rows[i];
	if (peaks->count == MAX_DEVICES) {
		tc_fail(peaks->ctx, TC_ERR_USAGE, "[%s]: more than %d devices", name, MAX_DEVICES);
		return NULL;
	}
	const struct tc_hardware *known = tc_hardware_find(tc_text_from(name), 0);
	struct tc_hardware *row = &peaks->rows[peaks->count];
	*row = known ? *known : (struct tc_hardware){0};
	row->source = peaks->path;
	row->pattern = tc_arena_dup(&peaks->arena, tc_text_from(name));
	peaks->count += row->pattern != NULL;
	return row->pattern ? row : NULL;
}

static void take_peak(void *user, const char *section, const char *key, const char *value)
{
	struct peaks *peaks = user;
	struct tc_hardware *row = row_of(peaks, section);

	if (row && strcmp(key, "source") == 0)
		row->source = tc_arena_dup(&peaks->arena, tc_text_from(value));
	else if (row)
		take_figure(peaks, row, key, value);
}

/* The device of the file that is named, or its only one. */
static const struct tc_hardware *choose(const struct peaks *peaks, const char *device)
{
	for (size_t i = 0; device && i < peaks->count; i++)
		if (strcmp(peaks->rows[i].pattern, device) == 0)
			return &peaks->rows[i];
	if (!device && peaks->count == 1)
		return &peaks->rows[0];
	if (peaks->count == 0)
		tc_fail(peaks->ctx, TC_ERR_USAGE,
			"--peaks %s: no device in it: write [NAME] and figures below, such as "
			"bf16_tflops = 708",
			peaks->path);
	else if (device)
		tc_fail(peaks->ctx, TC_ERR_USAGE,
			"--device '%s': not in %s, which has [%s]%s: give the whole name", device,
			peaks->path, peaks->rows[0].pattern, peaks->count > 1 ? " and others" : "");
	else
		tc_fail(peaks->ctx, TC_ERR_USAGE,
			"--peaks %s: it has %zu devices: say which with --device, as --device '%s'",
			peaks->path, peaks->count, peaks->rows[0].pattern);
	return NULL;
}

static const struct tc_hardware *read_peaks(
	struct peaks *peaks, struct tc_ctx *ctx, const struct tc_import_options *options)
{
	const struct tc_ini ini = {.what = "the peaks in",
		.kind = "an ini file of peaks",
		.homeless = "a figure of no device: write [NAME] above it",
		.formless = "neither [NAME OF A DEVICE] nor FIGURE = NUMBER",
		.limit_bytes = TC_SETTINGS_MAX_FILE_BYTES,
		.take = take_peak,
		.user = peaks};

	peaks->ctx = peaks->arena.ctx = ctx;
	peaks->path = options->peaks_path;
	tc_ini_read(&ini, ctx, peaks->path);
	return tc_ctx_failed(ctx) ? NULL : choose(peaks, options->device);
}

/* The device that the user named or has figures of; NULL without the options, and when no data
 * sheet of it is listed, which fails. */
static const struct tc_hardware *hardware_of(
	struct peaks *peaks, struct tc_ctx *ctx, const struct tc_import_options *options)
{
	if (options->peaks_path)
		return read_peaks(peaks, ctx, options);
	if (!options->device)
		return NULL;
	const struct tc_hardware *hardware = tc_hardware_find(tc_text_from(options->device), -1);
	if (!hardware)
		tc_fail(ctx, TC_ERR_USAGE,
			"--device '%s': no data sheet of such a device is known; docs/hardware.md "
			"lists names such as \"H100 PCIe\" and \"MI300X\"; --peaks takes figures "
			"from a file",
			options->device);
	return hardware;
}

/* Imports the inputs as tc_import() does paths; options->capture_paths are only recorded. */
static void import_inputs(struct tc_store **out, struct tc_ctx *ctx, const struct tc_inputs *inputs,
	const char *db_path, const struct tc_import_options *options,
	struct tc_companion *companion)
{
	struct peaks peaks = {.count = 0};
	struct import import = {.job = {.ctx = ctx,
					.companion = companion,
					.hardware = hardware_of(&peaks, ctx, options),
					.inline_stages = options->inline_stages,
					.strict = options->strict},
		.ctx = ctx,
		.options = options,
		.paths = inputs->traces.items,
		.are_stores = inputs->are_stores,
		.was = inputs->was,
		.count = inputs->traces.count};

	if (tc_ctx_failed(ctx)) {
		tc_arena_clear(&peaks.arena);
		return;
	}
	tc_writer_open(&import.job.writer, ctx, db_path);
	import.join = (struct tc_join){.ctx = ctx,
		.writer = import.job.writer,
		.arena.ctx = ctx,
		.input_count = inputs->traces.count + options->side_count};
	if (options->settings && !tc_ctx_failed(ctx))
		import.fixes = tc_advice_fixes_new(ctx, options->settings);
	import.job.fixes = import.fixes;
	import_traces(&import);
	record_captures(&import);
	compare_inputs(&import);
	make_indexes(&import);
	relate_ranks(&import);
	find_stragglers(&import);
	import_side_files(&import);
	record_advice(&import);
	tc_arena_clear(&import.join.arena);
	tc_free(import.kept);
	tc_whatif_clear(&import.only_replay);
	tc_replays_clear(&import.replays);
	tc_advice_fixes_free(import.fixes);
	tc_arena_clear(&peaks.arena);
	seal(out, &import);
}

/* ---- companions */

/* A trace, or a directory of them, is imported into a temporary store. */
static struct tc_store *open_capture(
	struct tc_ctx *ctx, const char *path, const struct tc_import_options *options)
{
	const struct tc_import_options own = {.inline_stages = options->inline_stages,
		.no_side_files = true,
		.strict = options->strict};
	struct tc_store *store = NULL;
	struct tc_inputs inputs;

	if (tc_import_is_store(ctx, path)) {
		tc_store_open(&store, ctx, path);
		return store;
	}
	tc_inputs_find(&inputs, ctx, &path, 1, &own);
	import_inputs(&store, ctx, &inputs, NULL, &own, NULL);
	tc_inputs_clear(&inputs);
	return store;
}

/* One trace in which nothing was captured is an error. */
static void add_capture(struct tc_companion *companion, struct tc_ctx *ctx, const char *path,
	const struct tc_import_options *options)
{
	size_t before = companion->tree.captures.count;
	struct tc_store *store = open_capture(ctx, path, options);

	if (store)
		tc_companion_add(companion, ctx, tc_store_db(store));
	tc_store_close(store);
	if (!tc_ctx_failed(ctx) && companion->tree.captures.count == before)
		tc_fail(ctx, TC_ERR_INPUT,
			"%s: no graph is captured in it: give a trace that has the calls from "
			"cudaStreamBeginCapture or hipStreamBeginCapture to the end of the capture",
			path);
}

/* NULL without captures, and on failure. free_companion() afterwards. */
static struct tc_companion *read_companion(
	struct tc_ctx *ctx, const struct tc_import_options *options)
{
	if (options->capture_count == 0 || tc_ctx_failed(ctx))
		return NULL;
	struct tc_companion *companion = tc_new(ctx, 1, sizeof(*companion));
	for (size_t i = 0; i < options->capture_count && !tc_ctx_failed(ctx); i++)
		add_capture(companion, ctx, options->capture_paths[i], options);
	return companion;
}

static void free_companion(struct tc_companion *companion)
{
	if (companion)
		tc_companion_clear(companion);
	tc_free(companion);
}

enum tc_status tc_import(struct tc_store **out, struct tc_ctx *ctx, const char *const *paths,
	size_t count, const char *db_path, const struct tc_import_options *options)
{
	static const struct tc_import_options none = {0};

	TC_ENTER(ctx);
	if (!options)
		options = &none;
	TC_CHECK_SIZE(ctx, options);
	if (tc_ctx_failed(ctx))
		return tc_ctx_status(ctx);
	struct tc_import_options own = *options;
	struct tc_inputs inputs;

	tc_inputs_find(&inputs, ctx, paths, count, options);
	if (options->side_count == 0) {
		own.side_paths = inputs.sides.items;
		own.side_count = inputs.sides.count;
	}
	if (options->capture_count == 0) {
		own.capture_paths = inputs.captures.items;
		own.capture_count = inputs.captures.count;
	}
	if (!tc_ctx_failed(ctx) && db_path && tc_reads_has(ctx, db_path))
		tc_fail(ctx, TC_ERR_USAGE,
			"%s: a store is not written over what it is made of: choose another name",
			db_path);
	struct tc_companion *companion = read_companion(ctx, &own);
	import_inputs(out, ctx, &inputs, db_path, &own, companion);
	free_companion(companion);
	tc_inputs_clear(&inputs);
	return tc_ctx_status(ctx);
}

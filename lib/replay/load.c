/*
 * Load: a recording from the tables of its store. A timeline is made of them with all that a replay
 * looks at. Labels are classified again from their names; everything else comes from the tables.
 *
 * Another program may have changed the store: what a number of it is used for, as an index, a size
 * or a time, it must be fit for, else the store is refused.
 */
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/limits.h"
#include "decode/sink.h"
#include "names/hardware/hardware.h"
#include "names/names.h"
#include "replay/match.h"
#include "replay/replay.h"
#include "store/sql.h"

struct loaded {
	struct tc_arena arena;
	struct tc_timeline *timeline;
	struct tc_strtab texts; /* of names */
	struct tc_names *names;
	/* Host slices that launched copies to and from a device. */
	struct tc_slice_bits inputs, outputs, early;
	/* by track.id - first_track: index of the timeline's track, or UINT32_MAX */
	uint32_t *tracks;
	int64_t first_track;
	int64_t last_slice;  /* the highest slice_row.id */
	int64_t first_label; /* label.id of the timeline's first */
	struct tc_hardware hardware;
	sqlite3_stmt *call, *args; /* a slice's time; its recipe, data type and args */
};

static void refuse(const struct loaded *loaded, const char *what, int64_t id)
{
	tc_fail(loaded->timeline->ctx, TC_ERR_STORE, "%s %lld is out of bounds", what,
		(long long)id);
}

static bool is_time(int64_t ts_ns, int64_t dur_ns)
{
	return ts_ns >= -TC_TIME_MAX_NS && ts_ns <= TC_TIME_MAX_NS && dur_ns >= -1 &&
	       dur_ns <= TC_TIME_MAX_NS;
}

static bool is_slice(const struct loaded *loaded, int64_t id)
{
	return id >= 0 && id <= loaded->last_slice;
}

/* A text that lives as long as what is loaded; ptr NULL for NULL. */
static struct tc_text keep_text(struct loaded *loaded, sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	if (!text) {
		if (sqlite3_column_type(row, column) != SQLITE_NULL)
			tc_no_memory(loaded->timeline->ctx);
		return TC_TEXT_NONE;
	}
	uint32_t number = tc_strtab_intern(
		&loaded->texts, (struct tc_text){text, (size_t)sqlite3_column_bytes(row, column)});
	return number == TC_STRTAB_NONE ? TC_TEXT_NONE : tc_strtab_at(&loaded->texts, number);
}

/* id, category and name */
static void take_label(void *user, sqlite3_stmt *row)
{
	struct loaded *loaded = user;
	struct tc_label label = {0};
	struct tc_buf key = {.ctx = loaded->timeline->ctx};
	int64_t id = sqlite3_column_int64(row, 0);

	if (id != loaded->first_label + (int64_t)loaded->timeline->label_count) {
		refuse(loaded, "the number of label", id);
		return;
	}
	tc_label_key(&key, tc_sql_column(row, 1).text, tc_sql_column(row, 2).text);
	uint32_t number = tc_strtab_intern(&loaded->texts, tc_buf_text(&key));
	tc_buf_clear(&key);
	if (number == TC_STRTAB_NONE || tc_ctx_failed(loaded->timeline->ctx))
		return;
	tc_label_set_key(&label, tc_strtab_at(&loaded->texts, number));
	tc_names_classify(loaded->names, &label);
	TC_TIMELINE_ADD(loaded->timeline, label, &label);
}

static int32_t device_number(struct loaded *loaded, sqlite3_stmt *row, int column)
{
	struct tc_timeline *timeline = loaded->timeline;
	const struct tc_device device = {.name = keep_text(loaded, row, column)};

	for (size_t i = 0; i < timeline->device_count; i++)
		if (tc_text_equal(timeline->devices[i].name, device.name))
			return (int32_t)i;
	return (int32_t)TC_TIMELINE_ADD(timeline, device, &device);
}

static enum tc_engine engine_of(const char *name)
{
	for (int i = 1; name && i < TC_ENGINE_COUNT; i++)
		if (strcmp(tc_engine_name((enum tc_engine)i), name) == 0)
			return (enum tc_engine)i;
	return TC_ENGINE_NONE;
}

/* track.id, kind, name, device, engine, number of the host thread */
static void take_track(void *user, sqlite3_stmt *row)
{
	struct loaded *loaded = user;
	const char *kind = (const char *)sqlite3_column_text(row, 1);
	struct tc_track track = {.kind = TC_TRACK_ASYNC,
		.name = keep_text(loaded, row, 2),
		.host_thread = -1,
		.device = -1};
	int64_t number = sqlite3_column_int64(row, 0) - loaded->first_track;

	if (!kind) {
		tc_no_memory(loaded->timeline->ctx);
		return;
	}
	if (strcmp(kind, "lane") == 0) {
		track.kind = TC_TRACK_LANE;
		track.device = device_number(loaded, row, 3);
		track.engine = engine_of((const char *)sqlite3_column_text(row, 4));
	} else if (strcmp(kind, "thread") == 0) {
		track.kind = TC_TRACK_THREAD;
		track.host_thread = sqlite3_column_int(row, 5) - 1;
		if ((size_t)track.host_thread + 1 > loaded->timeline->host_thread_count)
			loaded->timeline->host_thread_count = (size_t)track.host_thread + 1;
	}
	int64_t index = TC_TIMELINE_ADD(loaded->timeline, track, &track);
	if (!tc_ctx_failed(loaded->timeline->ctx))
		loaded->tracks[number] = (uint32_t)index;
}

static void take_step(void *user, sqlite3_stmt *row)
{
	struct loaded *loaded = user;
	const struct tc_step step = {.id = sqlite3_column_int64(row, 0),
		.number = sqlite3_column_int64(row, 1),
		.ts_ns = sqlite3_column_int64(row, 2),
		.dur_ns = sqlite3_column_int64(row, 3),
		.slice_id = sqlite3_column_int64(row, 4),
		.is_warm_up = sqlite3_column_int(row, 5) != 0};

	if (step.slice_id == -1 || is_slice(loaded, step.slice_id))
		TC_TIMELINE_ADD(loaded->timeline, step, &step);
	else
		refuse(loaded, "the slice of a step", step.slice_id);
}

static void take_copy(void *user, sqlite3_stmt *row)
{
	struct loaded *loaded = user;
	bool is_input = sqlite3_column_int(row, 1) != 0;
	int64_t launch_id = sqlite3_column_int64(row, 0);

	if (is_slice(loaded, launch_id))
		tc_slice_bits_set(
			is_input ? &loaded->inputs : &loaded->outputs, &loaded->arena, launch_id);
	else
		refuse(loaded, "the launch of a copy", launch_id);
}

/* A call for a blocking copy that did not wait for it. */
static void take_early(void *user, sqlite3_stmt *row)
{
	struct loaded *loaded = user;
	int64_t launch_id = sqlite3_column_int64(row, 0);

	if (is_slice(loaded, launch_id))
		tc_slice_bits_set(&loaded->early, &loaded->arena, launch_id);
	else
		refuse(loaded, "the launch of a copy", launch_id);
}

/* The index of a label.id; false where it is none of this trace. */
static bool find_label(uint32_t *index, const struct loaded *loaded, int64_t id)
{
	bool is_known = id >= loaded->first_label &&
			id - loaded->first_label < (int64_t)loaded->timeline->label_count;

	*index = is_known ? (uint32_t)(id - loaded->first_label) : 0;
	return is_known;
}

/* Adds the time and the name of an operation's launch. */
static void add_launch(struct loaded *loaded, struct tc_span *span, int64_t launch_id)
{
	if (!is_slice(loaded, launch_id)) {
		refuse(loaded, "the launch", launch_id);
		return;
	}
	sqlite3_bind_int64(loaded->call, 1, launch_id);
	if (sqlite3_step(loaded->call) == SQLITE_ROW) {
		int64_t ts_ns = sqlite3_column_int64(loaded->call, 0);
		int64_t dur_ns = sqlite3_column_int64(loaded->call, 1);
		int64_t label = sqlite3_column_int64(loaded->call, 2);
		span->launch_slice_id = launch_id;
		if (!is_time(ts_ns, dur_ns)) {
			refuse(loaded, "the time of slice", launch_id);
		} else if (!find_label(&span->launch_label, loaded, label)) {
			refuse(loaded, "the label of slice", launch_id);
		} else {
			span->launch_ts_ns = ts_ns;
			span->launch_end_ns = ts_ns + dur_ns;
		}
	}
	sqlite3_reset(loaded->call);
}

/* Adds the recipe and the data type of an operation. */
static void add_args(struct loaded *loaded, struct tc_span *span)
{
	struct tc_strtab *texts = &loaded->timeline->texts;

	sqlite3_bind_int64(loaded->args, 1, span->slice_id);
	if (sqlite3_step(loaded->args) == SQLITE_ROW) {
		struct tc_text recipe = keep_text(loaded, loaded->args, 0);
		struct tc_text type = keep_text(loaded, loaded->args, 1);
		if (recipe.ptr)
			span->recipe = tc_strtab_intern(texts, recipe);
		if (type.ptr)
			span->data_type = tc_strtab_intern(texts, type);
	}
	sqlite3_reset(loaded->args);
}

/* One number for the sizes and types of inputs; 0 where none are recorded. */
static uint64_t shape_of(const struct tc_op_inputs *inputs)
{
	uint64_t hash = inputs->count;

	for (size_t i = 0; i < inputs->count; i++) {
		const struct tc_input *input = &inputs->input[i];
		hash = hash * 31 + tc_hash_of(input->size, input->rank * sizeof(*input->size));
		hash = hash * 31 + (uint64_t)input->element_bytes * TC_PRECISION_COUNT +
		       input->precision;
	}
	return hash;
}

/* Adds the shape of an operation's inputs, and their work. */
static void add_work(struct loaded *loaded, struct tc_span *span)
{
	enum tc_work_kind kind = loaded->timeline->labels[span->label].work;
	struct tc_op_inputs inputs;

	if (kind == TC_WORK_NONE)
		return;
	sqlite3_bind_int64(loaded->args, 1, span->slice_id);
	if (sqlite3_step(loaded->args) == SQLITE_ROW) {
		struct tc_text args = tc_sql_column(loaded->args, 2).text;
		if (args.ptr && tc_op_inputs_read(&inputs, args))
			span->shape = shape_of(&inputs);
		if (span->shape != 0)
			tc_works_add(&loaded->timeline->works, loaded->timeline->ctx, kind,
				span->label, span->shape, args);
	}
	sqlite3_reset(loaded->args);
}

/* bytes per second, precision, FLOPs per second */
static void take_peak(void *user, sqlite3_stmt *row)
{
	struct loaded *loaded = user;
	struct tc_text name = tc_sql_column(row, 1).text;

	loaded->hardware.bytes_per_s = sqlite3_column_double(row, 0);
	for (int i = 0; name.ptr && i < TC_PRECISION_COUNT; i++)
		if (tc_text_equal(name, tc_text_from(tc_precision_name((enum tc_precision)i))))
			loaded->hardware.flops_per_s[i] = sqlite3_column_double(row, 2);
	loaded->timeline->hardware = &loaded->hardware;
}

static int32_t step_number(const struct tc_timeline *timeline, int64_t id)
{
	for (size_t i = 0; i < timeline->step_count; i++)
		if (timeline->steps[i].id == id)
			return (int32_t)i;
	return -1;
}

/* slice id, ts, dur, track, label, launch, step */
static void take_slice(void *user, sqlite3_stmt *row)
{
	struct loaded *loaded = user;
	struct tc_span span = {.slice_id = sqlite3_column_int64(row, 0),
		.ts_ns = sqlite3_column_int64(row, 1),
		.dur_ns = sqlite3_column_int64(row, 2),
		.track = loaded->tracks[sqlite3_column_int64(row, 3) - loaded->first_track],
		.launch_slice_id = TC_NO_ID,
		.step = -1,
		.sizes = TC_STRTAB_NONE,
		.types = TC_STRTAB_NONE,
		.data_type = TC_STRTAB_NONE,
		.recipe = TC_STRTAB_NONE};

	if (!is_time(span.ts_ns, span.dur_ns)) {
		refuse(loaded, "the time of slice", span.slice_id);
		return;
	}
	if (!find_label(&span.label, loaded, sqlite3_column_int64(row, 4))) {
		refuse(loaded, "the label of slice", span.slice_id);
		return;
	}
	span.layer = tc_label_layer(&loaded->timeline->labels[span.label]);
	if (sqlite3_column_type(row, 6) != SQLITE_NULL)
		span.step = step_number(loaded->timeline, sqlite3_column_int64(row, 6));
	if (tc_slice_bits_get(&loaded->inputs, span.slice_id))
		span.role = TC_ROLE_INPUT_COPY;
	else if (tc_slice_bits_get(&loaded->outputs, span.slice_id))
		span.role = TC_ROLE_OUTPUT_COPY;
	else if (tc_slice_bits_get(&loaded->early, span.slice_id))
		span.role = TC_ROLE_LAUNCH;
	const struct tc_track *track = &loaded->timeline->tracks[span.track];
	if (track->kind == TC_TRACK_LANE && sqlite3_column_type(row, 5) != SQLITE_NULL)
		add_launch(loaded, &span, sqlite3_column_int64(row, 5));
	if (track->kind == TC_TRACK_LANE && tc_engine_is_gaudi(track->engine))
		add_args(loaded, &span);
	if (track->kind == TC_TRACK_THREAD)
		add_work(loaded, &span);
	if (!tc_ctx_failed(loaded->timeline->ctx))
		tc_spans_add(loaded->timeline->spans, &span);
}

static const char tracks_sql[] = "SELECT k.id, k.kind, k.name, k.device, k.engine,"
				 " dense_rank() OVER (PARTITION BY k.kind = 'thread'"
				 "  ORDER BY coalesce(t.host_thread_id, t.id))"
				 " FROM track k LEFT JOIN thread t ON t.id = k.thread_id"
				 " WHERE k.trace_id = ?1 ORDER BY k.id";

/* All read the slices from ?2 to ?3 only: all of a store would be read for each of its traces. */

/* A call that makes copies gets the role of the last one; nearly every call makes just one. */
static const char copies_sql[] =
	"SELECT d.launch_slice_id, max(l.direction = 'HtoD') FROM slice_row s"
	" CROSS JOIN track k ON k.id = s.track_id AND k.device IS NOT NULL AND k.trace_id = ?1"
	" JOIN label l ON l.id = s.label_id AND l.kind = 'memcpy'"
	"  AND l.direction IN ('HtoD', 'DtoH')"
	" JOIN device_link d ON d.last_slice_id >= s.id AND d.method = 'correlation'"
	"  AND d.first_slice_id = (SELECT max(r.first_slice_id) FROM device_link r"
	"   WHERE r.first_slice_id <= s.id)"
	" WHERE s.id BETWEEN ?2 AND ?3 AND d.launch_slice_id IS NOT NULL GROUP BY 1";

/* Link by link, in this order: blocking copies are few, and found by nothing but their calls. */
static const char early_sql[] =
	"SELECT DISTINCT c.id FROM device_link d"
	" CROSS JOIN slice_row c ON c.id = d.launch_slice_id"
	" CROSS JOIN label n ON n.id = c.label_id AND n.mark = 'blocking_copy'"
	" CROSS JOIN track k ON k.id = c.track_id AND k.trace_id = ?1"
	" CROSS JOIN slice_row s ON s.id BETWEEN d.first_slice_id AND d.last_slice_id"
	" WHERE d.method = 'correlation' AND d.first_slice_id BETWEEN ?2 AND ?3"
	"  AND s.ts + max(s.dur, 0) > c.ts + max(c.dur, 0) ORDER BY 1";

static const char slices_sql[] =
	"SELECT s.id, s.ts, s.dur, s.track_id, s.label_id, d.launch_slice_id, d.step_id"
	" FROM slice_row s CROSS JOIN track k ON k.id = s.track_id AND k.trace_id = ?1"
	" LEFT JOIN device_link d ON k.device IS NOT NULL AND d.last_slice_id >= s.id"
	"  AND d.first_slice_id = (SELECT max(r.first_slice_id) FROM device_link r"
	"   WHERE r.first_slice_id <= s.id)"
	" WHERE s.id BETWEEN ?2 AND ?3 ORDER BY s.id";

/* The slices of a trace follow each other, and so do its tracks and labels. */
struct rows {
	int64_t first_track, last_track;
	int64_t first_slice, last_slice;
	int64_t first_label, last_label;
};

/* The lowest slice_row.id on a track of at least this id, where they follow each other. */
static int64_t first_slice_from(
	const struct loaded *loaded, struct tc_tables *tables, int64_t track)
{
	int64_t low = 0, high = loaded->last_slice + 1;

	while (low < high && !tc_ctx_failed(tables->ctx)) {
		const struct tc_sql_value middle = tc_sql_int(low + (high - low) / 2);
		int64_t at = INT64_MAX;
		tc_tables_find(&at, tables,
			"SELECT track_id FROM slice_row WHERE id >= ?1 ORDER BY id LIMIT 1",
			&middle);
		if (at >= track)
			high = middle.i64;
		else
			low = middle.i64 + 1;
	}
	return low;
}

static void take_labels(void *user, sqlite3_stmt *row)
{
	struct rows *rows = user;

	rows->first_label = sqlite3_column_int64(row, 0);
	rows->last_label = sqlite3_column_int64(row, 1);
}

/* Finds the rows of the trace. Where another program has changed the order, or the number, of
 * slices, the slices may be anywhere. */
static void find_rows(struct rows *rows, const struct loaded *loaded, struct tc_tables *tables)
{
	struct tc_sql_value values[] = {tc_sql_int(rows->first_track), tc_sql_int(rows->last_track),
		tc_sql_int(first_slice_from(loaded, tables, rows->first_track)),
		tc_sql_int(first_slice_from(loaded, tables, rows->last_track + 1) - 1)};
	const struct tc_sql_value trace = tc_sql_int(loaded->timeline->trace_id);
	int64_t found = 0, recorded = -1;

	tc_tables_find(&found, tables,
		"SELECT count(*) FROM slice_row WHERE track_id BETWEEN ?1 AND ?2"
		" AND id BETWEEN ?3 AND ?4",
		values);
	tc_tables_find(&recorded, tables,
		"SELECT value FROM metric WHERE name = 'slice_count' AND trace_id = ?1"
		" AND step IS NULL",
		&trace);
	if (found != recorded) {
		values[2] = tc_sql_int(0);
		values[3] = tc_sql_int(loaded->last_slice);
	}
	rows->first_slice = values[2].i64;
	rows->last_slice = values[3].i64;
	tc_tables_each(tables,
		"SELECT min(label_id), max(label_id) FROM slice_row WHERE track_id BETWEEN ?1 AND "
		"?2"
		" AND id BETWEEN ?3 AND ?4",
		values, take_labels, rows);
}

/* Prepares what rows need that are read later. */
static void open_loaded(struct loaded *loaded, struct rows *rows, struct tc_tables *tables)
{
	struct tc_ctx *ctx = tables->ctx;
	const struct tc_sql_value trace = tc_sql_int(loaded->timeline->trace_id);
	int64_t last = 0;

	loaded->arena.ctx = loaded->texts.ctx = ctx;
	tc_tables_find(&loaded->first_track, tables,
		"SELECT min(id) FROM track WHERE trace_id = ?1", &trace);
	bool found = tc_tables_find(
		&last, tables, "SELECT max(id) FROM track WHERE trace_id = ?1", &trace);
	tc_tables_find(&loaded->last_slice, tables, "SELECT max(id) FROM slice_row", NULL);
	if (found && (loaded->first_track < 0 || last - loaded->first_track >= UINT32_MAX)) {
		refuse(loaded, "the number of track", last);
		return;
	}
	*rows = (struct rows){.first_track = loaded->first_track, .last_track = last};
	find_rows(rows, loaded, tables);
	loaded->first_label = rows->first_label;
	tc_sql_prepare(&loaded->call, ctx, tables->db,
		"SELECT ts, max(dur, 0), label_id FROM slice_row WHERE id = ?1");
	tc_sql_prepare(&loaded->args, ctx, tables->db,
		"SELECT coalesce(json_extract(args, '$.recipeName'), '') || '#' ||"
		" nullif(json_extract(args, '$.recipeId'), 0), json_extract(args, '$.dataType'),"
		" iif(typeof(args) = 'text', args, NULL) FROM slice_args WHERE slice_id = ?1");
	size_t span = found ? (size_t)(last - loaded->first_track + 1) : 0;
	TC_ARENA(&loaded->arena, loaded->tracks, span);
	for (size_t i = 0; loaded->tracks && i < span; i++)
		loaded->tracks[i] = UINT32_MAX;
	loaded->names = tc_names_new();
	if (!loaded->names)
		tc_no_memory(ctx);
}

static void load(struct loaded *loaded, sqlite3 *db)
{
	struct tc_tables tables = TC_TABLES_OF(loaded->timeline->ctx, db);
	const struct tc_sql_value trace = tc_sql_int(loaded->timeline->trace_id);
	struct rows rows = {0};

	open_loaded(loaded, &rows, &tables);
	const struct tc_sql_value labels[] = {tc_sql_int(rows.first_label),
		tc_sql_int(rows.last_label)},
				  slices[] = {trace, tc_sql_int(rows.first_slice),
					  tc_sql_int(rows.last_slice)};
	tc_tables_each(&tables,
		"SELECT id, category, name FROM label WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
		labels, take_label, loaded);
	tc_tables_each(&tables, tracks_sql, &trace, take_track, loaded);
	tc_tables_each(&tables,
		"SELECT id, number, ts, dur, slice_id, is_warm_up FROM counted_step"
		" WHERE trace_id = ?1 ORDER BY ts, id",
		&trace, take_step, loaded);
	/* What a cut has behind its steps is of none. */
	tc_tables_find(&loaded->timeline->steps_until_ns, &tables,
		"SELECT json_extract(value, '$.steps_until_ns') FROM trace_meta WHERE trace_id = ?1"
		" AND key = '" TC_CUT_MEMBER "' AND json_valid(value) ORDER BY rowid DESC LIMIT 1",
		&trace);
	/* Where the steps of a server are, its framework's turns are meant. */
	int64_t has_loop = 1;
	tc_tables_find(&has_loop, &tables,
		"SELECT present FROM capability WHERE trace_id = ?1 AND name = 'loop'", &trace);
	loaded->timeline->steps_are_iterations = has_loop == 0;
	tc_tables_each(&tables,
		"SELECT d.hbm_bytes_per_s, p.precision, p.flops_per_s FROM device_peak d"
		" LEFT JOIN precision_peak p ON p.trace_id = d.trace_id WHERE d.trace_id = ?1",
		&trace, take_peak, loaded);
	tc_tables_each(&tables, copies_sql, slices, take_copy, loaded);
	tc_tables_each(&tables, early_sql, slices, take_early, loaded);
	tc_tables_each(&tables, slices_sql, slices, take_slice, loaded);
	tc_tables_end(&tables);
	if (!tc_ctx_failed(tables.ctx))
		tc_timeline_sort(loaded->timeline);
}

void tc_replay_load(struct tc_replay *recording, sqlite3 *db, int64_t trace_id,
	const struct tc_clause *clauses, size_t clause_count, struct tc_ctx *ctx)
{
	struct loaded loaded = {.timeline = tc_timeline_new(ctx, trace_id), .arena.ctx = ctx};

	*recording = (struct tc_replay){0};
	if (loaded.timeline)
		load(&loaded, db);
	if (!tc_ctx_failed(ctx))
		tc_replay_make(recording, loaded.timeline, clauses, clause_count);
	sqlite3_finalize(loaded.call);
	sqlite3_finalize(loaded.args);
	tc_timeline_free(loaded.timeline);
	tc_names_free(loaded.names);
	tc_strtab_clear(&loaded.texts);
	tc_arena_clear(&loaded.arena);
}

/*
 * Load: a recording from its store. The slices of a timeline are kept in the store as import had
 * them, with their launches and roles, packed; labels, tracks and steps come from their tables, and
 * labels are classified again from their names. So a timeline comes out that gives the same program
 * as at import, with any edits.
 *
 * Slices are in the order of tracks and times. Of each the differences of its fields to those of
 * the slice before it are kept as zigzag LEB128, the fields of its launch only where it has one:
 *
 *   ts 100 dur 7 ...    then ts 110 dur 5 ...         100 7 ... 10 -2 ...
 *
 * Some ten thousand of them make a row of timeline_block, a frame of zstd. Its columns have the
 * first ids of the trace, and all others are counted from these: whoever copies the trace into
 * another store has nothing to change in a frame.
 *
 * Another program may have changed the store: what a number of it is used for, as an index, a size
 * or a time, it must be fit for, else the store is refused.
 */
#include <string.h>
#include <zstd.h>

#include "core/alloc.h"
#include "core/collections/arena.h"
#include "core/limits.h"
#include "core/saturate.h"
#include "decode/sink.h"
#include "names/hardware/hardware.h"
#include "names/names.h"
#include "replay/whatif.h"
#include "store/sql.h"

/* The fields of a slice as they are kept; those from LAUNCH_TS on only of one with a launch. */
enum field {
	TS,
	DUR,
	SLICE, /* as is LAUNCH, counted from the first of the trace */
	TRACK, /* an index of the timeline, as are LABEL, LAUNCH_LABEL and STEP */
	LABEL,
	STEP, /* -1 for none */
	ROLE,
	RECIPE, /* 0 for none, as are the two below; else a number for each, from 1 */
	TYPE,   /* of the data: 1 + enum tc_precision */
	WORK,   /* 1 + the number of the work; of a kernel the number of its launch's blocks */
	LAUNCH,
	LAUNCH_TS,
	LAUNCH_DUR,
	LAUNCH_LABEL,
	FIELD_COUNT,
};

enum {
	BLOCK_BYTES = 512 * 1024, /* before compression */
	FIELD_BYTES = 10,         /* of a number of 64 bits at most */
	LEVEL = 1,                /* of compression */
};

/* ---- keeping */

struct keeper {
	const struct tc_timeline *timeline;
	struct tc_tables tables;
	uint32_t type; /* the last type of data, and its precision */
	enum tc_precision precision;
	struct tc_buf block, packed;
	int64_t before[FIELD_COUNT]; /* of the slice before, in this block */
	int64_t block_count;
};

static void end_block(struct keeper *keeper)
{
	const struct tc_timeline *timeline = keeper->timeline;
	size_t room = ZSTD_compressBound(keeper->block.len);

	tc_buf_reset(&keeper->packed);
	char *packed = tc_buf_extend(&keeper->packed, room);
	if (!packed || keeper->block.len == 0)
		return;
	size_t len = ZSTD_compress(packed, room, keeper->block.ptr, keeper->block.len, LEVEL);
	if (ZSTD_isError(len)) {
		tc_no_memory(timeline->ctx);
		return;
	}
	const struct tc_sql_value values[] = {tc_sql_int(timeline->trace_id),
		tc_sql_int(keeper->block_count++), tc_sql_int(timeline->label_base),
		tc_sql_int(timeline->label_base + (int64_t)timeline->label_count - 1),
		tc_sql_int(timeline->track_base), tc_sql_int(timeline->slice_base),
		tc_sql_text((struct tc_text){packed, len})};
	TC_TABLES_PUT(&keeper->tables,
		"INSERT INTO timeline_block (trace_id, ord, first_label_id, last_label_id,"
		" first_track_id, first_slice_id, bytes)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, CAST(?7 AS BLOB))",
		values);
	tc_buf_reset(&keeper->block);
	memset(keeper->before, 0, sizeof(keeper->before));
}

static int64_t type_of(struct keeper *keeper, const struct tc_span *span)
{
	if (span->data_type == TC_STRTAB_NONE)
		return 0;
	if (span->data_type != keeper->type)
		keeper->precision =
			tc_precision_of(tc_strtab_at(&keeper->timeline->texts, span->data_type));
	keeper->type = span->data_type;
	return 1 + (int64_t)keeper->precision;
}

/* The number of a kernel is that of its blocks; a framework operation may lie on a lane, too. */
static bool has_blocks(const struct tc_label *label)
{
	return label->kind == TC_OP_KERNEL && !label->is_op;
}

static int64_t work_of(const struct tc_timeline *timeline, const struct tc_span *span)
{
	if (has_blocks(&timeline->labels[span->label]))
		return (int64_t)span->shape;
	uint32_t work = span->shape == 0
				? UINT32_MAX
				: tc_works_find(&timeline->works, span->label, span->shape);

	return work == UINT32_MAX ? 0 : 1 + (int64_t)work;
}

/* Wraps around where 64 bits do not hold it. */
static int64_t difference(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void keep_span(struct keeper *keeper, const struct tc_span *span)
{
	const struct tc_timeline *timeline = keeper->timeline;
	const bool has_launch = span->launch_slice_id != TC_NO_ID;
	const enum tc_role role = tc_span_role(timeline, span);
	const int64_t fields[FIELD_COUNT] = {[TS] = span->ts_ns,
		[DUR] = span->dur_ns,
		[SLICE] = span->slice_id - timeline->slice_base,
		[TRACK] = span->track,
		[LABEL] = span->label,
		[STEP] = span->step < 0 ? -1 : span->step,
		[ROLE] = role == TC_ROLE_INPUT_COPY ? role : span->role,
		[RECIPE] = (uint32_t)(span->recipe + 1),
		[TYPE] = type_of(keeper, span),
		[WORK] = work_of(timeline, span),
		[LAUNCH] = has_launch ? span->launch_slice_id - timeline->slice_base : TC_NO_ID,
		[LAUNCH_TS] = span->launch_ts_ns,
		[LAUNCH_DUR] = difference(span->launch_end_ns, span->launch_ts_ns),
		[LAUNCH_LABEL] = span->launch_label};
	char bytes[FIELD_COUNT * FIELD_BYTES], *at = bytes;

	for (size_t i = 0; i < (has_launch ? FIELD_COUNT : LAUNCH_TS); i++) {
		int64_t more = difference(fields[i], keeper->before[i]);
		uint64_t left = (uint64_t)more << 1 ^ (uint64_t)(more >> 63);
		for (; left >= 0x80; left >>= 7)
			*at++ = (char)(left | 0x80);
		*at++ = (char)left;
		keeper->before[i] = fields[i];
	}
	tc_buf_append(&keeper->block, bytes, (size_t)(at - bytes));
	if (keeper->block.len > BLOCK_BYTES - sizeof(bytes))
		end_block(keeper);
}

void tc_replay_keep(const struct tc_timeline *timeline, sqlite3 *db)
{
	struct tc_ctx *ctx = timeline->ctx;
	struct keeper keeper = {.timeline = timeline,
		.tables = TC_TABLES_OF(ctx, db),
		.type = TC_STRTAB_NONE,
		.block.ctx = ctx,
		.packed.ctx = ctx};

	for (uint32_t i = 0; i < timeline->track_count && !tc_ctx_failed(ctx); i++) {
		struct tc_cursor *cursor = tc_cursor_open(timeline->spans, &i, 1);
		const struct tc_span *span;
		while ((span = tc_cursor_next(cursor)) && !tc_ctx_failed(ctx))
			keep_span(&keeper, span);
		tc_cursor_close(cursor);
	}
	end_block(&keeper);
	tc_tables_end(&keeper.tables);
	tc_buf_clear(&keeper.block);
	tc_buf_clear(&keeper.packed);
}

/* ---- loading */

/* An operator at one shape of its inputs: its first call tells the work. */
struct first_call {
	int64_t slice_id; /* TC_NO_ID: none yet */
	uint32_t label;
};

struct recording {
	struct tc_timeline *timeline;
	struct tc_arena arena;
	struct tc_names *names;
	int64_t first_slice, last_slice; /* first of the trace; the highest slice_row.id */
	int64_t next_block;
	struct first_call *works; /* by number of the work */
	size_t work_count, work_capacity;
	int64_t slice_count;
	uint32_t types[TC_PRECISION_COUNT + 1]; /* by TYPE: a text of that precision */
	struct tc_hardware hardware;
};

static void refuse(const struct recording *loaded, const char *what, int64_t id)
{
	tc_fail(loaded->timeline->ctx, TC_ERR_STORE, "%s %lld is out of bounds", what,
		(long long)id);
}

static bool is_time(int64_t ts_ns, int64_t dur_ns)
{
	return ts_ns >= -TC_TIME_MAX_NS && ts_ns <= TC_TIME_MAX_NS && dur_ns >= -1 &&
	       dur_ns <= TC_TIME_MAX_NS;
}

static bool is_slice(const struct recording *loaded, int64_t id)
{
	return id >= 0 && id <= loaded->last_slice;
}

/* A text that lives as long as what is loaded; ptr NULL for NULL. */
static struct tc_text keep_text(struct recording *loaded, const struct tc_rows *row, int column)
{
	struct tc_text text = tc_rows_text(row, column);
	const char *kept = text.ptr ? tc_arena_dup(&loaded->arena, text) : NULL;

	return kept ? (struct tc_text){kept, text.len} : TC_TEXT_NONE;
}

/* id, category and name */
static void take_label(struct recording *loaded, const struct tc_rows *row)
{
	struct tc_label label = {0};
	struct tc_buf key = {.ctx = loaded->timeline->ctx};
	int64_t id = tc_rows_int(row, 0);

	if (loaded->timeline->label_count == 0)
		loaded->timeline->label_base = id;
	if (id != loaded->timeline->label_base + (int64_t)loaded->timeline->label_count) {
		refuse(loaded, "the number of label", id);
		return;
	}
	tc_label_key(&key, tc_rows_value(row, 1).text, tc_rows_value(row, 2).text);
	size_t len = key.len;
	const char *kept = tc_arena_keep(&loaded->arena, &key);
	if (!kept)
		return;
	tc_label_set_key(&label, (struct tc_text){kept, len});
	tc_names_classify(loaded->names, &label);
	TC_TIMELINE_ADD(loaded->timeline, label, &label);
}

static int32_t device_number(struct recording *loaded, const struct tc_rows *row, int column)
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

static const struct tc_track no_track = {.kind = TC_TRACK_ASYNC, .host_thread = -1, .device = -1};

/* track.id, kind, name, device, engine, number of the host thread */
static void take_track(struct recording *loaded, const struct tc_rows *row)
{
	const char *kind = tc_rows_text(row, 1).ptr;
	struct tc_track track = no_track;
	const int64_t id = tc_rows_int(row, 0);

	if (!kind) {
		tc_no_memory(loaded->timeline->ctx);
		return;
	}
	track.name = keep_text(loaded, row, 2);
	if (strcmp(kind, "lane") == 0) {
		track.kind = TC_TRACK_LANE;
		track.device = device_number(loaded, row, 3);
		track.engine = engine_of(tc_rows_text(row, 4).ptr);
	} else if (strcmp(kind, "thread") == 0) {
		track.kind = TC_TRACK_THREAD;
		track.host_thread = (int32_t)tc_rows_int(row, 5) - 1;
		if ((size_t)track.host_thread + 1 > loaded->timeline->host_thread_count)
			loaded->timeline->host_thread_count = (size_t)track.host_thread + 1;
	}
	/* Tracks without rows have none in the store; their places stay empty. */
	while (loaded->timeline->track_base + (int64_t)loaded->timeline->track_count < id)
		if (TC_TIMELINE_ADD(loaded->timeline, track, &no_track) < 0)
			return;
	TC_TIMELINE_ADD(loaded->timeline, track, &track);
}

static void take_step(struct recording *loaded, const struct tc_rows *row)
{
	const struct tc_step step = {.id = tc_rows_int(row, 0),
		.number = tc_rows_int(row, 1),
		.ts_ns = tc_rows_int(row, 2),
		.dur_ns = tc_rows_int(row, 3),
		.slice_id = tc_rows_int(row, 4),
		.is_warm_up = tc_rows_int(row, 5) != 0};
	const struct tc_timeline *timeline = loaded->timeline;

	/* Numbers follow the order of the steps, so that a number is a place among them. */
	if (step.id < 0 ||
		(timeline->step_count > 0 && difference(step.id, timeline->steps[0].id) !=
						     (int64_t)timeline->step_count))
		refuse(loaded, "the number of step", step.id);
	else if (step.slice_id == -1 || is_slice(loaded, step.slice_id))
		TC_TIMELINE_ADD(loaded->timeline, step, &step);
	else
		refuse(loaded, "the slice of a step", step.slice_id);
}

/* bytes per second, precision, FLOPs per second */
static void take_peak(struct recording *loaded, const struct tc_rows *row)
{
	struct tc_text name = tc_rows_value(row, 1).text;

	loaded->hardware.bytes_per_s = tc_rows_real(row, 0);
	for (int i = 0; name.ptr && i < TC_PRECISION_COUNT; i++)
		if (tc_text_equal(name, tc_text_from(tc_precision_name((enum tc_precision)i))))
			loaded->hardware.flops_per_s[i] = tc_rows_real(row, 2);
	loaded->timeline->hardware = &loaded->hardware;
}

/* ---- slices */

/* Bytes of a block that are not read yet. */
struct bytes {
	const uint8_t *at, *end;
	bool is_cut;
};

static uint64_t take_varint(struct bytes *bytes)
{
	uint64_t value = 0;

	for (unsigned shift = 0; bytes->at < bytes->end && shift < 64; shift += 7) {
		uint8_t byte = *bytes->at++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	bytes->is_cut = true;
	return 0;
}

/* Adds the differences of the next slice to the fields of the one before. */
static void take_fields(int64_t *fields, struct bytes *bytes)
{
	size_t count = LAUNCH_TS;

	for (size_t i = 0; i < count; i++) {
		uint64_t more = take_varint(bytes);
		fields[i] = (int64_t)((uint64_t)fields[i] + (more >> 1 ^ -(more & 1)));
		if (i == LAUNCH && fields[i] != TC_NO_ID)
			count = FIELD_COUNT;
	}
}

static bool is_index(int64_t number, size_t count)
{
	return number >= 0 && (uint64_t)number < count;
}

/* The slice of a number that counts from the first of the trace; it may be none. */
static int64_t slice_of(const struct recording *loaded, int64_t number)
{
	return number < 0 ? TC_NO_ID : tc_add_saturated(loaded->first_slice, number);
}

static bool has_sound_launch(const struct recording *loaded, const int64_t *fields)
{
	return is_slice(loaded, slice_of(loaded, fields[LAUNCH])) && fields[LAUNCH_DUR] >= 0 &&
	       is_time(fields[LAUNCH_TS], fields[LAUNCH_DUR]) &&
	       is_index(fields[LAUNCH_LABEL], loaded->timeline->label_count);
}

static bool are_sound(const struct recording *loaded, const int64_t *fields)
{
	const struct tc_timeline *timeline = loaded->timeline;

	if (!is_time(fields[TS], fields[DUR]) ||
		!is_slice(loaded, slice_of(loaded, fields[SLICE])) ||
		!is_index(fields[TRACK], timeline->track_count) ||
		!is_index(fields[LABEL], timeline->label_count) ||
		!is_index(fields[ROLE], TC_ROLE_COUNT) ||
		!is_index(fields[RECIPE], TC_STRING_MAX_COUNT + 1) ||
		!is_index(fields[TYPE], TC_PRECISION_COUNT + 1) ||
		!is_index(fields[WORK], TC_TREE_MAX_COUNT + 1))
		return false;
	return fields[LAUNCH] == TC_NO_ID || has_sound_launch(loaded, fields);
}

/* The first call of an operator at a shape is the first one in the file. */
static void note_work(struct recording *loaded, size_t number, int64_t slice_id, uint32_t label)
{
	if (!TC_ROOM(loaded->timeline->ctx, loaded->works, loaded->work_capacity, number))
		return;
	while (loaded->work_count < number)
		loaded->works[loaded->work_count++] = (struct first_call){TC_NO_ID, 0};
	struct first_call *first = &loaded->works[number - 1];
	if (first->slice_id == TC_NO_ID || slice_id < first->slice_id)
		*first = (struct first_call){slice_id, label};
}

static void add_span(struct recording *loaded, const int64_t *fields)
{
	struct tc_timeline *timeline = loaded->timeline;
	uint32_t label = (uint32_t)fields[LABEL];
	/* The last step may be one that does not count. */
	bool has_step = is_index(fields[STEP], timeline->step_count);
	struct tc_span span = {.slice_id = slice_of(loaded, fields[SLICE]),
		.ts_ns = fields[TS],
		.dur_ns = fields[DUR],
		.track = (uint32_t)fields[TRACK],
		.label = label,
		.launch_slice_id = slice_of(loaded, fields[LAUNCH]),
		.step = has_step ? (int32_t)fields[STEP] : -1,
		.shape = (uint64_t)fields[WORK], /* with the label its number is a key, too */
		.sizes = TC_STRTAB_NONE,
		.types = TC_STRTAB_NONE,
		.data_type = loaded->types[fields[TYPE]],
		.recipe = (uint32_t)fields[RECIPE] - 1, /* NONE for 0 */
		.role = (uint8_t)fields[ROLE],
		.layer = tc_label_layer(&timeline->labels[label])};

	if (span.launch_slice_id != TC_NO_ID) {
		span.launch_ts_ns = fields[LAUNCH_TS];
		span.launch_end_ns = span.launch_ts_ns + fields[LAUNCH_DUR];
		span.launch_label = (uint32_t)fields[LAUNCH_LABEL];
	}
	if (span.shape > 0 && timeline->labels[label].work != TC_WORK_NONE &&
		!has_blocks(&timeline->labels[label]))
		note_work(loaded, (size_t)span.shape, span.slice_id, label);
	tc_spans_add(timeline->spans, &span);
	loaded->slice_count++;
}

/* The slices of a block, one behind the other. */
static void take_slices(struct recording *loaded, struct bytes *bytes)
{
	int64_t fields[FIELD_COUNT] = {0};

	while (bytes->at < bytes->end && !tc_ctx_failed(loaded->timeline->ctx)) {
		take_fields(fields, bytes);
		if (bytes->is_cut || !are_sound(loaded, fields))
			refuse(loaded, "a number of the slices in timeline_block",
				loaded->next_block);
		else
			add_span(loaded, fields);
	}
}

/* ord and bytes of a block */
static void take_block(struct recording *loaded, const struct tc_rows *row)
{
	struct tc_buf block = {.ctx = loaded->timeline->ctx};
	const void *packed = sqlite3_column_blob(row->stmt, 1);
	size_t len = packed ? (size_t)sqlite3_column_bytes(row->stmt, 1) : 0;
	unsigned long long size = packed ? ZSTD_getFrameContentSize(packed, len) : 0;

	if (tc_rows_int(row, 0) != loaded->next_block || size == 0 || size > BLOCK_BYTES) {
		refuse(loaded, "the number or size of timeline_block", loaded->next_block);
		return;
	}
	char *room = tc_buf_extend(&block, size);
	if (room && ZSTD_decompress(room, size, packed, len) == size)
		take_slices(loaded, &(struct bytes){(const uint8_t *)room,
					    (const uint8_t *)room + size, false});
	else if (room)
		refuse(loaded, "the contents of timeline_block", loaded->next_block);
	tc_buf_clear(&block);
	loaded->next_block++;
}

/* Adds the work of the operators, by their first calls. */
static void add_works(struct recording *loaded, sqlite3 *db)
{
	struct tc_timeline *timeline = loaded->timeline;
	struct tc_rows args = tc_rows_prepare(
		timeline->ctx, db, "SELECT max(args) FROM slice_args WHERE slice_id = ?1");

	for (size_t i = 0; i < loaded->work_count && !tc_ctx_failed(timeline->ctx); i++) {
		uint32_t label = loaded->works[i].label;
		tc_rows_again(&args, loaded->works[i].slice_id);
		while (tc_rows_next(&args))
			tc_works_add(&timeline->works, timeline->ctx,
				(enum tc_work_kind)timeline->labels[label].work, label, i + 1,
				tc_rows_text(&args, 0));
	}
	tc_rows_close(&args);
}

static const char tracks_sql[] = "SELECT k.id, k.kind, k.name, k.device, k.engine,"
				 " dense_rank() OVER (PARTITION BY k.kind = 'thread'"
				 "  ORDER BY coalesce(t.host_thread_id, t.id))"
				 " FROM track k LEFT JOIN thread t ON t.id = k.thread_id"
				 " WHERE k.trace_id = ?1 ORDER BY k.id";

/* Makes room for what tables are read into. */
static void open_loaded(struct recording *loaded, struct tc_tables *tables)
{
	const struct tc_sql_value trace = tc_sql_int(loaded->timeline->trace_id);
	int64_t *first = &loaded->timeline->track_base, least = 0, last = -1;

	bool found = tc_tables_find(
		&least, tables, "SELECT min(id) FROM track WHERE trace_id = ?1", &trace);
	tc_tables_find(&last, tables, "SELECT max(id) FROM track WHERE trace_id = ?1", &trace);
	*first = least;
	tc_tables_find(first, tables,
		"SELECT first_track_id FROM timeline_block WHERE trace_id = ?1 AND ord = 0",
		&trace);
	tc_tables_find(&loaded->first_slice, tables,
		"SELECT first_slice_id FROM timeline_block WHERE trace_id = ?1 AND ord = 0",
		&trace);
	tc_tables_find(&loaded->last_slice, tables, "SELECT max(id) FROM slice_row", NULL);
	if (found && (*first < 0 || *first > least || last - *first >= TC_TRACK_MAX_COUNT)) {
		refuse(loaded, "the number of track", last);
		return;
	}
	loaded->types[0] = TC_STRTAB_NONE;
	for (int i = 0; i < TC_PRECISION_COUNT; i++)
		loaded->types[1 + i] = tc_strtab_intern(&loaded->timeline->texts,
			tc_text_from(i == TC_PRECISION_UNKNOWN
					     ? ""
					     : tc_precision_name((enum tc_precision)i)));
	loaded->names = tc_names_new();
	if (!loaded->names)
		tc_no_memory(tables->ctx);
}

/* Its labels, tracks, steps and the peaks of its device. */
static void load_lists(struct recording *loaded, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	struct tc_rows labels = TC_ROWS(ctx, db,
		"SELECT l.id, l.category, l.name FROM timeline_block b"
		" JOIN label l ON l.id BETWEEN b.first_label_id AND b.last_label_id"
		" WHERE b.trace_id = ?1 AND b.ord = 0 ORDER BY l.id",
		trace_id);
	while (tc_rows_next(&labels))
		take_label(loaded, &labels);
	struct tc_rows tracks = TC_ROWS(ctx, db, tracks_sql, trace_id);
	while (tc_rows_next(&tracks))
		take_track(loaded, &tracks);
	struct tc_rows steps = TC_ROWS(ctx, db,
		"SELECT id, number, ts, dur, slice_id, is_warm_up FROM counted_step"
		" WHERE trace_id = ?1 ORDER BY ts, id",
		trace_id);
	while (tc_rows_next(&steps))
		take_step(loaded, &steps);
	struct tc_rows peaks = TC_ROWS(ctx, db,
		"SELECT d.hbm_bytes_per_s, p.precision, p.flops_per_s FROM device_peak d"
		" LEFT JOIN precision_peak p ON p.trace_id = d.trace_id WHERE d.trace_id = ?1",
		trace_id);
	while (tc_rows_next(&peaks))
		take_peak(loaded, &peaks);
}

static void load(struct recording *loaded, sqlite3 *db)
{
	struct tc_timeline *timeline = loaded->timeline;
	struct tc_tables tables = TC_TABLES_OF(timeline->ctx, db);
	const struct tc_sql_value trace = tc_sql_int(timeline->trace_id);

	open_loaded(loaded, &tables);
	load_lists(loaded, timeline->ctx, db, timeline->trace_id);
	/* What a cut has behind its steps is of none. */
	tc_tables_find(&timeline->steps_until_ns, &tables,
		"SELECT json_extract(value, '$.steps_until_ns') FROM trace_meta WHERE trace_id = ?1"
		" AND key = '" TC_CUT_MEMBER "' AND json_valid(value) ORDER BY rowid DESC LIMIT 1",
		&trace);
	tc_tables_find(&timeline->recorded_one_of, &tables,
		"SELECT value FROM metric WHERE name = 'recorded_one_of_count' AND trace_id = ?1",
		&trace);
	/* Where the steps of a server are, its framework's turns are meant. */
	int64_t has_loop = 1;
	tc_tables_find(&has_loop, &tables,
		"SELECT present FROM capability WHERE trace_id = ?1 AND name = 'loop'", &trace);
	timeline->steps_are_iterations = has_loop == 0;
	struct tc_rows blocks = TC_ROWS(timeline->ctx, db,
		"SELECT ord, bytes FROM timeline_block WHERE trace_id = ?1 ORDER BY ord",
		timeline->trace_id);
	while (tc_rows_next(&blocks))
		take_block(loaded, &blocks);
	int64_t recorded = 0;
	bool is_recorded = tc_tables_find(&recorded, &tables,
		"SELECT value FROM metric WHERE name = 'slice_count' AND trace_id = ?1"
		" AND step IS NULL",
		&trace);
	if (is_recorded && recorded != loaded->slice_count)
		refuse(loaded, "the number of slices in timeline_block", loaded->slice_count);
	add_works(loaded, db);
	tc_tables_end(&tables);
	if (!tc_ctx_failed(timeline->ctx))
		tc_timeline_sort(timeline);
}

static struct recording *recording_load(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	struct recording *loaded = tc_new(ctx, 1, sizeof(*loaded));

	if (!loaded)
		return NULL;
	loaded->arena.ctx = ctx;
	loaded->timeline = tc_timeline_new(ctx, trace_id);
	if (loaded->timeline)
		load(loaded, db);
	tc_free(loaded->works);
	tc_names_free(loaded->names);
	return loaded;
}

static void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	tc_timeline_free(recording->timeline);
	tc_arena_clear(&recording->arena);
	tc_free(recording);
}

void tc_replay_load(struct tc_replay *replay, sqlite3 *db, int64_t trace_id,
	const struct tc_clause *clauses, size_t clause_count, struct tc_ctx *ctx)
{
	struct recording *recording = recording_load(ctx, db, trace_id);

	*replay = (struct tc_replay){0};
	if (!tc_ctx_failed(ctx))
		tc_replay_make(replay, recording->timeline, clauses, clause_count);
	recording_free(recording);
}

void tc_whatif_again(struct tc_whatif *whatif, sqlite3 *db, int64_t trace_id,
	const struct tc_fixes *fixes, struct tc_ctx *ctx)
{
	struct recording *recording = recording_load(ctx, db, trace_id);

	*whatif = (struct tc_whatif){0};
	if (!tc_ctx_failed(ctx))
		tc_whatif_run(whatif, recording->timeline, fixes);
	if (!tc_ctx_failed(ctx))
		tc_whatif_write(whatif, recording->timeline, db);
	recording_free(recording);
}

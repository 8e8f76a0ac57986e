#include "replay/path.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"

#define NO_LIMIT INT64_MAX

enum {
	ROWS_HELD = 1 << 15, /* more kinds of work than any real trace has */
	PARTS_BYTES = 2 * 1024 * 1024,
};

/* The kind of a piece: its fields in the operation of the program. */
struct kind {
	uint32_t label;
	uint16_t role_or_engine, device;
	uint8_t piece;
	uint32_t track; /* only for stretches */
};

struct walk {
	struct tc_path *path;
	struct tc_ctx *ctx;
	const struct tc_replay *replay;
	enum tc_path_rows rows;
	int64_t *slack_ns; /* by slot */
	bool has_begun, is_done;
	uint32_t slot;      /* the point that the path has reached */
	int64_t time_ns;    /* the path is known back to this time */
	int64_t longest_ns; /* the longest piece of the last stretch, which gives it its kind */
	struct kind kind;   /* of the time between that point and time_ns */
};

/* ---- rows */

TC_ORDER(
	compare, struct tc_path_row, TC_UP(piece) TC_UP(device) TC_UP(role_or_engine) TC_UP(label));

/* Puts the rows aside, so that the next ones begin with nothing. */
static void put_aside(struct tc_path *path, struct tc_ctx *ctx)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct tc_path_row), PARTS_BYTES, compare};

	for (size_t i = 0; i < path->count && !tc_ctx_failed(ctx); i++)
		tc_sorter_put(&path->parts, ctx, &layout, &path->rows[i]);
	path->count = 0;
	tc_strtab_clear(&path->kinds);
}

/* NULL when memory is out. */
static struct tc_path_row *find_row(struct tc_path *path, const struct kind *kind)
{
	const uint32_t words[] = {
		kind->label, (uint32_t)kind->role_or_engine << 16 | kind->device, kind->piece};
	uint32_t number = tc_strtab_intern(
		&path->kinds, (struct tc_text){(const char *)words, sizeof(words)});

	if (number < path->count)
		return &path->rows[number];
	if (number == TC_STRTAB_NONE || !TC_GROW(path->rows, path->capacity, path->count + 1))
		return NULL;
	path->rows[path->count] = (struct tc_path_row){.label = kind->label,
		.role_or_engine = kind->role_or_engine,
		.device = kind->device,
		.piece = kind->piece,
		.least_slack_ns = NO_LIMIT};
	return &path->rows[path->count++];
}

/* Valid until the next call; NULL after a failure. */
static struct tc_path_row *row_of(struct walk *walk, const struct kind *kind)
{
	if (walk->path->count == ROWS_HELD)
		put_aside(walk->path, walk->ctx);
	struct tc_path_row *row = tc_ctx_failed(walk->ctx) ? NULL : find_row(walk->path, kind);
	if (!row)
		tc_no_memory(walk->ctx);
	return row;
}

/* ---- the path */

static bool is_alike(const struct tc_path_stretch *stretch, const struct kind *kind)
{
	return stretch->piece == kind->piece && stretch->device == kind->device &&
	       stretch->track == kind->track;
}

/* Two stretches of one kind are joined when what lay between them was too short. */
static void join_alike(struct tc_path *path)
{
	size_t count = path->stretch_count;
	const struct tc_path_stretch *last = &path->stretches[count - 1];

	if (count < 2 || last->piece != last[-1].piece || last->device != last[-1].device ||
		last->track != last[-1].track)
		return;
	path->stretches[count - 2].ts = last->ts;
	path->stretches[count - 2].dur += last->dur;
	path->stretch_count--;
}

/* Adds the time back to time_ns to the last stretch, or begins a stretch. A stretch that is too
 * short takes what lies before it. */
static void add_stretch(struct walk *walk, int64_t time_ns, const struct kind *kind)
{
	struct tc_path *path = walk->path;
	struct tc_path_stretch *last =
		path->stretch_count > 0 ? &path->stretches[path->stretch_count - 1] : NULL;
	int64_t least_ns =
		tc_sub_saturated(walk->replay->end_ns, walk->replay->start_ns) / TC_PATH_STRETCHES;
	int64_t dur = walk->time_ns - time_ns;

	if (last && (is_alike(last, kind) || last->dur < least_ns)) {
		if (dur > walk->longest_ns) {
			walk->longest_ns = dur;
			last->piece = kind->piece;
			last->device = kind->device;
			last->track = kind->track;
		}
		last->ts = time_ns;
		last->dur += dur;
		join_alike(path);
		return;
	}
	walk->longest_ns = dur;
	TC_PUSH(walk->ctx, path->stretches, path->stretch_count, path->stretch_capacity,
		(struct tc_path_stretch){time_ns, dur, kind->track, kind->device, kind->piece});
}

/* Extends the path back to a time; the time in between is of the kind. */
static void extend_path(struct walk *walk, int64_t time_ns, const struct kind *kind)
{
	if (time_ns >= walk->time_ns)
		return;
	struct tc_path_row *row = row_of(walk, kind);
	if (!row)
		return;
	if (walk->rows == TC_PATH_ALL_WORK)
		add_stretch(walk, time_ns, kind);
	row->path_ns += walk->time_ns - time_ns;
	row->path_count++;
	walk->time_ns = time_ns;
}

static struct kind kind_of(const struct walk *walk, const struct tc_replay_op *op)
{
	bool is_work = op->piece == TC_PIECE_HOST || op->piece == TC_PIECE_DEVICE;

	if (walk->rows == TC_PATH_PIECES)
		return (struct kind){UINT32_MAX, op->role_or_engine, 0, op->piece, 0};
	return (struct kind){
		op->label, op->role_or_engine, op->device, op->piece, is_work ? op->track : 0};
}

/* The point waited for another one: the path goes on there. */
static void follow(struct walk *walk, const struct tc_replay_op *op)
{
	extend_path(walk, op->time_ns, &walk->kind);
	walk->slot = op->src;
	walk->kind = kind_of(walk, op);
	walk->is_done = op->src == TC_SLOT_NONE;
}

static void pass(struct walk *walk, const struct tc_replay_op *op)
{
	if (walk->is_done || op->dst != walk->slot)
		return;
	const struct kind kind = kind_of(walk, op);
	switch ((enum tc_replay_kind)op->kind) {
	case TC_REPLAY_POINT: follow(walk, op); break;
	case TC_REPLAY_JOIN:
		if (op->amount_ns > 0 && op->src != TC_SLOT_NONE)
			follow(walk, op);
		break;
	case TC_REPLAY_SPEND:
		extend_path(walk, op->time_ns, &walk->kind);
		extend_path(walk, op->time_ns - op->amount_ns, &kind);
		break;
	default: break;
	}
}

/* ---- slack */

static void limit(int64_t *slack_ns, int64_t ns)
{
	if (ns < *slack_ns)
		*slack_ns = ns;
}

static void note_work(struct walk *walk, const struct tc_replay_op *op)
{
	if (op->piece != TC_PIECE_DEVICE)
		return;
	const struct kind kind = kind_of(walk, op);
	struct tc_path_row *row = row_of(walk, &kind);
	if (!row)
		return;
	row->count++;
	row->dur_ns = tc_add_saturated(row->dur_ns, op->amount_ns);
	limit(&row->least_slack_ns, walk->slack_ns[op->dst]);
}

static void loosen(struct walk *walk, const struct tc_replay_op *op)
{
	int64_t *slack_ns = walk->slack_ns, *dst = &slack_ns[op->dst];
	int64_t more_ns = op->amount_ns < 0 ? -op->amount_ns : 0;

	switch ((enum tc_replay_kind)op->kind) {
	case TC_REPLAY_POINT:
		if (op->src != TC_SLOT_NONE)
			limit(&slack_ns[op->src], *dst);
		*dst = NO_LIMIT;
		break;
	case TC_REPLAY_JOIN:
		if (op->src != TC_SLOT_NONE)
			limit(&slack_ns[op->src], tc_add_saturated(*dst, more_ns));
		if (op->amount_ns > 0)
			*dst = tc_add_saturated(*dst, op->amount_ns);
		break;
	case TC_REPLAY_SPEND: note_work(walk, op); break;
	case TC_REPLAY_END: limit(dst, walk->replay->end_ns - op->time_ns); break;
	default: break;
	}
}

/* The path begins with what ends last. */
static void begin(struct walk *walk, const struct tc_replay_op *op)
{
	if (op->kind != TC_REPLAY_END || op->time_ns != walk->replay->end_ns)
		return;
	walk->has_begun = true;
	walk->slot = op->dst;
}

static void walk_back(struct walk *walk)
{
	struct tc_program *program = walk->replay->program;

	for (size_t i = tc_program_block_count(program); i-- > 0 && !tc_ctx_failed(walk->ctx);) {
		const struct tc_replay_op *ops = NULL;
		size_t count = 0;
		tc_program_block(&ops, &count, program, i);
		for (size_t k = count; k-- > 0 && !tc_ctx_failed(walk->ctx);) {
			if (walk->rows == TC_PATH_ALL_WORK)
				loosen(walk, &ops[k]);
			if (walk->has_begun)
				pass(walk, &ops[k]);
			else
				begin(walk, &ops[k]);
		}
	}
}

enum tc_status tc_path_find(struct tc_path *path, const struct tc_replay *replay,
	enum tc_path_rows rows, struct tc_ctx *ctx)
{
	size_t slots = tc_program_slot_count(replay->program);
	const struct kind none = {.label = UINT32_MAX};
	struct walk walk = {.path = path,
		.ctx = ctx,
		.replay = replay,
		.rows = rows,
		.time_ns = replay->end_ns,
		.kind = none,
		.slack_ns = tc_malloc((slots + 1) * sizeof(int64_t))};

	*path = (struct tc_path){0};
	if (!walk.slack_ns)
		return tc_no_memory(walk.ctx);
	for (size_t i = 0; i < slots; i++)
		walk.slack_ns[i] = NO_LIMIT;
	walk_back(&walk);
	if (walk.has_begun)
		extend_path(&walk, replay->start_ns, &none);
	tc_free(walk.slack_ns);
	if (path->parts)
		put_aside(path, ctx);
	else if (path->count > 1)
		qsort(path->rows, path->count, sizeof(*path->rows), compare);
	tc_strtab_clear(&path->kinds);
	return tc_ctx_status(ctx);
}

static void add_part(struct tc_path_row *row, const struct tc_path_row *part)
{
	row->path_ns += part->path_ns;
	row->path_count += part->path_count;
	row->count += part->count;
	row->dur_ns = tc_add_saturated(row->dur_ns, part->dur_ns);
	limit(&row->least_slack_ns, part->least_slack_ns);
}

/* Puts the parts of each row together. */
static enum tc_status each_of_parts(struct tc_sorter *parts, tc_path_row_fn take, void *user)
{
	struct tc_path_row row = {0};
	const struct tc_path_row *part;
	bool has_row = false;
	enum tc_status status = TC_OK;

	for (part = tc_sorter_first(parts); part && !status; part = tc_sorter_next(parts)) {
		if (has_row && compare(&row, part) == 0) {
			add_part(&row, part);
			continue;
		}
		if (has_row)
			status = take(user, &row);
		row = *part;
		has_row = true;
	}
	return status || !has_row ? status : take(user, &row);
}

enum tc_status tc_path_each(const struct tc_path *path, tc_path_row_fn take, void *user)
{
	enum tc_status status = TC_OK;

	if (path->parts)
		return each_of_parts(path->parts, take, user);
	for (size_t i = 0; i < path->count && !status; i++)
		status = take(user, &path->rows[i]);
	return status;
}

void tc_path_clear(struct tc_path *path)
{
	tc_free(path->rows);
	tc_strtab_clear(&path->kinds);
	tc_free(path->stretches);
	tc_sorter_free(path->parts);
	*path = (struct tc_path){0};
}

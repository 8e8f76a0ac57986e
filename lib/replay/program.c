/*
 * The operations of a program, packed in blocks in a spill file; the calls that launched work, and
 * the slots that points are held in while the program is made.
 */
#include "replay/program.h"

#include "core/alloc.h"
#include "core/sort/pack.h"

/* ---- calls that launched */

#define NONE UINT32_MAX

static uint32_t *bucket_of(struct tc_launching_table *launches, int64_t slice_id)
{
	return &launches->buckets[(uint64_t)slice_id % TC_LAUNCHING_BUCKETS];
}

struct tc_launching *tc_launching_find(struct tc_launching_table *launches, int64_t slice_id)
{
	uint32_t at = *bucket_of(launches, slice_id);

	while (at != NONE && launches->items[at].slice_id != slice_id)
		at = launches->items[at].next;
	return at == NONE ? NULL : &launches->items[at];
}

static void unlink_item(struct tc_launching_table *launches, uint32_t item)
{
	uint32_t *at = bucket_of(launches, launches->items[item].slice_id);

	while (*at != item)
		at = &launches->items[*at].next;
	*at = launches->items[item].next;
}

struct tc_launching *tc_launching_add(
	struct tc_launching *dropped, struct tc_launching_table *launches, int64_t slice_id)
{
	uint32_t index = (uint32_t)(launches->count % TC_LAUNCHING_KEPT);
	struct tc_launching *item = &launches->items[index];
	uint32_t *bucket = bucket_of(launches, slice_id);

	dropped->slice_id = -1;
	if (launches->count >= TC_LAUNCHING_KEPT) {
		*dropped = *item;
		unlink_item(launches, index);
	}
	launches->count++;
	*item = (struct tc_launching){.slice_id = slice_id, .end = TC_POINT_NONE, .next = *bucket};
	*bucket = index;
	return item;
}

/* ---- operations in a spill file */

enum { BLOCK_OPS = TC_PACK_MAX_COUNT };

struct tc_program {
	struct tc_ctx *ctx;
	struct tc_spill *spill;
	bool shares_spill; /* the file belongs to somebody else */
	size_t count;
	uint32_t slot_count;
	size_t filled; /* bytes used of block while operations are added */
	struct tc_replay_op block[BLOCK_OPS];
	uint8_t packed[TC_PACK_BOUND(sizeof(struct tc_replay_op), BLOCK_OPS)];
	int64_t *offsets; /* of the blocks in the file, and the end of the last */
	size_t block_count, offset_capacity;
};

struct tc_program *tc_program_new(struct tc_ctx *ctx)
{
	struct tc_program *program = tc_new(ctx, 1, sizeof(*program));

	if (!program)
		return NULL;
	program->ctx = ctx;
	program->spill = tc_spill_new(ctx);
	if (program->spill)
		return program;
	tc_program_free(program);
	return NULL;
}

void tc_program_free(struct tc_program *program)
{
	if (!program)
		return;
	if (!program->shares_spill)
		tc_spill_free(program->spill);
	tc_free(program->offsets);
	tc_free(program);
}

static void write_block(struct tc_program *program)
{
	size_t len = tc_pack(
		program->packed, program->block, sizeof(program->block[0]), program->filled);
	int64_t offset = 0;

	program->filled = 0;
	if (!TC_ROOM(program->ctx, program->offsets, program->offset_capacity,
		    program->block_count + 2))
		return;
	tc_spill_append(program->spill, program->packed, len, &offset);
	program->offsets[program->block_count++] = offset;
	program->offsets[program->block_count] = offset + (int64_t)len;
}

/* Clauses may take off all the time that a thread or a lane spends. */
static bool spends_saved(const struct tc_replay_op *spend, const struct tc_replay_op *save)
{
	return spend->kind == TC_REPLAY_SPEND && save->kind == TC_REPLAY_SAVE &&
	       spend->dst == save->dst && spend->device == save->device &&
	       spend->time_ns == save->time_ns && spend->amount_ns == save->amount_ns;
}

void tc_program_add(struct tc_program *program, const struct tc_replay_op *op)
{
	struct tc_replay_op *last =
		program->filled > 0 ? &program->block[program->filled - 1] : NULL;

	if (last && spends_saved(op, last)) {
		uint16_t mask = last->mask;
		*last = *op;
		last->mask = mask;
		return;
	}
	program->block[program->filled++] = *op;
	program->count++;
	if (op->dst >= program->slot_count)
		program->slot_count = op->dst + 1;
	if (program->filled == BLOCK_OPS)
		write_block(program);
}

void tc_program_end(struct tc_program *program)
{
	if (program->filled > 0)
		write_block(program);
	if (!tc_ctx_failed(program->ctx))
		tc_spill_flush(program->spill);
}

static size_t bytes_between(const struct tc_program *program, size_t from, size_t to)
{
	return (size_t)(program->offsets[to] - program->offsets[from]);
}

void tc_program_move(struct tc_program *program, struct tc_ctx *ctx, struct tc_spill *spill)
{
	/* The context of the thread that made the program may be gone. */
	program->ctx = ctx;
	for (size_t i = 0; i < program->block_count; i++) {
		size_t len = bytes_between(program, i, i + 1);
		if (!tc_spill_read(program->spill, program->ctx, program->packed, len,
			    program->offsets[i]))
			return;
		tc_spill_append(spill, program->packed, len, &program->offsets[i]);
		if (i + 1 == program->block_count)
			program->offsets[i + 1] = program->offsets[i] + (int64_t)len;
	}
	if (tc_ctx_failed(ctx))
		return;
	tc_spill_free(program->spill);
	program->spill = spill;
	program->shares_spill = true;
}

uint32_t tc_program_slot_count(const struct tc_program *program)
{
	return program->slot_count;
}

size_t tc_program_block_count(const struct tc_program *program)
{
	return program->block_count;
}

static size_t ops_in(const struct tc_program *program, size_t index)
{
	size_t first = index * BLOCK_OPS;

	return program->count - first < BLOCK_OPS ? program->count - first : BLOCK_OPS;
}

void tc_program_block(
	const struct tc_replay_op **ops, size_t *count, struct tc_program *program, size_t index)
{
	*ops = program->block;
	*count = 0;
	if (!tc_spill_read(program->spill, program->ctx, program->packed,
		    bytes_between(program, index, index + 1), program->offsets[index]))
		return;
	*count = ops_in(program, index);
	tc_unpack(program->block, sizeof(program->block[0]), *count, program->packed);
}

void tc_program_each(struct tc_program *program, tc_program_visit_fn visit, void *user)
{
	const struct tc_replay_op *ops;
	size_t count;

	for (size_t i = 0; i < program->block_count && !tc_ctx_failed(program->ctx); i++) {
		tc_program_block(&ops, &count, program, i);
		for (size_t k = 0; k < count; k++)
			visit(user, &ops[k]);
	}
}

static const char *const piece_names[] = {[TC_PIECE_NONE] = "other",
	[TC_PIECE_HOST] = "host",
	[TC_PIECE_DEVICE] = "device",
	[TC_PIECE_LAUNCH] = "launch",
	[TC_PIECE_QUEUE] = "queue",
	[TC_PIECE_WAKE] = "wake"};

const char *tc_piece_name(enum tc_piece piece)
{
	return piece_names[piece];
}

enum tc_piece tc_piece_find(struct tc_text name)
{
	for (int piece = TC_PIECE_NONE + 1; piece <= TC_PIECE_WAKE; piece++)
		if (tc_text_equal(tc_text_from(piece_names[piece]), name))
			return (enum tc_piece)piece;
	return TC_PIECE_NONE;
}

uint32_t tc_slot_take(struct tc_slots *slots)
{
	uint32_t slot;

	if (slots->unused_count > 0)
		slot = slots->unused[--slots->unused_count];
	else if (TC_ROOM(slots->ctx, slots->holders, slots->holder_capacity, slots->count + 1))
		slot = (uint32_t)slots->count++;
	else
		return TC_SLOT_NONE;
	slots->holders[slot] = 1;
	return slot;
}

void tc_slot_release(struct tc_slots *slots, uint32_t slot)
{
	if (slot == TC_SLOT_NONE || --slots->holders[slot] > 0)
		return;
	if (!TC_ROOM(slots->ctx, slots->unused, slots->unused_capacity, slots->unused_count + 1))
		return;
	slots->unused[slots->unused_count++] = slot;
}

void tc_point_hold(struct tc_slots *slots, struct tc_point *holder, struct tc_point point)
{
	tc_slot_hold(slots, point.slot);
	tc_slot_release(slots, holder->slot);
	*holder = point;
}

uint16_t tc_slots_mask(struct tc_slots *slots, const struct tc_clause_set *set)
{
	uint16_t mask = 0;

	if (tc_clause_set_is_empty(set))
		return 0;
	if (!tc_clause_sets_number(&mask, slots->sets, set))
		tc_no_memory(slots->ctx);
	tc_clause_set_join(slots->used, set);
	return mask;
}

void tc_slots_add(struct tc_slots *slots, const struct tc_replay_op *op)
{
	tc_program_add(slots->program, op);
}

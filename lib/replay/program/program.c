/* The operations of a program in a spill file; see program.h. */
#include "replay/program/program.h"

#include "core/alloc.h"
#include "core/sort/pack.h"

enum {
	BLOCK_OPS = TC_PACK_MAX_COUNT,
	READ_BYTES = 64 * 1024, /* how much to read at once of consecutive blocks */
};

_Static_assert(TC_PACK_BOUND(sizeof(struct tc_replay_op), BLOCK_OPS) <= READ_BYTES, "a block fits");

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

enum tc_status tc_program_new(struct tc_program **out, struct tc_ctx *ctx)
{
	struct tc_program *program = tc_calloc(1, sizeof(*program));

	if (!program)
		return tc_no_memory(ctx);
	program->ctx = ctx;
	enum tc_status status = tc_spill_new(&program->spill, ctx);
	if (status)
		tc_program_free(program);
	else
		*out = program;
	return status;
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

static enum tc_status write_block(struct tc_program *program)
{
	size_t len = tc_pack(
		program->packed, program->block, sizeof(program->block[0]), program->filled);
	int64_t offset = 0;

	if (!TC_GROW(program->offsets, program->offset_capacity, program->block_count + 2))
		return tc_no_memory(program->ctx);
	enum tc_status status = tc_spill_append(program->spill, program->packed, len, &offset);
	program->offsets[program->block_count++] = offset;
	program->offsets[program->block_count] = offset + (int64_t)len;
	program->filled = 0;
	return status;
}

/* Clauses may take off all the time that a thread or a lane spends. */
static bool spends_saved(const struct tc_replay_op *spend, const struct tc_replay_op *save)
{
	return spend->kind == TC_REPLAY_SPEND && save->kind == TC_REPLAY_SAVE &&
	       spend->dst == save->dst && spend->device == save->device &&
	       spend->time_ns == save->time_ns && spend->amount_ns == save->amount_ns;
}

enum tc_status tc_program_add(struct tc_program *program, const struct tc_replay_op *op)
{
	struct tc_replay_op *last =
		program->filled > 0 ? &program->block[program->filled - 1] : NULL;

	if (last && spends_saved(op, last)) {
		uint16_t mask = last->mask;
		*last = *op;
		last->mask = mask;
		return TC_OK;
	}
	program->block[program->filled++] = *op;
	program->count++;
	if (op->dst >= program->slot_count)
		program->slot_count = op->dst + 1;
	return program->filled < BLOCK_OPS ? TC_OK : write_block(program);
}

enum tc_status tc_program_end(struct tc_program *program)
{
	enum tc_status status = program->filled > 0 ? write_block(program) : TC_OK;

	return status ? status : tc_spill_flush(program->spill);
}

enum tc_status tc_program_move(
	struct tc_program *program, struct tc_ctx *ctx, struct tc_spill *spill)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < program->block_count && !status; i++) {
		size_t len = (size_t)(program->offsets[i + 1] - program->offsets[i]);
		status = tc_spill_read(program->spill, program->packed, len, program->offsets[i]);
		if (!status)
			status = tc_spill_append(spill, program->packed, len, &program->offsets[i]);
		if (i + 1 == program->block_count)
			program->offsets[i + 1] = program->offsets[i] + (int64_t)len;
	}
	if (status)
		return status;
	tc_spill_free(program->spill);
	program->spill = spill;
	program->shares_spill = true;
	program->ctx = ctx;
	return TC_OK;
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

static size_t bytes_between(const struct tc_program *program, size_t from, size_t to)
{
	return (size_t)(program->offsets[to] - program->offsets[from]);
}

enum tc_status tc_program_block(
	const struct tc_replay_op **ops, size_t *count, struct tc_program *program, size_t index)
{
	enum tc_status status = tc_spill_read(program->spill, program->packed,
		bytes_between(program, index, index + 1), program->offsets[index]);

	if (status)
		return status;
	*count = ops_in(program, index);
	tc_unpack(program->block, sizeof(program->block[0]), *count, program->packed);
	*ops = program->block;
	return TC_OK;
}

/* Visits the operations of blocks as they lie in the file. */
static enum tc_status visit_blocks(struct tc_program *program, size_t from, size_t to,
	const uint8_t *bytes, tc_program_visit_fn visit, void *user)
{
	enum tc_status status = TC_OK;

	for (size_t i = from; i < to && !status; i++) {
		size_t count = ops_in(program, i);
		tc_unpack(program->block, sizeof(program->block[0]), count,
			bytes + bytes_between(program, from, i));
		for (size_t k = 0; k < count && !status; k++)
			status = visit(user, &program->block[k]);
	}
	return status;
}

enum tc_status tc_program_each(struct tc_program *program, tc_program_visit_fn visit, void *user)
{
	uint8_t *bytes = tc_malloc(READ_BYTES);
	enum tc_status status = TC_OK;

	if (!bytes)
		return tc_no_memory(program->ctx);
	for (size_t i = 0, to = 0; i < program->block_count && !status; i = to) {
		for (to = i + 1; to < program->block_count &&
				 bytes_between(program, i, to + 1) <= READ_BYTES;)
			to++;
		status = tc_spill_read(
			program->spill, bytes, bytes_between(program, i, to), program->offsets[i]);
		if (!status)
			status = visit_blocks(program, i, to, bytes, visit, user);
	}
	tc_free(bytes);
	return status;
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

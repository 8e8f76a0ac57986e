/* Packed records in the order they were added; see sequence.h. */
#include "core/sort/sequence.h"

#include <string.h>

#include "core/alloc.h"
#include "core/sort/pack.h"

enum {
	PAGE_BLOCKS = 64, /* places of blocks that go to the file together */
	GROWTH = 2,       /* of what is in memory, from one record; both counts are a power of it */
	PAGE_BYTES = PAGE_BLOCKS * (int)sizeof(struct tc_sequence_block),
	BLOCK_MAX_BYTES = TC_PACK_BOUND(TC_SEQUENCE_RECORD_MAX_BYTES, TC_SEQUENCE_BLOCK_COUNT),
};
_Static_assert((int)BLOCK_MAX_BYTES <= UINT16_MAX, "block.bytes holds the size of any block");

void tc_sequence_clear(struct tc_sequence *sequence)
{
	tc_free(sequence->pages);
	tc_free(sequence->blocks);
	tc_free(sequence->tail);
	*sequence = (struct tc_sequence){0};
}

static int64_t offset_of(const struct tc_sequence_block *block)
{
	return (int64_t)block->offset_high << 32 | block->offset_low;
}

/* Makes room for GROWTH times as many elements; *capacity is a power of GROWTH. */
static enum tc_status grow(struct tc_ctx *ctx, void **array, uint32_t *capacity, size_t size)
{
	uint32_t want = *capacity ? *capacity * GROWTH : 1;
	void *grown = tc_realloc(*array, want * size);

	if (!grown)
		return tc_no_memory(ctx);
	*array = grown;
	*capacity = want;
	return TC_OK;
}

static enum tc_status grow_blocks(struct tc_sequence *sequence, struct tc_ctx *ctx)
{
	void *blocks = sequence->blocks;
	enum tc_status status =
		grow(ctx, &blocks, &sequence->block_capacity, sizeof(*sequence->blocks));

	sequence->blocks = blocks;
	return status;
}

/* Puts the places of blocks into the file, as they are. */
static enum tc_status flush_blocks(
	struct tc_sequence *sequence, struct tc_ctx *ctx, struct tc_spill *spill)
{
	if (!TC_GROW(sequence->pages, sequence->page_capacity, sequence->page_count + 1))
		return tc_no_memory(ctx);
	enum tc_status status = tc_spill_append(
		spill, sequence->blocks, PAGE_BYTES, &sequence->pages[sequence->page_count]);
	if (!status) {
		sequence->page_count++;
		sequence->block_count = 0;
	}
	return status;
}

static enum tc_status flush_tail(struct tc_sequence *sequence, struct tc_ctx *ctx,
	struct tc_spill *spill, size_t record_bytes)
{
	uint8_t packed[BLOCK_MAX_BYTES];
	int64_t offset;
	enum tc_status status = TC_OK;

	if (sequence->block_count == sequence->block_capacity)
		status = sequence->block_capacity < PAGE_BLOCKS
				 ? grow_blocks(sequence, ctx)
				 : flush_blocks(sequence, ctx, spill);
	if (status)
		return status;
	size_t len = tc_pack(packed, sequence->tail, record_bytes, TC_SEQUENCE_BLOCK_COUNT);
	status = tc_spill_append(spill, packed, len, &offset);
	if (status)
		return status;
	sequence->blocks[sequence->block_count++] = (struct tc_sequence_block){
		(uint32_t)offset, (uint16_t)(offset >> 32), (uint16_t)len};
	sequence->tail_count = 0;
	return TC_OK;
}

enum tc_status tc_sequence_add(struct tc_sequence *sequence, struct tc_ctx *ctx,
	struct tc_spill *spill, const void *record, size_t record_bytes)
{
	enum tc_status status = TC_OK;

	if (sequence->tail_count == sequence->tail_capacity)
		status =
			sequence->tail_capacity < TC_SEQUENCE_BLOCK_COUNT
				? grow(ctx, &sequence->tail, &sequence->tail_capacity, record_bytes)
				: flush_tail(sequence, ctx, spill, record_bytes);
	if (!status)
		memcpy((char *)sequence->tail + sequence->tail_count++ * record_bytes, record,
			record_bytes);
	return status;
}

void tc_sequence_reader_clear(struct tc_sequence_reader *reader)
{
	tc_free(reader->page);
	tc_free(reader->block);
}

/* Loads the places of the next page, or those that are in no page yet. */
static enum tc_status load_places(
	struct tc_sequence_reader *reader, struct tc_ctx *ctx, struct tc_spill *spill)
{
	const struct tc_sequence *sequence = reader->sequence;

	reader->next_block = 0;
	if (reader->next_page == sequence->page_count) {
		reader->next_page++;
		reader->places = sequence->blocks;
		reader->block_count = sequence->block_count;
		return TC_OK;
	}
	if (!reader->page)
		reader->page = tc_malloc(PAGE_BYTES);
	if (!reader->page)
		return tc_no_memory(ctx);
	reader->places = reader->page;
	reader->block_count = PAGE_BLOCKS;
	return tc_spill_read(spill, reader->page, PAGE_BYTES, sequence->pages[reader->next_page++]);
}

static enum tc_status load_block(struct tc_sequence_reader *reader, struct tc_ctx *ctx,
	struct tc_spill *spill, size_t record_bytes)
{
	const struct tc_sequence_block *place = &reader->places[reader->next_block++];
	uint8_t packed[BLOCK_MAX_BYTES];

	if (tc_ctx_interrupted(ctx))
		return tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	if (!reader->block)
		reader->block = tc_malloc(TC_SEQUENCE_BLOCK_COUNT * record_bytes);
	if (!reader->block)
		return tc_no_memory(ctx);
	reader->records = reader->block;
	reader->count = TC_SEQUENCE_BLOCK_COUNT;
	enum tc_status status = tc_spill_read(spill, packed, place->bytes, offset_of(place));
	if (!status)
		tc_unpack(reader->block, record_bytes, TC_SEQUENCE_BLOCK_COUNT, packed);
	return status;
}

enum tc_status tc_sequence_read(struct tc_sequence_reader *reader, struct tc_ctx *ctx,
	struct tc_spill *spill, size_t record_bytes)
{
	const struct tc_sequence *sequence = reader->sequence;
	enum tc_status status = TC_OK;

	reader->count = 0;
	while (!status && reader->next_block == reader->block_count &&
		reader->next_page <= sequence->page_count)
		status = load_places(reader, ctx, spill);
	if (status)
		return status;
	if (reader->next_block < reader->block_count)
		return load_block(reader, ctx, spill, record_bytes);
	if (!reader->at_tail) {
		reader->at_tail = true;
		reader->records = sequence->tail;
		reader->count = sequence->tail_count;
	}
	return TC_OK;
}

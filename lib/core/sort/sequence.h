/*
 * Sequence: records of one size in the order they were added, packed in blocks in a spill file that
 * any number of sequences share. In memory are the latest records and 8 bytes for every 4,096; a
 * sequence of few records stays small.
 */
#ifndef TC_CORE_SORT_SEQUENCE_H
#define TC_CORE_SORT_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sort/spill.h"

enum {
	TC_SEQUENCE_BLOCK_COUNT = 64,       /* records packed together */
	TC_SEQUENCE_RECORD_MAX_BYTES = 128, /* of whole words */
};

/* Where packed records are in the file. */
struct tc_sequence_block {
	uint32_t offset_low;
	uint16_t offset_high, bytes;
};

/* All zero is an empty one. Its records are all of the same size. */
struct tc_sequence {
	int64_t *pages; /* where the places of many blocks each are in the file */
	size_t page_count, page_capacity;
	struct tc_sequence_block *blocks; /* the places not yet in the file */
	uint32_t block_count, block_capacity;
	void *tail; /* the records not yet in the file; empty only before the first */
	uint32_t tail_count, tail_capacity;
};

/* Frees what is in it; the bytes in the spill file stay. */
void tc_sequence_clear(struct tc_sequence *sequence);

/* Adds a record (copied). */
enum tc_status tc_sequence_add(struct tc_sequence *sequence, struct tc_ctx *ctx,
	struct tc_spill *spill, const void *record, size_t record_bytes);

/* The record added last, NULL when there is none. It may be changed until the next is added. */
static inline void *tc_sequence_last(const struct tc_sequence *sequence, size_t record_bytes)
{
	return sequence->tail_count > 0
		       ? (char *)sequence->tail + (sequence->tail_count - 1) * record_bytes
		       : NULL;
}

/* Reads a sequence from the start, a block at a time. All zero but for the sequence is a new
 * one. */
struct tc_sequence_reader {
	const struct tc_sequence *sequence;
	size_t next_page;
	size_t next_block, block_count;         /* of places */
	const struct tc_sequence_block *places; /* those of a page, or the sequence's own */
	struct tc_sequence_block *page;         /* NULL until a page must come from the file */
	void *block; /* of its own, NULL until something must come from the file */
	bool at_tail;
	const void *records; /* what was read: in the block, or the tail of the sequence itself */
	size_t count;        /* of them; 0 at the end */
};

void tc_sequence_reader_clear(struct tc_sequence_reader *reader);
/* Reads on. */
enum tc_status tc_sequence_read(struct tc_sequence_reader *reader, struct tc_ctx *ctx,
	struct tc_spill *spill, size_t record_bytes);

#endif

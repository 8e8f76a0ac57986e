/*
 * Cursor: the slices of several tracks together, in the order of tc_span_compare(), but equal times
 * on several tracks in the order of their places; see spans.h. Cursors are opened with
 * tc_cursor_open() of the timeline. Several may be open at once, in several threads.
 */
#ifndef TC_MODEL_TIMELINE_CURSOR_H
#define TC_MODEL_TIMELINE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sort/spill.h"
#include "model/timeline/span.h"

/*
 * Chain: slices of one track, appended to a spill file that all chains of a trace share. A track
 * has more than one chain where the file has several sequences of its slices one after the other
 * (framework operations, then the runtime calls of the same thread): each sequence is a chain.
 *
 * Launches that are found after a chain is sorted are kept beside it, as runs of slices with one
 * launch; readers put both together.
 */

/*
 * Sequence: records of one size in the order they were added, packed in blocks in a spill file that
 * any number of sequences share. In memory are the latest records and 8 bytes for every 4,096; a
 * sequence of few records stays small.
 */

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

/* Where the chains of a trace are kept. Borrowed. */
struct tc_chain_file {
	struct tc_ctx *ctx;
	struct tc_spill *spill;
};

/* All zero is an empty chain. */
struct tc_chain {
	struct tc_sequence slices;
	struct tc_sequence
		*links; /* struct tc_link_run for all slices; NULL if none got a launch later */
	int64_t first_ts_ns; /* of its first slice */
	uint32_t place;      /* of its track: which of equal slices comes first */
	bool unsorted;
	bool has_unlaunched;
	struct tc_chain *next; /* of the same track, NULL for the last */
};

/* Slices that follow each other in a chain and have one launch. */
struct tc_link_run {
	int64_t launch_slice_id, launch_ts_ns, launch_end_ns;
	uint32_t launch_label;
	int32_t step;
	uint16_t method;  /* enum tc_launch_method */
	uint16_t is_kept; /* they keep the launch with which they were added */
	int64_t count;
};

/* Frees what is in a chain and the chains after it. */
void tc_chain_clear(struct tc_chain *chain);

/* True when span is not before the last slice of the chain. */
bool tc_chain_continues(const struct tc_chain *chain, const struct tc_span *span);
enum tc_status tc_chain_add(
	struct tc_chain *chain, const struct tc_chain_file *file, const struct tc_span *span);
enum tc_status tc_chain_sort(struct tc_chain *chain, const struct tc_chain_file *file);

/* Reads the slices of a chain with their launches, a block at a time. */
struct tc_chain_reader {
	struct tc_chain *chain;
	size_t at, filled;
	const struct tc_span *head; /* filled records */
	struct tc_sequence_reader slices;
	struct tc_sequence_reader links;
	struct tc_span *linked; /* a copy of the tail with its launches, where needed */
	struct tc_link_run run;
	size_t next_run; /* of links */
};

static inline const struct tc_span *tc_chain_reader_span(const struct tc_chain_reader *reader)
{
	return &reader->head[reader->at];
}

struct tc_cursor;

/* Opens a cursor over chains that have slices, which are borrowed as file is; the array is taken,
 * also when it fails. */
enum tc_status tc_cursor_new(struct tc_cursor **out, const struct tc_chain_file *file,
	struct tc_chain **chains, size_t chain_count);
void tc_cursor_close(struct tc_cursor *cursor); /* NULL is fine */
/* *span borrows the next slice until the next call on this cursor; NULL at the end. */
enum tc_status tc_cursor_next(struct tc_cursor *cursor, const struct tc_span **span);

/*
 * Sets launch, step and method of the slice that the cursor returned last, for cursors that are
 * opened later. One cursor calls it for every slice of its tracks, then tc_spans_linked() follows.
 */
enum tc_status tc_cursor_link(struct tc_cursor *cursor, const struct tc_span *linked);

#endif

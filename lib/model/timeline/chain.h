/*
 * Chain: slices of one track, appended to a spill file that all chains of a trace share. A track
 * has more than one chain where the file has several sequences of its slices one after the other
 * (framework operations, then the runtime calls of the same thread): each sequence is a chain.
 *
 * Launches that are found after a chain is sorted are kept beside it, as runs of slices with one
 * launch; readers put both together.
 */
#ifndef TC_MODEL_TIMELINE_CHAIN_H
#define TC_MODEL_TIMELINE_CHAIN_H

#include "core/sort/sequence.h"
#include "model/timeline/span.h"

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
/* Called for every slice of a chain in order: the slice as it was added, and with its launch. */
enum tc_status tc_chain_link(struct tc_chain *chain, const struct tc_chain_file *file,
	const struct tc_span *added, const struct tc_span *linked);

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

void tc_chain_reader_init(struct tc_chain_reader *reader, struct tc_chain *chain);
void tc_chain_reader_clear(struct tc_chain_reader *reader);
/* Loads the next block; filled is 0 at the end. */
enum tc_status tc_chain_read(struct tc_chain_reader *reader, const struct tc_chain_file *file);

static inline const struct tc_span *tc_chain_reader_span(const struct tc_chain_reader *reader)
{
	return &reader->head[reader->at];
}

#endif

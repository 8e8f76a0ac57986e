/* Sets of slices, as bits by slice id, and the facts about slices that are stored so. */
#ifndef TC_REPLAY_WALK_SLICE_BITS_H
#define TC_REPLAY_WALK_SLICE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/collections/arena.h"

#define TC_NEIGHBOURS_MAX 64

/* One bit for each slice id that has it; a chunk of ids without any costs a pointer. They are in an
 * arena, which keeps that memory was out. */
struct tc_slice_bits {
	uint64_t **chunks;
	size_t chunk_count;
};

void tc_slice_bits_set(struct tc_slice_bits *bits, struct tc_arena *arena, int64_t slice_id);
bool tc_slice_bits_get(const struct tc_slice_bits *bits, int64_t slice_id);

/* A part of the recording: of one thread, or of all with thread -1. */
struct tc_stretch {
	int64_t from_ns, until_ns;
	int32_t thread;
};

struct tc_stretches {
	struct tc_stretch *items;
	size_t count, capacity;
};

/* Stretches of one thread come in order and do not overlap. */
void tc_stretches_add(
	struct tc_stretches *stretches, struct tc_arena *arena, struct tc_stretch stretch);
void tc_stretches_sort(struct tc_stretches *stretches); /* when all are added */
bool tc_stretches_have(const struct tc_stretches *stretches, int32_t thread, int64_t time_ns);

/* Facts about slices that only a pass over the whole recording shows. */
struct tc_slice_facts {
	struct tc_arena arena;
	struct tc_slice_bits launching; /* host slices that enclose a launch */
	struct tc_slice_bits
		fallbacks;          /* operations that read from the device and write back to it */
	struct tc_slice_bits reads; /* framework copies from the device */
	/* By number of a term: host slices directly before or after the slices that the term
	 * names. */
	struct tc_slice_bits neighbours[TC_NEIGHBOURS_MAX];
	struct tc_stretches row_loops, adding_passes, zeroed_passes;
	/* work between two matrix products, with a softmax among it */
	struct tc_slice_bits between;
	struct tc_slice_bits beside; /* these two products */
	/* Graphs, by recipe: those with steps of an optimizer's update, and those with matrix
	 * products. */
	struct tc_slice_bits update_recipes, matrix_recipes;
	int64_t long_ns; /* an operation that takes this long computes something itself */
};

#endif

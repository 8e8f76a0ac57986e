/* Sets of slices, as bits by slice id, and the facts of slices that are kept so. */
#ifndef TC_REPLAY_SLICE_BITS_H
#define TC_REPLAY_SLICE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One bit for each slice id that has it; a chunk of ids without any costs a pointer. */
struct tc_slice_bits {
	uint64_t **chunks;
	size_t chunk_count;
};

/* False when memory is out. */
bool tc_slice_bits_set(struct tc_slice_bits *bits, int64_t slice_id);
bool tc_slice_bits_get(const struct tc_slice_bits *bits, int64_t slice_id);
void tc_slice_bits_clear(struct tc_slice_bits *bits);

/* What only a look at the whole recording tells of slices. */
struct tc_slice_facts {
	struct tc_slice_bits launching; /* host slices within which work was launched */
	struct tc_slice_bits
		fallbacks; /* operations that read from the device and write back to it */
	struct tc_slice_bits between; /* work between two products, with a softmax among it */
	struct tc_slice_bits beside;  /* these two products */
};

void tc_slice_facts_clear(struct tc_slice_facts *facts);

#endif

#include "replay/walk/slice_bits.h"

#include <stdlib.h>

#include "core/array.h"

enum { CHUNK_BITS = 1 << 15 };

void tc_slice_bits_set(struct tc_slice_bits *bits, struct tc_arena *arena, int64_t slice_id)
{
	size_t chunk = (size_t)slice_id / CHUNK_BITS, bit = (size_t)slice_id % CHUNK_BITS;

	if (!TC_ARENA_GROW(arena, bits->chunks, bits->chunk_count, chunk + 1))
		return;
	if (!bits->chunks[chunk])
		bits->chunks[chunk] = tc_arena_take(arena, CHUNK_BITS / 64, sizeof(uint64_t));
	if (bits->chunks[chunk])
		bits->chunks[chunk][bit / 64] |= UINT64_C(1) << bit % 64;
}

bool tc_slice_bits_get(const struct tc_slice_bits *bits, int64_t slice_id)
{
	size_t chunk = (size_t)slice_id / CHUNK_BITS, bit = (size_t)slice_id % CHUNK_BITS;

	return slice_id >= 0 && chunk < bits->chunk_count && bits->chunks[chunk] &&
	       (bits->chunks[chunk][bit / 64] >> bit % 64 & 1);
}

void tc_stretches_add(
	struct tc_stretches *stretches, struct tc_arena *arena, struct tc_stretch stretch)
{
	if (TC_ARENA_GROW(arena, stretches->items, stretches->capacity, stretches->count + 1))
		stretches->items[stretches->count++] = stretch;
}

TC_ORDER(compare, struct tc_stretch, TC_UP(thread) TC_UP(from_ns));

void tc_stretches_sort(struct tc_stretches *stretches)
{
	if (stretches->count > 1)
		qsort(stretches->items, stretches->count, sizeof(*stretches->items), compare);
}

bool tc_stretches_have(const struct tc_stretches *stretches, int32_t thread, int64_t time_ns)
{
	const struct tc_stretch asked = {.from_ns = time_ns, .thread = thread};
	size_t at;

	TC_BISECT(at, stretches->count, compare(&stretches->items[at], &asked) <= 0);
	return at > 0 && stretches->items[at - 1].thread == thread &&
	       time_ns < stretches->items[at - 1].until_ns;
}

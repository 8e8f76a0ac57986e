/* See slice_bits.h. */
#include "replay/walk/slice_bits.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/array.h"

enum { CHUNK_BITS = 1 << 15 };

bool tc_slice_bits_set(struct tc_slice_bits *bits, int64_t slice_id)
{
	size_t chunk = (size_t)slice_id / CHUNK_BITS, bit = (size_t)slice_id % CHUNK_BITS;

	if (chunk >= bits->chunk_count) {
		size_t count = chunk + 1 + chunk / 2;
		uint64_t **chunks = tc_realloc(bits->chunks, count * sizeof(*chunks));
		if (!chunks)
			return false;
		memset(chunks + bits->chunk_count, 0,
			(count - bits->chunk_count) * sizeof(*chunks));
		bits->chunks = chunks;
		bits->chunk_count = count;
	}
	if (!bits->chunks[chunk])
		bits->chunks[chunk] = tc_calloc(CHUNK_BITS / 64, sizeof(uint64_t));
	if (!bits->chunks[chunk])
		return false;
	bits->chunks[chunk][bit / 64] |= UINT64_C(1) << bit % 64;
	return true;
}

bool tc_slice_bits_get(const struct tc_slice_bits *bits, int64_t slice_id)
{
	size_t chunk = (size_t)slice_id / CHUNK_BITS, bit = (size_t)slice_id % CHUNK_BITS;

	return slice_id >= 0 && chunk < bits->chunk_count && bits->chunks[chunk] &&
	       (bits->chunks[chunk][bit / 64] >> bit % 64 & 1);
}

void tc_slice_bits_clear(struct tc_slice_bits *bits)
{
	for (size_t i = 0; i < bits->chunk_count; i++)
		tc_free(bits->chunks[i]);
	tc_free(bits->chunks);
	*bits = (struct tc_slice_bits){0};
}

bool tc_stretches_add(struct tc_stretches *stretches, struct tc_stretch stretch)
{
	if (!TC_GROW(stretches->items, stretches->capacity, stretches->count + 1))
		return false;
	stretches->items[stretches->count++] = stretch;
	return true;
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

void tc_slice_facts_clear(struct tc_slice_facts *facts)
{
	tc_slice_bits_clear(&facts->launching);
	tc_slice_bits_clear(&facts->fallbacks);
	tc_slice_bits_clear(&facts->reads);
	tc_slice_bits_clear(&facts->between);
	tc_slice_bits_clear(&facts->beside);
	tc_slice_bits_clear(&facts->update_recipes);
	tc_slice_bits_clear(&facts->matrix_recipes);
	for (size_t i = 0; i < TC_NEIGHBOURS_MAX; i++)
		tc_slice_bits_clear(&facts->neighbours[i]);
	tc_free(facts->row_loops.items);
	tc_free(facts->adding_passes.items);
}

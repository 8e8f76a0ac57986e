/* See slice_bits.h. */
#include "replay/slice_bits.h"

#include <string.h>

#include "core/alloc.h"

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

void tc_slice_facts_clear(struct tc_slice_facts *facts)
{
	tc_slice_bits_clear(&facts->launching);
	tc_slice_bits_clear(&facts->fallbacks);
	tc_slice_bits_clear(&facts->between);
	tc_slice_bits_clear(&facts->beside);
}

/*
 * Packed records; see pack.h.
 *
 * A column is a byte with the width of its differences and whether they are between
 * neighbours, the base (in the latter case also the least step), and the differences. Loops are
 * made for each width so that they have no branches.
 */
#include "core/sort/pack.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH_MASK = 7, STEPS_FLAG = 8 };

/* Into each function that is made for a kind of processor. */
#define INLINE static inline __attribute__((always_inline))

static uint32_t word_at(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Words between the least one, as signed, and the largest. */
struct range {
	uint32_t least, span;
};

INLINE struct range range_of(const uint32_t *words, size_t count)
{
	int32_t least = (int32_t)words[0], most = least;

	for (size_t i = 1; i < count; i++) {
		int32_t word = (int32_t)words[i];
		least = word < least ? word : least;
		most = word > most ? word : most;
	}
	return (struct range){(uint32_t)least, (uint32_t)most - (uint32_t)least};
}

static unsigned width_of(uint32_t span)
{
	return span == 0 ? 0 : span <= UINT8_MAX ? 1 : span <= UINT16_MAX ? 2 : 4;
}

/* The words less least, in width bytes each. */
INLINE void put_differences(uint8_t *restrict to, const uint32_t *restrict words, size_t count,
	uint32_t least, unsigned width)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t word = words[i] - least;
		uint16_t half = (uint16_t)word;
		if (width == 1)
			to[i] = (uint8_t)word;
		else if (width == 2)
			memcpy(to + i * sizeof(half), &half, sizeof(half));
		else
			memcpy(to + i * sizeof(word), &word, sizeof(word));
	}
}

INLINE uint8_t *put_column(
	uint8_t *to, const uint32_t *words, size_t count, uint32_t least, unsigned width)
{
	switch (width) {
	case 0: break;
	case 1: put_differences(to, words, count, least, 1); break;
	case 2: put_differences(to, words, count, least, 2); break;
	default: put_differences(to, words, count, least, 4); break;
	}
	return to + count * width;
}

INLINE uint8_t *pack_column(uint8_t *to, const uint32_t *words, size_t count)
{
	uint32_t steps[TC_PACK_MAX_COUNT];
	struct range range = range_of(words, count);
	unsigned width = width_of(range.span);

	if (width > 0) {
		for (size_t i = 1; i < count; i++)
			steps[i] = words[i] - words[i - 1];
		steps[0] = steps[1];
		struct range step = range_of(steps, count);
		if (width_of(step.span) < width) {
			const uint32_t before = words[0] - steps[0];
			width = width_of(step.span);
			*to++ = (uint8_t)(width | STEPS_FLAG);
			memcpy(to, &before, sizeof(before));
			memcpy(to + sizeof(before), &step.least, sizeof(step.least));
			return put_column(to + 2 * sizeof(before), steps, count, step.least, width);
		}
	}
	*to++ = (uint8_t)width;
	memcpy(to, &range.least, sizeof(range.least));
	return put_column(to + sizeof(range.least), words, count, range.least, width);
}

INLINE size_t pack(uint8_t *to, const void *records, size_t record_bytes, size_t count)
{
	uint32_t words[TC_PACK_MAX_COUNT];
	uint8_t *at = to;

	for (size_t offset = 0; offset < record_bytes && count > 0; offset += sizeof(words[0])) {
		const uint8_t *from = (const uint8_t *)records + offset;
		for (size_t i = 0; i < count; i++)
			words[i] = word_at(from + i * record_bytes);
		at = pack_column(at, words, count);
	}
	return (size_t)(at - to);
}

#ifdef __x86_64__
/* The least and the largest of eight words at once: SSE2, which all have, knows neither. */
__attribute__((target("avx2"))) static size_t pack_avx2(
	uint8_t *to, const void *records, size_t record_bytes, size_t count)
{
	return pack(to, records, record_bytes, count);
}
#endif

size_t tc_pack(uint8_t *to, const void *records, size_t record_bytes, size_t count)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		return pack_avx2(to, records, record_bytes, count);
#endif
	return pack(to, records, record_bytes, count);
}

/* Where a column goes: one word of each record. */
struct target {
	uint8_t *words;
	size_t stride, count;
};

/* Each word is base and a difference, or, with steps, the word before, step and a difference. */
static inline void get_column(struct target target, const uint8_t *restrict from, unsigned width,
	uint32_t base, bool has_steps, uint32_t step)
{
	uint8_t *restrict to = target.words;

	for (size_t i = 0; i < target.count; i++) {
		uint16_t half;
		uint32_t word = 0;
		if (width == 1) {
			word = from[i];
		} else if (width == 2) {
			memcpy(&half, from + i * sizeof(half), sizeof(half));
			word = half;
		} else if (width == 4) {
			word = word_at(from + i * sizeof(word));
		}
		word += base + step;
		if (has_steps)
			base = word;
		memcpy(to + i * target.stride, &word, sizeof(word));
	}
}

/* Behind a column. */
static const uint8_t *end_of_column(const uint8_t *from, size_t count)
{
	size_t bases = *from & STEPS_FLAG ? 2 : 1;

	return from + 1 + bases * sizeof(uint32_t) + count * (*from & WIDTH_MASK);
}

/* A column whose words differ. */
static void unpack_column(struct target target, const uint8_t *from)
{
	const uint8_t code = *from++;
	const uint32_t base = word_at(from);
	uint32_t step = 0;

	from += sizeof(base);
	if (code & STEPS_FLAG) {
		step = word_at(from);
		from += sizeof(step);
	}
	switch (code) {
	case 1: get_column(target, from, 1, base, false, 0); break;
	case 2: get_column(target, from, 2, base, false, 0); break;
	case 4: get_column(target, from, 4, base, false, 0); break;
	case STEPS_FLAG: get_column(target, from, 0, base, true, step); break;
	case STEPS_FLAG | 1: get_column(target, from, 1, base, true, step); break;
	default: get_column(target, from, 2, base, true, step); break;
	}
}

/* Makes all records equal to the first. */
static void repeat(uint8_t *records, size_t record_bytes, size_t count)
{
	size_t done = 1;

	while (done < count) {
		size_t more = done < count - done ? done : count - done;
		memcpy(records + done * record_bytes, records, more * record_bytes);
		done += more;
	}
}

/* First the columns that are the same in all records, of all at once. */
void tc_unpack(void *records, size_t record_bytes, size_t count, const uint8_t *from)
{
	struct target target = {records, record_bytes, count};
	const uint8_t *at = from;

	if (count == 0)
		return;
	memset(records, 0, record_bytes);
	for (size_t offset = 0; offset < record_bytes; offset += sizeof(uint32_t)) {
		if (*at == 0)
			memcpy((uint8_t *)records + offset, at + 1, sizeof(uint32_t));
		at = end_of_column(at, count);
	}
	repeat(records, record_bytes, count);
	for (size_t offset = 0; offset < record_bytes; offset += sizeof(uint32_t)) {
		target.words = (uint8_t *)records + offset;
		if (*from != 0)
			unpack_column(target, from);
		from = end_of_column(from, count);
	}
}

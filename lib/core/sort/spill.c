/*
 * Rows that do not fit into memory. There are two ways, both over one temporary file without a
 * name:
 *
 *   in order   blocks of records are packed (tc_pack) and appended to the file (tc_spill_append);
 *              whoever wrote a block keeps its offset and reads it back. Sorters, the slices of a
 *              timeline and the operations of a replay work like this.
 *   by number  rows of one size, as an array (tc_paged): of a large one the pages used last are in
 *              memory.
 *
 * A packed block is taken as columns of words of 32 bits. A column is a byte with the width of its
 * differences and a flag for differences between neighbours; the base, and in the latter case the
 * smallest step; and the differences. So the column 1000 1010 1021 1030 is
 *
 *   01 | 1000 | 0 10 21 30     one byte for each difference to the minimum
 *
 * and 1000 2000 3000 4001, which needs two bytes for those, becomes a column of steps:
 *
 *   09 | 0 | 1000 | 0 0 0 1    base 0, smallest step 1000, one byte for each step above it
 *
 * Loops are made for each width so that they have no branches.
 */
#include "core/sort/spill.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/files/files.h"
#include "core/sort/pack.h"
#include "core/sort/paged.h"

enum { WIDTH_MASK = 7, STEPS_FLAG = 8 };

/* Into each function that is made for a kind of processor. */
#define INLINE static inline __attribute__((always_inline))

static uint32_t word_at(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* The smallest of some words, taken as signed, and how far the largest is above it. */
struct range {
	uint32_t min, span;
};

INLINE struct range range_of(const uint32_t *words, size_t count)
{
	int32_t min = (int32_t)words[0], max = min;

	for (size_t i = 1; i < count; i++) {
		int32_t word = (int32_t)words[i];
		min = word < min ? word : min;
		max = word > max ? word : max;
	}
	return (struct range){(uint32_t)min, (uint32_t)max - (uint32_t)min};
}

static unsigned width_of(uint32_t span)
{
	return span == 0 ? 0 : span <= UINT8_MAX ? 1 : span <= UINT16_MAX ? 2 : 4;
}

/* The words less their minimum, in width bytes each. */
INLINE void put_differences(uint8_t *restrict to, const uint32_t *restrict words, size_t count,
	uint32_t min, unsigned width)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t word = words[i] - min;
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
	uint8_t *to, const uint32_t *words, size_t count, uint32_t min, unsigned width)
{
	switch (width) {
	case 0: break;
	case 1: put_differences(to, words, count, min, 1); break;
	case 2: put_differences(to, words, count, min, 2); break;
	default: put_differences(to, words, count, min, 4); break;
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
		steps[0] = words[1] - words[0];
		struct range step = range_of(steps, count);
		if (width_of(step.span) < width) {
			const uint32_t before = words[0] - steps[0];
			width = width_of(step.span);
			*to++ = (uint8_t)(width | STEPS_FLAG);
			memcpy(to, &before, sizeof(before));
			memcpy(to + sizeof(before), &step.min, sizeof(step.min));
			return put_column(to + 2 * sizeof(before), steps, count, step.min, width);
		}
	}
	*to++ = (uint8_t)width;
	memcpy(to, &range.min, sizeof(range.min));
	return put_column(to + sizeof(range.min), words, count, range.min, width);
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
/* AVX2 has the minimum and the maximum of eight words at once; SSE2, which all have, has neither.
 */
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

/* Where the next column begins. */
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

/* Columns whose words are all the same come first: one record is made of them and repeated. */
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

enum { BUFFER_BYTES = 64 * 1024 };

struct tc_spill {
	struct tc_ctx *ctx;
	int fd; /* -1 until the first flush */
	int64_t flushed_bytes;
	size_t used;
	char buffer[BUFFER_BYTES];
};

struct tc_spill *tc_spill_new(struct tc_ctx *ctx)
{
	struct tc_spill *spill = tc_malloc(sizeof(*spill));

	if (!spill) {
		tc_no_memory(ctx);
		return NULL;
	}
	spill->ctx = ctx;
	spill->fd = -1;
	spill->flushed_bytes = 0;
	spill->used = 0;
	return spill;
}

void tc_spill_free(struct tc_spill *spill)
{
	if (!spill)
		return;
	if (spill->fd >= 0)
		close(spill->fd);
	tc_free(spill);
}

static void write_at(struct tc_spill *spill, const char *bytes, size_t len, int64_t offset)
{
	int error = tc_whole_write(spill->fd, bytes, len, offset);

	if (error)
		tc_fail_errno(spill->ctx, TC_ERR_IO, error, TC_TO_WRITE_TEMPORARY,
			"cannot write a temporary file");
}

static void write_behind(struct tc_spill *spill, const char *bytes, size_t len)
{
	if (spill->fd < 0 && !tc_ctx_failed(spill->ctx))
		tc_temporary_create(&spill->fd, spill->ctx);
	if (!tc_ctx_failed(spill->ctx))
		write_at(spill, bytes, len, spill->flushed_bytes);
	if (!tc_ctx_failed(spill->ctx))
		spill->flushed_bytes += (int64_t)len;
}

void tc_spill_flush(struct tc_spill *spill)
{
	if (spill->used > 0)
		write_behind(spill, spill->buffer, spill->used);
	spill->used = 0;
}

void tc_spill_append(struct tc_spill *spill, const void *bytes, size_t len, int64_t *offset)
{
	if (len > BUFFER_BYTES - spill->used)
		tc_spill_flush(spill);
	*offset = spill->flushed_bytes + (int64_t)spill->used;
	if (len > BUFFER_BYTES) {
		write_behind(spill, bytes, len);
		return;
	}
	if (len > 0)
		memcpy(spill->buffer + spill->used, bytes, len);
	spill->used += len;
}

/* Puts other bytes where as many were appended before. */
static void rewrite(struct tc_spill *spill, const void *bytes, size_t len, int64_t offset)
{
	if (offset + (int64_t)len > spill->flushed_bytes)
		tc_spill_flush(spill);
	if (!tc_ctx_failed(spill->ctx))
		write_at(spill, bytes, len, offset);
}

bool tc_spill_read(
	struct tc_spill *spill, struct tc_ctx *ctx, void *bytes, size_t len, int64_t offset)
{
	if (offset >= spill->flushed_bytes) {
		memcpy(bytes, spill->buffer + (offset - spill->flushed_bytes), len);
		return true;
	}
	if (offset + (int64_t)len > spill->flushed_bytes) {
		tc_spill_flush(spill);
		if (tc_ctx_failed(spill->ctx))
			return false;
	}
	ssize_t got = tc_whole_read(spill->fd, bytes, len, offset);
	if (got < 0)
		tc_fail_errno(ctx, TC_ERR_IO, errno, TC_TO_READ, "cannot read a temporary file");
	else if (got != (ssize_t)len)
		tc_fail(ctx, TC_ERR_IO,
			"cannot read a temporary file: it is shorter than it should be");
	return got == (ssize_t)len;
}

/* Where a page is. */
struct page {
	char *rows;    /* NULL when it is not in memory */
	int64_t place; /* 1 more than its place in the file; 0 before it was written */
	uint64_t last_use;
};

struct tc_pager {
	struct tc_ctx *ctx;
	size_t row_bytes, page_rows;
	char *first; /* what rows begin as; a page of them */
	char *none;  /* the row after a failure */
	struct page *pages;
	size_t page_count;
	size_t held[TC_PAGED_PAGES]; /* the pages in memory */
	size_t held_count;
	uint64_t use_count;
	struct tc_spill *spill;
};

static size_t page_bytes(const struct tc_pager *pager)
{
	return pager->page_rows * pager->row_bytes;
}

/* Makes rows like *first, or leaves them when it is NULL. */
static void repeat_row(char *rows, size_t count, size_t row_bytes, const void *first)
{
	for (size_t i = 0; i < count && first; i++)
		memcpy(rows + i * row_bytes, first, row_bytes);
}

static void init_pages(struct tc_pager *pager, size_t count, size_t row_bytes, const void *first)
{
	pager->row_bytes = row_bytes;
	pager->page_rows = row_bytes < TC_PAGED_PAGE_BYTES ? TC_PAGED_PAGE_BYTES / row_bytes : 1;
	pager->page_count = count / pager->page_rows + 1;
	pager->pages = tc_new(pager->ctx, pager->page_count, sizeof(*pager->pages));
	pager->first = tc_new(pager->ctx, 1, page_bytes(pager));
	pager->none = tc_new(pager->ctx, 1, row_bytes);
	if (!pager->pages || !pager->first || !pager->none)
		return;
	repeat_row(pager->first, pager->page_rows, row_bytes, first);
	pager->spill = tc_spill_new(pager->ctx);
}

void tc_paged_init(struct tc_paged *paged, struct tc_ctx *ctx, size_t count, size_t row_bytes,
	const void *first)
{
	*paged = (struct tc_paged){0};
	if (count <= TC_PAGED_FLAT_BYTES / row_bytes)
		paged->rows = tc_calloc(count + 1, row_bytes);
	else
		paged->pager = tc_calloc(1, sizeof(*paged->pager));
	if (paged->rows)
		repeat_row(paged->rows, count, row_bytes, first);
	else if (!paged->pager)
		tc_no_memory(ctx);
	if (!paged->pager)
		return;
	paged->pager->ctx = ctx;
	init_pages(paged->pager, count, row_bytes, first);
	if (!paged->pager->spill)
		tc_paged_clear(paged);
}

void tc_paged_clear(struct tc_paged *paged)
{
	struct tc_pager *pager = paged->pager;

	tc_free(paged->rows);
	if (pager) {
		for (size_t i = 0; i < pager->held_count; i++)
			tc_free(pager->pages[pager->held[i]].rows);
		tc_spill_free(pager->spill);
		tc_free(pager->pages);
		tc_free(pager->first);
		tc_free(pager->none);
		tc_free(pager);
	}
	*paged = (struct tc_paged){0};
}

/* The page in memory whose last use is the longest time ago. */
static size_t oldest(const struct tc_pager *pager)
{
	size_t best = 0;

	for (size_t i = 1; i < pager->held_count; i++)
		if (pager->pages[pager->held[i]].last_use <
			pager->pages[pager->held[best]].last_use)
			best = i;
	return best;
}

static void write_page(struct tc_pager *pager, struct page *page)
{
	int64_t offset = page->place - 1;

	if (page->place)
		rewrite(pager->spill, page->rows, page_bytes(pager), offset);
	else
		tc_spill_append(pager->spill, page->rows, page_bytes(pager), &offset);
	page->place = offset + 1;
}

/* Takes memory for a page, from another one if there are enough: that one stays after a failure. */
static void take_rows(struct tc_pager *pager, size_t number)
{
	struct page *page = &pager->pages[number];
	size_t at = pager->held_count;

	if (at < TC_PAGED_PAGES) {
		page->rows = tc_malloc(page_bytes(pager));
		if (!page->rows) {
			tc_no_memory(pager->ctx);
			return;
		}
		pager->held_count++;
	} else {
		at = oldest(pager);
		struct page *other = &pager->pages[pager->held[at]];
		write_page(pager, other);
		if (tc_ctx_failed(pager->ctx))
			return;
		page->rows = other->rows;
		other->rows = NULL;
	}
	pager->held[at] = number;
}

/* A page that was not written before, or cannot be read, has rows as at the start. */
static void load(struct tc_pager *pager, size_t number)
{
	struct page *page = &pager->pages[number];

	take_rows(pager, number);
	if (page->rows && !(page->place && tc_spill_read(pager->spill, pager->ctx, page->rows,
						   page_bytes(pager), page->place - 1)))
		memcpy(page->rows, pager->first, page_bytes(pager));
}

void *tc_paged_fetch(const struct tc_paged *paged, size_t number)
{
	struct tc_pager *pager = paged->pager;
	size_t at = number / pager->page_rows;
	struct page *page = &pager->pages[at];

	if (!page->rows && !tc_ctx_failed(pager->ctx))
		load(pager, at);
	if (!page->rows) {
		memcpy(pager->none, pager->first, pager->row_bytes);
		return pager->none;
	}
	page->last_use = ++pager->use_count;
	return page->rows + number % pager->page_rows * pager->row_bytes;
}

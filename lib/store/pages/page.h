/*
 * Private to the store: the parts of SQLite's file format that a store is laid out and filled with,
 * as SQLite's documentation of its file format describes them. Numbers are big endian, pages are
 * counted from 1.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/files/files.h"

enum {
	/* Large pages make appends cheap. But every table has at least one page, even in the store
	 * of a small trace. */
	TC_PAGE_BYTES = 16384,
	TC_FILE_HEADER_BYTES = 100,
	/* Offsets in it. */
	TC_AT_CHANGE_COUNTER = 24,
	TC_AT_PAGE_COUNT = 28,
	TC_AT_VALID_FOR = 92, /* the change counter for which the page count is valid */
	/* Kinds of pages, and how many bytes each has before its cells. */
	TC_PAGE_INDEX_LEAF = 10,
	TC_PAGE_TABLE_INNER = 5,
	TC_PAGE_TABLE_LEAF = 13,
	TC_INNER_BYTES = 12,
	TC_LEAF_BYTES = 8,
};

static inline void tc_put_be16(uint8_t *to, unsigned number)
{
	to[0] = (uint8_t)(number >> 8);
	to[1] = (uint8_t)number;
}

static inline void tc_put_be32(uint8_t *to, uint32_t number)
{
	tc_put_be16(to, number >> 16);
	tc_put_be16(to + 2, number & 0xffff);
}

static inline uint32_t tc_get_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The most bytes of a varint. */
enum { TC_VARINT_BYTES = 9 };

/* Seven bits a byte, the highest first; a ninth byte has eight. Returns how many bytes. */
static inline size_t tc_put_varint(uint8_t *to, uint64_t number)
{
	size_t last = 0;

	if (number >> 56 != 0) {
		to[8] = (uint8_t)number;
		number >>= 8;
		for (int i = 7; i >= 0; i--, number >>= 7)
			to[i] = (uint8_t)(number | 0x80);
		return TC_VARINT_BYTES;
	}
	for (uint64_t rest = number >> 7; rest != 0; rest >>= 7)
		last++;
	to[last] = number & 0x7f;
	for (size_t i = last; i-- > 0;)
		to[i] = (uint8_t)((number >>= 7) | 0x80);
	return last + 1;
}

/* Writes page number `number` from its beginning. Returns 0 or an errno. */
static inline int tc_page_write(int fd, uint32_t number, const uint8_t *bytes, size_t len)
{
	return tc_whole_write(fd, bytes, len, (int64_t)(number - 1) * TC_PAGE_BYTES);
}

/*
 * Packed records, for compact temporary files. A block of records is taken as
 * columns of 32-bit words. Each column is stored as its minimum and the difference of each
 * word to that, in as few bytes as the largest difference needs, 0, 1, 2 or 4; or, where that
 * is narrower, of the differences between one word and the next, as suits times and ids.
 *
 * All arithmetic is modulo 2^32, so any content comes back as it was, padding included. Only the
 * size depends on what the words mean: 64-bit integers have a constant upper word most of the time.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { TC_PACK_MAX_COUNT = 256, TC_PACK_COLUMN_BYTES = 9 };

/* The bytes that count records need at most when packed. Records are of whole words. */
#define TC_PACK_BOUND(record_bytes, count)                                                         \
	((record_bytes) / sizeof(uint32_t) * (TC_PACK_COLUMN_BYTES + (count) * sizeof(uint32_t)))

/* Packs count records, at most TC_PACK_MAX_COUNT; returns the bytes written. */
size_t tc_pack(uint8_t *to, const void *records, size_t record_bytes, size_t count);
/* Unpacks what tc_pack() made of as many records of that size. */
void tc_unpack(void *records, size_t record_bytes, size_t count, const uint8_t *from);

/*
 * XXH64, the 64-bit hash of xxHash's specification (seed 0): as fast as memory is read. It is
 * good enough for contents that differ by accident, not against somebody who makes collisions.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct tc_hash {
	uint64_t lanes[4];
	uint64_t total_bytes;
	unsigned char rest[32]; /* bytes not hashed yet */
	size_t rest_bytes;
};

void tc_hash_init(struct tc_hash *hash);
void tc_hash_add(struct tc_hash *hash, const void *bytes, size_t len);
/* The text with its terminator, so that "ab", "c" and "a", "bc" differ; NULL is as "". */
void tc_hash_add_string(struct tc_hash *hash, const char *text);
/* The hash of all bytes that were added so far. */
uint64_t tc_hash_value(const struct tc_hash *hash);

/* The hash of some bytes. */
uint64_t tc_hash_of(const void *bytes, size_t len);

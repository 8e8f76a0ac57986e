/*
 * XXH64 by its specification, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md: four
 * lanes take 8 bytes each of every stripe of 32; at the end the lanes are merged, then come the
 * bytes of the last stripe that is not full.
 */
#include "core/hash.h"

#include <string.h>

enum { STRIPE_BYTES = 32, LANE_COUNT = 4 };

static const uint64_t prime1 = UINT64_C(0x9E3779B185EBCA87), prime2 = UINT64_C(0xC2B2AE3D27D4EB4F),
		      prime3 = UINT64_C(0x165667B19E3779F9), prime4 = UINT64_C(0x85EBCA77C2B2AE63),
		      prime5 = UINT64_C(0x27D4EB2F165667C5);

static uint64_t rotate(uint64_t value, int bits)
{
	return value << bits | value >> (64 - bits);
}

/* Little endian, wherever the bytes lie. */
static uint64_t read_number(const unsigned char *p, int count)
{
	uint64_t value = 0;

	for (int i = 0; i < count; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

static uint64_t round_of(uint64_t lane, uint64_t input)
{
	return rotate(lane + input * prime2, 31) * prime1;
}

static uint64_t merge_lane(uint64_t value, uint64_t lane)
{
	return (value ^ round_of(0, lane)) * prime1 + prime4;
}

void tc_hash_init(struct tc_hash *hash)
{
	*hash = (struct tc_hash){.lanes = {prime1 + prime2, prime2, 0, 0 - prime1}};
}

static void add_stripe(struct tc_hash *hash, const unsigned char *p)
{
	for (int i = 0; i < LANE_COUNT; i++)
		hash->lanes[i] = round_of(hash->lanes[i], read_number(p + 8 * i, 8));
}

void tc_hash_add(struct tc_hash *hash, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	hash->total_bytes += len;
	if (hash->rest_bytes > 0) {
		size_t room = STRIPE_BYTES - hash->rest_bytes, part = len < room ? len : room;
		memcpy(hash->rest + hash->rest_bytes, p, part);
		hash->rest_bytes += part;
		p += part;
		len -= part;
		if (hash->rest_bytes < STRIPE_BYTES)
			return;
		add_stripe(hash, hash->rest);
		hash->rest_bytes = 0;
	}
	for (; len >= STRIPE_BYTES; p += STRIPE_BYTES, len -= STRIPE_BYTES)
		add_stripe(hash, p);
	if (len > 0)
		memcpy(hash->rest, p, len);
	hash->rest_bytes = len;
}

void tc_hash_add_string(struct tc_hash *hash, const char *text)
{
	const char *known = text ? text : "";

	tc_hash_add(hash, known, strlen(known) + 1);
}

static uint64_t join_lanes(const struct tc_hash *hash)
{
	static const int turns[LANE_COUNT] = {1, 7, 12, 18};
	uint64_t value = 0;

	if (hash->total_bytes < STRIPE_BYTES)
		return prime5;
	for (int i = 0; i < LANE_COUNT; i++)
		value += rotate(hash->lanes[i], turns[i]);
	for (int i = 0; i < LANE_COUNT; i++)
		value = merge_lane(value, hash->lanes[i]);
	return value;
}

uint64_t tc_hash_value(const struct tc_hash *hash)
{
	const unsigned char *p = hash->rest, *end = p + hash->rest_bytes;
	uint64_t value = join_lanes(hash) + hash->total_bytes;

	for (; end - p >= 8; p += 8)
		value = rotate(value ^ round_of(0, read_number(p, 8)), 27) * prime1 + prime4;
	for (; end - p >= 4; p += 4)
		value = rotate(value ^ read_number(p, 4) * prime1, 23) * prime2 + prime3;
	for (; p < end; p++)
		value = rotate(value ^ *p * prime5, 11) * prime1;
	value = (value ^ value >> 33) * prime2;
	value = (value ^ value >> 29) * prime3;
	return value ^ value >> 32;
}

uint64_t tc_hash_of(const void *bytes, size_t len)
{
	struct tc_hash hash;

	tc_hash_init(&hash);
	tc_hash_add(&hash, bytes, len);
	return tc_hash_value(&hash);
}

/*
 * Numbers for distinct texts. Slots find a number by open addressing over the hash of its text;
 * entries have the texts by number; the texts themselves are copied into chunks that never move.
 * Invariant: slot_count is a power of two, and a quarter of the slots at least is free.
 */
#include "core/collections/strtab.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/limits.h"

enum { CHUNK_BYTES = 64 * 1024 };

struct tc_strtab_chunk {
	struct tc_strtab_chunk *next;
	size_t used, capacity;
	char bytes[];
};

struct tc_strtab_entry {
	const char *bytes;
	uint32_t len, hash;
};

/* Part of what tc_hash_bytes() gives: enough to find a slot among TC_STRING_MAX_COUNT. */
static uint32_t hash_of(struct tc_text text)
{
	return (uint32_t)tc_hash_bytes(text.ptr, text.len);
}

static struct tc_text text_of(const struct tc_strtab_entry *entry)
{
	return (struct tc_text){entry->bytes, entry->len};
}

static uint64_t mix(uint64_t h)
{
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	h ^= h >> 29;
	return h;
}

static uint64_t load_word(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static uint64_t load_half(const char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Fewer than eight bytes, some of them loaded twice in place of a loop. */
static uint64_t load_tail(const char *bytes, size_t len)
{
	const unsigned char *at = (const unsigned char *)bytes;

	if (len >= 4)
		return load_half(bytes) | load_half(bytes + len - 4) >> 8 * (8 - len) << 32;
	if (len == 0)
		return 0;
	return at[0] | (uint64_t)at[len / 2] << 8 * (len / 2) |
	       (uint64_t)at[len - 1] << 8 * (len - 1);
}

/* Eight bytes at a time. */
uint64_t tc_hash_bytes(const char *bytes, size_t len)
{
	uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ len;

	for (; len >= 8; len -= 8, bytes += 8) {
		h = (h ^ load_word(bytes)) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 33;
	}
	return mix((h ^ load_tail(bytes, len)) * UINT64_C(0xc4ceb9fe1a85ec53));
}

void tc_strtab_drop_numbers(struct tc_strtab *table)
{
	tc_free(table->entries);
	tc_free(table->slots);
	*table = (struct tc_strtab){.chunks = table->chunks, .text_bytes = table->text_bytes};
}

void tc_strtab_clear(struct tc_strtab *table)
{
	struct tc_strtab_chunk *next;

	for (struct tc_strtab_chunk *chunk = table->chunks; chunk; chunk = next) {
		next = chunk->next;
		tc_free(chunk);
	}
	tc_strtab_drop_numbers(table);
	*table = TC_STRTAB_EMPTY;
}

/* The slot that holds text, or the free one where it belongs. Needs slot_count > 0. */
static size_t probe(const struct tc_strtab *table, struct tc_text text, uint32_t hash)
{
	size_t slot = hash & (table->slot_count - 1);

	for (;; slot = (slot + 1) & (table->slot_count - 1)) {
		uint32_t number = table->slots[slot];
		if (number == TC_STRTAB_NONE)
			return slot;
		const struct tc_strtab_entry *entry = &table->entries[number];
		if (entry->hash == hash && tc_text_equal(text_of(entry), text))
			return slot;
	}
}

static int grow_slots(struct tc_strtab *table)
{
	size_t want = table->slot_count ? table->slot_count * 2 : 1024;
	uint32_t *slots = tc_malloc(want * sizeof(*slots));

	if (!slots)
		return -1;
	memset(slots, 0xff, want * sizeof(*slots));
	for (size_t i = 0; i < table->count; i++) {
		size_t slot = table->entries[i].hash & (want - 1);
		while (slots[slot] != TC_STRTAB_NONE)
			slot = (slot + 1) & (want - 1);
		slots[slot] = (uint32_t)i;
	}
	tc_free(table->slots);
	table->slots = slots;
	table->slot_count = want;
	return 0;
}

static const char *copy_text(struct tc_strtab *table, struct tc_text text)
{
	struct tc_strtab_chunk *chunk = table->chunks;

	if (!chunk || chunk->capacity - chunk->used < text.len) {
		size_t capacity = text.len > CHUNK_BYTES ? text.len : CHUNK_BYTES;
		chunk = tc_malloc(sizeof(*chunk) + capacity);
		if (!chunk)
			return NULL;
		*chunk = (struct tc_strtab_chunk){table->chunks, 0, capacity};
		table->chunks = chunk;
	}
	char *copy = chunk->bytes + chunk->used;
	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	chunk->used += text.len;
	return copy;
}

static uint32_t add(struct tc_strtab *table, struct tc_text text)
{
	uint32_t hash = hash_of(text);

	if (table->count * 4 >= table->slot_count * 3 && grow_slots(table))
		return TC_STRTAB_NONE;
	size_t slot = probe(table, text, hash);
	if (table->slots[slot] != TC_STRTAB_NONE)
		return table->slots[slot];
	if (table->count >= TC_STRING_MAX_COUNT ||
		table->text_bytes + (int64_t)text.len > TC_STRING_MAX_BYTES)
		return TC_STRTAB_NONE;
	if (!TC_GROW(table->entries, table->entry_capacity, table->count + 1))
		return TC_STRTAB_NONE;
	const char *copy = copy_text(table, text);
	if (!copy)
		return TC_STRTAB_NONE;
	table->entries[table->count] = (struct tc_strtab_entry){copy, (uint32_t)text.len, hash};
	table->slots[slot] = (uint32_t)table->count;
	table->text_bytes += (int64_t)text.len;
	return (uint32_t)table->count++;
}

/* After TC_STRTAB_NONE: a limit is reached, or memory is out. */
static void fail(const struct tc_strtab *table)
{
	if (table->count >= TC_STRING_MAX_COUNT ||
		table->text_bytes >= TC_STRING_MAX_BYTES - TC_EVENT_MAX_BYTES)
		tc_fail(table->ctx, TC_ERR_LIMIT,
			"more names, ids and metadata than %d, or than %lld bytes of them",
			TC_STRING_MAX_COUNT, TC_STRING_MAX_BYTES);
	else
		tc_no_memory(table->ctx);
}

uint32_t tc_strtab_intern(struct tc_strtab *table, struct tc_text text)
{
	uint32_t number = add(table, text);

	if (number == TC_STRTAB_NONE && table->ctx)
		fail(table);
	return number;
}

uint32_t tc_strtab_intern_again(struct tc_strtab *table, struct tc_text text, uint32_t last)
{
	if (last != TC_STRTAB_NONE && tc_text_equal(text_of(&table->entries[last]), text))
		return last;
	return tc_strtab_intern(table, text);
}

uint32_t tc_strtab_find(const struct tc_strtab *table, struct tc_text text)
{
	if (table->slot_count == 0)
		return TC_STRTAB_NONE;
	return table->slots[probe(table, text, hash_of(text))];
}

struct tc_text tc_strtab_at(const struct tc_strtab *table, uint32_t number)
{
	return text_of(&table->entries[number]);
}

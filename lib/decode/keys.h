/*
 * The keys that mean something: members of an event and members of its args, found by a hash over
 * their first eight bytes; none has more than 16, so two words are the whole key. And the keys that
 * events start with: they show where an event may start in damaged bytes.
 */
#pragma once

#include "core/text.h"
#include "decode/raw_event.h"

/* Members of an event; the first ones keep a scalar for the event's end. */
enum tc_field {
	TC_FIELD_PH,
	TC_FIELD_TS,
	TC_FIELD_DUR,
	TC_FIELD_PID,
	TC_FIELD_TID,
	TC_FIELD_NAME,
	TC_FIELD_CAT,
	TC_FIELD_ARGS,
	TC_FIELD_ID,
	TC_FIELD_BIND_ID,
	TC_FIELD_FLOW_IN,
	TC_FIELD_FLOW_OUT,
	TC_FIELD_BP,
	TC_FIELD_S,
	TC_FIELD_ID2,
	TC_FIELD_TRACE_EVENTS, /* no member of an event: makes its object a container */
	TC_FIELD_COUNT
};

enum { TC_KEY_SLOTS = 128, TC_KEY_BYTES_MAX = 16 };

struct tc_key_slot {
	uint64_t head, tail; /* the first eight bytes and the last eight; tail 0 of a shorter key */
	unsigned len;        /* 0: the slot is free */
	int number;          /* -1 in a free slot */
};

struct tc_keys {
	struct tc_key_slot fields[TC_KEY_SLOTS], args[TC_KEY_SLOTS];
};

void tc_keys_init(struct tc_keys *keys);
/* The key of a field. */
struct tc_text tc_keys_field_name(enum tc_field field);

/* The first bytes of a key of less than eight as a word, zeros after them. */
static inline uint64_t tc_key_short_head(const char *key, size_t len)
{
	uint64_t head = 0;

	memcpy(&head, key, len);
	return head;
}

/*
 * The first eight bytes of a key as a word, zeros after a shorter one. Bytes up to limit may be
 * read; keys have a quote behind them, so nearly always there are eight, and no branch is missed.
 */
static inline uint64_t tc_key_head(const char *key, size_t len, const char *limit)
{
	uint64_t head;

	if (len < 8 && limit - key < 8)
		return tc_key_short_head(key, len);
	memcpy(&head, key, 8);
	if (len >= 8)
		return head;
	return head & ((UINT64_C(1) << (8 * len)) - 1);
}

static inline uint64_t tc_key_tail(const char *key, size_t len)
{
	uint64_t tail = 0;

	if (len > 8)
		memcpy(&tail, key + len - 8, 8);
	return tail;
}

static inline unsigned tc_key_hash(uint64_t head, size_t len)
{
	return (unsigned)(((head ^ len) * UINT64_C(0x9e3779b97f4a7c15)) >> 57) % TC_KEY_SLOTS;
}

static inline int tc_key_find(
	const struct tc_key_slot *slots, const char *key, size_t len, const char *limit)
{
	uint64_t head = tc_key_head(key, len, limit);

	for (unsigned at = tc_key_hash(head, len);; at = (at + 1) % TC_KEY_SLOTS) {
		const struct tc_key_slot *slot = &slots[at];
		if (slot->head == head && slot->len == len && slot->tail == tc_key_tail(key, len))
			return slot->number;
		if (slot->len == 0)
			return -1;
	}
}

/* The field or argument of a key, -1 when it means nothing to us. Memory up to limit, at or
 * behind the end of the key, may be read. */
static inline int tc_keys_field(
	const struct tc_keys *keys, const char *key, size_t len, const char *limit)
{
	return tc_key_find(keys->fields, key, len, limit);
}
static inline int tc_keys_arg(
	const struct tc_keys *keys, const char *key, size_t len, const char *limit)
{
	return tc_key_find(keys->args, key, len, limit);
}

/* The keys that the events of this input have started with, beside the usual ones: as they are
 * written, in the order in which they were met. */
enum { TC_FIRST_KEYS_MAX = 8, TC_FIRST_KEY_BYTES = 32 };

struct tc_first_keys {
	char bytes[TC_FIRST_KEYS_MAX][TC_FIRST_KEY_BYTES];
	size_t len[TC_FIRST_KEYS_MAX];
	int count;
};

/* Notes the key that a good event starts with, raw from its brace on. */
void tc_first_keys_learn(struct tc_first_keys *keys, struct tc_text raw);
/* Notes those that others has met. */
void tc_first_keys_join(struct tc_first_keys *keys, const struct tc_first_keys *others);

/* Does an event seem to start at the brace p? 1, 0, or -1 when more bytes must decide. */
int tc_first_keys_open(const struct tc_first_keys *keys, const char *p, const char *end);

/* The key in quotes at p, with a colon behind it. 1, 0 or -1 as above. */
int tc_first_keys_read(struct tc_text *key, const char *p, const char *end);

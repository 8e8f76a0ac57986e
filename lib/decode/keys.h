/*
 * The keys that mean something: members of an event and members of its args, found by a small
 * hash over length, first and last byte.
 */
#ifndef TC_DECODE_KEYS_H
#define TC_DECODE_KEYS_H

#include <stdbool.h>

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

enum { TC_KEY_SLOTS = 256 };

struct tc_keys {
	unsigned char field_slots[TC_KEY_SLOTS]; /* number + 1, 0 is free */
	unsigned char arg_slots[TC_KEY_SLOTS];
};

void tc_keys_init(struct tc_keys *keys);
/* The field or argument of a key, -1 when it means nothing to us. */
int tc_keys_field(const struct tc_keys *keys, const char *key, size_t len);
int tc_keys_arg(const struct tc_keys *keys, const char *key, size_t len);

#endif

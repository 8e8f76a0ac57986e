/*
 * The keys that events start with: the usual ones, and those that the events of this input have
 * started with. They show where an event may start in damaged bytes.
 */
#ifndef TC_DECODE_WALK_FIRST_KEYS_H
#define TC_DECODE_WALK_FIRST_KEYS_H

#include <stdbool.h>

#include "core/text.h"

enum { TC_FIRST_KEYS_MAX = 8, TC_FIRST_KEY_BYTES = 32 };

/* As they are written, in the order in which they were met. */
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

#endif

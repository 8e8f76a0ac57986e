/* The keys of a heuristic's header. Each is a row of a table with a function that takes its
 * value. */
#ifndef TC_ADVICE_CATALOGUE_HEADER_KEYS_H
#define TC_ADVICE_CATALOGUE_HEADER_KEYS_H

#include "advice/catalogue/header.h"

/* Whom a key is for, and how often it stands in a header. */
enum tc_header_key_use {
	TC_KEY_OPTIONAL,
	TC_KEY_REQUIRED,
	TC_KEY_REPEATED,
	TC_KEY_OWN,      /* required of built-in heuristics, optional for rules of the user */
	TC_KEY_OWN_ONLY, /* the same, and refused in rules of the user */
};

struct tc_header_key {
	const char *name;
	enum tc_status (*take)(struct tc_header *header, struct tc_text value);
	enum tc_header_key_use use;
	const char *example; /* of a key that may be required */
};

/* The table; *count rows, at most as many as an unsigned has bits. */
const struct tc_header_key *tc_header_keys(size_t *count);

#endif

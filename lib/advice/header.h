/*
 * The header of a heuristic's file while it is read, and the keys that may stand in it. Each key is
 * a row of the table in header_keys.c with a function that takes its value.
 */
#ifndef TC_ADVICE_HEADER_H
#define TC_ADVICE_HEADER_H

#include "advice/heuristic_file.h"
#include "core/buf.h"

struct tc_header_key;

struct tc_header {
	struct tc_heuristic_file *file;
	struct tc_ctx *ctx;
	struct tc_box *box;
	const struct tc_heuristic_source *source;
	int line;                        /* being read, from 1 */
	int key_line;                    /* of the key below */
	const struct tc_header_key *key; /* whose value is in value; NULL for none */
	struct tc_buf value;
	unsigned seen; /* a bit per key */
};

/* Whom a key is for, and how often it stands in a header. */
enum tc_header_key_use {
	TC_KEY_OPTIONAL,
	TC_KEY_REQUIRED,
	TC_KEY_REPEATED,
	TC_KEY_BUILT_IN, /* optional, and not for rules of the user */
};

struct tc_header_key {
	const char *name;
	enum tc_status (*take)(struct tc_header *header, struct tc_text value);
	enum tc_header_key_use use;
	const char *example; /* of a required key */
};

/* The table; *count rows, at most as many as an unsigned has bits. */
const struct tc_header_key *tc_header_keys(size_t *count);

/* Fails with "path:line: ..." as TC_ERR_USAGE; line 0 is left out. */
enum tc_status tc_header_fault(const struct tc_header *header, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

/* The header of a heuristic's file while it is read. */
#ifndef TC_ADVICE_CATALOGUE_HEADER_H
#define TC_ADVICE_CATALOGUE_HEADER_H

#include "core/collections/arena.h"
#include "advice/catalogue/heuristic.h"
#include "core/buf.h"

struct tc_header_key;

/* What to parse. */
struct tc_heuristic_source {
	const char *path; /* a string that outlives the descriptor */
	struct tc_text text;
	bool is_rule; /* of the user */
};

struct tc_header {
	struct tc_heuristic_file *file;
	struct tc_ctx *ctx;
	struct tc_arena *arena;
	const struct tc_heuristic_source *source;
	int line;                        /* being read, from 1 */
	int key_line;                    /* of the key below */
	const struct tc_header_key *key; /* whose value is in value; NULL for none */
	struct tc_buf value;
	unsigned seen; /* a bit per key */
};

/* Fails with "path:line: ..." as TC_ERR_USAGE; line 0 is left out. */
enum tc_status tc_header_fault(const struct tc_header *header, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

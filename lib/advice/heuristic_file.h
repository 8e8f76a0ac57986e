/*
 * One heuristic: its file as a descriptor. The form is in docs/user-rules.md; each key of the
 * header is a row of a table in heuristic_keys.c.
 */
#ifndef TC_ADVICE_HEURISTIC_FILE_H
#define TC_ADVICE_HEURISTIC_FILE_H

#include "advice/box.h"
#include "tracecoach/heuristic.h"

/* Texts end with NULL in items; NULL for none. */
struct tc_text_list {
	const char **items;
	size_t count, capacity;
};

struct tc_heuristic_file {
	struct tc_heuristic heuristic; /* its texts are of the box that the file was parsed into */
	struct tc_param *params;       /* with an empty one at the end; NULL for none */
	struct tc_says *says;          /* the same */
	struct tc_text_list needs, part_of;
	size_t param_count, param_capacity, says_count, says_capacity;
	int order;    /* among the built-in heuristics */
	int sql_line; /* of the file, in which the query starts */
};

/* What to parse. */
struct tc_heuristic_source {
	const char *path; /* a string that outlives the descriptor */
	struct tc_text text;
	bool is_rule; /* of the user */
};

/*
 * Fills file, which is zero. A fault is TC_ERR_USAGE and "path:line: what, what to do".
 * tc_heuristic_file_clear() in any case.
 */
enum tc_status tc_heuristic_file_parse(struct tc_heuristic_file *file, struct tc_ctx *ctx,
	struct tc_box *box, const struct tc_heuristic_source *source);
void tc_heuristic_file_clear(struct tc_heuristic_file *file);

#endif

/*
 * The file of a heuristic as a descriptor: comment lines "-- key: value", then the query. The form
 * is in docs/user-rules.md.
 */
#pragma once

#include "core/collections/arena.h"
#include "core/context.h"
#include "tracecoach/heuristic.h"

/* Settings of all heuristics have this id in place of one. */
#define TC_ID_OF_ALL "advice"

/* Texts end with NULL in items; NULL for none. */
struct tc_text_list {
	const char **items;
	size_t count, capacity;
};

/* A heuristic in memory: a descriptor with the lists it points to, all of one arena. */
struct tc_heuristic_file {
	struct tc_heuristic heuristic;
	struct tc_param *params;       /* with an empty one at the end; NULL for none */
	struct tc_param_range *ranges; /* likewise */
	struct tc_says *says;          /* likewise */
	struct tc_text_list needs, part_of, edits;
	size_t param_count, param_capacity, range_count, range_capacity, says_count, says_capacity;
	int order;    /* among the built-in heuristics */
	int sql_line; /* of the file, in which the query starts */
};

struct tc_heuristic_source {
	const char *path; /* a string that outlives the descriptor */
	struct tc_text text;
	bool is_rule; /* of the user */
};

/* Fills file, which is zero, with texts of an arena that has a context. A fault fails the context
 * with TC_ERR_USAGE and "path:line: the fault, the remedy". */
void tc_heuristic_file_parse(struct tc_heuristic_file *file, struct tc_arena *arena,
	const struct tc_heuristic_source *source);

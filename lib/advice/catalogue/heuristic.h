/* A heuristic in memory: a descriptor with what it points to, all of one arena. */
#ifndef TC_ADVICE_CATALOGUE_HEURISTIC_H
#define TC_ADVICE_CATALOGUE_HEURISTIC_H

#include <stddef.h>

#include "tracecoach/heuristic.h"

/* Settings of all heuristics have this id in place of one. */
#define TC_ID_OF_ALL "advice"

/* Texts end with NULL in items; NULL for none. */
struct tc_text_list {
	const char **items;
	size_t count, capacity;
};

struct tc_heuristic_file {
	struct tc_heuristic heuristic;
	struct tc_param *params; /* with an empty one at the end; NULL for none */
	struct tc_says *says;    /* the same */
	struct tc_text_list needs, part_of, edits;
	size_t param_count, param_capacity, says_count, says_capacity;
	int order;    /* among the built-in heuristics */
	int sql_line; /* of the file, in which the query starts */
};

/* The position of the parameter called name in the heuristic's params, or -1. */
int tc_param_find(const struct tc_heuristic *heuristic, const char *name);

#endif

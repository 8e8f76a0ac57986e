/*
 * The catalogue: the built-in heuristics, with the user's rules behind them. Both are files of
 * comment lines "-- key: value" and a query below (docs/user-rules.md), and both keep the contract
 * of tracecoach/heuristic.h.
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

struct tc_catalogue {
	struct tc_arena arena; /* owner of all below */
	struct tc_heuristic_file **files;
	size_t count, capacity;
	size_t built_in_count; /* of count: those in front */
};

/*
 * The built-in heuristics and, unless rules_directory is NULL, every file of that directory whose
 * name ends with .sql, in the order of their names. The caller's; it must outlive all settings and
 * advice made with it. NULL on failure: a rule with a fault is TC_ERR_USAGE and "FILE:LINE: the
 * fault, the remedy".
 */
struct tc_catalogue *tc_catalogue_new(struct tc_ctx *ctx, const char *rules_directory);
void tc_catalogue_free(struct tc_catalogue *catalogue); /* NULL is fine */

static inline size_t tc_catalogue_count(const struct tc_catalogue *catalogue)
{
	return catalogue->count;
}

/* Borrowed. Built-in heuristics come first, in the order in which they run. */
static inline const struct tc_heuristic *tc_catalogue_at(
	const struct tc_catalogue *catalogue, size_t index)
{
	return &catalogue->files[index]->heuristic;
}

/* The position of an id, or tc_catalogue_count() when there is none. */
size_t tc_catalogue_find(const struct tc_catalogue *catalogue, const char *id);

/* Compiles the query of every rule on an empty store, so that a fault shows with its line before
 * any trace is read; the first one fails the context. In evaluate.c. */
void tc_catalogue_check(const struct tc_catalogue *catalogue, struct tc_ctx *ctx);

/* The position of the parameter called name in the heuristic's params, or -1. */
int tc_param_find(const struct tc_heuristic *heuristic, const char *name);

/*
 * The catalogue: the built-in heuristics, with the user's rules behind them. Both are files of SQL
 * with a comment header, and both keep the contract of tracecoach/heuristic.h.
 */
#ifndef TC_ADVICE_CATALOGUE_CATALOGUE_H
#define TC_ADVICE_CATALOGUE_CATALOGUE_H

#include "core/collections/arena.h"
#include "advice/catalogue/heuristic.h"
#include "core/context.h"
#include "tracecoach/heuristic.h"

struct tc_catalogue {
	struct tc_arena arena; /* owner of all below */
	struct tc_heuristic_file **files;
	size_t count, capacity;
	size_t built_in_count; /* of count: those in front */
};

/*
 * The built-in heuristics and, unless rules_directory is NULL, every file of that directory whose
 * name ends with .sql, in the order of their names. A rule with a fault fails the call with
 * TC_ERR_USAGE and "FILE:LINE: what, what to do". *out is owned by the caller and must outlive all
 * settings and advice made with it.
 */
enum tc_status tc_catalogue_new(
	struct tc_catalogue **out, struct tc_ctx *ctx, const char *rules_directory);
void tc_catalogue_free(struct tc_catalogue *catalogue); /* NULL is fine */

size_t tc_catalogue_count(const struct tc_catalogue *catalogue);
/* Borrowed. Built-in heuristics come first, in the order in which they run. */
const struct tc_heuristic *tc_catalogue_at(const struct tc_catalogue *catalogue, size_t index);
/* The position of an id, or tc_catalogue_count() when there is none. */
size_t tc_catalogue_find(const struct tc_catalogue *catalogue, const char *id);
/* TC_ERR_USAGE with "ID: no such heuristic" and the nearest id there is, or how to list them. */
enum tc_status tc_catalogue_fail(
	const struct tc_catalogue *catalogue, struct tc_ctx *ctx, const char *id);

/* Compiles the query of every rule on an empty store; the first fault fails the call. */
enum tc_status tc_catalogue_check(const struct tc_catalogue *catalogue, struct tc_ctx *ctx);

#endif

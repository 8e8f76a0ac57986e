/*
 * The catalogue: the heuristics that come with tracecoach, with the user's own rules behind them.
 * Both are files of SQL with a comment header, held to the contract of heuristic.h.
 */
#ifndef TRACECOACH_CATALOGUE_H
#define TRACECOACH_CATALOGUE_H

#include <stddef.h>

#include "tracecoach/context.h"
#include "tracecoach/heuristic.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tc_catalogue;

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

/* The page docs/heuristics/ID.md of a built-in heuristic, a constant; NULL when there is none. */
const char *tc_heuristic_page(const char *id);
/* A title, advice, why or source of a heuristic in terms that suit the traces of all vendors:
 * "{graphs}" is "HPU Graphs, CUDA or HIP graphs". The caller frees it; NULL when memory is out. */
char *tc_heuristic_text(const char *text);

#ifdef __cplusplus
}
#endif

#endif

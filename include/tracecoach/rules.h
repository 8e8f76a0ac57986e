/*
 * The user's own rules: .sql files with a comment header, held to the contract of heuristic.h
 * (docs/user-rules.md). And the catalogue: the built-in heuristics with the user's behind them.
 */
#ifndef TRACECOACH_RULES_H
#define TRACECOACH_RULES_H

#include <stddef.h>

#include "tracecoach/context.h"
#include "tracecoach/heuristic.h"

struct tc_rules;

/*
 * Reads every file of a directory whose name ends with .sql, in the order of their names. A file
 * with a fault fails the call with TC_ERR_USAGE and "FILE:LINE: what, what to do". The queries are
 * not run, so whether they compile shows with a store. *out is owned by the caller and must
 * outlive all settings and advice made with it.
 */
enum tc_status tc_rules_load(struct tc_rules **out, struct tc_ctx *ctx, const char *directory);
void tc_rules_free(struct tc_rules *rules); /* NULL is fine */

/* The catalogue: built-in heuristics in the order of the registry, then rules by file name. rules
 * may be NULL: no rules. */
size_t tc_catalogue_count(const struct tc_rules *rules);
const struct tc_heuristic *tc_catalogue_at(const struct tc_rules *rules, size_t index);
/* The position of an id, or tc_catalogue_count() when there is none. */
size_t tc_catalogue_find(const struct tc_rules *rules, const char *id);
/* TC_ERR_USAGE with "ID: no such heuristic" and the nearest id there is, or how to list them. */
enum tc_status tc_catalogue_fail(const struct tc_rules *rules, struct tc_ctx *ctx, const char *id);

#endif

/*
 * What one trace can show: the rows of the view capability, read once, and why a heuristic that
 * needs more does not apply.
 */
#pragma once

#include "core/context.h"
#include "advice/trace/words.h"
#include "core/collections/strtab.h"
#include "store/sql.h"
#include "tracecoach/heuristic.h"

struct tc_capabilities {
	struct tc_strtab present; /* names of what is there */
	bool is_other;            /* the store says that the trace is of something else */
};

#define TC_CAPABILITIES_EMPTY ((struct tc_capabilities){TC_STRTAB_EMPTY, false})

/* Fills capabilities, which must be empty, for one trace. Clear present afterwards. */
void tc_capabilities_load(
	struct tc_capabilities *capabilities, struct tc_tables *tables, int64_t trace_id);

/* Why heuristic does not apply (a constant sentence: it is about another vendor, or about the first
 * need that is not met), or NULL when it does. words may be NULL. */
const char *tc_capability_missing(const struct tc_capabilities *capabilities,
	const struct tc_heuristic *heuristic, const struct tc_words *words);

/* The sentence for a need, or NULL when no such capability is known. */
const char *tc_capability_reason(const char *need);

/* Sets *names to the names of all capabilities and returns how many there are. */
size_t tc_capability_names(const char *const **names);

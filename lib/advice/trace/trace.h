/*
 * What one trace can show: the rows of the view capability, read once, and why a heuristic that
 * needs more does not apply. And texts of heuristics in the terms of a trace: HPU Graphs on Gaudi,
 * CUDA graphs on NVIDIA, no word of optimizers where nothing was trained. The terms are the table
 * words.def.
 */
#pragma once

#include <stdbool.h>

#include "core/buf.h"
#include "core/collections/strtab.h"
#include "core/context.h"
#include "store/sql.h"
#include "tracecoach/heuristic.h"

enum { TC_WORDS_MAX_TRAITS = 24 };

/* Whose terms: the rows of the view trait. Without any for a text that must suit all traces. */
struct tc_words {
	bool is_of_trace;   /* a trait that is not in the list is not one of the trace */
	const char *vendor; /* as trace.vendor; NULL if the trace does not say */
	const char *traits[TC_WORDS_MAX_TRAITS]; /* constants; NULL behind the last */
};

#define TC_WORDS_ANY ((struct tc_words){.is_of_trace = false})

/* Reads them from a trace. */
void tc_words_load(struct tc_words *words, struct tc_tables *tables, int64_t trace_id);

/* Appends text with every {term} replaced; words NULL for those that suit all. A word in
 * braces that is no term stays as it is, for texts of the user's rules. */
void tc_words_append(struct tc_buf *out, const char *text, const struct tc_words *words);

/* Appends the example of a page: the first of its blocks of Python or of a diff of it whose traits,
 * which stand behind "python" or "diff" in the line that opens it, hold, with the name that torch
 * has for the trace's device, and the optimizer of subject, the first row's, in place of AdamW. A
 * block is passed over where either has no such name. Nothing without such a block. */
void tc_words_append_example(
	struct tc_buf *out, const char *page, const struct tc_words *words, const char *subject);

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

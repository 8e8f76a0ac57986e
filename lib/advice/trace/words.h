/*
 * Texts of heuristics in the terms of a trace: HPU Graphs on Gaudi, CUDA graphs on NVIDIA, no word
 * of optimizers where nothing was trained. The terms are the table words.def.
 */
#pragma once

#include <stdbool.h>

#include "core/context.h"
#include "core/buf.h"
#include "store/sql.h"

enum { TC_WORDS_MAX_TRAITS = 16 };

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

/*
 * Texts of heuristics in the terms of a trace: HPU Graphs on Gaudi, CUDA graphs on NVIDIA, no word
 * of optimizers where nothing was trained. The terms are the table words.def.
 */
#ifndef TC_ADVICE_WORDS_H
#define TC_ADVICE_WORDS_H

#include <sqlite3.h>

#include "core/buf.h"
#include "tracecoach/context.h"

/* Whose terms; NULL where the trace does not tell, and for a text that must suit all. Constants. */
struct tc_words {
	const char *vendor; /* as trace.vendor */
	const char *run;    /* training or inference */
};

#define TC_WORDS_ANY ((struct tc_words){NULL, NULL})

/* What a trace tells. */
enum tc_status tc_words_load(
	struct tc_words *words, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);

/* Appends text with every {term} replaced; words NULL for those that suit all. What is no term of the table stays as it is, so that
 * texts of the user's rules may hold braces. */
void tc_words_append(struct tc_buf *out, const char *text, const struct tc_words *words);

#endif

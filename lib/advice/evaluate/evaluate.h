/*
 * Runs one heuristic on one trace: an account row always, a finding when it fires. Gains are as
 * the query says them; gain.h settles them when all heuristics of the trace have run.
 */
#ifndef TC_ADVICE_EVALUATE_EVALUATE_H
#define TC_ADVICE_EVALUATE_EVALUATE_H

#include "advice/trace/capability.h"
#include "advice/trace/words.h"
#include "core/collections/arena.h"
#include "core/text.h"
#include "store/statements.h"
#include "tracecoach/advice.h"

/* ---- advise.c: the box: what tc_advise() hands out is the public struct tc_advice at the head of
 * one of these, which owns every string and array in it. */

struct tc_box {
	struct tc_advice advice; /* first: tc_advice_free() gets its address */
	size_t finding_capacity, account_capacity, setting_capacity;
	struct tc_arena arena;
};

/* Rows of a finding that are kept as evidence: enough to work through, few enough to read. Gains
 * of further rows still count. */
#define TC_EVIDENCE_MAX_COUNT 1000

struct tc_evaluation {
	struct tc_ctx *ctx;
	struct tc_statements *statements; /* of the connection */
	int64_t trace_id;
	const struct tc_capabilities *capabilities;
	const struct tc_words *words; /* for the texts of the findings */
	struct tc_box *box;
	/* Of a user's rule; 0 for the limits of limits.h. */
	int64_t max_instructions, max_cpu_ns;
};

/* values are the heuristic's thresholds in the order of its params. A query that fails is an
 * account row; only memory and interrupts fail the call. */
enum tc_status tc_evaluate(const struct tc_evaluation *evaluation,
	const struct tc_heuristic *heuristic, const double *values);

/* The account row of a heuristic that the settings leave out; reason is a constant. */
enum tc_status tc_evaluate_off(const struct tc_evaluation *evaluation,
	const struct tc_heuristic *heuristic, const char *reason);

#endif

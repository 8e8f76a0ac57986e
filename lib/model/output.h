/*
 * Output: finished rows on their way to the store, and the ids that they get. Rows are collected in a
 * batch; a full batch goes to whoever writes it, who gives an empty one back.
 */
#ifndef TC_MODEL_OUTPUT_H
#define TC_MODEL_OUTPUT_H

#include "store/batch.h"
#include "tracecoach/context.h"

/* The next free id of each table; carried from trace to trace of one store. */
struct tc_next_ids {
	int64_t trace, slice, args_form, instant, counter, memory, process, thread, track, label,
		step, flow;
};

/* Takes a full batch and puts an empty one in *batch; the first call has *batch NULL. */
typedef enum tc_status (*tc_emit_fn)(void *user, struct tc_batch **batch);

struct tc_output {
	struct tc_ctx *ctx;
	struct tc_batch *batch;
	struct tc_next_ids *next; /* borrowed */
	struct tc_next_ids first; /* *next when the trace began */
	tc_emit_fn emit;
	void *emit_user;
};

/* Sets emit and emit_user; the other fields are the caller's to set. Gets the first batch. */
enum tc_status tc_output_start(struct tc_output *output, tc_emit_fn emit, void *emit_user);
void tc_output_clear(struct tc_output *output);

/* Hands the batch over when it is full, or in any case when all is set. */
enum tc_status tc_output_flush(struct tc_output *output, bool all);
/* A copy of args in the batch. */
enum tc_status tc_output_args(
	struct tc_row_args *out, struct tc_output *output, struct tc_text args);
/* The error for a row that could not be added. */
enum tc_status tc_output_no_memory(const struct tc_output *output);

#endif

/*
 * Output: finished rows on their way to the store, and the ids that they get. Rows are collected in
 * a batch; a full batch goes to whoever writes it, who gives an empty one back.
 */
#ifndef TC_MODEL_ROW_SINK_H
#define TC_MODEL_ROW_SINK_H

#include "store/batch.h"
#include "tracecoach/context.h"

/* The next free id of each table; carried from trace to trace of one store. */
struct tc_next_ids {
	int64_t trace, slice, args_form, instant, counter, memory, process, thread, track, label,
		step, flow;
};

/* Takes a full batch and puts an empty one in *batch; the first call has *batch NULL. */
typedef enum tc_status (*tc_take_batch_fn)(void *user, struct tc_batch **batch);

struct tc_row_sink {
	struct tc_ctx *ctx;
	struct tc_batch *batch;
	struct tc_next_ids *next; /* borrowed */
	struct tc_next_ids first; /* *next when the trace began */
	tc_take_batch_fn take;
	void *take_user;
};

/* Sets take and take_user; the other fields are the caller's to set. Gets the first batch. */
enum tc_status tc_row_sink_start(struct tc_row_sink *sink, tc_take_batch_fn take, void *take_user);
void tc_row_sink_clear(struct tc_row_sink *sink);

/* Hands the batch over when it is full, or in any case when all is set. */
enum tc_status tc_row_sink_flush(struct tc_row_sink *sink, bool all);
/* A copy of args in the batch. */
enum tc_status tc_row_sink_args(
	struct tc_row_args *out, struct tc_row_sink *sink, struct tc_text args);
/* The error for a row that could not be added. */
enum tc_status tc_row_sink_no_memory(const struct tc_row_sink *sink);

#endif

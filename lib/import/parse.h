/*
 * Parse: the bytes of one trace through decoder and model into rows of the store, in turns on the
 * caller's thread. Helper threads read the source and decode it ahead (decode/fast/prefetch.h);
 * inline there are none, and the same rows come in the same order.
 */
#ifndef TC_IMPORT_PARSE_H
#define TC_IMPORT_PARSE_H

#include <stdbool.h>

#include "analysis/op_tree.h"
#include "model/model.h"

/* What to parse; everything is borrowed. */
struct tc_parse_job {
	const char *path;
	tc_take_batch_fn take; /* takes the rows */
	void *take_user;
	struct tc_next_ids *ids;
	bool inline_stages;
	bool strict;                          /* lost or damaged parts are an error */
	const struct tc_companion *companion; /* its labels come first; NULL for none */
};

/* What errors call an input. */
const char *tc_input_name(const char *path);

/*
 * Reads a trace; one in which nothing can be used is an error. *model is made for it and is the
 * caller's, to be resolved with *facts. On failure nothing is left to free.
 */
enum tc_status tc_parse(struct tc_model **model, struct tc_input_facts *facts, struct tc_ctx *ctx,
	const struct tc_parse_job *job);

#endif

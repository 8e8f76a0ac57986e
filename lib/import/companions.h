/*
 * Companions: other traces, or stores of them, in which the graphs of the inputs were captured.
 */
#ifndef TC_IMPORT_COMPANIONS_H
#define TC_IMPORT_COMPANIONS_H

#include "analysis/operators/companion.h"
#include "tracecoach/import.h"

/* Reads options->capture_paths; *out is the caller's, NULL without any. One in which nothing was
 * captured is an error. */
enum tc_status tc_companion_read(
	struct tc_companion **out, struct tc_ctx *ctx, const struct tc_import_options *options);
void tc_companion_free(struct tc_companion *companion); /* NULL is fine */

#endif

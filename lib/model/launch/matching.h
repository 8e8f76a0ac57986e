/*
 * Launch matching without correlation ids, as on Gaudi: device work and the calls that launch it
 * are matched by recipe and order. matching.c explains how. Failures are in the timeline's context;
 * no launch is found then.
 */
#pragma once

#include "core/sort/sorter.h"
#include "model/launch/executions.h"

/* Adds a call to the sorter of all calls, which is made with the first one. */
void tc_matcher_add_call(struct tc_sorter **calls, struct tc_ctx *ctx, const struct tc_span *span,
	enum tc_call_class call_class);

struct tc_matcher;

/* Reads the calls. The timeline is sorted. NULL without memory. */
struct tc_matcher *tc_matcher_open(struct tc_timeline *timeline, struct tc_sorter *calls);
/* Finds the copies of batches of the timeline. Returns how many calls and executions were too many
 * to hold. NULL is fine. */
int64_t tc_matcher_close(struct tc_matcher *matcher);

/* Reads the work on the lanes of a device, and finds the calls of its executions. */
void tc_matcher_read(
	struct tc_matcher *matcher, size_t device, const uint32_t *lanes, size_t lane_count);

/* The launch of an operation. */
struct tc_match {
	const struct tc_call *call;   /* or NULL */
	enum tc_launch_method method; /* UNKNOWN: nothing */
	int64_t step_ns;              /* a time of the step it belongs to */
};

/* Called once for each operation without a launch on the lanes that were read, in time order. */
struct tc_match tc_matcher_find(struct tc_matcher *matcher, const struct tc_span *span);

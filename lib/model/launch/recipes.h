/*
 * Launches without correlation ids, as on Gaudi: device work and the calls that launch it are tied
 * by recipe and order. See recipes.c for how.
 */
#ifndef TC_MODEL_LAUNCH_RECIPES_H
#define TC_MODEL_LAUNCH_RECIPES_H

#include "model/timeline.h"
#include "names/names.h"

struct tc_model;
struct tc_matcher;

/* A call that launches or copies. */
struct tc_call {
	int64_t ts_ns, end_ns, slice_id;
	uint32_t recipe;
	enum tc_call_class call_class;
};

/* Knows the calls. The timeline is sorted. *out is owned by the caller. */
enum tc_status tc_matcher_open(struct tc_matcher **out, struct tc_model *model);
void tc_matcher_close(struct tc_matcher *matcher); /* NULL is fine */

/* Counts the work on the lanes of a device. Once per device, before its work is asked for. */
enum tc_status tc_matcher_count(
	struct tc_matcher *matcher, size_t device, const uint32_t *lanes, size_t lane_count);
/* The call that launched an operation, and in span->method how that is known; NULL without any.
 * Once per operation without a launch, those of a device in time order. */
const struct tc_call *tc_matcher_find(struct tc_matcher *matcher, struct tc_span *span);
/* True for work of a Gaudi that starts before any call that could have launched it. */
bool tc_matcher_precedes(const struct tc_matcher *matcher, const struct tc_span *span);

/* Logs what was too much to hold. */
enum tc_status tc_matcher_log(struct tc_matcher *matcher);

#endif

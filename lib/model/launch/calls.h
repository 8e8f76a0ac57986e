/* Calls that launch or copy on runtimes without correlation ids, in time order. */
#ifndef TC_MODEL_LAUNCH_CALLS_H
#define TC_MODEL_LAUNCH_CALLS_H

#include "model/timeline/timeline.h"

struct tc_call {
	/* While the runtime gets the work; calls are in this order. It is the time of the call
	 * itself, or of the enqueue call that another thread made for it. */
	int64_t ts_ns, done_ns;
	int64_t begin_ns, end_ns, slice_id;
	uint32_t label;
	uint32_t recipe; /* number in the timeline's texts, or TC_STRTAB_NONE */
	enum tc_call_class call_class;
};

struct tc_call_list {
	struct tc_call *rows;
	size_t count, capacity;
};

struct tc_calls {
	struct tc_call_list launches; /* that launch recipes, of the first class there is */
	struct tc_call_list copies;   /* the same of copies */
	int64_t over_count;           /* beyond the limit */
};

/* Adds a call to the sorter of all calls, which is made when it is NULL. */
enum tc_status tc_calls_add(struct tc_sorter **all, struct tc_ctx *ctx, const struct tc_span *span,
	enum tc_call_class call_class);
/* Reads those that launch or copy from the sorter of all calls. */
enum tc_status tc_calls_load(struct tc_calls *calls, struct tc_sorter *all, struct tc_ctx *ctx);
void tc_calls_clear(struct tc_calls *calls);

/* The number of calls that begin at or before a time. */
size_t tc_calls_until(const struct tc_call_list *list, int64_t ts_ns);

/* False when both are recipes, and different ones. */
static inline bool tc_recipes_fit(uint32_t a, uint32_t b)
{
	return a == b || a == TC_STRTAB_NONE || b == TC_STRTAB_NONE;
}

#endif

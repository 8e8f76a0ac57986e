/* The time that a cut is of: from the options, and what the store knows of steps and findings. */
#ifndef TC_CUT_RANGE_H
#define TC_CUT_RANGE_H

#include <sqlite3.h>

#include "core/context.h"
#include "tracecoach/cut.h"

/* Half-open, in the time of the file. */
struct tc_range {
	int64_t from_ns, to_ns;
};

/* The range that options ask for in the only trace of a store. */
enum tc_status tc_range_find(struct tc_range *out, struct tc_ctx *ctx, sqlite3 *db,
	const struct tc_cut_options *options);

/* Is something of [from, to) in the range? What has no length is, when its time is. */
static inline bool tc_range_touches(const struct tc_range *range, int64_t from_ns, int64_t to_ns)
{
	if (from_ns == to_ns)
		return from_ns >= range->from_ns && from_ns < range->to_ns;
	return from_ns < range->to_ns && to_ns > range->from_ns;
}

#endif

/*
 * Half-open intervals [start, end) of nanoseconds, and sets of disjoint ones: the arithmetic of
 * every tally. Times are clamped to +-TC_TIME_MAX_NS, so that the difference of two never
 * overflows. Sums of durations, which may overlap without bound, saturate.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "core/limits.h"
#include "core/saturate.h"

#define TC_TIME_FIRST (-TC_TIME_MAX_NS)
#define TC_TIME_LAST TC_TIME_MAX_NS

struct tc_interval {
	int64_t start_ns, end_ns;
};

/* A time, clamped to [TC_TIME_FIRST, TC_TIME_LAST]. */
int64_t tc_time_clamp(int64_t time_ns);

static inline int64_t tc_time_later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}
/* [ts, ts + dur), clamped; a negative duration counts as 0. */
struct tc_interval tc_interval_of(int64_t ts_ns, int64_t dur_ns);
/* The length; 0 for an interval that ends before it starts. */
int64_t tc_interval_measure(struct tc_interval interval);
/* The intersection of two intervals; its measure is 0 when they share nothing. */
struct tc_interval tc_interval_cut(struct tc_interval a, struct tc_interval b);

/* The interval from the earlier start to the later end. */
static inline struct tc_interval tc_interval_join(struct tc_interval a, struct tc_interval b)
{
	if (b.start_ns < a.start_ns)
		a.start_ns = b.start_ns;
	if (b.end_ns > a.end_ns)
		a.end_ns = b.end_ns;
	return a;
}

/* The empty interval: joined with an interval, it gives that interval. */
#define TC_INTERVAL_NONE ((struct tc_interval){INT64_MAX, INT64_MIN})

/* A union of intervals, kept as disjoint ones in time order; touching ones are joined. */
struct tc_interval_set {
	struct tc_interval *items;
	size_t count, capacity;
};

#define TC_INTERVAL_SET_EMPTY ((struct tc_interval_set){0})

void tc_interval_set_clear(struct tc_interval_set *set);
/* Adds an interval; an empty one changes nothing. The union is unchanged, and the context has
 * failed, when memory is out. Cheap when intervals come in the order of their starts. */
void tc_interval_set_add(
	struct tc_interval_set *set, struct tc_ctx *ctx, struct tc_interval interval);
/* The measure of the union. */
int64_t tc_interval_set_measure(const struct tc_interval_set *set);

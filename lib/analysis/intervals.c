/*
 * A union is an array of disjoint intervals in time order. One that starts at or after the last of
 * them is added without a search; any other is put where it belongs, and what it touches is joined
 * with it: [1, 3) [5, 6) and [2, 5) give [1, 6).
 */
#include "analysis/intervals.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"

int64_t tc_time_clamp(int64_t time_ns)
{
	if (time_ns < TC_TIME_FIRST)
		return TC_TIME_FIRST;
	return time_ns > TC_TIME_LAST ? TC_TIME_LAST : time_ns;
}

struct tc_interval tc_interval_of(int64_t ts_ns, int64_t dur_ns)
{
	int64_t end_ns = tc_add_saturated(ts_ns, dur_ns > 0 ? dur_ns : 0);

	return (struct tc_interval){tc_time_clamp(ts_ns), tc_time_clamp(end_ns)};
}

int64_t tc_interval_measure(struct tc_interval interval)
{
	return interval.end_ns > interval.start_ns ? interval.end_ns - interval.start_ns : 0;
}

struct tc_interval tc_interval_cut(struct tc_interval a, struct tc_interval b)
{
	return (struct tc_interval){
		a.start_ns > b.start_ns ? a.start_ns : b.start_ns,
		a.end_ns < b.end_ns ? a.end_ns : b.end_ns,
	};
}

void tc_interval_set_clear(struct tc_interval_set *set)
{
	tc_free(set->items);
	*set = TC_INTERVAL_SET_EMPTY;
}

/* The first item that ends at or after a time. An interval that starts then can touch no earlier
 * item. */
static size_t first_touching(const struct tc_interval_set *set, int64_t time_ns)
{
	size_t at;

	if (set->count > 0 && set->items[set->count - 1].end_ns < time_ns)
		return set->count;
	TC_BISECT(at, set->count, set->items[at].end_ns < time_ns);
	return at;
}

void tc_interval_set_add(
	struct tc_interval_set *set, struct tc_ctx *ctx, struct tc_interval interval)
{
	if (tc_interval_measure(interval) == 0)
		return;
	if (!TC_ROOM(ctx, set->items, set->capacity, set->count + 1))
		return;
	size_t from = first_touching(set, interval.start_ns), to = from;
	for (; to < set->count && set->items[to].start_ns <= interval.end_ns; to++)
		interval = tc_interval_join(interval, set->items[to]);
	memmove(set->items + from + 1, set->items + to, (set->count - to) * sizeof(*set->items));
	set->items[from] = interval;
	set->count = set->count - (to - from) + 1;
}

int64_t tc_interval_set_measure(const struct tc_interval_set *set)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < set->count; i++)
		sum_ns += tc_interval_measure(set->items[i]);
	return sum_ns;
}

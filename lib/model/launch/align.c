/*
 * Aligns calls with executions. Both are first in, first out, so the last execution belongs to the
 * last call that begins before it, the one before it to the call before, and so on. Executions
 * without a call at the front were launched before the recording.
 *
 * Where slices are lost, a call or an execution has no partner. The cheapest alignment is chosen:
 * every call or execution without a partner costs, and so does a call that waits while the device
 * idles. A call that begins after an execution, or names another recipe, cannot be its call. The
 * search goes back in time. It keeps the costs for BAND numbers of calls that are left, near the
 * best one.
 */
#include "model/launch/align.h"

#include "core/alloc.h"
#include "core/saturate.h"

enum {
	BAND = 64,
	/* Our defaults, no published source. The unit is one call that waits. */
	SKIP_COST = 4,
	WAIT_COST = 1,
	FRONT_COST = 2, /* cheaper at the front: calls and executions may begin to be recorded at
			   different times */
	IDLE_NS = 50 * 1000,
	NEVER = 1 << 29,
};

/* An execution. */
struct item {
	int64_t start_ns, idle_from_ns;
	uint32_t recipe;
};

/* The choices of the best alignments at one execution; bit k is for base + k calls left. */
struct row {
	uint64_t matched; /* the execution has the call of that number */
	uint64_t skipped; /* the call of that number has no execution */
	uint32_t base;
	uint32_t from; /* if not 0: all calls below this number, down to those left, have no
			  execution */
};

struct search {
	const struct tc_executions *executions;
	const struct tc_call *calls;
	struct row *rows; /* by execution */
	int32_t cost[BAND];
	size_t base;
};

static size_t cheapest(const struct search *search)
{
	size_t best = 0;

	for (size_t k = 1; k < BAND; k++)
		if (search->cost[k] <= search->cost[best])
			best = k;
	return best;
}

/* Sets the band to one number of calls left. */
static void narrow(struct search *search, size_t left, int32_t cost)
{
	search->base = left < BAND ? 0 : left - BAND / 2;
	for (size_t k = 0; k < BAND; k++)
		search->cost[k] = NEVER;
	search->cost[left - search->base] = cost;
}

/* Moves the band down so that its best element is in the middle. */
static void centre(struct search *search)
{
	size_t best = search->base + cheapest(search);
	size_t base = best < BAND / 2 ? 0 : best - BAND / 2;

	if (base >= search->base)
		return;
	size_t shift = search->base - base;
	for (size_t k = BAND; k-- > 0;)
		search->cost[k] = k >= shift ? search->cost[k - shift] : NEVER;
	search->base = base;
}

static int32_t cost_of(const struct item *item, const struct tc_call *call)
{
	if (call->ts_ns > item->start_ns || !tc_recipes_fit(call->recipe, item->recipe))
		return NEVER;
	return tc_sub_saturated(item->start_ns, item->idle_from_ns) > IDLE_NS &&
			       call->done_ns < item->idle_from_ns
		       ? WAIT_COST
		       : 0;
}

static void take_item(struct search *search, const struct item *item, struct row *row)
{
	size_t until = tc_calls_until(search->executions->calls, item->start_ns);
	int32_t *cost = search->cost;

	*row = (struct row){0};
	if (search->base > until) {
		size_t best = cheapest(search);
		row->from = (uint32_t)(search->base + best);
		narrow(search, until, cost[best] + SKIP_COST);
	}
	centre(search);
	row->base = (uint32_t)search->base;
	for (size_t k = BAND - 1; k-- > 0;)
		if (cost[k + 1] < NEVER && cost[k + 1] + SKIP_COST <= cost[k]) {
			cost[k] = cost[k + 1] + SKIP_COST;
			row->skipped |= UINT64_C(1) << k;
		}
	for (size_t k = 0; k < BAND; k++) {
		size_t left = search->base + k;
		int32_t match = NEVER;
		if (k + 1 < BAND && cost[k + 1] < NEVER)
			match = cost[k + 1] + cost_of(item, &search->calls[left]);
		int32_t alone = cost[k] + (left > 0 ? SKIP_COST : FRONT_COST);
		if (match <= alone && match < NEVER)
			row->matched |= UINT64_C(1) << k;
		cost[k] = match < alone ? match : alone;
		if (cost[k] > NEVER)
			cost[k] = NEVER;
	}
}

/* Follows the choices of the cheapest alignment, from the first execution on. */
static void read_back(int32_t *calls, struct search *search)
{
	int32_t latest = TC_CALL_BEFORE;

	for (size_t k = 0; k < BAND; k++)
		search->cost[k] += (int32_t)(search->base + k) * FRONT_COST;
	size_t left = search->base + BAND - 1;
	for (size_t k = BAND; k-- > 0;)
		if (search->cost[k] < search->cost[left - search->base])
			left = search->base + k;
	for (size_t i = 0; i < search->executions->count; i++) {
		const struct row *row = &search->rows[i];
		bool is_matched = row->matched >> (left - row->base) & 1;
		if (is_matched)
			latest = (int32_t)left;
		calls[i] = is_matched || latest < 0 ? latest : TC_CALL_LOST - latest;
		left += is_matched;
		while (row->skipped >> (left - row->base) & 1)
			left++;
		if (row->from > 0)
			left = row->from;
	}
}

/* Takes the executions, the last one first. */
static void take_all(struct search *search)
{
	const struct tc_executions *executions = search->executions;
	size_t at = executions->count;

	for (size_t r = executions->run_count; r-- > 0 && at > 0;) {
		const struct tc_run *run = &executions->runs[r];
		int64_t part_ns = tc_sub_saturated(run->end_ns, run->start_ns) / run->part_count;
		bool goes_on = r > 0 && run[-1].first + run[-1].part_count > run->first;
		struct item item = {.recipe = run->recipe};
		/* An execution in pieces begins with the first of them. */
		for (uint32_t part = run->part_count; part-- > (uint32_t)goes_on;) {
			item.start_ns = run->start_ns + part * part_ns;
			item.idle_from_ns = part > 0 ? item.start_ns : run->idle_from_ns;
			take_item(search, &item, &search->rows[--at]);
		}
	}
}

bool tc_align(int32_t **calls, const struct tc_executions *executions)
{
	struct search search = {.executions = executions, .calls = executions->calls->rows};
	size_t count = executions->count;

	*calls = tc_calloc(count, sizeof(**calls));
	search.rows = tc_calloc(count, sizeof(*search.rows));
	bool is_done = *calls && search.rows;
	if (is_done && count > 0) {
		const struct tc_run *last = &executions->runs[executions->run_count - 1];
		narrow(&search, tc_calls_until(executions->calls, last->end_ns), 0);
		take_all(&search);
		read_back(*calls, &search);
	}
	tc_free(search.rows);
	return is_done;
}

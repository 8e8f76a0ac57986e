#include "report/compare/parts.h"

#include "core/alloc.h"

#define AGREED_PCT 90

enum { IMAGE_RANK = 3 }; /* with fewer dimensions the first one may count tokens, not samples */

/* Calls of both sides that agree in all but the first dimension, which is at most 1e9. */
struct match {
	int64_t lead[TC_COMPARE_SIDES], call_count;
	bool counts_samples;
};

struct matches {
	struct match *items;
	size_t count, capacity;
};

static void add_match(
	struct matches *matches, struct tc_compare *compare, const struct tc_rows *rows)
{
	struct match match = {.counts_samples = tc_rows_int(&rows[TC_BEFORE], 2) >= IMAGE_RANK};

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		match.lead[side] = tc_rows_int(&rows[side], 1);
		match.call_count = tc_add_saturated(match.call_count, tc_rows_int(&rows[side], 3));
	}
	compare->matched_shape_count += match.lead[TC_BEFORE] == match.lead[TC_AFTER];
	TC_PUSH(compare->job->ctx, matches->items, matches->count, matches->capacity, match);
}

static bool same_ratio(const struct match *a, const struct match *b)
{
	return a->lead[TC_BEFORE] * b->lead[TC_AFTER] == b->lead[TC_BEFORE] * a->lead[TC_AFTER];
}

/* Calls whose first dimension counts the same thing as `like`, and, unless `all`, has the same
 * ratio. */
static int64_t count_calls(const struct matches *matches, const struct match *like, bool all)
{
	int64_t count = 0;

	for (size_t i = 0; i < matches->count; i++)
		if (matches->items[i].counts_samples == like->counts_samples &&
			(all || same_ratio(&matches->items[i], like)))
			count = tc_add_saturated(count, matches->items[i].call_count);
	return count;
}

/* The ratio of most calls; shapes that count samples come first. NULL without any. */
static const struct match *find_most(const struct matches *matches)
{
	const struct match *most = NULL;

	for (size_t i = 0; i < matches->count; i++) {
		const struct match *match = &matches->items[i];
		bool more = !most || match->call_count > most->call_count;
		if (most && match->counts_samples != most->counts_samples)
			more = match->counts_samples;
		most = more ? match : most;
	}
	return most;
}

static void choose_unit(struct tc_compare *compare, const struct matches *matches)
{
	const struct match *most = find_most(matches);

	/* Of other work, what few shapes agree in is by chance. */
	if (!compare->by_step || tc_work_other_weights(compare) || !most ||
		most->lead[TC_BEFORE] == most->lead[TC_AFTER])
		return;
	double share = (double)count_calls(matches, most, false) /
		       (double)count_calls(matches, most, true);
	if (share * 100 < AGREED_PCT)
		return;
	compare->unit = most->counts_samples ? TC_UNIT_SAMPLE : TC_UNIT_INPUT_ROW;
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		compare->sides[side].batch = most->lead[side];
}

void tc_compare_shapes_load(struct tc_compare *compare)
{
	struct tc_pairs pairs;
	struct matches matches = {0};

	compare->unit = compare->by_step ? TC_UNIT_STEP : TC_UNIT_WHOLE;
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		compare->sides[side].batch = 1;
	tc_pairs_open(&pairs, compare, TC_QUERY_SHAPES, 1);
	for (; tc_pairs_next(&pairs); compare->shape_count++)
		if (pairs.has[TC_BEFORE] && pairs.has[TC_AFTER])
			add_match(&matches, compare, pairs.rows);
	choose_unit(compare, &matches);
	tc_free(matches.items);
}

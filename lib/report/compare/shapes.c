/* See shapes.h. */
#include "report/compare/shapes.h"

#include "core/alloc.h"
#include "report/compare/query.h"

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

static enum tc_status add_match(
	struct matches *matches, struct tc_compare *compare, const struct tc_rows *rows)
{
	struct match match = {.counts_samples = tc_rows_int(&rows[TC_BEFORE], 2) >= IMAGE_RANK};

	if (!TC_GROW(matches->items, matches->capacity, matches->count + 1))
		return tc_no_memory(compare->job->ctx);
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		match.lead[side] = tc_rows_int(&rows[side], 1);
		match.call_count = tc_add_saturated(match.call_count, tc_rows_int(&rows[side], 3));
	}
	compare->matched_shape_count += match.lead[TC_BEFORE] == match.lead[TC_AFTER];
	matches->items[matches->count++] = match;
	return TC_OK;
}

/* Both queries are ordered by shape. */
static enum tc_status join(
	struct matches *matches, struct tc_compare *compare, struct tc_rows *rows)
{
	bool there[TC_COMPARE_SIDES] = {tc_rows_next(&rows[0]), tc_rows_next(&rows[1])};
	enum tc_status status = TC_OK;

	while (status == TC_OK && (there[TC_BEFORE] || there[TC_AFTER])) {
		int order = !there[TC_AFTER]    ? -1
			    : !there[TC_BEFORE] ? 1
						: tc_text_order(tc_rows_text(&rows[0], 0),
							  tc_rows_text(&rows[1], 0));
		compare->shape_count++;
		if (order == 0)
			status = add_match(matches, compare, rows);
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			if (order == 0 || (order > 0) == side)
				there[side] = tc_rows_next(&rows[side]);
	}
	return status;
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

	if (!compare->by_step || !most || most->lead[TC_BEFORE] == most->lead[TC_AFTER])
		return;
	double share = (double)count_calls(matches, most, false) /
		       (double)count_calls(matches, most, true);
	if (share * 100 < AGREED_PCT)
		return;
	compare->unit = most->counts_samples ? TC_UNIT_SAMPLE : TC_UNIT_INPUT_ROW;
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		compare->sides[side].batch = most->lead[side];
}

enum tc_status tc_compare_shapes_load(struct tc_compare *compare)
{
	struct tc_rows rows[TC_COMPARE_SIDES];
	struct matches matches = {0};

	compare->unit = compare->by_step ? TC_UNIT_STEP : TC_UNIT_WHOLE;
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		compare->sides[side].batch = 1;
		tc_compare_open(&rows[side], compare, TC_QUERY_SHAPES, (enum tc_compare_index)side);
	}
	enum tc_status status = tc_compare_close(rows, join(&matches, compare, rows));
	if (status == TC_OK)
		choose_unit(compare, &matches);
	tc_free(matches.items);
	return status;
}

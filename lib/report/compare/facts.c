/* See facts.h. */
#include "report/compare/facts.h"

struct tc_spread tc_spread_of(const struct tc_rows *row, int first)
{
	return (struct tc_spread){.count = tc_rows_int(row, first),
		.sum_ns = tc_rows_int(row, first + 1),
		.min_ns = tc_rows_int(row, first + 2),
		.q1_ns = tc_rows_int(row, first + 3),
		.median_ns = tc_rows_int(row, first + 4),
		.q3_ns = tc_rows_int(row, first + 5),
		.max_ns = tc_rows_int(row, first + 6)};
}

int64_t tc_compare_mean(int64_t sum, int64_t count)
{
	uint64_t magnitude = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;

	if (count <= 0)
		return 0;
	magnitude = (magnitude + (uint64_t)count / 2) / (uint64_t)count;
	return (int64_t)(sum < 0 ? 0 - magnitude : magnitude);
}

const char *tc_compare_unit_name(const struct tc_compare *compare)
{
	static const char *const names[] = {[TC_UNIT_WHOLE] = NULL,
		[TC_UNIT_STEP] = "step",
		[TC_UNIT_SAMPLE] = "sample",
		[TC_UNIT_INPUT_ROW] = "input row"};

	return names[compare->unit];
}

int64_t tc_compare_units(const struct tc_compared *side)
{
	return tc_mul_saturated(side->steps.count, side->batch);
}

int64_t tc_compare_all_units(const struct tc_compared *side)
{
	return tc_mul_saturated(side->all_step_count, side->batch);
}

bool tc_compare_has_device(const struct tc_compare *compare)
{
	return compare->sides[TC_BEFORE].sums.cells[TC_METRIC_DEVICE_WAIT].present &&
	       compare->sides[TC_AFTER].sums.cells[TC_METRIC_DEVICE_WAIT].present;
}

const struct tc_part *tc_compare_parts(const struct tc_compare *compare, size_t *count)
{
	bool gaudi = tc_view_has(compare->sides[TC_BEFORE].view, TC_METRIC_HAS_GAUDI) &&
		     tc_view_has(compare->sides[TC_AFTER].view, TC_METRIC_HAS_GAUDI);

	return tc_device_parts(gaudi, count);
}

int64_t tc_compare_outside_ns(const struct tc_compare *compare, enum tc_compare_index index)
{
	const struct tc_compared *side = &compare->sides[index];
	size_t count;
	const struct tc_part *parts = tc_compare_parts(compare, &count);
	int64_t sum_ns = tc_compare_idle_ns(side);

	for (size_t i = 0; i < count; i++)
		sum_ns = tc_add_saturated(sum_ns, tc_metric(&side->sums, parts[i].id));
	return tc_sub_saturated(sum_ns, side->steps.sum_ns);
}

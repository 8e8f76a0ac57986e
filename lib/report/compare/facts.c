#include "report/compare/facts.h"

#include "core/array.h"
#include "core/saturate.h"

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
	return compare->sides[TC_BEFORE].sums.cells[TC_METRIC_IDLE].present &&
	       compare->sides[TC_AFTER].sums.cells[TC_METRIC_IDLE].present;
}

const struct tc_part *tc_compare_parts(const struct tc_compare *compare, size_t *count)
{
	bool gaudi = tc_view_has(compare->sides[TC_BEFORE].view, TC_METRIC_HAS_GAUDI) &&
		     tc_view_has(compare->sides[TC_AFTER].view, TC_METRIC_HAS_GAUDI);

	return tc_device_parts(gaudi, count);
}

static struct tc_compare_time time_of(const struct tc_compare *compare, const char *key,
	const char *name, const int64_t sum_ns[static TC_COMPARE_SIDES])
{
	struct tc_compare_time time = {.key = key, .name = name};

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		time.sum_ns[side] = sum_ns[side];
		time.mean_ns[side] =
			tc_compare_mean(sum_ns[side], tc_compare_units(&compare->sides[side]));
	}
	time.difference_ns = tc_sub_saturated(time.mean_ns[TC_AFTER], time.mean_ns[TC_BEFORE]);
	return time;
}

struct tc_compare_time tc_compare_metric_time(
	const struct tc_compare *compare, enum tc_metric id, const char *name)
{
	const int64_t sum_ns[] = {tc_metric(&compare->sides[TC_BEFORE].sums, id),
		tc_metric(&compare->sides[TC_AFTER].sums, id)};

	return time_of(compare, tc_metric_info(id)->name, name, sum_ns);
}

size_t tc_compare_device_times(
	struct tc_compare_time times[TC_COMPARE_TIMES_MOST], const struct tc_compare *compare)
{
	int64_t idle_ns[TC_COMPARE_SIDES], wall_ns[TC_COMPARE_SIDES], outside_ns[TC_COMPARE_SIDES];
	size_t count;
	const struct tc_part *parts = tc_compare_parts(compare, &count);

	for (size_t i = 0; i < count; i++)
		times[i] = tc_compare_metric_time(compare, parts[i].id, parts[i].name);
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		int64_t sum_ns = idle_ns[side] = tc_compare_idle_ns(&compare->sides[side]);
		for (size_t i = 0; i < count; i++)
			sum_ns = tc_add_saturated(sum_ns, times[i].sum_ns[side]);
		wall_ns[side] = compare->sides[side].steps.sum_ns;
		outside_ns[side] = tc_negate_saturated(tc_sub_saturated(sum_ns, wall_ns[side]));
	}
	times[count++] = time_of(compare, "idle", "idle", idle_ns);
	times[count++] = time_of(compare, "outside", "outside of these steps", outside_ns);
	times[count++] = time_of(compare, "wall", "wall time", wall_ns);
	return count;
}

const struct tc_compare_amount *tc_compare_amounts(size_t *count)
{
	static const struct tc_compare_amount amounts[] = {
		{TC_METRIC_COMPILE_COUNT, "compilations", "compilations per step", false, true},
		{TC_METRIC_SYNC_COUNT, "blocking waits", "blocking waits per step", false, true},
		{TC_METRIC_INPUT_COPY_COUNT, "input copies", "input copies per step", false, true},
		{TC_METRIC_DEVICE_OP_COUNT, "device operations", "device operations per step",
			false, true},
		{TC_METRIC_MEMORY_PEAK, "memory, peak in use", "memory, peak in use", true, false},
		{TC_METRIC_MEMORY_RESERVED_PEAK, "memory, peak reserved", "memory, peak reserved",
			true, false},
	};

	*count = TC_COUNT_OF(amounts);
	return amounts;
}

#include "report/compare/parts.h"

#include <math.h>

#include "core/saturate.h"
#include "report/text/format.h"

/* Fewer steps do not show their variation. */
#define MIN_STEPS 3

/* Half the width of a box plot's notch, in interquartile ranges: medians whose notches do not
 * overlap differ, at about 95 %. McGill, Tukey, Larsen: Variations of Box Plots, The American
 * Statistician 32 (1978), page 16. */
#define NOTCH 1.57

/* In the unit of means: a step or a sample. */
static double notch_ns(const struct tc_compared *side)
{
	const struct tc_spread *steps = &side->steps;

	return NOTCH * ((double)steps->q3_ns - (double)steps->q1_ns) / sqrt((double)steps->count) /
	       (double)side->batch;
}

static bool ranges_apart(const struct tc_compare *compare)
{
	const struct tc_compared *a = &compare->sides[TC_BEFORE], *b = &compare->sides[TC_AFTER];
	double scale = (double)b->batch / (double)a->batch;

	return (double)a->steps.max_ns * scale < (double)b->steps.min_ns ||
	       (double)b->steps.max_ns < (double)a->steps.min_ns * scale;
}

/* The difference exceeds the variation of the steps: all steps of one side are longer than all of
 * the other, or the notches of the medians do not overlap. Median and mean must change in the same
 * direction. */
static bool is_real(const struct tc_compare *compare)
{
	int64_t median_ns = compare->median_difference_ns;

	if (median_ns == 0 || (median_ns > 0) != (compare->difference_ns > 0))
		return false;
	return ranges_apart(compare) || tc_magnitude_saturated(median_ns) > compare->noise_ns;
}

/* From means before rounding, because steps may be short. Both sides have a time above 0. */
static double difference_pct(const struct tc_compared *before, const struct tc_compared *after)
{
	double before_ns = (double)before->steps.sum_ns / (double)tc_compare_units(before);
	double after_ns = (double)after->steps.sum_ns / (double)tc_compare_units(after);

	return (after_ns - before_ns) / before_ns * 100;
}

void tc_compare_judge(struct tc_compare *compare)
{
	const struct tc_compared *before = &compare->sides[TC_BEFORE];
	const struct tc_compared *after = &compare->sides[TC_AFTER];
	struct tc_compare_result *result = &compare->result;

	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		compare->mean_ns[side] = tc_compare_mean(
			compare->sides[side].steps.sum_ns, tc_compare_units(&compare->sides[side]));
	compare->difference_ns =
		tc_sub_saturated(compare->mean_ns[TC_AFTER], compare->mean_ns[TC_BEFORE]);
	compare->median_difference_ns =
		tc_sub_saturated(tc_compare_mean(after->steps.median_ns, after->batch),
			tc_compare_mean(before->steps.median_ns, before->batch));
	result->judged = before->steps.count >= MIN_STEPS && after->steps.count >= MIN_STEPS;
	compare->noise_ns =
		result->judged ? tc_integer_saturated(round(notch_ns(before) + notch_ns(after)))
			       : -1;
	result->difference_pct = difference_pct(before, after);
	if (result->unlike)
		result->outcome = TC_COMPARE_UNLIKE;
	else if (result->is_other_work && !compare->anyway)
		result->outcome = TC_COMPARE_OTHER_WORK;
	else if (compare->difference_ns == 0)
		result->outcome = TC_COMPARE_SAME;
	else if (result->judged && !is_real(compare))
		result->outcome = TC_COMPARE_WITHIN;
	else
		result->outcome =
			compare->difference_ns < 0 ? TC_COMPARE_FASTER : TC_COMPARE_SLOWER;
}

/* " per step", nothing for a whole. */
static void append_unit(struct tc_buf *buf, const struct tc_compare *compare)
{
	const char *unit = tc_compare_unit_name(compare);

	if (unit)
		tc_buf_format(buf, " per %s", unit);
}

/* "57.87 ms per step instead of 92.01 ms" */
static void append_means(struct tc_buf *buf, const struct tc_compare *compare)
{
	tc_format_ns(buf, compare->mean_ns[TC_AFTER]);
	append_unit(buf, compare);
	tc_buf_format(buf, " instead of %s", tc_show_ns(compare->mean_ns[TC_BEFORE]).text);
}

static void append_change(struct tc_buf *buf, const struct tc_compare *compare)
{
	if (compare->result.is_other_work) {
		tc_buf_append_string(buf, "Not the same work: ");
		tc_append_other_work(buf, compare);
		tc_buf_append_string(buf, compare->anyway ? ". " : "");
	}
	switch (compare->result.outcome) {
	case TC_COMPARE_OTHER_WORK: return;
	case TC_COMPARE_SAME:
		tc_buf_format(
			buf, "No difference: %s", tc_show_ns(compare->mean_ns[TC_AFTER]).text);
		append_unit(buf, compare);
		tc_buf_append_string(buf, " both times");
		return;
	case TC_COMPARE_UNLIKE:
		tc_buf_format(buf, "Not comparable: %s", compare->result.unlike);
		return;
	case TC_COMPARE_WITHIN:
		tc_buf_append_string(buf, "No difference beyond step-to-step variation: ");
		append_means(buf, compare);
		tc_buf_format(buf, ", %+.1f %%", compare->result.difference_pct);
		return;
	default:
		tc_buf_append_string(buf, compare->difference_ns < 0 ? "Faster by " : "Slower by ");
		tc_format_ns(buf, tc_magnitude_saturated(compare->difference_ns));
		append_unit(buf, compare);
		tc_buf_format(
			buf, ", %s: ", tc_show_pct(fabs(compare->result.difference_pct)).text);
		append_means(buf, compare);
	}
}

static void append_range(struct tc_buf *buf, const struct tc_spread *steps)
{
	tc_buf_format(
		buf, "%s to %s", tc_show_ns(steps->min_ns).text, tc_show_ns(steps->max_ns).text);
}

/* The means differ by more than the noise of medians, but the medians by less than half of that, or
 * in the other direction. */
static bool single_steps(const struct tc_compare *compare)
{
	int64_t mean_ns = compare->difference_ns, median_ns = compare->median_difference_ns;

	if (tc_magnitude_saturated(mean_ns) <= compare->noise_ns)
		return false;
	return mean_ns > 0 ? median_ns < mean_ns / 2 : median_ns > mean_ns / 2;
}

/* " 450.7 ms per step before, 190.0 us after." */
static void append_both(struct tc_buf *buf, const struct tc_compare *compare)
{
	tc_buf_format(buf, " %s", tc_show_ns(compare->mean_ns[TC_BEFORE]).text);
	append_unit(buf, compare);
	tc_buf_format(buf, " before, %s after.", tc_show_ns(compare->mean_ns[TC_AFTER]).text);
}

/* The variation of the steps, or why it is unknown. */
static void append_spread(struct tc_buf *buf, const struct tc_compare *compare)
{
	const struct tc_spread *before = &compare->sides[TC_BEFORE].steps;
	const struct tc_spread *after = &compare->sides[TC_AFTER].steps;

	if (!compare->by_step) {
		tc_buf_append_string(buf,
			" Not both traces have steps, so the whole traces are compared, including "
			"start-up. They may hold different work.");
		return;
	}
	if (before->count > 1 || after->count > 1) {
		tc_buf_append_string(buf, " A step takes ");
		append_range(buf, before);
		tc_buf_append_string(buf, " before, ");
		append_range(buf, after);
		tc_buf_append_string(buf, " after.");
	}
	if (!compare->result.judged)
		tc_buf_format(buf,
			" With fewer than %d steps on a side, step-to-step variation is unknown: "
			"record more.",
			MIN_STEPS);
	else if (compare->result.outcome == TC_COMPARE_WITHIN && single_steps(compare))
		tc_buf_append_string(buf,
			" The median differs by less than half of that: single steps cause the "
			"difference.");
}

/* By how much a mean changed in the direction of the total. */
static int64_t change_along(const struct tc_compare *compare, int64_t before_ns, int64_t after_ns)
{
	int64_t change_ns = tc_sub_saturated(
		tc_compare_mean(after_ns, tc_compare_units(&compare->sides[TC_AFTER])),
		tc_compare_mean(before_ns, tc_compare_units(&compare->sides[TC_BEFORE])));

	return compare->difference_ns < 0 ? tc_negate_saturated(change_ns) : change_ns;
}

static int64_t metric_along(const struct tc_compare *compare, enum tc_metric id)
{
	return change_along(compare, tc_metric(&compare->sides[TC_BEFORE].sums, id),
		tc_metric(&compare->sides[TC_AFTER].sums, id));
}

static void append_along(
	struct tc_buf *buf, const struct tc_compare *compare, const char *name, int64_t change_ns)
{
	tc_buf_format(buf, "%s, %c", name, compare->difference_ns < 0 ? '-' : '+');
	tc_format_ns(buf, change_ns);
}

/* The host work in most of the idle time that was added or removed: " (host: data loader, +3
 * ms)". */
static void append_host(struct tc_buf *buf, const struct tc_compare *compare, int64_t idle_ns)
{
	size_t count;
	const struct tc_host_part *parts = tc_host_parts(&count);

	for (size_t i = 0; i < count; i++) {
		int64_t change_ns = metric_along(compare, parts[i].exposed);
		if (change_ns <= idle_ns / 2)
			continue;
		tc_buf_append_string(buf, " (host: ");
		append_along(buf, compare, parts[i].name, change_ns);
		tc_buf_append_char(buf, ')');
		return;
	}
}

/* The part of the device time that changed most in the direction of the total. */
static void append_largest(struct tc_buf *buf, const struct tc_compare *compare)
{
	size_t count;
	const struct tc_part *parts = tc_compare_parts(compare, &count);
	int64_t idle_ns = change_along(compare, tc_compare_idle_ns(&compare->sides[TC_BEFORE]),
		tc_compare_idle_ns(&compare->sides[TC_AFTER]));
	int64_t most_ns = idle_ns > 0 ? idle_ns : 0;
	const char *name = "idle";

	for (size_t i = 0; i < count; i++) {
		int64_t change_ns = metric_along(compare, parts[i].id);
		if (change_ns <= most_ns)
			continue;
		most_ns = change_ns;
		name = parts[i].name;
	}
	if (most_ns == 0 || !tc_compare_has_device(compare))
		return;
	tc_buf_append_string(buf, " The largest part on the device: ");
	append_along(buf, compare, name, most_ns);
	if (most_ns == idle_ns)
		append_host(buf, compare, idle_ns);
	tc_buf_append_char(buf, '.');
}

void tc_compare_change(struct tc_buf *buf, const struct tc_compare *compare)
{
	append_change(buf, compare);
	tc_buf_append_char(buf, '.');
}

void tc_compare_reasons(struct tc_buf *buf, const struct tc_compare *compare)
{
	if (compare->result.outcome == TC_COMPARE_SAME)
		return;
	if (compare->result.unlike || compare->result.outcome == TC_COMPARE_OTHER_WORK) {
		append_both(buf, compare);
		return;
	}
	append_spread(buf, compare);
	if (compare->result.outcome == TC_COMPARE_WITHIN)
		return;
	if (compare->rows[TC_QUERY_PATH].count > 0)
		tc_compare_append_path(buf, compare);
	else
		append_largest(buf, compare);
}

void tc_compare_verdict(struct tc_buf *buf, const struct tc_compare *compare)
{
	tc_compare_change(buf, compare);
	tc_compare_reasons(buf, compare);
}

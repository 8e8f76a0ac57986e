/*
 * The judgement of a comparison: whether both sides do the same work, what makes it unfair, and
 * whether the difference is more than noise. See docs/compare.md.
 *
 * A fix leaves the sizes of the weights of a model as they are: another batch or type, fused or
 * compiled operators, graphs, another loader. So two runs do the same work where their matrix
 * products and convolutions have the same weights in like shares of the calls.
 */
#include "report/compare/compare.h"

#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/saturate.h"
#include "names/hardware/hardware.h"
#include "report/text/format.h"

/* ---- the same work */

/* With less of the calls in common than this part, the work is another. Recordings of one model
 * have nine tenths and more in common, on devices of two vendors, too; those of two models less
 * than a tenth, by chance. A change of batch and length at once still leaves about half: gradients
 * of weights and products of attention have other sizes then, the layers have not. */
#define LEAST_COMMON 0.25

/* Models share a weight of an everyday size, such as 512 x 512, by chance. Where vendor, device or
 * number of ranks differ, too, one weight says that the model is the same only with this part of
 * the calls. */
#define LEAST_COMMON_OF_ONE 0.9

bool tc_work_other_weights(const struct tc_compare *compare)
{
	return compare->common_weights >= 0 && compare->common_weights < LEAST_COMMON;
}

static bool is_same_model(const struct tc_compare *compare)
{
	return compare->common_weights >=
	       (compare->common_weight_count > 1 ? LEAST_COMMON : LEAST_COMMON_OF_ONE);
}

static bool site_other_vendor(const struct tc_site *before, const struct tc_site *after)
{
	return before->vendor.len > 0 && after->vendor.len > 0 &&
	       !tc_text_equal(before->vendor, after->vendor);
}

/* One device may have several names, such as one with its maker and one without. */
static bool site_other_device(const struct tc_site *before, const struct tc_site *after)
{
	if (before->device.len == 0 || after->device.len == 0 ||
		tc_text_equal(before->device, after->device))
		return false;
	const struct tc_hardware *hardware = tc_hardware_find(before->device, 0);
	return !hardware || hardware != tc_hardware_find(after->device, 0);
}

static bool site_other_ranks(const struct tc_site *before, const struct tc_site *after)
{
	return before->rank_count > 0 && after->rank_count > 0 &&
	       before->rank_count != after->rank_count;
}

/* Devices that one process uses may be ranks of another run, which then says how many. */
static bool site_other_device_count(const struct tc_site *before, const struct tc_site *after)
{
	return before->rank_count <= 0 && after->rank_count <= 0 && before->device_count > 0 &&
	       after->device_count > 0 && before->device_count != after->device_count;
}

static struct tc_site site_of(const struct tc_compare *compare, enum tc_compare_index side)
{
	const struct tc_view *view = compare->sides[side].view;

	return (struct tc_site){view->vendor, view->device_name, view->world_size,
		tc_metric(&view->whole.run, TC_METRIC_DEVICE_COUNT)};
}

/* False where the sides cannot be compared at all. */
static bool is_other_work(const struct tc_compare *compare)
{
	const struct tc_site before = site_of(compare, TC_BEFORE),
			     after = site_of(compare, TC_AFTER);

	return !compare->result.unlike &&
	       (tc_work_other_weights(compare) ||
		       tc_site_is_other(&before, &after, is_same_model(compare), NULL));
}

/* ---- reasons why a comparison is unfair: each is a row of a table with a function that appends
 * its sentence, or the words for what one side lacks */

/* Share of device operations without a step, reported at or above this. */
#define UNLAUNCHED_PCT 1

static const struct tc_view *view_of(const struct tc_compare *compare, int side)
{
	return compare->sides[side].view;
}

static const char *const side_names[] = {"BEFORE", "AFTER"};

/* The side that lacks what the other one has; -1 when both or neither have it. */
static int lacking(const struct tc_compare *compare, enum tc_metric capability)
{
	bool before = tc_view_has(view_of(compare, TC_BEFORE), capability);
	bool after = tc_view_has(view_of(compare, TC_AFTER), capability);

	return before == after ? -1 : before ? TC_AFTER : TC_BEFORE;
}

/* "The vendor differs: gaudi before, cuda after." */
static void append_texts(
	struct tc_buf *buf, const char *what, struct tc_text before, struct tc_text after)
{
	if (tc_text_equal(before, after))
		return;
	tc_buf_format(buf, "The %s differs: ", what);
	TC_APPEND(buf, before.len > 0 ? before : TC_TEXT("unknown"), TC_TEXT(" before, "),
		after.len > 0 ? after : TC_TEXT("unknown"), TC_TEXT(" after."));
}

static void append_numbers(struct tc_buf *buf, const char *what, int64_t before, int64_t after)
{
	struct tc_buf texts[TC_COMPARE_SIDES] = {TC_BUF_EMPTY, TC_BUF_EMPTY};

	if (before >= 0)
		tc_format_count(&texts[TC_BEFORE], before);
	if (after >= 0)
		tc_format_count(&texts[TC_AFTER], after);
	append_texts(buf, what, tc_buf_text(&texts[TC_BEFORE]), tc_buf_text(&texts[TC_AFTER]));
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_buf_end(buf, &texts[side]);
}

/* Appends a sentence for the device, and one for the ranks, where they differ. */
static void append_site(
	struct tc_buf *buf, const struct tc_site *before, const struct tc_site *after)
{
	if (site_other_device(before, after))
		append_texts(buf, "device", before->device, after->device);
	else if (site_other_vendor(before, after))
		append_texts(buf, "vendor", before->vendor, after->vendor);
	if (!site_other_ranks(before, after))
		return;
	if (buf->len > 0)
		tc_buf_append_char(buf, ' ');
	append_numbers(buf, "number of ranks", before->rank_count, after->rank_count);
}

/* One model on another device, or on more of them, does the same work, where its shapes show that
 * it is one model. Other devices and another number of them are another job. */
bool tc_site_is_other(const struct tc_site *before, const struct tc_site *after, bool is_same_model,
	struct tc_buf *why)
{
	int difference_count =
		(site_other_vendor(before, after) || site_other_device(before, after)) +
		(site_other_ranks(before, after) || site_other_device_count(before, after));

	if (why)
		append_site(why, before, after);
	return difference_count > (is_same_model ? 1 : 0);
}

static void append_vendor(struct tc_buf *buf, const struct tc_compare *compare)
{
	if (lacking(compare, TC_METRIC_HAS_DEVICE) < 0)
		append_texts(
			buf, "vendor", view_of(compare, 0)->vendor, view_of(compare, 1)->vendor);
}

static void append_device_name(struct tc_buf *buf, const struct tc_compare *compare)
{
	append_texts(
		buf, "device", view_of(compare, 0)->device_name, view_of(compare, 1)->device_name);
}

static void append_format(struct tc_buf *buf, const struct tc_compare *compare)
{
	append_texts(buf, "format of the trace, and so what it shows,", view_of(compare, 0)->format,
		view_of(compare, 1)->format);
}

static void append_kind(struct tc_buf *buf, const struct tc_compare *compare)
{
	if (compare->sides[0].run_kind.len > 0 && compare->sides[1].run_kind.len > 0)
		append_texts(
			buf, "kind of run", compare->sides[0].run_kind, compare->sides[1].run_kind);
}

static void append_software(struct tc_buf *buf, const struct tc_compare *compare)
{
	if (compare->software.len == 0)
		return;
	TC_APPEND(buf, TC_TEXT("The software differs: "), tc_buf_text(&compare->software),
		TC_TEXT("."));
}

static void append_batch(struct tc_buf *buf, const struct tc_compare *compare)
{
	const char *unit = tc_compare_unit_name(compare);

	if (compare->unit != TC_UNIT_SAMPLE && compare->unit != TC_UNIT_INPUT_ROW)
		return;
	tc_buf_format(buf, "A step has %s %ss before, %s after: times are per %s.",
		tc_show_count(compare->sides[TC_BEFORE].batch).text, unit,
		tc_show_count(compare->sides[TC_AFTER].batch).text, unit);
}

/* Another batch explains different shapes, and other weights more than those. */
static void append_shapes(struct tc_buf *buf, const struct tc_compare *compare)
{
	int64_t other = compare->shape_count - compare->matched_shape_count;

	if (other == 0 || tc_work_other_weights(compare) || compare->unit == TC_UNIT_SAMPLE ||
		compare->unit == TC_UNIT_INPUT_ROW || lacking(compare, TC_METRIC_HAS_SHAPES) >= 0)
		return;
	tc_buf_format(buf, "%s of %s shapes of matrix products and convolutions differ.",
		tc_show_count(other).text, tc_show_count(compare->shape_count).text);
}

static void append_weights(struct tc_buf *buf, const struct tc_compare *compare)
{
	if (tc_work_other_weights(compare))
		tc_buf_format(buf,
			"The sizes of weights differ in %s of the calls of matrix products and "
			"convolutions.",
			tc_show_pct((1 - compare->common_weights) * 100).text);
}

static void append_device_count(struct tc_buf *buf, const struct tc_compare *compare)
{
	append_numbers(buf, "number of devices",
		tc_metric(&view_of(compare, 0)->whole.run, TC_METRIC_DEVICE_COUNT),
		tc_metric(&view_of(compare, 1)->whole.run, TC_METRIC_DEVICE_COUNT));
}

static void append_world_size(struct tc_buf *buf, const struct tc_compare *compare)
{
	append_numbers(buf, "number of ranks", view_of(compare, 0)->world_size,
		view_of(compare, 1)->world_size);
}

static void append_rank(struct tc_buf *buf, const struct tc_compare *compare)
{
	if (view_of(compare, 0)->rank >= 0 && view_of(compare, 1)->rank >= 0)
		append_numbers(buf, "rank", view_of(compare, 0)->rank, view_of(compare, 1)->rank);
}

static void append_loss(struct tc_buf *buf, const struct tc_compare *compare)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		if (view_of(compare, side)->loss_count > 0)
			tc_buf_format(buf, "%sPart of %s could not be read (table import_log).",
				buf->len > 0 ? " " : "", side_names[side]);
}

static void append_left_out(struct tc_buf *buf, const struct tc_compare *compare)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		const struct tc_buf *text = &compare->sides[side].left_out;
		if (text->len == 0)
			continue;
		tc_buf_format(buf, "%s%s: ", buf->len > 0 ? " " : "", side_names[side]);
		TC_APPEND(buf, tc_buf_text(text), TC_TEXT("."));
	}
}

/* Time that looks idle, and is not. */
static void append_unrecorded(struct tc_buf *buf, const struct tc_compare *compare)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		const struct tc_metric_set *run = &view_of(compare, side)->whole.run;
		int64_t unknown_ns = tc_metric(run, TC_METRIC_DEVICE_UNKNOWN);
		int64_t wall_ns = tc_metric(run, TC_METRIC_WALL);
		if (unknown_ns <= 0 || !tc_view_has(view_of(compare, side), TC_METRIC_HAS_DEVICE))
			continue;
		tc_buf_format(buf,
			"%s%s: %s of the time (%s of %s) is device work that was not recorded: do "
			"not read it as idle.",
			buf->len > 0 ? " " : "", side_names[side],
			tc_show_share(tc_format_share_pct(unknown_ns, wall_ns)).text,
			tc_show_ns(unknown_ns).text, tc_show_ns(wall_ns).text);
	}
}

/* Whatever the profiler records costs host time and delays the host. */
static void append_detail(struct tc_buf *buf, const struct tc_compare *compare)
{
	static const struct {
		enum tc_metric capability;
		const char *name;
	} all[] = {{TC_METRIC_HAS_STACKS, "Python stacks"}, {TC_METRIC_HAS_SHAPES, "shapes"},
		{TC_METRIC_HAS_MEMORY, "allocator events"}};
	const char *before = "The profiler recorded ";

	for (size_t i = 0; i < TC_COUNT_OF(all); i++) {
		int side = lacking(compare, all[i].capability);
		if (side < 0)
			continue;
		tc_buf_format(buf, "%s%s %s only", before, all[i].name,
			side == TC_BEFORE ? "after" : "before");
		before = ", ";
	}
	if (before[0] == ',')
		tc_buf_append_string(buf, ", which costs host time.");
}

/* Work launched before the recording, and work after the last step, counts among the operations. */
static void append_unlaunched(struct tc_buf *buf, const struct tc_compare *compare)
{
	for (int side = 0; side < TC_COMPARE_SIDES && compare->by_step; side++) {
		int64_t all =
			tc_metric(&view_of(compare, side)->whole.run, TC_METRIC_DEVICE_OP_COUNT);
		double pct = tc_format_share_pct(compare->sides[side].unlaunched_count, all);
		if (pct < UNLAUNCHED_PCT)
			continue;
		tc_buf_format(buf, "%s%s %s of the device operations were launched by no step.",
			buf->len > 0 ? " In " : "In ", side_names[side], tc_show_pct(pct).text);
	}
	if (buf->len > 0)
		tc_buf_append_string(buf, " They are included in the operations below.");
}

static const char unrecorded[] = "unrecorded-work"; /* the finding and the reason */

/* Quality problems of a trace that analyze reports as serious. */
static void append_notes(struct tc_buf *buf, const struct tc_compare *compare)
{
	for (size_t i = 0; i < compare->advice_count; i++) {
		const struct tc_compare_advice *row = &compare->advice[i];
		for (int side = 0; side < TC_COMPARE_SIDES; side++) {
			const struct tc_finding *finding = row->finding[side];
			if (!finding || row->heuristic->kind != TC_HEURISTIC_QUALITY ||
				finding->severity < TC_SEVERITY_HIGH ||
				strcmp(row->heuristic->id, unrecorded) == 0)
				continue;
			tc_buf_format(buf, "%s%s: %s.", buf->len > 0 ? " " : "", side_names[side],
				row->heuristic->title);
		}
	}
}

static const struct tc_unfair reasons[] = {
	{unrecorded, .append = append_unrecorded, .is_first = true},
	{"vendor", .append = append_vendor, .is_other_site = site_other_vendor},
	{"device", .append = append_device_name, .is_other_site = site_other_device},
	{"world-size", .append = append_world_size, .is_other_site = site_other_ranks},
	{"device-count", .append = append_device_count, .is_other_site = site_other_device_count},
	{"weights", .append = append_weights, .is_other_work = tc_work_other_weights},
	{"format", .append = append_format},
	{"kind", .append = append_kind},
	{"software", .append = append_software},
	{"batch", .append = append_batch},
	{"shapes", .append = append_shapes},
	{"rank", .append = append_rank},
	/* Waits of ranks for each other are known only where the ranks were imported together. */
	{"other-ranks", .lacks = TC_METRIC_HAS_RANKS,
		.words = "lacks the other ranks of its job, so its waits for them do not show"},
	{"no-device-work", .lacks = TC_METRIC_HAS_DEVICE,
		.words = "has no device work, so only the host is compared"},
	{"no-steps", .lacks = TC_METRIC_HAS_STEPS,
		.words = "has no steps: the whole traces are compared, whatever work they hold"},
	{"data-loss", .append = append_loss},
	{"left-out", .append = append_left_out},
	{"notes", .append = append_notes},
	{"detail", .append = append_detail},
	{"outside-of-steps", .append = append_unlaunched},
};

/* Whether the verdict has its sentence. */
static bool is_of_verdict(const struct tc_unfair *reason, const struct tc_compare *compare)
{
	const struct tc_site before = site_of(compare, TC_BEFORE),
			     after = site_of(compare, TC_AFTER);

	if (reason->is_first || !compare->result.is_other_work)
		return reason->is_first;
	return reason->is_other_site ? reason->is_other_site(&before, &after)
				     : reason->is_other_work && reason->is_other_work(compare);
}

void tc_unfair_append(struct tc_buf *buf, const struct tc_unfair *reason,
	const struct tc_compare *compare, bool besides)
{
	int side = reason->words ? lacking(compare, reason->lacks) : -1;

	if (besides && is_of_verdict(reason, compare))
		return;
	if (reason->append)
		reason->append(buf, compare);
	else if (side >= 0)
		tc_buf_format(buf, "%s %s.", side_names[side], reason->words);
}

/* Appends those that do: "the device differs: A before, B after; ..." Each sentence begins with
 * "The" and ends with a full stop. */
static void append_other_work(struct tc_buf *buf, const struct tc_compare *compare)
{
	struct tc_buf sentence = TC_BUF_EMPTY;
	const char *before = "";

	for (size_t i = 0; i < TC_COUNT_OF(reasons); i++) {
		if (reasons[i].is_first || !is_of_verdict(&reasons[i], compare))
			continue;
		tc_buf_reset(&sentence);
		tc_unfair_append(&sentence, &reasons[i], compare, false);
		struct tc_text text = tc_buf_text(&sentence);
		if (text.len < 2)
			continue;
		tc_buf_format(buf, "%st", before);
		tc_buf_append(buf, text.ptr + 1, text.len - 2);
		before = "; ";
	}
	tc_buf_end(buf, &sentence);
}

static bool has_common_row(const struct tc_compare_rows *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].count[TC_BEFORE] > 0 && list->rows[i].count[TC_AFTER] > 0)
			return true;
	return false;
}

/* Steps can be compared as units of work. Whole traces may hold anything, so they must share at
 * least one name. */
static const char *unlike_reason(const struct tc_compare *compare)
{
	static const char *const no_device[] = {
		"only AFTER has device work", "only BEFORE has device work"};
	static const char *const no_steps[] = {"only AFTER has steps", "only BEFORE has steps"};
	static const char *const apart[] = {
		"the steps of BEFORE are on another clock than its work",
		"the steps of AFTER are on another clock than its work"};
	int device = lacking(compare, TC_METRIC_HAS_DEVICE);
	int steps = lacking(compare, TC_METRIC_HAS_STEPS);

	for (int side = TC_BEFORE; side <= TC_AFTER; side++) {
		const struct tc_view *view = view_of(compare, side);
		if (view->whole.run.cells[TC_METRIC_HAS_ONE_CLOCK].present &&
			!tc_view_has(view, TC_METRIC_HAS_ONE_CLOCK))
			return apart[side];
	}
	if (steps >= 0)
		return no_steps[steps];
	if (device >= 0)
		return no_device[device];
	if (compare->by_step || has_common_row(&compare->rows[TC_QUERY_OPERATIONS]) ||
		has_common_row(&compare->rows[TC_QUERY_OPERATORS]) ||
		has_common_row(&compare->rows[TC_QUERY_SLICES]))
		return NULL;
	return "no operation and no host slice is in both traces";
}

void tc_compare_relate(struct tc_compare *compare)
{
	compare->result.unlike = unlike_reason(compare);
	compare->result.is_other_work = is_other_work(compare);
}

const struct tc_unfair *tc_unfair_reasons(size_t *count)
{
	*count = TC_COUNT_OF(reasons);
	return reasons;
}

/* ---- the verdict */

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

/* Three quarters of the steps of one side are longer than three quarters of the other's, beyond
 * noise, but the means differ by less than half as much, or the other way: single long steps hide
 * it. */
static bool long_steps_hide(const struct tc_compare *compare)
{
	const struct tc_compared *a = &compare->sides[TC_BEFORE], *b = &compare->sides[TC_AFTER];
	double scale = (double)b->batch / (double)a->batch;
	int64_t mean_ns = compare->difference_ns, median_ns = compare->median_difference_ns;

	if (tc_magnitude_saturated(median_ns) <= compare->noise_ns)
		return false;
	if (median_ns > 0)
		return mean_ns < median_ns / 2 &&
		       (double)a->steps.q3_ns * scale < (double)b->steps.q1_ns;
	return mean_ns > median_ns / 2 && (double)b->steps.q3_ns < (double)a->steps.q1_ns * scale;
}

/* From times before rounding, because steps may be short. Both sides have a time above 0. */
static double difference_pct(double before_ns, double after_ns)
{
	return (after_ns - before_ns) / before_ns * 100;
}

bool tc_compare_leaves_first(const struct tc_spread *before, const struct tc_spread *after)
{
	bool has_before = before->first_ns >= 0, has_after = after->first_ns >= 0;
	const struct tc_spread *side = has_before ? before : after;

	return has_before != has_after && side->count > 1 && side->sum_ns > side->first_ns;
}

static bool is_damaged(const struct tc_compare *compare)
{
	return compare->result.damaged[TC_BEFORE] || compare->result.damaged[TC_AFTER];
}

/* By the medians. They make no run faster: its long steps count, too. */
static void call_slower(struct tc_compare *compare)
{
	const struct tc_compared *before = &compare->sides[TC_BEFORE];
	const struct tc_compared *after = &compare->sides[TC_AFTER];

	compare->by_median = true;
	compare->result.difference_pct =
		difference_pct((double)before->steps.median_ns / (double)before->batch,
			(double)after->steps.median_ns / (double)after->batch);
	compare->result.outcome = TC_COMPARE_SLOWER;
}

static void decide(struct tc_compare *compare)
{
	struct tc_compare_result *result = &compare->result;

	if (result->unlike)
		result->outcome = TC_COMPARE_UNLIKE;
	else if (is_damaged(compare) && !compare->anyway)
		result->outcome = TC_COMPARE_DAMAGED;
	else if (result->is_other_work && !compare->anyway)
		result->outcome = TC_COMPARE_OTHER_WORK;
	else if (result->judged && compare->median_difference_ns > 0 && long_steps_hide(compare))
		call_slower(compare);
	else if (compare->difference_ns == 0)
		result->outcome = TC_COMPARE_SAME;
	else if (result->judged && !is_real(compare))
		result->outcome = TC_COMPARE_WITHIN;
	else
		result->outcome =
			compare->difference_ns < 0 ? TC_COMPARE_FASTER : TC_COMPARE_SLOWER;
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
	result->difference_pct =
		difference_pct((double)before->steps.sum_ns / (double)tc_compare_units(before),
			(double)after->steps.sum_ns / (double)tc_compare_units(after));
	decide(compare);
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

static void append_damage(struct tc_buf *buf, const struct tc_compare *compare)
{
	const bool *damaged = compare->result.damaged;

	if (damaged[TC_BEFORE] && damaged[TC_AFTER])
		tc_buf_append_string(buf, "Both runs are damaged, parts of them were lost");
	else
		tc_buf_format(buf, "%s is damaged, a part of it was lost",
			damaged[TC_BEFORE] ? "BEFORE" : "AFTER");
	tc_buf_append_string(buf, compare->anyway ? ". " : ": not judged");
}

/* "Slower by 180 us, 15.0 %, in the median: 1.38 ms per step instead of 1.2 ms. Single long steps
 * hide it in the mean: 1.382 ms per step instead of 1.385 ms" */
static void append_medians(struct tc_buf *buf, const struct tc_compare *compare)
{
	int64_t median_ns[TC_COMPARE_SIDES];

	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		median_ns[side] = tc_compare_mean(
			compare->sides[side].steps.median_ns, compare->sides[side].batch);
	tc_buf_format(buf,
		"Slower by %s, %s, in the median: ", tc_show_ns(compare->median_difference_ns).text,
		tc_show_pct(compare->result.difference_pct).text);
	tc_format_ns(buf, median_ns[TC_AFTER]);
	append_unit(buf, compare);
	tc_buf_format(buf, " instead of %s. Single long steps hide it in the mean: ",
		tc_show_ns(median_ns[TC_BEFORE]).text);
	append_means(buf, compare);
}

static void append_change(struct tc_buf *buf, const struct tc_compare *compare)
{
	if (is_damaged(compare) && compare->result.outcome != TC_COMPARE_UNLIKE)
		append_damage(buf, compare);
	if (compare->result.outcome == TC_COMPARE_DAMAGED)
		return;
	if (compare->result.is_other_work) {
		tc_buf_append_string(buf, "Not the same work: ");
		append_other_work(buf, compare);
		tc_buf_append_string(buf, compare->anyway ? ". " : "");
	}
	switch (compare->result.outcome) {
	case TC_COMPARE_OTHER_WORK:
	case TC_COMPARE_DAMAGED: return;
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
		if (compare->by_median) {
			append_medians(buf, compare);
			return;
		}
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

/* The means differ by more than the noise of medians, but the medians by less than half of that. */
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
	if (compare->leaves_first)
		tc_buf_append_string(buf,
			" The first step is warm-up on one side, so the means are "
			"those of the steps after it.");
	if (!compare->result.judged)
		tc_buf_format(buf,
			" With fewer than %d steps on a side, step-to-step variation is unknown: "
			"record more.",
			MIN_STEPS);
	else if (compare->result.outcome == TC_COMPARE_WITHIN && long_steps_hide(compare))
		tc_buf_format(buf, " The median is lower by %s: single long steps make up for it.",
			tc_show_ns(tc_magnitude_saturated(compare->median_difference_ns)).text);
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
		append_along(buf, compare, tc_role_title(parts[i].role), change_ns);
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
	struct tc_buf besides = TC_BUF_EMPTY;

	append_change(buf, compare);
	tc_buf_append_char(buf, '.');
	append_unrecorded(&besides, compare);
	if (besides.len > 0)
		TC_APPEND(buf, TC_TEXT(" "), tc_buf_text(&besides));
	tc_buf_end(buf, &besides);
}

void tc_compare_reasons(struct tc_buf *buf, const struct tc_compare *compare)
{
	if (compare->result.outcome == TC_COMPARE_SAME)
		return;
	if (compare->result.outcome >= TC_COMPARE_UNLIKE) {
		append_both(buf, compare);
		return;
	}
	append_spread(buf, compare);
	if (compare->result.outcome == TC_COMPARE_WITHIN || compare->by_median)
		return;
	/* The path is of all steps. */
	if (compare->rows[TC_QUERY_PATH].count > 0 && !compare->leaves_first)
		tc_compare_append_path(buf, compare);
	else
		append_largest(buf, compare);
}

/* See parts.h. Each reason is a row of a table with a function that appends its sentence. */
#include "report/compare/parts.h"

#include "core/array.h"
#include "report/text/format.h"

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

static void append_device_work(struct tc_buf *buf, const struct tc_compare *compare)
{
	int side = lacking(compare, TC_METRIC_HAS_DEVICE);

	if (side >= 0)
		tc_buf_format(buf, "%s has no device work, so only the host is compared.",
			side_names[side]);
}

static void append_steps(struct tc_buf *buf, const struct tc_compare *compare)
{
	int side = lacking(compare, TC_METRIC_HAS_STEPS);

	if (side >= 0)
		tc_buf_format(buf,
			"%s has no steps: the whole traces are compared, whatever work they "
			"hold.",
			side_names[side]);
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

/* Waits of ranks for each other are known only where the ranks were imported together. */
static void append_other_ranks(struct tc_buf *buf, const struct tc_compare *compare)
{
	int side = lacking(compare, TC_METRIC_HAS_RANKS);

	if (side >= 0)
		tc_buf_format(buf,
			"%s lacks the other ranks of its job, so its waits for them do not "
			"show.",
			side_names[side]);
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

/* Quality problems of a trace that analyze reports as serious. */
static void append_notes(struct tc_buf *buf, const struct tc_compare *compare)
{
	for (size_t i = 0; i < compare->advice_count; i++) {
		const struct tc_compare_advice *row = &compare->advice[i];
		for (int side = 0; side < TC_COMPARE_SIDES; side++) {
			const struct tc_finding *finding = row->finding[side];
			if (!finding || row->heuristic->kind != TC_HEURISTIC_QUALITY ||
				finding->severity < TC_SEVERITY_HIGH)
				continue;
			tc_buf_format(buf, "%s%s: %s.", buf->len > 0 ? " " : "", side_names[side],
				row->heuristic->title);
		}
	}
}

typedef bool (*site_fn)(const struct tc_site *before, const struct tc_site *after);

static bool sites_differ(const struct tc_compare *compare, site_fn differ)
{
	const struct tc_site before = tc_site_of(compare, TC_BEFORE),
			     after = tc_site_of(compare, TC_AFTER);

	return differ(&before, &after);
}

static bool other_vendor(const struct tc_compare *compare)
{
	return sites_differ(compare, tc_site_other_vendor);
}

static bool other_device(const struct tc_compare *compare)
{
	return sites_differ(compare, tc_site_other_device);
}

static bool other_ranks(const struct tc_compare *compare)
{
	return sites_differ(compare, tc_site_other_ranks);
}

static bool other_device_count(const struct tc_compare *compare)
{
	return sites_differ(compare, tc_site_other_device_count);
}

static const struct tc_unfair reasons[] = {
	{"vendor", append_vendor, other_vendor},
	{"device", append_device_name, other_device},
	{"world-size", append_world_size, other_ranks},
	{"device-count", append_device_count, other_device_count},
	{"weights", append_weights, tc_work_other_weights},
	{"format", append_format, NULL},
	{"kind", append_kind, NULL},
	{"software", append_software, NULL},
	{"batch", append_batch, NULL},
	{"shapes", append_shapes, NULL},
	{"rank", append_rank, NULL},
	{"other-ranks", append_other_ranks, NULL},
	{"no-device-work", append_device_work, NULL},
	{"no-steps", append_steps, NULL},
	{"data-loss", append_loss, NULL},
	{"left-out", append_left_out, NULL},
	{"notes", append_notes, NULL},
	{"detail", append_detail, NULL},
	{"outside-of-steps", append_unlaunched, NULL},
};

bool tc_unfair_is_of_verdict(const struct tc_unfair *reason, const struct tc_compare *compare)
{
	return compare->result.is_other_work && reason->is_other_work &&
	       reason->is_other_work(compare);
}

/* Each sentence begins with "The" and ends with a full stop. */
void tc_append_other_work(struct tc_buf *buf, const struct tc_compare *compare)
{
	struct tc_buf sentence = TC_BUF_EMPTY;
	const char *before = "";

	for (size_t i = 0; i < TC_COUNT_OF(reasons); i++) {
		if (!tc_unfair_is_of_verdict(&reasons[i], compare))
			continue;
		tc_buf_reset(&sentence);
		reasons[i].append(&sentence, compare);
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
const char *tc_unlike(const struct tc_compare *compare)
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

const struct tc_unfair *tc_unfair_reasons(size_t *count)
{
	*count = TC_COUNT_OF(reasons);
	return reasons;
}

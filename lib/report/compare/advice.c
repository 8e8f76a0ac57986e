#include "report/compare/parts.h"

#include "core/saturate.h"

#define NEWS_PART 10 /* of a gain: a smaller change is none */

/* The gain per unit; 0 for no finding and for one without a gain. */
static int64_t gain_of(
	const struct tc_compare *compare, const struct tc_compare_advice *row, int side)
{
	const struct tc_finding *finding = row->finding[side];

	return finding && finding->gain_ns > 0
		       ? tc_compare_mean(finding->gain_ns, tc_compare_units(&compare->sides[side]))
		       : 0;
}

static void put_gain(
	const struct tc_compare *compare, const struct tc_compare_advice *row, int side)
{
	int64_t gain_ns = gain_of(compare, row, side);

	if (gain_ns > 0)
		tc_doc_cell_ns(tc_compare_doc(compare), gain_ns);
	else
		tc_doc_cell_string(tc_compare_doc(compare), "-");
}

/* "grew" and "shrank" where both gains are known and differ by a tenth or more. */
static const char *change_name(
	const struct tc_compare *compare, const struct tc_compare_advice *row)
{
	static const char *const names[] = {[TC_CHANGE_NEW] = "new",
		[TC_CHANGE_UNKNOWN_BEFORE] = "new*",
		[TC_CHANGE_UNKNOWN_AFTER] = "gone*",
		[TC_CHANGE_GONE] = "gone",
		[TC_CHANGE_REMAINS] = "remains"};
	int64_t before_ns = gain_of(compare, row, TC_BEFORE);
	int64_t after_ns = gain_of(compare, row, TC_AFTER);
	int64_t change_ns = after_ns - before_ns;

	if (row->change != TC_CHANGE_REMAINS || before_ns == 0 || after_ns == 0 ||
		tc_magnitude_saturated(change_ns) < before_ns / NEWS_PART)
		return names[row->change];
	return change_ns > 0 ? "grew" : "shrank";
}

void tc_compare_put_advice(const struct tc_compare *compare)
{
	static const char *const columns[] = {"before", "after", "<change", "<~advice", NULL};
	struct tc_doc *doc = tc_compare_doc(compare);
	bool blind = false;
	int shown = 0;

	tc_compare_put_heading(compare, "Advice: gain at most");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < compare->advice_count; i++) {
		const struct tc_compare_advice *row = &compare->advice[i];
		if (row->heuristic->kind != TC_HEURISTIC_FIX ||
			shown++ >= compare->job->options.top)
			continue;
		put_gain(compare, row, TC_BEFORE);
		put_gain(compare, row, TC_AFTER);
		tc_doc_cell_string(doc, change_name(compare, row));
		tc_doc_cell_string(doc, row->heuristic->title);
		blind |= row->change == TC_CHANGE_UNKNOWN_BEFORE ||
			 row->change == TC_CHANGE_UNKNOWN_AFTER;
	}
	if (shown == 0)
		tc_doc_say(doc, "None on either side.");
	else if (compare->by_step)
		tc_buf_format(tc_doc_paragraph(doc),
			"The gain of each run divided by its %ss. Findings may overlap.",
			tc_compare_unit_name(compare));
	if (blind)
		tc_doc_say(doc, tc_job_is_page(compare->job)
					? "* lacked data in the other trace."
					: "* lacked data in the other trace (--format json says "
					  "why).");
	tc_compare_put_hidden(compare, shown - compare->job->options.top);
}

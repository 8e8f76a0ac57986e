/* The part of the document on changes since an earlier index, one line per job. */
#include "fleet/report/formats.h"
#include "report/text/format.h"

/* Rows, on a page that has other parts too. */
enum { JOB_ROWS = 3, ADVICE_ROWS = 2 };

static size_t rows_of(const struct tc_fleet *fleet, size_t on_page)
{
	return fleet->input->only_changes ? (size_t)fleet->options->top : on_page;
}

static bool was_there(const struct tc_fleet_side *side, size_t job, uint32_t heuristic)
{
	const struct tc_fleet_job *earlier = &side->jobs[job];

	for (size_t i = 0; i < earlier->fired_count; i++)
		if (side->fired[earlier->first_fired + i].heuristic == heuristic)
			return true;
	return false;
}

/* The new fix of a job with the largest gain, ties in the order of the heuristics; "" for none. */
static struct tc_text new_fix(const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];
	const struct tc_fleet_job *job = &after->jobs[index];
	const struct tc_fleet_fired *most = NULL;

	for (size_t i = 0; i < job->fired_count; i++) {
		const struct tc_fleet_fired *fired = &after->fired[job->first_fired + i];
		if (was_there(&fleet->sides[TC_BEFORE], fleet->changes[index].before,
			    fired->heuristic))
			continue;
		if (!most || fired->gain_ns > most->gain_ns)
			most = fired;
	}
	return most ? tc_fleet_title(fleet, most->heuristic) : TC_TEXT("");
}

static void put_change(struct tc_doc *doc, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_change *change = &fleet->changes[index];
	const struct tc_fleet_job *before = &fleet->sides[TC_BEFORE].jobs[change->before];
	const struct tc_fleet_job *after = &fleet->sides[TC_AFTER].jobs[index];

	tc_doc_cell_text(doc, tc_fleet_text(fleet, after->path));
	tc_doc_cell_ns(doc, tc_fleet_step_ns(before));
	tc_doc_cell_ns(doc, tc_fleet_step_ns(after));
	tc_buf_format(tc_doc_cell(doc), "%+.1f %%", change->result.difference_pct);
	tc_doc_cell_text(doc, new_fix(fleet, index));
}

/* Jobs that became slower, or faster. */
static void put_changed(struct tc_doc *doc, struct tc_fleet *fleet, enum tc_compare_outcome outcome)
{
	size_t count, *jobs = tc_fleet_changed(&count, fleet, outcome);

	for (size_t i = 0; i < count && i < rows_of(fleet, JOB_ROWS); i++)
		put_change(doc, fleet, jobs[i]);
}

static void put_names(struct tc_buf *line, const struct tc_fleet *fleet,
	const struct tc_fleet_advice *advice, int64_t count, size_t example)
{
	tc_buf_append_text(line, tc_fleet_text(fleet, advice->title));
	tc_buf_format(line, ": in %s%s", tc_show_counted(count, "job").text,
		count == 1 ? ", " : ", such as ");
	tc_buf_append_text(line, tc_fleet_text(fleet, fleet->sides[TC_AFTER].jobs[example].path));
}

static void put_advice(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	size_t shown = 0;

	for (size_t i = 0; i < fleet->advice_count && shown < rows_of(fleet, ADVICE_ROWS); i++)
		if (fleet->advice[i].new_count > 0 && ++shown)
			put_names(tc_doc_item(doc, "New: "), fleet, &fleet->advice[i],
				fleet->advice[i].new_count, fleet->advice[i].new_job);
	shown = 0;
	for (size_t i = 0; i < fleet->advice_count && shown < rows_of(fleet, ADVICE_ROWS); i++)
		if (fleet->advice[i].gone_count > 0 && ++shown)
			put_names(tc_doc_item(doc, "Gone:"), fleet, &fleet->advice[i],
				fleet->advice[i].gone_count, fleet->advice[i].gone_job);
}

/* Before all that is judged. */
static void put_other_work(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	const struct tc_fleet_job *jobs = fleet->sides[TC_AFTER].jobs;
	size_t count = 0, example = 0;

	for (size_t i = fleet->sides[TC_AFTER].job_count; i-- > 0;)
		if (fleet->changes[i].result.is_other_work) {
			count++;
			example = i;
		}
	if (count == 0)
		return;
	struct tc_buf *line = tc_doc_paragraph(doc);
	tc_buf_format(line, "Not the same work: other devices or another number of ranks in %s%s",
		tc_show_counted((int64_t)count, "job").text, count == 1 ? ", " : ", such as ");
	tc_buf_append_text(line, tc_fleet_text(fleet, jobs[example].path));
	tc_buf_append_string(line, fleet->options->anyway ? "." : ": not judged.");
	tc_doc_tone(doc, TC_TONE_STRONG);
}

static void put_counts(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	int64_t counts[TC_COMPARE_SLOWER + 1] = {0}, unjudged = 0, added = 0;
	struct tc_buf *line = tc_doc_paragraph(doc);

	for (size_t i = 0; i < fleet->sides[TC_AFTER].job_count; i++) {
		const struct tc_fleet_change *change = &fleet->changes[i];
		if (change->before == SIZE_MAX)
			added++;
		else if (change->result.outcome == TC_COMPARE_OTHER_WORK)
			continue;
		else if (!change->result.judged)
			unjudged++;
		else
			counts[change->result.outcome]++;
	}
	tc_format_counted(line, counts[TC_COMPARE_SLOWER], "job");
	tc_buf_format(line,
		" slower, %s faster, %s as before (less than steps vary by), %s with too few "
		"steps to judge, %s new, %s gone.",
		tc_show_count(counts[TC_COMPARE_FASTER]).text,
		tc_show_count(counts[TC_COMPARE_SAME] + counts[TC_COMPARE_WITHIN]).text,
		tc_show_count(unjudged).text, tc_show_count(added).text,
		tc_show_count((int64_t)fleet->gone_count).text);
	tc_doc_tone(doc, TC_TONE_STRONG);
}

static void put_unlike(struct tc_doc *doc, const struct tc_fleet *fleet)
{
	const struct tc_fleet_side *before = &fleet->sides[TC_BEFORE];
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];

	if (before->version != after->version)
		tc_buf_append_string(tc_doc_item(doc, "!"),
			"Another version of tracecoach made the earlier index: numbers and advice "
			"may differ for that reason.");
	else if (before->settings_hash != after->settings_hash)
		tc_buf_append_string(tc_doc_item(doc, "!"),
			"The earlier index was made with other rules or thresholds: advice may "
			"differ for that reason.");
}

void tc_fleet_put_changes(struct tc_doc *doc, struct tc_fleet *fleet)
{
	static const char *const columns[] = {
		"<job", "step before", "after", "change", "<new fix", NULL};

	if (!fleet->changes)
		return;
	tc_doc_heading(doc, "Since the earlier index");
	put_other_work(doc, fleet);
	put_counts(doc, fleet);
	put_unlike(doc, fleet);
	tc_doc_table(doc, columns);
	put_changed(doc, fleet, TC_COMPARE_SLOWER);
	put_changed(doc, fleet, TC_COMPARE_FASTER);
	put_advice(doc, fleet);
}

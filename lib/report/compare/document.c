/*
 * The comparison as a document: the verdict, what was compared, what makes that unfair, where the
 * time went, advice, operations or operators; with --details also host slices, counts, and the
 * queries behind the numbers.
 */
#include "report/compare/compare.h"

#include <limits.h>

#include "core/saturate.h"
#include "replay/program.h"
#include "report/doc/doc.h"
#include "report/text/format.h"
#include "report/view/view.h"

/* ---- what the tables have in common */

static struct tc_doc *doc_of(const struct tc_compare *compare)
{
	return &compare->job->doc;
}

/* "TEXT, per step" */
static void put_heading(const struct tc_compare *compare, const char *text)
{
	const char *unit = tc_compare_unit_name(compare);

	tc_doc_heading(doc_of(compare), text);
	if (unit)
		tc_buf_format(&doc_of(compare)->text, ", per %s", unit);
}

/* Says how many rows the last table left out, if any. */
static void put_hidden(const struct tc_compare *compare, int hidden)
{
	if (hidden > 0)
		tc_job_say_more(compare->job, (size_t)hidden, "",
			(size_t)(hidden + compare->job->options.top));
}

/* ---- the findings of both sides: what each fix would save before and after */

#define NEWS_PART 10 /* of a gain: a smaller change is none */

static int64_t gain_of(
	const struct tc_compare *compare, const struct tc_compare_advice *row, int side)
{
	const struct tc_compared *of = &compare->sides[side];

	return tc_gain_of_unit(
		&of->job, row->finding[side], row->by_step, of->batch, tc_compare_gain_units(of))
		.likely_ns;
}

static void put_gain(
	const struct tc_compare *compare, const struct tc_compare_advice *row, int side)
{
	const struct tc_finding *finding = row->finding[side];
	int64_t gain_ns = gain_of(compare, row, side);

	if (gain_ns > 0)
		tc_doc_cell_ns(doc_of(compare), gain_ns);
	else
		tc_doc_cell_string(
			doc_of(compare), finding && finding->gain_ns == 0 ? "nothing" : "-");
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

/* Whether only one of the reports has the gain of a step. */
static bool is_of_runs(const struct tc_compare *compare, const struct tc_compare_advice *row)
{
	bool has_step = false;

	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		has_step |= row->finding[side] &&
			    !tc_gain_lacks_step(&compare->sides[side].job, row->finding[side]);
	return compare->by_step && !row->by_step && has_step;
}

static void put_advice(const struct tc_compare *compare)
{
	static const char *const columns[] = {"before", "after", "<change", "<~advice", NULL};
	struct tc_doc *doc = doc_of(compare);
	bool blind = false, of_runs = false;
	int shown = 0;

	put_heading(compare, "Advice: gain");
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
		of_runs |= is_of_runs(compare, row);
	}
	if (shown == 0)
		tc_doc_say(doc, "None on either side.");
	else if (of_runs)
		tc_doc_say(doc, "Where only one report has the gain of a step, both gains are "
				"those of the run, by its steps. Findings may overlap.");
	else if (compare->by_step)
		tc_buf_format(tc_doc_paragraph(doc),
			"The gains that the reports on both runs have, per %s. Findings may "
			"overlap.",
			tc_compare_unit_name(compare));
	if (blind)
		tc_buf_format(tc_doc_paragraph(doc),
			tc_job_is_page(compare->job)
				? "* lacked data in the other trace."
				: "* lacked data in the other trace (%s json says why).",
			tc_ctx_word(compare->job->ctx, "--format"));
	put_hidden(compare, shown - compare->job->options.top);
}

/* ---- the difference of the critical paths, in words and as a table */

#define NAMED 3     /* pieces in a line */
#define LEAST_PCT 1 /* of the time before: smaller changes are not named */

static void append_host(struct tc_buf *buf, struct tc_text role)
{
	enum tc_role known = tc_role_find(role);

	if (role.len == 0)
		tc_buf_append_string(buf, "host: nothing recorded");
	else if (known)
		tc_buf_append_string(buf, tc_role_title(known));
}

/* "data loader", "device TPC", "copy from launch to start" */
static void append_piece(struct tc_buf *buf, const struct tc_compare_row *row)
{
	struct tc_text name = tc_text_from(row->name), engine = tc_engine_title(name);

	switch (tc_piece_find(tc_text_from(row->group))) {
	case TC_PIECE_HOST: append_host(buf, name); break;
	case TC_PIECE_DEVICE: TC_APPEND(buf, TC_TEXT("device "), engine); break;
	case TC_PIECE_LAUNCH: TC_APPEND(buf, engine, TC_TEXT(" from launch to start")); break;
	case TC_PIECE_QUEUE:
		TC_APPEND(buf, engine, TC_TEXT(" from the end of other work to its start"));
		break;
	case TC_PIECE_WAKE: tc_buf_append_string(buf, "host going on after a wait"); break;
	case TC_PIECE_NONE: tc_buf_append_string(buf, "before the first work, or not known"); break;
	}
}

static int64_t change_of(const struct tc_compare_row *row)
{
	return tc_sub_saturated(row->mean_ns[TC_AFTER], row->mean_ns[TC_BEFORE]);
}

/* " -3.0 ms" */
static void append_change(struct tc_buf *line, int64_t change_ns)
{
	tc_buf_append_string(line, change_ns < 0 ? " -" : " +");
	tc_format_ns(line, tc_magnitude_saturated(change_ns));
}

/* Appends the changes in the direction of the total, or those against it, and adds them to
 * *sum_ns. */
static int append_changes(struct tc_buf *line, int64_t *sum_ns, const struct tc_compare *compare,
	bool along, const char *before)
{
	int64_t least_ns = compare->mean_ns[TC_BEFORE] / 100 * LEAST_PCT;
	int named = 0;

	for (size_t i = 0; i < compare->rows[TC_QUERY_PATH].count && named < NAMED; i++) {
		const struct tc_compare_row *row = &compare->rows[TC_QUERY_PATH].rows[i];
		int64_t change_ns = change_of(row);
		bool is_along = (change_ns < 0) == (compare->difference_ns < 0);
		if (is_along != along || tc_magnitude_saturated(change_ns) <= least_ns)
			continue;
		tc_buf_append_string(line, named++ > 0 ? ", " : before);
		append_piece(line, row);
		append_change(line, change_ns);
		*sum_ns = tc_add_saturated(*sum_ns, change_ns);
	}
	return named;
}

/* The means of all pieces together. */
static void sum_of(int64_t sum_ns[static TC_COMPARE_SIDES], const struct tc_compare *compare)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		sum_ns[side] = 0;
		for (size_t i = 0; i < compare->rows[TC_QUERY_PATH].count; i++)
			sum_ns[side] = tc_add_saturated(
				sum_ns[side], compare->rows[TC_QUERY_PATH].rows[i].mean_ns[side]);
	}
}

void tc_compare_append_path(struct tc_buf *buf, const struct tc_compare *compare)
{
	int64_t all_ns[TC_COMPARE_SIDES], named_ns = 0;
	int along = append_changes(buf, &named_ns, compare, true, " On the critical path: ");
	int against = append_changes(
		buf, &named_ns, compare, false, along > 0 ? "; but " : " On the critical path: ");

	if (along + against == 0)
		return;
	sum_of(all_ns, compare);
	int64_t rest_ns =
		tc_sub_saturated(tc_sub_saturated(all_ns[TC_AFTER], all_ns[TC_BEFORE]), named_ns);
	if (rest_ns != 0) {
		tc_buf_append_string(buf, "; all others");
		append_change(buf, rest_ns);
	}
	tc_buf_append_char(buf, '.');
}

static void put_piece(const struct tc_compare *compare, const struct tc_compare_row *row)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_doc_cell_ns(doc_of(compare), row->mean_ns[side]);
	tc_doc_cell_change_ns(doc_of(compare), change_of(row));
	append_piece(tc_doc_cell(doc_of(compare)), row);
}

static void put_path_sum(const struct tc_compare *compare)
{
	int64_t sum_ns[TC_COMPARE_SIDES];

	sum_of(sum_ns, compare);
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_doc_cell_ns(doc_of(compare), sum_ns[side]);
	tc_doc_cell_change_ns(
		doc_of(compare), tc_sub_saturated(sum_ns[TC_AFTER], sum_ns[TC_BEFORE]));
	tc_doc_cell_string(doc_of(compare), "all of it");
}

/* All pieces, which add up. */
static void put_path(const struct tc_compare *compare)
{
	static const char *const columns[] = {"before", "after", "difference", "<piece", NULL};
	const struct tc_compare_rows *path = &compare->rows[TC_QUERY_PATH];
	const char *unit = tc_compare_unit_name(compare);

	tc_doc_heading(doc_of(compare), "The critical path");
	tc_doc_table(doc_of(compare), columns);
	tc_doc_picture(doc_of(compare), "sides");
	for (size_t i = 0; i < path->count; i++)
		put_piece(compare, &path->rows[i]);
	if (path->count > 0)
		put_path_sum(compare);
	if (path->count > 0 && unit)
		tc_buf_format(tc_doc_paragraph(doc_of(compare)),
			"What the end of the recording waited for, divided by all its %ss.", unit);
}

/* ---- the document */

#define EXPOSED_COLUMN 3 /* in the host's table */

/* Limits of a screen: rows of a table, and sentences on differences between the sides. */
enum { MOST_ROWS = 4, LEAST_ROWS = 2, UNFAIR_MOST = 3 };

/* Names the trace of a side, and what of it is compared. */
static void put_side(const struct tc_compare *compare, int index)
{
	static const char *const labels[] = {"Before", "After "};
	const struct tc_compared *side = &compare->sides[index];
	const struct tc_view *view = side->view;
	struct tc_buf *line = tc_doc_item(doc_of(compare), labels[index]);
	int64_t left_out = tc_sub_saturated(view->step_count, side->steps.count);

	tc_buf_append_string(line, side->given->source);
	if (!tc_text_equal(view->path, tc_text_from(side->given->source)))
		TC_APPEND(line, TC_TEXT(", made from "), view->path);
	tc_buf_append_string(line, ": ");
	tc_view_append_kind(line, view);
	tc_view_append_count(line, tc_metric(&view->whole.run, TC_METRIC_DEVICE_COUNT), "device");
	if (view->rank >= 0)
		tc_buf_format(line, ", rank %lld", (long long)view->rank);
	tc_view_append_count(line, view->step_count, "step");
	if (compare->leaves_first && side->steps.first_ns >= 0)
		tc_buf_append_string(line, " (the first left out)");
	else if (compare->by_step && left_out > 0)
		tc_buf_format(line, " (%s of warm-up left out)", tc_show_count(left_out).text);
	tc_buf_format(line, ", %s", tc_show_ns(tc_metric(&view->whole.run, TC_METRIC_WALL)).text);
}

/* Adds the sentences [first, last) on what makes the comparison unfair, besides those of the
 * verdict. Returns how many there are in all. */
static int put_unfair(const struct tc_compare *compare, int first, int last)
{
	size_t reason_count;
	const struct tc_unfair *reasons = tc_unfair_reasons(&reason_count);
	int count = 0;

	for (size_t i = 0; i < reason_count; i++) {
		struct tc_buf line = TC_BUF_EMPTY;
		tc_unfair_append(&line, &reasons[i], compare, true);
		bool says = line.len > 0;
		if (says && count >= first && count < last) {
			tc_doc_item(doc_of(compare), "!");
			tc_doc_take(doc_of(compare), &line);
		}
		tc_buf_end(&doc_of(compare)->text, &line);
		count += says;
	}
	return count;
}

/* Returns how many sentences the screen shows. */
static int put_first_unfair(const struct tc_compare *compare)
{
	int count = put_unfair(compare, 0, 0),
	    shown = count > UNFAIR_MOST ? UNFAIR_MOST - 1 : count;

	tc_doc_heading(doc_of(compare), "Not alike");
	put_unfair(compare, 0, shown);
	if (count > shown)
		tc_job_say_more(compare->job, (size_t)(count - shown), "", 0);
	return shown;
}

/* Rows of a table without --top: sentences on differences take their room on a screen. */
static int default_rows(const struct tc_compare *compare)
{
	int count = put_unfair(compare, 0, 0);

	return count == 0 ? MOST_ROWS : count > LEAST_ROWS ? LEAST_ROWS : MOST_ROWS - 1;
}

static void put_verdict(const struct tc_compare *compare)
{
	tc_compare_change(tc_doc_paragraph(doc_of(compare)), compare);
	tc_doc_tone(doc_of(compare), TC_TONE_STRONG);
	tc_compare_reasons(tc_doc_paragraph(doc_of(compare)), compare);
}

/* Both means and their difference. */
static void put_time(struct tc_doc *doc, const struct tc_compare_time *time)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_doc_cell_ns(doc, time->mean_ns[side]);
	tc_doc_cell_change_ns(doc, time->difference_ns);
}

static bool is_zero(const struct tc_compare_time *time)
{
	return time->sum_ns[TC_BEFORE] == 0 && time->sum_ns[TC_AFTER] == 0;
}

static void put_device(const struct tc_compare *compare)
{
	static const char *const columns[] = {"before", "after", "difference", "<where", NULL};
	const struct tc_compared *sides = compare->sides;
	struct tc_doc *doc = doc_of(compare);
	struct tc_compare_time times[TC_COMPARE_TIMES_MOST];
	size_t count = tc_compare_device_times(times, compare);

	if (!tc_compare_has_device(compare))
		return;
	put_heading(compare, "Where the device's time went");
	tc_doc_table(doc, columns);
	tc_doc_picture(doc, "sides");
	for (size_t i = 0; i < count; i++) {
		if (is_zero(&times[i]))
			continue;
		put_time(doc, &times[i]);
		tc_doc_cell_string(doc, times[i].name);
	}
	if (tc_metric(&sides[0].view->whole.run, TC_METRIC_DEVICE_COUNT) > 1 ||
		tc_metric(&sides[1].view->whole.run, TC_METRIC_DEVICE_COUNT) > 1)
		tc_doc_say(doc, "All devices together: a part counts while any device is in it.");
}

static void put_host(const struct tc_compare *compare)
{
	static const char *const columns[] = {
		"before", "after", "difference", "?exposed", "<where", NULL};
	struct tc_doc *doc = doc_of(compare);
	size_t count;
	const struct tc_host_part *parts = tc_host_parts(&count);

	put_heading(compare, "Where the host's time went");
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < count; i++) {
		const struct tc_compare_time own = tc_compare_metric_time(compare, parts[i].own,
						     tc_role_title(parts[i].role)),
					     exposed = tc_compare_metric_time(
						     compare, parts[i].exposed, NULL);
		if (is_zero(&own))
			continue;
		put_time(doc, &own);
		tc_doc_cell_change_ns(doc, exposed.difference_ns);
		tc_doc_cell_string(doc, own.name);
	}
	tc_buf_append_string(tc_doc_column_note(doc, EXPOSED_COLUMN),
		"exposed: the difference in time with no device at work.");
}

/* A count per step: "12", "12.4". */
static void append_per_step(struct tc_buf *buf, int64_t count, int64_t steps)
{
	if (steps <= 0 || count % steps == 0)
		tc_format_count(buf, steps > 0 ? count / steps : 0);
	else
		tc_buf_format(buf, "%.1f", (double)count / (double)steps);
}

/* "12", or "12, 14" where the sides differ: count per step, or mean duration. */
static void put_both(
	const struct tc_compare *compare, const struct tc_compare_row *row, bool is_mean)
{
	struct tc_buf cells[TC_COMPARE_SIDES] = {TC_BUF_EMPTY, TC_BUF_EMPTY};

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		int64_t count = row->count[side];
		if (count > 0 && is_mean)
			tc_format_ns(&cells[side], tc_compare_mean(row->dur_ns[side], count));
		else if (count > 0)
			append_per_step(&cells[side], count, compare->sides[side].all_step_count);
	}
	bool same = tc_text_equal(tc_buf_text(&cells[TC_BEFORE]), tc_buf_text(&cells[TC_AFTER]));
	if (same)
		tc_buf_reset(&cells[TC_AFTER]);
	else if (cells[TC_BEFORE].len > 0 && cells[TC_AFTER].len > 0)
		tc_buf_append_string(&cells[TC_BEFORE], ", ");
	tc_doc_cell(doc_of(compare));
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_doc_take(doc_of(compare), &cells[side]);
}

/* "aten::mm [[8,4],[4,2]]" in one cell, so that the sizes have room; without inputs that are
 * none. */
static void put_operator_sizes(struct tc_doc *doc, const struct tc_compare_row *row)
{
	static const char nothing[] = ",[]";
	struct tc_buf *cell = tc_doc_cell(doc), sizes = TC_BUF_EMPTY;
	size_t skipped;

	for (const char *at = row->name; *at; at += skipped > 0 ? skipped : 1) {
		skipped = strncmp(at, nothing, strlen(nothing)) == 0 ? strlen(nothing) : 0;
		if (skipped == 0)
			tc_buf_append_char(&sizes, *at);
	}
	tc_names_append(NULL, cell, tc_text_from(row->group));
	tc_buf_append_char(cell, ' ');
	tc_names_append(NULL, cell, tc_buf_text(&sizes));
	tc_buf_end(cell, &sizes);
}

static void put_row(const struct tc_compare *compare, const struct tc_compare_row *row,
	enum tc_compare_query query)
{
	bool has_sizes = query == TC_QUERY_OPERATOR_SHAPES;
	static const char *const missing[TC_COMPARE_SIDES] = {"new", "gone"};
	const struct tc_compared *known = &compare->sides[row->count[TC_AFTER] > 0];
	struct tc_doc *doc = doc_of(compare);

	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		if (row->count[side] > 0)
			tc_doc_cell_ns(doc, row->mean_ns[side]);
		else
			tc_doc_cell_string(doc, missing[side]);
	tc_doc_cell_change_ns(doc, row->mean_ns[TC_AFTER] - row->mean_ns[TC_BEFORE]);
	if (!has_sizes && query != TC_QUERY_KERNEL_SHAPES)
		tc_doc_cell_text(
			doc, tc_engine_title(tc_text_from(row->group[0] ? row->group : "-")));
	put_both(compare, row, false);
	put_both(compare, row, true);
	if (has_sizes) {
		put_operator_sizes(doc, row);
		return;
	}
	struct tc_buf *cell = tc_doc_cell(doc);
	tc_names_append(known->view->names, cell, tc_text_from(row->name));
	if (query == TC_QUERY_KERNEL_SHAPES)
		tc_buf_format(cell, " of %s", row->group);
}

static bool has_warm_up(const struct tc_compare *compare)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		if (compare->sides[side].all_step_count > compare->sides[side].steps.count)
			return true;
	return false;
}

#define BOTH "before", "after", "difference"

static const struct {
	const char *heading, *columns[8];
} tables[TC_QUERY_COUNT] = {
	[TC_QUERY_OPERATIONS] = {"Device operations that changed most",
		{BOTH, "?<engine", "?count", "?mean", "<operation"}},
	[TC_QUERY_OPERATORS] = {"Operators that changed most",
		{BOTH, "?<class", "?count", "?mean", "<operator, device time"}},
	[TC_QUERY_OPERATOR_SHAPES] = {"Operators and sizes that changed most",
		{BOTH, "?count", "?mean", "<~operator and sizes of inputs"}},
	[TC_QUERY_KERNEL_SHAPES] = {"Device operations by operator and sizes that changed most",
		{BOTH, "?count", "?mean", "<~operation of operator and sizes"}},
	[TC_QUERY_SLICES] = {"Host slices that changed most",
		{BOTH, "?<role", "?count", "?mean", "<host slice, self time"}},
};

/* The table of the rows of a query that differ, up to the wanted number. */
static void put_rows(const struct tc_compare *compare, enum tc_compare_query query)
{
	const struct tc_compare_rows *list = &compare->rows[query];
	int shown = 0;

	put_heading(compare, tables[query].heading);
	tc_doc_table(doc_of(compare), tables[query].columns);
	for (size_t i = 0; i < list->count; i++) {
		const struct tc_compare_row *row = &list->rows[i];
		if (row->mean_ns[TC_BEFORE] == row->mean_ns[TC_AFTER])
			break;
		if (shown++ < compare->job->options.top)
			put_row(compare, row, query);
	}
	if (has_warm_up(compare))
		tc_buf_append_string(tc_doc_column_note(doc_of(compare), 0),
			"These are sums over the whole trace, including warm-up.");
	put_hidden(compare, shown - compare->job->options.top);
}

/* A row that is not a time: a cell per side and the difference, in one unit. */
struct amount {
	const char *name;
	const struct tc_metric_cell *cells[TC_COMPARE_SIDES];
	bool is_bytes, per_step;
};

/* Shown when both sides know it and one is not zero. */
static void put_amount(const struct tc_compare *compare, const struct amount *amount)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		if (!amount->cells[side]->present)
			return;
	if (amount->cells[TC_BEFORE]->integer == 0 && amount->cells[TC_AFTER]->integer == 0)
		return;
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		int64_t value = amount->cells[side]->integer;
		int64_t steps = amount->per_step ? compare->sides[side].steps.count : 1;
		if (amount->is_bytes)
			tc_doc_cell_bytes(doc_of(compare), tc_compare_mean(value, steps));
		else
			append_per_step(tc_doc_cell(doc_of(compare)), value, steps);
	}
	tc_doc_cell_string(doc_of(compare), amount->name);
}

static void put_amounts(const struct tc_compare *compare)
{
	static const char *const columns[] = {"before", "after", "<what", NULL};
	size_t count;
	const struct tc_compare_amount *metrics = tc_compare_amounts(&count);
	const struct tc_compared *a = &compare->sides[TC_BEFORE], *b = &compare->sides[TC_AFTER];
	const struct amount input = {compare->by_step ? "copied in per step" : "copied in",
		{&a->input_bytes, &b->input_bytes}, true, true};
	const struct amount output = {compare->by_step ? "read back per step" : "read back",
		{&a->output_bytes, &b->output_bytes}, true, true};

	tc_doc_heading(doc_of(compare), "Counts and sizes");
	tc_doc_table(doc_of(compare), columns);
	for (size_t i = 0; i < count; i++) {
		const struct amount amount = {
			compare->by_step ? metrics[i].name_per_step : metrics[i].name,
			{&a->sums.cells[metrics[i].id], &b->sums.cells[metrics[i].id]},
			metrics[i].is_bytes, metrics[i].per_step};
		put_amount(compare, &amount);
	}
	put_amount(compare, &input);
	put_amount(compare, &output);
}

/* Appends a path so that no command takes it for an option; "-" stays standard input. */
static void append_path(struct tc_buf *buf, const char *path)
{
	if (path[0] == '-' && path[1])
		tc_buf_append_string(buf, "./");
	tc_buf_append_string(buf, path);
}

static bool is_called(const char *path, const char *name)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return path && strcmp(slash ? slash + 1 : path, name) == 0;
}

/* Appends the path of the side's store, or one that is free for it: "before.db". */
static void append_store_name(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_index side)
{
	/* The second one where the store of the other side has the first, or the import given above
	 * would replace that. */
	static const char *const names[][2] = {
		{"before.db", "before-2.db"}, {"after.db", "after-2.db"}};
	const char *path = compare->sides[side].job.store_path;
	const char *other = compare->sides[side == TC_BEFORE].job.store_path;

	append_path(buf, path ? path : names[side][is_called(other, names[side][0])]);
}

/* The command that makes a store of a side that was read from a trace. */
static void put_import(const struct tc_compare *compare, int index)
{
	const struct tc_compared *side = &compare->sides[index];
	struct tc_buf path = TC_BUF_EMPTY, *line = &doc_of(compare)->text;

	if (side->job.store_path)
		return;
	append_path(&path, side->given->source);
	tc_buf_append_string(line, "tracecoach import ");
	tc_format_shell_word(line, tc_buf_text(&path));
	tc_buf_append_string(line, " -o ");
	append_store_name(line, compare, (enum tc_compare_index)index);
	tc_buf_append_char(line, '\n');
	tc_buf_end(line, &path);
}

/* "ATTACH 'after.db' AS after; SELECT ..." quoted for the shell. */
static void put_query(const struct tc_compare *compare, enum tc_compare_query query)
{
	struct tc_buf path = TC_BUF_EMPTY, sql = TC_BUF_EMPTY, *line = &doc_of(compare)->text;

	append_store_name(&path, compare, TC_BEFORE);
	tc_buf_append_string(line, "sqlite3 ");
	tc_format_shell_word(line, tc_buf_text(&path));
	tc_buf_reset(&path);
	append_store_name(&path, compare, TC_AFTER);
	tc_buf_append_string(&sql, "ATTACH '");
	tc_buf_append_escaped(&sql, tc_buf_text(&path), "'", (const char *const[]){"''"});
	tc_buf_append_string(&sql, "' AS after; ");
	tc_compare_both_sql(&sql, compare, query);
	tc_buf_append_string(line, " \"");
	tc_format_shell_sql(line, tc_buf_text(&sql));
	tc_buf_append_string(line, "\"\n");
	tc_buf_end(line, &path);
	tc_buf_end(line, &sql);
}

static void put_queries(const struct tc_compare *compare)
{
	tc_doc_heading(doc_of(compare), "Queries behind these numbers");
	if (compare->by_step)
		tc_doc_say(doc_of(compare),
			"The second gives sums: divide them by the steps of a side (the first) to "
			"get the times above. Those with before_ns and after_ns divide by all "
			"steps.");
	tc_doc_code(doc_of(compare), "sh");
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		put_import(compare, side);
	for (int query = 0; query < TC_QUERY_COUNT; query++)
		put_query(compare, (enum tc_compare_query)query);
}

/* "The 8 ranks of both sides: 141.1 ms per step instead of 177.6 ms on average." */
static void put_average(const struct tc_compare *compare)
{
	struct tc_buf *line = tc_doc_paragraph(doc_of(compare));
	const char *unit = tc_compare_unit_name(compare);
	const char *noun = compare->by_rank ? "rank" : "trace";
	int64_t sums[TC_COMPARE_SIDES] = {0, 0};

	for (size_t i = 0; i < compare->rank_count; i++)
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			sums[side] = tc_add_saturated(
				sums[side], tc_compare_rank_ns(compare, &compare->ranks[i], side));
	tc_buf_format(line,
		"The %s %ss of both sides: ", tc_show_count((int64_t)compare->rank_count).text,
		noun);
	tc_format_ns(line, tc_compare_mean(sums[TC_AFTER], (int64_t)compare->rank_count));
	tc_buf_format(line, "%s%s instead of %s on average. %s %lld%s: all else here is about it.",
		unit ? " per " : "", unit ? unit : "",
		tc_show_ns(tc_compare_mean(sums[TC_BEFORE], (int64_t)compare->rank_count)).text,
		compare->by_rank ? "Rank" : "Trace", (long long)compare->ranks[0].number,
		tc_compare_rank_change_ns(compare, &compare->ranks[0]) == 0
			? " is the first, none changed"
			: " changed most");
}

/* How the other ranks changed; nothing when there is only one pair. */
static void put_ranks(const struct tc_compare *compare)
{
	static const char *const columns[] = {"before", "after", "difference", "<rank", NULL};
	struct tc_doc *doc = doc_of(compare);
	size_t top = (size_t)compare->job->options.top;

	if (compare->rank_count < 2)
		return;
	put_average(compare);
	tc_doc_table(doc, columns);
	for (size_t i = 0; i < compare->rank_count && i < top; i++) {
		const struct tc_compare_rank *rank = &compare->ranks[i];
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			tc_doc_cell_ns(doc, tc_compare_rank_ns(compare, rank, side));
		tc_doc_cell_change_ns(doc, tc_compare_rank_change_ns(compare, rank));
		tc_doc_cell_count(doc, rank->number);
	}
	if (compare->rank_count > top)
		tc_job_say_more(compare->job, compare->rank_count - top, "", compare->rank_count);
}

void tc_compare_put(struct tc_compare *compare)
{
	struct tc_doc *doc = doc_of(compare);
	bool is_page = tc_job_is_page(compare->job); /* there it is a picture */

	if (!compare->job->top_given)
		compare->job->options.top = default_rows(compare);
	tc_buf_append_string(tc_doc_title(doc), "Comparison");
	put_verdict(compare);
	tc_doc_heading(doc, "What was compared");
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		put_side(compare, side);
	put_ranks(compare);
	int unfair = put_first_unfair(compare);
	put_device(compare);
	if (is_page)
		put_path(compare);
	put_advice(compare);
	put_rows(compare, compare->by_operator ? TC_QUERY_OPERATORS : TC_QUERY_OPERATIONS);
	tc_doc_fold(doc, "critical path, host, operators, counts and sizes, queries");
	tc_doc_heading(doc, "Not alike, besides");
	put_unfair(compare, unfair, INT_MAX);
	if (!is_page)
		put_path(compare);
	put_host(compare);
	put_rows(compare, compare->by_operator ? TC_QUERY_OPERATIONS : TC_QUERY_OPERATORS);
	put_rows(compare, TC_QUERY_OPERATOR_SHAPES);
	put_rows(compare, TC_QUERY_KERNEL_SHAPES);
	put_rows(compare, TC_QUERY_SLICES);
	put_amounts(compare);
	if (compare->job->options.details && tc_ctx_has_shell(compare->job->ctx))
		put_queries(compare);
	tc_doc_fold_end(doc);
	tc_job_write(compare->job);
}

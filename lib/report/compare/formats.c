/* The comparison for programs: as JSON, as docs/compare.schema.json describes it, and for systems
 * for continuous integration. */
#include "report/compare/compare.h"
#include "core/array.h"
#include "report/html/page.h"
#include "report/text/json.h"
#include "report/text/sink.h"
#include "report/view/view.h"
#include "tracecoach/version.h"

static const char *const side_keys[] = {"before", "after"};

/* A number of each side: PAIR(json, "count", counts) writes before_count and after_count. */
#define PAIR(json, name, values)                                                                   \
	(tc_json_int((json), "before_" name, (values)[TC_BEFORE]),                                 \
		tc_json_int((json), "after_" name, (values)[TC_AFTER]))

static void put_steps(struct tc_json *json, const struct tc_spread *steps)
{
	tc_json_object(json, "compared");
	tc_json_int(json, "count", steps->count);
	tc_json_int(json, "sum_ns", steps->sum_ns);
	tc_json_int(json, "min_ns", steps->min_ns);
	tc_json_int(json, "q1_ns", steps->q1_ns);
	tc_json_int(json, "median_ns", steps->median_ns);
	tc_json_int(json, "q3_ns", steps->q3_ns);
	tc_json_int(json, "max_ns", steps->max_ns);
	tc_json_end(json);
}

static void put_side(struct tc_json *json, const struct tc_compared *side, const char *key)
{
	const struct tc_view *view = side->view;

	tc_json_object(json, key);
	tc_json_string(json, "source", side->given->source);
	tc_json_string(json, "store", side->job.store_path);
	tc_json_int(json, "trace_id", view->id);
	tc_json_text(json, "path", view->path);
	tc_json_text(json, "format", view->format);
	tc_json_text(json, "vendor", view->vendor);
	tc_json_text(json, "device_name", view->device_name);
	tc_json_int_if(json, "rank", view->rank >= 0, view->rank);
	tc_json_int_if(json, "world_size", view->world_size >= 0, view->world_size);
	tc_json_int(json, "device_count", tc_metric(&view->whole.run, TC_METRIC_DEVICE_COUNT));
	tc_json_int(json, "wall_ns", tc_metric(&view->whole.run, TC_METRIC_WALL));
	tc_json_int(json, "step_count", view->step_count);
	tc_json_int(json, "batch", side->batch);
	put_steps(json, &side->steps);
	tc_json_end(json);
}

static void put_sides(struct tc_json *json, const struct tc_compare *compare)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		put_side(json, &compare->sides[side], side_keys[side]);
}

static void put_unfair(struct tc_json *json, const struct tc_compare *compare)
{
	struct tc_buf text = TC_BUF_EMPTY;
	size_t count;
	const struct tc_unfair *reasons = tc_unfair_reasons(&count);

	tc_json_array(json, "not_alike");
	for (size_t i = 0; i < count; i++) {
		tc_buf_reset(&text);
		tc_unfair_append(&text, &reasons[i], compare, false);
		if (text.len == 0)
			continue;
		tc_json_object(json, NULL);
		tc_json_string(json, "id", reasons[i].id);
		tc_json_take(json, "text", &text);
		tc_json_end(json);
	}
	tc_json_end(json);
	tc_buf_clear(&text);
}

/* Each rank of both sides; sums are of the steps, as in before.compared. */
static void put_ranks(struct tc_json *json, const struct tc_compare *compare)
{
	tc_json_array(json, "ranks");
	for (size_t i = 0; i < compare->rank_count; i++) {
		const struct tc_compare_rank *rank = &compare->ranks[i];
		tc_json_object(json, NULL);
		tc_json_int_if(json, "rank", compare->by_rank, rank->number);
		PAIR(json, "trace_id", rank->trace_id);
		PAIR(json, "steps", rank->step_count);
		PAIR(json, "sum_ns", rank->sum_ns);
		tc_json_end(json);
	}
	tc_json_end(json);
}

/* Appends the verdict: what changed, by how much, and on what evidence. */
static void append_verdict(struct tc_buf *buf, const struct tc_compare *compare)
{
	tc_compare_change(buf, compare);
	tc_compare_reasons(buf, compare);
}

static void put_verdict(struct tc_json *json, const struct tc_compare *compare)
{
	static const char *const outcomes[] = {[TC_COMPARE_SAME] = "same",
		[TC_COMPARE_WITHIN] = "within",
		[TC_COMPARE_FASTER] = "faster",
		[TC_COMPARE_SLOWER] = "slower",
		[TC_COMPARE_UNLIKE] = "not_comparable",
		[TC_COMPARE_OTHER_WORK] = "other_work",
		[TC_COMPARE_DAMAGED] = "damaged"};
	struct tc_buf text = TC_BUF_EMPTY;

	tc_json_object(json, "verdict");
	append_verdict(&text, compare);
	tc_json_take(json, "text", &text);
	tc_json_string(json, "outcome", outcomes[compare->result.outcome]);
	tc_json_bool(json, "is_other_work", compare->result.is_other_work);
	tc_json_bool(json, "judged", compare->result.judged);
	tc_json_bool(json, "by_median", compare->by_median);
	PAIR(json, "ns", compare->mean_ns);
	tc_json_int(json, "difference_ns", compare->difference_ns);
	tc_json_real(json, "difference_pct", compare->result.difference_pct);
	tc_json_int(json, "median_difference_ns", compare->median_difference_ns);
	tc_json_int_if(json, "noise_ns", compare->noise_ns >= 0, compare->noise_ns);
	tc_json_end(json);
}

static void put_time(struct tc_json *json, const struct tc_compare_time *time)
{
	tc_json_object(json, NULL);
	tc_json_string(json, "name", time->key);
	PAIR(json, "sum_ns", time->sum_ns);
	PAIR(json, "ns", time->mean_ns);
	tc_json_int(json, "difference_ns", time->difference_ns);
	tc_json_end(json);
}

/* Without the wall time, to which they add up: it is that of the compared steps. */
static void put_device(struct tc_json *json, const struct tc_compare *compare)
{
	struct tc_compare_time times[TC_COMPARE_TIMES_MOST];
	size_t count = tc_compare_device_times(times, compare);

	tc_json_array(json, "device");
	for (size_t i = 0; i + 1 < count && tc_compare_has_device(compare); i++)
		put_time(json, &times[i]);
	tc_json_end(json);
}

static void put_host(struct tc_json *json, const struct tc_compare *compare)
{
	size_t count;
	const struct tc_host_part *parts = tc_host_parts(&count);

	tc_json_array(json, "host");
	for (size_t i = 0; i < count; i++)
		for (int exposed = 0; exposed < 2; exposed++) {
			const struct tc_compare_time time = tc_compare_metric_time(
				compare, exposed ? parts[i].exposed : parts[i].own, NULL);
			put_time(json, &time);
		}
	tc_json_end(json);
}

static void put_amount(struct tc_json *json, const char *name, const struct tc_metric_cell *before,
	const struct tc_metric_cell *after)
{
	tc_json_object(json, NULL);
	tc_json_string(json, "name", name);
	tc_json_int_if(json, "before", before->present, before->integer);
	tc_json_int_if(json, "after", after->present, after->integer);
	tc_json_end(json);
}

static void put_amounts(struct tc_json *json, const struct tc_compare *compare)
{
	size_t count;
	const struct tc_compare_amount *amounts = tc_compare_amounts(&count);
	const struct tc_compared *before = &compare->sides[TC_BEFORE];
	const struct tc_compared *after = &compare->sides[TC_AFTER];

	tc_json_array(json, "amounts");
	for (size_t i = 0; i < count; i++)
		put_amount(json, tc_metric_info(amounts[i].id)->name,
			&before->sums.cells[amounts[i].id], &after->sums.cells[amounts[i].id]);
	put_amount(json, "input_copy_bytes", &before->input_bytes, &after->input_bytes);
	put_amount(json, "output_copy_bytes", &before->output_bytes, &after->output_bytes);
	tc_json_end(json);
}

static void put_row(struct tc_json *json, const struct tc_compare_row *row, const char *group)
{
	tc_json_object(json, NULL);
	tc_json_string(json, group, row->group);
	tc_json_string(json, "name", row->name);
	tc_json_string(json, "change",
		row->count[TC_BEFORE] == 0  ? "new"
		: row->count[TC_AFTER] == 0 ? "gone"
					    : "remains");
	PAIR(json, "names", row->name_count);
	PAIR(json, "count", row->count);
	PAIR(json, "dur_ns", row->dur_ns);
	PAIR(json, "sum_ns", row->sum_ns);
	PAIR(json, "ns", row->mean_ns);
	tc_json_int(json, "difference_ns", row->mean_ns[TC_AFTER] - row->mean_ns[TC_BEFORE]);
	tc_json_end(json);
}

static void put_rows(struct tc_json *json, const struct tc_compare *compare,
	enum tc_compare_query query, const char *group)
{
	const struct tc_compare_rows *list = &compare->rows[query];
	bool is_whole = query == TC_QUERY_PATH; /* adds up */
	size_t top = is_whole ? list->count : (size_t)compare->job->options.top;

	tc_json_object(json, tc_compare_query_name(query));
	tc_json_int(json, "before_steps", compare->sides[TC_BEFORE].all_step_count);
	tc_json_int(json, "after_steps", compare->sides[TC_AFTER].all_step_count);
	tc_json_int(json, "count", (int64_t)list->count);
	tc_json_array(json, "rows");
	for (size_t i = 0; i < list->count && i < top; i++)
		put_row(json, &list->rows[i], group);
	tc_json_end(json);
	tc_json_end(json);
}

static void put_finding(struct tc_json *json, const struct tc_compare *compare,
	const struct tc_compare_advice *row, int index)
{
	const struct tc_finding *finding = row->finding[index];
	const struct tc_compared *side = &compare->sides[index];
	const struct tc_gain_shown gain = tc_gain_of_unit(
		&side->job, finding, row->by_step, side->batch, tc_compare_gain_units(side));
	bool gains = finding && finding->gain_ns != TC_GAIN_NONE;

	tc_json_object(json, side_keys[index]);
	tc_json_bool(json, "fired", finding != NULL);
	tc_json_string(json, "reason", row->reason[index]);
	tc_json_string(json, "severity", finding ? tc_severity_name(finding->severity) : NULL);
	tc_json_int_if(json, "gain_sum_ns", gains, gains ? finding->gain_ns : 0);
	tc_json_int_if(json, "gain_ns", gains, gain.likely_ns);
	tc_json_int_if(json, "gain_low_ns", gains, gain.low_ns);
	tc_json_int_if(json, "gain_high_ns", gains, gain.high_ns);
	tc_json_end(json);
}

static void put_advice(struct tc_json *json, const struct tc_compare *compare)
{
	static const char *const changes[] = {[TC_CHANGE_NEW] = "new",
		[TC_CHANGE_UNKNOWN_BEFORE] = "unknown_before",
		[TC_CHANGE_UNKNOWN_AFTER] = "unknown_after",
		[TC_CHANGE_GONE] = "gone",
		[TC_CHANGE_REMAINS] = "remains"};

	tc_json_array(json, "advice");
	for (size_t i = 0; i < compare->advice_count; i++) {
		const struct tc_compare_advice *row = &compare->advice[i];
		tc_json_object(json, NULL);
		tc_json_string(json, "id", row->heuristic->id);
		tc_json_string(json, "kind", tc_heuristic_kind_name(row->heuristic->kind));
		tc_json_string(json, "title", row->heuristic->title);
		tc_json_string(json, "change", changes[row->change]);
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			put_finding(json, compare, row, side);
		tc_json_end(json);
	}
	tc_json_end(json);
}

static void put_queries(struct tc_json *json, const struct tc_compare *compare)
{
	struct tc_buf sql = TC_BUF_EMPTY;

	tc_json_object(json, "queries");
	for (int query = 0; query < TC_QUERY_COUNT; query++) {
		tc_compare_both_sql(&sql, compare, (enum tc_compare_query)query);
		tc_json_take(json, tc_compare_query_name((enum tc_compare_query)query), &sql);
	}
	tc_json_end(json);
}

static void put_json(struct tc_compare *compare)
{
	static const char *const bases[] = {[TC_UNIT_WHOLE] = "wall",
		[TC_UNIT_STEP] = "step",
		[TC_UNIT_SAMPLE] = "sample",
		[TC_UNIT_INPUT_ROW] = "input_row"};
	struct tc_json json = {.sink = &compare->job->sink};

	tc_json_begin(&json, TC_COMPARE_VERSION);
	tc_json_string(&json, "basis", bases[compare->unit]);
	put_sides(&json, compare);
	put_ranks(&json, compare);
	put_unfair(&json, compare);
	put_verdict(&json, compare);
	put_device(&json, compare);
	put_host(&json, compare);
	put_amounts(&json, compare);
	put_advice(&json, compare);
	put_rows(&json, compare, TC_QUERY_PATH, "piece");
	put_rows(&json, compare, TC_QUERY_OPERATIONS, "engine");
	put_rows(&json, compare, TC_QUERY_OPERATORS, "class");
	put_rows(&json, compare, TC_QUERY_OPERATOR_SHAPES, "operator");
	put_rows(&json, compare, TC_QUERY_KERNEL_SHAPES, "operator");
	put_rows(&json, compare, TC_QUERY_SLICES, "role");
	put_queries(&json, compare);
	tc_json_end(&json);
}

/* ---- What systems for continuous integration show: one case, which fails by the limit. */

static bool is_judged(const struct tc_compare *compare)
{
	return compare->result.outcome < TC_COMPARE_UNLIKE && !compare->result.foreign;
}

static void put_junit(struct tc_compare *compare)
{
	const struct tc_compare_result *result = &compare->result;
	struct tc_sink *sink = &compare->job->sink;
	struct tc_buf name = TC_BUF_EMPTY, text = TC_BUF_EMPTY;

	tc_view_append_name(&name, compare->sides[TC_AFTER].view);
	append_verdict(&text, compare);
	struct tc_case step = {TC_TEXT("step time"), tc_buf_text(&name),
		result->is_unjudged   ? "error"
		: !is_judged(compare) ? "skipped"
		: result->has_failed  ? "failure"
				      : "system-out",
		.text = {0}};
	*(is_judged(compare) && !result->has_failed ? &step.text : &step.message) =
		tc_buf_text(&text);
	tc_junit_begin(sink);
	tc_junit_suite(sink, TC_TEXT("comparison"),
		(const size_t[4]){1, result->has_failed, result->is_unjudged,
			!is_judged(compare) && !result->is_unjudged});
	tc_junit_case(sink, &step);
	tc_junit_suite_end(sink);
	tc_junit_end(sink);
	tc_buf_end(&sink->buf, &name);
	tc_buf_end(&sink->buf, &text);
}

static void put_github(struct tc_compare *compare)
{
	static const char *const outcomes[] = {[TC_COMPARE_SAME] = " is as before",
		[TC_COMPARE_WITHIN] = " is as before",
		[TC_COMPARE_FASTER] = " is faster",
		[TC_COMPARE_SLOWER] = " is slower"};
	const struct tc_compare_result *result = &compare->result;
	struct tc_sink *sink = &compare->job->sink;
	struct tc_buf title = TC_BUF_EMPTY, text = TC_BUF_EMPTY;

	tc_view_append_name(&title, compare->sides[TC_AFTER].view);
	tc_buf_append_string(
		&title, is_judged(compare) ? outcomes[result->outcome] : " is not judged");
	append_verdict(&text, compare);
	tc_put_command(sink,
		result->is_unjudged || result->has_failed ? "error"
		: result->outcome == TC_COMPARE_SLOWER    ? "warning"
							  : "notice",
		tc_buf_text(&title), tc_buf_text(&text));
	tc_buf_end(&sink->buf, &title);
	tc_buf_end(&sink->buf, &text);
}

/* The document, and below it both timelines, one above the other, on one time scale. */
static void put_page(struct tc_compare *compare)
{
	static const char *const headings[] = {"Timeline before", "Timeline after"};
	struct tc_sink *sink = &compare->job->sink;
	struct tc_buf title = TC_BUF_EMPTY;

	for (int i = 0; i < TC_COMPARE_SIDES; i++) {
		tc_buf_append_string(&title, i > 0 ? " and " : "");
		tc_buf_append_text(&title, tc_page_name(compare->sides[i].view->path));
	}
	tc_page_begin(sink, tc_buf_text(&title));
	tc_buf_clear(&title);
	tc_compare_put(compare);
	for (int i = 0; i < TC_COMPARE_SIDES; i++) {
		struct tc_compared *side = &compare->sides[i];
		const struct tc_timeline_options options = {
			.budget = TC_TIMELINE_ITEMS / 2, .heading = headings[i], .is_linked = true};
		tc_put_timeline(sink, &side->job, side->view, &options);
	}
	tc_page_end(sink);
}

static const struct tc_compare_writer text = {tc_compare_put, tc_doc_write_text},
				      json = {put_json, NULL},
				      markdown = {tc_compare_put, tc_doc_write_markdown},
				      html = {put_page, tc_page_article}, junit = {put_junit, NULL},
				      github = {put_github, NULL};
static const struct tc_compare_format formats[] = {
	{"text", "for the terminal: verdict, where the time went, advice, operations", &text},
	{"json", "everything, as docs/compare.schema.json describes it", &json},
	{"md", "the same as text, as Markdown", &markdown},
	{"html", "a page to open in a browser, with both timelines one above the other", &html},
	{"junit", "JUnit XML: a case, which fails by --fail-on-slower", &junit},
	{"github", "an annotation of a GitHub workflow: the verdict", &github},
};

const struct tc_compare_format *tc_compare_formats(size_t *count)
{
	*count = TC_COUNT_OF(formats);
	return formats;
}

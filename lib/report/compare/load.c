/* Reads the numbers of a comparison from both stores; see parts.h. */
#include "core/alloc.h"
#include "core/array.h"
#include "report/compare/parts.h"
#include "report/view/view.h"

#define LEFT_OUT_ROWS 10 /* inputs left out whose reasons are given */

static void load_steps(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_rows rows = tc_compare_open(compare, TC_QUERY_STEPS, side);

	compared->steps = (struct tc_spread){0};
	if (tc_rows_next(&rows))
		compared->steps = tc_spread_of(&rows, 0);
	compared->all_step_count = compare->by_step ? compared->view->step_count : 1;
	tc_rows_close(&rows);
}

/* Steps where both have some with a length, else the whole. */
static void choose_basis(struct tc_compare *compare)
{
	compare->by_step = true;
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		load_steps(compare, (enum tc_compare_index)side);
	if (compare->sides[TC_BEFORE].steps.sum_ns > 0 && compare->sides[TC_AFTER].steps.sum_ns > 0)
		return;
	compare->by_step = false;
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		load_steps(compare, (enum tc_compare_index)side);
		if (compare->sides[side].steps.sum_ns <= 0 && !tc_ctx_failed(compare->job->ctx))
			tc_fail(compare->job->ctx, TC_ERR_INPUT,
				"%s: no slice in it has a duration, so there is nothing to compare",
				compare->sides[side].given->source);
	}
}

static void load_metrics(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_rows rows = tc_compare_open(compare, TC_QUERY_METRICS, side);

	while (tc_rows_next(&rows))
		tc_metrics_take(&compare->sides[side].sums, &rows, 0);
}

static void load_copies(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_rows rows = tc_compare_open(compare, TC_QUERY_COPIES, side);

	while (tc_rows_next(&rows)) {
		bool input = tc_text_equal(tc_rows_text(&rows, 0), TC_TEXT("input_copy"));
		struct tc_metric_cell *cell =
			input ? &compared->input_bytes : &compared->output_bytes;
		*cell = (struct tc_metric_cell){.present = true, .integer = tc_rows_int(&rows, 1)};
	}
}

static void load_kind(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_rows rows = TC_ROWS(compared->job.ctx, compared->job.db,
		"SELECT kind FROM run_kind WHERE trace_id = ?1", compared->view->id);

	compared->run_kind = TC_TEXT("");
	if (tc_rows_next(&rows) && !tc_rows_null(&rows, 0))
		compared->run_kind = tc_text_equal(tc_rows_text(&rows, 0), TC_TEXT("training"))
					     ? TC_TEXT("training")
					     : TC_TEXT("inference");
	tc_rows_close(&rows);
}

static void load_unlaunched(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];

	compared->unlaunched_count = tc_rows_single(compared->job.ctx, compared->job.db,
		"SELECT sum(iif(step IS NULL, value, -value)) FROM metric WHERE trace_id = ?1"
		" AND device IS NULL AND name = 'device_op_count'",
		compared->view->id);
}

static void load_left_out(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_buf *text = &compared->left_out;
	int count = 0;

	tc_left_out_append(text, compared->job.ctx, compared->job.db);
	struct tc_rows rows = tc_rows_open(compared->job.ctx, compared->job.db, tc_left_out_sql);
	for (; tc_rows_next(&rows); count++) {
		if (count >= LEFT_OUT_ROWS)
			continue;
		tc_buf_append_string(text, count == 0 ? ": " : "; ");
		tc_buf_append_text(text, tc_rows_text(&rows, 1));
	}
	if (count > LEFT_OUT_ROWS)
		tc_buf_format(text, "; and %d more (table left_out)", count - LEFT_OUT_ROWS);
}

/* After the operations. */
static void load_operators(struct tc_compare *compare)
{
	struct tc_text before = compare->sides[TC_BEFORE].view->vendor;
	struct tc_text after = compare->sides[TC_AFTER].view->vendor;
	bool vendors_differ = before.len > 0 && after.len > 0 && !tc_text_equal(before, after);

	tc_compare_rows_load(compare, TC_QUERY_OPERATORS);
	if (vendors_differ)
		tc_compare_rows_merge_groups(compare, TC_QUERY_OPERATORS);
	tc_compare_rows_load(compare, TC_QUERY_OPERATOR_SHAPES);
	tc_compare_rows_load(compare, TC_QUERY_KERNEL_SHAPES);
	tc_compare_rows_merge(compare, TC_QUERY_KERNEL_SHAPES);
	compare->by_operator =
		vendors_differ &&
		tc_compare_rows_matched_ns(&compare->rows[TC_QUERY_OPERATORS]) >
			tc_compare_rows_matched_ns(&compare->rows[TC_QUERY_OPERATIONS]);
}

/* A version as the trace says it; nothing where it does not. */
static void append_version(struct tc_buf *buf, const struct tc_compared *side, const char *key)
{
	struct tc_rows rows = TC_ROWS(side->job.ctx, side->job.db,
		"SELECT value ->> '$' FROM trace_meta WHERE trace_id = ?1 AND key = ?2"
		" AND json_type(value) NOT IN ('null', 'array', 'object')",
		side->view->id);

	tc_rows_bind_text(&rows, 2, tc_text_from(key));
	if (tc_rows_next(&rows))
		tc_buf_append_text(buf, tc_rows_text(&rows, 0));
	tc_rows_close(&rows);
}

static void load_software(struct tc_compare *compare)
{
	static const char *const all[][2] = {{"pytorch_version", "PyTorch"},
		{"cuda_driver_version", "CUDA driver"}, {"cuda_runtime_version", "CUDA runtime"},
		{"cupti_version", "CUPTI"}, {"hip_driver_version", "HIP driver"},
		{"hip_runtime_version", "HIP runtime"}, {"roctracer_version", "roctracer"}};

	for (size_t i = 0; i < TC_COUNT_OF(all); i++) {
		struct tc_buf values[TC_COMPARE_SIDES] = {TC_BUF_EMPTY, TC_BUF_EMPTY};
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			append_version(&values[side], &compare->sides[side], all[i][0]);
		struct tc_text a = tc_buf_text(&values[0]), b = tc_buf_text(&values[1]);
		if (a.len > 0 && b.len > 0 && !tc_text_equal(a, b))
			tc_buf_format(&compare->software, "%s%s %.*s before, %.*s after",
				compare->software.len > 0 ? "; " : "", all[i][1], (int)a.len, a.ptr,
				(int)b.len, b.ptr);
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			tc_buf_end(&compare->software, &values[side]);
	}
}

/* The difference of two critical paths; nothing where a side has none. */
static void load_path(struct tc_compare *compare)
{
	struct tc_compare_rows *path = &compare->rows[TC_QUERY_PATH];
	bool has[TC_COMPARE_SIDES] = {false, false};

	tc_compare_rows_load(compare, TC_QUERY_PATH);
	for (size_t i = 0; i < path->count; i++)
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			has[side] |= path->rows[i].name_count[side] > 0;
	if (!has[TC_BEFORE] || !has[TC_AFTER])
		tc_compare_rows_clear(path);
}

/* Why a heuristic did not look at a side; NULL when it did. */
static const char *reason_of(const struct tc_compared *side, const struct tc_heuristic *heuristic)
{
	const struct tc_advice *advice = side->given->advice;

	for (size_t i = 0; i < advice->account_count; i++) {
		const struct tc_account_row *row = &advice->account[i];
		bool looked = row->outcome == TC_OUTCOME_FIRED || row->outcome == TC_OUTCOME_QUIET;
		if (row->trace_id == side->view->id && row->heuristic == heuristic)
			return looked ? NULL : row->reason ? row->reason : "failed";
	}
	return "not run";
}

static enum tc_change change_kind(const struct tc_compare_advice *row)
{
	if (row->finding[TC_BEFORE] && row->finding[TC_AFTER])
		return TC_CHANGE_REMAINS;
	if (row->finding[TC_AFTER])
		return row->reason[TC_BEFORE] ? TC_CHANGE_UNKNOWN_BEFORE : TC_CHANGE_NEW;
	return row->reason[TC_AFTER] ? TC_CHANGE_UNKNOWN_AFTER : TC_CHANGE_GONE;
}

static void add_advice(struct tc_compare *compare, const struct tc_heuristic *heuristic)
{
	struct tc_compare_advice row = {.heuristic = heuristic};

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		const struct tc_compared *compared = &compare->sides[side];
		row.finding[side] =
			tc_find_finding(compared->given->advice, compared->view->id, heuristic);
		row.reason[side] = row.finding[side] ? NULL : reason_of(compared, heuristic);
	}
	if (!row.finding[TC_BEFORE] && !row.finding[TC_AFTER])
		return;
	row.change = change_kind(&row);
	TC_PUSH(compare->job->ctx, compare->advice, compare->advice_count, compare->advice_capacity,
		row);
}

static int64_t most_gain(const struct tc_compare_advice *row)
{
	int64_t most_ns = TC_GAIN_NONE;

	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		if (row->finding[side] && row->finding[side]->gain_ns > most_ns)
			most_ns = row->finding[side]->gain_ns;
	return most_ns;
}

TC_ORDER(by_kind, struct tc_compare_advice,
	TC_UP(change) TC_DOWN_OF(most_gain) TC_UP_STRING(heuristic->id));

static void load_advice(struct tc_compare *compare)
{
	const struct tc_settings *settings = compare->sides[TC_BEFORE].given->advice->made_with;
	const struct tc_heuristic *heuristic;

	for (size_t i = 0; (heuristic = tc_heuristic_at(settings, i)); i++)
		add_advice(compare, heuristic);
	TC_SORT(compare->advice, compare->advice_count, by_kind);
}

void tc_compare_load(struct tc_compare *compare)
{
	static void (*const of_side[])(struct tc_compare *, enum tc_compare_index) = {
		load_metrics, load_copies, load_kind, load_unlaunched, load_left_out};

	choose_basis(compare);
	for (size_t i = 0; i < TC_COUNT_OF(of_side); i++)
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			of_side[i](compare, (enum tc_compare_index)side);
	tc_compare_weights_load(compare);
	tc_compare_shapes_load(compare);
	tc_compare_rows_load(compare, TC_QUERY_OPERATIONS);
	tc_compare_rows_merge(compare, TC_QUERY_OPERATIONS);
	load_operators(compare);
	load_path(compare);
	load_software(compare);
	tc_compare_rows_load(compare, TC_QUERY_SLICES);
	compare->result.unlike = tc_unlike(compare);
	compare->result.is_other_work = tc_is_other_work(compare);
	load_advice(compare);
}

void tc_compare_clear(struct tc_compare *compare)
{
	for (int query = 0; query < TC_QUERY_COUNT; query++)
		tc_compare_rows_clear(&compare->rows[query]);
	tc_buf_clear(&compare->software);
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_buf_clear(&compare->sides[side].left_out);
	tc_free(compare->advice);
	compare->advice = NULL;
	compare->advice_count = compare->advice_capacity = 0;
}

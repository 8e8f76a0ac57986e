/* Reads the numbers of a comparison from both stores; see load.h. */
#include <stdlib.h>

#include "analysis/intervals.h"
#include "core/alloc.h"
#include "report/compare/load.h"
#include "report/compare/query.h"
#include "report/left_out.h"

#define LEFT_OUT_ROWS 10 /* inputs left out whose reasons are given */

static void open_query(struct tc_rows *rows, const struct tc_compare *compare,
	enum tc_compare_query query, enum tc_compare_index side)
{
	const struct tc_compared *compared = &compare->sides[side];
	struct tc_buf sql = TC_BUF_EMPTY;

	tc_compare_side_sql(&sql, compare, query, side);
	const char *string = tc_buf_string(&sql);
	if (string)
		tc_rows_open(rows, compared->job.ctx, compared->job.db, string);
	else
		*rows = (struct tc_rows){.ctx = compared->job.ctx,
			.status = tc_fail(compared->job.ctx, TC_ERR_NOMEM, "out of memory")};
	tc_buf_clear(&sql);
}

static enum tc_status load_steps(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_rows rows;

	compared->steps = (struct tc_spread){0};
	open_query(&rows, compare, TC_QUERY_STEPS, side);
	if (tc_rows_next(&rows))
		compared->steps = (struct tc_spread){tc_rows_int(&rows, 0), tc_rows_int(&rows, 1),
			tc_rows_int(&rows, 2), tc_rows_int(&rows, 3), tc_rows_int(&rows, 4),
			tc_rows_int(&rows, 5), tc_rows_int(&rows, 6)};
	compared->all_step_count = compare->by_step ? compared->view->step_count : 1;
	return tc_rows_close(&rows);
}

/* Steps where both have some with a length, else the whole. */
static enum tc_status choose_basis(struct tc_compare *compare)
{
	enum tc_status status = TC_OK;

	compare->by_step = true;
	for (int side = 0; side < TC_COMPARE_SIDES && status == TC_OK; side++)
		status = load_steps(compare, (enum tc_compare_index)side);
	if (compare->sides[TC_BEFORE].steps.sum_ns > 0 && compare->sides[TC_AFTER].steps.sum_ns > 0)
		return status;
	compare->by_step = false;
	for (int side = 0; side < TC_COMPARE_SIDES && status == TC_OK; side++) {
		status = load_steps(compare, (enum tc_compare_index)side);
		if (status == TC_OK && compare->sides[side].steps.sum_ns <= 0)
			status = tc_fail(compare->job->ctx, TC_ERR_INPUT,
				"%s: no slice in it has a duration, so there is nothing to compare",
				compare->sides[side].given->source);
	}
	return status;
}

static enum tc_status load_metrics(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_rows rows;

	open_query(&rows, compare, TC_QUERY_METRICS, side);
	while (tc_rows_next(&rows))
		tc_metrics_take(&compare->sides[side].sums, &rows, 0);
	return tc_rows_close(&rows);
}

static enum tc_status load_copies(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_rows rows;

	open_query(&rows, compare, TC_QUERY_COPIES, side);
	while (tc_rows_next(&rows)) {
		bool input = tc_text_equal(tc_rows_text(&rows, 0), TC_TEXT("input_copy"));
		struct tc_metric_cell *cell =
			input ? &compared->input_bytes : &compared->output_bytes;
		*cell = (struct tc_metric_cell){.present = true, .integer = tc_rows_int(&rows, 1)};
	}
	return tc_rows_close(&rows);
}

static enum tc_status load_kind(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_rows rows;

	tc_rows_open(&rows, compared->job.ctx, compared->job.db,
		"SELECT kind FROM run_kind WHERE trace_id = ?1");
	tc_rows_bind(&rows, 1, compared->view->id);
	compared->run_kind = TC_TEXT("");
	if (tc_rows_next(&rows) && !tc_rows_null(&rows, 0))
		compared->run_kind = tc_text_equal(tc_rows_text(&rows, 0), TC_TEXT("training"))
					     ? TC_TEXT("training")
					     : TC_TEXT("inference");
	return tc_rows_close(&rows);
}

static enum tc_status load_unlaunched(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];

	return tc_rows_single(&compared->unlaunched_count, compared->job.ctx, compared->job.db,
		"SELECT sum(iif(step IS NULL, value, -value)) FROM metric WHERE trace_id = ?1"
		" AND device IS NULL AND name = 'device_op_count'",
		compared->view->id);
}

static enum tc_status load_left_out(struct tc_compare *compare, enum tc_compare_index side)
{
	struct tc_compared *compared = &compare->sides[side];
	struct tc_buf *text = &compared->left_out;
	enum tc_status status = tc_left_out_append(text, compared->job.ctx, compared->job.db);
	struct tc_rows rows;
	int count = 0;

	if (status != TC_OK)
		return status;
	tc_rows_open(&rows, compared->job.ctx, compared->job.db, tc_left_out_sql);
	for (; tc_rows_next(&rows); count++) {
		if (count >= LEFT_OUT_ROWS)
			continue;
		tc_buf_append_string(text, count == 0 ? ": " : "; ");
		tc_buf_append_text(text, tc_rows_text(&rows, 1));
	}
	if (count > LEFT_OUT_ROWS)
		tc_buf_format(text, "; and %d more (table left_out)", count - LEFT_OUT_ROWS);
	return tc_rows_close(&rows);
}

static char *copy_text(struct tc_text text)
{
	char *copy = tc_malloc(text.len + 1);

	if (copy) {
		memcpy(copy, text.len > 0 ? text.ptr : "", text.len);
		copy[text.len] = '\0';
	}
	return copy;
}

static struct tc_compare_row *new_row(struct tc_compare_rows *list, const struct tc_rows *from)
{
	void *array = list->rows;

	if (tc_reserve(&array, &list->capacity, list->count + 1, sizeof(*list->rows)))
		return NULL;
	list->rows = array;
	struct tc_compare_row *row = &list->rows[list->count];
	*row = (struct tc_compare_row){.group = copy_text(tc_rows_text(from, 0)),
		.name = copy_text(tc_rows_text(from, 1))};
	list->count++;
	return row->group && row->name ? row : NULL;
}

static void take_side(
	struct tc_compare_row *row, const struct tc_rows *from, enum tc_compare_index side)
{
	row->count[side] = tc_rows_int(from, 2);
	row->dur_ns[side] = tc_rows_int(from, 3);
	row->sum_ns[side] = tc_rows_int(from, 4);
}

static int order_of(struct tc_text a, struct tc_text b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len > 0 ? memcmp(a.ptr, b.ptr, len) : 0;

	return order != 0 ? order : a.len < b.len ? -1 : a.len > b.len;
}

/* Which of two sorted queries is behind: below 0 the first, above 0 the second, 0 both alike. */
static int compare_heads(const struct tc_rows *rows, const bool *there)
{
	if (!there[TC_BEFORE] || !there[TC_AFTER])
		return there[TC_BEFORE] ? -1 : 1;
	int order = order_of(tc_rows_text(&rows[0], 0), tc_rows_text(&rows[1], 0));
	return order != 0 ? order : order_of(tc_rows_text(&rows[0], 1), tc_rows_text(&rows[1], 1));
}

static int64_t change_of(const struct tc_compare_row *row)
{
	return tc_magnitude_saturated(
		tc_sub_saturated(row->mean_ns[TC_AFTER], row->mean_ns[TC_BEFORE]));
}

static int by_change(const void *left, const void *right)
{
	const struct tc_compare_row *a = left, *b = right;
	int64_t x = change_of(a), y = change_of(b);
	int order = strcmp(a->group, b->group);

	if (x != y)
		return x > y ? -1 : 1;
	return order != 0 ? order : strcmp(a->name, b->name);
}

/* Joins the rows of both sides, which come by group and name. */
static enum tc_status join_rows(
	struct tc_compare *compare, struct tc_compare_rows *list, struct tc_rows *rows)
{
	bool there[TC_COMPARE_SIDES] = {tc_rows_next(&rows[0]), tc_rows_next(&rows[1])};

	while (there[TC_BEFORE] || there[TC_AFTER]) {
		int order = compare_heads(rows, there);
		struct tc_compare_row *row = new_row(list, &rows[order > 0]);
		if (!row)
			return tc_fail(compare->job->ctx, TC_ERR_NOMEM, "out of memory");
		for (int side = 0; side < TC_COMPARE_SIDES; side++) {
			if (order != 0 && (order > 0) != side)
				continue;
			take_side(row, &rows[side], (enum tc_compare_index)side);
			row->mean_ns[side] = tc_compare_mean(
				row->sum_ns[side], compare->sides[side].all_step_count);
			there[side] = tc_rows_next(&rows[side]);
		}
	}
	return TC_OK;
}

static enum tc_status load_rows(
	struct tc_compare *compare, struct tc_compare_rows *list, enum tc_compare_query query)
{
	struct tc_rows rows[TC_COMPARE_SIDES];

	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		open_query(&rows[side], compare, query, (enum tc_compare_index)side);
	enum tc_status status = join_rows(compare, list, rows);
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		enum tc_status closed = tc_rows_close(&rows[side]);
		status = status == TC_OK ? closed : status;
	}
	if (status == TC_OK && list->count > 0)
		qsort(list->rows, list->count, sizeof(*list->rows), by_change);
	return status;
}

static const struct tc_finding *finding_of(
	const struct tc_compared *side, const struct tc_heuristic *heuristic)
{
	const struct tc_advice *advice = side->given->advice;

	for (size_t i = 0; i < advice->finding_count; i++)
		if (advice->findings[i].trace_id == side->view->id &&
			advice->findings[i].heuristic == heuristic)
			return &advice->findings[i];
	return NULL;
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

static enum tc_status add_advice(struct tc_compare *compare, const struct tc_heuristic *heuristic)
{
	struct tc_compare_advice row = {.heuristic = heuristic};
	void *array = compare->advice;

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		row.finding[side] = finding_of(&compare->sides[side], heuristic);
		row.reason[side] =
			row.finding[side] ? NULL : reason_of(&compare->sides[side], heuristic);
	}
	if (!row.finding[TC_BEFORE] && !row.finding[TC_AFTER])
		return TC_OK;
	if (tc_reserve(&array, &compare->advice_capacity, compare->advice_count + 1,
		    sizeof(*compare->advice)))
		return tc_fail(compare->job->ctx, TC_ERR_NOMEM, "out of memory");
	compare->advice = array;
	row.change = change_kind(&row);
	compare->advice[compare->advice_count++] = row;
	return TC_OK;
}

static int64_t most_gain(const struct tc_compare_advice *row)
{
	int64_t most_ns = TC_GAIN_NONE;

	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		if (row->finding[side] && row->finding[side]->gain_ns > most_ns)
			most_ns = row->finding[side]->gain_ns;
	return most_ns;
}

static int by_kind(const void *left, const void *right)
{
	const struct tc_compare_advice *a = left, *b = right;
	int64_t x = most_gain(a), y = most_gain(b);

	if (a->change != b->change)
		return a->change < b->change ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->heuristic->id, b->heuristic->id);
}

static enum tc_status load_advice(struct tc_compare *compare)
{
	const struct tc_settings *settings = compare->sides[TC_BEFORE].given->advice->made_with;
	const struct tc_heuristic *heuristic;
	enum tc_status status = TC_OK;

	for (size_t i = 0; status == TC_OK && (heuristic = tc_heuristic_at(settings, i)); i++)
		status = add_advice(compare, heuristic);
	if (compare->advice_count > 0)
		qsort(compare->advice, compare->advice_count, sizeof(*compare->advice), by_kind);
	return status;
}

enum tc_status tc_compare_load(struct tc_compare *compare)
{
	static enum tc_status (*const of_side[])(struct tc_compare *, enum tc_compare_index) = {
		load_metrics, load_copies, load_kind, load_unlaunched, load_left_out};
	enum tc_status status = choose_basis(compare);

	for (size_t i = 0; i < sizeof(of_side) / sizeof(of_side[0]); i++)
		for (int side = 0; side < TC_COMPARE_SIDES && status == TC_OK; side++)
			status = of_side[i](compare, (enum tc_compare_index)side);
	if (status == TC_OK)
		status = load_rows(compare, &compare->operations, TC_QUERY_OPERATIONS);
	if (status == TC_OK)
		status = load_rows(compare, &compare->slices, TC_QUERY_SLICES);
	return status == TC_OK ? load_advice(compare) : status;
}

static void clear_rows(struct tc_compare_rows *list)
{
	for (size_t i = 0; i < list->count; i++) {
		tc_free(list->rows[i].group);
		tc_free(list->rows[i].name);
	}
	tc_free(list->rows);
	*list = (struct tc_compare_rows){0};
}

void tc_compare_clear(struct tc_compare *compare)
{
	clear_rows(&compare->operations);
	clear_rows(&compare->slices);
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		tc_buf_clear(&compare->sides[side].left_out);
	tc_free(compare->advice);
	compare->advice = NULL;
	compare->advice_count = compare->advice_capacity = 0;
}

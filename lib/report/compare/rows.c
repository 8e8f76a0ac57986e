/* See rows.h. */
#include "report/compare/rows.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "report/compare/query.h"

static struct tc_compare_row *new_row(struct tc_compare_rows *list, const struct tc_rows *from)
{
	if (!TC_GROW(list->rows, list->capacity, list->count + 1))
		return NULL;
	struct tc_compare_row *row = &list->rows[list->count];
	*row = (struct tc_compare_row){.group = tc_text_dup(tc_rows_text(from, 0)),
		.name = tc_text_dup(tc_rows_text(from, 1))};
	list->count++;
	return row->group && row->name ? row : NULL;
}

static void take_side(
	struct tc_compare_row *row, const struct tc_rows *from, enum tc_compare_index side)
{
	row->name_count[side] = 1;
	row->count[side] = tc_rows_int(from, 2);
	row->dur_ns[side] = tc_rows_int(from, 3);
	row->sum_ns[side] = tc_rows_int(from, 4);
}

/* Compares two sorted queries: below 0 the first is behind, above 0 the second, 0 they are
 * equal. */
static int compare_heads(const struct tc_rows *rows, const bool *there)
{
	if (!there[TC_BEFORE] || !there[TC_AFTER])
		return there[TC_BEFORE] ? -1 : 1;
	int order = tc_text_order(tc_rows_text(&rows[0], 0), tc_rows_text(&rows[1], 0));
	return order != 0 ? order
			  : tc_text_order(tc_rows_text(&rows[0], 1), tc_rows_text(&rows[1], 1));
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
			return tc_no_memory(compare->job->ctx);
		for (int side = 0; side < TC_COMPARE_SIDES; side++) {
			if (order != 0 && (order > 0) != side)
				continue;
			take_side(row, &rows[side], (enum tc_compare_index)side);
			row->mean_ns[side] = tc_compare_mean(
				row->sum_ns[side], tc_compare_all_units(&compare->sides[side]));
			there[side] = tc_rows_next(&rows[side]);
		}
	}
	return TC_OK;
}

enum tc_status tc_compare_rows_take(
	struct tc_compare_rows *list, struct tc_compare *compare, struct tc_rows *rows)
{
	enum tc_status status = tc_compare_close(rows, join_rows(compare, list, rows));

	if (status == TC_OK && list->count > 0)
		qsort(list->rows, list->count, sizeof(*list->rows), by_change);
	return status;
}

/* A row that only one side has, with the short name that it may share with others. */
struct lone {
	struct tc_compare_row *row;
	char *brief;
};

static int by_brief(const void *left, const void *right)
{
	const struct lone *a = left, *b = right;
	int order = strcmp(a->row->group, b->row->group);

	order = order != 0 ? order : strcmp(a->brief, b->brief);
	return order != 0 ? order : strcmp(a->row->name, b->row->name);
}

static bool is_alike(const struct lone *a, const struct lone *b)
{
	return strcmp(a->row->group, b->row->group) == 0 && strcmp(a->brief, b->brief) == 0;
}

static bool is_lone(const struct tc_compare_row *row)
{
	return (row->name_count[TC_BEFORE] == 0) != (row->name_count[TC_AFTER] == 0);
}

static void clear_lone(struct lone *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tc_free(all[i].brief);
	tc_free(all);
}

/* Adds a row to another and empties it. */
static void add_row(struct tc_compare_row *sum, struct tc_compare_row *row)
{
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		sum->name_count[side] += row->name_count[side];
		sum->count[side] = tc_add_saturated(sum->count[side], row->count[side]);
		sum->dur_ns[side] = tc_add_saturated(sum->dur_ns[side], row->dur_ns[side]);
		sum->sum_ns[side] = tc_add_saturated(sum->sum_ns[side], row->sum_ns[side]);
		row->name_count[side] = 0;
	}
}

static void merge_run(struct lone *run, size_t count, const struct tc_compare *compare)
{
	struct tc_compare_row *sum = run[0].row;
	bool has[TC_COMPARE_SIDES] = {false, false};

	for (size_t i = 0; i < count; i++)
		has[run[i].row->name_count[TC_AFTER] > 0] = true;
	if (!has[TC_BEFORE] || !has[TC_AFTER])
		return;
	for (size_t i = 1; i < count; i++)
		add_row(sum, run[i].row);
	for (int side = 0; side < TC_COMPARE_SIDES; side++)
		sum->mean_ns[side] = tc_compare_mean(
			sum->sum_ns[side], tc_compare_all_units(&compare->sides[side]));
	tc_free(sum->name);
	sum->name = run[0].brief;
	run[0].brief = NULL;
}

/* Removes the rows that were added to others. */
static void drop_empty(struct tc_compare_rows *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct tc_compare_row row = list->rows[i];
		if (row.name_count[TC_BEFORE] + row.name_count[TC_AFTER] > 0) {
			list->rows[kept++] = row;
			continue;
		}
		tc_free(row.group);
		tc_free(row.name);
	}
	list->count = kept;
}

/* The key by which rows are joined; the caller frees it. */
typedef char *(*brief_fn)(const struct tc_compare_row *row);

static char *short_name(const struct tc_compare_row *row)
{
	struct tc_buf brief = TC_BUF_EMPTY;

	tc_names_append(NULL, &brief, tc_text_from(row->name));
	return tc_buf_take_string(&brief);
}

static char *group_or_name(const struct tc_compare_row *row)
{
	return tc_text_dup(tc_text_from(row->group[0] ? row->group : row->name));
}

/* *all is the caller's to clear, also when it failed. */
static enum tc_status find_lone(struct lone **all, size_t *count, struct tc_compare_rows *list,
	struct tc_ctx *ctx, brief_fn brief_of)
{
	*count = 0;
	*all = tc_calloc(list->count + 1, sizeof(**all));
	if (!*all)
		return tc_no_memory(ctx);
	for (size_t i = 0; i < list->count; i++) {
		struct tc_compare_row *row = &list->rows[i];
		if (!is_lone(row))
			continue;
		char *brief = brief_of(row);
		if (!brief)
			return tc_no_memory(ctx);
		(*all)[(*count)++] = (struct lone){row, brief};
	}
	return TC_OK;
}

static enum tc_status merge(
	struct tc_compare_rows *list, struct tc_compare *compare, brief_fn brief_of)
{
	struct lone *all;
	size_t count;
	enum tc_status status = find_lone(&all, &count, list, compare->job->ctx, brief_of);

	if (status == TC_OK && count > 0) {
		qsort(all, count, sizeof(*all), by_brief);
		for (size_t from = 0, to; from < count; from = to) {
			for (to = from + 1; to < count && is_alike(&all[from], &all[to]); to++)
				;
			merge_run(all + from, to - from, compare);
		}
		drop_empty(list);
		qsort(list->rows, list->count, sizeof(*list->rows), by_change);
	}
	clear_lone(all, count);
	return status;
}

enum tc_status tc_compare_rows_merge(struct tc_compare_rows *list, struct tc_compare *compare)
{
	return merge(list, compare, short_name);
}

enum tc_status tc_compare_rows_merge_groups(
	struct tc_compare_rows *list, struct tc_compare *compare)
{
	return merge(list, compare, group_or_name);
}

int64_t tc_compare_rows_matched_ns(const struct tc_compare_rows *list)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct tc_compare_row *row = &list->rows[i];
		if (row->name_count[TC_BEFORE] == 0 || row->name_count[TC_AFTER] == 0)
			continue;
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			sum_ns = tc_add_saturated(sum_ns, row->dur_ns[side]);
	}
	return sum_ns;
}

void tc_compare_rows_clear(struct tc_compare_rows *list)
{
	for (size_t i = 0; i < list->count; i++) {
		tc_free(list->rows[i].group);
		tc_free(list->rows[i].name);
	}
	tc_free(list->rows);
	*list = (struct tc_compare_rows){0};
}

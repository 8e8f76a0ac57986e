#include "report/compare/parts.h"

#include "core/alloc.h"
#include "core/array.h"

/* A row with the names of one side, which has it, and the numbers of both. */
static void add_pair(struct tc_compare_rows *list, const struct tc_compare *compare,
	const struct tc_pairs *pairs)
{
	const struct tc_rows *from = &pairs->rows[!pairs->has[TC_BEFORE]];
	struct tc_compare_row row = {.group = tc_text_dup(tc_rows_text(from, 0)),
		.name = tc_text_dup(tc_rows_text(from, 1))};

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		if (!pairs->has[side])
			continue;
		row.name_count[side] = 1;
		row.count[side] = tc_rows_int(&pairs->rows[side], 2);
		row.dur_ns[side] = tc_rows_int(&pairs->rows[side], 3);
		row.sum_ns[side] = tc_rows_int(&pairs->rows[side], 4);
		row.mean_ns[side] = tc_compare_mean(
			row.sum_ns[side], tc_compare_all_units(&compare->sides[side]));
	}
	if (row.group && row.name &&
		TC_PUSH(compare->job->ctx, list->rows, list->count, list->capacity, row))
		return;
	tc_no_memory(compare->job->ctx);
	tc_free(row.group);
	tc_free(row.name);
}

static int64_t change_of(const struct tc_compare_row *row)
{
	return tc_magnitude_saturated(
		tc_sub_saturated(row->mean_ns[TC_AFTER], row->mean_ns[TC_BEFORE]));
}

TC_ORDER(by_change, struct tc_compare_row,
	TC_DOWN_OF(change_of) TC_UP_STRING(group) TC_UP_STRING(name));

void tc_compare_rows_load(struct tc_compare *compare, enum tc_compare_query query)
{
	struct tc_compare_rows *list = &compare->rows[query];
	struct tc_pairs pairs;

	tc_pairs_open(&pairs, compare, query, 2);
	while (tc_pairs_next(&pairs))
		add_pair(list, compare, &pairs);
	TC_SORT(list->rows, list->count, by_change);
}

/* A row that only one side has, with the short name that it may share with others. */
struct lone {
	struct tc_compare_row *row;
	char *brief;
};

TC_ORDER(by_brief, struct lone,
	TC_UP_STRING(row->group) TC_UP_STRING(brief) TC_UP_STRING(row->name));

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

/* The rows that only one side has; NULL when memory is out. The caller clears them. */
static struct lone *find_lone(
	size_t *count, struct tc_compare_rows *list, struct tc_ctx *ctx, brief_fn brief_of)
{
	struct lone *all = tc_calloc(list->count + 1, sizeof(*all));
	bool good = all != NULL;

	*count = 0;
	for (size_t i = 0; i < list->count && good; i++) {
		if (!is_lone(&list->rows[i]))
			continue;
		all[*count] = (struct lone){&list->rows[i], brief_of(&list->rows[i])};
		good = all[(*count)++].brief != NULL;
	}
	if (good)
		return all;
	tc_no_memory(ctx);
	clear_lone(all, *count);
	return NULL;
}

static void merge(struct tc_compare *compare, enum tc_compare_query query, brief_fn brief_of)
{
	struct tc_compare_rows *list = &compare->rows[query];
	size_t count;
	struct lone *all = find_lone(&count, list, compare->job->ctx, brief_of);

	if (all && count > 0) {
		TC_SORT(all, count, by_brief);
		for (size_t from = 0, to; from < count; from = to) {
			for (to = from + 1; to < count && is_alike(&all[from], &all[to]); to++)
				;
			merge_run(all + from, to - from, compare);
		}
		drop_empty(list);
		TC_SORT(list->rows, list->count, by_change);
	}
	if (all)
		clear_lone(all, count);
}

void tc_compare_rows_merge(struct tc_compare *compare, enum tc_compare_query query)
{
	merge(compare, query, short_name);
}

void tc_compare_rows_merge_groups(struct tc_compare *compare, enum tc_compare_query query)
{
	merge(compare, query, group_or_name);
}

int64_t tc_compare_rows_matched_ns(const struct tc_compare_rows *list)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct tc_compare_row *row = &list->rows[i];
		if (row->name_count[TC_BEFORE] == 0 || row->name_count[TC_AFTER] == 0)
			continue;
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			sum_ns = tc_add_saturated(sum_ns, row->sum_ns[side]);
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

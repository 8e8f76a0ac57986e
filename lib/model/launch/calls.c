/*
 * Calls of runtimes without correlation ids; see calls.h. Such a runtime shows one launch as several
 * calls within each other. Those of one class count; the call that enqueues knows the recipe, and
 * lends it to the call around it.
 */
#include "model/launch/calls.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/limits.h"
#include "model/state.h"

enum { SORT_BYTES = 2 * 1024 * 1024 };

static int compare_calls(const void *a, const void *b)
{
	const struct tc_call *x = a, *y = b;

	if (x->call_class != y->call_class)
		return x->call_class < y->call_class ? -1 : 1;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->slice_id < y->slice_id ? -1 : x->slice_id > y->slice_id;
}

enum tc_status tc_calls_add(
	struct tc_model *model, const struct tc_span *span, enum tc_call_class call_class)
{
	struct tc_call call = {span->ts_ns, span->ts_ns + (span->dur_ns < 0 ? 0 : span->dur_ns),
		span->slice_id, span->recipe, call_class};
	enum tc_status status = TC_OK;

	if (!model->recipe_calls)
		status = tc_sorter_new(
			&model->recipe_calls, model->ctx, sizeof(call), SORT_BYTES, compare_calls);
	return status ? status : tc_sorter_add(model->recipe_calls, &call);
}

static enum tc_status keep_call(struct tc_calls *calls, struct tc_model *model,
	struct tc_call_list *list, const struct tc_call *call)
{
	void *rows = list->rows;

	if (list->count >= TC_CALL_MAX_COUNT) {
		calls->over_count++;
		return TC_OK;
	}
	if (tc_reserve(&rows, &list->capacity, list->count + 1, sizeof(*call)))
		return tc_model_no_memory(model);
	list->rows = rows;
	list->rows[list->count++] = *call;
	return TC_OK;
}

size_t tc_calls_until(const struct tc_call_list *list, int64_t ts_ns)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list->rows[middle].ts_ns <= ts_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first class from first to before last with a call, last - 1 when none has any. */
static uint32_t class_with_calls(const int64_t *counts, uint32_t first, uint32_t last)
{
	while (first + 1 < last && counts[first] == 0)
		first++;
	return first;
}

/* The call that is open when an enqueue begins, NULL without one. */
static struct tc_call *call_around(
	const struct tc_call_list *list, size_t count, const struct tc_call *enqueue)
{
	const struct tc_call_list first = {list->rows, count, count};
	size_t until = tc_calls_until(&first, enqueue->ts_ns);

	return until > 0 && enqueue->ts_ns <= list->rows[until - 1].end_ns ? &list->rows[until - 1]
									   : NULL;
}

/* How enqueue calls belong to the calls that launch. */
struct lending {
	size_t call_count;
	bool is_one_each;            /* their order tells, on whatever thread they are */
	size_t number, around_count; /* of enqueues: all, and those within a call */
};

static void lend(struct tc_call_list *list, struct lending *lending, const struct tc_call *enqueue)
{
	struct tc_call *around = call_around(list, lending->call_count, enqueue);
	size_t number = lending->number++;

	lending->around_count += around != NULL;
	if (lending->is_one_each)
		around = number < lending->call_count ? &list->rows[number] : NULL;
	if (around && around->recipe == TC_STRTAB_NONE)
		around->recipe = enqueue->recipe;
}

/* Enqueue calls know the recipe, and lend it. Where they lie within launch calls but for some, these
 * stand for launch calls that are lost. */
static enum tc_status lend_recipes(struct tc_calls *calls, struct tc_model *model, bool is_one_each)
{
	struct tc_call_list *list = &calls->launches;
	struct lending lending = {.call_count = list->count, .is_one_each = is_one_each};
	const void *record = NULL;
	enum tc_status status = tc_sorter_rewind(model->recipe_calls);

	while (!status && !(status = tc_sorter_next(model->recipe_calls, &record)) && record)
		if (((const struct tc_call *)record)->call_class == TC_CALL_ENQUEUE)
			lend(list, &lending, record);
	if (!status && !is_one_each && 2 * lending.around_count >= lending.number)
		status = tc_sorter_rewind(model->recipe_calls);
	else
		return status;
	while (!status && !(status = tc_sorter_next(model->recipe_calls, &record)) && record) {
		const struct tc_call *call = record;
		if (call->call_class == TC_CALL_ENQUEUE &&
			!call_around(list, lending.call_count, call))
			status = keep_call(calls, model, list, call);
	}
	for (size_t i = 0; i < list->count; i++)
		list->rows[i].call_class = TC_CALL_NONE + 1; /* they count alike */
	if (list->count > 0)
		qsort(list->rows, list->count, sizeof(*list->rows), compare_calls);
	return status;
}

enum tc_status tc_calls_load(struct tc_calls *calls, struct tc_model *model)
{
	int64_t counts[TC_CALL_COUNT] = {0};
	const void *record = NULL;
	struct tc_sorter *sorter = model->recipe_calls;
	enum tc_status status = sorter ? tc_sorter_rewind(sorter) : TC_OK;

	if (!sorter)
		return TC_OK;
	while (!status && !(status = tc_sorter_next(sorter, &record)) && record)
		counts[((const struct tc_call *)record)->call_class]++;
	uint32_t launching = class_with_calls(counts, TC_CALL_NONE + 1, TC_CALL_SYN_COPY);
	uint32_t copying = class_with_calls(counts, TC_CALL_SYN_COPY, TC_CALL_COUNT);
	if (!status)
		status = tc_sorter_rewind(sorter);
	while (!status && !(status = tc_sorter_next(sorter, &record)) && record) {
		const struct tc_call *call = record;
		if (call->call_class == launching)
			status = keep_call(calls, model, &calls->launches, call);
		else if (call->call_class == copying)
			status = keep_call(calls, model, &calls->copies, call);
	}
	if (!status && launching != TC_CALL_ENQUEUE && counts[TC_CALL_ENQUEUE] > 0)
		status = lend_recipes(calls, model, counts[TC_CALL_ENQUEUE] == counts[launching]);
	return status;
}

void tc_calls_clear(struct tc_calls *calls)
{
	tc_free(calls->launches.rows);
	tc_free(calls->copies.rows);
}

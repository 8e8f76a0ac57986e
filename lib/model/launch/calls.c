/*
 * Calls of runtimes without correlation ids; see calls.h. Such a runtime records one launch as
 * several nested calls. Calls of one class count as launches. The recipe is known to the call that
 * enqueues, which passes it to the call around it.
 */
#include "model/launch/calls.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"

enum { SORT_BYTES = 2 * 1024 * 1024 };

TC_ORDER(compare_calls, struct tc_call, TC_UP(call_class) TC_UP(ts_ns) TC_UP(slice_id));

enum tc_status tc_calls_add(struct tc_sorter **all, struct tc_ctx *ctx, const struct tc_span *span,
	enum tc_call_class call_class)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct tc_call), SORT_BYTES, compare_calls};
	struct tc_call call = {
		span->ts_ns, tc_span_known_end_ns(span), span->slice_id, span->recipe, call_class};

	return tc_sorter_put(all, ctx, &layout, &call);
}

static enum tc_status keep_call(struct tc_calls *calls, struct tc_ctx *ctx,
	struct tc_call_list *list, const struct tc_call *call)
{
	if (list->count >= TC_CALL_MAX_COUNT) {
		calls->over_count++;
		return TC_OK;
	}
	if (!TC_GROW(list->rows, list->capacity, list->count + 1))
		return tc_no_memory(ctx);
	list->rows[list->count++] = *call;
	return TC_OK;
}

size_t tc_calls_until(const struct tc_call_list *list, int64_t ts_ns)
{
	size_t at;

	TC_BISECT(at, list->count, list->rows[at].ts_ns <= ts_ns);
	return at;
}

/* The first class of [first, last) that has calls; last - 1 when none has any. */
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

/* The state of the walks over all calls. */
struct walk {
	struct tc_calls *calls;
	struct tc_ctx *ctx;
	int64_t counts[TC_CALL_COUNT];
	uint32_t launching, copying; /* the classes that count as launches and as copies */
	/* Of enqueue calls: */
	size_t call_count;   /* launch calls that may get a recipe from them */
	size_t around_count; /* that lie within a launch call */
	bool is_one_each;    /* each belongs to the launch call of its number, on any thread */
	size_t number;       /* of those so far */
};

static enum tc_status count_call(void *user, const void *record)
{
	struct walk *walk = user;

	walk->counts[((const struct tc_call *)record)->call_class]++;
	return TC_OK;
}

static enum tc_status keep_call_of_class(void *user, const void *record)
{
	struct walk *walk = user;
	struct tc_calls *calls = walk->calls;
	const struct tc_call *call = record;

	if (call->call_class == walk->launching)
		return keep_call(calls, walk->ctx, &calls->launches, call);
	if (call->call_class == walk->copying)
		return keep_call(calls, walk->ctx, &calls->copies, call);
	return TC_OK;
}

static enum tc_status count_around(void *user, const void *record)
{
	struct walk *walk = user;
	const struct tc_call *call = record;

	if (call->call_class == TC_CALL_ENQUEUE)
		walk->around_count +=
			call_around(&walk->calls->launches, walk->call_count, call) != NULL;
	return TC_OK;
}

/* Gives the recipe of an enqueue call to its launch call. */
static enum tc_status set_recipe(void *user, const void *record)
{
	struct walk *walk = user;
	struct tc_call_list *list = &walk->calls->launches;
	const struct tc_call *enqueue = record;

	if (enqueue->call_class != TC_CALL_ENQUEUE)
		return TC_OK;
	size_t number = walk->number++;
	struct tc_call *around = call_around(list, walk->call_count, enqueue);
	if (walk->is_one_each)
		around = number < walk->call_count ? &list->rows[number] : NULL;
	if (around && around->recipe == TC_STRTAB_NONE)
		around->recipe = enqueue->recipe;
	return TC_OK;
}

static enum tc_status keep_enqueue_outside(void *user, const void *record)
{
	struct walk *walk = user;
	struct tc_call_list *list = &walk->calls->launches;
	const struct tc_call *call = record;

	return call->call_class == TC_CALL_ENQUEUE && !call_around(list, walk->call_count, call)
		       ? keep_call(walk->calls, walk->ctx, list, call)
		       : TC_OK;
}

/* Enqueue calls know the recipe of the launch call around them. Where most of them lie within launch
 * calls, the others take the place of launch calls that are lost. Elsewhere their numbers may tell, but
 * equal numbers alone do not: one of each may be lost. */
static enum tc_status read_enqueues(struct walk *walk, struct tc_sorter *all)
{
	struct tc_call_list *list = &walk->calls->launches;
	int64_t count = walk->counts[TC_CALL_ENQUEUE];

	walk->call_count = list->count;
	enum tc_status status = tc_sorter_each(all, count_around, walk);
	bool are_around = 2 * (int64_t)walk->around_count >= count;
	walk->is_one_each = !are_around && count == walk->counts[walk->launching];
	if (!status)
		status = tc_sorter_each(all, set_recipe, walk);
	if (status || !are_around)
		return status;
	status = tc_sorter_each(all, keep_enqueue_outside, walk);
	for (size_t i = 0; i < list->count; i++)
		list->rows[i].call_class = TC_CALL_NONE + 1; /* one class, for sorting by time */
	if (list->count > 0)
		qsort(list->rows, list->count, sizeof(*list->rows), compare_calls);
	return status;
}

enum tc_status tc_calls_load(struct tc_calls *calls, struct tc_sorter *all, struct tc_ctx *ctx)
{
	struct walk walk = {.calls = calls, .ctx = ctx};
	enum tc_status status = tc_sorter_each(all, count_call, &walk);

	walk.launching = class_with_calls(walk.counts, TC_CALL_NONE + 1, TC_CALL_SYN_COPY);
	walk.copying = class_with_calls(walk.counts, TC_CALL_SYN_COPY, TC_CALL_COUNT);
	if (!status)
		status = tc_sorter_each(all, keep_call_of_class, &walk);
	if (!status && walk.launching != TC_CALL_ENQUEUE && walk.counts[TC_CALL_ENQUEUE] > 0)
		status = read_enqueues(&walk, all);
	return status;
}

void tc_calls_clear(struct tc_calls *calls)
{
	tc_free(calls->launches.rows);
	tc_free(calls->copies.rows);
}

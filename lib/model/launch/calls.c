/*
 * Calls of runtimes without correlation ids; see calls.h. Such a runtime records one launch as
 * several nested calls, or as calls of threads that hand it on. Calls of one class count as
 * launches. The recipe is known to the call that enqueues, which passes it to the call around it.
 */
#include "model/launch/calls.h"

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
	int64_t end_ns = tc_span_known_end_ns(span);
	struct tc_call call = {.ts_ns = span->ts_ns,
		.done_ns = end_ns,
		.begin_ns = span->ts_ns,
		.end_ns = end_ns,
		.slice_id = span->slice_id,
		.label = span->label,
		.recipe = span->recipe,
		.call_class = call_class};

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
	size_t call_count;            /* launch calls that may get a recipe from them */
	size_t number;                /* of those seen so far */
	const struct tc_call *latest; /* launch call that holds one of them */
	int64_t held_count;           /* launch calls that hold one */
	int64_t own_count;            /* that lie within the launch call of their number */
	bool is_late;                 /* each begins after the launch call of its number */
	bool is_one_each; /* each belongs to the launch call of its number, on any thread */
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

/* The launch call of the enqueue call's own number, NULL without one. */
static struct tc_call *call_of_number(const struct walk *walk, size_t number)
{
	return number < walk->call_count ? &walk->calls->launches.rows[number] : NULL;
}

static enum tc_status compare_enqueue(void *user, const void *record)
{
	struct walk *walk = user;
	const struct tc_call *enqueue = record;

	if (enqueue->call_class != TC_CALL_ENQUEUE)
		return TC_OK;
	const struct tc_call *around =
		call_around(&walk->calls->launches, walk->call_count, enqueue);
	const struct tc_call *own = call_of_number(walk, walk->number++);
	walk->held_count += around && around != walk->latest;
	walk->latest = around ? around : walk->latest;
	walk->is_late &= own && own->ts_ns <= enqueue->ts_ns;
	walk->own_count += own && own->ts_ns <= enqueue->ts_ns && enqueue->ts_ns <= own->end_ns;
	return TC_OK;
}

/* Gives the recipe of an enqueue call to its launch call, and its time if another thread makes
 * it. */
static enum tc_status set_recipe(void *user, const void *record)
{
	struct walk *walk = user;
	struct tc_call_list *list = &walk->calls->launches;
	const struct tc_call *enqueue = record;

	if (enqueue->call_class != TC_CALL_ENQUEUE)
		return TC_OK;
	struct tc_call *call = walk->is_one_each ? call_of_number(walk, walk->number++)
						 : call_around(list, walk->call_count, enqueue);
	if (call && walk->is_one_each) {
		call->ts_ns = enqueue->ts_ns;
		call->done_ns = enqueue->end_ns;
	}
	if (call && call->recipe == TC_STRTAB_NONE)
		call->recipe = enqueue->recipe;
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

/* How many enqueue or launch calls may be lost, one in so many. Our default, no published source.
 */
enum { LOST_SHARE = 8 };

/* True when the launch calls hold the enqueue calls, of which some, and one more, may be lost. By
 * chance they hold up to two thirds. */
static bool are_held(const struct walk *walk, int64_t pair_count)
{
	return LOST_SHARE * (pair_count - walk->held_count - 1) <= pair_count;
}

/* True when each enqueue call belongs to the launch call of its number, which handed the recipe
 * over to another thread. It has to begin after that one, and most lie outside it; nearly all where
 * the launch calls hold the enqueue calls, because one of each may be lost there. */
static bool are_handed_over(const struct walk *walk, int64_t count, int64_t call_count)
{
	int64_t least_share = are_held(walk, count) ? LOST_SHARE : 2;

	return count == call_count && walk->is_late && least_share * walk->own_count < count;
}

/*
 * An enqueue call is made by the launch call around it, or by another thread after the launch call
 * handed the recipe over. Then it overlaps with other launch calls by chance, however many, and
 * belongs to the one of its number. Numbers only tell where both are equally often.
 *
 * Where the launch calls hold the enqueue calls, one outside takes the place of a launch call that
 * is lost. Elsewhere it is no launch of its own: its launch call counts already.
 */
static enum tc_status read_enqueues(struct walk *walk, struct tc_sorter *all)
{
	struct tc_call_list *list = &walk->calls->launches;
	int64_t count = walk->counts[TC_CALL_ENQUEUE], call_count = walk->counts[walk->launching];

	walk->call_count = list->count;
	walk->is_late = true;
	enum tc_status status = tc_sorter_each(all, compare_enqueue, walk);
	walk->is_one_each = are_handed_over(walk, count, call_count);
	bool are_around =
		!walk->is_one_each && are_held(walk, count < call_count ? count : call_count);
	walk->number = 0;
	if (!status && (walk->is_one_each || are_around))
		status = tc_sorter_each(all, set_recipe, walk);
	if (status || !are_around)
		return status;
	status = tc_sorter_each(all, keep_enqueue_outside, walk);
	for (size_t i = 0; i < list->count; i++)
		list->rows[i].call_class = TC_CALL_NONE + 1; /* one class, for sorting by time */
	TC_SORT(list->rows, list->count, compare_calls);
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

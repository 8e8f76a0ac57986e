/*
 * Launch matching: which call launched which device work, on runtimes without correlation ids.
 *
 * Launch calls of the runtime and executions of the device are both first in, first out: work is
 * cut into executions (executions.c), which are aligned with the calls. DMA work that names a
 * recipe is part of one of its executions.
 *
 * An execution whose call is lost has no launch, and belongs to the step of the call before. Copies
 * without a recipe are inputs and outputs; they belong to the latest copy call before them, or to
 * the operation of the framework that is open then.
 *
 * Collectives on network ports are aligned with the calls for them in the same way: those of HCCL,
 * or else of the bridge, or else of the framework. A collective waits for the work that was
 * launched before its call, which tells where the recording lacks the last ones. Without any such
 * calls it belongs to the step of the work before it.
 *
 * The last execution belongs to the last call that begins before it, the one before it to the call
 * before, and so on. Executions without a call at the front were launched before the recording:
 *
 *   calls         1     2     3
 *   executions  A    B     C     D     is 3 -> D, 2 -> C, 1 -> B, and A was launched before
 *
 * Where slices are lost, a call or an execution has no partner. The cheapest alignment is chosen:
 * every call or execution without a partner costs, and so does a call that waits while the device
 * idles. A call that begins after an execution, or names another recipe, cannot be its call. The
 * search goes back in time. It keeps the costs for BAND numbers of calls that are left, near the
 * best one.
 */
#include "model/launch/matching.h"

#include "core/alloc.h"
#include "core/limits.h"
#include "core/saturate.h"

/* In place of the number of a call. */
enum {
	CALL_BEFORE = -1, /* it was made before the recording */
	CALL_LOST = -2,   /* or less: it is lost; CALL_LOST - n, where n is the number of the
				call before */
};

/* Work of the device at hand, and the calls that launch it, both in their order. */
struct queue {
	struct tc_call_list calls; /* of the first class there is */
	struct tc_executions executions;
	int32_t *found; /* by execution the number of its call, or CALL_BEFORE or less */
};

struct tc_matcher {
	struct tc_timeline *timeline; /* borrowed */
	struct queue recipes, collectives;
	struct tc_call_list copies; /* calls that copy, of the first class there is */
	bool has_unshown_copies;    /* copies of theirs that no bridge tells the direction of */
	int64_t over_count;         /* calls and runs beyond their limits */
	int64_t work_step_ns; /* a time of the step of the execution at hand; INT64_MIN: none yet */
};

/*
 * ---- calls
 *
 * Such a runtime records one launch as several nested calls, or as calls of threads that hand it
 * on. Calls of one class count as launches. The recipe is known to the call that enqueues, which
 * passes it to the call around it.
 */

enum { SORT_BYTES = 2 * 1024 * 1024 };

TC_ORDER(compare_calls, struct tc_call, TC_UP(call_class) TC_UP(ts_ns) TC_UP(slice_id));

void tc_matcher_add_call(struct tc_sorter **calls, struct tc_ctx *ctx, const struct tc_span *span,
	enum tc_call_class call_class)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct tc_call), SORT_BYTES, compare_calls};
	int64_t end_ns = tc_span_known_end_ns(span);
	const struct tc_call call = {.ts_ns = span->ts_ns,
		.done_ns = end_ns,
		.begin_ns = span->ts_ns,
		.end_ns = end_ns,
		.slice_id = span->slice_id,
		.ready_ns = INT64_MIN,
		.label = span->label,
		.track = span->track,
		.recipe = span->recipe,
		.call_class = call_class};

	tc_sorter_put(calls, ctx, &layout, &call);
}

static void add_to(
	struct tc_call_list *list, struct tc_matcher *matcher, const struct tc_call *call)
{
	if (list->count >= TC_CALL_MAX_COUNT)
		matcher->over_count++;
	else
		TC_PUSH(matcher->timeline->ctx, list->rows, list->count, list->capacity, *call);
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

/* The state of the passes over all calls. */
struct passes {
	struct tc_matcher *matcher;
	struct tc_sorter *all;
	int64_t counts[TC_CALL_COUNT];
	/* The classes that count as launches, as copies and as collectives. */
	uint32_t launching, copying, reducing;
	/* Counts of enqueue calls: */
	size_t call_count;  /* launch calls that may get a recipe from them */
	int64_t held_count; /* launch calls that hold one */
	int64_t own_count;  /* that lie within the launch call of their number */
	bool is_late;       /* each begins after the launch call of its number */
	bool is_one_each;   /* each belongs to the launch call of its number, on any thread */
};

/* Work on a lane may have the name of the call for it. */
static bool is_of_host(const struct passes *passes, const struct tc_call *call)
{
	return passes->matcher->timeline->tracks[call->track].kind != TC_TRACK_LANE;
}

static void count_calls(struct passes *passes)
{
	const struct tc_call *call;

	for (call = tc_sorter_first(passes->all); call; call = tc_sorter_next(passes->all))
		passes->counts[call->call_class] += is_of_host(passes, call);
	passes->launching = class_with_calls(passes->counts, TC_CALL_NONE + 1, TC_CALL_SYN_COPY);
	passes->copying = class_with_calls(passes->counts, TC_CALL_SYN_COPY, TC_CALL_HCCL);
	passes->reducing = class_with_calls(passes->counts, TC_CALL_HCCL, TC_CALL_COUNT);
}

/* A call for a collective; calls within another one only hand it on. */
static void take_collective(struct tc_matcher *matcher, const struct tc_call *call)
{
	struct tc_call_list *list = &matcher->collectives.calls;

	if (list->count == 0 || call->ts_ns >= list->rows[list->count - 1].end_ns)
		add_to(list, matcher, call);
}

static void take_calls(struct passes *passes)
{
	struct tc_matcher *matcher = passes->matcher;
	const struct tc_call *call;

	for (call = tc_sorter_first(passes->all); call; call = tc_sorter_next(passes->all))
		if (call->call_class == passes->launching)
			add_to(&matcher->recipes.calls, matcher, call);
		else if (call->call_class == passes->copying)
			add_to(&matcher->copies, matcher, call);
		else if (call->call_class == passes->reducing && is_of_host(passes, call))
			take_collective(matcher, call);
}

/* The launch call of the enqueue call's own number, NULL without one. */
static struct tc_call *call_of_number(const struct passes *passes, size_t number)
{
	return number < passes->call_count ? &passes->matcher->recipes.calls.rows[number] : NULL;
}

static void compare_enqueues(struct passes *passes)
{
	const struct tc_call *enqueue,
		*latest = NULL; /* the launch call that held the latest one */
	size_t number = 0;

	passes->is_late = true;
	for (enqueue = tc_sorter_first(passes->all); enqueue;
		enqueue = tc_sorter_next(passes->all)) {
		if (enqueue->call_class != TC_CALL_ENQUEUE)
			continue;
		const struct tc_call *around =
			call_around(&passes->matcher->recipes.calls, passes->call_count, enqueue);
		const struct tc_call *own = call_of_number(passes, number++);
		passes->held_count += around && around != latest;
		latest = around ? around : latest;
		passes->is_late &= own && own->ts_ns <= enqueue->ts_ns;
		passes->own_count +=
			own && own->ts_ns <= enqueue->ts_ns && enqueue->ts_ns <= own->end_ns;
	}
}

/* Gives the recipe of each enqueue call to its launch call, and its time if another thread makes
 * it. */
static void set_recipes(struct passes *passes)
{
	const struct tc_call *enqueue;
	size_t number = 0;

	for (enqueue = tc_sorter_first(passes->all); enqueue;
		enqueue = tc_sorter_next(passes->all)) {
		if (enqueue->call_class != TC_CALL_ENQUEUE)
			continue;
		struct tc_call *call = passes->is_one_each
					       ? call_of_number(passes, number++)
					       : call_around(&passes->matcher->recipes.calls,
							 passes->call_count, enqueue);
		if (call && passes->is_one_each) {
			call->ts_ns = enqueue->ts_ns;
			call->done_ns = enqueue->end_ns;
		}
		if (call && call->recipe == TC_STRTAB_NONE)
			call->recipe = enqueue->recipe;
	}
}

/* Adds the enqueue calls that no launch call holds to the launch calls. */
static void add_enqueues_outside(struct passes *passes)
{
	struct tc_call_list *list = &passes->matcher->recipes.calls;
	const struct tc_call *call;

	for (call = tc_sorter_first(passes->all); call; call = tc_sorter_next(passes->all))
		if (call->call_class == TC_CALL_ENQUEUE &&
			!call_around(list, passes->call_count, call))
			add_to(list, passes->matcher, call);
	for (size_t i = 0; i < list->count; i++)
		list->rows[i].call_class = TC_CALL_NONE + 1; /* one class, for sorting by time */
	TC_SORT(list->rows, list->count, compare_calls);
}

/* One in so many enqueue or launch calls may be lost. Our default, no published source.
 */
enum { LOST_SHARE = 8 };

/* Whether the launch calls hold the enqueue calls, of which some, and one more, may be lost. By
 * chance they hold up to two thirds. */
static bool are_held(const struct passes *passes, int64_t pair_count)
{
	return LOST_SHARE * (pair_count - passes->held_count - 1) <= pair_count;
}

/* Whether each enqueue call belongs to the launch call of its number, which handed the recipe
 * over to another thread. It has to begin after that one, and most lie outside it; nearly all where
 * the launch calls hold the enqueue calls, because one of each may be lost there. */
static bool are_handed_over(const struct passes *passes, int64_t count, int64_t call_count)
{
	int64_t least_share = are_held(passes, count) ? LOST_SHARE : 2;

	return count == call_count && passes->is_late && least_share * passes->own_count < count;
}

/*
 * An enqueue call is made by the launch call around it, or by another thread after the launch call
 * handed the recipe over. Then it overlaps with other launch calls by chance, however many, and
 * belongs to the one of its number. Numbers only tell where both are equally often.
 *
 * Where the launch calls hold the enqueue calls, one outside takes the place of a launch call that
 * is lost. Elsewhere it is no launch of its own: its launch call counts already.
 */
static void read_enqueues(struct passes *passes)
{
	int64_t count = passes->counts[TC_CALL_ENQUEUE];
	int64_t call_count = passes->counts[passes->launching];

	passes->call_count = passes->matcher->recipes.calls.count;
	compare_enqueues(passes);
	passes->is_one_each = are_handed_over(passes, count, call_count);
	bool are_around =
		!passes->is_one_each && are_held(passes, count < call_count ? count : call_count);
	if (passes->is_one_each || are_around)
		set_recipes(passes);
	if (are_around)
		add_enqueues_outside(passes);
}

struct tc_matcher *tc_matcher_open(struct tc_timeline *timeline, struct tc_sorter *calls)
{
	struct tc_matcher *matcher = tc_new(timeline->ctx, 1, sizeof(*matcher));
	struct passes passes = {.matcher = matcher, .all = calls};

	if (!matcher)
		return NULL;
	matcher->timeline = timeline;
	tc_executions_init(&matcher->recipes.executions, timeline->ctx, &matcher->recipes.calls);
	tc_executions_init(
		&matcher->collectives.executions, timeline->ctx, &matcher->collectives.calls);
	matcher->collectives.executions.of_ports = true;
	count_calls(&passes);
	take_calls(&passes);
	if (passes.launching != TC_CALL_ENQUEUE && passes.counts[TC_CALL_ENQUEUE] > 0)
		read_enqueues(&passes);
	return matcher;
}

static void clear_work(struct queue *queue)
{
	tc_executions_clear(&queue->executions);
	tc_free(queue->found);
	queue->found = NULL;
}

/*
 * ---- batches
 *
 * Where copies show no direction, the order of the calls does: a thread that has run nothing but
 * copies since it got a batch, and then launches work, copies this batch to the device. Copies that
 * nothing follows may be those of results or states.
 */

struct batch_thread {
	bool follows_loader;
	int64_t until_ns; /* end of the outermost slice */
	/* Slices of the copies since the loader returned. */
	int64_t *copies;
	size_t copy_count, copy_capacity;
};

static void keep_copies(struct tc_timeline *timeline, struct batch_thread *thread)
{
	for (size_t i = 0; i < thread->copy_count; i++)
		TC_PUSH(timeline->ctx, timeline->batch_copies, timeline->batch_copy_count,
			timeline->batch_copy_capacity, thread->copies[i]);
	thread->copy_count = 0;
	thread->follows_loader = false;
}

static void see_batch(
	struct tc_timeline *timeline, struct batch_thread *thread, const struct tc_span *span)
{
	const struct tc_label *label = &timeline->labels[span->label];
	bool is_copy = label->mark == TC_MARK_COPY_CARRIER;
	bool is_loader = label->role == TC_ROLE_DATALOADER;
	bool is_call = is_copy || label->is_op || label->mark == TC_MARK_BRIDGE_HANDOVER;
	bool is_outermost = span->ts_ns >= thread->until_ns;

	if (is_loader) {
		thread->follows_loader = true;
		thread->copy_count = 0;
	} else if (is_outermost && is_call && !is_copy) {
		keep_copies(timeline, thread);
	} else if (thread->follows_loader && is_copy &&
		   label->call_class == TC_CALL_FRAMEWORK_COPY) {
		TC_PUSH(timeline->ctx, thread->copies, thread->copy_count, thread->copy_capacity,
			span->slice_id);
	}
	if (is_loader || (is_outermost && is_call))
		thread->until_ns = tc_span_known_end_ns(span);
}

static void find_batches(struct tc_timeline *timeline)
{
	size_t count = 0;
	uint32_t *tracks = tc_new(timeline->ctx, timeline->track_count, sizeof(*tracks));
	struct batch_thread *threads =
		tc_new(timeline->ctx, timeline->host_thread_count, sizeof(*threads));
	const struct tc_span *span;

	for (uint32_t i = 0; tracks && i < timeline->track_count; i++)
		if (timeline->tracks[i].host_thread >= 0)
			tracks[count++] = i;
	if (tracks && threads) {
		struct tc_cursor *cursor = tc_cursor_open(timeline->spans, tracks, count);
		while ((span = tc_cursor_next(cursor)))
			see_batch(timeline, &threads[timeline->tracks[span->track].host_thread],
				span);
		tc_cursor_close(cursor);
		TC_SORT(timeline->batch_copies, timeline->batch_copy_count, tc_compare_numbers);
	}
	for (size_t i = 0; threads && i < timeline->host_thread_count; i++)
		tc_free(threads[i].copies);
	tc_free(threads);
	tc_free(tracks);
}

int64_t tc_matcher_close(struct tc_matcher *matcher)
{
	if (!matcher)
		return 0;
	int64_t over_count = matcher->over_count;
	if (matcher->has_unshown_copies)
		find_batches(matcher->timeline);
	clear_work(&matcher->recipes);
	clear_work(&matcher->collectives);
	tc_free(matcher->recipes.calls.rows);
	tc_free(matcher->collectives.calls.rows);
	tc_free(matcher->copies.rows);
	tc_free(matcher);
	return over_count;
}

/* ---- alignment of executions with calls */

enum {
	BAND = 64,
	/* Our defaults, no published source. The unit is one call that waits. */
	SKIP_COST = 4,
	WAIT_COST = 1,
	FRONT_COST = 2, /* cheaper at the front: calls and executions may begin to be recorded at
			   different times */
	IDLE_NS = 50 * 1000,
	NEVER = 1 << 29,
};

/* An execution. */
struct item {
	int64_t start_ns, idle_from_ns;
	uint32_t recipe;
};

/* The choices of the best alignments at one execution; bit k is for base + k calls left. */
struct row {
	uint64_t matched; /* the execution has the call of that number */
	uint64_t skipped; /* the call of that number has no execution */
	uint32_t base;
	uint32_t from; /* if not 0: all calls below this number, down to those left, have no
			  execution */
};

struct search {
	const struct tc_executions *executions;
	const struct tc_call *calls;
	struct row *rows; /* by execution */
	int32_t cost[BAND];
	size_t base;
};

static size_t cheapest(const struct search *search)
{
	size_t best = 0;

	for (size_t k = 1; k < BAND; k++)
		if (search->cost[k] <= search->cost[best])
			best = k;
	return best;
}

/* Sets the band to one number of calls left. */
static void narrow(struct search *search, size_t left, int32_t cost)
{
	search->base = left < BAND ? 0 : left - BAND / 2;
	for (size_t k = 0; k < BAND; k++)
		search->cost[k] = NEVER;
	search->cost[left - search->base] = cost;
}

/* Moves the band down so that its best element is in the middle. */
static void centre(struct search *search)
{
	size_t best = search->base + cheapest(search);
	size_t base = best < BAND / 2 ? 0 : best - BAND / 2;

	if (base >= search->base)
		return;
	size_t shift = search->base - base;
	for (size_t k = BAND; k-- > 0;)
		search->cost[k] = k >= shift ? search->cost[k - shift] : NEVER;
	search->base = base;
}

static int32_t cost_of(const struct item *item, const struct tc_call *call)
{
	if (call->ts_ns > item->start_ns || !tc_recipes_fit(call->recipe, item->recipe))
		return NEVER;
	if (call->ready_ns > item->start_ns)
		return WAIT_COST;
	return tc_sub_saturated(item->start_ns, item->idle_from_ns) > IDLE_NS &&
			       call->done_ns < item->idle_from_ns
		       ? WAIT_COST
		       : 0;
}

static void take_item(struct search *search, const struct item *item, struct row *row)
{
	size_t until = tc_calls_until(search->executions->calls, item->start_ns);
	int32_t *cost = search->cost;

	*row = (struct row){0};
	if (search->base > until) {
		size_t best = cheapest(search);
		row->from = (uint32_t)(search->base + best);
		narrow(search, until, cost[best] + SKIP_COST);
	}
	centre(search);
	row->base = (uint32_t)search->base;
	for (size_t k = BAND - 1; k-- > 0;)
		if (cost[k + 1] < NEVER && cost[k + 1] + SKIP_COST <= cost[k]) {
			cost[k] = cost[k + 1] + SKIP_COST;
			row->skipped |= UINT64_C(1) << k;
		}
	for (size_t k = 0; k < BAND; k++) {
		size_t left = search->base + k;
		int32_t match = NEVER;
		if (k + 1 < BAND && cost[k + 1] < NEVER)
			match = cost[k + 1] + cost_of(item, &search->calls[left]);
		int32_t alone = cost[k] + (left > 0 ? SKIP_COST : FRONT_COST);
		if (match <= alone && match < NEVER)
			row->matched |= UINT64_C(1) << k;
		cost[k] = match < alone ? match : alone;
		if (cost[k] > NEVER)
			cost[k] = NEVER;
	}
}

/* Follows the choices of the cheapest alignment, from the first execution on. */
static void read_back(int32_t *calls, struct search *search)
{
	int32_t latest = CALL_BEFORE;

	for (size_t k = 0; k < BAND; k++)
		search->cost[k] += (int32_t)(search->base + k) * FRONT_COST;
	size_t left = search->base + BAND - 1;
	for (size_t k = BAND; k-- > 0;)
		if (search->cost[k] < search->cost[left - search->base])
			left = search->base + k;
	for (size_t i = 0; i < search->executions->count; i++) {
		const struct row *row = &search->rows[i];
		bool is_matched = row->matched >> (left - row->base) & 1;
		if (is_matched)
			latest = (int32_t)left;
		calls[i] = is_matched || latest < 0 ? latest : CALL_LOST - latest;
		left += is_matched;
		while (row->skipped >> (left - row->base) & 1)
			left++;
		if (row->from > 0)
			left = row->from;
	}
}

/* Takes the executions, the last one first. */
static void take_all(struct search *search)
{
	const struct tc_executions *executions = search->executions;
	size_t at = executions->count;

	for (size_t r = executions->run_count; r-- > 0 && at > 0;) {
		const struct tc_run *run = &executions->runs[r];
		bool goes_on = r > 0 && run[-1].first + run[-1].part_count > run->first;
		struct item item = {.recipe = run->recipe};
		/* An execution in pieces begins with the first of them. */
		for (uint32_t part = run->part_count; part-- > (uint32_t)goes_on;) {
			item.start_ns = tc_run_part_ns(run, part);
			item.idle_from_ns = part > 0 ? item.start_ns : run->idle_from_ns;
			take_item(search, &item, &search->rows[--at]);
		}
	}
}

/* Finds the call of every execution. */
static void align(struct queue *queue, struct tc_ctx *ctx)
{
	const struct tc_executions *executions = &queue->executions;
	struct search search = {.executions = executions, .calls = executions->calls->rows};
	size_t count = executions->count;

	queue->found = tc_calloc(count, sizeof(*queue->found));
	search.rows = tc_calloc(count, sizeof(*search.rows));
	if (!queue->found || !search.rows) {
		tc_no_memory(ctx);
	} else if (count > 0) {
		const struct tc_run *last = &executions->runs[executions->run_count - 1];
		narrow(&search, tc_calls_until(executions->calls, last->end_ns), 0);
		take_all(&search);
		read_back(queue->found, &search);
	}
	tc_free(search.rows);
}

/* Gives each call for a collective the middle of the last execution that was launched before it. */
static void find_ready(struct tc_matcher *matcher)
{
	const struct queue *recipes = &matcher->recipes;
	struct tc_call_list *calls = &matcher->collectives.calls;
	size_t next = 0;
	int64_t ready_ns = INT64_MIN;

	for (size_t i = 0; i < recipes->executions.run_count; i++) {
		const struct tc_run *run = &recipes->executions.runs[i];
		for (uint32_t part = 0; part < run->part_count; part++) {
			int32_t number = recipes->found[run->first + part];
			if (number < 0)
				continue;
			int64_t begin_ns = recipes->calls.rows[number].begin_ns;
			for (; next < calls->count && calls->rows[next].ts_ns <= begin_ns; next++)
				calls->rows[next].ready_ns = ready_ns;
			/* Where parts begin and end is not exact. */
			ready_ns =
				tc_run_part_ns(run, part) / 2 + tc_run_part_ns(run, part + 1) / 2;
		}
	}
	for (; next < calls->count; next++)
		calls->rows[next].ready_ns = ready_ns;
}

/* ---- the launch of an operation */

enum { LATE_CALLS = 64 }; /* searched for one of the right recipe */

/* Work whose launch follows from its execution; executions are made of no other work. */
static bool is_in_execution(const struct tc_matcher *matcher, const struct tc_span *span)
{
	return span->recipe != TC_STRTAB_NONE && span->launch_slice_id == TC_NO_ID &&
	       tc_span_engine(matcher->timeline, span) != TC_ENGINE_NONE;
}

static bool is_compute(const struct tc_matcher *matcher, const struct tc_span *span)
{
	enum tc_engine engine = tc_span_engine(matcher->timeline, span);

	return engine == TC_ENGINE_MME || engine == TC_ENGINE_TPC;
}

/* A part of a collective, whose launch follows from its place among all collectives. */
static bool is_collective(const struct tc_matcher *matcher, const struct tc_span *span)
{
	return span->recipe == TC_STRTAB_NONE && span->launch_slice_id == TC_NO_ID &&
	       matcher->timeline->tracks[span->track].engine == TC_ENGINE_NIC;
}

static void read_work(struct tc_matcher *matcher, size_t device, struct tc_cursor *cursor)
{
	struct tc_timeline *timeline = matcher->timeline;
	struct tc_executions *collectives = &matcher->collectives.executions;
	const struct tc_span *span;

	collectives->ports.idle_ns = INT64_MIN;
	while ((span = tc_cursor_next(cursor))) {
		bool compute = is_compute(matcher, span);
		timeline->devices[device].has_recipes |= compute && span->recipe != TC_STRTAB_NONE;
		if (is_in_execution(matcher, span))
			tc_executions_add(&matcher->recipes.executions, span, compute);
		else if (is_collective(matcher, span))
			tc_executions_add(collectives, span, false);
		if (tc_span_known_end_ns(span) > collectives->ports.idle_ns)
			collectives->ports.idle_ns = tc_span_known_end_ns(span);
	}
}

void tc_matcher_read(
	struct tc_matcher *matcher, size_t device, const uint32_t *lanes, size_t lane_count)
{
	struct tc_timeline *timeline = matcher->timeline;
	struct tc_executions *recipes = &matcher->recipes.executions;
	struct tc_executions *collectives = &matcher->collectives.executions;

	clear_work(&matcher->recipes);
	clear_work(&matcher->collectives);
	matcher->work_step_ns = INT64_MIN;
	struct tc_cursor *cursor = tc_cursor_open(timeline->spans, lanes, lane_count);
	read_work(matcher, device, cursor);
	tc_cursor_close(cursor);
	tc_executions_cut(recipes);
	align(&matcher->recipes, timeline->ctx);
	if (collectives->run_count > 0 && !tc_ctx_failed(timeline->ctx)) {
		find_ready(matcher);
		tc_executions_cut(collectives);
		align(&matcher->collectives, timeline->ctx);
	}
	matcher->over_count += recipes->over_count + collectives->over_count;
}

/* The latest call before a time that may launch a recipe. */
static const struct tc_call *call_before(
	const struct tc_call_list *list, uint32_t recipe, int64_t ts_ns)
{
	size_t until = tc_calls_until(list, ts_ns);

	for (size_t i = until; i-- > 0 && until - i <= LATE_CALLS;)
		if (tc_recipes_fit(list->rows[i].recipe, recipe))
			return &list->rows[i];
	return NULL;
}

/* The latest call before a time that may copy. An operation of the framework may copy within a
 * graph instead, so it counts only while it is open, and where graphs have calls, too. */
static const struct tc_call *copy_call_before(const struct tc_matcher *matcher, int64_t ts_ns)
{
	const struct tc_call *call = call_before(&matcher->copies, TC_STRTAB_NONE, ts_ns);
	bool is_sure = !call || call->call_class != TC_CALL_FRAMEWORK_COPY ||
		       (ts_ns <= call->end_ns && matcher->recipes.calls.count > 0);

	return is_sure ? call : NULL;
}

static struct tc_match match_call(const struct tc_call *call, enum tc_launch_method method)
{
	return (struct tc_match){call, method, call->begin_ns};
}

/* Work of a copy, or of whatever runs now. */
static struct tc_match match_copy(struct tc_matcher *matcher, const struct tc_span *span)
{
	const struct tc_call *call = copy_call_before(matcher, span->ts_ns);

	if (call && call->call_class != TC_CALL_SYN_COPY &&
		matcher->timeline->labels[span->label].direction == TC_DIRECTION_NONE)
		matcher->has_unshown_copies = true;
	return call ? match_call(call, TC_LAUNCH_TIME)
		    : (struct tc_match){NULL, TC_LAUNCH_UNKNOWN, span->ts_ns};
}

/* DMA work before the launch of its execution, while no compute runs: no cut is off there, so it is
 * a copy of its own, which names the recipe that takes what it brings. */
static bool is_ahead(const struct queue *queue, int32_t number, const struct tc_span *span)
{
	const struct tc_run_walk *walk = &queue->executions.walk;

	return number >= 0 && queue->calls.rows[number].ts_ns > span->ts_ns &&
	       (walk->begun_count == 0 || walk->end_ns <= span->ts_ns);
}

/* The match of work in an execution; number is that of its call, or CALL_BEFORE or less. */
static struct tc_match match_execution(const struct tc_matcher *matcher, const struct queue *queue,
	int32_t number, const struct tc_span *span)
{
	const struct tc_call *calls = queue->calls.rows;
	bool is_gaudi = tc_engine_is_gaudi(matcher->timeline->tracks[span->track].engine);

	/* Without idle time between executions the cut may be off by some operations. */
	if (number >= 0 && calls[number].ts_ns > span->ts_ns)
		number = number > 0 ? CALL_LOST - (number - 1) : CALL_BEFORE;
	if (number >= 0)
		return match_call(&calls[number], TC_LAUNCH_RECIPE);
	if (number == CALL_BEFORE)
		return (struct tc_match){
			NULL, is_gaudi ? TC_LAUNCH_BEFORE : TC_LAUNCH_UNKNOWN, span->ts_ns};
	return (struct tc_match){NULL, TC_LAUNCH_TIME, calls[CALL_LOST - number].begin_ns};
}

static struct tc_match match_collective(struct tc_matcher *matcher, const struct tc_span *span)
{
	struct queue *queue = &matcher->collectives;
	bool knows = matcher->work_step_ns != INT64_MIN;
	int64_t at = tc_executions_find(&queue->executions, span, false);

	if (at >= 0 && queue->calls.count > 0) {
		struct tc_match match = match_execution(matcher, queue, queue->found[at], span);
		if (match.method == TC_LAUNCH_RECIPE)
			match.method = TC_LAUNCH_ORDER;
		return match;
	}
	return (struct tc_match){NULL, knows ? TC_LAUNCH_TIME : TC_LAUNCH_UNKNOWN,
		knows ? matcher->work_step_ns : span->ts_ns};
}

struct tc_match tc_matcher_find(struct tc_matcher *matcher, const struct tc_span *span)
{
	const struct tc_match nothing = {NULL, TC_LAUNCH_UNKNOWN, span->ts_ns};
	struct queue *recipes = &matcher->recipes;
	bool compute = is_compute(matcher, span);
	int64_t execution = -1;
	const struct tc_call *call = NULL;

	if (is_in_execution(matcher, span))
		execution = tc_executions_find(&recipes->executions, span, compute);
	if (is_collective(matcher, span))
		return match_collective(matcher, span);
	if (span->recipe == TC_STRTAB_NONE)
		return compute ? nothing : match_copy(matcher, span);
	if (recipes->calls.count == 0)
		return nothing;
	if (execution >= 0 && !compute && is_ahead(recipes, recipes->found[execution], span))
		return match_copy(matcher, span);
	if (execution >= 0) {
		const struct tc_match match =
			match_execution(matcher, recipes, recipes->found[execution], span);
		if (match.method != TC_LAUNCH_BEFORE)
			matcher->work_step_ns = match.step_ns;
		return match;
	}
	call = call_before(&recipes->calls, span->recipe, span->ts_ns);
	return call ? match_call(call, TC_LAUNCH_TIME)
		    : match_execution(matcher, recipes, CALL_BEFORE, span);
}

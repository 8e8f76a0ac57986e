/* See order.h. Slices that end one after another, with no begin between them, are all directly
 * before the slices that then begin one after another: an operation and the Python frames around it
 * count as one. */
#include "replay/edit/order.h"

#include "core/alloc.h"
#include "core/sort/paged.h"

enum { ENDED_MAX = 16 };

struct thread {
	int64_t ended[ENDED_MAX]; /* ids of the slices that ended last, with no begin between */
	size_t ended_count;
	uint64_t ended_terms; /* bits of the neighbour terms that their names meet */
	int64_t end_ns;
	bool has_begun;                      /* a slice has begun since they ended */
	int64_t loop_from_ns, loop_until_ns; /* calls that take a row, close to each other */
	size_t row_count;
};

struct tc_order {
	const struct tc_timeline *timeline;
	struct tc_slice_facts *facts;
	struct tc_match *match;
	struct tc_paged threads; /* struct thread */
	size_t thread_count;
	struct tc_stretch reduced; /* the last pass that reduced its gradients and has ended */
	bool has_reduced;          /* no optimizer step since it began */
	int64_t pass_from_ns;      /* start of the current pass */
	/* A pass has begun; it has a backward pass; it reduces gradients. */
	bool in_pass, is_backward, reduces;
	int64_t zeroed_ns;       /* the last zero_grad() */
	bool is_zeroed;          /* the pass after it has not ended */
	bool is_zeroed_backward; /* and has a backward pass */
};

static struct thread *thread_at(const struct tc_order *order, size_t number)
{
	return TC_PAGED_AT(&order->threads, struct thread, number);
}

enum tc_status tc_order_new(struct tc_order **out, struct tc_slice_facts *facts,
	const struct tc_timeline *timeline, struct tc_match *match)
{
	struct tc_order *order = tc_calloc(1, sizeof(*order));

	if (!order)
		return tc_no_memory(timeline->ctx);
	enum tc_status status = tc_paged_init(&order->threads, timeline->ctx,
		timeline->host_thread_count, sizeof(struct thread), NULL);
	if (status) {
		tc_free(order);
		return status;
	}
	order->timeline = timeline;
	order->facts = facts;
	order->match = match;
	order->thread_count = timeline->host_thread_count;
	*out = order;
	return TC_OK;
}

void tc_order_free(struct tc_order *order)
{
	if (order)
		tc_paged_clear(&order->threads);
	tc_free(order);
}

/* ---- stretches */

static void end_loop(struct tc_order *order, struct thread *thread, uint32_t number)
{
	size_t count = thread->row_count;
	const struct tc_stretch loop = {
		thread->loop_from_ns, thread->loop_until_ns, (int32_t)number};

	thread->row_count = 0;
	if (count >= TC_ROW_LOOP_MIN_COUNT)
		tc_stretches_add(&order->facts->row_loops, &order->facts->arena, loop);
}

static void take_row(
	struct tc_order *order, struct thread *thread, const struct tc_walk_slice *slice)
{
	if (thread->row_count > 0 &&
		!tc_row_loop_goes_on(slice->span.ts_ns - thread->loop_until_ns,
			thread->loop_until_ns - thread->loop_from_ns, thread->row_count))
		end_loop(order, thread, slice->thread);
	if (thread->row_count++ == 0)
		thread->loop_from_ns = thread->loop_until_ns = slice->span.ts_ns;
	if (slice->end_ns > thread->loop_until_ns)
		thread->loop_until_ns = slice->end_ns;
}

/* The first pass after zero_grad() ends with the next one or with the optimizer's step. */
static void end_zeroed(struct tc_order *order, int64_t ts_ns)
{
	struct tc_slice_facts *facts = order->facts;
	const struct tc_stretch pass = {order->zeroed_ns, ts_ns, -1};

	if (!order->is_zeroed || !order->is_zeroed_backward)
		return;
	order->is_zeroed = order->is_zeroed_backward = false;
	tc_stretches_add(&facts->zeroed_passes, &facts->arena, pass);
}

static void take_zeroing(struct tc_order *order, int64_t ts_ns)
{
	order->zeroed_ns = ts_ns;
	order->is_zeroed = true;
	order->is_zeroed_backward = false;
}

/* A pass begins with the next batch or with forward() of DistributedDataParallel. A beginning
 * before any gradients are reduced does not start another pass. */
static void begin_pass(struct tc_order *order, int64_t ts_ns)
{
	if (order->reduces) {
		order->reduced = (struct tc_stretch){order->pass_from_ns, ts_ns, -1};
		order->has_reduced = true;
	}
	order->pass_from_ns = ts_ns;
	order->in_pass = true;
	order->is_backward = order->reduces = false;
	end_zeroed(order, ts_ns);
}

/* Collectives without a backward pass, such as those of metrics, reduce no gradients. When a pass
 * reduces, and another such pass follows before the optimizer's step, the first one only
 * accumulates gradients. */
static void take_reduction(struct tc_order *order)
{
	struct tc_slice_facts *facts = order->facts;

	if (!order->is_backward || order->reduces)
		return;
	if (order->has_reduced)
		tc_stretches_add(&facts->adding_passes, &facts->arena, order->reduced);
	order->reduces = true;
	order->has_reduced = false;
}

static void take_backward(struct tc_order *order)
{
	order->is_backward = order->in_pass;
	order->is_zeroed_backward = order->is_zeroed;
}

static void take_update(struct tc_order *order, int64_t ts_ns)
{
	order->has_reduced = order->in_pass = order->is_backward = order->reduces = false;
	end_zeroed(order, ts_ns);
}

static void see_stretches(
	struct tc_order *order, struct thread *thread, const struct tc_walk_slice *slice)
{
	const struct tc_label *label = &order->timeline->labels[slice->span.label];

	if (label->mark == TC_MARK_ZERO_GRAD)
		take_zeroing(order, slice->span.ts_ns);
	switch (label->framework) {
	case TC_FRAMEWORK_SELECT: take_row(order, thread, slice); break;
	case TC_FRAMEWORK_DDP_FORWARD:
	case TC_FRAMEWORK_BATCH: begin_pass(order, slice->span.ts_ns); break;
	case TC_FRAMEWORK_BACKWARD: take_backward(order); break;
	case TC_FRAMEWORK_ALL_REDUCE: take_reduction(order); break;
	case TC_FRAMEWORK_OPTIMIZER_STEP: take_update(order, slice->span.ts_ns); break;
	default: break;
	}
}

/* ---- neighbours */

static void note(struct tc_order *order, int64_t slice_id, uint64_t terms)
{
	struct tc_slice_facts *facts = order->facts;

	for (uint64_t left = terms; left; left &= left - 1)
		tc_slice_bits_set(
			&facts->neighbours[__builtin_ctzll(left)], &facts->arena, slice_id);
}

/* Launching calls and the ends of graphs are skipped: they are not operations of their own. */
static bool counts(const struct tc_order *order, const struct tc_walk_slice *slice)
{
	const struct tc_label *label = &order->timeline->labels[slice->span.label];

	return !label->is_launch && label->role != TC_ROLE_LAUNCH &&
	       label->mark != TC_MARK_BRIDGE_HANDOVER && label->mark != TC_MARK_BRIDGE_SYNC &&
	       label->mark != TC_MARK_BRIDGE_CUT;
}

void tc_order_begin(struct tc_order *order, const struct tc_walk_slice *slice)
{
	struct thread *thread = thread_at(order, slice->thread);
	const struct tc_match_neighbours *sides = tc_match_neighbours(order->match);
	uint64_t terms = tc_match_terms_of(order->match, slice->span.label);

	if (slice->span.ts_ns - thread->end_ns > TC_NEIGHBOUR_NS)
		thread->ended_count = thread->ended_terms = 0;
	note(order, slice->span.slice_id, thread->ended_terms & sides->after);
	if (!counts(order, slice))
		return;
	thread->has_begun = true;
	for (size_t i = 0; i < thread->ended_count && (terms & sides->before); i++)
		note(order, thread->ended[i], terms & sides->before);
	see_stretches(order, thread, slice);
}

void tc_order_end(struct tc_order *order, const struct tc_walk_slice *slice)
{
	struct thread *thread = thread_at(order, slice->thread);

	if (!counts(order, slice))
		return;
	if (thread->has_begun)
		thread->ended_count = thread->ended_terms = 0;
	thread->has_begun = false;
	if (thread->ended_count < ENDED_MAX)
		thread->ended[thread->ended_count++] = slice->span.slice_id;
	thread->ended_terms |= tc_match_terms_of(order->match, slice->span.label);
	thread->end_ns = slice->end_ns;
}

enum tc_status tc_order_finish(struct tc_order *order)
{
	for (size_t i = 0; i < order->thread_count; i++)
		end_loop(order, thread_at(order, i), (uint32_t)i);
	tc_stretches_sort(&order->facts->row_loops);
	return tc_paged_status(&order->threads);
}

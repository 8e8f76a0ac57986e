/*
 * What only the neighbours of a host slice show, in a pass before the edits are matched: stretches,
 * and the slices directly before and after.
 */
#include "replay/match.h"

#include "core/alloc.h"
#include "replay/attention.h"

enum {
	ENDED_MAX = 16,
	/* A graph of fewer launches between two waits is not worth it: of five a fifth is left,
	 * which is what host-bound counts with. Our default, no published source. */
	SHORT_PIECE = 5,
};

struct thread {
	int64_t ended[ENDED_MAX]; /* ids of the slices that ended last, with no begin between */
	size_t ended_count;
	tc_terms ended_terms; /* bits of the neighbour terms that their names meet */
	int64_t end_ns;
	bool has_begun;         /* a slice has begun since they ended */
	tc_terms carrier_terms; /* those that a copy that is open and has begun nothing meets */
	int64_t loop_from_ns, loop_until_ns; /* calls that take a row, close to each other */
	size_t row_count;
	int64_t piece_ns; /* start of the piece between two waits, and the launches in it */
	bool has_waited;  /* else the piece has no start */
	size_t piece_launches;
	bool piece_builds; /* its operations become nodes of graphs, whose launches are few */
};

struct tc_order {
	const struct tc_timeline *timeline;
	struct tc_slice_facts *facts;
	const struct tc_match *match;
	struct tc_match_neighbours sides;
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
	int64_t clip_ns;         /* the first norm of a gradient */
	bool is_clipping;        /* nothing but the optimizer's step can follow */
	int64_t update_end_ns;   /* of the optimizers' steps so far */
	struct tc_attention
		operators; /* that become nodes of graphs, of the thread of the last one */
	uint32_t operators_thread;
};

static struct thread *thread_at(const struct tc_order *order, size_t number)
{
	return TC_PAGED_AT(&order->threads, struct thread, number);
}

struct tc_order *tc_order_new(struct tc_slice_facts *facts, const struct tc_timeline *timeline,
	const struct tc_match *match)
{
	struct tc_order *order = tc_new(timeline->ctx, 1, sizeof(*order));

	if (!order)
		return NULL;
	order->timeline = timeline;
	order->facts = facts;
	order->match = match;
	order->sides = tc_match_sides(match);
	order->thread_count = timeline->host_thread_count;
	tc_paged_init(&order->threads, timeline->ctx, timeline->host_thread_count,
		sizeof(struct thread), NULL);
	if (!tc_ctx_failed(timeline->ctx))
		return order;
	tc_order_free(order);
	return NULL;
}

void tc_order_free(struct tc_order *order)
{
	if (order)
		tc_paged_clear(&order->threads);
	tc_free(order);
}

/* ---- facts that neighbours decide: stretches */

static void add_stretch(
	struct tc_stretches *stretches, struct tc_arena *arena, struct tc_stretch stretch)
{
	if (TC_ARENA_GROW(arena, stretches->items, stretches->capacity, stretches->count + 1))
		stretches->items[stretches->count++] = stretch;
}

static void end_loop(struct tc_order *order, struct thread *thread, uint32_t number)
{
	size_t count = thread->row_count;
	const struct tc_stretch loop = {
		thread->loop_from_ns, thread->loop_until_ns, (int32_t)number};

	thread->row_count = 0;
	if (count >= TC_ROW_LOOP_MIN_COUNT)
		add_stretch(&order->facts->row_loops, &order->facts->arena, loop);
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

/* A wait ends a piece. One of few launches is no shorter as a graph, which takes a launch, too. */
static void end_piece(struct tc_order *order, struct thread *thread, uint32_t number, int64_t ts_ns)
{
	const struct tc_stretch piece = {
		thread->has_waited ? thread->piece_ns : INT64_MIN, ts_ns, (int32_t)number};

	if (thread->piece_launches > 0 && thread->piece_launches < SHORT_PIECE &&
		!thread->piece_builds)
		add_stretch(&order->facts->short_pieces, &order->facts->arena, piece);
	thread->piece_ns = ts_ns;
	thread->has_waited = true;
	thread->piece_launches = 0;
	thread->piece_builds = false;
}

static void see_piece(
	struct tc_order *order, struct thread *thread, const struct tc_walk_slice *slice)
{
	enum tc_role role = tc_span_role(order->timeline, &slice->span);

	if (role == TC_ROLE_SYNC)
		end_piece(order, thread, slice->thread, slice->span.ts_ns);
	thread->piece_launches += order->timeline->labels[slice->span.label].is_launch;
	thread->piece_builds |= role == TC_ROLE_GRAPH_BUILD;
}

/* The first pass after zero_grad() ends with the next one or with the optimizer's step. */
static void end_zeroed(struct tc_order *order, int64_t ts_ns)
{
	struct tc_slice_facts *facts = order->facts;
	const struct tc_stretch pass = {order->zeroed_ns, ts_ns, -1};

	if (!order->is_zeroed || !order->is_zeroed_backward)
		return;
	order->is_zeroed = order->is_zeroed_backward = false;
	add_stretch(&facts->passes.zeroed, &facts->arena, pass);
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
	order->is_backward = order->reduces = order->is_clipping = false;
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
		add_stretch(&facts->passes.adding, &facts->arena, order->reduced);
	order->reduces = true;
	order->has_reduced = false;
}

static void take_backward(struct tc_order *order)
{
	order->is_backward = order->in_pass;
	order->is_zeroed_backward = order->is_zeroed;
	order->is_clipping = false;
}

/* Clipping begins with the norms of the gradients and ends with the optimizer's step. Norms that
 * another pass follows are the model's own, and those within a step are the optimizer's. */
static void take_norm(struct tc_order *order, int64_t ts_ns)
{
	if (ts_ns < order->update_end_ns)
		return;
	if (!order->is_clipping)
		order->clip_ns = ts_ns;
	order->is_clipping = true;
}

static void take_update(struct tc_order *order, int64_t ts_ns, int64_t end_ns)
{
	const struct tc_stretch clip = {order->clip_ns, ts_ns, -1};

	if (order->is_clipping)
		add_stretch(&order->facts->passes.clipped, &order->facts->arena, clip);
	order->is_clipping = false;
	if (end_ns > order->update_end_ns)
		order->update_end_ns = end_ns;
	order->has_reduced = order->in_pass = order->is_backward = order->reduces = false;
	end_zeroed(order, ts_ns);
}

static void see_stretches(
	struct tc_order *order, struct thread *thread, const struct tc_walk_slice *slice)
{
	const struct tc_label *label = &order->timeline->labels[slice->span.label];

	if (label->mark == TC_MARK_ZERO_GRAD)
		take_zeroing(order, slice->span.ts_ns);
	if (label->name_class == TC_CLASS_GRADIENT_NORM)
		take_norm(order, slice->span.ts_ns);
	switch (label->framework) {
	case TC_FRAMEWORK_SELECT: take_row(order, thread, slice); break;
	case TC_FRAMEWORK_DDP_FORWARD:
	case TC_FRAMEWORK_BATCH: begin_pass(order, slice->span.ts_ns); break;
	case TC_FRAMEWORK_BACKWARD: take_backward(order); break;
	case TC_FRAMEWORK_ALL_REDUCE: take_reduction(order); break;
	case TC_FRAMEWORK_OPTIMIZER_STEP:
		take_update(order, slice->span.ts_ns, slice->end_ns);
		break;
	default: break;
	}
}

/*
 * ---- neighbours
 *
 * Slices that end one after another, with no begin between them, are all directly before the slices
 * that then begin one after another: an operation and the Python frames around it count as one.
 * aten::to() is a copy only where it begins something: of a tensor that is there already it does
 * nothing.
 */

static void note(struct tc_order *order, int64_t slice_id, tc_terms terms)
{
	struct tc_slice_facts *facts = order->facts;

	for (tc_terms left = terms; left; left &= left - 1)
		tc_slice_bits_set(
			&facts->neighbours[tc_terms_first(left)], &facts->arena, slice_id);
}

/* What ended before is directly before a slice that meets these terms. */
static void note_before(struct tc_order *order, const struct thread *thread, tc_terms terms)
{
	terms &= order->sides.before;
	for (size_t i = 0; i < thread->ended_count && terms; i++)
		note(order, thread->ended[i], terms);
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
	const struct tc_label *label = &order->timeline->labels[slice->span.label];
	bool is_carrier = label->framework == TC_FRAMEWORK_COPY_CARRIER;
	tc_terms terms = tc_match_terms(order->match, slice->span.label);

	see_piece(order, thread, slice);
	note_before(order, thread, thread->carrier_terms);
	thread->carrier_terms = is_carrier ? terms : 0;
	if (slice->span.ts_ns - thread->end_ns > TC_NEIGHBOUR_NS)
		thread->ended_terms = thread->ended_count = 0;
	note(order, slice->span.slice_id, thread->ended_terms & order->sides.after);
	if (!counts(order, slice))
		return;
	thread->has_begun = true;
	note_before(order, thread, is_carrier ? 0 : terms);
	see_stretches(order, thread, slice);
}

/* Operators that become nodes of a graph launch nothing, so the work of a graph does not show which
 * of them called for it. But they come in the same order. */
static void see_operator(struct tc_order *order, const struct tc_walk_slice *slice)
{
	const struct tc_span *span = &slice->span;
	const struct tc_label *label = &order->timeline->labels[span->label];

	if (order->facts->matrix_recipes.chunk_count == 0 ||
		tc_slice_bits_get(&order->facts->launching, span->slice_id) ||
		tc_span_role(order->timeline, span) != TC_ROLE_DISPATCH)
		return;
	if (slice->thread != order->operators_thread)
		order->operators = (struct tc_attention){.op_count = 0};
	order->operators_thread = slice->thread;
	tc_attention_see(
		&order->operators, order->facts, span, label, label->name_class == TC_CLASS_MATRIX);
}

void tc_order_end(struct tc_order *order, const struct tc_walk_slice *slice)
{
	struct thread *thread = thread_at(order, slice->thread);

	see_operator(order, slice);
	thread->carrier_terms = 0;
	if (!counts(order, slice))
		return;
	if (thread->has_begun)
		thread->ended_terms = thread->ended_count = 0;
	thread->has_begun = false;
	if (thread->ended_count < ENDED_MAX)
		thread->ended[thread->ended_count++] = slice->span.slice_id;
	thread->ended_terms |= tc_match_terms(order->match, slice->span.label);
	thread->end_ns = slice->end_ns;
}

void tc_order_finish(struct tc_order *order)
{
	for (size_t i = 0; i < order->thread_count; i++)
		end_loop(order, thread_at(order, i), (uint32_t)i);
	tc_stretches_sort(&order->facts->row_loops);
	tc_stretches_sort(&order->facts->short_pieces);
}

/*
 * The sweep: a merge cursor for the starts, a binary heap of open slices for the ends. Of two ends
 * at one time, that of the slice that started later comes first, so inner slices end before outer
 * ones.
 */
#include "analysis/sweep.h"

#include "analysis/intervals.h"
#include "core/alloc.h"
#include "core/collections/heap.h"
#include "core/collections/pool.h"

enum { INTERRUPT_SPANS = 8192 }; /* the interrupt flag is checked once in so many slices */

/* Holds the key, so that comparing does not fetch the slice. */
struct entry {
	int64_t end_ns;
	uint64_t sequence;
	struct tc_open *open;
};

struct state {
	const struct tc_sweep *sweep;
	struct tc_ctx *ctx;
	struct tc_cursor *cursor;
	struct entry *heap;
	size_t heap_count, heap_capacity;
	struct tc_pool opens;
	uint64_t sequence;
};

void tc_open_list_append(struct tc_open_list *list, int which, struct tc_open *open)
{
	open->before[which] = list->last;
	open->after[which] = NULL;
	if (list->last)
		list->last->after[which] = open;
	else
		list->first = open;
	list->last = open;
}

void tc_open_list_remove(struct tc_open_list *list, int which, struct tc_open *open)
{
	if (open->before[which])
		open->before[which]->after[which] = open->after[which];
	else
		list->first = open->after[which];
	if (open->after[which])
		open->after[which]->before[which] = open->before[which];
	else
		list->last = open->before[which];
}

static bool entry_less(const struct entry *a, const struct entry *b)
{
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns;
	return a->sequence > b->sequence;
}

TC_HEAP(heap, struct entry, entry_less);

/* Ends every open slice that ends at or before the given time. */
static void end_until(struct state *state, int64_t time_ns)
{
	while (state->heap_count > 0 && state->heap[0].end_ns <= time_ns &&
		!tc_ctx_failed(state->ctx)) {
		struct tc_open *open = state->heap[0].open;
		state->heap[0] = state->heap[--state->heap_count];
		heap_down(state->heap, state->heap_count, 0);
		state->sweep->end(state->sweep->user, open);
		tc_pool_give(&state->opens, open);
	}
}

static void take_span(struct state *state, const struct tc_span *span)
{
	struct tc_interval interval = tc_interval_of(span->ts_ns, span->dur_ns);

	end_until(state, interval.start_ns);
	struct tc_open *open = tc_pool_take(&state->opens);
	if (!open || !TC_GROW(state->heap, state->heap_capacity, state->heap_count + 1)) {
		tc_no_memory(state->ctx);
		return;
	}
	open->span = *span;
	open->start_ns = interval.start_ns;
	open->end_ns = interval.end_ns;
	open->sequence = state->sequence++;
	state->heap[state->heap_count] = (struct entry){open->end_ns, open->sequence, open};
	heap_up(state->heap, state->heap_count++);
	if (!tc_ctx_failed(state->ctx))
		state->sweep->start(state->sweep->user, open);
}

static void walk(struct state *state)
{
	const struct tc_sweep *sweep = state->sweep;
	const struct tc_span *span;
	unsigned spans = 0;

	while (!tc_ctx_failed(state->ctx) && (span = tc_cursor_next(state->cursor))) {
		if (span->dur_ns >= 0)
			take_span(state, span);
		else if (sweep->endless)
			sweep->endless(sweep->user, span);
		if (++spans % INTERRUPT_SPANS == 0 && tc_ctx_interrupted(state->ctx))
			tc_fail(state->ctx, TC_ERR_INTERRUPTED, "interrupted");
	}
	end_until(state, INT64_MAX);
}

void tc_sweep_run(const struct tc_sweep *sweep, const struct tc_timeline *timeline,
	const uint32_t *tracks, size_t track_count)
{
	struct state state = {.sweep = sweep, .ctx = timeline->ctx};

	tc_pool_init(&state.opens, sweep->open_bytes);
	state.cursor = tc_cursor_open(timeline->spans, tracks, track_count);
	walk(&state);
	tc_cursor_close(state.cursor);
	tc_pool_clear(&state.opens);
	tc_free(state.heap);
}

/*
 * The sweep: a merge cursor for the starts, a binary heap of open slices for the ends. Of two ends
 * at one time, that of the slice that started later comes first, so inner slices end before outer
 * ones.
 */
#include "analysis/time/sweep.h"

#include "analysis/time/intervals.h"
#include "core/alloc.h"

enum {
	POOL_OPENS = 64,        /* open slices allocated at once */
	INTERRUPT_SPANS = 8192, /* the interrupt flag is checked once in so many slices */
};

struct pool_chunk {
	struct pool_chunk *next;
	_Alignas(max_align_t) char bytes[];
};

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
	struct pool_chunk *chunks;
	struct tc_open *unused; /* joined by before[0] */
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

static bool add_chunk(struct state *state)
{
	size_t align = _Alignof(max_align_t);
	size_t bytes = (state->sweep->open_bytes + align - 1) / align * align;
	struct pool_chunk *chunk = tc_malloc(sizeof(*chunk) + POOL_OPENS * bytes);

	if (!chunk)
		return false;
	chunk->next = state->chunks;
	state->chunks = chunk;
	for (size_t i = POOL_OPENS; i-- > 0;) {
		struct tc_open *open = (struct tc_open *)(void *)(chunk->bytes + i * bytes);
		open->before[0] = state->unused;
		state->unused = open;
	}
	return true;
}

static struct tc_open *take_open(struct state *state)
{
	struct tc_open *open = NULL;

	if (state->unused || add_chunk(state)) {
		open = state->unused;
		state->unused = open->before[0];
		memset(open, 0, state->sweep->open_bytes);
	}
	return open;
}

static bool entry_less(const struct entry *a, const struct entry *b)
{
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns;
	return a->sequence > b->sequence;
}

static int heap_push(struct state *state, struct tc_open *open)
{
	if (!TC_GROW(state->heap, state->heap_capacity, state->heap_count + 1))
		return -1;
	struct entry entry = {open->end_ns, open->sequence, open};
	size_t at = state->heap_count++;
	while (at > 0 && entry_less(&entry, &state->heap[(at - 1) / 2])) {
		state->heap[at] = state->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	state->heap[at] = entry;
	return 0;
}

static struct tc_open *heap_pop(struct state *state)
{
	struct entry *heap = state->heap;
	struct tc_open *top = heap[0].open;
	struct entry last = heap[--state->heap_count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= state->heap_count)
			break;
		if (child + 1 < state->heap_count && entry_less(&heap[child + 1], &heap[child]))
			child++;
		if (!entry_less(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return top;
}

/* Ends every open slice that ends at or before the given time. */
static enum tc_status end_until(struct state *state, int64_t time_ns)
{
	while (state->heap_count > 0 && state->heap[0].end_ns <= time_ns) {
		struct tc_open *open = heap_pop(state);
		enum tc_status status = state->sweep->end(state->sweep->user, open);
		if (status)
			return status;
		open->before[0] = state->unused;
		state->unused = open;
	}
	return TC_OK;
}

static enum tc_status take_span(struct state *state, const struct tc_span *span)
{
	const struct tc_sweep *sweep = state->sweep;

	if (span->dur_ns < 0)
		return sweep->endless ? sweep->endless(sweep->user, span) : TC_OK;
	struct tc_interval interval = tc_interval_of(span->ts_ns, span->dur_ns);
	enum tc_status status = end_until(state, interval.start_ns);
	if (status)
		return status;
	struct tc_open *open = take_open(state);
	if (!open)
		return tc_no_memory(state->ctx);
	open->span = *span;
	open->start_ns = interval.start_ns;
	open->end_ns = interval.end_ns;
	open->sequence = state->sequence++;
	status = sweep->start(sweep->user, open);
	if (!status && heap_push(state, open))
		status = tc_no_memory(state->ctx);
	return status;
}

static enum tc_status walk(struct state *state)
{
	const struct tc_span *span = NULL;
	enum tc_status status = TC_OK;
	unsigned spans = 0;

	while (!(status = tc_cursor_next(state->cursor, &span)) && span) {
		status = take_span(state, span);
		if (status)
			return status;
		if (++spans % INTERRUPT_SPANS == 0 && tc_ctx_interrupted(state->ctx))
			return tc_fail(state->ctx, TC_ERR_INTERRUPTED, "interrupted");
	}
	return status ? status : end_until(state, INT64_MAX);
}

enum tc_status tc_sweep_run(const struct tc_sweep *sweep, const struct tc_timeline *timeline,
	const uint32_t *tracks, size_t track_count)
{
	struct state state = {.sweep = sweep, .ctx = timeline->ctx};
	enum tc_status status = tc_cursor_open(&state.cursor, timeline, tracks, track_count);

	if (!status)
		status = walk(&state);
	tc_cursor_close(state.cursor);
	while (state.chunks) {
		struct pool_chunk *next = state.chunks->next;
		tc_free(state.chunks);
		state.chunks = next;
	}
	tc_free(state.heap);
	return status;
}

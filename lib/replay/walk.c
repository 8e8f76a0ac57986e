/*
 * The walk: a cursor over the threads' tracks and one over the lanes give the begins; a heap for
 * each gives the ends.
 */
#include "replay/walk.h"

#include <stddef.h>

#include "core/alloc.h"
#include "core/collections/heap.h"
#include "core/collections/pool.h"
#include "core/limits.h"

/* ---- threads */

/* The tracks of a timeline that a walk reads, and which host threads have a log of their own. */
struct threads {
	struct tc_arena arena;
	uint32_t *host_tracks, *lanes; /* indexes of tracks[] */
	size_t host_track_count, lane_count;
	/* by host thread: the log of a runtime that does not say which thread called */
	bool *is_unnamed;
	uint32_t *named; /* the other host threads */
	size_t named_count;
};

static bool is_runtime_log(const struct tc_track *track)
{
	return track->name.ptr && tc_text_starts(track->name, TC_TEXT("Synapse/"));
}

static void sort_out(struct threads *threads, const struct tc_timeline *timeline)
{
	for (size_t i = 0; i < timeline->host_thread_count; i++)
		threads->is_unnamed[i] = true;
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct tc_track *track = &timeline->tracks[i];
		if (track->kind == TC_TRACK_LANE) {
			threads->lanes[threads->lane_count++] = (uint32_t)i;
		} else if (track->kind == TC_TRACK_THREAD && track->host_thread >= 0 &&
			   (size_t)track->host_thread < timeline->host_thread_count) {
			threads->host_tracks[threads->host_track_count++] = (uint32_t)i;
			if (!is_runtime_log(track))
				threads->is_unnamed[track->host_thread] = false;
		}
	}
	for (size_t i = 0; i < timeline->host_thread_count; i++)
		if (!threads->is_unnamed[i])
			threads->named[threads->named_count++] = (uint32_t)i;
}

/* tc_arena_clear(&threads->arena) afterwards, also when it failed. */
static void find_threads(struct threads *threads, const struct tc_timeline *timeline)
{
	*threads = (struct threads){.arena.ctx = timeline->ctx};
	TC_ARENA(&threads->arena, threads->host_tracks, timeline->track_count);
	TC_ARENA(&threads->arena, threads->lanes, timeline->track_count);
	TC_ARENA(&threads->arena, threads->is_unnamed, timeline->host_thread_count);
	TC_ARENA(&threads->arena, threads->named, timeline->host_thread_count);
	if (!tc_ctx_failed(timeline->ctx))
		sort_out(threads, timeline);
}

enum { INTERRUPT_SPANS = 8192 }; /* spans between two checks of the interrupt flag */

struct entry {
	int64_t end_ns;
	uint64_t order; /* of ends at one time */
	void *item;
};

/* The open host slices, or the device work under way. */
struct side {
	struct tc_cursor *cursor;
	const struct tc_span *next; /* next to begin; NULL at the end */
	struct entry *heap;
	size_t heap_count, heap_capacity;
	struct tc_pool pool;
	/* At one time the end of the later begin comes first: inner slices end before those around
	 * them. Device work ends in the order of its starts. */
	bool later_first;
};

struct state {
	const struct tc_walk *walk;
	const struct tc_timeline *timeline;
	struct side host, device;
	struct threads threads;
	/* By thread: its open slice that began last. From there `around` leads to each open slice
	 * that no later one outlasts. The others hold nothing that is still to begin. */
	struct tc_walk_slice **tops;
	uint64_t sequence;
	unsigned spans;
};

static bool entry_less(const struct entry *a, const struct entry *b)
{
	return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->order < b->order;
}

TC_HEAP(heap, struct entry, entry_less);

static void await_end(
	struct state *state, struct side *side, int64_t end_ns, uint64_t sequence, void *item)
{
	if (!TC_ROOM(state->timeline->ctx, side->heap, side->heap_capacity, side->heap_count + 1))
		return;
	side->heap[side->heap_count] =
		(struct entry){end_ns, side->later_first ? ~sequence : sequence, item};
	heap_up(side->heap, side->heap_count++);
}

static void *take_end(struct side *side)
{
	void *item = side->heap[0].item;

	side->heap[0] = side->heap[--side->heap_count];
	heap_down(side->heap, side->heap_count, 0);
	return item;
}

/* The walk skips slices without an end, and spans on a lane that are not work. */
static bool counts(const struct state *state, const struct side *side, const struct tc_span *span)
{
	if (span->dur_ns < 0)
		return false;
	return side == &state->host || tc_span_engine(state->timeline, span) != TC_ENGINE_NONE;
}

static void advance(struct state *state, struct side *side)
{
	do {
		side->next = tc_cursor_next(side->cursor);
		if (++state->spans % INTERRUPT_SPANS == 0 &&
			tc_ctx_interrupted(state->timeline->ctx))
			tc_fail(state->timeline->ctx, TC_ERR_INTERRUPTED, "interrupted");
	} while (side->next && !counts(state, side, side->next) &&
		 !tc_ctx_failed(state->timeline->ctx));
}

static int64_t clamped(int64_t time_ns)
{
	return time_ns > TC_TIME_MAX_NS    ? TC_TIME_MAX_NS
	       : time_ns < -TC_TIME_MAX_NS ? -TC_TIME_MAX_NS
					   : time_ns;
}

static int64_t end_of(const struct tc_span *span)
{
	return clamped(clamped(span->ts_ns) + span->dur_ns);
}

/* The open slice of a thread that began last of those that last until end_ns; NULL for none. */
static struct tc_walk_slice *holder(const struct state *state, uint32_t thread, int64_t end_ns)
{
	struct tc_walk_slice *slice = state->tops[thread];

	while (slice && slice->end_ns < end_ns)
		slice = slice->around;
	return slice;
}

/* Whether the slice is from a runtime's own log. */
static bool is_logged(const struct state *state, const struct tc_walk_slice *slice)
{
	int32_t thread = state->timeline->tracks[slice->span.track].host_thread;

	return thread >= 0 && state->threads.is_unnamed[thread];
}

/* Whether the slice is in a task of a thread that launches what others hand over. */
static bool is_launching(const struct state *state, const struct tc_walk_slice *slice)
{
	while (slice &&
		state->timeline->labels[slice->span.label].call_class != TC_CALL_LAUNCH_TASK)
		slice = slice->around;
	return slice;
}

/* The thread whose shortest open slice encloses a call of a runtime's own log. A thread makes one
 * such call at a time, so one that is in such a call comes last; and so does, for a wait, one that
 * launches what others hand over: it goes on with the next task. */
static uint32_t caller_of(const struct state *state, const struct tc_walk_slice *call)
{
	bool is_wait = tc_span_role(state->timeline, &call->span) == TC_ROLE_SYNC;
	const struct tc_walk_slice *best = NULL;
	bool in_call = false;

	for (size_t i = 0; i < state->threads.named_count; i++) {
		const struct tc_walk_slice *slice =
			holder(state, state->threads.named[i], call->end_ns);
		if (!slice)
			continue;
		bool calls = is_logged(state, slice) || (is_wait && is_launching(state, slice));
		bool is_shorter =
			best && slice->end_ns - slice->span.ts_ns < best->end_ns - best->span.ts_ns;
		if (best && (calls != in_call ? calls : !is_shorter))
			continue;
		best = slice;
		in_call = calls;
	}
	return best ? best->thread : call->thread;
}

static void begin_slice(struct state *state)
{
	const struct tc_span *span = state->host.next;
	struct tc_walk_slice *slice = tc_pool_take(&state->host.pool);

	if (!slice) {
		tc_no_memory(state->timeline->ctx);
		return;
	}
	slice->span = *span;
	slice->span.ts_ns = clamped(span->ts_ns);
	slice->end_ns = end_of(span);
	slice->sequence = state->sequence++;
	slice->thread = (uint32_t)state->timeline->tracks[span->track].host_thread;
	if (state->threads.is_unnamed[slice->thread])
		slice->thread = caller_of(state, slice);
	slice->around = holder(state, slice->thread, slice->end_ns);
	state->walk->slice_begins(state->walk->user, slice);
	await_end(state, &state->host, slice->end_ns, slice->sequence, slice);
	state->tops[slice->thread] = slice;
	advance(state, &state->host);
}

static void end_slice(struct state *state)
{
	struct tc_walk_slice *slice = take_end(&state->host);

	state->walk->slice_ends(state->walk->user, slice);
	if (state->tops[slice->thread] == slice)
		state->tops[slice->thread] = slice->around;
	tc_pool_give(&state->host.pool, slice);
}

static void start_op(struct state *state)
{
	const struct tc_span *span = state->device.next;
	struct tc_walk_op *op = tc_pool_take(&state->device.pool);

	if (!op) {
		tc_no_memory(state->timeline->ctx);
		return;
	}
	op->span = *span;
	op->span.ts_ns = clamped(span->ts_ns);
	op->end_ns = end_of(span);
	op->sequence = state->sequence++;
	op->engine = tc_span_engine(state->timeline, span);
	state->walk->op_starts(state->walk->user, op);
	await_end(state, &state->device, op->end_ns, op->sequence, op);
	advance(state, &state->device);
}

static void end_op(struct state *state)
{
	struct tc_walk_op *op = take_end(&state->device);

	state->walk->op_ends(state->walk->user, op);
	tc_pool_give(&state->device.pool, op);
}

static int64_t next_of(const struct side *side, int64_t next_ns)
{
	if (side->heap_count > 0 && side->heap[0].end_ns < next_ns)
		next_ns = side->heap[0].end_ns;
	if (side->next && clamped(side->next->ts_ns) < next_ns)
		next_ns = clamped(side->next->ts_ns);
	return next_ns;
}

static bool ends_at(const struct side *side, int64_t time_ns)
{
	return side->heap_count > 0 && side->heap[0].end_ns == time_ns;
}

static bool begins_at(const struct side *side, int64_t time_ns)
{
	return side->next && clamped(side->next->ts_ns) == time_ns;
}

static void walk_instant(struct state *state, int64_t time_ns)
{
	const struct tc_ctx *ctx = state->timeline->ctx;

	while (!tc_ctx_failed(ctx) && ends_at(&state->device, time_ns))
		end_op(state);
	while (!tc_ctx_failed(ctx) && ends_at(&state->host, time_ns))
		end_slice(state);
	while (!tc_ctx_failed(ctx) && begins_at(&state->host, time_ns))
		begin_slice(state);
	while (!tc_ctx_failed(ctx) && ends_at(&state->host, time_ns))
		end_slice(state);
	while (!tc_ctx_failed(ctx) && begins_at(&state->device, time_ns))
		start_op(state);
	while (!tc_ctx_failed(ctx) && ends_at(&state->device, time_ns))
		end_op(state);
}

static void open_side(struct state *state, struct side *side, const uint32_t *tracks,
	size_t track_count, size_t item_bytes)
{
	tc_pool_init(&side->pool, item_bytes);
	side->cursor = tc_cursor_open(state->timeline->spans, tracks, track_count);
	advance(state, side);
}

static void close_side(struct side *side)
{
	tc_cursor_close(side->cursor);
	tc_pool_clear(&side->pool);
	tc_free(side->heap);
}

static void open_walk(struct state *state)
{
	const struct tc_walk *walk = state->walk;
	struct threads *threads = &state->threads;

	find_threads(threads, state->timeline);
	TC_ARENA(&threads->arena, state->tops, state->timeline->host_thread_count);
	if (tc_ctx_failed(state->timeline->ctx))
		return;
	state->host.later_first = true;
	open_side(state, &state->host, threads->host_tracks, threads->host_track_count,
		walk->slice_bytes);
	open_side(state, &state->device, threads->lanes, walk->op_starts ? threads->lane_count : 0,
		walk->op_bytes);
}

void tc_walk_run(const struct tc_walk *walk, const struct tc_timeline *timeline)
{
	struct state state = {.walk = walk, .timeline = timeline};

	open_walk(&state);
	for (;;) {
		int64_t time_ns = next_of(&state.device, next_of(&state.host, INT64_MAX));
		if (tc_ctx_failed(timeline->ctx) || time_ns == INT64_MAX)
			break;
		walk_instant(&state, time_ns);
	}
	close_side(&state.host);
	close_side(&state.device);
	tc_arena_clear(&state.threads.arena);
}

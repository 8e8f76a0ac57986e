/*
 * What host slices and threads waited for: calls for what released them (release.c), threads for
 * each other. docs/waits.md has the rules.
 */
#include <string.h>

#include "analysis/intervals.h"
#include "core/array.h"
#include "core/saturate.h"
#include "replay/edges.h"

/*
 * ---- graphs
 *
 * A bridge makes graphs of operations. The operations since the
 * last launch and the graph's nodes on the device show what it is made of.
 */

static void count_built(struct tc_edge_thread *thread, const struct tc_edge_slice *slice)
{
	size_t i = 0;

	while (i < TC_EDGE_BUILT && thread->built[i].count > 0 &&
		memcmp(&thread->built[i].work, &slice->work, sizeof(slice->work)) != 0)
		i++;
	thread->built_count++;
	if (i == TC_EDGE_BUILT)
		return;
	thread->built[i].work = slice->work;
	thread->built[i].count++;
}

/* An operation becomes part of the next graph of its thread, wherever that is launched. Launching
 * it gives what encloses all its operations. */
static void note_built(struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, slice->slice.thread);
	const struct tc_label *label = &edges->timeline->labels[slice->slice.span.label];
	const struct tc_edge_slice *around = (const void *)slice->slice.around;

	if (slice->role == TC_ROLE_GRAPH_BUILD && around && around->role == TC_ROLE_DISPATCH)
		count_built(thread, around);
	if (!label->is_op || slice->role != TC_ROLE_DISPATCH)
		return;
	thread->built_inside =
		thread->has_built ? thread->built_inside & slice->inside : slice->inside;
	thread->has_built = true;
}

/* Finds whether a slice that begins ends a graph because an operation around it reads a result. The
 * graph is that of the operations before, and would be built and launched without the read, too. */
static void find_flush(const struct tc_edges *edges, struct tc_edge_slice *slice)
{
	const struct tc_edge_slice *around = (const void *)slice->slice.around;
	enum tc_mark mark = edges->timeline->labels[slice->slice.span.label].mark;
	bool is_cut = mark == TC_MARK_BRIDGE_CUT;

	slice->is_flush = is_cut && around && around->reads;
	slice->is_in_flush = slice->is_flush || (around && around->is_in_flush);
	slice->reads = mark == TC_MARK_COPY_CARRIER || mark == TC_MARK_READ_CARRIER ||
		       (!is_cut && around && around->reads);
}

static tc_terms take_built(struct tc_edge_thread *thread)
{
	tc_terms inside = thread->has_built ? thread->built_inside : 0;

	thread->has_built = false;
	thread->built_count = 0;
	memset(thread->built, 0, sizeof(thread->built));
	return inside;
}

/* What encloses the work that the slice launches; takes what was built. */
static tc_terms launched_inside(struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, slice->slice.thread);
	tc_terms inside = thread->has_built && slice->is_in_flush ? 0 : slice->inside;

	return inside | take_built(thread);
}

static void save_with(struct tc_edges *edges, const struct tc_edge_thread *thread,
	int64_t amount_ns, const struct tc_clause_set *one, const struct tc_clause_set *other)
{
	struct tc_clause_set either = *one;

	tc_clause_set_join(&either, other);
	tc_slots_save(&edges->slots, thread->slot, thread->last_ns, amount_ns,
		tc_slots_mask(&edges->slots, &either));
}

/* Each operation that edits remove takes its part of the time in which operations become nodes. */
static void save_by_op(struct tc_edges *edges, const struct tc_edge_thread *thread,
	const struct tc_edge_slice *slice, int64_t own_ns)
{
	int64_t left_ns = own_ns;

	for (size_t i = 0; i < TC_EDGE_BUILT && thread->built[i].count > 0; i++) {
		int64_t part_ns =
			tc_scale_saturated(own_ns, thread->built[i].count, thread->built_count);
		left_ns -= part_ns;
		save_with(edges, thread, part_ns, &slice->work, &thread->built[i].work);
	}
	tc_slots_save(&edges->slots, thread->slot, thread->last_ns, left_ns, slice->work_mask);
}

/* The time for the nodes of one group. Fused nodes become one, however much of their work stays. */
static void save_by_group(struct tc_edges *edges, const struct tc_edge_thread *thread,
	const struct tc_edge_slice *slice, const struct tc_lowered_group *group, int64_t part_ns)
{
	struct tc_clause_set gone = {{0}}, fused;
	int64_t one_ns = part_ns / group->node_count;

	for (uint32_t left = group->clauses; left; left &= left - 1)
		tc_clause_set_add(&gone, edges->habits.clauses[__builtin_ctz(left)].clause);
	fused = gone;
	for (uint32_t left = group->clauses; left; left &= left - 1)
		if (edges->habits.clauses[__builtin_ctz(left)].fuses)
			tc_clause_set_add(
				&fused, edges->habits.clauses[__builtin_ctz(left)].clause + 1);
	save_with(edges, thread, one_ns, &slice->work, &gone);
	save_with(edges, thread, part_ns - one_ns, &slice->work, &fused);
}

/* The slice has made a graph for own_ns. Takes off the part of the nodes and operations that edits
 * remove. */
static void lower(struct tc_edges *edges, const struct tc_edge_thread *thread,
	const struct tc_edge_slice *slice, int64_t own_ns)
{
	const struct tc_lowered *graph = slice->lowered;
	int64_t left_ns = own_ns;

	for (size_t i = 0; i < TC_LOWERED_GROUPS && graph->groups[i].clauses; i++) {
		int64_t part_ns =
			tc_scale_saturated(own_ns, graph->groups[i].node_count, graph->node_count);
		left_ns -= part_ns;
		save_by_group(edges, thread, slice, &graph->groups[i], part_ns);
	}
	save_by_op(edges, thread, slice, left_ns);
}

static struct tc_edge_slice *edge_slice(struct tc_walk_slice *slice)
{
	return (struct tc_edge_slice *)(void *)slice;
}

/* ---- threads */

static void make_newest(struct tc_edges *edges, uint32_t index)
{
	edges->newest_thread = index;
	if (edges->habits.threads[index].only_launches || edges->newest_workers[0] == index)
		return;
	edges->newest_workers[1] = edges->newest_workers[0];
	edges->newest_workers[0] = index;
}

/* Adds the work of the thread since the last call to the program, for the critical path. */
static void add_spent(struct tc_edges *edges, struct tc_edge_thread *thread)
{
	if (thread->last_ns > thread->spent_from_ns) {
		const struct tc_replay_op op = {.kind = TC_REPLAY_SPEND,
			.piece = TC_PIECE_HOST,
			.dst = thread->slot,
			.label = thread->spent_label,
			.role_or_engine = (uint16_t)thread->spent_role,
			.track = thread->track,
			.time_ns = thread->last_ns,
			.amount_ns = thread->last_ns - thread->spent_from_ns};
		tc_slots_add(&edges->slots, &op);
	}
	thread->spent_from_ns = thread->last_ns;
}

static void begin_thread(struct tc_edges *edges, uint32_t index, int64_t time_ns, uint32_t src)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	const struct tc_replay_op op = {.kind = TC_REPLAY_POINT,
		.piece = TC_PIECE_WAKE,
		.dst = thread->slot = tc_slot_take(&edges->slots),
		.src = src,
		.label = UINT32_MAX,
		.time_ns = time_ns};

	tc_slots_add(&edges->slots, &op);
	thread->last_ns = thread->spent_from_ns = time_ns;
	make_newest(edges, index);
}

/* A slot that holds the point where the thread is now. */
static struct tc_point capture(struct tc_edges *edges, uint32_t index)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	const struct tc_replay_op op = {.kind = TC_REPLAY_POINT,
		.piece = TC_PIECE_NONE,
		.dst = tc_slot_take(&edges->slots),
		.src = thread->slot,
		.label = UINT32_MAX,
		.time_ns = thread->last_ns};

	add_spent(edges, thread);
	tc_slots_add(&edges->slots, &op);
	return (struct tc_point){op.dst, thread->last_ns};
}

static void take_capture(struct tc_edges *edges, uint32_t index, struct tc_point *holder)
{
	tc_slot_release(&edges->slots, holder->slot);
	*holder = capture(edges, index);
}

/* The thread goes on at time_ns. It also waited for `waited`; without a slot that is something
 * outside of the recording, which no edit makes earlier. */
static void join(struct tc_edges *edges, uint32_t index, enum tc_rule rule, int64_t own_slack_ns,
	struct tc_point waited, uint16_t frees)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	const struct tc_replay_op op = {.kind = TC_REPLAY_JOIN,
		.piece = (uint8_t)tc_rule_piece(rule),
		.mask = frees,
		.dst = thread->slot,
		.src = waited.slot,
		.label = UINT32_MAX,
		.time_ns = thread->last_ns,
		.amount_ns = own_slack_ns - (thread->last_ns - waited.time_ns)};

	add_spent(edges, thread);
	tc_slots_add(&edges->slots, &op);
}

/* The call waits, whatever for: it has no other purpose, or it takes much longer than is usual
 * while the recording shows no work that it may wait for, because devices work on what was launched
 * before. */
static bool only_waits(
	const struct tc_edges *edges, const struct tc_edge_slice *slice, int64_t own_ns)
{
	return slice->role == TC_ROLE_SYNC ||
	       (!edges->any_launch && slice->may_wait &&
		       tc_usual_is_held_up(&edges->habits.usual, slice->slice.span.label, own_ns));
}

/* The thread worked until time_ns. Threads that only launch do so beside the others. */
static void note_work(struct tc_edges *edges, uint32_t index, int64_t time_ns)
{
	const struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	int64_t from_ns = thread->last_ns;

	if (thread->slot == TC_SLOT_NONE || time_ns <= from_ns ||
		(thread->top && only_waits(edges, thread->top, time_ns - from_ns)))
		return;
	if ((int32_t)index == edges->habits.main_thread) {
		edges->worked_ns += time_ns - from_ns;
		edges->counted_others_ns = edges->others_ns;
	} else if (!edges->habits.threads[index].only_launches) {
		if (from_ns < edges->others_until_ns)
			from_ns = edges->others_until_ns;
		if (time_ns > from_ns)
			edges->others_ns += time_ns - from_ns;
		if (time_ns > edges->others_until_ns)
			edges->others_until_ns = time_ns;
	}
}

/* The thread was silent until time_ns: counts what other threads did meanwhile. */
static void note_silence(struct tc_edges *edges, uint32_t index, int64_t time_ns)
{
	int64_t silent_ns = time_ns - tc_edge_thread_at(edges, index)->last_ns;
	int64_t others_ns = edges->others_ns - edges->counted_others_ns;

	if ((int32_t)index != edges->habits.main_thread)
		return;
	edges->worked_ns += others_ns < silent_ns ? others_ns : silent_ns;
	edges->counted_others_ns = edges->others_ns;
}

/* What the thread does on the critical path: a step says no more than that it is in one. */
static enum tc_role spent_in(const struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	if (!slice || edges->timeline->labels[slice->slice.span.label].is_step)
		return TC_ROLE_NONE;
	return slice->shown == TC_ROLE_NONE ? TC_ROLE_OTHER : slice->shown;
}

/* The thread has come to time_ns, in the slice on top of its stack or in none. */
static void move_to(struct tc_edges *edges, uint32_t index, int64_t time_ns, uint16_t mask)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	const struct tc_edge_slice *top = thread->top;
	uint32_t label = top ? top->slice.span.label : UINT32_MAX;
	enum tc_role role = spent_in(edges, top);

	if (thread->slot == TC_SLOT_NONE) {
		begin_thread(edges, index, time_ns, TC_SLOT_NONE);
		return;
	}
	if (label != thread->spent_label || role != thread->spent_role) {
		add_spent(edges, thread);
		thread->spent_label = label;
		thread->spent_role = role;
	}
	tc_slots_save(&edges->slots, thread->slot, time_ns, time_ns - thread->last_ns, mask);
	if (time_ns > thread->last_ns)
		thread->last_ns = time_ns;
	make_newest(edges, index);
}

/* The thread passes a silence on its way to time_ns, in slices that lose the time of the mask. */
static void pass_silence(struct tc_edges *edges, uint32_t index, int64_t time_ns, uint16_t mask)
{
	const struct tc_silence *silence =
		tc_silences_next(&edges->habits.silences, &edges->silence, time_ns);
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	struct tc_clause_set takes, leaves;

	if (!silence || silence->from_ns >= time_ns || thread->slot == TC_SLOT_NONE ||
		(silence->kind == TC_SILENCE_COMPILE && silence->thread != (int32_t)index))
		return;
	struct tc_interval part =
		tc_interval_cut((struct tc_interval){silence->from_ns, silence->until_ns},
			(struct tc_interval){thread->last_ns, time_ns});
	if (tc_interval_measure(part) == 0)
		return;
	tc_match_silence(
		&takes, &leaves, edges->match, silence, thread->top ? thread->top->inside : 0);
	move_to(edges, index, part.start_ns, mask);
	if (thread->top && mask == thread->top->work_mask)
		tc_clause_set_join(&takes, &thread->top->work);
	takes = tc_clause_set_without(&takes, &leaves);
	move_to(edges, index, part.end_ns, tc_slots_mask(&edges->slots, &takes));
}

/* Moves the thread to a time until which it worked. */
static void advance(struct tc_edges *edges, uint32_t index, int64_t time_ns, uint16_t mask)
{
	note_work(edges, index, time_ns);
	if (edges->silence < edges->habits.silences.count)
		pass_silence(edges, index, time_ns, mask);
	move_to(edges, index, time_ns, mask);
}

/* ---- waits */

/* The last part of a stretch, from free_ns before its end, was a wait. Calls whose purpose is to
 * wait or to copy may have no such part. */
static void end_wait(struct tc_edges *edges, uint32_t index, const struct tc_edge_slice *slice,
	const struct tc_edge_wait *wait, int64_t free_ns)
{
	int64_t time_ns = tc_edge_thread_at(edges, index)->last_ns + free_ns;
	int64_t after_ns = free_ns; /* how long the call lasted after its release */
	struct tc_clause_set frees = slice->frees;

	if (wait->is_wait && time_ns - wait->released_by.time_ns < after_ns)
		after_ns = time_ns - wait->released_by.time_ns;
	move_to(edges, index, time_ns - after_ns, 0);
	advance(edges, index, time_ns, slice->wait_mask);
	if (wait->is_unsure)
		tc_clause_set_add(&frees, TC_CLAUSE_UNSURE);
	if (wait->is_wait)
		join(edges, index, wait->is_unsure ? TC_RULE_AHEAD : TC_RULE_RELEASE, free_ns,
			wait->released_by, tc_slots_mask(&edges->slots, &frees));
	if (wait->owns_slot)
		tc_slot_release(&edges->slots, wait->released_by.slot);
}

/* A call for a batch waited for the workers since a point: they had it ready early_ns before it
 * ended. */
static void join_workers(struct tc_edges *edges, struct tc_edge_thread *thread,
	const struct tc_edge_slice *slice, struct tc_point since, int64_t early_ns,
	struct tc_clause_set frees)
{
	tc_clause_set_add(&frees, TC_CLAUSE_LOADER_KEEPS_UP);
	const struct tc_replay_op op = {.kind = TC_REPLAY_JOIN,
		.piece = (uint8_t)tc_rule_piece(TC_RULE_WORKERS),
		.mask = tc_slots_mask(&edges->slots, &frees),
		.dst = thread->slot,
		.src = since.slot,
		.label = slice->slice.span.label,
		.role_or_engine = (uint16_t)slice->role,
		.track = thread->track,
		.time_ns = thread->last_ns,
		.amount_ns = -early_ns};

	add_spent(edges, thread);
	tc_slots_add(&edges->slots, &op);
}

/* The last part of a call for a batch, from free_ns before its end, was a wait for the loader's
 * workers. They deliver at their own rate since they started: if the host asks sooner, it waits
 * longer, by the loader's time. If they had nothing to do, they began when they were asked. */
static void end_loader_wait(struct tc_edges *edges, uint32_t index,
	const struct tc_edge_slice *slice, const struct tc_edge_wait *wait, int64_t free_ns)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	struct tc_edge_loader *loader = &thread->loader;
	struct tc_clause_set frees = slice->wait;
	int64_t since = loader->call_count - (loader->lasting_call > 0 ? loader->lasting_call : 1);
	int64_t asked = since < TC_LOADER_ASKED ? since : TC_LOADER_ASKED;

	if (!wait->starts_workers)
		tc_clause_set_add(&frees, TC_CLAUSE_LOADER_KEEPS_UP);
	advance(edges, index, thread->last_ns + free_ns, tc_slots_mask(&edges->slots, &frees));
	loader->lasting_call = loader->base_call = loader->call_count;
	loader->base_ns = thread->last_ns;
	if (wait->starts_workers) {
		take_capture(edges, index, &loader->start);
		return;
	}
	loader->rate_call = loader->call_count;
	loader->rate_ns = thread->last_ns;
	loader->is_unsure = loader->is_unsure || (since > TC_LOADER_ASKED && wait->is_rare);
	if (loader->is_unsure && since > 0) {
		join_workers(edges, thread, slice,
			loader->taken[(loader->call_count - asked) % TC_LOADER_ASKED], 0, frees);
		tc_clause_set_add(&frees, TC_CLAUSE_UNSURE);
	}
	join_workers(edges, thread, slice, loader->start, 0, frees);
}

/* Batches that come sooner than the rate says, by more than this part of the time since the last
 * wait, show that the workers have become faster. */
#define RATE_PART 8

/* A call that found its batch ready. Where the rate of the workers is known, they had it ready when
 * that rate says, counted from the last batch that was waited for, and no sooner. */
static void end_ready_call(struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, slice->slice.thread);
	struct tc_edge_loader *state = &thread->loader;
	const struct tc_loader *loader =
		tc_loaders_at(&edges->habits.loaders, slice->slice.span.label);
	struct tc_clause_set frees = slice->wait;

	if (slice->role != TC_ROLE_DATALOADER || !slice->may_wait || !loader)
		return;
	take_capture(
		edges, slice->slice.thread, &state->taken[state->call_count % TC_LOADER_ASKED]);
	if (loader->rate_ns == 0 || state->base_call == 0 || state->base_call == state->call_count)
		return;
	int64_t rate_ns = tc_mul_saturated(loader->rate_ns, state->call_count - state->base_call);
	int64_t early_ns = tc_sub_saturated(thread->last_ns - state->base_ns, rate_ns);
	if (state->is_unsure)
		tc_clause_set_add(&frees, TC_CLAUSE_UNSURE);
	if (early_ns >= -rate_ns / RATE_PART)
		join_workers(
			edges, thread, slice, state->start, early_ns > 0 ? early_ns : 0, frees);
}

/* The call has waited until no work of a device was left, and then done its own work. */
static void end_drain(struct tc_edges *edges, uint32_t index, const struct tc_edge_slice *slice,
	int64_t from_ns, int64_t time_ns)
{
	int64_t idle_ns = edges->ended.time_ns > from_ns ? edges->ended.time_ns : from_ns;

	move_to(edges, index, idle_ns, 0);
	join(edges, index, TC_RULE_DRAIN, idle_ns - from_ns, edges->ended, slice->frees_mask);
	advance(edges, index, time_ns, slice->work_mask);
}

/* Work under way shows that the call did not wait for it. */
static bool is_drain(const struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	return edges->timeline->labels[slice->slice.span.label].is_drain &&
	       edges->ended.slot != TC_SLOT_NONE && edges->open_count == 0;
}

/* A stretch of a slice's own time ends: at the end of the slice, or where a slice within it
 * begins. */
static void end_stretch(
	struct tc_edges *edges, uint32_t index, struct tc_edge_slice *slice, int64_t time_ns)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	int64_t from_ns = slice->slice.span.ts_ns;
	struct tc_edge_wait wait = {0};

	if (thread->slot != TC_SLOT_NONE && thread->last_ns > from_ns)
		from_ns = thread->last_ns;
	int64_t own_ns = time_ns - from_ns;
	if (own_ns > 0 && is_drain(edges, slice)) {
		end_drain(edges, index, slice, from_ns, time_ns);
		return;
	}
	if (slice->may_wait && own_ns > 0)
		wait = tc_edges_wait_of(edges, slice, own_ns, time_ns);
	if (slice->lowered && !wait.is_wait) {
		int64_t lower_ns = time_ns - thread->last_ns;
		advance(edges, index, time_ns, 0);
		lower(edges, thread, slice, lower_ns);
		return;
	}
	if (!wait.is_wait && slice->role != TC_ROLE_SYNC && slice->role != TC_ROLE_INPUT_COPY) {
		advance(edges, index, time_ns, slice->work_mask);
		return;
	}
	int64_t free_ns = own_ns > wait.cost_ns ? own_ns - wait.cost_ns : 0;
	advance(edges, index, time_ns - free_ns, slice->work_mask);
	if (slice->role == TC_ROLE_DATALOADER)
		end_loader_wait(edges, index, slice, &wait, free_ns);
	else
		end_wait(edges, index, slice, &wait, free_ns);
}

/* ---- hand-overs */

static uint16_t frees_of(const struct tc_edge_thread *thread)
{
	return thread->top ? thread->top->frees_mask : 0;
}

/* A server recorded nothing for so long that it had no request. The next one comes after the
 * answer, and the answer needs all device work. */
static bool wake_for_request(struct tc_edges *edges, uint32_t index, int64_t time_ns)
{
	const struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	int64_t own_ns = time_ns - thread->last_ns;

	if (thread->slot == TC_SLOT_NONE || thread->top || edges->ended.slot == TC_SLOT_NONE ||
		!tc_server_has_no_work(&edges->habits.server,
			time_ns - tc_edge_thread_at(edges, edges->newest_thread)->last_ns))
		return false;
	advance(edges, index, time_ns, 0);
	join(edges, index, TC_RULE_REQUEST, own_ns, edges->ended, 0);
	return true;
}

/* A thread goes on after a silence: what another thread did last has woken it. In a loader, it
 * works itself or waits for worker processes that the recording does not show. */
static void wake(struct tc_edges *edges, uint32_t index, int64_t time_ns)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	bool has_begun = thread->slot != TC_SLOT_NONE;
	uint32_t other = edges->newest_workers[edges->newest_workers[0] == index];

	if (wake_for_request(edges, index, time_ns))
		return;
	if ((has_begun && time_ns - thread->last_ns <= TC_HANDOVER_NS) ||
		other == TC_INDEX_NONE_32 ||
		(thread->top && thread->top->role == TC_ROLE_DATALOADER))
		return;
	const struct tc_point waker = {
		tc_edge_thread_at(edges, other)->slot, tc_edge_thread_at(edges, other)->last_ns};
	if (!has_begun) {
		add_spent(edges, tc_edge_thread_at(edges, other));
		begin_thread(edges, index, time_ns, waker.slot);
	} else if (waker.time_ns > thread->last_ns) {
		int64_t slack_ns = time_ns - thread->last_ns;
		add_spent(edges, tc_edge_thread_at(edges, other));
		note_silence(edges, index, waker.time_ns);
		move_to(edges, index, waker.time_ns, 0);
		advance(edges, index, time_ns, thread->top ? thread->top->work_mask : 0);
		join(edges, index, TC_RULE_SILENCE, slack_ns, waker, frees_of(thread));
	}
}

struct tc_point tc_edges_launched_at(const struct tc_edges *edges, const struct tc_launching *call)
{
	const struct tc_edge_thread *thread = tc_edge_thread_at(edges, call->thread);

	return call->end.slot != TC_SLOT_NONE ? call->end
					      : (struct tc_point){thread->slot, thread->last_ns};
}

static struct tc_launching *handover_at(const struct tc_edges *edges, int64_t number)
{
	return &edges->handovers[number % TC_EDGE_HANDOVERS];
}

/* The number of the hand-over of a task; -1 when it is not in the recording. Tasks are taken in the
 * order of their hand-overs, so the next one is right unless slices were lost. A thread that was
 * idle shows which: the latest hand-over, or the one before it that has just ended. */
static int64_t handover_of(struct tc_edges *edges, int64_t task, int64_t time_ns, bool was_idle)
{
	int64_t handover = task + edges->handover_lead, latest = edges->handover_count - 1;

	if (was_idle && latest >= 0) {
		int64_t before = latest - 1;
		if (handover_at(edges, latest)->end.slot == TC_SLOT_NONE &&
			before > edges->taken_handover &&
			time_ns - handover_at(edges, before)->end.time_ns <= TC_HANDOVER_NS)
			latest = before;
		handover = latest > edges->taken_handover ? latest : -1;
	}
	if (handover < 0 || handover >= edges->handover_count ||
		handover < edges->handover_count - TC_EDGE_HANDOVERS)
		return -1;
	edges->handover_lead = handover - task;
	edges->taken_handover = handover;
	return handover;
}

/* A task begins on the launching thread: another thread handed it over. */
static void take_task(struct tc_edges *edges, uint32_t index, const struct tc_edge_slice *slice)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, index);
	int64_t time_ns = slice->slice.span.ts_ns;
	bool has_begun = thread->slot != TC_SLOT_NONE;
	bool was_idle = has_begun && time_ns - thread->last_ns > TC_HANDOVER_NS;
	int64_t handover = handover_of(edges, slice->task, time_ns, was_idle);

	thread->handover_step = -1;
	if (handover < 0) {
		wake(edges, index, time_ns);
		return;
	}
	struct tc_point point = tc_edges_launched_at(edges, handover_at(edges, handover));
	thread->handover_inside = handover_at(edges, handover)->inside;
	/* A thread that was idle is not behind: its launches are of the current step. */
	thread->handover_step = was_idle ? -1 : handover_at(edges, handover)->step;
	if (!has_begun) {
		begin_thread(edges, index, time_ns, point.slot);
		return;
	}
	int64_t slack_ns = time_ns - thread->last_ns;
	advance(edges, index, time_ns, 0);
	join(edges, index, TC_RULE_TASK, slack_ns, point, 0);
}

/* ---- slices */

/* What encloses a slice; for a task, what encloses its hand-over. */
static tc_terms around_of(const struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	const struct tc_edge_slice *around = (const void *)slice->slice.around;

	if (around)
		return around->inside;
	return tc_is_task(&edges->timeline->labels[slice->slice.span.label])
		       ? tc_edge_thread_at(edges, slice->slice.thread)->handover_inside
		       : 0;
}

static void match_slice(struct tc_edges *edges, struct tc_edge_slice *slice)
{
	const struct tc_edge_slice *around = (const void *)slice->slice.around;
	struct tc_slice_match match;

	tc_match_slice(&match, edges->match, &slice->slice.span, around_of(edges, slice));
	slice->inside = match.inside;
	if (around && !slice->is_flush)
		slice->whole = around->whole;
	tc_clause_set_join(&slice->whole, &match.whole);
	for (size_t i = 0; i < edges->habits.clause_count; i++) {
		const struct tc_habit_clause *clause = &edges->habits.clauses[i];
		if (slice->slice.span.dur_ns < edges->habits.facts.long_ns &&
			tc_slice_bits_get(&clause->gone, slice->slice.span.slice_id))
			tc_clause_set_add(&slice->whole, clause->clause);
	}
	slice->work = slice->frees = slice->whole;
	tc_clause_set_join(&slice->work, &match.own);
	for (size_t i = 0; i < TC_CLAUSE_WORDS; i++)
		slice->frees.words[i] =
			(slice->whole.words[i] & edges->full.words[i]) | match.nowait.words[i];
	slice->wait = slice->work;
	tc_clause_set_join(&slice->wait, &match.nowait);
	slice->work_mask = tc_slots_mask(&edges->slots, &slice->work);
	slice->wait_mask = tc_slots_mask(&edges->slots, &slice->wait);
	slice->frees_mask = tc_slots_mask(&edges->slots, &slice->frees);
}

static void note_call(struct tc_edges *edges, struct tc_edge_slice *slice)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, slice->slice.thread);
	const struct tc_point now = {thread->slot, thread->last_ns};
	struct tc_launching dropped, *call;
	struct tc_clause_set gone;

	if (slice->task >= 0 && tc_is_handover(&edges->timeline->labels[slice->slice.span.label])) {
		struct tc_launching *handover = handover_at(edges, slice->task);
		tc_slot_release(&edges->slots, handover->end.slot);
		handover->end = TC_POINT_NONE;
		handover->inside = launched_inside(edges, slice);
		handover->thread = slice->slice.thread;
		handover->step = tc_timeline_step_at(edges->timeline, slice->slice.span.ts_ns);
	}
	if (!tc_slice_bits_get(&edges->habits.launches, slice->slice.span.slice_id))
		return;
	call = tc_launching_add(&dropped, edges->launches, slice->slice.span.slice_id);
	if (dropped.slice_id >= 0) {
		tc_slot_release(&edges->slots, dropped.end.slot);
		if (!dropped.has_started) {
			edges->queued_count--;
			tc_edges_queue(edges, TC_REPLAY_ENTER, now, dropped.gone_mask, -1);
		}
	}
	edges->queued_count++;
	for (size_t i = 0; i < TC_CLAUSE_WORDS; i++)
		gone.words[i] = slice->whole.words[i] & edges->full.words[i];
	call->gone_mask = tc_slots_mask(&edges->slots, &gone);
	tc_edges_queue(edges, TC_REPLAY_ENTER, now, call->gone_mask, 1);
	call->thread = slice->slice.thread;
	call->step = thread->handover_step;
	call->inside = thread->handover_inside | launched_inside(edges, slice);
	thread->launch_id = slice->slice.span.slice_id;
	thread->launch_ns = slice->slice.span.ts_ns;
}

/* A call for the next batch of a loader with workers begins. */
static void count_batch(struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	struct tc_edge_loader *loader = &tc_edge_thread_at(edges, slice->slice.thread)->loader;

	if (slice->role != TC_ROLE_DATALOADER || !slice->may_wait)
		return;
	if (loader->call_count++ == 0)
		loader->first_ns = slice->slice.end_ns;
}

static void number_task(struct tc_edges *edges, struct tc_edge_slice *slice)
{
	const struct tc_label *label = &edges->timeline->labels[slice->slice.span.label];

	slice->task = tc_is_handover(label) ? edges->handover_count++
		      : tc_is_task(label)   ? edges->task_count++
					    : -1;
}

/* Between two operations, the code around them works. A short time before an operation is what it
 * takes to call it, and goes with it; longer ones are the code's own. */
static void end_pause(struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	const struct tc_walk_slice *walked = &slice->slice;
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, walked->thread);
	struct tc_edge_slice *top = thread->top;
	bool is_wait = slice->role == TC_ROLE_SYNC || slice->role == TC_ROLE_INPUT_COPY ||
		       slice->role == TC_ROLE_OUTPUT_COPY || slice->role == TC_ROLE_DATALOADER;
	bool is_call = thread->has_returned && thread->slot != TC_SLOT_NONE &&
		       walked->span.ts_ns - thread->last_ns <=
			       (is_wait ? TC_CALLING_WAIT_NS : TC_CALLING_NS);
	struct tc_clause_set set = slice->work;

	if (top && (!is_call || top->may_wait || top->lowered || is_drain(edges, top) ||
			   top->role == TC_ROLE_INPUT_COPY)) {
		end_stretch(edges, walked->thread, top, walked->span.ts_ns);
		return;
	}
	if (top)
		tc_clause_set_join(&set, &top->work);
	advance(edges, walked->thread, walked->span.ts_ns,
		is_call ? tc_slots_mask(&edges->slots, &set) : 0);
}

/* The role of a slice's own time, by the rule of analysis/host_sweep.h: slices without a role, and
 * operations of the framework, are part of the innermost slice around them that has one. */
static enum tc_role shown_role(const struct tc_edge_slice *slice)
{
	const struct tc_edge_slice *around = (const void *)slice->slice.around;
	bool has_own = slice->role != TC_ROLE_NONE && slice->role != TC_ROLE_DISPATCH;

	if (has_own || !around || around->shown == TC_ROLE_NONE)
		return slice->role;
	return around->shown;
}

static bool is_step(const struct tc_edges *edges, const struct tc_walk_slice *slice, size_t *step)
{
	const struct tc_timeline *timeline = edges->timeline;
	size_t at;

	if (!tc_slice_bits_get(&edges->habits.steps, slice->span.slice_id))
		return false;
	TC_BISECT(at, timeline->step_count, timeline->steps[at].ts_ns < slice->span.ts_ns);
	while (at < timeline->step_count && timeline->steps[at].slice_id != slice->span.slice_id)
		at++;
	*step = at;
	return at < timeline->step_count;
}

static void note_first_step(struct tc_edges *edges, const struct tc_walk_slice *walked)
{
	const struct tc_replay_op op = {.kind = TC_REPLAY_FIRST,
		.piece = TC_PIECE_HOST,
		.dst = tc_edge_thread_at(edges, walked->thread)->slot,
		.label = UINT32_MAX,
		.time_ns = walked->span.ts_ns};
	size_t step;

	if (is_step(edges, walked, &step) && step == tc_timeline_first_steady(edges->timeline))
		tc_slots_add(&edges->slots, &op);
}

void tc_edges_slice_begins(void *user, struct tc_walk_slice *walked)
{
	struct tc_edges *edges = user;
	struct tc_edge_slice *slice = edge_slice(walked);
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, walked->thread);
	bool is_task = tc_is_task(&edges->timeline->labels[walked->span.label]);

	slice->role = tc_span_role(edges->timeline, &walked->span);
	slice->shown = shown_role(slice);
	slice->may_wait = tc_may_wait(edges->timeline, &walked->span);
	count_batch(edges, slice);
	number_task(edges, slice);
	if (is_task && edges->habits.handover_count > 0)
		take_task(edges, walked->thread, slice);
	else
		wake(edges, walked->thread, walked->span.ts_ns);
	find_flush(edges, slice);
	match_slice(edges, slice);
	end_pause(edges, slice);
	if (slice->role == TC_ROLE_GRAPH_BUILD)
		slice->lowered =
			tc_lowerings_of_slice(&edges->habits.lowerings, walked->span.slice_id);
	thread->top = slice;
	thread->has_returned = false;
	note_built(edges, slice);
	note_call(edges, slice);
	note_first_step(edges, walked);
}

static void end_call(struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	const struct tc_walk_slice *walked = &slice->slice;
	const struct tc_edge_thread *thread = tc_edge_thread_at(edges, walked->thread);
	const struct tc_point now = {thread->slot, thread->last_ns};
	struct tc_launching *call = NULL;
	size_t step;

	if (tc_slice_bits_get(&edges->habits.launches, walked->span.slice_id))
		call = tc_launching_find(edges->launches, walked->span.slice_id);
	if (call && call->end.slot == TC_SLOT_NONE) {
		tc_edges_queue(edges, TC_REPLAY_HOLD, now, call->gone_mask, 0);
		call->end = capture(edges, walked->thread);
	}
	if (slice->task >= 0 && tc_is_handover(&edges->timeline->labels[walked->span.label])) {
		if (slice->task >= edges->handover_count - TC_EDGE_HANDOVERS)
			take_capture(edges, walked->thread, &handover_at(edges, slice->task)->end);
	} else if (slice->task >= 0) {
		take_capture(edges, walked->thread, &edges->task_end);
	}
	if (is_step(edges, walked, &step)) {
		const struct tc_replay_op op = {.kind = TC_REPLAY_STEP_HOST,
			.dst = thread->slot,
			.src = (uint32_t)step,
			.label = UINT32_MAX,
			.time_ns = walked->end_ns,
			.amount_ns = edges->worked_ns};
		tc_slots_add(&edges->slots, &op);
	}
}

void tc_edges_slice_ends(void *user, struct tc_walk_slice *walked)
{
	struct tc_edges *edges = user;
	struct tc_edge_slice *slice = edge_slice(walked);
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, walked->thread);

	if (thread->top == slice) {
		if (!slice->may_wait && !is_drain(edges, slice))
			wake(edges, walked->thread, walked->end_ns);
		end_stretch(edges, walked->thread, slice, walked->end_ns);
		thread->top = edge_slice(walked->around);
	} else {
		advance(edges, walked->thread, walked->end_ns,
			thread->top ? thread->top->work_mask : 0);
	}
	thread->has_returned = true;
	end_ready_call(edges, slice);
	end_call(edges, slice);
}

/* The slowest loader that was the limit: the time for each batch until it last was. */
static void note_pace(struct tc_edges *edges, const struct tc_edge_loader *loader)
{
	if (loader->rate_call < 2)
		return;
	int64_t batch_ns = (loader->rate_ns - loader->first_ns) / (loader->rate_call - 1);
	if (batch_ns > edges->batch_ns)
		edges->batch_ns = batch_ns;
}

void tc_edges_end_host(struct tc_edges *edges)
{
	for (size_t i = 0; i < edges->timeline->host_thread_count; i++) {
		struct tc_edge_thread *thread = tc_edge_thread_at(edges, (uint32_t)i);
		const struct tc_replay_op op = {.kind = TC_REPLAY_END,
			.dst = thread->slot,
			.src = TC_SLOT_NONE,
			.label = UINT32_MAX,
			.time_ns = thread->last_ns};
		if (thread->slot == TC_SLOT_NONE)
			continue;
		note_pace(edges, &thread->loader);
		add_spent(edges, thread);
		if (!edges->habits.threads[i].counts)
			continue;
		tc_slots_add(&edges->slots, &op);
		if (thread->last_ns > edges->end_ns)
			edges->end_ns = thread->last_ns;
	}
}

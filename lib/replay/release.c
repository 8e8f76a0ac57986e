/*
 * What released a call: device work, a place in a queue, the workers of a loader. docs/waits.md has
 * the rules.
 */
#include "core/saturate.h"
#include "replay/edges.h"

/* ---- loaders: one record for each name of a call, so memory does not grow with their number */

/* A call that takes less found its batch ready. */
#define LASTING_NS INT64_C(500000)
/* A wait is this many times as long as a batch costs that is ready. */
#define COST_TIMES 3
/* A wait for less than this part of a step alone shows no rate: any call may be held up a bit. */
#define STEP_PART 20
/* Calls that differ by less than this part of their length, or of a step, are equal. */
#define EVEN_PART 4
/* A batch that is ready costs no more: with four workers it took 1.35 ms in a recorded ResNet-50
 * run. */
#define PRICE_MOST_NS INT64_C(5000000)
#define RIGID_PART 100
/* Where waits are more than this part of the time, the workers are busy all the time. */
#define BUSY_PART 5

static int64_t differ(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

const struct tc_loader *tc_loaders_at(const struct tc_loaders *loaders, uint32_t label)
{
	for (size_t i = 0; i < loaders->count; i++)
		if (loaders->items[i].label == label)
			return &loaders->items[i];
	return NULL;
}

static struct tc_loader *loader_of(struct tc_loaders *loaders, uint32_t label)
{
	const struct tc_loader *known = tc_loaders_at(loaders, label);

	if (known)
		return &loaders->items[known - loaders->items];
	if (loaders->count == TC_LOADERS_MAX)
		return NULL;
	loaders->items[loaders->count] = (struct tc_loader){.label = label};
	return &loaders->items[loaders->count++];
}

void tc_loaders_add(struct tc_loaders *loaders, uint32_t label, int64_t end_ns, int64_t stretch_ns)
{
	struct tc_loader *loader = loader_of(loaders, label);

	if (!loader)
		return;
	if (loader->call_count++ == 0)
		loader->first_end_ns = end_ns;
	loader->last_end_ns = end_ns;
	tc_durations_add(&loader->all, stretch_ns);
	if (stretch_ns < LASTING_NS)
		return;
	tc_durations_add(&loader->lasting, stretch_ns);
	loader->lasting_ns = tc_add_saturated(loader->lasting_ns, stretch_ns);
	int64_t batches = loader->call_count - loader->number;
	int64_t pace_ns = loader->number > 0 ? (end_ns - loader->end_ns) / batches : 0;
	if (pace_ns > 0 && batches <= TC_LOADER_AHEAD) {
		loader->near_count += batches;
		loader->near_ns = tc_add_saturated(loader->near_ns, end_ns - loader->end_ns);
	}
	if (pace_ns > 0 && loader->pace_ns > 0) {
		int64_t pace_differs_ns = differ(pace_ns, loader->pace_ns);
		int64_t length_differs_ns = differ(stretch_ns, loader->length_ns);
		loader->varying_excess += length_differs_ns >= pace_differs_ns / 2 ? 1 : -1;
		loader->length_differs_ns =
			tc_add_saturated(loader->length_differs_ns, length_differs_ns);
		loader->pace_differs_ns =
			tc_add_saturated(loader->pace_differs_ns, pace_differs_ns);
	}
	loader->number = loader->call_count;
	loader->end_ns = end_ns;
	loader->length_ns = stretch_ns;
	loader->pace_ns = pace_ns;
}

/* Most lasting calls vary by less than half of what the time from batch to batch varies by, so they
 * do not wait; where neither varies, nothing shows of large ones. Nor do calls wait that are nearly
 * as long as each other and no large part of a step: a wait is what the work of the host leaves of
 * the time that the workers take, and so varies by what both vary by. */
static bool is_price(const struct tc_loader *loader)
{
	int64_t count = loader->lasting.count, differ_ns = loader->length_differs_ns;
	int64_t rigid_ns = count * (loader->step_ns / RIGID_PART);
	bool is_rigid = tc_add_saturated(differ_ns, loader->pace_differs_ns) <= rigid_ns;
	bool is_even = differ_ns <= loader->lasting_ns / EVEN_PART || differ_ns <= rigid_ns;

	if (count <= 2)
		return loader->varying_excess < 0;
	int64_t mean_ns = loader->lasting_ns / count;
	bool is_small = mean_ns < loader->step_ns / STEP_PART ||
			(mean_ns <= PRICE_MOST_NS && loader->is_rarely_late);
	if (is_rigid && !is_small)
		return false;
	return loader->varying_excess < 0 || (count == loader->call_count && is_even && is_small);
}

void tc_loaders_find(struct tc_loaders *loaders)
{
	for (size_t i = 0; i < loaders->count; i++) {
		struct tc_loader *loader = &loaders->items[i];
		if (loader->call_count > 1)
			loader->step_ns = (loader->last_end_ns - loader->first_end_ns) /
					  (loader->call_count - 1);
		loader->is_rarely_late =
			loader->lasting_ns / loader->call_count < loader->step_ns / BUSY_PART;
		int64_t lowest_ns = tc_durations_lowest(&loader->all, 10);
		if (is_price(loader)) {
			loader->cost_ns = tc_durations_lowest(&loader->lasting, 2);
			continue;
		}
		if (lowest_ns < LASTING_NS)
			loader->cost_ns = lowest_ns;
		if (loader->varying_excess > 0 && loader->near_count > 0)
			loader->rate_ns = loader->near_ns / loader->near_count;
	}
}

/* Classifies a stretch of a call. since: calls since the last one that waited; 0: none did. */
static enum tc_loader_wait loader_wait_of(
	const struct tc_loader *loader, int64_t stretch_ns, int64_t since)
{
	int64_t waited_ns = stretch_ns - loader->cost_ns;
	bool is_small = waited_ns < loader->step_ns / STEP_PART;
	bool is_near = since > 0 && since <= TC_LOADER_AHEAD;

	if (stretch_ns < LASTING_NS || stretch_ns / COST_TIMES < loader->cost_ns)
		return TC_LOADER_READY;
	if (is_small)
		return loader->varying_excess > 0 ? TC_LOADER_RATE : TC_LOADER_READY;
	return is_near || waited_ns <= loader->step_ns ? TC_LOADER_RATE : TC_LOADER_START;
}

/* ---- waits */

static bool is_near(struct tc_point point, int64_t time_ns)
{
	return point.slot != TC_SLOT_NONE && time_ns - point.time_ns <= TC_RELEASE_NS;
}

/* The end of the work of the step for whose event a call waits that returns at once; not set
 * without one. */
static struct tc_point ahead_of(const struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	int32_t step = tc_timeline_step_at(edges->timeline, slice->slice.span.ts_ns);
	const struct tc_edge_step *ended =
		&edges->steps[(step - edges->habits.ahead.lead) & (TC_AHEAD_MAX - 1)];

	return edges->habits.ahead.lead > 0 && ended->step == step - edges->habits.ahead.lead
		       ? ended->end
		       : TC_POINT_NONE;
}

/* The copy that a call waits for whose purpose is to wait: the latest work that its thread
 * launched, within the same operation, when it ended just before the call returned. Not set for
 * others. */
static struct tc_point copied_before(
	const struct tc_edges *edges, const struct tc_edge_slice *slice, int64_t time_ns)
{
	const struct tc_edge_thread *thread = tc_edge_thread_at(edges, slice->slice.thread);
	const struct tc_walk_slice *around = slice->slice.around;

	while (around && ((const struct tc_edge_slice *)(const void *)around)->role == TC_ROLE_SYNC)
		around = around->around;
	return slice->role == TC_ROLE_SYNC && around && time_ns == slice->slice.end_ns &&
			       thread->copy_launch_id == thread->launch_id &&
			       thread->launch_ns >= around->span.ts_ns &&
			       is_near(thread->copied, time_ns)
		       ? thread->copied
		       : TC_POINT_NONE;
}

/* A call whose purpose is to wait or to copy: what ended last on a device releases it. A wait for
 * an event that returns at once shows only that the event was over, maybe long ago. */
static struct tc_edge_wait wait_of_sync(const struct tc_edges *edges,
	const struct tc_edge_slice *slice, int64_t own_ns, int64_t time_ns)
{
	int64_t usual_ns = tc_usual_ns(&edges->habits.usual, slice->slice.span.label);
	bool is_event = edges->timeline->labels[slice->slice.span.label].is_event_wait;
	bool is_end = time_ns == slice->slice.end_ns;
	bool may = own_ns > TC_BLOCKED_NS || (is_end && !is_event);
	int64_t cost_ns = usual_ns < TC_CALL_COST_NS ? usual_ns : TC_CALL_COST_NS;
	struct tc_point copied = copied_before(edges, slice, time_ns);

	if (copied.slot != TC_SLOT_NONE)
		return (struct tc_edge_wait){
			.cost_ns = cost_ns, .released_by = copied, .is_wait = true};
	if (is_event && is_end && !may) {
		struct tc_point ahead = ahead_of(edges, slice);
		return (struct tc_edge_wait){.cost_ns = cost_ns,
			.released_by = ahead,
			.is_wait = ahead.slot != TC_SLOT_NONE,
			.is_unsure = true};
	}
	return (struct tc_edge_wait){.cost_ns = cost_ns,
		.released_by = edges->ended,
		.is_wait = may && edges->ended.slot != TC_SLOT_NONE &&
			   (slice->role == TC_ROLE_SYNC ||
				   (own_ns > TC_BLOCKED_NS && is_near(edges->ended, time_ns)))};
}

/* A call for a batch of the loader's workers waits until they deliver it. They began when the host
 * asked for them, or before the recording, and are as fast whatever else is mended. */
static struct tc_edge_wait wait_of_loader(const struct tc_edges *edges,
	const struct tc_edge_slice *slice, int64_t own_ns, int64_t time_ns)
{
	const struct tc_loader *loader =
		tc_loaders_at(&edges->habits.loaders, slice->slice.span.label);
	const struct tc_edge_loader *state = &tc_edge_thread_at(edges, slice->slice.thread)->loader;
	int64_t since = state->lasting_call > 0 ? state->call_count - state->lasting_call : 0;
	enum tc_loader_wait kind = loader ? loader_wait_of(loader, own_ns, since) : TC_LOADER_READY;

	return (struct tc_edge_wait){.cost_ns = loader ? loader->cost_ns : 0,
		.released_by = {TC_SLOT_NONE, time_ns},
		.is_wait = kind != TC_LOADER_READY,
		.starts_workers = kind == TC_LOADER_START,
		.is_rare = loader && loader->is_rarely_late};
}

/* A launch that blocks waits for its own work, which is the last to end. The call costs what the
 * device shows: it starts as soon as the call has handed its work over. */
static struct tc_edge_wait wait_of_launch(
	const struct tc_edges *edges, int64_t own_ns, int64_t time_ns)
{
	int64_t start_ns = edges->habits.blocking.start_ns;
	int64_t cost_ns = start_ns > 0 && start_ns < TC_CALL_COST_NS ? start_ns : TC_CALL_COST_NS;

	return (struct tc_edge_wait){.cost_ns = cost_ns,
		.released_by = edges->ended,
		.is_wait = own_ns > cost_ns && is_near(edges->ended, time_ns)};
}

/* ---- places in queues: a call that waits for one waits for the work that was launched so many
 * calls before it as the queue holds, which is earlier work where an edit removes some of these
 * calls */

void tc_edges_queue(struct tc_edges *edges, enum tc_replay_kind kind, struct tc_point at,
	uint16_t gone_mask, int64_t amount)
{
	struct tc_edge_queue *queue = &edges->queue;
	bool is_hold = kind == TC_REPLAY_HOLD;
	int64_t more = kind == TC_REPLAY_ENTER ? amount : is_hold || amount ? 0 : -1;
	const struct tc_replay_op op = {.kind = (uint8_t)kind,
		.mask = gone_mask,
		.dst = at.slot,
		.src = TC_SLOT_NONE,
		.label = UINT32_MAX,
		.time_ns = at.time_ns,
		.amount_ns = is_hold && queue->most_count > queue->count
				     ? queue->most_count - queue->count
				     : amount};

	queue->count += more;
	queue->gone_count += gone_mask ? more : 0;
	queue->any_gone |= gone_mask != 0;
	bool has_queue = queue->most_count > 0 && !queue->is_shared;
	if (queue->any_gone && (kind != TC_REPLAY_ENTER || gone_mask) && (!is_hold || has_queue))
		tc_slots_add(&edges->slots, &op);
}

/* Where edits remove calls that were queued, what frees a place is in a slot of its own. */
static void find_place(struct tc_edge_wait *wait, struct tc_edges *edges)
{
	struct tc_edge_queue *queue = &edges->queue;
	struct tc_replay_op op = {.kind = TC_REPLAY_POINT,
		.piece = TC_PIECE_DEVICE,
		.src = wait->released_by.slot,
		.label = UINT32_MAX,
		.time_ns = wait->released_by.time_ns};

	if (queue->count > queue->most_count)
		queue->most_count = queue->count;
	if (queue->is_shared || queue->gone_count == 0)
		return;
	wait->released_by.slot = op.dst = tc_slot_take(&edges->slots);
	wait->owns_slot = true;
	tc_slots_add(&edges->slots, &op);
	op.kind = TC_REPLAY_PLACE;
	op.src = TC_SLOT_NONE;
	tc_slots_add(&edges->slots, &op);
}

/* So much is queued that a call may wait for a place: more than ever is without a wait, or as much
 * as a short queue takes. */
static bool is_queue_full(const struct tc_edges *edges)
{
	int64_t places = edges->habits.queue_places;

	return edges->queued_count > TC_QUEUED_MIN ||
	       (places > 0 && edges->queued_count >= places - 1);
}

/* Any other call that lasts much longer than is usual for its name: it waits for a place in a
 * queue or for its task. */
static struct tc_edge_wait wait_of_call(
	struct tc_edges *edges, const struct tc_edge_slice *slice, int64_t own_ns, int64_t time_ns)
{
	const struct tc_label *label = &edges->timeline->labels[slice->slice.span.label];
	struct tc_edge_wait wait = {
		.cost_ns = tc_usual_ns(&edges->habits.usual, slice->slice.span.label),
		.released_by = tc_is_handover(label) ? edges->task_end : edges->worked};

	if (tc_launches_block(&edges->habits.blocking) && label->mark == TC_MARK_KERNEL_LAUNCH)
		return wait_of_launch(edges, own_ns, time_ns);
	if (!tc_usual_is_held_up(&edges->habits.usual, slice->slice.span.label, own_ns))
		return wait;
	bool is_queued = tc_is_handover(label) || is_queue_full(edges);
	/* A place is free before the call has done what every call does. */
	wait.is_wait = is_queued && is_near(wait.released_by, time_ns - wait.cost_ns);
	if (wait.is_wait && !tc_is_handover(label))
		find_place(&wait, edges);
	return wait;
}

struct tc_edge_wait tc_edges_wait_of(
	struct tc_edges *edges, const struct tc_edge_slice *slice, int64_t own_ns, int64_t time_ns)
{
	switch (slice->role) {
	case TC_ROLE_SYNC:
	case TC_ROLE_INPUT_COPY:
	case TC_ROLE_OUTPUT_COPY: return wait_of_sync(edges, slice, own_ns, time_ns);
	case TC_ROLE_DATALOADER: return wait_of_loader(edges, slice, own_ns, time_ns);
	default: return wait_of_call(edges, slice, own_ns, time_ns);
	}
}

/*
 * What released a call: device work, a place in a queue, the workers of a loader. docs/waits.md has
 * the rules.
 */
#include "replay/edges.h"

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
	enum tc_loader_wait kind =
		loader ? tc_loader_wait_of(loader, own_ns, since) : TC_LOADER_READY;

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

/* Any other call that lasts much longer than is usual for its name: it waits for a place in a
 * queue or for its task. */
static struct tc_edge_wait wait_of_call(const struct tc_edges *edges,
	const struct tc_edge_slice *slice, int64_t own_ns, int64_t time_ns)
{
	const struct tc_label *label = &edges->timeline->labels[slice->slice.span.label];
	struct tc_edge_wait wait = {
		.cost_ns = tc_usual_ns(&edges->habits.usual, slice->slice.span.label),
		.released_by = tc_is_handover(label) ? edges->task_end : edges->worked};

	if (tc_launches_block(&edges->habits.blocking) && label->mark == TC_MARK_KERNEL_LAUNCH)
		return wait_of_launch(edges, own_ns, time_ns);
	if (!tc_usual_is_held_up(&edges->habits.usual, slice->slice.span.label, own_ns))
		return wait;
	bool is_queued = tc_is_handover(label) || edges->queued_count > TC_QUEUED_MIN;
	wait.is_wait = is_queued && is_near(wait.released_by, time_ns);
	return wait;
}

struct tc_edge_wait tc_edges_wait_of(const struct tc_edges *edges,
	const struct tc_edge_slice *slice, int64_t own_ns, int64_t time_ns)
{
	switch (slice->role) {
	case TC_ROLE_SYNC:
	case TC_ROLE_INPUT_COPY:
	case TC_ROLE_OUTPUT_COPY: return wait_of_sync(edges, slice, own_ns, time_ns);
	case TC_ROLE_DATALOADER: return wait_of_loader(edges, slice, own_ns, time_ns);
	default: return wait_of_call(edges, slice, own_ns, time_ns);
	}
}

/* What released a call that waited; see edges.h. */
#include "replay/edges/edges.h"

static bool is_near(struct tc_point point, int64_t time_ns)
{
	return point.slot != TC_SLOT_NONE && time_ns - point.time_ns <= TC_RELEASE_NS;
}

/* A call whose purpose is to wait or to copy: what ended last on a device releases it. A wait for
 * an event that returns at once shows only that the event was over, maybe long ago. */
static struct tc_edge_wait wait_of_sync(const struct tc_edges *edges,
	const struct tc_edge_slice *slice, int64_t own_ns, int64_t time_ns)
{
	int64_t usual_ns = tc_usual_ns(&edges->habits.usual, slice->slice.span.label);
	bool is_event = edges->timeline->labels[slice->slice.span.label].is_event_wait;
	bool may = own_ns > TC_BLOCKED_NS || (time_ns == slice->slice.end_ns && !is_event);

	return (struct tc_edge_wait){
		.cost_ns = usual_ns < TC_CALL_COST_NS ? usual_ns : TC_CALL_COST_NS,
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
		.starts_workers = kind == TC_LOADER_START};
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

	if (!tc_usual_is_held_up(&edges->habits.usual, slice->slice.span.label, own_ns))
		return wait;
	bool is_queued = tc_is_handover(label) || edges->queued_count > TC_QUEUED_MIN;
	wait.is_wait = is_queued && is_near(wait.released_by, time_ns);
	return wait;
}

struct tc_edge_wait tc_edge_wait_of(const struct tc_edges *edges, const struct tc_edge_slice *slice,
	int64_t own_ns, int64_t time_ns)
{
	switch (slice->role) {
	case TC_ROLE_SYNC:
	case TC_ROLE_INPUT_COPY:
	case TC_ROLE_OUTPUT_COPY: return wait_of_sync(edges, slice, own_ns, time_ns);
	case TC_ROLE_DATALOADER: return wait_of_loader(edges, slice, own_ns, time_ns);
	default: return wait_of_call(edges, slice, own_ns, time_ns);
	}
}

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

/* Any other call that lasts much longer than is usual for its name: it waits for a place in a
 * queue, for its task, or, in a loader with workers, for them. */
static struct tc_edge_wait wait_of_call(const struct tc_edges *edges,
	const struct tc_edge_slice *slice, int64_t own_ns, int64_t time_ns)
{
	const struct tc_label *label = &edges->timeline->labels[slice->slice.span.label];
	struct tc_edge_wait wait = {
		.cost_ns = tc_usual_ns(&edges->habits.usual, slice->slice.span.label),
		.released_by = tc_is_handover(label) ? edges->task_end : edges->worked};

	if (!tc_usual_is_held_up(&edges->habits.usual, slice->slice.span.label, own_ns) ||
		(slice->role == TC_ROLE_DATALOADER &&
			!tc_habits_loader_waits(&edges->habits, slice->slice.span.label, own_ns)))
		return wait;
	if (slice->role == TC_ROLE_DATALOADER) {
		wait.released_by = (struct tc_point){TC_SLOT_NONE, time_ns};
		wait.is_wait = true;
	} else {
		bool is_queued = tc_is_handover(label) || edges->queued_count > TC_QUEUED_MIN;
		wait.is_wait = is_queued && is_near(wait.released_by, time_ns);
	}
	return wait;
}

struct tc_edge_wait tc_edge_wait_of(const struct tc_edges *edges, const struct tc_edge_slice *slice,
	int64_t own_ns, int64_t time_ns)
{
	switch (slice->role) {
	case TC_ROLE_SYNC:
	case TC_ROLE_INPUT_COPY:
	case TC_ROLE_OUTPUT_COPY: return wait_of_sync(edges, slice, own_ns, time_ns);
	default: return wait_of_call(edges, slice, own_ns, time_ns);
	}
}

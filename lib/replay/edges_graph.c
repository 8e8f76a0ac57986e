/*
 * What the nodes of a graph waited for; see replay.h. The engines of a graph work on slices: a node
 * takes over the first slice of its producer's result while the producer is still at work, and the
 * last one after the producer has ended. So its start waits for a part of the producer's work, and
 * its end for the end of it.
 */
#include "replay/edges_node.h"

static struct tc_edge_device *device_of(
	const struct tc_edges *edges, const struct tc_edge_node *node)
{
	return &edges->devices[edges->lanes[node->lane].device];
}

/* The copies that were launched before the graph, and that no graph before it has waited for. */
static void wait_for_copies(struct tc_edge_start *start)
{
	struct tc_edges *edges = start->edges;
	struct tc_edge_device *device = device_of(edges, start->node);
	size_t kept = 0;

	for (size_t i = 0; i < device->copy_count; i++) {
		struct tc_edge_copy *copy = &device->copies[i];
		if (copy->launch_ns > start->node->launch_ns) {
			device->copies[kept++] = *copy;
			continue;
		}
		tc_edge_wait_for(start, copy->end, TC_PIECE_QUEUE, copy->frees_mask);
		tc_slot_release(&edges->slots, copy->end.slot);
	}
	device->copy_count = kept;
}

/* ---- slices */

static bool is_sliced(enum tc_engine engine)
{
	return engine == TC_ENGINE_MME || engine == TC_ENGINE_TPC;
}

/* The point at which a node had done a part of its work, in a slot of its own. */
static struct tc_point point_within(
	struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns)
{
	struct tc_replay_op op = tc_edge_node_op(edges, node, TC_REPLAY_POINT, TC_PIECE_DEVICE);

	op.dst = tc_slot_take(&edges->slots);
	op.src = node->slot;
	op.time_ns = time_ns;
	tc_slots_add(&edges->slots, &op);
	const struct tc_point point = {op.dst, time_ns};
	op.kind = TC_REPLAY_SAVE_PART;
	op.mask = node->save_mask;
	op.amount_ns = time_ns - node->ts_ns;
	if (op.mask && op.amount_ns > 0)
		tc_slots_add(&edges->slots, &op);
	return point;
}

/* Whether the node had to wait for its lane, rather than for its producer. */
static bool lane_was_busy(const struct tc_edges *edges, const struct tc_edge_node *node)
{
	const struct tc_edge_lane *lane = &edges->lanes[node->lane];

	return (lane->open && lane->open->next) ||
	       (lane->end.slot != TC_SLOT_NONE && node->ts_ns - lane->end.time_ns <= TC_JITTER_NS);
}

/* The node of the graph that started last works on another engine: it is the producer. */
static void wait_for_producer(struct tc_edge_start *start, struct tc_edge_node *producer)
{
	struct tc_edges *edges = start->edges;
	struct tc_edge_node *node = start->node;
	int64_t dur_ns = producer->end_ns - producer->ts_ns, ready_ns = node->ts_ns;

	node->producer = producer;
	producer->consumer = node;
	if (lane_was_busy(edges, node)) {
		int64_t first_ns = tc_part_of(dur_ns, edges->habits.slice_ppm);
		if (producer->ts_ns + first_ns < ready_ns)
			ready_ns = producer->ts_ns + first_ns;
	}
	node->slice_ppm = dur_ns > 0 ? tc_ppm_of(ready_ns - producer->ts_ns, dur_ns) : TC_PPM;
	struct tc_point ready = point_within(edges, producer, ready_ns);
	tc_edge_wait_for(start, ready, TC_PIECE_QUEUE, producer->frees_mask);
	tc_slot_release(&edges->slots, ready.slot);
}

void tc_edge_wait_for_graph(struct tc_edge_start *start)
{
	struct tc_edges *edges = start->edges;
	struct tc_edge_node *node = start->node;
	struct tc_edge_device *device = device_of(edges, node);
	struct tc_edge_node *latest = device->latest;

	for (size_t i = 0; i < TC_EDGE_GRAPH_ENGINES; i++)
		if (device->graph_lanes[i] != TC_INDEX_NONE_32 &&
			device->graph_lanes[i] != node->lane)
			tc_edge_wait_for_lane(start, device->graph_lanes[i]);
	if (node->launch_id != device->graph_launch_id) {
		wait_for_copies(start);
		device->graph_launch_id = node->launch_id;
	}
	if (!is_sliced(node->engine))
		return;
	if (latest && latest->engine != node->engine && latest->launch_id == node->launch_id)
		wait_for_producer(start, latest);
	device->latest = node;
}

/* ---- ends */

/* How long the node worked. One that had to wait for its producer's last slice ends one slice of its
 * own work after it; one that had not ends later than that. */
static int64_t work_of(const struct tc_edge_node *node)
{
	int64_t dur_ns = node->end_ns - node->ts_ns, tail_ns = node->end_ns - node->fed.time_ns;

	if (node->fed.slot == TC_SLOT_NONE || node->slice_ppm <= 0 ||
		tail_ns >= tc_part_of(dur_ns, node->slice_ppm))
		return dur_ns;
	int64_t work_ns = tc_whole_of(tail_ns, node->slice_ppm);
	return work_ns < dur_ns ? work_ns : dur_ns;
}

/* The end waits for the producer's end, and one slice of the node's work. */
static void wait_for_last_slice(struct tc_edges *edges, struct tc_edge_node *node, int64_t work_ns)
{
	int64_t tail_ns = node->end_ns - node->fed.time_ns;
	int64_t slice_ns = tc_part_of(work_ns, node->slice_ppm);
	struct tc_replay_op op = tc_edge_node_op(edges, node, TC_REPLAY_POINT, TC_PIECE_DEVICE);

	if (slice_ns > tail_ns)
		slice_ns = tail_ns;
	op.dst = tc_slot_take(&edges->slots);
	op.src = node->fed.slot;
	op.time_ns = node->fed.time_ns + slice_ns;
	tc_slots_add(&edges->slots, &op);
	struct tc_replay_op part = op;
	part.kind = TC_REPLAY_SAVE_PART;
	part.mask = node->save_mask;
	part.amount_ns = slice_ns;
	if (part.mask && slice_ns > 0)
		tc_slots_add(&edges->slots, &part);
	struct tc_replay_op join = tc_edge_node_op(edges, node, TC_REPLAY_JOIN, TC_PIECE_DEVICE);
	join.src = op.dst;
	join.time_ns = node->end_ns;
	join.amount_ns = (node->end_ns - node->ts_ns - work_ns) - (tail_ns - slice_ns);
	tc_slots_add(&edges->slots, &join);
	tc_slot_release(&edges->slots, op.dst);
}

void tc_edge_end_work(struct tc_edges *edges, struct tc_edge_node *node)
{
	struct tc_replay_op spend = tc_edge_node_op(edges, node, TC_REPLAY_SPEND, TC_PIECE_DEVICE);
	int64_t work_ns = work_of(node);

	spend.time_ns = node->end_ns;
	spend.amount_ns = node->end_ns - node->ts_ns;
	tc_edge_save(edges, node, node->end_ns, work_ns, node->save_mask);
	tc_slots_add(&edges->slots, &spend);
	if (node->fed.slot != TC_SLOT_NONE)
		wait_for_last_slice(edges, node, work_ns);
}

void tc_edge_leave_graph(struct tc_edges *edges, struct tc_edge_node *node)
{
	struct tc_edge_device *device = device_of(edges, node);

	if (device->latest == node)
		device->latest = NULL;
	if (node->producer)
		node->producer->consumer = NULL;
	if (node->consumer) {
		node->consumer->producer = NULL;
		tc_point_hold(&edges->slots, &node->consumer->fed,
			(struct tc_point){node->slot, node->end_ns});
	}
	tc_slot_release(&edges->slots, node->fed.slot);
}

/* ---- edits */

void tc_edge_save_overlap(const struct tc_edge_start *start, const struct tc_op_match *match)
{
	struct tc_edges *edges = start->edges;
	const struct tc_edge_node *node = start->node;
	const struct tc_edge_device *device = device_of(edges, node);
	int64_t before_ns = device->node_end_ns - device->node_ts_ns;
	int64_t dur_ns = node->end_ns - node->ts_ns;

	if (tc_clause_set_is_empty(&match->overlap) || device->node_launch_id == TC_NO_ID ||
		device->node_launch_id != node->launch_id || device->node_engine == node->engine ||
		device->node_end_ns > node->ts_ns + TC_JITTER_NS)
		return;
	tc_edge_save(edges, node, node->ts_ns, before_ns < dur_ns ? before_ns : dur_ns,
		tc_slots_mask(&edges->slots, &match->overlap));
}

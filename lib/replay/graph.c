/*
 * What the nodes of a graph waited for. The engines of a graph work slice by slice: a
 * node starts on the first slice of its producer's result while the producer still runs, and takes
 * the last slice after the producer has ended. So its start waits for a part of the producer's
 * work, and its end for the producer's end.
 */
#include "replay/edges.h"

static struct tc_edge_device *device_of(
	const struct tc_edges *edges, const struct tc_edge_node *node)
{
	return &edges->devices[edges->lanes[node->lane].device];
}

/* The copies that were launched before the graph and that no earlier graph has waited for. */
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
		tc_edge_wait_for(start, TC_RULE_INPUTS, copy->end, copy->frees_mask);
		tc_slot_release(&edges->slots, copy->end.slot);
	}
	device->copy_count = kept;
}

/* ---- slices */

static bool is_sliced(enum tc_engine engine)
{
	return engine == TC_ENGINE_MME || engine == TC_ENGINE_TPC;
}

/* Whether the node waited for its lane and not for its producer. */
static bool lane_was_busy(const struct tc_edges *edges, const struct tc_edge_node *node)
{
	const struct tc_edge_lane *lane = &edges->lanes[node->lane];

	return (lane->open && lane->open->next) ||
	       (lane->end.slot != TC_SLOT_NONE && node->ts_ns - lane->end.time_ns <= TC_JITTER_NS);
}

/* ---- what a node takes when the nodes before it are removed */

static struct tc_edge_made *made_at(struct tc_edge_device *device, int64_t serial)
{
	struct tc_edge_made *made = &device->made[serial % TC_EDGE_MADE];

	return serial > 0 && made->serial == serial ? made : NULL;
}

/* The node of the same graph that started before it. */
static struct tc_edge_made *made_before(
	struct tc_edge_device *device, int64_t serial, int64_t launch_id)
{
	struct tc_edge_made *made = made_at(device, serial - 1);

	return made && made->launch_id == launch_id ? made : NULL;
}

/* The first slice is done: called while the node is under way, or at its end. */
static void note_first_slice(struct tc_edges *edges, struct tc_edge_made *made, int64_t now_ns)
{
	const struct tc_edge_node *node = made->node;

	if (made->first.slot != TC_SLOT_NONE || !node)
		return;
	int64_t first_ns =
		node->ts_ns + tc_part_of(node->end_ns - node->ts_ns, edges->habits.slice_ppm);
	made->first = tc_edge_point_within(edges, node, first_ns < now_ns ? first_ns : now_ns);
}

static void add_made(
	struct tc_edges *edges, struct tc_edge_device *device, struct tc_edge_node *node)
{
	node->serial = ++device->made_count;
	struct tc_edge_made *made = &device->made[node->serial % TC_EDGE_MADE];
	tc_slot_release(&edges->slots, made->first.slot);
	tc_slot_release(&edges->slots, made->end.slot);
	if (made->node)
		made->node->serial = 0;
	*made = (struct tc_edge_made){.node = node,
		.first = TC_POINT_NONE,
		.end = TC_POINT_NONE,
		.serial = node->serial,
		.launch_id = node->launch_id,
		.engine = node->engine,
		.skip = node->skip,
		.may_go = node->may_go};
}

/* The node before it in the graph. A copy counts where it is what the node waited for. */
static struct tc_edge_made *made_last(
	struct tc_edge_device *device, const struct tc_edge_node *node)
{
	struct tc_edge_made *made = made_before(device, device->made_count + 1, node->launch_id);

	while (made && !is_sliced(made->engine) &&
		(made->end.slot == TC_SLOT_NONE || node->ts_ns - made->end.time_ns > TC_JITTER_NS))
		made = made_before(device, made->serial, node->launch_id);
	return made;
}

/* Whether there is a known input that a consumer takes when the node is removed. */
static bool may_skip(const struct tc_edge_start *start, const struct tc_edge_node *producer)
{
	return producer->may_go && made_before(device_of(start->edges, producer), producer->serial,
					   producer->launch_id);
}

/* When the nodes before it are removed, it takes the first slice of an earlier node of another
 * engine. */
static void wait_for_skipped(struct tc_edge_start *start)
{
	struct tc_edges *edges = start->edges;
	struct tc_edge_node *node = start->node;
	struct tc_edge_device *device = device_of(edges, node);
	struct tc_edge_made *made = made_last(device, node);
	size_t count = 0;

	while (made && made->may_go && count < TC_EDGE_SKIPPED) {
		made = made_before(device, made->serial, node->launch_id);
		if (!made || made->engine == node->engine)
			continue;
		note_first_slice(edges, made, node->ts_ns);
		tc_edge_wait_for(start, TC_RULE_SKIPPED, made->first,
			tc_slots_mask(&edges->slots, &made->skip));
		node->fed_by[count++] = made->serial;
	}
}

/* The last node of the graph to start runs on another engine: it is the producer. */
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
	struct tc_point ready = tc_edge_point_within(edges, producer, ready_ns);
	tc_edge_wait_for(start, TC_RULE_SLICE, ready,
		may_skip(start, producer) ? tc_slots_mask(&edges->slots, &producer->skip)
					  : producer->frees_mask);
	tc_slot_release(&edges->slots, ready.slot);
}

/* The end of the work on a lane. If it is the node before it, on the other engine, edits may let
 * the node start beside its last part. Its own lane and all else still hold the node up. Without
 * such an edit there is no such point. */
static struct tc_point point_beside(const struct tc_edge_start *start, uint32_t index)
{
	struct tc_edges *edges = start->edges;
	const struct tc_edge_node *node = start->node;
	const struct tc_edge_device *device = device_of(edges, node);
	const struct tc_edge_lane *lane = &edges->lanes[index];
	int64_t before_ns = device->node_end_ns - device->node_ts_ns;
	int64_t dur_ns = node->end_ns - node->ts_ns;
	struct tc_replay_op op = tc_edge_node_op(edges, node, TC_REPLAY_POINT, TC_PIECE_QUEUE);

	if (!start->overlap_mask || device->node_launch_id == TC_NO_ID ||
		device->node_launch_id != node->launch_id || device->node_engine != lane->engine ||
		device->node_end_ns > node->ts_ns + TC_JITTER_NS ||
		lane->result.slot == TC_SLOT_NONE)
		return TC_POINT_NONE;
	op.dst = tc_slot_take(&edges->slots);
	op.src = lane->result.slot;
	op.time_ns = lane->result.time_ns;
	tc_slots_add(&edges->slots, &op);
	op.kind = TC_REPLAY_SAVE;
	op.mask = start->overlap_mask;
	op.amount_ns = before_ns < dur_ns ? before_ns : dur_ns;
	tc_slots_add(&edges->slots, &op);
	return (struct tc_point){op.dst, op.time_ns};
}

/* Waits for the other engines. When an edit removes the node before it, it waits for that node's
 * input. */
static void wait_for_engines(struct tc_edge_start *start)
{
	struct tc_edges *edges = start->edges;
	const struct tc_edge_node *node = start->node;
	struct tc_edge_device *device = device_of(edges, node);
	const struct tc_edge_made *made = is_sliced(node->engine) ? made_last(device, node) : NULL;
	bool skips = made && made->may_go && made_before(device, made->serial, node->launch_id);

	for (size_t i = 0; i < TC_EDGE_GRAPH_ENGINES; i++) {
		uint32_t lane = device->graph_lanes[i];
		if (lane == TC_INDEX_NONE_32 || lane == node->lane)
			continue;
		struct tc_point beside = point_beside(start, lane);
		enum tc_engine engine = edges->lanes[lane].engine;
		uint16_t frees = skips && (is_sliced(engine) || engine == made->engine)
					 ? tc_slots_mask(&edges->slots, &made->skip)
					 : edges->lanes[lane].frees_mask;
		tc_edge_wait_for(start, TC_RULE_ENGINES,
			beside.slot == TC_SLOT_NONE ? edges->lanes[lane].result : beside, frees);
		tc_slot_release(&edges->slots, beside.slot);
	}
}

void tc_edge_wait_for_graph(struct tc_edge_start *start)
{
	struct tc_edges *edges = start->edges;
	struct tc_edge_node *node = start->node;
	struct tc_edge_device *device = device_of(edges, node);
	struct tc_edge_node *latest = device->latest;

	wait_for_engines(start);
	if (node->launch_id != device->graph_launch_id) {
		wait_for_copies(start);
		device->graph_launch_id = node->launch_id;
	}
	if (!is_sliced(node->engine)) {
		if (node->may_go && start->any &&
			start->slack_ns <= edges->habits.unexplained_ns[node->engine])
			add_made(edges, device, node);
		return;
	}
	if (latest && latest->engine != node->engine && latest->launch_id == node->launch_id)
		wait_for_producer(start, latest);
	wait_for_skipped(start);
	add_made(edges, device, node);
	device->latest = node;
}

/* ---- ends */

/* How long the node itself worked. A node that waited for its producer's last slice ends one slice
 * of its own work later; otherwise it ends later than that. */
static int64_t work_of(const struct tc_edge_node *node)
{
	int64_t dur_ns = node->end_ns - node->ts_ns, tail_ns = node->end_ns - node->fed.time_ns;

	if (node->fed.slot == TC_SLOT_NONE || node->slice_ppm <= 0 ||
		tail_ns >= tc_part_of(dur_ns, node->slice_ppm))
		return dur_ns;
	int64_t work_ns = tc_whole_of(tail_ns, node->slice_ppm);
	return work_ns < dur_ns ? work_ns : dur_ns;
}

/* Clauses after which the node does not wait for the end: they remove it or what it waits for. */
static uint16_t skip_mask(
	struct tc_edges *edges, const struct tc_edge_node *node, const struct tc_clause_set *skip)
{
	struct tc_clause_set either = *skip;

	if (node->may_go)
		tc_clause_set_join(&either, &node->skip);
	return tc_slots_mask(&edges->slots, &either);
}

/* The end waits for the producer's end, and one slice of the node's work. */
static void wait_for_last_slice(struct tc_edges *edges, struct tc_edge_node *node, int64_t work_ns)
{
	int64_t tail_ns = node->end_ns - node->fed.time_ns;
	int64_t slice_ns = tc_part_of(work_ns, node->slice_ppm);
	enum tc_piece piece = tc_rule_piece(TC_RULE_LAST_SLICE);
	struct tc_replay_op op = tc_edge_node_op(edges, node, TC_REPLAY_POINT, piece);

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
	struct tc_replay_op join = tc_edge_node_op(edges, node, TC_REPLAY_JOIN, piece);
	join.src = op.dst;
	join.mask = skip_mask(edges, node, &node->fed_skip);
	join.time_ns = node->end_ns;
	join.amount_ns = (node->end_ns - node->ts_ns - work_ns) - (tail_ns - slice_ns);
	tc_slots_add(&edges->slots, &join);
	tc_slot_release(&edges->slots, op.dst);
}

/* When its input is removed, the node ends no earlier than the input before that and one slice of
 * its own work. */
static void wait_for_skipped_ends(
	struct tc_edges *edges, struct tc_edge_node *node, int64_t work_ns)
{
	struct tc_edge_device *device = device_of(edges, node);
	int64_t slice_ns = tc_part_of(work_ns, edges->habits.slice_ppm);

	for (size_t i = 0; i < TC_EDGE_SKIPPED && node->fed_by[i]; i++) {
		const struct tc_edge_made *made = made_at(device, node->fed_by[i]);
		struct tc_replay_op join = tc_edge_node_op(
			edges, node, TC_REPLAY_JOIN, tc_rule_piece(TC_RULE_LAST_SLICE));
		if (!made || made->end.slot == TC_SLOT_NONE)
			continue;
		int64_t slack_ns = node->end_ns - made->end.time_ns - slice_ns;
		join.src = made->end.slot;
		join.mask = skip_mask(edges, node, &made->skip);
		join.time_ns = node->end_ns;
		join.amount_ns = slack_ns > 0 ? -slack_ns : 0;
		tc_slots_add(&edges->slots, &join);
	}
}

/* Many operations that become one start once: their other starts go, and of the rest a share. The
 * shortest kernel may do much more than start. */
static void save_work(struct tc_edges *edges, const struct tc_edge_node *node, int64_t work_ns)
{
	int64_t start_ns = edges->habits.start_ns[node->engine];

	if (start_ns > TC_ROOF_START_NS)
		start_ns = TC_ROOF_START_NS;
	if (node->start_mask == node->save_mask)
		start_ns = 0;
	work_ns -= tc_edge_save_beside(edges, node, node->slot, TC_REPLAY_SAVE, node->end_ns);
	start_ns = start_ns < work_ns ? start_ns : work_ns;
	tc_edge_save(edges, node, node->end_ns, work_ns - start_ns, node->save_mask);
	tc_edge_save(edges, node, node->end_ns, start_ns, node->start_mask);
}

void tc_edge_end_work(struct tc_edges *edges, struct tc_edge_node *node)
{
	struct tc_replay_op spend =
		tc_edge_node_op(edges, node, TC_REPLAY_SPEND, tc_rule_piece(TC_RULE_WORK));
	int64_t work_ns = work_of(node);

	if (node->serial)
		note_first_slice(
			edges, made_at(device_of(edges, node), node->serial), node->end_ns);
	spend.time_ns = node->end_ns;
	spend.amount_ns = node->end_ns - node->ts_ns;
	save_work(edges, node, work_ns);
	tc_slots_add(&edges->slots, &spend);
	if (node->fed.slot != TC_SLOT_NONE)
		wait_for_last_slice(edges, node, work_ns);
	wait_for_skipped_ends(edges, node, work_ns);
}

void tc_edge_leave_graph(struct tc_edges *edges, struct tc_edge_node *node, int64_t time_ns)
{
	struct tc_edge_device *device = device_of(edges, node);
	struct tc_edge_made *made = node->serial ? made_at(device, node->serial) : NULL;

	if (made) {
		made->node = NULL;
		tc_point_hold(&edges->slots, &made->end, (struct tc_point){node->slot, time_ns});
	}

	if (device->latest == node)
		device->latest = NULL;
	if (node->producer)
		node->producer->consumer = NULL;
	if (node->consumer) {
		node->consumer->producer = NULL;
		node->consumer->fed_skip = node->skip;
		tc_point_hold(&edges->slots, &node->consumer->fed,
			(struct tc_point){node->slot, node->end_ns});
	}
	tc_slot_release(&edges->slots, node->fed.slot);
}

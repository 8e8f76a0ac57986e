/*
 * What device work waited for, by the rules of rules.def. A Gaudi trace shows an operation once
 * for every engine that takes part. Parts that start together on one kind of engine are one node
 * here.
 */
#include "core/saturate.h"
#include "replay/contention.h"
#include "replay/edges.h"

enum tc_piece tc_rule_piece(enum tc_rule rule)
{
	static const uint8_t pieces[] = {
#define TC_RULE(id, piece, point, when, waits, why) [TC_RULE_##id] = TC_PIECE_##piece,
#include "replay/rules.def"
	};

	return (enum tc_piece)pieces[rule];
}

/* ---- operations of the program */

struct tc_replay_op tc_edge_node_op(const struct tc_edges *edges, const struct tc_edge_node *node,
	enum tc_replay_kind kind, enum tc_piece piece)
{
	return (struct tc_replay_op){.kind = (uint8_t)kind,
		.piece = (uint8_t)piece,
		.dst = node->slot,
		.src = TC_SLOT_NONE,
		.label = node->label,
		.role_or_engine = (uint16_t)node->engine,
		.device = (uint16_t)(edges->lanes[node->lane].device + 1),
		.track = node->track + 1};
}

/* The node starts no sooner after what it waits for: the least slack. But work that waited for its
 * launch would, if it were queued, start sooner than that after the work before it. Work that
 * starts during its launch waited for it, however long before the call began. */
static int64_t cost_of(const struct tc_edge_start *start, enum tc_piece piece, int64_t slack_ns)
{
	int64_t queue_ns = start->edges->habits.queue_ns[start->node->engine];
	bool is_queued = piece == TC_PIECE_QUEUE && start->slack_ns < slack_ns &&
			 (start->is_in_call ||
				 start->slack_ns <=
					 start->edges->habits.unexplained_ns[start->node->engine]);

	return is_queued && queue_ns < start->slack_ns ? queue_ns : start->slack_ns;
}

void tc_edge_wait_for(
	struct tc_edge_start *start, enum tc_rule rule, struct tc_point point, uint16_t frees)
{
	enum tc_piece piece = tc_rule_piece(rule);
	const struct tc_edge_node *node = start->node;
	int64_t slack_ns = node->ts_ns - point.time_ns;
	int64_t cost_ns = start->any ? cost_of(start, piece, slack_ns) : slack_ns;
	struct tc_replay_op op = tc_edge_node_op(
		start->edges, node, start->any ? TC_REPLAY_JOIN : TC_REPLAY_POINT, piece);

	if (point.slot == TC_SLOT_NONE)
		return;
	op.src = point.slot;
	op.time_ns = node->ts_ns;
	if (start->any) {
		op.mask = frees;
		op.amount_ns = cost_ns - slack_ns;
	}
	tc_slots_add(&start->edges->slots, &op);
	if (!start->any || slack_ns < start->slack_ns) {
		start->slack_ns = start->gap_ns = slack_ns;
		start->is_in_call = false;
	}
	if (cost_ns < start->gap_ns)
		start->gap_ns = cost_ns;
	start->any = true;
	start->elsewhere_count++;
}

static void wait_for_lane(struct tc_edge_start *start, enum tc_rule rule, uint32_t index)
{
	const struct tc_edge_lane *lane = &start->edges->lanes[index];
	bool is_own = index == start->node->lane;

	tc_edge_wait_for(
		start, rule, is_own ? lane->end : lane->result, is_own ? 0 : lane->frees_mask);
}

static void save(struct tc_edges *edges, const struct tc_edge_node *node, enum tc_replay_kind kind,
	int64_t time_ns, int64_t amount_ns, uint16_t mask)
{
	struct tc_replay_op op = tc_edge_node_op(edges, node, kind, TC_PIECE_NONE);

	op.mask = mask;
	op.time_ns = time_ns;
	op.amount_ns = amount_ns;
	if (mask && amount_ns > 0)
		tc_slots_add(&edges->slots, &op);
}

/* Neither communication nor a copy. */
static bool is_compute(const struct tc_edge_node *node)
{
	return !tc_engine_is_collective(node->engine) && !node->is_copy;
}

/* Since the last collectives. */
static int64_t computed_until(const struct tc_edge_device *device, int64_t time_ns)
{
	return device->computed_ns +
	       (device->compute_count > 0 ? time_ns - device->compute_since_ns : 0);
}

static int64_t all_computed_until(
	const struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns)
{
	return tc_edge_computed_until(&edges->devices[edges->lanes[node->lane].device], time_ns);
}

/* Compute that goes leaves its place to other compute, also where some ran beside it. But where a
 * copy or a collective goes beside compute, no other compute runs there instead. */
void tc_edge_save(struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns,
	int64_t amount_ns, uint16_t mask)
{
	int64_t alone_ns = amount_ns;

	if (!node->is_busy)
		alone_ns = 0;
	else if (!is_compute(node))
		alone_ns = time_ns - node->ts_ns -
			   (all_computed_until(edges, node, time_ns) - node->computed_ns);
	alone_ns = alone_ns < amount_ns ? alone_ns : amount_ns;
	save(edges, node, TC_REPLAY_SAVE_BESIDE, time_ns, amount_ns - alone_ns, mask);
	save(edges, node, TC_REPLAY_SAVE, time_ns, alone_ns, mask);
}

struct tc_point tc_edge_point_within(
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
	op.amount_ns = time_ns - node->ts_ns -
		       tc_edge_save_beside(edges, node, op.dst, TC_REPLAY_SAVE_PART, time_ns);
	if (op.mask && op.amount_ns > 0)
		tc_slots_add(&edges->slots, &op);
	return point;
}

/*
 * ---- collectives beside compute
 *
 * Here is what they waited for, and what waited for them; hide.c says how much of them can be
 * hidden. A collective sends computed data, so its stream waits for compute that
 * was launched on its device earlier. Traces rarely record such waits. If all of that compute had
 * ended when the collective started, the collective may have waited for it.
 */

/* Compute has ended: keeps it for collectives that wait for it. */
static void keep_work(struct tc_edges *edges, const struct tc_edge_node *node, struct tc_point end)
{
	struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];
	struct tc_edge_copy *work = &device->works[device->work_count++ % TC_EDGE_WORKS];

	tc_point_hold(&edges->slots, &work->end, end);
	work->launch_ns = node->launch_ns;
	work->frees_mask = node->frees_mask;
}

/* Some compute that was launched before it still runs, so it did not wait for all of it. */
static bool runs_beside(const struct tc_edges *edges, const struct tc_edge_node *node)
{
	uint32_t device = edges->lanes[node->lane].device;

	for (size_t i = 0; i < edges->lane_count; i++) {
		const struct tc_edge_node *open = edges->lanes[i].open;
		if (edges->lanes[i].device != device || i == node->lane)
			continue;
		for (; open; open = open->next)
			if (open->launch_ns < node->launch_ns)
				return true;
	}
	return false;
}

/* A collective that starts waits for the compute that was launched before it. */
static void wait_for_compute(struct tc_edge_start *start)
{
	struct tc_edges *edges = start->edges;
	const struct tc_edge_node *node = start->node;
	const struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];
	uint64_t kept = device->work_count < TC_EDGE_WORKS ? device->work_count : TC_EDGE_WORKS;

	if (!tc_engine_is_collective(node->engine) || node->launch_id == TC_NO_ID ||
		runs_beside(edges, node))
		return;
	for (uint64_t i = 1; i <= kept; i++) {
		const struct tc_edge_copy *work =
			&device->works[(device->work_count - i) % TC_EDGE_WORKS];
		if (work->launch_ns < node->launch_ns) {
			tc_edge_wait_for(start, TC_RULE_RESULTS, work->end, work->frees_mask);
			return;
		}
	}
}

/* The gradients of a graph are ready when all of the graph has ended. */
static void note_cut(struct tc_edge_device *device, const struct tc_edge_node *node)
{
	bool is_first = !device->has_begun;

	device->by_graphs = (is_first || device->by_graphs) && node->recipe != TC_STRTAB_NONE;
	if (is_first)
		device->cut_count = 0;
	else if (node->launch_id != device->cut_launch_id) {
		if (device->cut_count == TC_EDGE_CUTS) {
			device->cut_count /= 2;
			for (size_t i = 0; i < device->cut_count; i++)
				device->cuts[i] = device->cuts[2 * i + 1];
		}
		device->cuts[device->cut_count++] = computed_until(device, node->ts_ns);
	}
	device->cut_launch_id = node->launch_id;
}

/* A node of any kind starts. Consecutive collectives share the compute before the first of them,
 * also with work on what they reduce between them. Their gradients belong to the passes since the
 * last update. */
static void note_compute_start(
	struct tc_edge_device *device, const struct tc_edge_node *node, bool is_of_collectives)
{
	if (is_compute(node)) {
		note_cut(device, node);
		if (device->compute_count++ == 0)
			device->compute_since_ns = node->ts_ns;
		device->has_begun = true;
		device->has_computed = device->has_computed || !is_of_collectives;
	} else if (!node->is_copy && device->has_computed) {
		int64_t computed_ns = computed_until(device, node->ts_ns);
		device->beside_ns = computed_ns - device->updated_ns;
		for (size_t i = 0; i < device->cut_count; i++)
			device->cuts[i] -= device->updated_ns;
		device->computed_before_ns =
			tc_add_saturated(device->computed_before_ns, computed_ns);
		device->computed_ns = device->reduced_ns = device->updated_ns = 0;
		device->reduced_count = 0;
		memset(device->hidden_ns, 0, sizeof(device->hidden_ns));
		device->compute_since_ns = node->ts_ns;
		device->has_begun = device->has_computed = false;
	}
}

static void note_compute_end(
	struct tc_edge_device *device, const struct tc_edge_node *node, int64_t time_ns)
{
	device->computed_ns = computed_until(device, time_ns);
	if (node->is_update)
		device->updated_ns = device->computed_ns;
	device->compute_since_ns = time_ns;
	device->compute_count--;
}

/* The first work of an update reads the gradients that collectives have reduced. Traces do not show
 * this wait: streams wait for each other's events. */
static void wait_for_gradients(struct tc_edge_start *start, const struct tc_launching *call)
{
	struct tc_edges *edges = start->edges;
	struct tc_edge_device *device = &edges->devices[edges->lanes[start->node->lane].device];

	if (!call || !(call->inside & TC_INSIDE_UPDATE) || !is_compute(start->node))
		return;
	tc_edge_wait_for(start, TC_RULE_GRADIENTS, device->reduced, device->reduced_frees);
	tc_slot_release(&edges->slots, device->reduced.slot);
	device->reduced = TC_POINT_NONE;
}

struct edge_op {
	struct tc_walk_op op;
	struct tc_edge_node *node;
};

size_t tc_edges_op_bytes(void)
{
	return sizeof(struct edge_op);
}

size_t tc_edges_node_bytes(void)
{
	return sizeof(struct tc_edge_node);
}

/* ---- lanes */

static int graph_engine(const struct tc_edges *edges, uint32_t track)
{
	switch (edges->timeline->tracks[track].engine) {
	case TC_ENGINE_MME: return 0;
	case TC_ENGINE_TPC: return 1;
	case TC_ENGINE_DMA: return edges->habits.has_recipes[track] ? 2 : -1;
	default: return -1;
	}
}

static uint32_t new_lane(struct tc_edges *edges, uint32_t device, enum tc_engine engine)
{
	edges->lanes[edges->lane_count] = (struct tc_edge_lane){.end = TC_POINT_NONE,
		.result = TC_POINT_NONE,
		.step = -1,
		.device = device,
		.engine = engine};
	return (uint32_t)edges->lane_count++;
}

/* All engines of one kind that run graphs are one lane of a device, and so are its NICs. */
static void make_lane(struct tc_edges *edges, uint32_t track, uint32_t *nics)
{
	const struct tc_track *row = &edges->timeline->tracks[track];
	uint32_t device =
		row->device < 0 ? (uint32_t)edges->timeline->device_count : (uint32_t)row->device;
	int graph = graph_engine(edges, track);
	uint32_t *shared = graph >= 0 ? &edges->devices[device].graph_lanes[graph]
			   : row->engine == TC_ENGINE_NIC ? &nics[device]
							  : NULL;

	if (shared && *shared == TC_INDEX_NONE_32) {
		*shared = new_lane(edges, device, row->engine);
		edges->lanes[*shared].is_graph = graph >= 0;
	}
	edges->lane_of_track[track] = shared ? *shared : new_lane(edges, device, row->engine);
}

void tc_edges_make_lanes(struct tc_edges *edges)
{
	const struct tc_timeline *timeline = edges->timeline;
	size_t device_count = timeline->device_count + 1;
	uint32_t *nics = tc_arena_take(&edges->arena, device_count, sizeof(*nics));

	TC_ARENA(&edges->arena, edges->lanes, timeline->track_count);
	TC_ARENA(&edges->arena, edges->lane_of_track, timeline->track_count);
	TC_ARENA(&edges->arena, edges->devices, device_count);
	if (tc_ctx_failed(timeline->ctx))
		return;
	for (size_t i = 0; i < device_count; i++) {
		struct tc_edge_device *device = &edges->devices[i];
		nics[i] = TC_INDEX_NONE_32;
		for (size_t k = 0; k < TC_EDGE_GRAPH_ENGINES; k++)
			device->graph_lanes[k] = TC_INDEX_NONE_32;
		device->recent_lanes[0] = device->recent_lanes[1] = TC_INDEX_NONE_32;
		device->reduced = TC_POINT_NONE;
		for (size_t k = 0; k < TC_EDGE_MADE; k++)
			device->made[k] = (struct tc_edge_made){.first = TC_POINT_NONE,
				.end = TC_POINT_NONE,
				.launch_id = TC_NO_ID};
		device->graph_launch_id = device->node_launch_id = TC_NO_ID;
		device->last_ns = INT64_MIN;
		for (size_t k = 0; k < TC_EDGE_WORKS; k++)
			device->works[k].end = TC_POINT_NONE;
	}
	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i].kind == TC_TRACK_LANE)
			make_lane(edges, (uint32_t)i, nics);
}

/* ---- starts */

/*
 * Work without a known launch that starts long after everything it may have waited for: the main
 * thread launched it just then. Of a collective, and where launched work is still queued, which it
 * is not behind, a slice before it is lost.
 */
static bool is_hosts_own(const struct tc_edges *edges, const struct tc_edge_node *node)
{
	return node->launch_id == TC_NO_ID && !tc_engine_is_collective(node->engine) &&
	       edges->any_launch && edges->habits.main_thread >= 0 &&
	       edges->queued_count <= TC_QUEUED_MIN &&
	       tc_edge_thread_at(edges, (uint32_t)edges->habits.main_thread)->slot != TC_SLOT_NONE;
}

/* Something else delayed it: what ended last on another lane, or the host. */
static void wait_for_unknown(struct tc_edge_start *start)
{
	struct tc_edges *edges = start->edges;
	const struct tc_edge_node *node = start->node;
	const struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];
	uint32_t other = device->recent_lanes[device->recent_lanes[0] == node->lane];
	int64_t slack_ns = start->any ? start->slack_ns : INT64_MAX, other_ns = INT64_MAX;
	int64_t late_ns = edges->habits.unexplained_ns[node->engine];

	if (slack_ns <= late_ns)
		return;
	if (other != TC_INDEX_NONE_32)
		other_ns = node->ts_ns - edges->lanes[other].end.time_ns;
	if (other_ns > late_ns && is_hosts_own(edges, node)) {
		uint32_t thread = (uint32_t)edges->habits.main_thread;
		uint32_t slot = tc_edge_thread_at(edges, thread)->slot;
		tc_edge_wait_for(start, TC_RULE_HOST, (struct tc_point){slot, node->ts_ns}, 0);
	} else if (other_ns < slack_ns && (start->any || other_ns <= TC_RELEASE_NS)) {
		wait_for_lane(start, TC_RULE_ELSEWHERE, other);
	}
}

/* Waits for its lane. A stream runs one operation after the other: work that starts just before the
 * end of the work before it, by the times of the file or within a captured graph, waited for that
 * work, for all of it that was done then. */
static void wait_for_own_lane(struct tc_edge_start *start)
{
	struct tc_edges *edges = start->edges;
	struct tc_edge_node *node = start->node;
	const struct tc_edge_node *before = node->next;
	const struct tc_edge_lane *lane = &edges->lanes[node->lane];

	node->is_early =
		!lane->is_graph && lane->engine != TC_ENGINE_NIC && before &&
		before->end_ns - node->ts_ns <= tc_part_jitter_ns(before->end_ns - before->ts_ns);
	if (!node->is_early) {
		wait_for_lane(start, TC_RULE_LANE, node->lane);
		return;
	}
	struct tc_point done = tc_edge_point_within(edges, before, node->ts_ns);
	tc_edge_wait_for(start, TC_RULE_LANE, done, 0);
	tc_slot_release(&edges->slots, done.slot);
}

/* A removed operation takes the short gap before it along: the time to start it. */
static void save_gap(const struct tc_edge_start *start, const struct tc_op_match *match)
{
	struct tc_edges *edges = start->edges;
	struct tc_clause_set gone;

	if (!start->any || start->slack_ns <= 0 ||
		start->slack_ns > edges->habits.unexplained_ns[start->node->engine])
		return;
	for (size_t i = 0; i < TC_CLAUSE_WORDS; i++)
		gone.words[i] = match->save.words[i] & edges->gaps.words[i];
	save(edges, start->node, TC_REPLAY_SAVE_BESIDE, start->node->ts_ns, start->gap_ns,
		tc_slots_mask(&edges->slots, &gone));
}

static void wait_for_launch(struct tc_edge_start *start, struct tc_launching *call)
{
	if (!call)
		return;
	start->edges->any_launch = true;
	start->node->call_mask = call->gone_mask;
	start->node->is_first = !call->has_started;
	if (!call->has_started)
		start->edges->queued_count--;
	call->has_started = true;
	tc_edge_wait_for(start, TC_RULE_LAUNCH, tc_edges_launched_at(start->edges, call), 0);
	start->is_in_call = start->any && call->end.slot == TC_SLOT_NONE;
}

static void note_first(struct tc_edges *edges, const struct tc_edge_node *node)
{
	struct tc_replay_op op = tc_edge_node_op(edges, node, TC_REPLAY_FIRST, TC_PIECE_NONE);

	op.time_ns = node->ts_ns;
	if (!edges->any_work)
		tc_slots_add(&edges->slots, &op);
	edges->any_work = true;
}

static void note_queue(struct tc_edges *edges, const struct tc_edge_node *node)
{
	uint32_t device = edges->lanes[node->lane].device + 1;

	if (!is_compute(node))
		return;
	edges->queue.is_shared |= edges->queue.device > 0 && edges->queue.device != device;
	edges->queue.device = device;
}

/* When the node is removed, what would wait for it waits for what the node waited for. */
static void note_skips(
	struct tc_edges *edges, struct tc_edge_node *node, const struct tc_op_match *match)
{
	for (size_t i = 0; i < TC_CLAUSE_WORDS; i++)
		node->skip.words[i] = match->save.words[i] & edges->full.words[i];
	node->may_go = !tc_clause_set_is_empty(&node->skip);
	node->gone_mask = tc_slots_mask(&edges->slots, &node->skip);
	tc_clause_set_join(&node->skip, &match->nowait);
}

static void start_node(
	struct tc_edges *edges, struct tc_edge_node *node, const struct tc_walk_op *op)
{
	struct tc_edge_start start = {.edges = edges, .node = node};
	struct tc_launching *call = node->launch_id == TC_NO_ID
					    ? NULL
					    : tc_launching_find(edges->launches, node->launch_id);
	struct tc_op_match match;

	tc_match_op(&match, edges->match, op, call ? call->inside : 0, node->lane);
	node->save_mask = tc_slots_mask(&edges->slots, &match.save);
	tc_clause_set_join(&match.start, &match.save);
	node->start_mask = tc_slots_mask(&edges->slots, &match.start);
	node->frees_mask = tc_slots_mask(&edges->slots, &match.nowait);
	start.overlap_mask = tc_slots_mask(&edges->slots, &match.overlap);
	note_skips(edges, node, &match);
	node->hide = match.hide;
	node->is_update = match.is_update;
	note_compute_start(
		&edges->devices[edges->lanes[node->lane].device], node, match.is_of_collectives);
	node->computed_ns = all_computed_until(edges, node, node->ts_ns);
	node->slot = tc_slot_take(&edges->slots);
	wait_for_launch(&start, call);
	if (is_compute(node) && !edges->lanes[node->lane].is_graph)
		edges->lanes[node->lane].is_compute = true;
	node->is_busy = edges->lanes[node->lane].is_compute || is_compute(node);
	if (call && call->step >= 0)
		node->step = call->step;
	wait_for_own_lane(&start);
	start.elsewhere_count = 0;
	if (edges->lanes[node->lane].is_graph && node->recipe != TC_STRTAB_NONE)
		tc_edge_wait_for_graph(&start);
	wait_for_gradients(&start, call);
	wait_for_compute(&start);
	wait_for_unknown(&start);
	if (node->may_go && start.elsewhere_count > 0 && !edges->lanes[node->lane].is_compute)
		tc_point_hold(&edges->slots, &node->lane_before, edges->lanes[node->lane].end);
	if (!start.any) {
		const struct tc_replay_op first = {.kind = TC_REPLAY_POINT,
			.dst = node->slot,
			.src = TC_SLOT_NONE,
			.label = node->label,
			.time_ns = node->ts_ns};
		tc_slots_add(&edges->slots, &first);
	}
	note_first(edges, node);
	note_queue(edges, node);
	tc_edge_begin_beside(edges, node);
	save_gap(&start, &match);
	if (is_compute(node))
		tc_point_hold(
			&edges->slots, &edges->worked, (struct tc_point){node->slot, node->ts_ns});
}

/* The node that the operation is a part of. A NIC serves one collective at a time. */
static struct tc_edge_node *node_under_way(
	const struct tc_edges *edges, uint32_t lane, const struct tc_span *span)
{
	enum tc_engine engine = edges->lanes[lane].engine;
	struct tc_edge_node *node = edges->lanes[lane].open;

	if (!tc_engine_is_gaudi(engine))
		return NULL;
	while (node &&
		!(span->ts_ns - node->ts_ns <= tc_part_jitter_ns(node->end_ns - node->ts_ns) &&
			node->recipe == span->recipe &&
			(engine == TC_ENGINE_NIC || node->label == span->label)))
		node = node->next;
	return node;
}

static struct tc_edge_node *new_node(
	struct tc_edges *edges, uint32_t lane, const struct tc_walk_op *op)
{
	const struct tc_span *span = &op->span;
	const struct tc_label *label = &edges->timeline->labels[span->label];
	bool is_dma = op->engine == TC_ENGINE_DMA && span->recipe == TC_STRTAB_NONE;
	bool is_copy = op->engine == TC_ENGINE_COPY || label->kind == TC_OP_MEMCPY;
	struct tc_edge_node *node = tc_pool_take(&edges->nodes);

	if (!node)
		return NULL;
	*node = (struct tc_edge_node){.lane = lane,
		.slice_id = span->slice_id,
		.label = span->label,
		.recipe = span->recipe,
		.track = span->track,
		.engine = op->engine,
		.ts_ns = span->ts_ns,
		.end_ns = op->end_ns,
		.launch_id = span->launch_slice_id,
		.launch_ns = span->launch_slice_id == TC_NO_ID ? span->ts_ns : span->launch_ts_ns,
		.step = span->step,
		.is_copy = is_dma || (is_copy && span->recipe == TC_STRTAB_NONE),
		.beside_ppm = op->engine == TC_ENGINE_COMPUTE && span->recipe == TC_STRTAB_NONE
				      ? tc_contention_ppm(&edges->habits.contention, span)
				      : 0,
		.is_input = is_dma || label->direction == TC_DIRECTION_HTOD,
		.fed = TC_POINT_NONE,
		.lane_before = TC_POINT_NONE,
		.next = edges->lanes[lane].open};
	if (node->next)
		node->next->before = node;
	edges->lanes[lane].open = node;
	return node;
}

/* Marks where ranks that are replayed together wait for each other. */
static void add_meeting(struct tc_edges *edges, const struct tc_edge_node *node,
	const struct tc_span *span, enum tc_replay_kind kind, int64_t time_ns)
{
	const struct tc_replay_op op = {.kind = (uint8_t)kind,
		.mask = node->save_mask,
		.dst = node->slot,
		.label = node->label,
		.device = (uint16_t)(edges->lanes[node->lane].device + 1),
		.time_ns = time_ns,
		.amount_ns = span->slice_id};

	if (tc_engine_is_collective(node->engine))
		tc_slots_add(&edges->slots, &op);
}

/* A device is busy with what runs on lanes that compute. Copies and collectives on lanes of their
 * own may run beside that after a fix. */
static void begin_work(struct tc_edges *edges, struct edge_op *part, int64_t time_ns)
{
	const struct tc_edge_lane *lane = &edges->lanes[part->node->lane];
	struct tc_edge_device *device = &edges->devices[lane->device];

	edges->open_count++;
	if (part->node->is_busy && device->open_count++ == 0)
		device->open_since_ns = time_ns;
	if (device->last_ns == INT64_MIN)
		device->first_ns = device->last_ns = time_ns;
}

static void end_work(struct tc_edges *edges, const struct edge_op *part, int64_t time_ns)
{
	struct tc_edge_device *device = &edges->devices[edges->lanes[part->node->lane].device];

	edges->open_count--;
	device->last_ns = time_ns;
	if (part->node->is_busy && --device->open_count == 0)
		device->busy_ns += time_ns - device->open_since_ns;
}

static int64_t busy_until(const struct tc_edge_device *device, int64_t time_ns)
{
	return device->busy_ns + (device->open_count > 0 ? time_ns - device->open_since_ns : 0);
}

void tc_edges_op_starts(void *user, struct tc_walk_op *op)
{
	struct tc_edges *edges = user;
	struct edge_op *part = (struct edge_op *)(void *)op;
	uint32_t lane = edges->lane_of_track[op->span.track];

	part->node = node_under_way(edges, lane, &op->span);
	if (!part->node) {
		part->node = new_node(edges, lane, op);
		if (!part->node) {
			tc_no_memory(edges->timeline->ctx);
			return;
		}
		start_node(edges, part->node, op);
	}
	part->node->open_count++;
	if (op->end_ns > part->node->end_ns)
		part->node->end_ns = op->end_ns;
	add_meeting(edges, part->node, &op->span, TC_REPLAY_ARRIVE, op->span.ts_ns);
	begin_work(edges, part, op->span.ts_ns);
}

/* ---- ends */

static void add_step_end(struct tc_edges *edges, const struct tc_edge_lane *lane)
{
	const struct tc_replay_op op = {.kind = TC_REPLAY_STEP_DEVICE,
		.dst = lane->end.slot,
		.src = (uint32_t)lane->step,
		.label = UINT32_MAX,
		.device = (uint16_t)(lane->device + 1),
		.time_ns = lane->end.time_ns,
		.amount_ns = lane->busy_ns};

	if (lane->step >= 0 && lane->end.slot != TC_SLOT_NONE)
		tc_slots_add(&edges->slots, &op);
}

static void keep_copy(struct tc_edges *edges, const struct tc_edge_node *node, struct tc_point end)
{
	struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];

	if (device->copy_count == TC_EDGE_COPIES) {
		tc_slot_release(&edges->slots, device->copies[0].end.slot);
		device->copy_count--;
		for (size_t i = 0; i < device->copy_count; i++)
			device->copies[i] = device->copies[i + 1];
	}
	tc_slot_hold(&edges->slots, end.slot);
	device->copies[device->copy_count++] =
		(struct tc_edge_copy){end, node->launch_ns, node->frees_mask};
}

/* The end of a node. An edit that removes the node leaves its lane as it was before, so the next
 * work there no longer waits for what the node waited for. Work on another lane that waits for the
 * node needs what it was made of, and so waits for that. */
static void hold_lane_end(
	struct tc_edges *edges, const struct tc_edge_node *node, struct tc_point end)
{
	struct tc_edge_lane *lane = &edges->lanes[node->lane];
	struct tc_replay_op op = tc_edge_node_op(
		edges, node, TC_REPLAY_POINT, tc_rule_piece(TC_RULE_BEFORE_REMOVED));

	tc_point_hold(&edges->slots, &lane->end, end);
	tc_point_hold(&edges->slots, &lane->result, end);
	if (node->lane_before.slot == TC_SLOT_NONE)
		return;
	lane->end.slot = op.dst = tc_slot_take(&edges->slots);
	op.src = node->lane_before.slot;
	op.time_ns = end.time_ns;
	tc_slots_add(&edges->slots, &op);
	op.kind = TC_REPLAY_JOIN;
	op.src = end.slot;
	op.mask = node->gone_mask;
	op.amount_ns = end.time_ns - node->lane_before.time_ns;
	tc_slots_add(&edges->slots, &op);
	tc_slot_release(&edges->slots, end.slot);
	tc_slot_release(&edges->slots, node->lane_before.slot);
}

/* Work that began before the end of the work before it does not end sooner. */
static void wait_for_end_before(
	struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns)
{
	const struct tc_point *before = &edges->lanes[node->lane].end;
	struct tc_replay_op join =
		tc_edge_node_op(edges, node, TC_REPLAY_JOIN, tc_rule_piece(TC_RULE_ORDER));

	if (!node->is_early || before->slot == TC_SLOT_NONE)
		return;
	join.src = before->slot;
	join.time_ns = time_ns;
	join.amount_ns = before->time_ns - time_ns;
	tc_slots_add(&edges->slots, &join);
}

/* Calls that wait for an event may wait for the last work of a step. */
static void keep_step_end(
	struct tc_edges *edges, const struct tc_edge_node *node, struct tc_point end)
{
	struct tc_edge_step *kept;

	if (edges->habits.ahead.lead == 0 || node->step < 0)
		return;
	kept = &edges->steps[node->step & (TC_AHEAD_MAX - 1)];
	if (node->step < kept->step)
		return;
	kept->step = node->step;
	tc_point_hold(&edges->slots, &kept->end, end);
}

/* The thread that launched the copy may wait for it. */
static void note_copied(
	struct tc_edges *edges, const struct tc_edge_node *node, struct tc_point end)
{
	const struct tc_launching *call =
		node->launch_id == TC_NO_ID ? NULL
					    : tc_launching_find(edges->launches, node->launch_id);

	if (!call)
		return;
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, call->thread);
	thread->copy_launch_id = node->launch_id;
	tc_point_hold(&edges->slots, &thread->copied, end);
}

/* A call leaves the queue when its first work ends; more of its work counts, too, until the next
 * call leaves. */
static void leave_queue(
	struct tc_edges *edges, const struct tc_edge_node *node, struct tc_point end)
{
	int64_t *left_launch_id = &edges->queue.left_launch_id;

	if (node->is_first)
		*left_launch_id = node->launch_id;
	if (node->launch_id != TC_NO_ID && node->launch_id == *left_launch_id)
		tc_edges_queue(edges, TC_REPLAY_LEAVE, end, node->call_mask, !node->is_first);
}

static void note_end(struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns)
{
	struct tc_edge_lane *lane = &edges->lanes[node->lane];
	struct tc_edge_device *device = &edges->devices[lane->device];
	const struct tc_point end = {node->slot, time_ns};

	if (lane->step != node->step)
		add_step_end(edges, lane);
	lane->step = node->step;
	lane->busy_ns = busy_until(device, time_ns);
	wait_for_end_before(edges, node, time_ns);
	lane->frees_mask = node->frees_mask;
	hold_lane_end(edges, node, end);
	tc_point_hold(&edges->slots, &edges->ended, end);
	keep_step_end(edges, node, end);
	leave_queue(edges, node, end);
	if (is_compute(node)) {
		tc_point_hold(&edges->slots, &edges->worked, end);
		note_compute_end(device, node, time_ns);
		if (edges->habits.has_collectives)
			keep_work(edges, node, end);
	}
	if (tc_engine_is_collective(node->engine)) {
		tc_point_hold(&edges->slots, &device->reduced, end);
		device->reduced_frees = node->frees_mask;
	}
	if (device->recent_lanes[0] != node->lane) {
		device->recent_lanes[1] = device->recent_lanes[0];
		device->recent_lanes[0] = node->lane;
	}
	if (node->is_input)
		keep_copy(edges, node, end);
	if (node->is_copy)
		note_copied(edges, node, end);
	if (node->engine == TC_ENGINE_MME || node->engine == TC_ENGINE_TPC) {
		device->node_ts_ns = node->ts_ns;
		device->node_end_ns = time_ns;
		device->node_launch_id = node->launch_id;
		device->node_engine = node->engine;
	}
}

static void end_node(struct tc_edges *edges, struct tc_edge_node *node, int64_t time_ns)
{
	tc_edge_hide_collective(edges, node);
	tc_edge_end_work(edges, node);
	note_end(edges, node, time_ns);
	tc_edge_leave_graph(edges, node, time_ns);
	tc_slot_release(&edges->slots, node->slot);
	*(node->before ? &node->before->next : &edges->lanes[node->lane].open) = node->next;
	if (node->next)
		node->next->before = node->before;
	tc_pool_give(&edges->nodes, node);
}

void tc_edges_op_ends(void *user, struct tc_walk_op *op)
{
	struct tc_edges *edges = user;
	const struct edge_op *part = (const struct edge_op *)(const void *)op;
	struct tc_edge_node *node = part->node;

	end_work(edges, part, op->end_ns);
	add_meeting(edges, node, &op->span, TC_REPLAY_MEET, op->end_ns);
	if (--node->open_count == 0)
		end_node(edges, node, op->end_ns);
}

void tc_edges_end_devices(struct tc_edges *edges)
{
	for (size_t i = 0; i < edges->lane_count; i++) {
		const struct tc_edge_lane *lane = &edges->lanes[i];
		const struct tc_replay_op op = {.kind = TC_REPLAY_END,
			.dst = lane->end.slot,
			.src = TC_SLOT_NONE,
			.label = UINT32_MAX,
			.device = (uint16_t)(lane->device + 1),
			.time_ns = lane->end.time_ns};
		if (lane->end.slot == TC_SLOT_NONE)
			continue;
		add_step_end(edges, lane);
		tc_slots_add(&edges->slots, &op);
		if (lane->end.time_ns > edges->end_ns)
			edges->end_ns = lane->end.time_ns;
	}
}

/* Without steps, time before the first work and after the last is not part of the run. */
int64_t tc_edges_idle_ns(const struct tc_edges *edges)
{
	bool is_run = edges->timeline->step_count > 0;
	int64_t idle_ns = INT64_MAX, most_ns = -1;

	for (size_t i = 0; i <= edges->timeline->device_count; i++) {
		const struct tc_edge_device *device = &edges->devices[i];
		if (device->last_ns == INT64_MIN)
			continue;
		int64_t from_ns = is_run ? edges->timeline->start_ns : device->first_ns;
		int64_t to_ns = is_run ? edges->end_ns : device->last_ns;
		if (to_ns - from_ns - device->busy_ns > most_ns)
			idle_ns = most_ns = to_ns - from_ns - device->busy_ns;
	}
	return idle_ns;
}

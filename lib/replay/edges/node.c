/* Writes what a node waits for and saves as operations of the program; see node.h. */
#include "replay/edges/node.h"

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
 * launch would, if it were queued, start sooner than that after the work before it. */
static int64_t cost_of(const struct tc_edge_start *start, enum tc_piece piece, int64_t slack_ns)
{
	int64_t queue_ns = start->edges->habits.queue_ns[start->node->engine];
	bool is_queued = piece == TC_PIECE_QUEUE && start->slack_ns < slack_ns &&
			 start->slack_ns <= TC_UNEXPLAINED_NS;

	return is_queued && queue_ns < start->slack_ns ? queue_ns : start->slack_ns;
}

void tc_edge_wait_for(
	struct tc_edge_start *start, struct tc_point point, enum tc_piece piece, uint16_t frees)
{
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
	if (!start->any || slack_ns < start->slack_ns)
		start->slack_ns = start->gap_ns = slack_ns;
	if (cost_ns < start->gap_ns)
		start->gap_ns = cost_ns;
	start->any = true;
	start->elsewhere_count++;
}

void tc_edge_wait_for_lane(struct tc_edge_start *start, uint32_t index)
{
	const struct tc_edge_lane *lane = &start->edges->lanes[index];
	bool is_own = index == start->node->lane;

	tc_edge_wait_for(start, is_own ? lane->end : lane->result, TC_PIECE_QUEUE,
		is_own ? 0 : lane->frees_mask);
}

void tc_edge_save(struct tc_edges *edges, const struct tc_edge_node *node, int64_t time_ns,
	int64_t amount_ns, uint16_t mask)
{
	struct tc_replay_op op = tc_edge_node_op(edges, node, TC_REPLAY_SAVE, TC_PIECE_NONE);

	op.mask = mask;
	op.time_ns = time_ns;
	op.amount_ns = amount_ns;
	if (mask && amount_ns > 0)
		tc_slots_add(&edges->slots, &op);
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
	op.amount_ns = time_ns - node->ts_ns;
	if (op.mask && op.amount_ns > 0)
		tc_slots_add(&edges->slots, &op);
	return point;
}

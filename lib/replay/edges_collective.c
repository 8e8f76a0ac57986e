/*
 * What a collective waited for beside its launch and its lane; see replay.h. It sends what was computed,
 * so its stream waits for the compute that its device was given before it. Traces rarely name such
 * waits, but where all of that compute had ended by then, the collective may have waited for it.
 */
#include "replay/edges_node.h"

/* A collective, which says what it waits for by when it was launched. */
static bool is_launched_collective(const struct tc_edge_node *node)
{
	return node->engine == TC_ENGINE_COMMUNICATION && node->launch_id != TC_NO_ID;
}

void tc_edge_keep_work(struct tc_edges *edges, const struct tc_edge_node *node, struct tc_point end)
{
	struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];
	struct tc_edge_copy *work = &device->works[device->work_count++ % TC_EDGE_WORKS];

	tc_point_hold(&edges->slots, &work->end, end);
	work->launch_ns = node->launch_ns;
	work->frees_mask = node->frees_mask;
}

/* Compute that was launched before it is still under way, so it did not wait for all. */
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

void tc_edge_wait_for_compute(struct tc_edge_start *start)
{
	struct tc_edges *edges = start->edges;
	const struct tc_edge_node *node = start->node;
	const struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];
	uint64_t kept = device->work_count < TC_EDGE_WORKS ? device->work_count : TC_EDGE_WORKS;

	if (!is_launched_collective(node) || runs_beside(edges, node))
		return;
	for (uint64_t i = 1; i <= kept; i++) {
		const struct tc_edge_copy *work =
			&device->works[(device->work_count - i) % TC_EDGE_WORKS];
		if (work->launch_ns < node->launch_ns) {
			tc_edge_wait_for(start, work->end, TC_PIECE_QUEUE, work->frees_mask);
			return;
		}
	}
}

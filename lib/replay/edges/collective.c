/*
 * Collectives beside compute: what they waited for, what waited for them, and how much of them can
 * be hidden; see replay.h. A collective sends computed data, so its stream waits for compute that
 * was launched on its device earlier. Traces rarely record such waits. If all of that compute had
 * ended when the collective started, the collective may have waited for it.
 */
#include "core/saturate.h"
#include "replay/edges/node.h"

/* A collective with a known launch. */
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

/* The last collective before a device computes again reduces the result of all compute before. It
 * starts after that, even where nothing shows which call launched it. */
static void wait_for_results(struct tc_edge_start *start, const struct tc_edge_device *device)
{
	const struct tc_edge_node *node = start->node;

	if (node->launch_id != TC_NO_ID || device->compute_count > 0 || device->work_count == 0 ||
		!tc_slice_bits_get(&start->edges->habits.last_reduced, node->slice_id))
		return;
	const struct tc_edge_copy *work = &device->works[(device->work_count - 1) % TC_EDGE_WORKS];
	tc_edge_wait_for(start, work->end, TC_PIECE_QUEUE, work->frees_mask);
}

void tc_edge_wait_for_compute(struct tc_edge_start *start)
{
	struct tc_edges *edges = start->edges;
	const struct tc_edge_node *node = start->node;
	const struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];
	uint64_t kept = device->work_count < TC_EDGE_WORKS ? device->work_count : TC_EDGE_WORKS;

	wait_for_results(start, device);
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

bool tc_edge_is_compute(const struct tc_edge_node *node)
{
	return node->engine != TC_ENGINE_NIC && node->engine != TC_ENGINE_COMMUNICATION &&
	       !node->is_copy;
}

static int64_t computed_until(const struct tc_edge_device *device, int64_t time_ns)
{
	return device->computed_ns +
	       (device->compute_count > 0 ? time_ns - device->compute_since_ns : 0);
}

/* The gradients of a graph are ready when all of the graph has ended. */
static void note_cut(struct tc_edge_device *device, const struct tc_edge_node *node)
{
	bool is_first = !device->has_computed;

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

void tc_edge_note_compute_start(struct tc_edge_device *device, const struct tc_edge_node *node)
{
	if (tc_edge_is_compute(node)) {
		note_cut(device, node);
		if (device->compute_count++ == 0)
			device->compute_since_ns = node->ts_ns;
		device->has_computed = true;
	} else if (!node->is_copy && device->has_computed) {
		device->beside_ns = computed_until(device, node->ts_ns);
		device->computed_ns = device->hidden_ns = device->reduced_ns = 0;
		device->compute_since_ns = node->ts_ns;
		device->has_computed = false;
	}
}

void tc_edge_note_compute_end(struct tc_edge_device *device, int64_t time_ns)
{
	device->computed_ns = computed_until(device, time_ns);
	device->compute_since_ns = time_ns;
	device->compute_count--;
}

void tc_edge_wait_for_gradients(struct tc_edge_start *start, const struct tc_launching *call)
{
	struct tc_edges *edges = start->edges;
	struct tc_edge_device *device = &edges->devices[edges->lanes[start->node->lane].device];

	if (!call || !(call->inside & TC_INSIDE_UPDATE) || !tc_edge_is_compute(start->node))
		return;
	tc_edge_wait_for(start, device->reduced, TC_PIECE_QUEUE, device->reduced_frees);
	tc_slot_release(&edges->slots, device->reduced.slot);
	device->reduced = TC_POINT_NONE;
}

/* How much of the collectives can be hidden beside the last part of the compute before them. A
 * graph's gradients are ready only at its end, so those of the last graph are not hidden. */
static int64_t hideable_ns(const struct tc_edge_device *device, int64_t beside_ppm)
{
	int64_t beside_ns = tc_part_of(device->beside_ns, beside_ppm);
	int64_t ends = 0, after_ns = 0;

	if (!device->by_graphs)
		return beside_ns;
	for (size_t i = 0; i < device->cut_count; i++) {
		if (device->beside_ns - device->cuts[i] > beside_ns)
			continue;
		if (ends++ == 0)
			after_ns = device->beside_ns - device->cuts[i];
	}
	int64_t ready_ns = device->reduced_ns / (ends + 1) * ends;
	return ready_ns < after_ns ? ready_ns : after_ns;
}

void tc_edge_hide(struct tc_edges *edges, const struct tc_edge_node *node)
{
	struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];
	int64_t dur_ns = node->end_ns - node->ts_ns, hidden_ns = 0;

	if (!tc_edge_is_compute(node) && !node->is_copy)
		device->reduced_ns = tc_add_saturated(device->reduced_ns, dur_ns);
	for (size_t i = 0; i < TC_CLAUSE_MAX && !tc_clause_set_is_empty(&node->hide); i++) {
		struct tc_clause_set one = {{0}};
		if (!tc_clause_set_has(&node->hide, i))
			continue;
		int64_t left_ns = tc_sub_saturated(
			hideable_ns(device, edges->clauses[i].beside_ppm), device->hidden_ns);
		left_ns = left_ns < dur_ns ? left_ns : dur_ns;
		hidden_ns = left_ns > hidden_ns ? left_ns : hidden_ns;
		tc_clause_set_add(&one, i);
		tc_edge_save(
			edges, node, node->end_ns, left_ns, tc_slots_mask(&edges->slots, &one));
	}
	device->hidden_ns = tc_add_saturated(device->hidden_ns, hidden_ns);
}

/*
 * What an edit takes off collectives: how much of them it hides beside compute, or saves of their
 * starts.
 */
#include "core/saturate.h"
#include "replay/edges.h"

/* How much of the collectives can be hidden beside the last part of the compute before them. A
 * graph hands over all its gradients at its end, and each graph has as many. A collective sends a
 * bucket when the last of its gradients is there, and buckets are of one size: so one that the last
 * graph fills is not hidden, and those from one on that a graph fills take no more than the time
 * after it. At the high end of a range buckets may be cut where graphs end. */
static int64_t hideable_ns(const struct tc_edge_device *device, int64_t beside_ppm, bool cut_to_fit)
{
	int64_t beside_ns = tc_part_of(device->beside_ns, beside_ppm);
	int64_t graphs = 1, ended = 0, full = 0, hidden_ns = INT64_MAX;

	if (!device->by_graphs)
		return beside_ns;
	if (device->reduced_count == 0)
		return 0; /* an edit may name other work than collectives */
	for (size_t i = 0; i < device->cut_count; i++)
		graphs += device->beside_ns - device->cuts[i] <= beside_ns;
	int64_t count = cut_to_fit ? graphs : device->reduced_count;
	int64_t each_ns = device->reduced_ns / count; /* no more than `count` of them are full */
	for (size_t i = 0; i < device->cut_count; i++) {
		int64_t after_ns = device->beside_ns - device->cuts[i];
		if (after_ns > beside_ns)
			continue;
		int64_t filled = count * ++ended / graphs;
		int64_t until_ns = tc_add_saturated(full * each_ns, after_ns);
		if (filled > full && until_ns < hidden_ns)
			hidden_ns = until_ns;
		full = filled;
	}
	return full * each_ns < hidden_ns ? full * each_ns : hidden_ns;
}

/* What goes of a collective when few large ones do the work of many: the time to start, which is no
 * longer than the shortest one of the recording takes. Of a short one some time moves data all the
 * same: at least a twentieth, and likely half of it where the recording does not show how many
 * parameters there are. */
static int64_t merged_ns(const struct tc_edges *edges, const struct tc_clause *clause,
	const struct tc_edge_node *node)
{
	int64_t dur_ns = node->end_ns - node->ts_ns, ns = clause->merged_ns[TC_END_LIKELY];
	int64_t shown_ns = edges->habits.startup_ns[clause->end];
	bool is_shown = shown_ns < INT64_MAX;
	int64_t most_ns =
		is_shown || clause->end == TC_END_HIGH ? dur_ns - dur_ns / 20 : dur_ns / 2;
	int64_t shortest_ns = edges->habits.start_ns[node->engine];

	if (is_shown)
		ns = shown_ns < clause->merged_ns[TC_END_LOW]    ? clause->merged_ns[TC_END_LOW]
		     : shown_ns > clause->merged_ns[TC_END_HIGH] ? clause->merged_ns[TC_END_HIGH]
								 : shown_ns;
	if (shortest_ns > 0 && shortest_ns < ns)
		ns = shortest_ns;
	return ns < most_ns ? ns : most_ns;
}

void tc_edge_hide_collective(struct tc_edges *edges, const struct tc_edge_node *node)
{
	struct tc_edge_device *device = &edges->devices[edges->lanes[node->lane].device];
	int64_t dur_ns = node->end_ns - node->ts_ns, hidden_ns[TC_END_COUNT] = {0};

	if (tc_engine_is_collective(node->engine) && !node->is_copy) {
		device->reduced_ns = tc_add_saturated(device->reduced_ns, dur_ns);
		device->reduced_count++;
	}
	for (size_t i = 0; i < TC_CLAUSE_MAX && !tc_clause_set_is_empty(&node->hide); i++) {
		const struct tc_clause *clause = &edges->clauses[i];
		struct tc_clause_set one = {{0}};
		if (!tc_clause_set_has(&node->hide, i))
			continue;
		tc_clause_set_add(&one, i);
		uint16_t mask = tc_slots_mask(&edges->slots, &one);
		if (clause->action == TC_EDIT_MERGE) {
			tc_edge_save(
				edges, node, node->end_ns, merged_ns(edges, clause, node), mask);
			continue;
		}
		int64_t left_ns = tc_sub_saturated(
			hideable_ns(device, clause->beside_ppm, clause->end == TC_END_HIGH),
			device->hidden_ns[clause->end]);
		left_ns = left_ns < dur_ns ? left_ns : dur_ns;
		if (left_ns > hidden_ns[clause->end])
			hidden_ns[clause->end] = left_ns;
		tc_edge_save(edges, node, node->end_ns, left_ns, mask);
	}
	for (int end = 0; end < TC_END_COUNT; end++)
		device->hidden_ns[end] = tc_add_saturated(device->hidden_ns[end], hidden_ns[end]);
}

/*
 * Graphs that a bridge makes of operations; see replay.h and lowering.h. The operations since the
 * last launch and the graph's nodes on the device show what it is made of.
 */
#include <string.h>

#include "core/saturate.h"
#include "replay/edges/edges.h"

static void count_built(struct tc_edge_thread *thread, const struct tc_edge_slice *slice)
{
	size_t i = 0;

	while (i < TC_EDGE_BUILT && thread->built[i].count > 0 &&
		memcmp(&thread->built[i].work, &slice->work, sizeof(slice->work)) != 0)
		i++;
	thread->built_count++;
	if (i == TC_EDGE_BUILT)
		return;
	thread->built[i].work = slice->work;
	thread->built[i].count++;
}

/* A graph is made of the operations since the last launch, wherever it is launched. */
void tc_edges_note_built(struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, slice->slice.thread);
	const struct tc_label *label = &edges->timeline->labels[slice->slice.span.label];
	const struct tc_edge_slice *around = (const void *)slice->slice.around;

	if (slice->role == TC_ROLE_GRAPH_BUILD && around && around->role == TC_ROLE_DISPATCH)
		count_built(thread, around);
	if (!label->is_op || slice->role != TC_ROLE_DISPATCH)
		return;
	thread->built_inside =
		thread->has_built ? thread->built_inside & slice->inside : slice->inside;
	thread->has_built = true;
}

void tc_edges_find_flush(const struct tc_edges *edges, struct tc_edge_slice *slice)
{
	const struct tc_edge_slice *around = (const void *)slice->slice.around;
	enum tc_mark mark = edges->timeline->labels[slice->slice.span.label].mark;
	bool is_cut = mark == TC_MARK_BRIDGE_CUT;

	slice->is_flush = is_cut && around && around->reads;
	slice->is_in_flush = slice->is_flush || (around && around->is_in_flush);
	slice->reads = mark == TC_MARK_COPY_CARRIER || mark == TC_MARK_READ_CARRIER ||
		       (!is_cut && around && around->reads);
}

uint64_t tc_edges_launched_inside(struct tc_edges *edges, const struct tc_edge_slice *slice)
{
	struct tc_edge_thread *thread = tc_edge_thread_at(edges, slice->slice.thread);
	uint64_t inside = thread->has_built && slice->is_in_flush ? 0 : slice->inside;

	return inside | tc_edges_take_built(thread);
}

uint64_t tc_edges_take_built(struct tc_edge_thread *thread)
{
	uint64_t inside = thread->has_built ? thread->built_inside : 0;

	thread->has_built = false;
	thread->built_count = 0;
	memset(thread->built, 0, sizeof(thread->built));
	return inside;
}

static void save_with(struct tc_edges *edges, const struct tc_edge_thread *thread,
	int64_t amount_ns, const struct tc_clause_set *one, const struct tc_clause_set *other)
{
	struct tc_clause_set either = *one;

	tc_clause_set_join(&either, other);
	tc_slots_save(&edges->slots, thread->slot, thread->last_ns, amount_ns,
		tc_slots_mask(&edges->slots, &either));
}

/* Each operation that edits remove takes its part of the time in which operations become nodes. */
static void save_by_op(struct tc_edges *edges, const struct tc_edge_thread *thread,
	const struct tc_edge_slice *slice, int64_t own_ns)
{
	int64_t left_ns = own_ns;

	for (size_t i = 0; i < TC_EDGE_BUILT && thread->built[i].count > 0; i++) {
		int64_t part_ns =
			tc_scale_saturated(own_ns, thread->built[i].count, thread->built_count);
		left_ns -= part_ns;
		save_with(edges, thread, part_ns, &slice->work, &thread->built[i].work);
	}
	tc_slots_save(&edges->slots, thread->slot, thread->last_ns, left_ns, slice->work_mask);
}

/* The time for the nodes of one group. Fused nodes become one, however much of their work stays. */
static void save_by_group(struct tc_edges *edges, const struct tc_edge_thread *thread,
	const struct tc_edge_slice *slice, const struct tc_lowered_group *group, int64_t part_ns)
{
	struct tc_clause_set gone = {{0}}, fused;
	int64_t one_ns = part_ns / group->node_count;

	for (uint32_t left = group->clauses; left; left &= left - 1)
		tc_clause_set_add(&gone, edges->habits.clauses[__builtin_ctz(left)].clause);
	fused = gone;
	for (uint32_t left = group->clauses; left; left &= left - 1)
		if (edges->habits.clauses[__builtin_ctz(left)].fuses)
			tc_clause_set_add(
				&fused, edges->habits.clauses[__builtin_ctz(left)].clause + 1);
	save_with(edges, thread, one_ns, &slice->work, &gone);
	save_with(edges, thread, part_ns - one_ns, &slice->work, &fused);
}

void tc_edges_lower(struct tc_edges *edges, const struct tc_edge_thread *thread,
	const struct tc_edge_slice *slice, int64_t own_ns)
{
	const struct tc_lowered *graph = slice->lowered;
	int64_t left_ns = own_ns;

	for (size_t i = 0; i < TC_LOWERED_GROUPS && graph->groups[i].clauses; i++) {
		int64_t part_ns =
			tc_scale_saturated(own_ns, graph->groups[i].node_count, graph->node_count);
		left_ns -= part_ns;
		save_by_group(edges, thread, slice, &graph->groups[i], part_ns);
	}
	save_by_op(edges, thread, slice, left_ns);
}

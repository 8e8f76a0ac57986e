#include "replay/habits/lowering.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/array.h"

void tc_lowerings_clear(struct tc_lowerings *lowerings)
{
	tc_free(lowerings->items);
	*lowerings = (struct tc_lowerings){0};
}

static void count_node(struct tc_lowered *graph, uint32_t clauses)
{
	size_t i = 0;

	graph->node_count++;
	if (clauses == 0)
		return;
	while (i < TC_LOWERED_GROUPS && graph->groups[i].clauses &&
		graph->groups[i].clauses != clauses)
		i++;
	if (i == TC_LOWERED_GROUPS)
		return;
	graph->groups[i].clauses = clauses;
	graph->groups[i].node_count++;
}

bool tc_lowerings_add(struct tc_lowerings *lowerings, int64_t launch_id, uint32_t clauses)
{
	size_t last = lowerings->count;

	if (last > 0 && lowerings->items[last - 1].launch_id == launch_id) {
		count_node(&lowerings->items[last - 1], clauses);
		return true;
	}
	if (!TC_GROW(lowerings->items, lowerings->capacity, last + 1))
		return false;
	lowerings->items[last] = (struct tc_lowered){.launch_id = launch_id, .slice_id = -1};
	lowerings->count++;
	count_node(&lowerings->items[last], clauses);
	return true;
}

TC_ORDER(by_launch, struct tc_lowered, TC_UP(launch_id));
TC_ORDER(by_slice, struct tc_lowered, TC_UP(slice_id) TC_UP(launch_id));

/* Graphs may take turns on a device: the parts of a graph become one. */
static void join_parts(struct tc_lowered *graph, const struct tc_lowered *part)
{
	for (size_t i = 0; i < TC_LOWERED_GROUPS; i++)
		for (uint32_t k = 0; k < part->groups[i].node_count; k++)
			count_node(graph, part->groups[i].clauses);
	uint32_t grouped = 0;
	for (size_t i = 0; i < TC_LOWERED_GROUPS; i++)
		grouped += part->groups[i].node_count;
	graph->node_count += part->node_count - grouped;
}

void tc_lowerings_sort(struct tc_lowerings *lowerings)
{
	size_t kept = 0;

	if (lowerings->count == 0)
		return;
	qsort(lowerings->items, lowerings->count, sizeof(*lowerings->items), by_launch);
	for (size_t i = 1; i < lowerings->count; i++)
		if (lowerings->items[i].launch_id == lowerings->items[kept].launch_id)
			join_parts(&lowerings->items[kept], &lowerings->items[i]);
		else
			lowerings->items[++kept] = lowerings->items[i];
	lowerings->count = kept + 1;
}

struct tc_lowered *tc_lowerings_of_launch(struct tc_lowerings *lowerings, int64_t launch_id)
{
	const struct tc_lowered asked = {.launch_id = launch_id};

	return lowerings->count == 0 ? NULL
				     : bsearch(&asked, lowerings->items, lowerings->count,
					       sizeof(asked), by_launch);
}

void tc_lowerings_sort_by_slice(struct tc_lowerings *lowerings)
{
	if (lowerings->count > 0)
		qsort(lowerings->items, lowerings->count, sizeof(*lowerings->items), by_slice);
}

const struct tc_lowered *tc_lowerings_of_slice(
	const struct tc_lowerings *lowerings, int64_t slice_id)
{
	size_t at;

	TC_BISECT(at, lowerings->count, lowerings->items[at].slice_id < slice_id);
	return at < lowerings->count && lowerings->items[at].slice_id == slice_id
		       ? &lowerings->items[at]
		       : NULL;
}

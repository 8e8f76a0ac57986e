/*
 * Lowering: a bridge makes a graph of the operations that it has collected. That takes host time
 * for each node, so a removed node takes its part of that time along. Holds the graphs whose nodes
 * are in the recording, with the host slice that made each.
 */
#ifndef TC_REPLAY_HABITS_LOWERING_H
#define TC_REPLAY_HABITS_LOWERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TC_LOWERED_GROUPS = 4 };

/* A graph: the number of its nodes, and how many of them each set of clauses removes. */
struct tc_lowered {
	int64_t launch_id,
		slice_id; /* the call that launched it; the slice that made it, -1 for none */
	uint32_t node_count;
	struct tc_lowered_group {
		uint32_t clauses; /* bits of the clauses of habits; 0: the group is not used */
		uint32_t node_count;
	} groups[TC_LOWERED_GROUPS]; /* nodes of further sets count as nodes that stay */
};

struct tc_lowerings {
	struct tc_lowered *items;
	size_t count, capacity;
};

void tc_lowerings_clear(struct tc_lowerings *lowerings);
/* Adds a node of a graph. False when memory is out. */
bool tc_lowerings_add(struct tc_lowerings *lowerings, int64_t launch_id, uint32_t clauses);

/* By launch; called when all nodes are added. slice_id may be set afterwards. */
void tc_lowerings_sort(struct tc_lowerings *lowerings);
struct tc_lowered *tc_lowerings_of_launch(struct tc_lowerings *lowerings, int64_t launch_id);

/* By slice; called when every slice_id is set. */
void tc_lowerings_sort_by_slice(struct tc_lowerings *lowerings);
const struct tc_lowered *tc_lowerings_of_slice(
	const struct tc_lowerings *lowerings, int64_t slice_id);

#endif

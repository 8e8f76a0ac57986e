/*
 * Lowering: a bridge makes a graph of the operations that it has collected, which takes host time for
 * each node. When nodes go, so does their part of that time. Known are the graphs whose nodes are in
 * the recording, by the host slice that made them.
 */
#ifndef TC_REPLAY_HABITS_LOWERING_H
#define TC_REPLAY_HABITS_LOWERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TC_LOWERED_GROUPS = 4 };

/* A graph: how many nodes it has, and how many of them each set of clauses is about. */
struct tc_lowered {
	int64_t launch_id,
		slice_id; /* the call that launched it, the slice that made it; -1 for none */
	uint32_t node_count;
	struct tc_lowered_group {
		uint32_t clauses; /* bits of the clauses of habits; 0: the group is not used */
		uint32_t node_count;
	} groups[TC_LOWERED_GROUPS]; /* nodes of further sets count as those of none */
};

struct tc_lowerings {
	struct tc_lowered *items;
	size_t count, capacity;
};

void tc_lowerings_clear(struct tc_lowerings *lowerings);
/* A node of a graph. False when memory is out. */
bool tc_lowerings_add(struct tc_lowerings *lowerings, int64_t launch_id, uint32_t clauses);

/* When all nodes are there: by launch. Afterwards slice_id may be set. */
void tc_lowerings_sort(struct tc_lowerings *lowerings);
struct tc_lowered *tc_lowerings_of_launch(struct tc_lowerings *lowerings, int64_t launch_id);

/* When all slice_id are there: by slice. */
void tc_lowerings_sort_by_slice(struct tc_lowerings *lowerings);
const struct tc_lowered *tc_lowerings_of_slice(
	const struct tc_lowerings *lowerings, int64_t slice_id);

#endif

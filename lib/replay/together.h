/*
 * What parts win together, such as the fixes of a plan or the edits of a what-if. The answer for
 * some of them is the same wherever it is asked for: all sets of parts are replayed, with all
 * shares at either end, and no set wins less than one that it has all of.
 */
#pragma once

#include "replay/whatif.h"
#include "replay/world.h"

enum {
	TC_TOGETHER_MAX = 5, /* parts */
	TC_TOGETHER_SETS = 1 << TC_TOGETHER_MAX,
	TC_TOGETHER_COLUMNS = TC_END_COUNT * TC_TOGETHER_SETS
};

struct tc_together_part {
	struct tc_clause_set ends[TC_END_COUNT];
};

/* By mask: bit i is the part at place i. */
struct tc_together {
	struct tc_won won[TC_TOGETHER_SETS];
	struct tc_gain gains[TC_TOGETHER_SETS];
};

/* Adds a part; to the last one where there are as many as may be. */
void tc_together_add(
	struct tc_together_part *parts, size_t *part_count, const struct tc_together_part *part);

/* The what-ifs to replay, by end, each from all parts to none. Returns their number. */
size_t tc_together_sets(
	struct tc_clause_set *sets, const struct tc_together_part *parts, size_t part_count);
static inline size_t tc_together_column(size_t part_count, unsigned mask)
{
	return ((size_t)1 << part_count) - 1 - mask;
}
/* won: by what-if. */
void tc_together_settle(struct tc_together *out, const struct tc_won *won, size_t part_count);

/* The what-ifs of a job, with the ranks that nobody waits for; NULL when memory is out. */
struct tc_world_whatif *tc_together_whatifs(struct tc_arena *arena, const struct tc_world *world,
	const struct tc_fixes *fixes, const struct tc_clause_set *sets, size_t count);
/* What the job wins, by what-if, said of a rank: tc_world_won(). Where nobody is late, it is what
 * that rank wins. */
enum tc_status tc_together_job(struct tc_won *won, size_t rank, const struct tc_world *world,
	const struct tc_shifts *shifts, const struct tc_world_whatif *whatifs, size_t count);

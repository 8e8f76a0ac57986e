#include "replay/together.h"

/* ---- what is replayed */

void tc_together_add(
	struct tc_together_part *parts, size_t *part_count, const struct tc_together_part *part)
{
	if (*part_count < TC_TOGETHER_MAX)
		parts[(*part_count)++] = (struct tc_together_part){0};
	for (size_t end = 0; end < TC_END_COUNT; end++)
		tc_clause_set_join(&parts[*part_count - 1].ends[end], &part->ends[end]);
}

size_t tc_together_sets(
	struct tc_clause_set *sets, const struct tc_together_part *parts, size_t part_count)
{
	size_t count = 0;

	for (int end = TC_END_LIKELY; end < TC_END_COUNT; end++)
		for (unsigned mask = 1U << part_count; mask-- > 0;) {
			struct tc_clause_set *set = &sets[count++];
			*set = (struct tc_clause_set){{0}};
			if (end != TC_END_LIKELY)
				tc_clause_set_to_end(set, (enum tc_end)end);
			for (size_t i = 0; i < part_count; i++)
				if (mask >> i & 1)
					tc_clause_set_join(set, &parts[i].ends[end]);
		}
	return count;
}

static bool is_named(const struct tc_clause *clause, const struct tc_world_rank *rank)
{
	for (size_t i = 0; i < clause->rank_count; i++)
		if (rank->rank == clause->ranks[i])
			return true;
	return clause->all_late && rank->late_order > 0;
}

static const bool *find_late(struct tc_arena *arena, const struct tc_world *world,
	const struct tc_fixes *fixes, const struct tc_clause_set *set)
{
	bool *is_late = tc_arena_take(arena, world->count, sizeof(*is_late));

	for (size_t at = 0; at < fixes->clause_count && is_late; at++)
		for (size_t i = 0; i < world->count; i++)
			is_late[i] |= tc_clause_set_has(set, at) &&
				      fixes->clauses[at].action == TC_EDIT_LATE &&
				      is_named(&fixes->clauses[at], &world->ranks[i]);
	return is_late;
}

struct tc_world_whatif *tc_together_whatifs(struct tc_arena *arena, const struct tc_world *world,
	const struct tc_fixes *fixes, const struct tc_clause_set *sets, size_t count)
{
	struct tc_world_whatif *whatifs = tc_arena_take(arena, count, sizeof(*whatifs));

	for (size_t i = 0; i < count && whatifs; i++)
		whatifs[i] = (struct tc_world_whatif){
			sets[i], tc_fixes_have_ranks(fixes, &sets[i])
					 ? find_late(arena, world, fixes, &sets[i])
					 : NULL};
	return tc_ctx_failed(arena->ctx) ? NULL : whatifs;
}

/* ---- what is won */

enum tc_status tc_together_job(struct tc_won *won, size_t rank, const struct tc_world *world,
	const struct tc_shifts *shifts, const struct tc_world_whatif *whatifs, size_t count)
{
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < count && !status; i++) {
		if (whatifs[0].is_late || world->ranks[rank].late_order == 1)
			status = tc_world_won(&won[i], world, shifts, whatifs[i].is_late, i, rank);
		else
			won[i] = shifts[rank].won[i];
	}
	return status;
}

/* To make some parts is to make each smaller set of them, too: see tc_shifts_run(). What a job wins
 * is no less, either. won: of one end, from all parts to none. */
static void raise_to_parts(struct tc_won *won, size_t part_count)
{
	for (unsigned mask = 1; mask < 1U << part_count; mask++)
		for (size_t i = 0; i < part_count; i++) {
			struct tc_won *all = &won[tc_together_column(part_count, mask)];
			const struct tc_won *part =
				&won[tc_together_column(part_count, mask & ~(1U << i))];
			if (part->gain_ns <= all->gain_ns)
				continue;
			all->gain_ns = part->gain_ns;
			all->step_after_ns = part->step_after_ns;
			if (part->most_ns > all->most_ns)
				all->most_ns = part->most_ns;
		}
}

static void settle_ranges(struct tc_together *out, const struct tc_won *raised, size_t part_count)
{
	size_t size = (size_t)1 << part_count;

	for (unsigned mask = 0; mask < size; mask++) {
		const struct tc_won *likely = &raised[tc_together_column(part_count, mask)];
		struct tc_gain *gain = &out->gains[mask];
		*gain = tc_gain_between(
			likely, &likely[TC_END_LOW * size], &likely[TC_END_HIGH * size]);
		for (size_t i = 0; i < part_count; i++) {
			const struct tc_gain *part = &out->gains[mask & ~(1U << i)];
			if (part->low_ns > gain->low_ns)
				gain->low_ns = part->low_ns;
			if (part->high_ns > gain->high_ns)
				gain->high_ns = part->high_ns;
		}
	}
}

void tc_together_settle(struct tc_together *out, const struct tc_won *won, size_t part_count)
{
	size_t size = (size_t)1 << part_count;
	struct tc_won raised[TC_TOGETHER_COLUMNS];

	memcpy(raised, won, TC_END_COUNT * size * sizeof(*won));
	for (size_t end = 0; end < TC_END_COUNT; end++)
		raise_to_parts(raised + end * size, part_count);
	for (unsigned mask = 0; mask < size; mask++)
		out->won[mask] = raised[tc_together_column(part_count, mask)];
	settle_ranges(out, raised, part_count);
}

/*
 * A rank shows as late only when nobody waits any more for the ranks that are
 * later still. So all ranks are replayed again and again, each time without the rank that the
 * others waited longest for. A last replay gives what each of them gains alone, and with those
 * before it.
 */
#include "replay/stragglers.h"

#include <string.h>

#include "analysis/ranks.h"
#include "core/alloc.h"
#include "core/saturate.h"
#include "replay/together.h"

#define LEAST_PART 1000 /* fraction of the wall time: a rank that gains less delays nobody */

struct straggler {
	size_t index; /* in the world */
	struct tc_won alone, together;
	int64_t gain_ns; /* the larger of its gain alone and what it adds to those before it */
};

struct search {
	struct tc_arena arena;
	struct tc_ctx *ctx;
	struct tc_tables *tables;
	struct tc_world world;
	const struct tc_fixes *fixes;
	struct straggler found[TC_STRAGGLERS_MAX];
	size_t count;
	struct tc_shifts *shifts; /* by rank */
	int64_t *late_ns;         /* by rank */
	bool *is_late;            /* by what-if and rank */
};

/* ---- the world */

void tc_world_find(struct tc_world *world, struct tc_ctx *ctx, sqlite3 *db,
	const struct tc_replays *replays, int64_t job_id)
{
	struct tc_rows rows = TC_ROWS(ctx, db,
		"SELECT trace_id, rank, late_order FROM job_rank WHERE job_id = ?1 ORDER BY rank",
		job_id);
	size_t capacity = 0;

	*world = (struct tc_world){.ctx = ctx, .db = db};
	while (tc_rows_next(&rows)) {
		int64_t trace_id = tc_rows_int(&rows, 0);
		const struct tc_replay *replay = tc_replays_find(replays, trace_id);
		if (replay)
			TC_PUSH(ctx, world->ranks, world->count, capacity,
				(struct tc_world_rank){trace_id, tc_rows_int(&rows, 1),
					tc_rows_int(&rows, 2), replay});
	}
}

/* ---- replays */

static void clear_shifts(struct search *search)
{
	for (size_t i = 0; i < search->world.count; i++)
		tc_shifts_clear(&search->shifts[i]);
}

/* In that what-if nobody waits for the stragglers numbered [from, to). */
static void leave_out(struct search *search, size_t whatif, size_t from, size_t to)
{
	bool *is_late = search->is_late + whatif * search->world.count;

	memset(is_late, 0, search->world.count * sizeof(*is_late));
	for (size_t i = from; i < to; i++)
		is_late[search->found[i].index] = true;
}

static void replay(struct search *search, size_t count)
{
	struct tc_world_whatif whatifs[TC_STRAGGLERS_MAX] = {0};
	const struct tc_world_notes notes = {.late_ns = search->late_ns};

	clear_shifts(search);
	memset(search->late_ns, 0, search->world.count * sizeof(*search->late_ns));
	for (size_t i = 0; i < count; i++)
		whatifs[i].is_late = search->is_late + i * search->world.count;
	tc_world_run(search->shifts, &search->world, whatifs, count, &notes);
}

/* Finds the rank that the others waited longest for. False when they waited for none. */
static bool find_next(struct search *search)
{
	size_t best = 0;

	leave_out(search, 0, 0, search->count);
	replay(search, 1);
	for (size_t i = 1; i < search->world.count; i++)
		if (search->late_ns[i] > search->late_ns[best])
			best = i;
	if (search->late_ns[best] <= 0 || tc_ctx_failed(search->ctx))
		return false;
	search->found[search->count++] = (struct straggler){.index = best};
	search->world.ranks[best].late_order = (int64_t)search->count;
	return true;
}

static int64_t wall_ns(const struct search *search, size_t rank)
{
	return tc_replay_wall_ns(search->world.ranks[rank].replay);
}

/* What the job gains, said of the rank that it waits for most. */
static struct tc_won won_of(const struct search *search, size_t whatif)
{
	struct tc_won won = {0};

	tc_world_won(&won, &search->world, search->shifts,
		search->is_late + whatif * search->world.count, whatif, search->found[0].index);
	return won;
}

static void replay_alone(struct search *search)
{
	for (size_t i = 0; i < search->count; i++)
		leave_out(search, i, i, i + 1);
	replay(search, search->count);
	for (size_t i = 0; i < search->count && !tc_ctx_failed(search->ctx); i++)
		search->found[i].alone = won_of(search, i);
}

static void replay_together(struct search *search)
{
	for (size_t i = 0; i < search->count; i++)
		leave_out(search, i, 0, i + 1);
	replay(search, search->count);
	for (size_t i = 0; i < search->count && !tc_ctx_failed(search->ctx); i++) {
		struct straggler *found = &search->found[i];
		int64_t before_ns = i > 0 ? search->found[i - 1].together.gain_ns : 0;
		found->together = won_of(search, i);
		found->gain_ns = found->together.gain_ns - before_ns;
		if (found->gain_ns < found->alone.gain_ns)
			found->gain_ns = found->alone.gain_ns;
	}
}

/* A smaller gain counts as none. */
static int64_t least_ns(const struct search *search, const struct straggler *found)
{
	return wall_ns(search, found->index) / LEAST_PART;
}

/* Drops the last ranks that gain nothing. */
static void drop_last(struct search *search)
{
	while (search->count > 0) {
		struct straggler *last = &search->found[search->count - 1];
		if (last->gain_ns > least_ns(search, last))
			return;
		search->world.ranks[last->index].late_order = 0;
		search->count--;
	}
}

/* ---- tables */

/* What each straggler's steps gain when nobody waits for it. */
static void write_steps(const struct search *search, const char *fix)
{
	for (size_t i = 0; i < search->count; i++) {
		const struct straggler *found = &search->found[i];
		const struct tc_whatif_steps steps = {search->world.ranks[found->index].trace_id,
			fix, &search->shifts[found->index], i};
		if (found->alone.gain_ns > least_ns(search, found))
			tc_whatif_put_steps(search->tables, &steps);
	}
}

/* A steady step without the rank's delay, alone or beside those before it, whichever gains more. */
static int64_t step_after_ns(const struct search *search, size_t index)
{
	const struct straggler *found = &search->found[index];
	int64_t before_ns = index > 0 ? search->found[index - 1].together.step_after_ns
				      : found->together.step_before_ns;

	return found->gain_ns == found->alone.gain_ns
		       ? found->alone.step_after_ns
		       : found->together.step_before_ns -
				 (before_ns - found->together.step_after_ns);
}

/* A gain in a straggler's own trace: for as many steps as it holds. */
static int64_t in_own_trace(
	const struct search *search, const struct straggler *found, int64_t gain_ns)
{
	const struct tc_world *world = &search->world;

	return found->alone.step_before_ns > 0
		       ? tc_scale_saturated(gain_ns,
				 tc_world_steady_ns(world, search->shifts, found->index),
				 tc_world_steady_ns(world, search->shifts, search->found[0].index))
		       : gain_ns;
}

static void write_whatif(const struct search *search, size_t index, const struct tc_fix *fix)
{
	const struct straggler *found = &search->found[index];
	const struct tc_world_rank *rank = &search->world.ranks[found->index];
	bool has_steps = found->alone.step_before_ns > 0;
	struct tc_won won = found->together;
	won.gain_ns = in_own_trace(search, found, found->gain_ns);
	won.most_ns = in_own_trace(search, found, won.most_ns);
	const struct tc_gain gain = tc_gain_between(&won, &won, &won);
	const struct tc_sql_value values[] = {tc_sql_int(rank->trace_id), tc_sql_string(fix->id),
		tc_sql_int(rank->rank), tc_sql_int(won.gain_ns),
		tc_sql_int_if(has_steps, found->alone.step_before_ns),
		tc_sql_int_if(has_steps, step_after_ns(search, index)),
		tc_sql_int(found->together.removed_ns), tc_sql_int(gain.low_ns),
		tc_sql_int(gain.high_ns)};

	TC_TABLES_PUT(search->tables,
		"INSERT OR REPLACE INTO whatif (trace_id, fix, edit, gain_ns, step_before_ns,"
		" step_after_ns, removed_ns, gain_low_ns, gain_high_ns)"
		" VALUES (?1, ?2, 'nowait rank = ' || ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
		values);
}

static void write_rank(const struct search *search, size_t index)
{
	const struct straggler *found = &search->found[index];
	const struct tc_sql_value values[] = {
		tc_sql_int(search->world.ranks[found->index].trace_id),
		tc_sql_int((int64_t)index + 1), tc_sql_int(found->alone.gain_ns),
		tc_sql_int(found->together.gain_ns)};

	TC_TABLES_PUT(search->tables,
		"UPDATE job_rank SET late_order = ?2, late_gain_ns = ?3, late_together_ns = ?4"
		" WHERE trace_id = ?1",
		values);
}

/* ---- fixes on all ranks */

/* The clauses that change the recording of any rank. */
static struct tc_clause_set used_by_any(const struct search *search)
{
	struct tc_clause_set used = {{0}};

	for (size_t i = 0; i < search->world.count; i++)
		tc_clause_set_join(&used, &search->world.ranks[i].replay->used);
	return used;
}

/* The gain of a fix in a rank's trace, when all ranks have the fix; of the rank that its job waits
 * for most what the job wins. all: of all what-ifs; column: the first of the fix; used: the clauses
 * that change the recording of any rank. */
static void write_joint(const struct search *search, size_t rank, const struct tc_fix *said,
	const struct tc_clause_set *used, const struct tc_won *all, size_t column)
{
	const struct tc_shifts *shifts = &search->shifts[rank];
	const struct tc_won *won = &all[column];
	const struct tc_gain gain = tc_fix_gain(said, used, won);
	const char *fix = said->id;
	int64_t trace_id = search->world.ranks[rank].trace_id;
	bool steady = won->step_before_ns > 0;
	const struct tc_sql_value values[] = {tc_sql_int(trace_id), tc_sql_string(fix),
		tc_sql_int(won->gain_ns), tc_sql_int_if(steady, won->step_before_ns),
		tc_sql_int_if(steady, won->step_after_ns),
		tc_sql_int(shifts->won[column].removed_ns), tc_sql_int(gain.low_ns),
		tc_sql_int(gain.high_ns)};
	const struct tc_whatif_steps steps = {trace_id, fix, shifts, column};

	TC_TABLES_PUT(search->tables,
		"UPDATE whatif SET gain_ns = ?3, step_before_ns = ?4, step_after_ns = ?5,"
		" removed_ns = ?6, gain_low_ns = ?7, gain_high_ns = ?8 WHERE trace_id = ?1 AND fix "
		"= ?2",
		values);
	tc_tables_put(search->tables, "DELETE FROM whatif_step WHERE trace_id = ?1 AND fix = ?2",
		values, 2);
	if (won->gain_ns > 0)
		tc_whatif_put_steps(search->tables, &steps);
}

/* A fix is made on all ranks. A rank that then waits longer for another one gains nothing. */
static void replay_fixes(struct search *search)
{
	const struct tc_fixes *fixes = search->fixes;
	size_t most = TC_END_COUNT * fixes->count, count = 0;
	struct tc_world_whatif *whatifs = tc_arena_take(&search->arena, most, sizeof(*whatifs));
	struct tc_clause_set *sets = tc_arena_take(&search->arena, most, sizeof(*sets));
	struct tc_won *won = tc_arena_take(&search->arena, most, sizeof(*won));
	size_t *columns = tc_arena_take(&search->arena, fixes->count, sizeof(*columns));
	const struct tc_clause_set used = used_by_any(search);

	clear_shifts(search);
	if (tc_ctx_failed(search->ctx))
		return;
	for (size_t i = 0; i < fixes->count; i++) {
		const struct tc_fix *fix = &fixes->items[i];
		bool counts = !tc_fixes_have_ranks(fixes, &fix->clauses) &&
			      tc_clause_set_meets(&fix->clauses, &used);
		columns[i] = counts ? tc_fix_add_sets(sets, &count, fix, &used) : SIZE_MAX;
	}
	for (size_t i = 0; i < count; i++)
		whatifs[i].clauses = sets[i];
	if (count > 0)
		tc_world_run(search->shifts, &search->world, whatifs, count, NULL);
	for (size_t i = 0; i < search->world.count && !tc_ctx_failed(search->ctx); i++) {
		tc_together_job(won, i, &search->world, search->shifts, whatifs, count);
		for (size_t k = 0; k < fixes->count; k++)
			if (columns[k] != SIZE_MAX)
				write_joint(search, i, &fixes->items[k], &used, won, columns[k]);
	}
}

/* ---- jobs */

static void write_all_steps(const struct search *search)
{
	for (size_t i = 0; i < search->fixes->count; i++)
		if (tc_fixes_have_ranks(search->fixes, &search->fixes->items[i].clauses))
			write_steps(search, search->fixes->items[i].id);
}

static void write_all(const struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		write_rank(search, i);
		for (size_t k = 0; k < search->fixes->count; k++)
			if (tc_fixes_have_ranks(search->fixes, &search->fixes->items[k].clauses))
				write_whatif(search, i, &search->fixes->items[k]);
	}
}

static void find_late(struct search *search)
{
	while (search->count < TC_STRAGGLERS_MAX && search->count + 1 < search->world.count &&
		find_next(search))
		;
	if (search->count == 0 || tc_ctx_failed(search->ctx))
		return;
	replay_alone(search);
	if (tc_ctx_failed(search->ctx))
		return;
	write_all_steps(search);
	replay_together(search);
	if (tc_ctx_failed(search->ctx))
		return;
	drop_last(search);
	write_all(search);
}

static void search_job(struct search *search)
{
	size_t ranks = search->world.count;

	TC_ARENA(&search->arena, search->shifts, ranks);
	TC_ARENA(&search->arena, search->late_ns, ranks);
	TC_ARENA(&search->arena, search->is_late, TC_STRAGGLERS_MAX * ranks);
	if (!tc_ctx_failed(search->ctx))
		find_late(search);
	if (!tc_ctx_failed(search->ctx))
		replay_fixes(search);
}

/* Where recordings begin the same step apart, they do not show which rank is late. */
static void search_late(struct search *search, int64_t job_id)
{
	const struct tc_sql_value job = tc_sql_int(job_id);
	int64_t apart_ns = 0;

	tc_tables_find(&apart_ns, search->tables, "SELECT " TC_STARTS_APART_SQL, &job);
	if (apart_ns == 0)
		search_job(search);
}

static void find_in_job(struct tc_tables *tables, const struct tc_fixes *fixes,
	const struct tc_replays *replays, int64_t job_id, size_t rank_count)
{
	struct search search = {
		.arena.ctx = tables->ctx, .ctx = tables->ctx, .tables = tables, .fixes = fixes};

	tc_world_find(&search.world, tables->ctx, tables->db, replays, job_id);
	if (search.world.count == rank_count)
		search_late(&search, job_id);
	if (search.shifts)
		clear_shifts(&search);
	tc_arena_clear(&search.arena);
	tc_free(search.world.ranks);
}

void tc_stragglers_find(struct tc_ctx *ctx, sqlite3 *db, const struct tc_fixes *fixes,
	const struct tc_replays *replays)
{
	struct tc_tables tables = TC_TABLES_OF(ctx, db);
	struct tc_rows jobs = tc_rows_open(
		ctx, db, "SELECT job_id, count(*) FROM job_rank GROUP BY job_id ORDER BY 1");

	while (replays->count > 0 && tc_rows_next(&jobs))
		find_in_job(&tables, fixes, replays, tc_rows_int(&jobs, 0),
			(size_t)tc_rows_int(&jobs, 1));
	tc_rows_close(&jobs);
	tc_tables_end(&tables);
}

/*
 * Plans: what the largest fixes of a trace win together, for each set of them, and the order in
 * which the next one wins most. The replay of an import of one trace is kept until its findings are
 * known, as are those of ranks; other traces are replayed again, from the tables of the store. The
 * plan of the rank that its job waits for most is that of the job.
 *
 *   candidates   the fixes that were found and win time. Of more than five the largest stay, by
 *                what they win alone or, if that is more, by what is lost when they alone are
 *                left out: a fix may be hidden by others
 *   sets         all sets of them in one pass over the program, with all shares at either end, too
 *   order        the fix that wins most beside those before it comes next; where special cases
 *                explain it, what they leave counts, as in the ranking of one fix alone
 *   next         a fix that alone wins too little, as other work hides it, but wins time beside all
 *                fixes of the plan
 *
 * Sets are masks: bit i is the fix at place i.
 */
#include "import/plans.h"

#include <string.h>

#include "advice/ranking/ranking.h"
#include "analysis/ranks.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"
#include "replay/apply.h"
#include "replay/load.h"
#include "replay/stragglers.h"
#include "replay/together.h"
#include "store/sql.h"

enum {
	PLANS_MAX = 16, /* traces of an import that get a plan */
};

/* What the ranks of a job are replayed for together; each is kept, as the plans of most ranks have
 * the same fixes. */
enum purpose { FOR_LARGEST, FOR_ALL, FOR_NEXT, FOR_ALL_AND_NEXT, PURPOSE_COUNT };

struct joint_run {
	struct tc_arena arena;
	struct tc_clause_set *sets;
	size_t count;
	const struct tc_world_whatif *whatifs; /* by set */
	struct tc_shifts *shifts;              /* by rank */
	struct tc_meets *meets;                /* by rank, with the first set */
};

struct joint {
	bool is_found;
	int64_t job_id;
	struct tc_world world; /* no ranks: each is replayed alone */
	struct joint_run runs[PURPOSE_COUNT];
};

/* A trace, or a rank that is replayed with the others of its job; all borrowed. */
struct of {
	struct tc_ctx *ctx;
	sqlite3 *db;
	int64_t trace_id;
	const struct tc_fixes *fixes;
	const struct tc_advice *advice;
	const struct tc_replay *replay;
	/* The job and the rank's index; is_job: the plan is that of the job. NULL: a rank alone. */
	struct joint *joint;
	size_t rank;
	bool is_job;
};

struct candidate {
	const struct tc_finding *finding;
	size_t fix; /* of the fixes */
	int64_t size_ns;
};

struct plan {
	const struct of *of;
	struct candidate *candidates;
	size_t count;
	struct tc_clause_set sets[TC_TOGETHER_SETS]; /* by mask */
	struct tc_together together;
};

/* ---- replays */

static void clear_run(struct joint_run *run, size_t ranks)
{
	for (size_t i = 0; i < ranks && run->shifts; i++)
		tc_shifts_clear(&run->shifts[i]);
	for (size_t i = 0; i < ranks && run->meets; i++)
		tc_free(run->meets[i].shifts_ns);
	tc_arena_clear(&run->arena);
	*run = (struct joint_run){0};
}

static void clear_joint(struct joint *joint)
{
	for (size_t i = 0; i < PURPOSE_COUNT; i++)
		clear_run(&joint->runs[i], joint->world.count);
	tc_free(joint->world.ranks);
	*joint = (struct joint){0};
}

static void run_joint(
	struct joint_run *run, const struct of *of, const struct tc_clause_set *sets, size_t count)
{
	const struct tc_world *world = &of->joint->world;

	if (run->count == count && memcmp(run->sets, sets, count * sizeof(*sets)) == 0)
		return;
	clear_run(run, world->count);
	run->arena.ctx = of->ctx;
	TC_ARENA(&run->arena, run->sets, count);
	TC_ARENA(&run->arena, run->shifts, world->count);
	TC_ARENA(&run->arena, run->meets, world->count);
	run->whatifs = tc_together_whatifs(&run->arena, world, of->fixes, sets, count);
	if (tc_ctx_failed(of->ctx))
		return;
	const struct tc_world_notes notes = {.meets = run->meets};
	for (size_t i = 0; i < world->count; i++)
		run->meets[i].is_wanted = true;
	memcpy(run->sets, sets, count * sizeof(*sets));
	run->count = count;
	tc_world_run(run->shifts, world, run->whatifs, count, &notes);
}

/* On all ranks of the job. */
static void replay_joint(struct tc_won *won, const struct of *of, enum purpose purpose,
	const struct tc_clause_set *sets, size_t count)
{
	struct joint_run *run = &of->joint->runs[purpose];
	size_t rank;

	run_joint(run, of, sets, count);
	if (of->is_job && !tc_ctx_failed(of->ctx))
		tc_together_job(won, &rank, &of->joint->world, run->shifts, run->whatifs, count);
	for (size_t i = 0; !of->is_job && i < count && !tc_ctx_failed(of->ctx); i++)
		won[i] = run->shifts[of->rank].won[i];
}

/* The gain of each set of clauses. */
static void replay_sets(struct tc_won *won, const struct of *of, enum purpose purpose,
	const struct tc_clause_set *sets, size_t count)
{
	struct tc_shifts shifts = {0};

	if (of->joint) {
		replay_joint(won, of, purpose, sets, count);
		return;
	}
	tc_shifts_run(&shifts, of->ctx, of->replay, sets, count);
	for (size_t i = 0; i < count && !tc_ctx_failed(of->ctx); i++)
		won[i] = shifts.won[i];
	tc_shifts_clear(&shifts);
}

/* ---- candidates */

/* The index of a fix; the count: there is none of that id. */
static size_t fix_of(const struct tc_fixes *fixes, const char *id)
{
	size_t fix = 0;

	while (fix < fixes->count && strcmp(fixes->items[fix].id, id) != 0)
		fix++;
	return fix;
}

static bool changes(const struct of *of, size_t fix)
{
	const struct tc_clause_set *set = &of->fixes->items[fix].clauses;

	return tc_clause_set_meets(set, &of->replay->used) ||
	       (of->is_job && tc_fixes_have_ranks(of->fixes, set));
}

TC_ORDER(by_fix, struct candidate, TC_UP(fix));

/* In the order of the fixes. candidates has places for all fixes. */
static size_t find_candidates(struct candidate *candidates, const struct of *of)
{
	size_t count = 0;

	for (size_t i = 0; i < of->advice->finding_count; i++) {
		const struct tc_finding *finding = &of->advice->findings[i];
		if (finding->trace_id != of->trace_id || finding->gain_ns <= 0)
			continue;
		size_t fix = fix_of(of->fixes, finding->heuristic->id);
		if (fix < of->fixes->count && changes(of, fix))
			candidates[count++] = (struct candidate){finding, fix, finding->gain_ns};
	}
	TC_SORT(candidates, count, by_fix);
	return count;
}

TC_ORDER(by_size, struct candidate, TC_DOWN(size_ns) TC_UP(finding));

/* Keeps the largest candidates, and replays all of them without each one to find out which are. */
static void keep_largest(struct plan *plan)
{
	const struct of *of = plan->of;
	size_t count = plan->count;
	struct tc_arena arena = {.ctx = of->ctx};
	struct tc_clause_set *sets = tc_arena_take(&arena, count + 1, sizeof(*sets));
	struct tc_won *won = tc_arena_take(&arena, count + 1, sizeof(*won));

	if (!tc_ctx_failed(of->ctx)) {
		for (size_t i = 0; i < count; i++)
			for (size_t set = 0; set <= count; set++)
				if (set != i)
					tc_clause_set_join(&sets[set],
						&of->fixes->items[plan->candidates[i].fix].clauses);
		replay_sets(won, of, FOR_LARGEST, sets, count + 1);
		for (size_t i = 0; i < count; i++) {
			int64_t lost_ns = won[count].gain_ns - won[i].gain_ns;
			if (lost_ns > plan->candidates[i].size_ns)
				plan->candidates[i].size_ns = lost_ns;
		}
		TC_SORT(plan->candidates, count, by_size);
		plan->count = TC_TOGETHER_MAX;
		TC_SORT(plan->candidates, plan->count, by_fix);
	}
	tc_arena_clear(&arena);
}

/* ---- sets */

static unsigned all_of(const struct plan *plan)
{
	return (1U << plan->count) - 1;
}

/* The fixes of the plan as parts. */
static size_t take_parts(struct tc_together_part *parts, const struct plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct tc_fix *fix = &plan->of->fixes->items[plan->candidates[i].fix];
		tc_together_add(parts, &count,
			&(struct tc_together_part){{fix->clauses, fix->low, fix->high}});
	}
	return count;
}

static void replay_all(struct plan *plan)
{
	const struct of *of = plan->of;
	struct tc_together_part parts[TC_TOGETHER_MAX];
	struct tc_clause_set sets[TC_TOGETHER_COLUMNS];
	struct tc_won won[TC_TOGETHER_COLUMNS];
	size_t count = take_parts(parts, plan);

	replay_sets(won, of, FOR_ALL, sets, tc_together_sets(sets, parts, count));
	if (!tc_ctx_failed(of->ctx))
		tc_together_settle(&plan->together, won, count, true);
	for (unsigned mask = 0; mask <= all_of(plan); mask++)
		plan->sets[mask] = sets[tc_together_column(plan->count, mask)];
}

/* ---- order */

/* The place of the candidate that comes next after a set of them. */
static size_t next_after(const struct plan *plan, unsigned chosen)
{
	struct tc_finding left[TC_TOGETHER_MAX];
	size_t count = 0, next = 0;

	for (size_t i = 0; i < plan->count; i++) {
		if (chosen >> i & 1)
			continue;
		left[count] = *plan->candidates[i].finding;
		left[count++].gain_ns = plan->together.won[chosen | 1U << i].gain_ns -
					plan->together.won[chosen].gain_ns;
	}
	tc_rank(left, count);
	while (plan->candidates[next].finding->heuristic != left[0].heuristic)
		next++;
	return next;
}

/* Puts the candidates into their order, and the sets to their new masks. */
static void order(struct plan *plan)
{
	const struct plan was = *plan;
	struct candidate candidates[TC_TOGETHER_MAX];
	size_t places[TC_TOGETHER_MAX] = {0};
	unsigned chosen = 0;

	for (size_t i = 0; i < plan->count; i++) {
		places[i] = next_after(plan, chosen);
		candidates[i] = plan->candidates[places[i]];
		chosen |= 1U << places[i];
	}
	for (size_t i = 0; i < plan->count; i++)
		plan->candidates[i] = candidates[i];
	for (unsigned mask = 0; mask <= all_of(plan); mask++) {
		unsigned before = 0;
		for (size_t i = 0; i < plan->count; i++)
			before |= (mask >> i & 1U) << places[i];
		plan->together.won[mask] = was.together.won[before];
		plan->together.gains[mask] = was.together.gains[before];
		plan->sets[mask] = was.sets[before];
	}
}

/* ---- what the critical path is made of: with the first fixes of the order and with all of them;
 * of a job with all of them */

enum {
	/* A path costs 2.6 % of an import of 75,000 events, half as much as the gains of all 32
	 * sets, so it is followed for one fix, for two, and for all. */
	FIRST_PATHS = 2,
	PIECE_COUNT = TC_PIECE_WAKE + 1,
	PART_COUNT = (int)TC_ROLE_COUNT > (int)TC_ENGINE_COUNT ? (int)TC_ROLE_COUNT
							       : (int)TC_ENGINE_COUNT
};

/* Time on the path by what it is. */
struct parts {
	int64_t ns[PIECE_COUNT][PART_COUNT];
};

static enum tc_status add_part(void *user, const struct tc_path_row *row)
{
	struct parts *parts = user;
	bool is_work = row->piece == TC_PIECE_HOST || row->piece == TC_PIECE_DEVICE;

	parts->ns[row->piece][is_work ? row->role_or_engine : 0] += row->path_ns;
	return TC_OK;
}

static void follow_path(struct parts *parts, const struct plan *plan, unsigned mask,
	const struct tc_replay *replay, const struct tc_meets *meets)
{
	struct tc_ctx *ctx = plan->of->ctx;
	struct tc_replay applied = {0};
	struct tc_path path = {0};

	tc_replay_apply(&applied, ctx, replay, &plan->sets[mask], meets);
	if (!tc_ctx_failed(ctx))
		tc_path_find(&path, &applied, TC_PATH_PIECES, ctx);
	if (!tc_ctx_failed(ctx))
		tc_path_each(&path, add_part, parts);
	tc_path_clear(&path);
	tc_replay_clear(&applied);
}

/* The path of the rank, or of the first rank that is waited for: late ranks take as long as they
 * did. */
static void follow_rank(struct parts *parts, const struct plan *plan)
{
	const struct joint *joint = plan->of->joint;
	const struct joint_run *run = &joint->runs[FOR_ALL];
	const bool *is_late = run->whatifs[0].is_late;
	size_t rank = plan->of->rank;

	for (size_t i = joint->world.count; i-- > 0 && is_late && is_late[rank];)
		rank = is_late[i] ? rank : i;
	follow_path(parts, plan, all_of(plan), joint->world.ranks[rank].replay, &run->meets[rank]);
}

static const char *name_of_part(enum tc_piece piece, int part)
{
	if (piece == TC_PIECE_HOST)
		return tc_role_name((enum tc_role)part);
	return piece == TC_PIECE_DEVICE ? tc_engine_name((enum tc_engine)part) : NULL;
}

static void write_parts(
	struct tc_tables *tables, const struct of *of, unsigned mask, const struct parts *parts)
{
	for (int piece = 0; piece < PIECE_COUNT; piece++)
		for (int part = 0; part < PART_COUNT; part++) {
			/* There are more roles than engines: only a part with time has a name. */
			if (parts->ns[piece][part] <= 0)
				continue;
			const struct tc_sql_value values[] = {tc_sql_int(of->trace_id),
				tc_sql_int((int64_t)mask),
				tc_sql_string(tc_piece_name((enum tc_piece)piece)),
				tc_sql_string(name_of_part((enum tc_piece)piece, part)),
				tc_sql_int(parts->ns[piece][part])};
			TC_TABLES_PUT(tables, "fix_set_path (trace_id, mask, piece, name, dur_ns)",
				values);
		}
}

/* The path of the recording is that of critical_path. */
static void write_paths(const struct plan *plan)
{
	const struct of *of = plan->of;
	const struct tc_sql_value trace = tc_sql_int(of->trace_id);
	struct tc_tables tables = TC_TABLES_OF(of->ctx, of->db);

	tc_tables_put(&tables,
		"INSERT INTO fix_set_path (trace_id, mask, piece, name, dur_ns)"
		" SELECT trace_id, 0, piece, iif(piece = 'device', engine, role) AS name, "
		"sum(dur_ns)"
		" FROM critical_path WHERE trace_id = ?1 GROUP BY 3, 4",
		&trace, 1);
	for (size_t i = of->joint ? plan->count : 1; i <= plan->count && !tc_ctx_failed(of->ctx);
		i++) {
		unsigned mask = (1U << i) - 1;
		struct parts parts = {0};
		if (i > FIRST_PATHS && i < plan->count)
			continue;
		if (of->joint)
			follow_rank(&parts, plan);
		else
			follow_path(&parts, plan, mask, of->replay, NULL);
		write_parts(&tables, of, mask, &parts);
	}
	tc_tables_end(&tables);
}

/* ---- what would win next */

enum {
	NEXT_MAX = 8,         /* fixes that are tried */
	NEXT_LEAST_PARTS = 20 /* it wins at least one of so many parts of what is left */
};

/* Whether the check of a fix found something that wins too little alone. */
static bool is_small(const struct of *of, size_t fix)
{
	for (size_t i = 0; i < of->advice->account_count; i++) {
		const struct tc_account_row *row = &of->advice->account[i];
		if (row->trace_id == of->trace_id &&
			strcmp(row->heuristic->id, of->fixes->items[fix].id) == 0)
			return row->is_small;
	}
	return false;
}

static int64_t left_of(const struct plan *plan, const struct tc_won *won)
{
	return won->step_before_ns > 0
		       ? won->step_after_ns
		       : tc_sub_saturated(tc_replay_wall_ns(plan->of->replay), won->gain_ns);
}

static void write_next(const struct plan *plan, const char *fix, const struct tc_won *won)
{
	const struct tc_sql_value values[] = {tc_sql_int(plan->of->trace_id), tc_sql_string(fix),
		tc_sql_int(won->gain_ns),
		tc_sql_int_if(won->step_before_ns > 0, won->step_after_ns)};
	struct tc_tables tables = TC_TABLES_OF(plan->of->ctx, plan->of->db);

	TC_TABLES_PUT(&tables, "next_fix (trace_id, fix, gain_ns, step_after_ns)", values);
	tc_tables_end(&tables);
}

struct nexts {
	const struct of *of;
	int64_t least_ns;
	size_t fixes[NEXT_MAX]; /* of the fixes */
	size_t count;
};

static void take_next(void *user, sqlite3_stmt *row)
{
	struct nexts *nexts = user;
	const struct of *of = nexts->of;
	size_t fix = fix_of(of->fixes, (const char *)sqlite3_column_text(row, 0));

	if (nexts->count < NEXT_MAX && sqlite3_column_int64(row, 1) > nexts->least_ns &&
		fix < of->fixes->count && is_small(of, fix) && changes(of, fix))
		nexts->fixes[nexts->count++] = fix;
}

/* The fixes that may win enough, those that take off most first: none wins more than it takes off.
 */
static void find_nexts(struct nexts *nexts, const struct plan *plan)
{
	const struct of *of = plan->of;
	const struct tc_sql_value trace = tc_sql_int(of->trace_id);
	int64_t left_ns = tc_sub_saturated(
		tc_replay_wall_ns(of->replay), plan->together.won[all_of(plan)].gain_ns);

	*nexts = (struct nexts){.of = of, .least_ns = left_ns / NEXT_LEAST_PARTS};
	tc_sql_each(of->ctx, of->db,
		"SELECT fix, removed_ns FROM whatif WHERE trace_id = ?1"
		" ORDER BY removed_ns DESC, fix",
		&trace, take_next, nexts);
}

/* The one that wins most beside the plan; the count: none wins enough. */
static size_t best_next(const struct nexts *nexts, const struct plan *plan)
{
	const struct of *of = plan->of;
	struct tc_clause_set sets[NEXT_MAX];
	struct tc_won won[NEXT_MAX];
	size_t best = 0;

	for (size_t i = 0; i < nexts->count; i++) {
		sets[i] = plan->sets[all_of(plan)];
		tc_clause_set_join(&sets[i], &of->fixes->items[nexts->fixes[i]].clauses);
	}
	if (nexts->count > 0)
		replay_sets(won, of, FOR_NEXT, sets, nexts->count);
	if (nexts->count == 0 || tc_ctx_failed(of->ctx))
		return nexts->count;
	for (size_t i = 1; i < nexts->count; i++)
		if (won[i].gain_ns > won[best].gain_ns)
			best = i;
	int64_t left_ns = left_of(plan, &plan->together.won[all_of(plan)]);
	return tc_sub_saturated(left_ns, left_of(plan, &won[best])) > left_ns / NEXT_LEAST_PARTS
		       ? best
		       : nexts->count;
}

/* What it wins with the plan is what a what-if of them all says: with each set of them. */
static void find_next(const struct plan *plan)
{
	const struct of *of = plan->of;
	struct tc_together_part parts[TC_TOGETHER_MAX];
	struct tc_clause_set sets[TC_TOGETHER_COLUMNS];
	struct tc_won won[TC_TOGETHER_SETS];
	struct tc_together together;
	struct nexts nexts;

	find_nexts(&nexts, plan);
	size_t best = tc_ctx_failed(of->ctx) ? nexts.count : best_next(&nexts, plan);
	if (best == nexts.count)
		return;
	const struct tc_fix *fix = &of->fixes->items[nexts.fixes[best]];
	size_t count = take_parts(parts, plan);
	tc_together_add(parts, &count, &(struct tc_together_part){{fix->clauses}});
	tc_together_sets(sets, parts, count);
	replay_sets(won, of, FOR_ALL_AND_NEXT, sets, (size_t)1 << count);
	if (tc_ctx_failed(of->ctx))
		return;
	tc_together_settle(&together, won, count, false);
	write_next(plan, fix->id, &together.won[(1U << count) - 1]);
}

/* ---- tables */

static void write_plan(const struct plan *plan)
{
	const struct of *of = plan->of;
	const struct tc_sql_value trace = tc_sql_int(of->trace_id);
	struct tc_tables tables = TC_TABLES_OF(of->ctx, of->db);
	int64_t before_ns = plan->together.won[all_of(plan)].step_before_ns;
	bool has_steps = before_ns > 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct tc_sql_value values[] = {trace, tc_sql_int((int64_t)i + 1),
			tc_sql_string(of->fixes->items[plan->candidates[i].fix].id)};
		TC_TABLES_PUT(&tables, "plan_fix (trace_id, ord, fix)", values);
	}
	for (unsigned mask = 0; mask <= all_of(plan); mask++) {
		const struct tc_won *won = &plan->together.won[mask];
		const struct tc_sql_value values[] = {trace, tc_sql_int((int64_t)mask),
			tc_sql_int(won->gain_ns), tc_sql_int_if(has_steps, before_ns),
			tc_sql_int_if(has_steps, mask == 0 ? before_ns : won->step_after_ns),
			tc_sql_int(plan->together.gains[mask].low_ns),
			tc_sql_int(plan->together.gains[mask].high_ns)};
		TC_TABLES_PUT(&tables,
			"fix_set (trace_id, mask, gain_ns, step_before_ns, step_after_ns,"
			" gain_low_ns, gain_high_ns)",
			values);
	}
	tc_tables_end(&tables);
}

/* ---- a trace */

static void make_plan(const struct of *of)
{
	struct plan plan = {.of = of};

	if (tc_ctx_failed(of->ctx))
		return;
	plan.candidates = tc_new(of->ctx, of->fixes->count + 1, sizeof(*plan.candidates));
	if (!plan.candidates)
		return;
	plan.count = find_candidates(plan.candidates, of);
	if (plan.count > TC_TOGETHER_MAX)
		keep_largest(&plan);
	if (plan.count > 0 && !tc_ctx_failed(of->ctx))
		replay_all(&plan);
	if (plan.count > 0 && !tc_ctx_failed(of->ctx)) {
		order(&plan);
		write_plan(&plan);
		write_paths(&plan);
		find_next(&plan);
	}
	tc_free(plan.candidates);
}

static void replay_again(struct of *of)
{
	const struct tc_fixes *fixes = of->fixes;
	struct tc_loaded *loaded = tc_loaded_new(of->ctx, of->db, of->trace_id);
	struct tc_replay replay = {0};

	if (!tc_ctx_failed(of->ctx))
		tc_replay_make(
			&replay, tc_loaded_timeline(loaded), fixes->clauses, fixes->clause_count);
	of->replay = &replay;
	make_plan(of);
	tc_replay_clear(&replay);
	tc_loaded_free(loaded);
}

/* Where recordings of ranks begin apart, and where one has no replay, each is alone. */
static void take_job(
	struct joint *joint, const struct of *of, const struct tc_replays *replays, int64_t job_id)
{
	const struct tc_sql_value job = tc_sql_int(job_id);
	int64_t count = 0, apart_ns = 0;
	bool found;

	clear_joint(joint);
	joint->is_found = true;
	joint->job_id = job_id;
	tc_sql_lookup(&count, &found, of->ctx, of->db,
		"SELECT count(*) FROM job_rank WHERE job_id = ?1", &job);
	tc_sql_lookup(&apart_ns, &found, of->ctx, of->db, "SELECT " TC_STARTS_APART_SQL, &job);
	if (!tc_ctx_failed(of->ctx))
		tc_world_find(&joint->world, of->ctx, of->db, replays, job_id);
	if (joint->world.count != (size_t)count || apart_ns > 0)
		joint->world.count = 0;
}

/* Finds the job of a rank whose ranks wait for each other. */
static void find_joint(struct joint *joint, struct of *of, const struct tc_replays *replays)
{
	const struct tc_sql_value trace = tc_sql_int(of->trace_id);
	const struct tc_world *world = &joint->world;
	bool found = false;
	int64_t job_id = 0;

	tc_sql_lookup(&job_id, &found, of->ctx, of->db,
		"SELECT job_id FROM job_rank WHERE trace_id = ?1", &trace);
	if (!found)
		return;
	if (!joint->is_found || joint->job_id != job_id)
		take_job(joint, of, replays, job_id);
	if (world->count == 0 || tc_ctx_failed(of->ctx))
		return;
	of->joint = joint;
	while (world->ranks[of->rank].trace_id != of->trace_id)
		of->rank++;
	of->is_job = world->ranks[of->rank].late_order == 1;
}

/* Whether a fix was found that wins time. */
static bool has_fixes(const struct of *of)
{
	for (size_t i = 0; i < of->advice->finding_count; i++) {
		const struct tc_finding *finding = &of->advice->findings[i];
		if (finding->trace_id == of->trace_id && finding->gain_ns > 0 &&
			fix_of(of->fixes, finding->heuristic->id) < of->fixes->count)
			return true;
	}
	return false;
}

void tc_plans_make(struct tc_ctx *ctx, sqlite3 *db, const struct tc_fixes *fixes,
	const struct tc_advice *advice, const struct tc_plan_replays *replays)
{
	int64_t last = -1;
	size_t planned = 0;
	struct joint joint = {0};
	TC_TIMED(ctx, "stage", "plan");

	for (size_t i = 0; i < advice->finding_count && planned < PLANS_MAX && !tc_ctx_failed(ctx);
		i++) {
		int64_t trace_id = advice->findings[i].trace_id;
		struct of of = {.ctx = ctx,
			.db = db,
			.trace_id = trace_id,
			.fixes = fixes,
			.advice = advice};
		if (trace_id == last)
			continue;
		last = trace_id;
		if (!has_fixes(&of))
			continue;
		planned++;
		of.replay = replays->only ? &replays->only->replay
					  : tc_replays_find(replays->ranks, trace_id);
		if (of.replay)
			find_joint(&joint, &of, replays->ranks);
		if (of.replay)
			make_plan(&of);
		else
			replay_again(&of);
	}
	clear_joint(&joint);
}

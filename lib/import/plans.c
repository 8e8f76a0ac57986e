/*
 * Plans: the fixes that win most together, in the order in which the next one wins most, and what
 * each set of them wins. The replay of an import of one trace is kept until its findings are
 * known, as are those of ranks; other traces are replayed again, from the tables of the store. The
 * plan of the rank that its job waits for most is that of the job.
 *
 *   candidates   the fixes that were found and win time, and those that other work hides: they
 *                win too little alone, though they take enough away
 *   choice       of more than five the one that wins most beside those before it comes next, in a
 *                replay for each place; the first is the one that wins most alone
 *   sets         all sets of the chosen ones in one pass over the program, with all shares at
 *                either end, too
 *   order        as the choice, by the sets; where special cases explain a fix, what they leave
 *                counts, as in the ranking of one fix alone
 *   trim         a fix that adds nothing goes, and so does a hidden one that adds too little
 *   rest         what the other fixes that were found win beside the plan
 *
 * Sets are masks: bit i is the fix at place i.
 */
#include "import/plans.h"

#include <string.h>

#include "advice/evaluate/evaluate.h"
#include "advice/ranking/ranking.h"
#include "analysis/ranks.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"
#include "replay/apply.h"
#include "replay/stragglers.h"
#include "replay/together.h"
#include "store/sql.h"

enum {
	PLANS_MAX = 16, /* traces of an import that get a plan */
};

/* What the ranks of a job are replayed for together; each is kept, as the plans of most ranks have
 * the same fixes. */
enum purpose { FOR_ALL, FOR_REST, FOR_PLACE, PURPOSE_COUNT = FOR_PLACE + TC_TOGETHER_MAX };

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
	const struct tc_box *box;
	const struct tc_replay *replay;
	struct tc_gain_trace steady; /* of which gains are shares where there are no steps */
	/* The job and the rank's index; is_job: the plan is that of the job. NULL: a rank alone. */
	struct joint *joint;
	size_t rank;
	bool is_job;
};

struct candidate {
	const struct tc_finding *finding;
	size_t fix; /* of the fixes */
	bool is_hidden;
};

struct plan {
	const struct of *of;
	struct candidate *candidates; /* those of the plan come first */
	size_t all_count, count;
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

	run_joint(run, of, sets, count);
	if (of->is_job && !tc_ctx_failed(of->ctx))
		tc_together_job(won, of->rank, &of->joint->world, run->shifts, run->whatifs, count);
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

/* What is left of a steady step, without steps of the steady run. */
static int64_t left_of(const struct plan *plan, const struct tc_won *won)
{
	if (won->step_before_ns > 0 && won->gain_ns == 0)
		return won->step_before_ns;
	return won->step_before_ns > 0 ? won->step_after_ns
				       : tc_sub_saturated(plan->of->steady.steady_ns, won->gain_ns);
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

static void add_candidates(
	struct plan *plan, const struct tc_finding *findings, size_t count, bool are_hidden)
{
	const struct of *of = plan->of;

	for (size_t i = 0; i < count; i++) {
		const struct tc_finding *finding = &findings[i];
		if (finding->trace_id != of->trace_id || finding->gain_ns < (are_hidden ? 0 : 1))
			continue;
		size_t fix = fix_of(of->fixes, finding->heuristic->id);
		if (fix < of->fixes->count && changes(of, fix))
			plan->candidates[plan->all_count++] =
				(struct candidate){finding, fix, are_hidden};
	}
}

TC_ORDER(by_fix, struct candidate, TC_UP(fix));

/* In the order of the fixes. A fix that is hidden alone is hidden by another one. */
static void find_candidates(struct plan *plan)
{
	const struct tc_box *box = plan->of->box;

	add_candidates(plan, box->advice.findings, box->advice.finding_count, false);
	add_candidates(plan, box->hidden, box->hidden_count, true);
	if (plan->all_count == 1 && plan->candidates[0].is_hidden)
		plan->all_count = 0;
	TC_SORT(plan->candidates, plan->all_count, by_fix);
	plan->count = plan->all_count;
}

/* The place of the candidate that comes next: its finding, with what it adds to those before it, is
 * ranked first of those that are left. */
static size_t next_of(const struct plan *plan, struct tc_finding *left, size_t count)
{
	size_t next = 0;

	tc_rank(left, count);
	while (plan->candidates[next].finding->heuristic != left[0].heuristic)
		next++;
	return next;
}

/* What every candidate from a place on wins with those before that place, less what they win
 * without it. */
static void find_added(
	int64_t *added_ns, const struct plan *plan, size_t place, enum purpose purpose)
{
	const struct of *of = plan->of;
	size_t count = plan->all_count - place;
	struct tc_arena arena = {.ctx = of->ctx};
	struct tc_clause_set *sets = tc_arena_take(&arena, count + 1, sizeof(*sets));
	struct tc_won *won = tc_arena_take(&arena, count + 1, sizeof(*won));

	if (!tc_ctx_failed(of->ctx)) {
		for (size_t set = 0; set <= count; set++) {
			for (size_t i = 0; i < place; i++)
				tc_clause_set_join(&sets[set],
					&of->fixes->items[plan->candidates[i].fix].clauses);
			if (set < count)
				tc_clause_set_join(&sets[set],
					&of->fixes->items[plan->candidates[place + set].fix]
						 .clauses);
		}
		replay_sets(won, of, purpose, sets, count + 1);
	}
	for (size_t i = 0; i < count && !tc_ctx_failed(of->ctx); i++)
		added_ns[i] = tc_sub_saturated(left_of(plan, &won[count]), left_of(plan, &won[i]));
	tc_arena_clear(&arena);
}

/* Puts the candidate that comes next at a place. Where none adds anything, one may hide another:
 * that takes away most. */
static void choose(struct plan *plan, size_t place, struct tc_finding *left, int64_t *added_ns)
{
	size_t count = plan->all_count - place;
	int64_t most_ns = 0;

	if (place > 0)
		find_added(added_ns, plan, place, (enum purpose)(FOR_PLACE + place));
	for (size_t i = 0; i < count; i++) {
		left[i] = *plan->candidates[place + i].finding;
		if (place > 0)
			left[i].gain_ns = added_ns[i];
		most_ns = left[i].gain_ns > most_ns ? left[i].gain_ns : most_ns;
	}
	for (size_t i = 0; i < count && most_ns == 0; i++)
		left[i].gain_ns = left[i].removed_ns;
	if (tc_ctx_failed(plan->of->ctx))
		return;
	size_t next = next_of(plan, left, count);
	struct candidate chosen = plan->candidates[next];
	plan->candidates[next] = plan->candidates[place];
	plan->candidates[place] = chosen;
}

static void choose_all(struct plan *plan)
{
	struct tc_arena arena = {.ctx = plan->of->ctx};
	struct tc_finding *left = tc_arena_take(&arena, plan->all_count, sizeof(*left));
	int64_t *added_ns = tc_arena_take(&arena, plan->all_count, sizeof(*added_ns));

	plan->count = TC_TOGETHER_MAX;
	for (size_t place = 0; place < plan->count && !tc_ctx_failed(plan->of->ctx); place++)
		choose(plan, place, left, added_ns);
	TC_SORT(plan->candidates, plan->count, by_fix);
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
		tc_together_settle(&plan->together, won, count);
	for (unsigned mask = 0; mask <= all_of(plan); mask++)
		plan->sets[mask] = sets[tc_together_column(plan->count, mask)];
}

/* ---- order */

/* The place of the candidate that comes next after a set of them. */
static size_t next_after(const struct plan *plan, unsigned chosen)
{
	struct tc_finding left[TC_TOGETHER_MAX];
	size_t count = 0;

	for (size_t i = 0; i < plan->count; i++) {
		if (chosen >> i & 1)
			continue;
		left[count] = *plan->candidates[i].finding;
		left[count++].gain_ns = plan->together.won[chosen | 1U << i].gain_ns -
					plan->together.won[chosen].gain_ns;
	}
	return next_of(plan, left, count);
}

/* Makes the candidates at some places the plan, in that order, and puts the sets to their new
 * masks. */
static void arrange(struct plan *plan, const size_t *places, size_t count)
{
	const struct plan was = *plan;
	struct candidate candidates[TC_TOGETHER_MAX];
	size_t end = count;

	for (size_t i = 0; i < was.count; i++) {
		bool stays = false;
		for (size_t k = 0; k < count; k++)
			stays |= places[k] == i;
		if (!stays)
			candidates[end++] = was.candidates[i];
	}
	for (size_t i = 0; i < count; i++)
		candidates[i] = was.candidates[places[i]];
	for (size_t i = 0; i < was.count; i++)
		plan->candidates[i] = candidates[i];
	plan->count = count;
	for (unsigned mask = 0; mask <= all_of(plan); mask++) {
		unsigned before = 0;
		for (size_t i = 0; i < count; i++)
			before |= (mask >> i & 1U) << places[i];
		plan->together.won[mask] = was.together.won[before];
		plan->together.gains[mask] = was.together.gains[before];
		plan->sets[mask] = was.sets[before];
	}
}

static void order(struct plan *plan)
{
	size_t places[TC_TOGETHER_MAX] = {0};
	unsigned chosen = 0;

	for (size_t i = 0; i < plan->count; i++) {
		places[i] = next_after(plan, chosen);
		chosen |= 1U << places[i];
	}
	arrange(plan, places, plan->count);
}

/* What a set leaves less than another one, in percent of the recording. */
static double more_pct(const struct plan *plan, unsigned mask, unsigned other)
{
	int64_t whole_ns = left_of(plan, &plan->together.won[0]);
	int64_t more_ns = tc_sub_saturated(left_of(plan, &plan->together.won[other]),
		left_of(plan, &plan->together.won[mask]));

	return whole_ns > 0 ? 100.0 * (double)more_ns / (double)whole_ns : 0;
}

/* Takes out fixes, the last one first, that add nothing in their place nor beside all others, and
 * hidden ones that add less there than a fix that is found saves alone. */
static void trim(struct plan *plan)
{
	for (size_t i = plan->count; i-- > 0;) {
		unsigned before = (1U << i) - 1;
		double in_place_pct = more_pct(plan, before | 1U << i, before);
		double beside_all_pct = more_pct(plan, all_of(plan), all_of(plan) & ~(1U << i));
		double pct = in_place_pct > beside_all_pct ? in_place_pct : beside_all_pct;
		size_t places[TC_TOGETHER_MAX], count = 0;
		if (pct > 0 &&
			(!plan->candidates[i].is_hidden || pct >= plan->of->steady.min_gain_pct))
			continue;
		for (size_t k = 0; k < plan->count; k++)
			if (k != i)
				places[count++] = k;
		arrange(plan, places, count);
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

/* ---- what the rest wins beside the plan */

TC_ORDER(by_gain, struct candidate, TC_UP(is_hidden) TC_DOWN(finding->gain_ns) TC_UP(fix));

static void write_rest(const struct plan *plan, const int64_t *added_ns)
{
	struct tc_tables tables = TC_TABLES_OF(plan->of->ctx, plan->of->db);

	for (size_t i = plan->count; i < plan->all_count; i++) {
		const struct tc_sql_value values[] = {tc_sql_int(plan->of->trace_id),
			tc_sql_int((int64_t)(i - plan->count) + 1),
			tc_sql_string(plan->of->fixes->items[plan->candidates[i].fix].id),
			tc_sql_int(added_ns[i - plan->count])};
		TC_TABLES_PUT(&tables, "plan_rest (trace_id, ord, fix, added_ns)", values);
	}
	tc_tables_end(&tables);
}

/* Hidden fixes beside the plan are told nowhere. */
static void find_rest(struct plan *plan)
{
	struct tc_ctx *ctx = plan->of->ctx;

	TC_SORT(plan->candidates + plan->count, plan->all_count - plan->count, by_gain);
	while (plan->all_count > plan->count && plan->candidates[plan->all_count - 1].is_hidden)
		plan->all_count--;
	if (plan->all_count == plan->count || tc_ctx_failed(ctx))
		return;
	int64_t *added_ns = tc_new(ctx, plan->all_count - plan->count, sizeof(*added_ns));
	if (added_ns)
		find_added(added_ns, plan, plan->count, FOR_REST);
	if (!tc_ctx_failed(ctx))
		write_rest(plan, added_ns);
	tc_free(added_ns);
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
	const struct tc_box *box = of->box;

	if (tc_ctx_failed(of->ctx))
		return;
	plan.candidates = tc_new(of->ctx, box->advice.finding_count + box->hidden_count + 1,
		sizeof(*plan.candidates));
	if (!plan.candidates)
		return;
	find_candidates(&plan);
	if (plan.count > TC_TOGETHER_MAX)
		choose_all(&plan);
	if (plan.count > 0 && !tc_ctx_failed(of->ctx))
		replay_all(&plan);
	if (plan.count > 0 && !tc_ctx_failed(of->ctx)) {
		order(&plan);
		trim(&plan);
		order(&plan);
	}
	if (plan.count > 0 && !tc_ctx_failed(of->ctx)) {
		write_plan(&plan);
		write_paths(&plan);
		find_rest(&plan);
	}
	tc_free(plan.candidates);
}

static void replay_again(struct of *of)
{
	const struct tc_fixes *fixes = of->fixes;
	struct tc_replay replay;

	tc_replay_load(&replay, of->db, of->trace_id, fixes->clauses, fixes->clause_count, of->ctx);
	of->replay = &replay;
	make_plan(of);
	tc_replay_clear(&replay);
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

/* Whether a plan may have something to say: of a fix that was found and wins time, or of two that
 * hide each other. */
static bool has_fixes(const struct of *of)
{
	const struct tc_box *box = of->box;
	size_t found_count = 0, hidden_count = 0;

	for (size_t i = 0; i < box->advice.finding_count; i++) {
		const struct tc_finding *finding = &box->advice.findings[i];
		found_count += finding->trace_id == of->trace_id && finding->gain_ns > 0 &&
			       fix_of(of->fixes, finding->heuristic->id) < of->fixes->count;
	}
	for (size_t i = 0; i < box->hidden_count; i++)
		hidden_count += box->hidden[i].trace_id == of->trace_id;
	return found_count > 0 || hidden_count > 1;
}

static void plan_trace(struct of *of, struct joint *joint, const struct tc_plan_replays *replays)
{
	tc_gain_trace_load(&of->steady, of->ctx, of->db, of->trace_id,
		of->box->advice.made_with->min_gain_pct);
	of->replay = replays->only ? &replays->only->replay
				   : tc_replays_find(replays->ranks, of->trace_id);
	if (of->replay)
		find_joint(joint, of, replays->ranks);
	if (of->replay)
		make_plan(of);
	else
		replay_again(of);
}

void tc_plans_make(struct tc_ctx *ctx, sqlite3 *db, const struct tc_fixes *fixes,
	const struct tc_advice *advice, const struct tc_plan_replays *replays)
{
	size_t planned = 0;
	struct joint joint = {0};
	struct tc_rows traces = tc_rows_open(ctx, db, "SELECT id FROM trace ORDER BY id");
	TC_TIMED(ctx, "stage", "plan");

	while (planned < PLANS_MAX && tc_rows_next(&traces)) {
		struct of of = {.ctx = ctx,
			.db = db,
			.trace_id = tc_rows_int(&traces, 0),
			.fixes = fixes,
			.box = (const struct tc_box *)advice};
		if (!has_fixes(&of))
			continue;
		planned++;
		plan_trace(&of, &joint, replays);
	}
	clear_joint(&joint);
	tc_rows_close(&traces);
}

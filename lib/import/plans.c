/*
 * Plans: what the largest fixes of a trace win together, for each set of them, and the order in
 * which the next one wins most. The replay of an import of one trace is kept until its findings are
 * known, as are those of ranks; other traces are replayed again, from the tables of the store. The
 * plan of the rank that its job waits for most is that of the job.
 *
 *   candidates   the fixes that were found and win time. Of more than FIXES_MAX the largest stay,
 *                by what they win alone or, if that is more, by what is lost when they alone are
 *                left out: a fix may be hidden by others
 *   sets         all sets of them in one pass over the program
 *   order        the fix that wins most beside those before it comes next; where special cases
 *                explain it, what they leave counts, as in the ranking of one fix alone
 *   ranges       the first fixes of the order once more, with all shares at either end
 *   next         a fix that was not found, as other work hides what it wins, but takes away what
 *                the critical path is with all fixes of the plan
 *
 * Sets are masks: bit i is the fix at place i.
 */
#include "import/plans.h"

#include <string.h>

#include "advice/ranking/ranking.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"
#include "replay/apply.h"
#include "replay/load.h"
#include "replay/stragglers.h"
#include "store/sql.h"

enum {
	PLANS_MAX = 16, /* traces of an import that get a plan */
	FIXES_MAX = 5,
	SETS_MAX = 1 << FIXES_MAX,
};

/* A trace, or a rank that is replayed with the others of its job; all borrowed. */
struct of {
	struct tc_ctx *ctx;
	sqlite3 *db;
	int64_t trace_id;
	const struct tc_fixes *fixes;
	const struct tc_advice *advice;
	const struct tc_replay *replay;
	const struct tc_whatif *alone; /* each fix alone, of this replay; NULL: not replayed yet */
	/* The job, the rank's index, and the ranks that fixes about late ranks mend. NULL: a rank
	 * alone. */
	const struct tc_world *world;
	size_t rank;
	const bool *is_late;
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
	struct tc_clause_set sets[SETS_MAX]; /* by mask */
	struct tc_won won[SETS_MAX];
	struct tc_gain ranges[SETS_MAX];
	unsigned
		limits; /* causes of idle time that mend what the critical path is with all: bits */
};

/* ---- replays */

/* The ranks that nobody waits for with a set of clauses, or NULL. */
static const bool *late_ranks(const struct of *of, const struct tc_clause_set *set)
{
	return tc_fixes_have_ranks(of->fixes, set) ? of->is_late : NULL;
}

/* On all ranks of the job. */
static void replay_world(
	struct tc_won *won, const struct of *of, const struct tc_clause_set *sets, size_t count)
{
	const struct tc_world *world = of->world;
	struct tc_arena arena = {.ctx = of->ctx};
	struct tc_shifts *shifts = tc_arena_take(&arena, world->count, sizeof(*shifts));
	struct tc_world_whatif *whatifs = tc_arena_take(&arena, count, sizeof(*whatifs));

	if (!tc_ctx_failed(of->ctx)) {
		for (size_t i = 0; i < count; i++)
			whatifs[i] = (struct tc_world_whatif){sets[i], late_ranks(of, &sets[i])};
		tc_world_run(shifts, world, whatifs, count, NULL);
		for (size_t i = 0; i < count && !tc_ctx_failed(of->ctx); i++) {
			struct tc_world_won job;
			if (tc_world_won(&job, world, shifts, whatifs[i].is_late, i, of->rank) ==
				TC_OK)
				won[i] = job.won;
		}
		for (size_t i = 0; i < world->count; i++)
			tc_shifts_clear(&shifts[i]);
	}
	tc_arena_clear(&arena);
}

/* The gain of each set of clauses. */
static void replay_sets(
	struct tc_won *won, const struct of *of, const struct tc_clause_set *sets, size_t count)
{
	struct tc_shifts shifts = {0};

	if (of->world) {
		replay_world(won, of, sets, count);
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
	       (of->world && tc_fixes_have_ranks(of->fixes, set));
}

/* In the order of the findings. candidates has places for all fixes. */
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
		replay_sets(won, of, sets, count + 1);
		for (size_t i = 0; i < count; i++) {
			int64_t lost_ns = won[count].gain_ns - won[i].gain_ns;
			if (lost_ns > plan->candidates[i].size_ns)
				plan->candidates[i].size_ns = lost_ns;
		}
		TC_SORT(plan->candidates, count, by_size);
		plan->count = FIXES_MAX;
	}
	tc_arena_clear(&arena);
}

/* ---- sets */

static unsigned all_of(const struct plan *plan)
{
	return (1U << plan->count) - 1;
}

/* To make a set of fixes is to make each smaller one, too. The steps may show less for more fixes:
 * they are counted from the end of the first step. Then the gain is that of the smaller set. */
static void raise_to_parts(struct plan *plan)
{
	for (unsigned mask = 1; mask <= all_of(plan); mask++)
		for (size_t i = 0; i < plan->count; i++) {
			const struct tc_won *part = &plan->won[mask & ~(1U << i)];
			struct tc_won *won = &plan->won[mask];
			if (part->gain_ns <= won->gain_ns)
				continue;
			won->gain_ns = part->gain_ns;
			won->step_after_ns = part->step_after_ns;
		}
}

static struct tc_clause_set set_of(const struct plan *plan, unsigned mask)
{
	struct tc_clause_set set = {{0}};

	for (size_t i = 0; i < plan->count; i++)
		if (mask >> i & 1)
			tc_clause_set_join(
				&set, &plan->of->fixes->items[plan->candidates[i].fix].clauses);
	return set;
}

/* Takes what each fix wins alone from the replay that has it. */
static void take_alone(struct plan *plan)
{
	const struct tc_whatif *alone = plan->of->alone;

	for (size_t i = 0; i < plan->count; i++)
		plan->won[1U << i] = alone->shifts.won[alone->columns[plan->candidates[i].fix]];
}

static void replay_all(struct plan *plan)
{
	const struct of *of = plan->of;
	bool has_alone = of->alone && !of->world;
	struct tc_clause_set sets[SETS_MAX];
	struct tc_won won[SETS_MAX];
	unsigned masks[SETS_MAX];
	size_t count = 0;

	plan->won[0] = (struct tc_won){0};
	for (unsigned mask = 0; mask <= all_of(plan); mask++) {
		bool is_one = (mask & (mask - 1)) == 0;
		plan->sets[mask] = set_of(plan, mask);
		if (mask == 0 || (is_one && has_alone))
			continue;
		masks[count] = mask;
		sets[count++] = plan->sets[mask];
	}
	if (has_alone)
		take_alone(plan);
	if (count > 0)
		replay_sets(won, of, sets, count);
	for (size_t i = 0; i < count && !tc_ctx_failed(of->ctx); i++)
		plan->won[masks[i]] = won[i];
	if (!tc_ctx_failed(of->ctx))
		raise_to_parts(plan);
}

/* ---- order */

/* The place of the candidate that comes next after a set of them. */
static size_t next_after(const struct plan *plan, unsigned chosen)
{
	struct tc_finding left[FIXES_MAX];
	size_t count = 0, next = 0;

	for (size_t i = 0; i < plan->count; i++) {
		if (chosen >> i & 1)
			continue;
		left[count] = *plan->candidates[i].finding;
		left[count++].gain_ns =
			plan->won[chosen | 1U << i].gain_ns - plan->won[chosen].gain_ns;
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
	struct candidate candidates[FIXES_MAX];
	size_t places[FIXES_MAX] = {0};
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
		plan->won[mask] = was.won[before];
		plan->sets[mask] = was.sets[before];
	}
}

/* ---- ranges */

/* The smallest set of the first fixes of the order that has all of a set. */
static unsigned first_with(unsigned mask)
{
	unsigned first = 1;

	while (mask & ~first)
		first = first << 1 | 1;
	return first;
}

/* The range of a set that is not replayed at its ends: as uncertain as each of its fixes alone, in
 * the mean by gain, but no more than what the first fixes win that have all of it. */
static struct tc_gain estimated_range(const struct plan *plan, unsigned mask)
{
	int64_t likely_ns = plan->won[mask].gain_ns,
		most_ns = plan->ranges[first_with(mask)].high_ns;
	struct tc_gain sum = {0};

	for (size_t i = 0; i < plan->count; i++) {
		const struct tc_finding *finding = plan->candidates[i].finding;
		if (!(mask >> i & 1))
			continue;
		sum.likely_ns = tc_add_saturated(sum.likely_ns, finding->gain_ns);
		sum.low_ns = tc_add_saturated(sum.low_ns, finding->gain_low_ns);
		sum.high_ns = tc_add_saturated(sum.high_ns, finding->gain_high_ns);
	}
	int64_t high_ns = tc_scale_saturated(likely_ns, sum.high_ns, sum.likely_ns);
	if (first_with(mask) != mask && high_ns > most_ns)
		high_ns = most_ns > likely_ns ? most_ns : likely_ns;
	return (struct tc_gain){
		likely_ns, tc_scale_saturated(likely_ns, sum.low_ns, sum.likely_ns), high_ns};
}

/* Replays the first two, three and more fixes of the order with all shares at either end. More
 * fixes win no less. */
static void replay_ends(struct plan *plan)
{
	struct tc_clause_set sets[2 * FIXES_MAX] = {{{0}}};
	struct tc_won won[2 * FIXES_MAX];
	const struct of *of = plan->of;

	for (size_t i = 0; i < plan->count; i++)
		for (size_t first = i; first < plan->count; first++) {
			const struct tc_fix *fix = &of->fixes->items[plan->candidates[i].fix];
			tc_clause_set_join(&sets[2 * first], &fix->low);
			tc_clause_set_join(&sets[2 * first + 1], &fix->high);
		}
	if (plan->count > 1)
		replay_sets(won + 2, of, sets + 2, 2 * (plan->count - 1));
	for (size_t i = 1; i < plan->count && !tc_ctx_failed(of->ctx); i++) {
		unsigned mask = (2U << i) - 1;
		const struct tc_gain *before = &plan->ranges[mask >> 1];
		struct tc_gain range =
			tc_gain_between(&plan->won[mask], &won[2 * i], &won[2 * i + 1]);
		if (range.low_ns < before->low_ns)
			range.low_ns = before->low_ns;
		if (range.high_ns < before->high_ns)
			range.high_ns = before->high_ns;
		plan->ranges[mask] = range;
	}
}

static void find_ranges(struct plan *plan)
{
	plan->ranges[0] = (struct tc_gain){0};
	plan->ranges[1] = estimated_range(plan, 1);
	replay_ends(plan);
	for (unsigned mask = 2; mask <= all_of(plan); mask++)
		if (mask != first_with(mask))
			plan->ranges[mask] = estimated_range(plan, mask);
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
	const struct of *of = plan->of;
	const struct tc_world *world = of->world;
	const struct tc_clause_set *set = &plan->sets[all_of(plan)];
	const struct tc_world_whatif whatif = {*set, late_ranks(of, set)};
	struct tc_arena arena = {.ctx = of->ctx};
	struct tc_shifts *shifts = tc_arena_take(&arena, world->count, sizeof(*shifts));
	struct tc_meets *meets = tc_arena_take(&arena, world->count, sizeof(*meets));
	const struct tc_world_notes notes = {.meets = meets};
	size_t rank = of->rank;

	if (!tc_ctx_failed(of->ctx)) {
		for (size_t i = world->count; i-- > 0 && whatif.is_late && whatif.is_late[rank];)
			rank = whatif.is_late[i] ? rank : i;
		meets[rank].is_wanted = true;
		tc_world_run(shifts, world, &whatif, 1, &notes);
		for (size_t i = 0; i < world->count; i++)
			tc_shifts_clear(&shifts[i]);
		if (!tc_ctx_failed(of->ctx))
			follow_path(
				parts, plan, all_of(plan), world->ranks[rank].replay, &meets[rank]);
		tc_free(meets[rank].shifts_ns);
	}
	tc_arena_clear(&arena);
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

/* The causes of idle time that have the host work which is most of a path; 0: it is something else.
 */
static unsigned find_limits(const struct parts *parts)
{
	enum tc_piece most_piece = TC_PIECE_NONE;
	int most = 0;

	for (int piece = 0; piece < PIECE_COUNT; piece++)
		for (int part = 0; part < PART_COUNT; part++)
			if (parts->ns[piece][part] > parts->ns[most_piece][most]) {
				most_piece = (enum tc_piece)piece;
				most = part;
			}
	return most_piece == TC_PIECE_HOST ? 1U << tc_cause_of_role[most] : 0;
}

/* The path of the recording is that of critical_path. */
static void write_paths(struct plan *plan)
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
	for (size_t i = of->world ? plan->count : 1; i <= plan->count && !tc_ctx_failed(of->ctx);
		i++) {
		unsigned mask = (1U << i) - 1;
		struct parts parts = {0};
		if (i > FIRST_PATHS && i < plan->count)
			continue;
		if (of->world)
			follow_rank(&parts, plan);
		else
			follow_path(&parts, plan, mask, of->replay, NULL);
		write_parts(&tables, of, mask, &parts);
		plan->limits = find_limits(&parts);
	}
	tc_tables_end(&tables);
}

/* ---- what would win next */

enum {
	NEXT_MAX = 8,         /* fixes that are tried */
	NEXT_LEAST_PARTS = 20 /* it wins at least one of so many parts of what is left */
};

/* Whether the check of a fix looked at the trace and found nothing. */
static bool is_quiet(const struct of *of, size_t fix)
{
	for (size_t i = 0; i < of->advice->account_count; i++) {
		const struct tc_account_row *row = &of->advice->account[i];
		if (row->trace_id == of->trace_id &&
			strcmp(row->heuristic->id, of->fixes->items[fix].id) == 0)
			return row->outcome == TC_OUTCOME_QUIET;
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

/* Tries the fixes of what limits with all of the plan, each besides it. */
static void find_next(const struct plan *plan)
{
	const struct of *of = plan->of;
	const struct tc_won *all = &plan->won[all_of(plan)];
	struct tc_clause_set sets[NEXT_MAX];
	struct tc_won won[NEXT_MAX];
	size_t fixes[NEXT_MAX], count = 0, best = 0;

	for (size_t i = 0; i < of->fixes->count && count < NEXT_MAX; i++) {
		if (!(of->fixes->items[i].causes & plan->limits) || !is_quiet(of, i) ||
			!changes(of, i))
			continue;
		fixes[count] = i;
		sets[count] = plan->sets[all_of(plan)];
		tc_clause_set_join(&sets[count++], &of->fixes->items[i].clauses);
	}
	if (count > 0)
		replay_sets(won, of, sets, count);
	for (size_t i = 1; i < count; i++)
		if (won[i].gain_ns > won[best].gain_ns)
			best = i;
	if (count == 0 || tc_ctx_failed(of->ctx))
		return;
	int64_t left_ns = left_of(plan, all);
	if (tc_sub_saturated(left_ns, left_of(plan, &won[best])) > left_ns / NEXT_LEAST_PARTS)
		write_next(plan, of->fixes->items[fixes[best]].id, &won[best]);
}

/* ---- tables */

static void write_plan(const struct plan *plan)
{
	const struct of *of = plan->of;
	const struct tc_sql_value trace = tc_sql_int(of->trace_id);
	struct tc_tables tables = TC_TABLES_OF(of->ctx, of->db);
	int64_t before_ns = plan->won[all_of(plan)].step_before_ns;
	bool has_steps = before_ns > 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct tc_sql_value values[] = {trace, tc_sql_int((int64_t)i + 1),
			tc_sql_string(of->fixes->items[plan->candidates[i].fix].id)};
		TC_TABLES_PUT(&tables, "plan_fix (trace_id, ord, fix)", values);
	}
	for (unsigned mask = 0; mask <= all_of(plan); mask++) {
		const struct tc_won *won = &plan->won[mask];
		const struct tc_sql_value values[] = {trace, tc_sql_int((int64_t)mask),
			tc_sql_int(won->gain_ns), tc_sql_int_if(has_steps, before_ns),
			tc_sql_int_if(has_steps, mask == 0 ? before_ns : won->step_after_ns),
			tc_sql_int(plan->ranges[mask].low_ns),
			tc_sql_int(plan->ranges[mask].high_ns)};
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
	if (plan.count > FIXES_MAX)
		keep_largest(&plan);
	if (plan.count > 0 && !tc_ctx_failed(of->ctx))
		replay_all(&plan);
	if (plan.count > 0 && !tc_ctx_failed(of->ctx)) {
		order(&plan);
		find_ranges(&plan);
	}
	if (plan.count > 0 && !tc_ctx_failed(of->ctx)) {
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

/* The job of the rank that it waits for most. Without ranks for other traces, and where one has no
 * replay. */
static void find_world(
	struct tc_world *world, const struct of *of, const struct tc_replays *replays)
{
	const struct tc_sql_value trace = tc_sql_int(of->trace_id);
	bool found = false;
	int64_t job_id = 0, count = 0;

	tc_sql_lookup(&job_id, &found, of->ctx, of->db,
		"SELECT job_id FROM job_rank WHERE trace_id = ?1 AND late_order = 1", &trace);
	if (!found)
		return;
	const struct tc_sql_value job = tc_sql_int(job_id);
	tc_sql_lookup(&count, &found, of->ctx, of->db,
		"SELECT count(*) FROM job_rank WHERE job_id = ?1", &job);
	if (!tc_ctx_failed(of->ctx))
		tc_world_find(world, of->ctx, of->db, replays, job_id);
	if (world->count != (size_t)count)
		world->count = 0;
}

static void plan_job(struct of *of)
{
	const struct tc_world *world = of->world;
	bool *is_late = tc_calloc(world->count, sizeof(*is_late));

	if (!is_late)
		tc_no_memory(of->ctx);
	for (size_t i = 0; i < world->count && !tc_ctx_failed(of->ctx); i++) {
		const struct tc_sql_value trace = tc_sql_int(world->ranks[i].trace_id);
		int64_t order = 0;
		tc_sql_lookup(&order, &is_late[i], of->ctx, of->db,
			"SELECT late_order FROM job_rank WHERE trace_id = ?1", &trace);
		if (world->ranks[i].trace_id == of->trace_id)
			of->rank = i;
	}
	of->is_late = is_late;
	make_plan(of);
	tc_free(is_late);
}

static void plan_kept(struct of *of, const struct tc_replays *replays)
{
	struct tc_world world = {0};

	find_world(&world, of, replays);
	if (world.count > 0) {
		of->world = &world;
		plan_job(of);
	} else {
		make_plan(of);
	}
	tc_free(world.ranks);
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
		of.alone = replays->only;
		of.replay = replays->only ? &replays->only->replay
					  : tc_replays_find(replays->ranks, trace_id);
		if (of.replay)
			plan_kept(&of, replays->ranks);
		else
			replay_again(&of);
	}
}

/*
 * A round replays each remaining fix beside the chosen ones. At the same time it
 * replays the next round for the usual case that the first of them gains enough: another what-if
 * costs less than another pass over the program.
 */
#include "replay/plan.h"

#include "core/alloc.h"
#include "replay/apply.h"
#include "store/tables.h"

struct round {
	struct tc_arena arena;
	const struct tc_plan_of *of;
	size_t *left; /* candidates that are not chosen, in their order */
	size_t left_count;
	struct tc_clause_set chosen;
	/* By remaining candidate: with the chosen fixes; then, for all but the first, with the
	 * first one as well. */
	struct tc_clause_set *sets;
	struct tc_won *won;
	size_t width;  /* number of sets, both kinds */
	bool is_known; /* the round before has already replayed this one */
};

/* The ranks that nobody waits for with a set of clauses, or NULL. */
static const bool *late_ranks(const struct round *round, const struct tc_clause_set *set)
{
	return tc_fixes_have_ranks(round->of->fixes, set) ? round->of->is_late : NULL;
}

/* Replays the what-ifs of the round on all ranks. */
static enum tc_status replay_world(struct round *round)
{
	const struct tc_world *world = round->of->world;
	struct tc_shifts *shifts = tc_arena_take(&round->arena, world->count, sizeof(*shifts));
	struct tc_world_whatif *whatifs =
		tc_arena_take(&round->arena, round->width, sizeof(*whatifs));
	enum tc_status status = tc_arena_status(&round->arena, round->of->ctx);

	if (status)
		return status;
	for (size_t i = 0; i < round->width; i++)
		whatifs[i] = (struct tc_world_whatif){
			round->sets[i], late_ranks(round, &round->sets[i])};
	status = tc_world_run(shifts, world, whatifs, round->width, NULL);
	for (size_t i = 0; i < round->width && !status; i++) {
		struct tc_world_won job;
		status = tc_world_won(&job, world, shifts, whatifs[i].is_late, i, round->of->rank);
		if (!status)
			round->won[i] = job.won;
	}
	for (size_t i = 0; i < world->count; i++)
		tc_shifts_clear(&shifts[i]);
	return status;
}

static enum tc_status replay_alone(struct round *round)
{
	struct tc_shifts shifts;
	enum tc_status status = tc_shifts_run(
		&shifts, round->of->ctx, round->of->replay, round->sets, round->width);

	for (size_t i = 0; i < round->width && !status; i++)
		round->won[i] = shifts.won[i];
	tc_shifts_clear(&shifts);
	return status;
}

/* The set of a what-if: the chosen fixes and a candidate. */
static struct tc_clause_set set_with(
	const struct round *round, const struct tc_clause_set *chosen, size_t candidate)
{
	struct tc_clause_set set = *chosen;

	tc_clause_set_join(&set, &round->of->fixes->items[round->left[candidate]].clauses);
	return set;
}

static enum tc_status replay_round(struct round *round)
{
	if (round->is_known)
		return TC_OK;
	round->width = 0;
	for (size_t i = 0; i < round->left_count; i++)
		round->sets[round->width++] = set_with(round, &round->chosen, i);
	for (size_t i = 1; i < round->left_count; i++)
		round->sets[round->width++] = set_with(round, &round->sets[0], i);
	return round->of->world ? replay_world(round) : replay_alone(round);
}

/* The first round, where the gain of each fix alone is known. */
static void take_alone(struct round *round)
{
	const struct tc_whatif *alone = round->of->alone;
	const struct tc_clause_set none = {{0}};

	round->is_known = alone && !round->of->world;
	for (size_t i = 0; i < round->left_count && round->is_known; i++) {
		round->sets[i] = set_with(round, &none, i);
		round->won[i] = alone->shifts.won[alone->columns[round->left[i]]];
	}
	round->width = round->left_count;
}

/* Keeps what the round has replayed for the next one, when the first candidate was taken. */
static void go_on(struct round *round, size_t taken)
{
	round->is_known = taken == 0 && round->width > round->left_count + 1;
	for (size_t i = 0; i < round->left_count && round->is_known; i++) {
		round->sets[i] = round->sets[round->left_count + 1 + i];
		round->won[i] = round->won[round->left_count + 1 + i];
	}
	round->width = round->left_count;
}

/* Takes the first candidate that gains enough; false when there is none. */
static bool take_first(struct round *round, struct tc_plan *plan, int64_t least_ns)
{
	int64_t before_ns = plan->count > 0 ? plan->steps[plan->count - 1].won.gain_ns : 0;
	size_t first = 0;

	while (first < round->left_count && round->won[first].gain_ns - before_ns < least_ns)
		first++;
	if (first == round->left_count)
		return false;
	plan->steps[plan->count++] =
		(struct tc_plan_step){.fix = round->left[first], .won = round->won[first]};
	round->chosen = round->sets[first];
	round->left_count--;
	for (size_t i = first; i < round->left_count; i++)
		round->left[i] = round->left[i + 1];
	go_on(round, first);
	return true;
}

enum {
	PIECE_COUNT = TC_PIECE_WAKE + 1,
	PART_COUNT = (int)TC_ROLE_COUNT > (int)TC_ENGINE_COUNT ? (int)TC_ROLE_COUNT
							       : (int)TC_ENGINE_COUNT
};

/* Time on the path by what it is. */
struct parts {
	int64_t ns[PIECE_COUNT][PART_COUNT], all_ns, best_ns;
	struct tc_plan *plan;
};

static enum tc_status add_part(void *user, const struct tc_path_row *row)
{
	struct parts *parts = user;

	parts->all_ns += row->path_ns;
	parts->ns[row->piece][row->role_or_engine] += row->path_ns;
	return TC_OK;
}

static enum tc_status choose_part(void *user, const struct tc_path_row *row)
{
	struct parts *parts = user;
	int64_t ns = parts->ns[row->piece][row->role_or_engine];

	if (ns <= parts->best_ns)
		return TC_OK;
	parts->best_ns = ns;
	parts->plan->limit = (enum tc_piece)row->piece;
	parts->plan->limit_role_or_engine = row->role_or_engine;
	return TC_OK;
}

static enum tc_status find_limit(struct tc_plan *plan, const struct tc_path *path)
{
	struct parts parts = {.plan = plan};
	enum tc_status status = tc_path_each(path, add_part, &parts);

	if (!status)
		status = tc_path_each(path, choose_part, &parts);
	if (!status && parts.all_ns > 0)
		plan->limit_pct = (double)parts.best_ns * 100.0 / (double)parts.all_ns;
	return status;
}

static enum tc_status follow_path(struct tc_plan *plan, const struct round *round,
	const struct tc_replay *replay, const struct tc_meets *meets)
{
	struct tc_replay applied = {0};
	struct tc_path path = {0};
	enum tc_status status =
		tc_replay_apply(&applied, round->of->ctx, replay, &round->chosen, meets);

	if (!status)
		status = tc_path_find(&path, &applied, round->of->ctx);
	if (!status)
		status = find_limit(plan, &path);
	tc_path_clear(&path);
	tc_replay_clear(&applied);
	return status;
}

/* The path of the rank, or of the first rank that is waited for: late ranks take as long as they
 * did. */
static enum tc_status follow_rank(struct tc_plan *plan, struct round *round)
{
	const struct tc_world *world = round->of->world;
	const struct tc_world_whatif whatif = {round->chosen, late_ranks(round, &round->chosen)};
	struct tc_shifts *shifts = tc_arena_take(&round->arena, world->count, sizeof(*shifts));
	struct tc_meets *meets = tc_arena_take(&round->arena, world->count, sizeof(*meets));
	const struct tc_world_notes notes = {.meets = meets};
	size_t rank = round->of->rank;
	enum tc_status status = tc_arena_status(&round->arena, round->of->ctx);

	if (status)
		return status;
	for (size_t i = world->count; i-- > 0 && whatif.is_late && whatif.is_late[rank];)
		rank = whatif.is_late[i] ? rank : i;
	meets[rank].is_wanted = true;
	status = tc_world_run(shifts, world, &whatif, 1, &notes);
	for (size_t i = 0; i < world->count; i++)
		tc_shifts_clear(&shifts[i]);
	if (!status)
		status = follow_path(plan, round, world->ranks[rank].replay, &meets[rank]);
	tc_free(meets[rank].shifts_ns);
	return status;
}

enum tc_status tc_plan_make(struct tc_plan *plan, const struct tc_plan_of *of,
	const size_t *candidates, size_t count, int64_t least_ns)
{
	struct round round = {.of = of, .left_count = count};

	TC_ARENA(&round.arena, round.left, count);
	TC_ARENA(&round.arena, round.sets, 2 * count);
	TC_ARENA(&round.arena, round.won, 2 * count);
	enum tc_status status = tc_arena_status(&round.arena, of->ctx);

	*plan = (struct tc_plan){0};
	for (size_t i = 0; i < count && !status; i++)
		round.left[i] = candidates[i];
	if (!status)
		take_alone(&round);
	while (!status && round.left_count > 0 && plan->count < TC_PLAN_MAX) {
		status = replay_round(&round);
		if (!status && !take_first(&round, plan, least_ns))
			break;
	}
	if (!status && plan->count > 0)
		status = of->world ? follow_rank(plan, &round)
				   : follow_path(plan, &round, of->replay, NULL);
	tc_arena_clear(&round.arena);
	return status;
}

static const char *limit_name(const struct tc_plan *plan)
{
	if (plan->limit == TC_PIECE_HOST)
		return tc_role_name((enum tc_role)plan->limit_role_or_engine);
	return plan->limit == TC_PIECE_DEVICE
		       ? tc_engine_name((enum tc_engine)plan->limit_role_or_engine)
		       : NULL;
}

/* What fixes win together is as uncertain as what each wins alone, in the mean by gain. */
static void write_ranges(struct tc_tables *tables, int64_t trace_id)
{
	const struct tc_sql_value trace = tc_sql_int(trace_id);

	tc_tables_put(tables,
		"UPDATE plan SET (gain_low_ns, gain_high_ns) = ("
		" SELECT CAST(round(plan.gain_ns * (1.0 * sum(w.gain_low_ns) / sum(w.gain_ns)))"
		"  AS INTEGER),"
		"  CAST(round(plan.gain_ns * (1.0 * sum(w.gain_high_ns) / sum(w.gain_ns)))"
		"  AS INTEGER)"
		" FROM plan p JOIN whatif w ON w.trace_id = p.trace_id AND w.fix = p.fix"
		" WHERE p.trace_id = plan.trace_id AND p.ord <= plan.ord AND w.gain_ns > 0)"
		" WHERE trace_id = ?1",
		&trace, 1);
}

enum tc_status tc_plan_write(
	const struct tc_plan *plan, const struct tc_plan_of *of, sqlite3 *db, int64_t trace_id)
{
	struct tc_tables tables = TC_TABLES_OF(of->ctx, db);

	for (size_t i = 0; i < plan->count; i++) {
		const struct tc_plan_step *step = &plan->steps[i];
		bool has_steps = step->won.step_before_ns > 0, is_last = i + 1 == plan->count;
		const struct tc_sql_value values[] = {tc_sql_int(trace_id),
			tc_sql_int((int64_t)i + 1), tc_sql_string(of->fixes->items[step->fix].id),
			tc_sql_int(step->won.gain_ns),
			tc_sql_int_if(has_steps, step->won.step_before_ns),
			tc_sql_int_if(has_steps, step->won.step_after_ns),
			tc_sql_string(is_last ? tc_piece_name(plan->limit) : NULL),
			tc_sql_string(is_last ? limit_name(plan) : NULL),
			is_last ? tc_sql_real(plan->limit_pct) : tc_sql_null(),
			tc_sql_int(step->won.gain_ns), tc_sql_int(step->won.gain_ns)};
		TC_TABLES_PUT(&tables,
			"plan (trace_id, ord, fix, gain_ns, step_before_ns, step_after_ns,"
			" limit_piece, limit_name, limit_pct, gain_low_ns, gain_high_ns)",
			values);
	}
	write_ranges(&tables, trace_id);
	tc_tables_end(&tables);
	return tc_ctx_status(of->ctx);
}

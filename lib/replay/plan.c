/* See plan.h. A round replays every fix that is left beside those that are chosen. */
#include "replay/plan.h"

#include "core/alloc.h"
#include "replay/apply.h"
#include "store/sql.h"

struct round {
	const struct tc_whatif *whatif;
	struct tc_ctx *ctx;
	size_t *left; /* candidates that are not chosen */
	size_t left_count;
	struct tc_clause_set chosen;
	struct tc_clause_set *sets;
	struct tc_won *won;
};

static enum tc_status replay_round(struct round *round)
{
	struct tc_shifts shifts;

	for (size_t i = 0; i < round->left_count; i++) {
		round->sets[i] = round->chosen;
		tc_clause_set_join(
			&round->sets[i], &round->whatif->fixes->items[round->left[i]].clauses);
	}
	enum tc_status status = tc_shifts_run(
		&shifts, round->ctx, &round->whatif->replay, round->sets, round->left_count);
	for (size_t i = 0; i < round->left_count && !status; i++)
		round->won[i] = shifts.won[i];
	tc_shifts_clear(&shifts);
	return status;
}

/* Takes the best of the round; false when it wins too little. */
static bool take_best(struct round *round, struct tc_plan *plan, int64_t least_ns)
{
	int64_t before_ns = plan->count > 0 ? plan->steps[plan->count - 1].won.gain_ns : 0;
	size_t best = 0;

	for (size_t i = 1; i < round->left_count; i++)
		if (round->won[i].gain_ns > round->won[best].gain_ns)
			best = i;
	if (round->won[best].gain_ns - before_ns < least_ns)
		return false;
	plan->steps[plan->count++] = (struct tc_plan_step){round->left[best], round->won[best]};
	round->chosen = round->sets[best];
	round->left_count--;
	for (size_t i = best; i < round->left_count; i++)
		round->left[i] = round->left[i + 1];
	return true;
}

static bool same_part(const struct tc_path_row *a, const struct tc_path_row *b)
{
	return a->piece == b->piece && a->role_or_engine == b->role_or_engine;
}

static void find_limit(struct tc_plan *plan, const struct tc_path *path)
{
	int64_t best_ns = 0, all_ns = 0;

	for (size_t i = 0; i < path->count; i++) {
		int64_t ns = 0;
		all_ns += path->rows[i].path_ns;
		for (size_t k = 0; k < path->count &&
				   (i == 0 || !same_part(&path->rows[i], &path->rows[i - 1]));
			k++)
			if (same_part(&path->rows[i], &path->rows[k]))
				ns += path->rows[k].path_ns;
		if (ns <= best_ns)
			continue;
		best_ns = ns;
		plan->limit = (enum tc_piece)path->rows[i].piece;
		plan->limit_role_or_engine = path->rows[i].role_or_engine;
	}
	if (all_ns > 0)
		plan->limit_pct = (double)best_ns * 100.0 / (double)all_ns;
}

static enum tc_status follow_path(struct tc_plan *plan, const struct round *round)
{
	struct tc_replay applied = {0};
	struct tc_path path = {0};
	enum tc_status status =
		tc_replay_apply(&applied, round->ctx, &round->whatif->replay, &round->chosen, NULL);

	if (!status)
		status = tc_path_find(&path, &applied, round->ctx);
	if (!status)
		find_limit(plan, &path);
	tc_path_clear(&path);
	tc_replay_clear(&applied);
	return status;
}

enum tc_status tc_plan_make(struct tc_plan *plan, const struct tc_whatif *whatif,
	struct tc_ctx *ctx, const size_t *candidates, size_t count, int64_t least_ns)
{
	struct round round = {.whatif = whatif,
		.ctx = ctx,
		.left_count = count,
		.left = tc_calloc(count + 1, sizeof(*round.left)),
		.sets = tc_calloc(count + 1, sizeof(*round.sets)),
		.won = tc_calloc(count + 1, sizeof(*round.won))};
	enum tc_status status = round.left && round.sets && round.won
					? TC_OK
					: tc_fail(ctx, TC_ERR_NOMEM, "no memory for the plan");

	*plan = (struct tc_plan){0};
	for (size_t i = 0; i < count && !status; i++)
		round.left[i] = candidates[i];
	while (!status && round.left_count > 0 && plan->count < TC_PLAN_MAX) {
		status = replay_round(&round);
		if (!status && !take_best(&round, plan, least_ns))
			break;
	}
	if (!status && plan->count > 0)
		status = follow_path(plan, &round);
	tc_free(round.left);
	tc_free(round.sets);
	tc_free(round.won);
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

enum tc_status tc_plan_write(const struct tc_plan *plan, const struct tc_whatif *whatif,
	struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	sqlite3_stmt *insert = NULL;
	enum tc_status status = tc_sql_prepare(&insert, ctx, db,
		"INSERT INTO plan (trace_id, ord, fix, gain_ns, step_before_ns, step_after_ns,"
		" limit_piece, limit_name, limit_pct) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");

	for (size_t i = 0; i < plan->count && !status; i++) {
		const struct tc_plan_step *step = &plan->steps[i];
		bool has_steps = step->won.step_before_ns > 0, is_last = i + 1 == plan->count;
		const struct tc_sql_value values[] = {tc_sql_int(trace_id),
			tc_sql_int((int64_t)i + 1),
			tc_sql_string(whatif->fixes->items[step->fix].id),
			tc_sql_int(step->won.gain_ns),
			tc_sql_int_if(has_steps, step->won.step_before_ns),
			tc_sql_int_if(has_steps, step->won.step_after_ns),
			tc_sql_string(is_last ? tc_piece_name(plan->limit) : NULL),
			tc_sql_string(is_last ? limit_name(plan) : NULL),
			is_last ? tc_sql_real(plan->limit_pct) : tc_sql_null()};
		status = tc_sql_put(ctx, insert, values, sizeof(values) / sizeof(values[0]));
	}
	sqlite3_finalize(insert);
	return status;
}

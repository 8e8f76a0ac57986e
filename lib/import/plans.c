#include "import/plans.h"

#include <string.h>

#include "core/alloc.h"
#include "replay/walk/load.h"
#include "replay/whatif/plan.h"
#include "replay/whatif/stragglers.h"
#include "store/sql.h"

#define LEAST_PCT 2 /* of the wall time: what wins less is no step of a plan */

/* What a plan is made with. */
struct planner {
	struct tc_ctx *ctx;
	sqlite3 *db;
	const struct tc_fixes *fixes;
	const struct tc_advice *advice;
	const struct tc_replays *kept;
};

/* The index of a fix; the count: there is none of that id. */
static size_t fix_of(const struct tc_fixes *fixes, const char *id)
{
	size_t fix = 0;

	while (fix < fixes->count && strcmp(fixes->items[fix].id, id) != 0)
		fix++;
	return fix;
}

static bool changes(const struct tc_plan_of *of, size_t fix)
{
	const struct tc_clause_set *set = &of->fixes->items[fix].clauses;

	return tc_clause_set_meets(set, &of->replay->used) ||
	       (of->world && tc_fixes_have_ranks(of->fixes, set));
}

/* Whether a plan asks for the fix of a finding: what wins little alone may win much after
 * others. */
static bool is_worth(const struct tc_finding *finding, int64_t trace_id)
{
	return finding->trace_id == trace_id && finding->gain_ns > 0;
}

/* The fixes of what was found on a trace, in the order of the findings. */
static size_t find_fixes(size_t *found, const struct tc_plan_of *of, const struct tc_advice *advice,
	int64_t trace_id)
{
	size_t count = 0;

	for (size_t i = 0; i < advice->finding_count; i++) {
		const struct tc_finding *finding = &advice->findings[i];
		size_t fix = is_worth(finding, trace_id) ? fix_of(of->fixes, finding->heuristic->id)
							 : of->fixes->count;
		if (fix < of->fixes->count && changes(of, fix))
			found[count++] = fix;
	}
	return count;
}

static enum tc_status write_plan(
	const struct planner *planner, const struct tc_plan_of *of, int64_t trace_id)
{
	size_t *found = tc_calloc(of->fixes->count + 1, sizeof(*found));
	int64_t wall_ns = tc_replay_wall_ns(of->replay);
	struct tc_plan plan;

	if (!found)
		return tc_no_memory(planner->ctx);
	size_t count = find_fixes(found, of, planner->advice, trace_id);
	enum tc_status status =
		tc_plan_make(&plan, of, found, count, wall_ns / 100 * LEAST_PCT + 1);
	if (!status)
		status = tc_plan_write(&plan, of, planner->db, trace_id);
	tc_free(found);
	return status;
}

static enum tc_status replay_again(const struct planner *planner, int64_t trace_id)
{
	struct tc_loaded *loaded = NULL;
	struct tc_replay replay = {0};
	enum tc_status status = tc_loaded_new(&loaded, planner->ctx, planner->db, trace_id);

	if (!status)
		status = tc_replay_make(&replay, tc_loaded_timeline(loaded),
			planner->fixes->clauses, planner->fixes->clause_count);
	if (!status) {
		const struct tc_plan_of of = {
			.ctx = planner->ctx, .fixes = planner->fixes, .replay = &replay};
		status = write_plan(planner, &of, trace_id);
	}
	tc_replay_clear(&replay);
	tc_loaded_free(loaded);
	return status;
}

/* The job of the rank that it waits for most. Without ranks for other traces, and where one has no
 * replay. */
static enum tc_status find_world(
	struct tc_world *world, const struct planner *planner, int64_t trace_id)
{
	const struct tc_sql_value trace = tc_sql_int(trace_id);
	bool found = false;
	int64_t job_id = 0, count = 0;
	enum tc_status status = tc_sql_lookup(&job_id, &found, planner->ctx, planner->db,
		"SELECT job_id FROM job_rank WHERE trace_id = ?1 AND late_order = 1", &trace);

	*world = (struct tc_world){0};
	if (status || !found)
		return status;
	const struct tc_sql_value job = tc_sql_int(job_id);
	status = tc_sql_lookup(&count, &found, planner->ctx, planner->db,
		"SELECT count(*) FROM job_rank WHERE job_id = ?1", &job);
	if (!status)
		status = tc_world_find(world, planner->ctx, planner->db, planner->kept, job_id);
	if (!status && world->count != (size_t)count)
		world->count = 0;
	return status;
}

static enum tc_status plan_job(
	const struct planner *planner, struct tc_plan_of *of, int64_t trace_id)
{
	const struct tc_world *world = of->world;
	bool *is_late = tc_calloc(world->count, sizeof(*is_late));
	enum tc_status status = is_late ? TC_OK : tc_no_memory(planner->ctx);

	for (size_t i = 0; i < world->count && !status; i++) {
		const struct tc_sql_value trace = tc_sql_int(world->ranks[i].trace_id);
		int64_t order = 0;
		status = tc_sql_lookup(&order, &is_late[i], planner->ctx, planner->db,
			"SELECT late_order FROM job_rank WHERE trace_id = ?1", &trace);
		if (world->ranks[i].trace_id == trace_id)
			of->rank = i;
	}
	of->is_late = is_late;
	if (!status)
		status = write_plan(planner, of, trace_id);
	tc_free(is_late);
	return status;
}

static enum tc_status plan_kept(const struct planner *planner, const struct tc_replay *replay,
	const struct tc_whatif *alone, int64_t trace_id)
{
	struct tc_world world = {0};
	struct tc_plan_of of = {
		.ctx = planner->ctx, .fixes = planner->fixes, .replay = replay, .alone = alone};
	enum tc_status status = find_world(&world, planner, trace_id);

	of.world = world.count > 0 ? &world : NULL;
	if (!status)
		status = of.world ? plan_job(planner, &of, trace_id)
				  : write_plan(planner, &of, trace_id);
	tc_free(world.ranks);
	return status;
}

static enum tc_status plan_trace(
	const struct planner *planner, const struct tc_whatif *only, int64_t trace_id)
{
	const struct tc_replay *replay =
		only ? &only->replay : tc_replays_find(planner->kept, trace_id);

	return replay ? plan_kept(planner, replay, only, trace_id)
		      : replay_again(planner, trace_id);
}

/* Whether a plan can be made: something was found that is worth a step of it. */
static bool has_fixes(const struct planner *planner, int64_t trace_id)
{
	for (size_t i = 0; i < planner->advice->finding_count; i++) {
		const struct tc_finding *finding = &planner->advice->findings[i];
		if (is_worth(finding, trace_id) &&
			fix_of(planner->fixes, finding->heuristic->id) < planner->fixes->count)
			return true;
	}
	return false;
}

enum tc_status tc_plans_write(struct tc_ctx *ctx, sqlite3 *db, const struct tc_fixes *fixes,
	const struct tc_advice *advice, const struct tc_whatif *only, const struct tc_replays *kept)
{
	const struct planner planner = {ctx, db, fixes, advice, kept};
	enum tc_status status = TC_OK;
	int64_t last = -1;
	size_t made = 0;

	for (size_t i = 0; i < advice->finding_count && made < TC_PLANS_MAX && !status; i++) {
		int64_t trace_id = advice->findings[i].trace_id;
		if (trace_id == last)
			continue;
		last = trace_id;
		if (!has_fixes(&planner, trace_id))
			continue;
		made++;
		status = plan_trace(&planner, only, trace_id);
	}
	return status;
}

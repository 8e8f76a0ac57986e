/* See plans.h. */
#include "import/plans.h"

#include <string.h>

#include "core/alloc.h"
#include "replay/load.h"
#include "replay/plan.h"

#define LEAST_PCT 2 /* of the wall time: what wins less is no step of a plan */

/* What a plan is made with. */
struct planner {
	struct tc_ctx *ctx;
	sqlite3 *db;
	const struct tc_fixes *fixes;
	const struct tc_advice *advice;
};

static bool is_found(const struct tc_advice *advice, int64_t trace_id, const char *id)
{
	for (size_t i = 0; i < advice->finding_count; i++) {
		const struct tc_finding *finding = &advice->findings[i];
		if (finding->trace_id == trace_id && finding->gain_pct >= LEAST_PCT &&
			strcmp(finding->heuristic->id, id) == 0)
			return true;
	}
	return false;
}

static enum tc_status write_plan(
	const struct planner *planner, const struct tc_whatif *whatif, int64_t trace_id)
{
	size_t *found = tc_calloc(whatif->fixes->count + 1, sizeof(*found)), count = 0;
	int64_t wall_ns = whatif->replay.end_ns > whatif->replay.start_ns
				  ? whatif->replay.end_ns - whatif->replay.start_ns
				  : 0;
	struct tc_plan plan;

	if (!found)
		return tc_fail(planner->ctx, TC_ERR_NOMEM, "no memory for the plan");
	for (size_t i = 0; i < whatif->fixes->count; i++)
		if (whatif->columns[i] != SIZE_MAX &&
			is_found(planner->advice, trace_id, whatif->fixes->items[i].id))
			found[count++] = i;
	enum tc_status status = tc_plan_make(
		&plan, whatif, planner->ctx, found, count, wall_ns / 100 * LEAST_PCT + 1);
	if (!status)
		status = tc_plan_write(&plan, whatif, planner->ctx, planner->db, trace_id);
	tc_free(found);
	return status;
}

static enum tc_status replay_again(const struct planner *planner, int64_t trace_id)
{
	struct tc_loaded *loaded = NULL;
	struct tc_whatif whatif = {0};
	enum tc_status status = tc_loaded_new(&loaded, planner->ctx, planner->db, trace_id);

	if (!status)
		status = tc_whatif_run(&whatif, tc_loaded_timeline(loaded), planner->fixes);
	if (!status)
		status = write_plan(planner, &whatif, trace_id);
	tc_whatif_clear(&whatif);
	tc_loaded_free(loaded);
	return status;
}

/* Whether a plan can be made: something was found that is worth a step of it. */
static bool has_fixes(const struct planner *planner, int64_t trace_id)
{
	for (size_t i = 0; i < planner->fixes->count; i++)
		if (is_found(planner->advice, trace_id, planner->fixes->items[i].id))
			return true;
	return false;
}

enum tc_status tc_plans_write(struct tc_ctx *ctx, sqlite3 *db, const struct tc_fixes *fixes,
	const struct tc_advice *advice, const struct tc_whatif *kept)
{
	const struct planner planner = {ctx, db, fixes, advice};
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
		status = kept ? write_plan(&planner, kept, trace_id)
			      : replay_again(&planner, trace_id);
	}
	return status;
}

/*
 * The bridge's log tells that compiled recipes were thrown out of the disk cache to make room. One
 * row per recipe.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"side_log", NULL};
static const char *const reads[] = {"side_log", NULL};
static const struct tc_param params[] = {
	{"min_count", "count", 3, 1, 1000000,
		"evictions in the run from which they are told; own choice: one or two are an old "
		"cache being tidied"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH evicted AS (\n"
	"  SELECT coalesce(l.subject, 'unknown') AS recipe, count(*) AS times,\n"
	"    min(l.line) AS first_line, max(l.line) AS last_line\n"
	"  FROM side_log l\n"
	"  WHERE l.trace_id = :trace_id AND l.kind = 'recipe_eviction'\n"
	"  GROUP BY recipe)\n"
	"SELECT\n"
	"  'recipe ' || e.recipe AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  e.times AS count,\n"
	"  (SELECT sum(times) FROM evicted) AS run_count,\n"
	"  (SELECT count(*) FROM side_log o\n"
	"    WHERE o.trace_id = :trace_id AND o.kind = 'recipe_over_limit') AS over_limit_count,\n"
	"  e.first_line AS first_line,\n"
	"  e.last_line AS last_line\n"
	"FROM evicted e\n"
	"WHERE (SELECT sum(times) FROM evicted) >= :min_count\n"
	"ORDER BY count DESC, e.first_line, subject\n";

const struct tc_heuristic tc_h_recipe_cache_eviction = {
	.id = "recipe-cache-eviction",
	.title = "Compiled recipes are thrown out of the disk cache",
	.advice =
		"Give the cache more room (the size in PT_HPU_RECIPE_CACHE_CONFIG), or make fewer "
		"recipes: bucket the shapes and keep constants out of the graph.",
	.why = "A recipe that was thrown out is compiled again when its graph comes back, in this "
	       "run or the next, while the device waits.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi documentation (PT_HPU_RECIPE_CACHE_CONFIG); threshold: own.",
};

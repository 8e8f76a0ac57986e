/*
 * Graphs are looked up in the recipe cache and not found, after warm-up. A log tells the order of
 * the lookups, so its first part is left out; of a metrics file, what was counted between its first
 * and last dump. With one dump alone, the first miss of each recipe is taken for warm-up. One row
 * per file.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"recipe_cache", NULL};
static const char *const reads[] = {"side_log", "side_metric", "side_file", NULL};
static const struct tc_param params[] = {
	{"min_miss_pct", "pct", 10, 0, 100,
		"share of the lookups after warm-up that miss from which it is told; own choice"},
	{"warm_up_pct", "pct", 10, 0, 99,
		"first part of a log's lookups that counts as warm-up; own choice"},
	{"min_lookup_count", "count", 10, 1, 1000000000,
		"lookups after warm-up below which a share says nothing; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH lookup AS (\n"
	"  SELECT l.source, l.kind = 'recipe_miss' AS is_miss,\n"
	"    row_number() OVER (PARTITION BY l.source ORDER BY l.line) AS place,\n"
	"    count(*) OVER (PARTITION BY l.source) AS total\n"
	"  FROM side_log l\n"
	"  WHERE l.trace_id = :trace_id AND l.kind IN ('recipe_hit', 'recipe_miss')),\n"
	"dump AS (\n"
	"  SELECT m.source, m.ord,\n"
	"    sum(CASE WHEN m.name = 'TotalMiss' THEN m.value END) AS misses,\n"
	"    sum(CASE WHEN m.name = 'TotalHit' THEN m.value END) AS hits,\n"
	"    sum(m.name = 'RecipeMiss' AND m.item IS NOT NULL) AS recipes\n"
	"  FROM side_metric m\n"
	"  WHERE m.trace_id = :trace_id AND m.metric = 'recipe_cache'\n"
	"  GROUP BY m.source, m.ord\n"
	"  HAVING misses IS NOT NULL AND hits IS NOT NULL),\n"
	"span AS (\n"
	"  SELECT d.source, min(d.ord) AS first, max(d.ord) AS last FROM dump d GROUP BY "
	"d.source),\n"
	"counted AS (\n"
	"  SELECT k.source, 'log' AS told_by, 'measured' AS confidence, sum(k.is_miss) AS misses,\n"
	"    count(*) AS lookups\n"
	"  FROM lookup k\n"
	"  WHERE k.place * 100.0 > k.total * :warm_up_pct\n"
	"  GROUP BY k.source\n"
	"  UNION ALL\n"
	"  SELECT s.source, 'dumps', 'measured', e.misses - b.misses,\n"
	"    e.misses - b.misses + e.hits - b.hits\n"
	"  FROM span s\n"
	"  JOIN dump b ON b.source = s.source AND b.ord = s.first\n"
	"  JOIN dump e ON e.source = s.source AND e.ord = s.last\n"
	"  WHERE s.first < s.last\n"
	"  UNION ALL\n"
	"  SELECT s.source, 'one dump', 'inferred', e.misses - e.recipes,\n"
	"    e.misses - e.recipes + e.hits\n"
	"  FROM span s\n"
	"  JOIN dump e ON e.source = s.source AND e.ord = s.last\n"
	"  WHERE s.first = s.last AND (e.recipes > 0 OR e.misses = 0))\n"
	"SELECT\n"
	"  f.path AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  c.confidence AS confidence,\n"
	"  CAST(c.misses AS INTEGER) AS count,\n"
	"  CAST(c.lookups AS INTEGER) AS lookup_count,\n"
	"  c.misses * 100.0 / c.lookups AS miss_pct,\n"
	"  c.told_by AS told_by\n"
	"FROM counted c\n"
	"JOIN side_file f ON f.id = c.source\n"
	"WHERE c.lookups >= :min_lookup_count AND c.misses > 0\n"
	"  AND c.misses * 100.0 >= :min_miss_pct * c.lookups\n"
	"ORDER BY miss_pct DESC, subject\n";

const struct tc_heuristic tc_h_recipe_cache_miss = {
	.id = "recipe-cache-miss",
	.title = "Graphs miss the recipe cache after warm-up",
	.advice =
		"Bucket or pad the shapes so that graphs repeat, run every bucket once in warm-up, "
		"and keep the cache from run to run with PT_HPU_RECIPE_CACHE_CONFIG.",
	.why = "Each miss is a graph that must be compiled before the device can run it.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi documentation (recipe cache metrics, dynamic shapes, bucketing); "
		  "thresholds: own.",
};

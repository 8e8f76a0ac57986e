/*
 * Operations whose result size depends on values: the host must wait for the size, and on Gaudi
 * each new size is a new graph. One row per operation.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const part_of[] = {"recompilation", NULL};
static const char *const reads[] = {
	"host_total", "steady", "compile", "compile_op", "slice_row", "label", NULL};
static const struct tc_param params[] = {
	{"min_per_step_ratio", "ratio", 1, 0, 1000000,
		"such operations per step from which they are told; own choice"},
	{"min_exposed_pct", "pct", 1, 0, 100,
		"their time with no device at work, as share of the wall time, from which it is "
		"told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH dynamic AS (\n"
	"  SELECT name, sum(count) AS calls, sum(dur_ns) AS dur_ns, max(exposed_ns) AS exposed_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id\n"
	"    AND name IN ('aten::nonzero', 'aten::unique', 'aten::_unique', 'aten::_unique2',\n"
	"      'aten::unique_consecutive', 'aten::unique_dim', 'aten::masked_select', "
	"'aten::argwhere',\n"
	"      'aten::repeat_interleave', 'nonzero_hpu_lazy', 'masked_select_hpu_lazy',\n"
	"      'unique2_hpu_lazy', '_unique_hpu_lazy')\n"
	"  GROUP BY name)\n"
	"SELECT\n"
	"  d.name AS subject,\n"
	"  d.exposed_ns AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  d.calls AS count,\n"
	"  CASE WHEN w.step_count > 0 THEN d.calls * 1.0 / w.step_count END AS per_step_ratio,\n"
	"  d.dur_ns AS host_ns,\n"
	"  d.dur_ns / d.calls AS mean_ns,\n"
	"  (SELECT count(*) FROM compile c WHERE c.trace_id = :trace_id AND c.changed = 'shapes'\n"
	"    AND NOT c.is_warm_up AND EXISTS (SELECT 1 FROM compile_op o\n"
	"      JOIN slice_row s ON s.id = o.slice_id JOIN label l ON l.id = s.label_id\n"
	"      WHERE o.compile_id = c.id AND l.name = d.name)) AS recompile_count\n"
	"FROM dynamic d\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT sum(calls) FROM dynamic) >= :min_per_step_ratio * w.step_count\n"
	"  AND (SELECT sum(exposed_ns) FROM dynamic) * 100.0 >= :min_exposed_pct * w.wall_ns\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_dynamic_shapes = {
	.id = "dynamic-shapes",
	.title = "Operations with data-dependent shapes run in every step",
	.advice = "Replace them by operations of fixed size (torch.where with three arguments, "
		  "masks instead of selected rows, padded buffers), or move them to the data "
		  "loader.",
	.why = "The size of the result must be read back before anything that uses it can be "
	       "launched{new_graph}.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi documentation on dynamic shapes (operations to avoid); thresholds: "
		  "own.",
};

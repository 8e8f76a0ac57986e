/*
 * Copies of the size of a weight, without a change of type, that the operation which uses such a
 * weight follows. One row per size.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", "steps", "shapes", "launches", NULL};
static const char *const part_of[] = {"dma-exposed", NULL};
static const char *const reads[] = {"framework_op", "busiest_device", "steady", "step", NULL};
static const struct tc_param params[] = {
	{"min_busy_pct", "pct", 1, 0, 100,
		"device time of such copies under no other work, as share of the busy time, "
		"from which they are told; own choice"},
	{"min_per_step_ratio", "ratio", 1, 0, 1000000,
		"such copies of one size per step from which they are told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH used AS (\n"
	"  SELECT f.kind, f.step_id, f.input_dims, f.input_types, f.exclusive_ns, f.device_ns,\n"
	"    f.input_copy_count, lead(f.kind) OVER sequence AS next_kind,\n"
	"    lead(f.input_dims) OVER sequence AS next_dims\n"
	"  FROM framework_op f\n"
	"  WHERE f.trace_id = :trace_id\n"
	"    AND (f.kind IN ('copy', 'convolution') OR f.kind = 'matmul' AND f.name = "
	"'aten::linear')\n"
	"  WINDOW sequence AS (PARTITION BY f.thread_id ORDER BY f.ts, f.id)),\n"
	"copied AS (\n"
	"  SELECT u.input_dims -> '$[0]' AS size, u.exclusive_ns, u.device_ns, u.input_copy_count, "
	"u.step_id\n"
	"  FROM used u\n"
	"  JOIN step s ON s.id = u.step_id AND NOT s.is_warm_up\n"
	"  WHERE u.kind = 'copy' AND u.next_kind IN ('matmul', 'convolution')\n"
	"    AND (u.input_dims -> '$[0]') = (u.next_dims -> '$[1]')\n"
	"    AND (u.input_dims -> '$[0]') = (u.input_dims -> '$[1]')\n"
	"    AND json_array_length(u.input_dims, '$[0]') > 1\n"
	"    AND (u.input_types ->> '$[0]') = (u.input_types ->> '$[1]')),\n"
	"weight AS (\n"
	"  SELECT c.size, count(*) AS copies, count(DISTINCT c.step_id) AS steps,\n"
	"    sum(c.exclusive_ns) AS exclusive_ns, sum(c.device_ns) AS device_ns,\n"
	"    sum(c.input_copy_count > 0) AS from_host_count\n"
	"  FROM copied c\n"
	"  GROUP BY c.size)\n"
	"SELECT\n"
	"  'weight of ' || x.size AS subject,\n"
	"  x.exclusive_ns AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  x.copies AS count,\n"
	"  x.copies * 1.0 / w.step_count AS per_step_ratio,\n"
	"  x.device_ns AS copy_ns,\n"
	"  x.from_host_count AS from_host_count\n"
	"FROM weight x\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"JOIN busiest_device d ON d.trace_id = :trace_id\n"
	"WHERE w.step_count > 0 AND x.copies >= :min_per_step_ratio * w.step_count\n"
	"  AND coalesce((SELECT sum(exclusive_ns) FROM weight) * 100.0 >= :min_busy_pct * "
	"d.busy_ns,\n"
	"    1)\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_weight_copies = {
	.id = "weight-copies",
	.title = "Weights are copied on the device right before they are used",
	.advice = "Share or tie weights inside the module, before it is moved to the device, "
		  "and keep parameters contiguous and in their final place.",
	.why = "A weight that lives elsewhere, or in another layout, is copied again for "
	       "every use, in every step.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COPY,
	.combine = TC_COMBINE_SUM,
	.part_of = part_of,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (weight sharing inside the module); "
		  "thresholds: own.",
};

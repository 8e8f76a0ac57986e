/*
 * Debugging aids that are left on. One row per aid.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"host_total", "steady", NULL};
static const struct tc_param params[] = {
	{"min_check_per_step_ratio", "ratio", 10, 1, 1000000,
		"checks for NaN or infinity per step from which they are told; own choice: one or "
		"two are a loss check"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH aid AS (\n"
	"  SELECT h.name, sum(h.count) AS calls, sum(h.dur_ns) AS dur_ns, max(h.exposed_ns) AS "
	"exposed_ns,\n"
	"    h.name IN ('aten::isnan', 'aten::isinf', 'aten::isfinite') AS is_check\n"
	"  FROM host_total h\n"
	"  WHERE h.trace_id = :trace_id\n"
	"    AND (h.name IN ('aten::isnan', 'aten::isinf', 'aten::isfinite')\n"
	"      OR h.name LIKE '%anomaly_mode.py%' OR h.name LIKE '%autograd/gradcheck.py%'\n"
	"      OR h.name LIKE '%emit_nvtx%')\n"
	"  GROUP BY h.name)\n"
	"SELECT\n"
	"  a.name AS subject,\n"
	"  a.exposed_ns AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  a.calls AS count,\n"
	"  a.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio,\n"
	"  a.dur_ns AS host_ns\n"
	"FROM aid a\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE NOT a.is_check OR a.calls >= :min_check_per_step_ratio * max(w.step_count, 1)\n"
	"ORDER BY gain_ns DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_debug_apis = {
	.id = "debug-apis",
	.title = "Debugging aids are switched on",
	.advice = "Switch off detect_anomaly, gradcheck, emit_nvtx and per-operation checks for "
		  "NaN in normal runs.",
	.why = "They check every operation and often read its result back.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (disable debugging APIs); threshold: own.",
};

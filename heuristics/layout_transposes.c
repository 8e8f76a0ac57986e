/*
 * Kernels that only change the layout of tensors. The gain is the time in which they alone keep the
 * device busy, and the overlap of MME and TPC that they break, as far as the host keeps ahead; where
 * it does not, the host's time for issuing them, as far as the device is idle. One row per kernel.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", NULL};
static const char *const reads[] = {"busiest_device", "op_total", "metric", "host_slack", NULL};
static const struct tc_param params[] = {
	{"min_transpose_pct", "pct", 5, 0, 100,
		"time in layout changes, as share of the busy time, from which it is told; own "
		"choice"},
	{"reachable_pct", "pct", 60, 0, 100,
		"overlap of MME and TPC, as share of the shorter of them, that can be reached "
		"without layout changes between the two; the middle of what public outputs of "
		"habana_perf_tool show"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH layout AS (\n"
	"  SELECT o.name, o.engine, sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns,\n"
	"    sum(o.exclusive_ns) AS exclusive_ns, d.busy_ns\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  WHERE d.trace_id = :trace_id\n"
	"    AND (o.name LIKE 'transpose%' OR o.name LIKE 'DmaTranspose%'\n"
	"      OR o.name LIKE 'batched!_transpose%' ESCAPE '!' OR o.name LIKE '%nchwToNhwc%'\n"
	"      OR o.name LIKE '%nhwcToNchw%' OR o.name LIKE 'permute%')\n"
	"  GROUP BY o.name, o.engine, d.busy_ns),\n"
	"run AS (\n"
	"  SELECT max(CASE WHEN m.name = 'mme_busy_ns' THEN m.value END) AS mme_ns,\n"
	"    max(CASE WHEN m.name = 'tpc_busy_ns' THEN m.value END) AS tpc_ns,\n"
	"    max(CASE WHEN m.name = 'mme_tpc_overlap_ns' THEN m.value END) AS overlap_ns,\n"
	"    max(CASE WHEN m.name = 'device_wait_ns' THEN m.value END) AS wait_ns,\n"
	"    max(CASE WHEN m.name = 'launched_op_count' THEN m.value END) AS launched_ops\n"
	"  FROM busiest_device d\n"
	"  JOIN metric m ON m.trace_id = d.trace_id AND m.device = d.device AND m.step IS NULL\n"
	"  WHERE d.trace_id = :trace_id),\n"
	"host AS (\n"
	"  SELECT coalesce(sum(m.value), 0) AS issue_ns FROM metric m\n"
	"  WHERE m.trace_id = :trace_id AND m.device IS NULL AND m.step IS NULL\n"
	"    AND m.name IN ('host_dispatch_own_ns', 'host_launch_own_ns')),\n"
	"total AS (\n"
	"  SELECT sum(l.exclusive_ns) AS exclusive_ns,\n"
	"    min(sum(l.exclusive_ns * (l.engine = 'tpc')),\n"
	"      max(coalesce(min(r.mme_ns, r.tpc_ns - sum(l.exclusive_ns * (l.engine = 'tpc')))\n"
	"        * :reachable_pct / 100.0 - r.overlap_ns, 0), 0)) AS overlap_ns,\n"
	"    min(coalesce(h.issue_ns * 1.0 * sum(l.ops * (l.engine = 'compute')) / "
	"r.launched_ops, 0),\n"
	"      coalesce(r.wait_ns, 0)) AS host_ns\n"
	"  FROM layout l JOIN run r JOIN host h),\n"
	"won AS (\n"
	"  SELECT t.*, max(t.host_ns, min(t.exclusive_ns + t.overlap_ns,\n"
	"    coalesce(s.wait_ns + min(s.tail_ns,\n"
	"      (t.exclusive_ns + t.overlap_ns) * 1.0 * s.tail_step_count / s.step_count),\n"
	"      t.exclusive_ns + t.overlap_ns))) AS gain_ns\n"
	"  FROM total t LEFT JOIN host_slack s ON s.trace_id = :trace_id)\n"
	"SELECT\n"
	"  l.name AS subject,\n"
	"  CAST(t.gain_ns * 1.0 * l.exclusive_ns / t.exclusive_ns AS INTEGER) AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  l.ops AS count,\n"
	"  l.exclusive_ns AS exclusive_ns,\n"
	"  l.exclusive_ns * 100.0 / l.busy_ns AS busy_pct,\n"
	"  l.dur_ns / l.ops AS mean_ns,\n"
	"  l.engine AS engine,\n"
	"  CAST(t.overlap_ns AS INTEGER) AS lost_overlap_ns,\n"
	"  CAST(t.host_ns AS INTEGER) AS late_host_ns,\n"
	"  CAST(iif(t.gain_ns > t.host_ns, t.gain_ns, 0) * 1.0 * l.exclusive_ns / t.exclusive_ns\n"
	"    AS INTEGER) AS work_ns\n"
	"FROM layout l\n"
	"JOIN won t\n"
	"WHERE t.exclusive_ns * 100.0 >= :min_transpose_pct * l.busy_ns\n"
	"  AND l.exclusive_ns > 0\n"
	"ORDER BY gain_ns DESC, subject, engine\n";

const struct tc_heuristic tc_h_layout_transposes = {
	.id = "layout-transposes",
	.title = "The device spends its time changing tensor layouts",
	.advice = "Keep one layout through the model: channels_last for convolutions, and no "
		  "permute() or contiguous() calls between operations that could take either.",
	.why = "A transpose moves every byte and computes nothing.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMPUTE | TC_BUCKET_IDLE,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (channels_last); habana_perf_tool (overlap); "
		  "threshold: own.",
};

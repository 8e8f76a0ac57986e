/*
 * torch.nn.DataParallel: one process drives several devices.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", NULL};
static const char *const reads[] = {"host_total", "metric", NULL};
static const struct tc_param params[] = {
	{"min_device_count", "count", 2, 1, 100000, "devices with work from which it is told"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH frame AS (\n"
	"  SELECT name, sum(count) AS calls, sum(dur_ns) AS dur_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id\n"
	"    AND (name = 'DataParallel.forward' OR name LIKE "
	"'%torch/nn/parallel/data!_parallel.py(%' ESCAPE '!'\n"
	"      OR name LIKE 'nn.Module: DataParallel!_%' ESCAPE '!')\n"
	"  GROUP BY name)\n"
	"SELECT\n"
	"  f.name AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  f.calls AS count,\n"
	"  m.value AS device_count,\n"
	"  f.dur_ns AS host_ns\n"
	"FROM frame f\n"
	"JOIN metric m ON m.trace_id = :trace_id AND m.name = 'device_count' AND m.device IS NULL\n"
	"  AND m.step IS NULL\n"
	"WHERE m.value >= :min_device_count\n"
	"ORDER BY host_ns DESC, subject\n";

const struct tc_heuristic tc_h_data_parallel_module = {
	.id = "data-parallel-module",
	.title = "One process drives all devices (DataParallel)",
	.advice = "Use DistributedDataParallel with one process per device.",
	.why = "DataParallel copies the model to every device in every step, and one Python "
	       "process feeds them all.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (efficient data-parallel backend); "
		  "torch_tb_profiler.",
};

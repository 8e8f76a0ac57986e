/*
 * Copies run while no engine computes. Copies from pageable memory are told by input-copy-
 * blocking, and copies between host and device that come of the host's waits by whatever tells
 * those. One row per copy operation.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"device", NULL};
static const char *const reads[] = {"busiest_device", "op_total", "host_block", NULL};
static const struct tc_param params[] = {
	{"min_copy_pct", "pct", 15, 0, 100,
		"copy time under no other work, as share of the busy time, from which it is told; "
		"own choice: public outputs of habana_perf_tool show 9 to 13 %"},
	{"usual_dma_pct", "pct", 9, 0, 100,
		"such time on a Gaudi that graphs always need, as share of the busy time: no gain; "
		"the least that public outputs show"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH copy AS (\n"
	"  SELECT o.name, o.engine, d.busy_ns, sum(o.exclusive_ns) AS exclusive_ns,\n"
	"    sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns\n"
	"  FROM busiest_device d\n"
	"  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device\n"
	"  WHERE d.trace_id = :trace_id AND o.engine IN ('dma', 'copy')\n"
	"    AND coalesce(o.name, '') NOT LIKE '%HtoD%Pageable%'\n"
	"  GROUP BY o.name, o.engine, d.busy_ns),\n"
	"held AS (\n"
	"  SELECT coalesce(sum(b.transfer_ns + b.after_transfer_ns), 0) AS held_ns FROM host_block "
	"b\n"
	"  WHERE b.trace_id = :trace_id AND b.kind <> 'dataloader'),\n"
	"total AS (\n"
	"  SELECT max(sum(exclusive_ns) - h.held_ns, 0) AS own_ns, sum(exclusive_ns) AS "
	"exclusive_ns\n"
	"  FROM copy JOIN held h)\n"
	"SELECT\n"
	"  coalesce(c.name, '(no name)') AS subject,\n"
	"  CAST(c.exclusive_ns * ((t.own_ns - CASE WHEN c.engine = 'dma'\n"
	"      THEN :usual_dma_pct * c.busy_ns / 100.0 ELSE 0 END) * 1.0 / t.exclusive_ns) AS "
	"INTEGER) "
	"AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  c.ops AS count,\n"
	"  c.exclusive_ns * 100.0 / c.busy_ns AS busy_pct,\n"
	"  c.dur_ns AS copy_ns,\n"
	"  c.dur_ns / c.ops AS mean_ns,\n"
	"  t.exclusive_ns AS all_exposed_ns,\n"
	"  t.exclusive_ns - t.own_ns AS put_down_to_waits_ns\n"
	"FROM copy c\n"
	"JOIN total t\n"
	"WHERE t.own_ns * 100.0 >= :min_copy_pct * c.busy_ns AND c.exclusive_ns > 0\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_dma_exposed = {
	.id = "dma-exposed",
	.title = "Copies keep the device from computing",
	.advice = "Copy ahead of use (prefetch the next batch on another stream), and avoid what "
		  "makes copies: layout changes, views that must be made contiguous, "
		  "concatenations.",
	.why = "Copy engines can work beside the compute engines; here they do not.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COPIES,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (views and layout); habana_perf_tool (DMA "
		  "outside of MME and TPC); threshold: own.",
};

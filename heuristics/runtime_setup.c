/*
 * The device waits while the runtime starts up, loads code, or allocates and frees memory. At the
 * start of a program that is no part of the steady run; later it is an allocator that does not
 * find what it needs. The time is that of such calls with no device at work, warm-up steps apart,
 * and launches of single kernels that take far longer than a launch: those load the code first.
 * One row per call.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "device", "idle", NULL};
static const char *const reads[] = {
	"host_total", "metric", "step", "steady_gap", "slice_row", "label", "steady", NULL};
static const struct tc_param params[] = {
	{"min_cost_pct", "pct", 5, 0, 100,
		"time of such calls with no device at work, as share of the wall time, from which "
		"it is told; own choice, as for the data loader"},
	{"min_load_ns", "ns", 1000000, 1000, 1000000000000,
		"length from which the launch of a kernel that an idle device waits for is taken "
		"to load its code; own choice: launches take 3 to 10 us"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH call AS (\n"
	"  SELECT name, sum(count) AS calls, CAST(total(dur_ns) AS INTEGER) AS dur_ns,\n"
	"    CAST(total(exposed_ns) AS INTEGER) AS exposed_ns\n"
	"  FROM host_total\n"
	"  WHERE trace_id = :trace_id AND role = 'setup' AND is_launching AND exposed_ns > 0\n"
	"  GROUP BY name),\n"
	"setup AS (\n"
	"  SELECT sum(iif(m.step IS NULL, m.value, -m.value)) AS exposed_ns\n"
	"  FROM metric m\n"
	"  WHERE m.trace_id = :trace_id AND m.device IS NULL AND m.name = "
	"'host_setup_exposed_ns'\n"
	"    AND (m.step IS NULL OR m.step IN (SELECT number FROM step\n"
	"      WHERE trace_id = :trace_id AND is_warm_up))),\n"
	"part AS (\n"
	"  SELECT c.name AS subject, c.calls, c.dur_ns, NULL AS longest_ns,\n"
	"    CAST(c.exposed_ns * 1.0 * s.exposed_ns / (SELECT sum(exposed_ns) FROM call)\n"
	"      AS INTEGER) AS gain_ns\n"
	"  FROM call c JOIN setup s\n"
	"  UNION ALL\n"
	"  SELECT l.name || ', loading code', count(DISTINCT s.id), CAST(total(s.dur) AS "
	"INTEGER),\n"
	"    max(s.dur), CAST(total(min(g.dur, s.dur)) AS INTEGER)\n"
	"  FROM steady_gap g\n"
	"  JOIN slice_row s ON s.id = g.host_slice_id\n"
	"  JOIN label l ON l.id = s.label_id\n"
	"  WHERE g.trace_id = :trace_id AND g.cause = 'launch' AND g.count = 1\n"
	"    AND s.dur >= :min_load_ns AND l.name LIKE '%kernel%'\n"
	"  GROUP BY l.name)\n"
	"SELECT\n"
	"  p.subject AS subject,\n"
	"  p.gain_ns AS gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  p.calls AS count,\n"
	"  p.dur_ns AS setup_ns,\n"
	"  p.longest_ns AS longest_ns\n"
	"FROM part p\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE (SELECT sum(gain_ns) FROM part) * 100.0 >= :min_cost_pct * w.wall_ns\n"
	"  AND p.gain_ns > 0\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_runtime_setup = {
	.id = "runtime-setup",
	.title = "The device waits while the runtime starts up or allocates memory",
	.advice = "What happens once, at the start, is no part of the steady run: run some "
		  "iterations before recording. Where memory is allocated and freed again and "
		  "again, let sizes repeat, leave the allocator room{allocator}, and drop "
		  "empty_cache() from the loop.",
	.why = "Such a call holds the host up for milliseconds, and freeing waits for all work of "
	       "the device besides.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_HOST | TC_BUCKET_HELD,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch CUDA semantics (caching allocator, expandable segments; lazy loading "
		  "of kernels); thresholds: own.",
};

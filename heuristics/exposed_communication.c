/*
 * Collectives run while nothing computes. Where all ranks are in the store, the time before the
 * last one came is told apart: it is that rank's (rank-straggler), and overlap does not win it. The last one of a step cannot hide: it reduces what the
 * last backward work made. So the gain is the exposed time less one collective per step. One row
 * per collective.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"communication", "device", NULL};
static const char *const reads[] = {
	"metric", "op_total", "track", "steady", "collective", "slice_row", "label", NULL};
static const struct tc_param params[] = {
	{"min_exposed_pct", "pct", 10, 0, 100,
		"collective time under no compute, less the waits for a late rank where they are "
		"known, as share of the wall time, from which it is told; 10 % is where "
		"torch_tb_profiler speaks up"},
	{"min_piece_count", "count", 4, 1, 1000000,
		"collectives per step that overlap can work with; a step with fewer could be cut "
		"into as many, so that the last one is shorter; own choice: 100 MB of gradients in "
		"buckets of 25 MB"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH exposed AS (\n"
	"  SELECT m.device, m.value AS exposed_ns, s.wait_ns,\n"
	"    max(m.value - coalesce(s.wait_ns, 0), 0) AS transfer_ns\n"
	"  FROM metric m\n"
	"  LEFT JOIN (SELECT c.device, sum(c.exposed_wait_ns) AS wait_ns FROM collective c\n"
	"    WHERE c.trace_id = :trace_id AND c.match_id IS NOT NULL GROUP BY c.device) s\n"
	"    ON s.device = m.device\n"
	"  WHERE m.trace_id = :trace_id AND m.name = 'exposed_communication_ns'\n"
	"    AND m.device IS NOT NULL AND m.step IS NULL\n"
	"  ORDER BY m.value DESC, m.device LIMIT 1),\n"
	"piece AS MATERIALIZED (\n"
	"  SELECT e.transfer_ns - max(b.value - coalesce(e.wait_ns, 0), 0) * 1.0 / "
	"max(:min_piece_count, (\n"
	"      SELECT coalesce(sum(o.count), 0) FROM op_total o\n"
	"      WHERE o.trace_id = :trace_id AND o.device = e.device\n"
	"        AND o.engine IN ('communication', 'nic'))\n"
	"      * 1.0 / max((SELECT count(DISTINCT t.lane) FROM track t WHERE t.trace_id = "
	":trace_id\n"
	"        AND t.device = e.device AND t.engine = 'nic'), 1) / max(coalesce(n.value, 1), 1)) "
	"AS "
	"hideable_ns\n"
	"  FROM exposed e\n"
	"  JOIN metric b ON b.trace_id = :trace_id AND b.name = 'communication_busy_ns'\n"
	"    AND b.device = e.device AND b.step IS NULL\n"
	"  LEFT JOIN metric n ON n.trace_id = :trace_id AND n.name = 'step_count'),\n"
	"waited AS (\n"
	"  SELECT l.name, sum(iif(c.lane IS NULL, c.exposed_wait_ns, c.wait_ns)) AS wait_ns\n"
	"  FROM collective c JOIN exposed e ON e.device = c.device\n"
	"  JOIN slice_row s ON s.id = c.slice_id JOIN label l ON l.id = s.label_id\n"
	"  WHERE c.trace_id = :trace_id GROUP BY l.name),\n"
	"op AS (\n"
	"  SELECT o.name, sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns,\n"
	"    max(CASE o.engine WHEN 'nic' THEN sum(o.dur_ns) ELSE sum(o.exclusive_ns) END\n"
	"      - coalesce(max(w.wait_ns), 0), 0) AS part_ns,\n"
	"    max(o.max_ns) AS longest_ns\n"
	"  FROM exposed e\n"
	"  JOIN op_total o ON o.trace_id = :trace_id AND o.device = e.device\n"
	"    AND o.engine IN ('communication', 'nic')\n"
	"  LEFT JOIN waited w ON w.name IS o.name\n"
	"  GROUP BY o.name, o.engine)\n"
	"SELECT\n"
	"  coalesce(o.name, '(no name)') AS subject,\n"
	"  CAST(p.hideable_ns * o.part_ns / (SELECT sum(part_ns) FROM op) AS INTEGER) AS "
	"gain_ns,\n"
	"  'measured' AS confidence,\n"
	"  o.ops AS count,\n"
	"  e.exposed_ns AS exposed_ns,\n"
	"  e.exposed_ns * 100.0 / w.wall_ns AS exposed_pct,\n"
	"  e.wait_ns AS late_rank_wait_ns,\n"
	"  iif(e.wait_ns IS NULL, NULL, e.transfer_ns) AS transfer_ns,\n"
	"  iif(e.wait_ns IS NULL, 'not all ranks are here', NULL) AS unsplit,\n"
	"  o.dur_ns AS collective_ns,\n"
	"  o.dur_ns / o.ops AS mean_ns,\n"
	"  o.longest_ns AS longest_ns,\n"
	"  e.device AS device\n"
	"FROM op o\n"
	"JOIN exposed e\n"
	"JOIN piece p\n"
	"JOIN steady w ON w.trace_id = :trace_id\n"
	"WHERE e.transfer_ns * 100.0 >= :min_exposed_pct * w.wall_ns\n"
	"  AND o.part_ns > 0 AND p.hideable_ns > 0\n"
	"ORDER BY gain_ns DESC, subject\n";

const struct tc_heuristic tc_h_exposed_communication = {
	.id = "exposed-communication",
	.title = "Collectives are not hidden under compute",
	.advice =
		"{hide_collectives}, and check the links between the ranks. Waits in sends and "
		"receives are a pipeline's bubbles: use more micro-batches, or balance its stages.",
	.why = "Every rank waits for the network while its device could compute.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_COMMUNICATION,
	.combine = TC_COMBINE_SUM,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "Intel Gaudi model optimization (bucket size); PyTorch performance tuning guide; "
		  "threshold: torch_tb_profiler.",
};

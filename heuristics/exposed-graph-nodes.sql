-- The node analysis of the Gaudi profiler lists graph nodes that ran alone. One row per operation
-- and unit.
--
-- id: exposed-graph-nodes
-- order: 320
-- title: TPC and copy nodes of graphs run outside of matrix work
-- do: Fuse elementwise chains. Avoid transposes and casts between matrix operations, and make
--    graphs larger, so that the compiler can run TPC nodes alongside the MME.
-- why: In a graph the TPCs and the copy engines can work while the MME does. A node that runs alone
--    adds its whole time to the graph.
-- needs: node_stats
-- param: min_exposed_pct pct 30 0 100 TPC and DMA time outside of other work, as a share of all
--    active time of the nodes; reported at or above this; our default, no published source
-- says: engine = "% nodes"
-- says: alone_ns = "alone for %"
-- says: alone_pct = "(% of that and the MME time)"
-- says: engine_count = "on # engines"
-- says: example = "such as %"
-- source: Intel Gaudi model optimization (engine overlap, fused operations); the node analysis of
--    the Gaudi profiler; threshold: our default.
WITH node AS (
  SELECT n.unit, coalesce(n.op_type, n.node) AS operation, n.node, n.active_ns,
    coalesce(n.tpc_exposed_ns, 0) + coalesce(n.dma_exposed_ns, 0) AS exposed_ns,
    h.engines
  FROM node_stat n
  LEFT JOIN (SELECT o.name, count(DISTINCT o.engine) AS engines FROM hw_op o
    WHERE o.trace_id = :trace_id GROUP BY o.name) h ON h.name = n.node
  WHERE n.trace_id = :trace_id),
total AS (
  SELECT sum(exposed_ns) + sum(iif(unit = 'MME', coalesce(active_ns, 0), 0)) AS all_ns,
    sum(exposed_ns) AS exposed_ns
  FROM node)
SELECT
  n.operation AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  count(*) AS count,
  n.unit AS engine,
  sum(n.exposed_ns) AS alone_ns,
  sum(n.exposed_ns) * 100.0 / t.all_ns AS alone_pct,
  nullif(max(n.engines), 0) AS engine_count,
  min(n.node) AS example
FROM node n
JOIN total t
WHERE n.exposed_ns > 0 AND t.exposed_ns * 100.0 >= :min_exposed_pct * t.all_ns
GROUP BY n.operation, n.unit
ORDER BY alone_ns DESC, count DESC, subject

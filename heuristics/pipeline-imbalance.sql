-- Ranks that send to each other are stages of a pipeline, and some compute longer than the others. Each micro-batch passes all
-- stages, so the pipeline runs at the pace of the longest one. Reported on the ranks that compute longest. One row per rank.
--
-- id: pipeline-imbalance
-- order: 535
-- title: One stage of the pipeline computes longer than the others
-- do: Move layers from this stage to the others. The embedding and the head count as layers: give the first and the last stage
--    fewer of the others (Megatron-LM: --decoder-first-pipeline-num-layers, --decoder-last-pipeline-num-layers), or interleave
--    stages, which makes the pieces smaller.
-- why: While the longest stage works on a micro-batch the others wait, once for each micro-batch.
-- needs: ranks, communication
-- param: min_over_pct pct 10 0 1000 how much longer the stage computes than the mean of all; our default, no published source
-- param: alike_pct pct 2 0 100 ranks whose compute differs by less are of one stage, or as long; our default
-- param: min_wall_pct pct 2 0 100 what it computes beyond the mean, as a share of the steady run; our default
-- says: compute_ns = "computes for % a step"
-- says: mean_ns = "+where the mean of all ranks is %"
-- says: over_ns = "% longer than if all stages were equal"
-- says: over_pct = "(%)"
-- says: least_ns = "the shortest stage %"
-- says: rank_count = "# ranks send to each other"
-- source: Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters (2021); thresholds: our defaults.
WITH own AS MATERIALIZED (
  SELECT r.job_id, s.wall_ns / max(s.device_step_count, 1) AS wall_ns
  FROM job_rank r
  JOIN steady s ON s.trace_id = r.trace_id
  WHERE r.trace_id = :trace_id AND EXISTS (SELECT 1 FROM collective c
    WHERE c.trace_id = :trace_id AND lower(c.name) IN ('send', 'recv'))),
stage AS (
  SELECT t.trace_id, r.rank, t.ns
  FROM own o
  JOIN rank_time t ON t.job_id = o.job_id AND t.part = 'compute'
  JOIN job_rank r ON r.trace_id = t.trace_id
  WHERE EXISTS (SELECT 1 FROM collective c
    WHERE c.trace_id = t.trace_id AND lower(c.name) IN ('send', 'recv'))),
mean AS (
  SELECT count(*) AS ranks, avg(ns) AS ns, max(ns) AS longest, min(ns) AS least FROM stage)
SELECT
  'rank ' || s.rank AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  NULL AS count,
  s.ns AS compute_ns,
  CAST(m.ns AS INTEGER) AS mean_ns,
  CAST(s.ns - m.ns AS INTEGER) AS over_ns,
  100 * (s.ns - m.ns) / m.ns AS over_pct,
  m.ranks AS rank_count,
  m.least AS least_ns
FROM stage s
JOIN mean m
JOIN own o
WHERE s.trace_id = :trace_id AND m.ranks > 1 AND s.ns * 100 >= m.longest * (100 - :alike_pct)
  AND (m.longest - m.ns) * 100 >= :min_over_pct * m.ns AND (m.longest - m.ns) * 100 >= :min_wall_pct * o.wall_ns
ORDER BY subject

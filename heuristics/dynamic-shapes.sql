-- The result size of an operation depends on values. The host must wait for the size, and on Gaudi
-- each new size is a new graph. One row per operation.
--
-- id: dynamic-shapes
-- order: 190
-- title: Operations with data-dependent shapes run in every step
-- do: Use operations of fixed size, or move these to the data loader. Examples are torch.where with
--    three arguments, masks instead of selected rows, and padded buffers.
-- why: The size of the result must be read back before anything that uses it can be
--    launched{new_graph}.
-- needs: host, device
-- part-of: recompilation
-- edit: remove role = compile steady
-- param: min_per_step_ratio ratio 1 0 1000000 such operations per step; reported at or above this;
--    our default, no published source
-- param: min_exposed_pct pct 1 0 100 their time with no device at work, as a share of the wall
--    time; reported at or above this; our default, no published source
-- says: per_step_ratio not-zero = "% per step"
-- says: host_ns not-gain = "% of host time"
-- says: mean_ns several = "% each on average"
-- says: recompile_count not-zero = "# graph~ with it compiled again for other input sizes"
-- source: Intel Gaudi documentation on dynamic shapes (operations to avoid); thresholds: our
--    defaults.
WITH dynamic AS (
  SELECT name, sum(count) AS calls, sum(dur_ns) AS dur_ns, max(exposed_ns) AS exposed_ns
  FROM host_total
  WHERE trace_id = :trace_id
    AND name IN ('aten::nonzero', 'aten::unique', 'aten::_unique', 'aten::_unique2',
      'aten::unique_consecutive', 'aten::unique_dim', 'aten::masked_select', 'aten::argwhere',
      'aten::repeat_interleave', 'nonzero_hpu_lazy', 'masked_select_hpu_lazy',
      'unique2_hpu_lazy', '_unique_hpu_lazy')
  GROUP BY name)
SELECT
  d.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  d.calls AS count,
  CASE WHEN w.step_count > 0 THEN d.calls * 1.0 / w.step_count END AS per_step_ratio,
  d.dur_ns AS host_ns,
  d.dur_ns / d.calls AS mean_ns,
  (SELECT count(*) FROM compile c WHERE c.trace_id = :trace_id AND c.changed = 'shapes'
    AND NOT c.is_warm_up AND EXISTS (SELECT 1 FROM compile_op o
      JOIN slice_row s ON s.id = o.slice_id JOIN label l ON l.id = s.label_id
      WHERE o.compile_id = c.id AND l.name = d.name)) AS recompile_count
FROM dynamic d
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT sum(calls) FROM dynamic) >= :min_per_step_ratio * w.step_count
  AND (SELECT sum(exposed_ns) FROM dynamic) * 100.0 >= :min_exposed_pct * w.wall_ns
ORDER BY d.exposed_ns DESC, count DESC, subject

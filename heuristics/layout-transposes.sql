-- Kernels that only change the layout of tensors. Beside other engines they may be hidden and still
-- delay what takes their results, so what the fix wins counts, too. One row per kernel.
--
-- id: layout-transposes
-- order: 390
-- title: The device spends time on changing tensor layouts
-- do: Keep one layout through the model: channels_last for convolutions. Do not call permute()
--    or contiguous() between operations that accept either layout.
-- why: A transpose moves every byte and computes nothing.
-- needs: device
-- edit: remove device class = transpose with-launches
-- param: min_transpose_pct pct 2 0 100 time in layout changes under no other work, as a share of the
--    busy time, or what the fix wins, as a share of the wall time; reported at or above this; our
--    default, no published source
-- says: exclusive_ns not-gain = "% of device time while nothing else runs"
-- says: busy_pct = "% of the busy time"
-- says: mean_ns several = "% each on average"
-- says: engine = "runs on %"
-- source: PyTorch performance tuning guide (channels_last); threshold:
--    our default.
WITH layout AS (
  SELECT o.name, o.engine, sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns,
    sum(o.exclusive_ns) AS exclusive_ns, d.busy_ns
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id
    AND o.class = 'transpose'
  GROUP BY o.name, o.engine, d.busy_ns)
SELECT
  l.name AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  l.ops AS count,
  l.exclusive_ns AS exclusive_ns,
  l.exclusive_ns * 100.0 / l.busy_ns AS busy_pct,
  l.dur_ns / l.ops AS mean_ns,
  l.engine AS engine
FROM layout l
JOIN metric w ON w.trace_id = :trace_id AND w.name = 'wall_ns' AND w.device IS NULL
  AND w.step IS NULL
LEFT JOIN whatif f ON f.trace_id = :trace_id AND f.fix = 'layout-transposes'
WHERE ((SELECT sum(exclusive_ns) FROM layout) * 100.0 >= :min_transpose_pct * l.busy_ns
    OR f.gain_ns * 100.0 >= :min_transpose_pct * w.value)
  AND l.exclusive_ns > 0
ORDER BY exclusive_ns DESC, subject, engine

-- Kernels that only change the layout of tensors. The gain is the time in which only they keep the
-- device busy, plus the overlap of MME and TPC that they prevent, while the host stays ahead. Where
-- it does not, the gain is the host time to launch them while the device is idle. One row per
-- kernel.
--
-- id: layout-transposes
-- order: 390
-- title: The device spends time on changing tensor layouts
-- do: Keep one layout through the model: channels_last for convolutions. Do not call permute()
--    or contiguous() between operations that accept either layout.
-- why: A transpose moves every byte and computes nothing.
-- needs: device
-- bucket: idle, compute
-- edit: remove device class = transpose with-launches
-- param: min_transpose_pct pct 5 0 100 time in layout changes, as a share of the busy time;
--    reported at or above this; our default, no published source
-- param: reachable_pct pct 60 0 100 overlap of MME and TPC that is reachable without layout changes
--    between them, as a share of the shorter one's time; the middle of public outputs of
--    habana_perf_tool
-- says: exclusive_ns not-gain = "% of device time under no other work"
-- says: busy_pct = "% of the busy time"
-- says: mean_ns several = "% each on average"
-- says: engine = "runs on %"
-- says: lost_overlap_ns not-zero = "together they prevent % of overlap between the engines"
-- says: late_host_ns not-zero = "launching all of them costs a late host %"
-- says: work_ns = ""
-- source: PyTorch performance tuning guide (channels_last); habana_perf_tool (overlap); threshold:
--    our default.
WITH layout AS (
  SELECT o.name, o.engine, sum(o.count) AS ops, sum(o.dur_ns) AS dur_ns,
    sum(o.exclusive_ns) AS exclusive_ns, d.busy_ns
  FROM busiest_device d
  JOIN op_total o ON o.trace_id = d.trace_id AND o.device = d.device
  WHERE d.trace_id = :trace_id
    AND o.class = 'transpose'
  GROUP BY o.name, o.engine, d.busy_ns),
run AS (
  SELECT max(CASE WHEN m.name = 'mme_busy_ns' THEN m.value END) AS mme_ns,
    max(CASE WHEN m.name = 'tpc_busy_ns' THEN m.value END) AS tpc_ns,
    max(CASE WHEN m.name = 'mme_tpc_overlap_ns' THEN m.value END) AS overlap_ns,
    max(CASE WHEN m.name = 'device_wait_ns' THEN m.value END) AS wait_ns,
    max(CASE WHEN m.name = 'launched_op_count' THEN m.value END) AS launched_ops
  FROM busiest_device d
  JOIN metric m ON m.trace_id = d.trace_id AND m.device = d.device AND m.step IS NULL
  WHERE d.trace_id = :trace_id),
host AS (
  SELECT coalesce(sum(m.value), 0) AS issue_ns FROM metric m
  WHERE m.trace_id = :trace_id AND m.device IS NULL AND m.step IS NULL
    AND m.name IN ('host_dispatch_own_ns', 'host_launch_own_ns')),
total AS (
  SELECT sum(l.exclusive_ns) AS exclusive_ns,
    min(sum(l.exclusive_ns * (l.engine = 'tpc')),
      max(coalesce(min(r.mme_ns, r.tpc_ns - sum(l.exclusive_ns * (l.engine = 'tpc')))
        * :reachable_pct / 100.0 - r.overlap_ns, 0), 0)) AS overlap_ns,
    min(coalesce(h.issue_ns * 1.0 * sum(l.ops * (l.engine = 'compute')) / r.launched_ops, 0),
      coalesce(r.wait_ns, 0)) AS host_ns
  FROM layout l JOIN run r JOIN host h),
won AS (
  SELECT t.*, max(t.host_ns, min(t.exclusive_ns + t.overlap_ns,
    coalesce(s.wait_ns + min(s.tail_ns,
      (t.exclusive_ns + t.overlap_ns) * 1.0 * s.tail_step_count / s.step_count),
      t.exclusive_ns + t.overlap_ns))) AS gain_ns
  FROM total t LEFT JOIN host_slack s ON s.trace_id = :trace_id)
SELECT
  l.name AS subject,
  CAST(t.gain_ns * 1.0 * l.exclusive_ns / t.exclusive_ns AS INTEGER) AS gain_ns,
  'inferred' AS confidence,
  l.ops AS count,
  l.exclusive_ns AS exclusive_ns,
  l.exclusive_ns * 100.0 / l.busy_ns AS busy_pct,
  l.dur_ns / l.ops AS mean_ns,
  l.engine AS engine,
  CAST(t.overlap_ns AS INTEGER) AS lost_overlap_ns,
  CAST(t.host_ns AS INTEGER) AS late_host_ns,
  CAST(iif(t.gain_ns > t.host_ns, t.gain_ns, 0) * 1.0 * l.exclusive_ns / t.exclusive_ns
    AS INTEGER) AS work_ns
FROM layout l
JOIN won t
WHERE t.exclusive_ns * 100.0 >= :min_transpose_pct * l.busy_ns
  AND l.exclusive_ns > 0
ORDER BY gain_ns DESC, subject, engine

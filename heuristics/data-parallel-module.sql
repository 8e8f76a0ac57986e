-- torch.nn.DataParallel: one process drives several devices.
--
-- id: data-parallel-module
-- order: 510
-- title: One process drives all devices (DataParallel)
-- do: Use DistributedDataParallel with one process per device.
-- why: DataParallel copies the model to every device in every step, and one Python process feeds
--    all devices.
-- needs: host, device
-- param: min_device_count count 2 1 100000 devices with work; reported at or above this
-- says: device_count = "# device~ with work"
-- says: host_ns not-gain = "% of host time"
-- source: PyTorch performance tuning guide (efficient data-parallel backend); torch_tb_profiler.
WITH frame AS (
  SELECT name, sum(count) AS calls, sum(dur_ns) AS dur_ns
  FROM host_total
  WHERE trace_id = :trace_id
    AND mark = 'data_parallel'
  GROUP BY name)
SELECT
  f.name AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  f.calls AS count,
  m.value AS device_count,
  f.dur_ns AS host_ns
FROM frame f
JOIN metric m ON m.trace_id = :trace_id AND m.name = 'device_count' AND m.device IS NULL
  AND m.step IS NULL
WHERE m.value >= :min_device_count
ORDER BY host_ns DESC, subject

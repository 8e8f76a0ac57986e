-- The clock of what computes falls while the device works, or is far below the one that the peaks of the data sheet are of
-- (table core_clock). Means are over the time in which the device computes, so clocks that rest with an idle device do not
-- count, and warm-up does not either. Where clocks go up and down with the work, the end of the run reaches what the
-- start did, and nothing fell. One row per device.
--
-- id: core-clock
-- order: 345
-- title: The device runs below its clock
-- do: See whether the power limit, heat or a setting holds its clock down. Use nvidia-smi -q -d PERFORMANCE, rocm-smi -a or npu-smi
--    info while the run is on. Compare the same kernels at full clock before you tune them.
-- why: Kernels that compute take as much longer as the clock is lower; those that wait for memory take less of that.
-- needs: core_clock
-- param: min_fall_pct pct 10 1 100 how much lower the mean clock of the last part of the work is than that of the first; our
--    default, no published source. A power limit alone moves clocks by some percent from kernel to kernel
-- param: min_low_pct pct 50 1 100 how much lower the mean clock is than that of the data sheet; our default: large products under a
--    power limit keep some two thirds of it by design
-- param: part_pct pct 20 1 50 the first and the last part of the work, as a share of the time in which the device computes
-- param: min_sample_count count 10 1 1000000 samples of the clock with work; our default
-- param: min_part_count count 3 1 1000000 a fall: samples with work in each of both parts; our default
-- says: fall = "the clock falls from %"
-- says: low = "%"
-- says: lowest = "% at the lowest"
-- says: busy_ns = "over % of work"
-- says: samples_count = "# sample~"
-- source: msprof-analyze advisor (AI Core frequency); NVIDIA NVML (clocks throttle reasons); thresholds: our defaults.
WITH clock AS (
  SELECT c.device, c.mhz, c.busy_ns, sum(c.busy_ns) OVER (PARTITION BY c.device ORDER BY c.ts) AS until_ns,
    sum(c.busy_ns) OVER (PARTITION BY c.device) AS all_ns
  FROM core_clock c
  WHERE c.trace_id = :trace_id AND c.busy_ns > 0 AND c.ts >= coalesce((
    SELECT min(s.ts) FROM step s WHERE s.trace_id = :trace_id AND NOT s.is_warm_up), c.ts)),
part AS (
  SELECT *, max(0, min(until_ns, all_ns * :part_pct / 100.0) - (until_ns - busy_ns)) AS first_ns,
    max(0, until_ns - max(until_ns - busy_ns, all_ns * (1 - :part_pct / 100.0))) AS last_ns
  FROM clock),
mean AS (
  SELECT device, count(*) AS samples, max(all_ns) AS busy_ns, min(mhz) AS lowest,
    total(mhz * busy_ns) / max(all_ns) AS mhz, total(mhz * first_ns) / total(first_ns) AS first,
    total(mhz * last_ns) / total(last_ns) AS last, max(iif(last_ns > 0, mhz, 0)) AS last_highest,
    min(sum(first_ns > 0), sum(last_ns > 0)) AS part_samples
  FROM part
  GROUP BY device),
judged AS (
  SELECT m.*, p.core_mhz,
    last * 100 <= first * (100 - :min_fall_pct) AND last_highest < first
      AND part_samples >= :min_part_count AS falls,
    m.mhz * 100 <= p.core_mhz * (100 - :min_low_pct) AS is_low
  FROM mean m
  LEFT JOIN device_peak p ON p.trace_id = :trace_id
  WHERE m.samples >= :min_sample_count)
SELECT
  'device ' || j.device AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  NULL AS count,
  iif(j.falls, printf('%,d to %,d MHz during this run (%.0f %%)', j.first, j.last,
    100 - 100 * j.last / j.first), NULL) AS fall,
  iif(j.is_low, printf('its mean clock of %,d MHz is %.0f %% below the %,d MHz of the data sheet''s peaks', j.mhz,
    100 - 100 * j.mhz / j.core_mhz, j.core_mhz), NULL) AS low,
  printf('%,d MHz', j.lowest) AS lowest,
  j.busy_ns AS busy_ns,
  j.samples AS samples_count
FROM judged j
WHERE j.falls OR j.is_low
ORDER BY subject

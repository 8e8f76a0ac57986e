-- title: Operators beside the peaks of the device
-- place: details 210
-- step: no
-- json: rooflines.operators 110
SELECT
  device_ns, -- ns "lane time"
  flops_pct, -- pct "of peak"
  bytes_pct, -- pct "of memory"
  iif(max(coalesce(flops_pct, 0), bytes_pct) < 10, 'neither', bound), -- name "?<bound by"
  printf('%.3g', flops_per_s / 1e12), -- name "?TFLOP/s"
  printf('%.4g', bytes_per_s / 1e9), -- name "?GB/s"
  precision, -- name "?<type"
  count, -- count "?calls"
  name || ' ' || replace(input_dims, ',[]', '') -- name "<operator and sizes"
FROM roofline
WHERE trace_id = :trace AND device_ns > 0 AND (flops IS NOT NULL OR bytes IS NOT NULL)
ORDER BY device_ns DESC, name, input_dims, precision, flops
LIMIT :limit
-- @note
SELECT CASE
  WHEN flops_pct IS NOT NULL THEN printf('Model FLOPs utilisation: %.1f %% of the peak over the steps, '
    || '%.3g TFLOP a step.', flops_pct, flops / step_count / 1e12)
  WHEN ideal_ns IS NULL THEN 'Model FLOPs utilisation is not known: no data sheet of the device is listed, or '
    || 'it has no peak for a precision that is used.'
  ELSE printf('Model FLOPs utilisation is not known: FLOPs are known for %.1f %% of the device time, and '
    || '%.1f %% of it are matrix products, convolutions and attention.', known_pct, matrix_pct) END
FROM utilisation
WHERE trace_id = :trace AND flops > 0
-- @json
SELECT trace_id, name, input_dims, precision, work, count, device_ns, flops, bytes, intensity, flops_per_s,
  bytes_per_s, flops_pct, bytes_pct, bound
FROM (
  SELECT *, row_number() OVER (PARTITION BY trace_id
    ORDER BY device_ns DESC, name, input_dims, precision, flops) AS place
  FROM roofline)
WHERE place <= :rows
ORDER BY trace_id, place

-- title: Operators beside the peaks of the device
-- place: pictures 20
-- picture: roofline
-- step: no
-- rows: 10
SELECT
  r.device_ns, -- ns "lane time"
  printf('%.4g', r.intensity), -- name "FLOPs a byte"
  printf('%.4g', r.flops_per_s / 1e12), -- name "TFLOP/s"
  printf('%.4g', p.flops_per_s / 1e12), -- name "peak TFLOP/s"
  printf('%.4g', d.hbm_bytes_per_s / 1e9), -- name "peak GB/s"
  r.precision, -- name "<type"
  r.name || ' ' || replace(r.input_dims, ',[]', '') -- name "<operator and sizes"
FROM roofline r
JOIN device_peak d ON d.trace_id = r.trace_id
JOIN precision_peak p ON p.trace_id = r.trace_id AND p.precision = r.precision
WHERE r.trace_id = :trace AND r.device_ns > 0 AND r.intensity > 0 AND d.hbm_bytes_per_s > 0
ORDER BY r.device_ns DESC, r.name, r.input_dims, r.precision, r.flops
LIMIT :limit
-- @note
SELECT 'The line is the highest rate that memory and arithmetic of the device allow for so many FLOPs a byte; bytes are '
  || 'those of inputs and outputs once.'
FROM roofline r
JOIN device_peak d ON d.trace_id = r.trace_id AND d.hbm_bytes_per_s > 0
JOIN precision_peak p ON p.trace_id = r.trace_id AND p.precision = r.precision
WHERE r.trace_id = :trace AND r.device_ns > 0 AND r.intensity > 0
LIMIT 1

-- title: Occupancy of kernels
-- place: details 230
-- step: no
-- costly: text json
-- keep: kernel_occupancy
-- json: occupancy.kernels 150
SELECT
  dur_ns, -- ns "lane time"
  occupancy_pct, -- pct "occupancy"
  sm_efficiency_pct, -- pct "SM efficiency"
  CASE uses_tensor_cores WHEN 1 THEN 'yes' WHEN 0 THEN 'no' END, -- name "?<tensor cores"
  printf('%.2f', blocks_per_sm), -- name "?blocks per SM"
  count, -- count "?count"
  name -- name "<kernel"
FROM kernel_occupancy
WHERE trace_id = :trace
ORDER BY dur_ns DESC, device, name
LIMIT :limit
-- @json
SELECT trace_id, device, name, uses_tensor_cores, count, dur_ns, known_ns, occupancy_pct, sm_efficiency_pct,
  blocks_per_sm, warps_per_sm
FROM (
  SELECT *, row_number() OVER (PARTITION BY trace_id, device ORDER BY dur_ns DESC, name) AS place
  FROM kernel_occupancy)
WHERE place <= :rows
ORDER BY trace_id, device, place

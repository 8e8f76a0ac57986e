-- costly: json
-- json: occupancy.devices 140
-- @json
SELECT trace_id, device, count, dur_ns, occupancy_pct, sm_efficiency_pct, tensor_core_pct,
  tensor_core_unknown_pct
FROM device_occupancy
ORDER BY trace_id, device

-- costly: json
-- json: memory.peaks 50
-- @json
SELECT trace_id, device, ts, step_id, in_use_bytes, reserved_bytes, unused_bytes, is_relative
FROM memory_peak
ORDER BY trace_id, device

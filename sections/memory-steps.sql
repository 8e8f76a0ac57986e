-- Old traces record the sizes of allocations, but not the totals.
--
-- title: Memory by step
-- place: memory 10
-- costly: text json
-- keep: memory_step
-- json: memory.steps 70
SELECT
  m.device, -- name "device"
  coalesce(s.number, 'outside'), -- name "<step"
  m.peak_bytes, -- bytes "peak in use"
  m.end_bytes, -- bytes "in use at its end"
  m.reserved_peak_bytes, -- bytes "?reserved"
  m.allocated_bytes, -- bytes "?allocated"
  m.allocation_count -- count "?allocations"
FROM memory_step m
LEFT JOIN step s ON s.id = m.step_id
WHERE m.trace_id = :trace AND (:step < 0 OR s.number = :step) AND m.device <> 'cpu'
ORDER BY CAST(m.device AS INTEGER), m.device, m.step_id
LIMIT :limit
-- @note
SELECT 'The trace has no totals: memory in use counts from the start of the recording.'
FROM (SELECT 1 FROM memory_curve WHERE trace_id = :trace AND is_relative AND device <> 'cpu' LIMIT 1)
-- @json
SELECT trace_id, device, step_id, event_count, allocation_count, allocated_bytes, freed_bytes, peak_bytes,
  least_bytes, end_bytes, reserved_peak_bytes, is_relative
FROM memory_step
ORDER BY trace_id, device, step_id

-- The device time of an operator, module or phase is the exclusive time of what it launched (docs/operators.md).
-- Work that no busy time goes to is told apart by the time added up over lanes.
--
-- title: Phases
-- place: details 50
-- step: no
-- note-column: 4
-- json: traces[].operators.phases 50
SELECT
  phase, -- name "<phase"
  exclusive_ns, -- ns "device"
  100.0 * exclusive_ns / nullif(total(exclusive_ns) OVER (), 0), -- pct "share"
  device_count, -- count "?operations"
  host_ns, -- ns "?host"
  count -- count "?operators"
FROM phase_total
WHERE trace_id = :trace AND :trace IN (SELECT trace_id FROM op_tree_row WHERE kind = 'operator')
ORDER BY exclusive_ns DESC, device_ns DESC, host_ns DESC, phase
LIMIT :limit
-- @note
SELECT 'Host time is added up over threads.'
FROM (SELECT total(host_ns) AS host_ns FROM phase_total WHERE trace_id = :trace)
WHERE host_ns > (SELECT end_ns - start_ns FROM trace WHERE id = :trace)
-- @json
SELECT phase, count, host_ns, device_count, device_ns, exclusive_ns
FROM phase_total
WHERE trace_id = :trace
ORDER BY exclusive_ns DESC, device_ns DESC, host_ns DESC, phase
LIMIT :top

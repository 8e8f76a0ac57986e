-- The order of fixes of each trace, and the length of a step after each.
--
-- json: plan
-- @json
SELECT trace_id, fix, gain_ns, gain_low_ns, gain_high_ns, step_before_ns, step_after_ns, whole_ns, alone_ns, added_ns,
  left_ns, limit_piece, limit_name, limit_pct
FROM plan
ORDER BY trace_id, ord

-- What each set of the plan's fixes wins together.
--
-- json: fix_sets
-- @json
SELECT trace_id, mask, gain_ns, gain_low_ns, gain_high_ns, step_after_ns
FROM fix_set
ORDER BY trace_id, mask

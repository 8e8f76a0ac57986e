-- What would win next, once the fixes of the plan are made.
--
-- json: plan_next
-- @json
SELECT trace_id, fix, gain_ns, before_ns, left_ns
FROM plan_next
ORDER BY trace_id

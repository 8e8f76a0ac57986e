-- What the fixes that are not in the plan win beside all of it.
--
-- json: plan_rest
-- @json
SELECT trace_id, fix, added_ns
FROM plan_rest
ORDER BY trace_id, ord

-- The plan in the short form of the JSON report.
--
-- json: traces[].plan
-- @json
SELECT fix, gain_ns, gain_low_ns, gain_high_ns, step_after_ns
FROM plan
WHERE trace_id = :trace
ORDER BY ord
LIMIT :top

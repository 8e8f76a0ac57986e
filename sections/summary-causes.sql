-- The largest causes of idle time in the short form of the JSON report, that of the verdict first.
--
-- json: traces[].idle_by_cause
-- @json
SELECT cause, idle_ns
FROM idle_cause
WHERE trace_id = :trace AND device IS NULL AND step IS nullif(:step, -1)
ORDER BY idle_ns DESC, cause
LIMIT :top

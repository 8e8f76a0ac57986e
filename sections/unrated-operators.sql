-- Work that the table of rates leaves out: no formula, or inputs that are not recorded. Without any rates
-- there is no such table to leave work out of.
--
-- title: Operators whose FLOPs and bytes are not known
-- place: details 211
-- step: no
SELECT
  u.device_ns, -- ns "lane time"
  100.0 * u.device_ns / a.device_ns, -- pct "of all"
  u.count, -- count "operations"
  u.class, -- name "?<class"
  coalesce(u.name, '(unknown call)') -- name "<operator"
FROM unrated_work u
JOIN (SELECT total(dur_ns) AS device_ns FROM op_kernel_row WHERE trace_id = :trace) a
WHERE u.trace_id = :trace AND u.device_ns > 0
  AND EXISTS (SELECT 1 FROM op_work w WHERE w.trace_id = :trace AND (w.flops IS NOT NULL OR w.bytes IS NOT NULL))
ORDER BY u.device_ns DESC, u.name, u.class
LIMIT :limit

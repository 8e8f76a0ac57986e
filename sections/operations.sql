-- title: Device operations by exclusive time
-- place: details 40
-- step: no
-- note-column: 0
-- json: traces[].devices[].operations 10
SELECT
  total(exclusive_ns), -- ns "exclusive"
  100.0 * total(exclusive_ns) / nullif(total(total(exclusive_ns)) OVER (), 0), -- pct "share"
  sum(count), -- count "?count"
  total(dur_ns) / sum(count), -- ns "?each"
  iif(max(mark) IS 'device_wait', 'wait', engine), -- part "<engine"
  data_type, -- name "?<type"
  name -- name "<operation"
FROM op_total
WHERE trace_id = :trace
GROUP BY engine, data_type, name
ORDER BY 1 DESC, total(dur_ns) DESC, name, data_type, engine
LIMIT :limit
-- @note
-- How long operations run on their lanes, where that is more than the device's time.
SELECT 'Each moment of a device counts for one operation. Added up over lanes, operations run for '
  || show_ns(total(dur_ns)) || '.'
FROM op_total
WHERE trace_id = :trace
HAVING total(dur_ns) > total(exclusive_ns)
-- @json
SELECT name, category, engine, kind, data_type, count, dur_ns, exclusive_ns, min_ns, max_ns
FROM op_total
WHERE trace_id = :trace AND device = :device
ORDER BY exclusive_ns DESC, dur_ns DESC, name, category, engine, data_type
LIMIT :top

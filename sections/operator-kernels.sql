-- Kernels of a replayed graph count for the operators that were captured. The note gives the device's time of
-- those whose capture is not known, and why not if there is one.
--
-- title: Device operations by operator
-- place: details 80
-- step: no
-- json: traces[].operators.kernels 30
SELECT
  total(exclusive_ns), -- ns "device"
  100.0 * total(exclusive_ns) / nullif(total(total(exclusive_ns)) OVER (), 0), -- pct "share"
  sum(count), -- count "?count"
  total(dur_ns) / sum(count), -- ns "?each"
  operator, -- name "<launched by"
  name -- name "<operation"
FROM op_kernel
WHERE trace_id = :trace
  AND EXISTS (SELECT 1 FROM op_kernel_row WHERE trace_id = :trace AND node_id IS NOT NULL)
GROUP BY operator, name
ORDER BY total(exclusive_ns) DESC, total(dur_ns) DESC, operator, name
LIMIT :limit
-- @note
SELECT show_ns(total(k.exclusive_ns)) || ' of it ran in graphs whose capture is not known: it counts for the '
  || 'operator around ' || min(l.name) || '. ' || coalesce(
    (SELECT 'Captures do not fit: ' || g.message || '.' FROM import_log g
      WHERE g.trace_id = :trace AND g.kind = 'replay_unmatched' ORDER BY g.count DESC, g.message LIMIT 1),
    'Give a trace that has the capture with --capture FILE.')
FROM op_kernel_row k
JOIN op_tree_row n ON n.id = k.node_id
JOIN label l ON l.id = n.label_id
WHERE k.trace_id = :trace AND l.mark = 'graph_launch' AND k.capture_id IS NULL
HAVING count(*) > 0
-- @json
SELECT operator, name, lane, device, engine, kind, sum(count) AS count,
  CAST(total(dur_ns) AS INTEGER) AS dur_ns, CAST(total(exclusive_ns) AS INTEGER) AS exclusive_ns,
  min(min_ns) AS min_ns, max(max_ns) AS max_ns
FROM op_kernel
WHERE trace_id = :trace
GROUP BY operator, name, lane, device, engine, kind
ORDER BY total(exclusive_ns) DESC, total(dur_ns) DESC, operator, name, lane, device, engine, kind
LIMIT :top

-- Sorted by self time before total time, since the outermost slices contain all the others.
--
-- title: Host slices of launching threads
-- place: details 150
-- step: no
SELECT
  exposed_ns, -- ns "exposed"
  self_ns, -- ns "?self"
  dur_ns, -- ns "?total"
  count, -- count "?count"
  role, -- name "<role"
  name -- name "<slice"
FROM host_total
WHERE trace_id = :trace AND exposed_ns > 0 AND is_launching
ORDER BY self_exposed_ns DESC, exposed_ns DESC, dur_ns DESC, name, category
LIMIT :limit

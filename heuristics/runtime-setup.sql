-- The device waits while the runtime starts up, loads code, or allocates and frees memory. At the
-- start of a program this is not part of the steady run, and without steps nobody can tell: there is
-- no gain then. In steps memory-defragmentation reports memory of the device. The time is that
-- of such calls with no device at work, without warm-up steps, and of single kernel launches that
-- take far longer than a launch: those load the code first. So is that of moving a model's weights to the
-- device at the start of a recording without steps. One row per call.
--
-- id: runtime-setup
-- order: 150
-- title: The device waits while the runtime sets up
-- do: Run some iterations before recording: start-up happens only once. Make
--    pinned buffers once, not in every step. If memory of the device is allocated again and again,
--    use sizes that repeat, and give the allocator room{allocator}.
-- why: Such a call blocks the host for milliseconds. Freeing memory also waits for all device work.
-- needs: host, device, idle
-- edit: remove role = setup steady not mark = device_memory
-- edit: remove host mark = kernel_launch steady not shorter = 1000000
-- param: min_cost_pct pct 2 0 100 time of such calls with no device at work, as a share of the wall
--    time; reported at or above this; our default, no published source
-- says: setup_ns not-gain = "% in such calls"
-- says: longest_ns several = "the longest %"
-- source: PyTorch CUDA semantics (caching allocator, expandable segments; lazy loading of kernels);
--    thresholds: our defaults.
WITH call AS (
  SELECT name, max(mark) AS mark, sum(count) AS calls, CAST(total(dur_ns) AS INTEGER) AS dur_ns,
    CAST(total(exposed_ns) AS INTEGER) AS exposed_ns
  FROM host_total
  WHERE trace_id = :trace_id AND role = 'setup' AND is_launching AND exposed_ns > 0
  GROUP BY name),
part AS (
  SELECT c.name AS subject, c.mark, c.calls, c.dur_ns, NULL AS longest_ns,
    CAST(c.exposed_ns * 1.0 * (SELECT sum(iif(m.step IS NULL, m.value, -m.value))
      FROM metric m
      WHERE m.trace_id = :trace_id AND m.device IS NULL AND m.name = 'host_setup_exposed_ns'
        AND (m.step IS NULL OR m.step IN (SELECT number FROM step
          WHERE trace_id = :trace_id AND is_warm_up)))
      / (SELECT sum(exposed_ns) FROM call) AS INTEGER) AS cost_ns
  FROM call c
  UNION ALL
  SELECT l.name || ', loading code', l.mark, count(DISTINCT s.id), CAST(total(s.dur) AS INTEGER),
    max(s.dur), CAST(total(min(g.dur, s.dur)) AS INTEGER)
  FROM (SELECT 1 FROM gap_host h JOIN label l ON l.id = h.label_id
    WHERE h.trace_id = :trace_id AND h.cause = 'setup' AND l.mark = 'kernel_launch' LIMIT 1)
  CROSS JOIN steady_gap g
  JOIN slice_row s ON s.id = g.host_slice_id
  JOIN label l ON l.id = s.label_id
  WHERE g.trace_id = :trace_id AND g.cause = 'setup' AND l.mark = 'kernel_launch'
  GROUP BY l.name
  UNION ALL
  SELECT 'copying weights to the device', NULL, count(*), CAST(total(e.dur) AS INTEGER), max(e.dur),
    CAST(total(e.exposed_ns + e.transfer_ns) AS INTEGER)
  FROM metric m
  CROSS JOIN trace t ON t.id = m.trace_id
  CROSS JOIN host_event e ON e.trace_id = t.id AND e.role = 'input_copy' AND e.ts < t.start_ns + m.value
  WHERE m.trace_id = :trace_id AND m.name = 'loading_ns'),
counted AS (
  SELECT p.subject, p.calls, p.dur_ns, p.longest_ns, p.cost_ns
  FROM part p
  JOIN steady w ON w.trace_id = :trace_id
  WHERE w.step_count = 0 OR p.mark IS NOT 'device_memory')
SELECT
  p.subject AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  p.calls AS count,
  p.dur_ns AS setup_ns,
  p.longest_ns AS longest_ns
FROM counted p
JOIN steady w ON w.trace_id = :trace_id
WHERE (SELECT sum(cost_ns) FROM counted) * 100.0 >= :min_cost_pct * w.wall_ns
  AND p.cost_ns > 0
ORDER BY p.cost_ns DESC, subject

-- Operators or graphs are compiled after warm-up, by a compiler other than that of Gaudi, which
-- recompilation is about: torch.compile again and again, or CANN's operator compiler. A compiler
-- without slices of its own shows in the time before the code is loaded (host_silence): TorchScript's,
-- or Triton without Python stacks. One row per call.
--
-- id: operator-compilation
-- order: 175
-- title: Operators or graphs are compiled within the steps
-- do: {compile_less}. If each is compiled once, run some iterations before recording.
-- why: The host compiles while the device has nothing to do.
-- needs: host, device
-- edit: remove role = compile steady
-- edit: remove silence = compile steady
-- says: compile_ns = "% of compilations"
-- says: mean_ns several = "% each on average"
-- says: longest_ns several = "the longest %"
-- says: per_step_ratio not-zero = "% per step"
-- source: PyTorch torch.compile troubleshooting (recompilation); Ascend PyTorch (jit_compile).
WITH call AS (
  SELECT e.name, count(*) AS calls, sum(e.dur) AS dur_ns, max(e.dur) AS longest_ns,
    sum(e.exposed_ns) AS exposed_ns
  FROM steady_host_event e
  WHERE e.trace_id = :trace_id AND e.role = 'compile' AND NOT e.is_warm_up
    AND NOT EXISTS (SELECT 1 FROM capability c
      WHERE c.trace_id = :trace_id AND c.name IN ('bridge', 'gaudi') AND c.present)
  GROUP BY e.name),
exposed AS MATERIALIZED (
  SELECT (SELECT x.rowid FROM host_silence x
      WHERE x.trace_id = g.trace_id AND x.ts <= g.ts ORDER BY x.ts DESC LIMIT 1) AS silence,
    g.ts, g.dur
  FROM steady_gap g
  WHERE g.trace_id = :trace_id AND g.cause = 'compile'),
silent AS (
  SELECT coalesce(o.name, a.name) || ', until code is loaded' AS name, count(*) AS calls,
    sum(s.dur) AS dur_ns, max(s.dur) AS longest_ns, sum(s.exposed_ns) AS exposed_ns
  FROM (SELECT s.*, sum(e.dur) AS exposed_ns
    FROM exposed e
    JOIN host_silence s ON s.rowid = e.silence AND s.kind = 'compile' AND e.ts < s.ts + s.dur
    GROUP BY s.rowid) s
  JOIN label a ON a.id = s.after_label_id
  LEFT JOIN label o ON o.id = s.before_label_id
  GROUP BY 1)
SELECT
  c.name AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  c.calls AS count,
  c.dur_ns AS compile_ns,
  c.dur_ns / c.calls AS mean_ns,
  c.longest_ns AS longest_ns,
  c.calls * 1.0 / max(w.step_count, 1) AS per_step_ratio
FROM (SELECT * FROM call UNION ALL SELECT * FROM silent) c
JOIN steady w ON w.trace_id = :trace_id
WHERE c.exposed_ns > 0
ORDER BY compile_ns DESC, subject

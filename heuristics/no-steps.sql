-- The trace of a training run, or of one with a data loader, has no ProfilerStep#N. Numbers cover the
-- whole file instead of the steps.
--
-- id: no-steps
-- order: 50
-- kind: quality
-- title: The trace has no steps and was analysed as a whole
-- do: Call the profiler's step() once per iteration. Use a schedule with at least three active
--    steps.
-- why: Without steps, start-up, compilation and saving count as steady work, and there are no
--    numbers per step.
-- needs: framework, loop
-- says: wall_ns = "% analysed as a whole"
-- says: event_count = "# event~ in the file"
-- source: torch_tb_profiler falls back to the whole range in the same way.
SELECT
  'no complete ProfilerStep#N' AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  NULL AS count,
  0 AS serious,
  (SELECT max(m.value) FROM metric m WHERE m.trace_id = t.id AND m.name = 'wall_ns'
    AND m.device IS NULL AND m.step IS NULL) AS wall_ns,
  t.event_count AS event_count
FROM trace t
WHERE t.id = :trace_id
  AND NOT EXISTS (SELECT 1 FROM capability c
    WHERE c.trace_id = t.id AND c.name = 'steps' AND c.present)
ORDER BY t.id

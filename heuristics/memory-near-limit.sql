-- The allocator of a device comes close to its capacity. What it then does to find memory, long calls
-- that free and allocate blocks in steady steps, is what more room saves.
--
-- id: memory-near-limit
-- order: 540
-- title: Device memory is nearly full
-- do: {room}{split_graphs}.
-- why: Near the limit the allocator must search, defragment or fail, and nothing can grow.
-- needs: memory, device
-- part-of: memory-defragmentation
-- edit: remove host mark = device_memory steady within-steps not shorter = 100000
-- always-if: used_pct
-- param: min_used_pct pct 90 1 100 peak of allocated memory as a share of the capacity; reported at
--    or above this; torch_tb_profiler also uses 90 %
-- says: used_pct = "% of its memory used"
-- says: peak_bytes = "at most %"
-- says: reserved_peak_bytes = "reserved at most %"
-- says: capacity_bytes = "+of %"
-- source: Intel Gaudi model optimization; PyTorch performance tuning guide (checkpointing);
--    threshold: torch_tb_profiler.
SELECT
  'device ' || m.device AS subject,
  NULL AS gain_ns,
  'measured' AS confidence,
  NULL AS count,
  m.value * 100.0 / t.device_memory_bytes AS used_pct,
  m.value AS peak_bytes,
  r.value AS reserved_peak_bytes,
  t.device_memory_bytes AS capacity_bytes
FROM metric m
JOIN trace t ON t.id = m.trace_id
LEFT JOIN metric r ON r.trace_id = m.trace_id AND r.device = m.device AND r.step IS NULL
  AND r.name = 'memory_reserved_peak_bytes'
WHERE m.trace_id = :trace_id AND m.name = 'memory_peak_bytes' AND m.device IS NOT NULL
  AND m.step IS NULL AND t.device_memory_bytes > 0
  AND m.value * 100.0 >= :min_used_pct * t.device_memory_bytes
ORDER BY used_pct DESC, subject

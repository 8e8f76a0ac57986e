-- Long kernels of which the launch says that most of the device stays empty: fewer blocks than cores, or so many
-- registers or so much shared memory that few warps fit beside each other. Operators whose FLOPs and bytes are known
-- are the matter of below-roof. One row per kernel and operator.
--
-- id: low-occupancy
-- order: 336
-- title: Long kernels leave most of the device empty
-- do: Start more blocks. Or let a thread take fewer registers, and a block less shared memory.
-- why: Cores without blocks do nothing, and a core with few warps waits for memory.
-- needs: device, launches
-- param: min_share_pct pct 3 0 100 time of a kernel as a share of that of all device work; reported at or above
--    this; our default, no published source
-- param: min_mean_ns ns 20000 0 1000000000 mean duration; kernels that take less are short, and have few blocks for that; our default
-- param: full_wave_ratio ratio 0.75 0 1 blocks for each core, below which cores are empty; our default
-- param: registers_count count 128 1 1024 registers of a thread from which they keep most warps out: 65536 registers are for 2048 threads
-- param: shared_bytes bytes 49152 1 10000000 shared memory of a block from which it keeps most blocks out
-- param: low_occupancy_pct pct 25 0 100 occupancy below which latency of memory shows; our default, no published source
-- says: reason = "%"
-- says: kernel_ns = "% in all"
-- says: mean_ns several = "% each on average"
-- says: share_pct = "% of the device time"
-- says: kernel = "kernel %"
-- source: CUDA C++ best practices guide (occupancy, execution configuration).
WITH RECURSIVE whole AS (
  SELECT total(k.dur_ns) AS device_ns FROM op_kernel_row k WHERE k.trace_id = :trace_id),
rated AS MATERIALIZED (
  SELECT o.node_id FROM op_rate o
  WHERE o.trace_id = :trace_id AND o.bytes_ns IS NOT NULL AND (NOT o.is_matrix OR o.flops_ns IS NOT NULL)
    -- How many experts tokens reach is expected, and fewer where they ran faster than that allows.
    AND (o.work <> 'fused_experts' OR max(o.flops_ns, o.bytes_ns) * o.count <= o.device_ns)),
long AS MATERIALIZED (
  SELECT k.*, n.op_id, 100.0 * k.dur_ns / w.device_ns AS share_pct
  FROM kernel_launch k
  JOIN whole w
  JOIN op_tree_row n ON n.id = k.node_id
  WHERE k.trace_id = :trace_id AND k.dur_ns * 100 >= :min_share_pct * w.device_ns AND k.dur_ns >= :min_mean_ns * k.count),
around AS (
  SELECT l.kernel_id, l.op_id AS node_id FROM long l
  UNION ALL
  SELECT a.kernel_id, n.parent_id FROM around a JOIN op_tree_row n ON n.id = a.node_id AND n.kind = 'operator'),
cause AS (
  SELECT l.*, CASE
    WHEN l.core_blocks < :full_wave_ratio
      THEN printf('too few blocks: %.2g for each core', l.core_blocks)
    WHEN l.thread_registers >= :registers_count AND l.occupancy_pct < :low_occupancy_pct
      AND coalesce(l.class, '') NOT IN ('matrix', 'convolution', 'attention')
      THEN 'low occupancy: ' || l.thread_registers || ' registers a thread keep other warps out'
    WHEN l.block_bytes >= :shared_bytes AND l.occupancy_pct < :low_occupancy_pct
      AND coalesce(l.class, '') NOT IN ('matrix', 'convolution', 'attention')
      THEN 'low occupancy: ' || l.block_bytes || ' bytes of shared memory a block keep other blocks out' END AS reason
  FROM long l
  WHERE NOT EXISTS (SELECT 1 FROM around a JOIN rated r USING (node_id) WHERE a.kernel_id = l.kernel_id))
SELECT
  coalesce(l.name || coalesce(' ' || replace(a.input_dims, ',[]', ''), ''), c.name) AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  sum(c.count) AS count,
  c.reason AS reason,
  sum(c.dur_ns) AS kernel_ns,
  sum(c.dur_ns) / sum(c.count) AS mean_ns,
  sum(c.share_pct) AS share_pct,
  c.name AS kernel
FROM cause c
LEFT JOIN op_tree_row n ON n.id = c.op_id
LEFT JOIN label l ON l.id = n.label_id
LEFT JOIN op_args a ON a.node_id = n.id
WHERE c.reason IS NOT NULL
GROUP BY subject, c.reason, c.name
ORDER BY kernel_ns DESC, subject, kernel

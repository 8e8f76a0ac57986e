-- Operators whose kernels take far longer than their FLOPs and bytes need at the peaks of the device, by
-- operator, sizes and precision. The reason is the first line of a table of conditions that holds. One row
-- per operator, sizes and precision.
--
-- id: below-roof
-- order: 335
-- title: Kernels run far below what the device can do
-- do: Remove what slows the kernel down. Where no reason is named, compare with a newer library or a
--    kernel tuned for these sizes.
-- why: The least time of an operator is that of its FLOPs at the peak of its precision, or of its
--    bytes at the peak bandwidth, whichever is longer. Tuned kernels reach most of the peak.
-- needs: device, launches, shapes, peaks
-- edit: tune device kind = kernel by :goal_pct
-- param: goal_pct pct 80 1 100 share of the roof that tuned kernels reach; products in bf16 were measured at 80 % of the
--    peak on an H100 SXM and 87 % on an A100 SXM (Bekman, Machine Learning Engineering), copies at 90 % and more
--    (BabelStream). Operators below half of it are reported
-- param: start_ns ns 4000 0 1000000 time of a kernel that computes nothing, which counts as reached; empty kernels take 2 to 5 us; our default. The
--    replay always takes 4 us
-- param: min_share_pct pct 3 0 100 time of an operator at its sizes, as a share of the time of all device work;
--    reported at or above this; our default, no published source
-- param: kernel_pct pct 0.05 0 100 kernels with less than this share of the device time are not looked for as the longest of their operator; our default
-- param: half_ratio ratio 0.5 0.1 1 operators are reported that reach less than this part of goal_pct. The replay always takes half
-- param: tile_count count 128 1 4096 rows and columns of the result that a block of a product computes, as most tuned kernels do
-- param: narrow_count count 64 1 4096 a product with fewer rows or columns than this is narrow: it fills half of such a tile
-- param: multiple_count count 8 1 4096 sizes should be multiples of this many elements of two bytes (PyTorch performance tuning guide)
-- param: multiple_narrow_count count 16 1 4096 the same for elements of one byte
-- param: full_wave_ratio ratio 0.75 0 1 blocks of a product should fill the cores to this part, over all its waves; our default, no published source
-- param: channel_count count 16 1 4096 channels of a group below which a convolution cannot fill the tensor cores, which take 16 at a time
-- param: long_ratio ratio 8 1 1000000 a product whose inner size is so many times its result's sides should be split along it; our default
-- param: vocabulary_count count 16384 1 1000000000 elements of a row from which a softmax is one over a vocabulary; our default
-- param: short_row_count count 128 1 1000000 elements of a row below which it fills a part of a block: kernels for norms and softmax have a block or
--    a warp for each row, and blocks of 128 threads and more; our default
-- param: head_count count 128 1 4096 elements of a head for which attention kernels are tuned; FlashAttention needs an A100 or H100 for
--    gradients of heads above 192 (its README)
-- param: copy_pct pct 25 0 100 kernels that copy within an operator that is not a copy, as a share of its time; named at or above this; our default
-- param: registers_count count 128 1 1024 registers of a thread from which they keep most warps out: 65536 registers are for 2048 threads
-- param: shared_bytes bytes 49152 1 10000000 shared memory of a block from which it keeps most blocks out
-- param: low_occupancy_pct pct 25 0 100 occupancy below which latency of memory shows; our default, no published source
-- range: goal_pct 54 90 products in bf16 on an MI300X at the low end, copies at the high end; both measured,
--    as above
-- says: reason = "%"
-- says: roof_pct = "% of the roof"
-- says: bound = "bound by %"
-- says: kernel_ns = "% in all"
-- says: mean_ns several = "% each on average"
-- says: share_pct = "% of the device time"
-- says: kernel = "kernel %"
-- says: place = "in %"
-- says: device = "by the peaks of %, for the trace does not say its device"
-- source: TraceLens and SGLang's triage rank operators by their share of the roofline; Williams et al., Roofline (2009).
WITH RECURSIVE whole AS (
  SELECT total(k.dur_ns) AS device_ns FROM op_kernel_row k WHERE k.trace_id = :trace_id),
rate AS MATERIALIZED (
  SELECT o.label_id, o.shape, o.work, o.is_matrix, o.precision, o.flops, o.bytes,
    max(o.device_ns) AS most_ns, o.node_id, total(o.device_ns) AS device_ns, sum(o.count) AS count,
    coalesce(o.flops_ns, 0) AS flops_ns, o.bytes_ns
  FROM op_rate o
  WHERE o.trace_id = :trace_id AND o.device_ns > 0 AND o.count > 0
    AND (NOT o.is_matrix OR o.flops_ns IS NOT NULL) AND o.bytes_ns IS NOT NULL
  GROUP BY o.label_id, o.shape, o.work, o.precision, o.flops, o.bytes),
slow AS MATERIALIZED (
  SELECT r.*, 100.0 * (max(r.flops_ns, r.bytes_ns) + :start_ns) * r.count / r.device_ns AS roof_pct,
    100.0 * r.device_ns / w.device_ns AS share_pct
  FROM rate r
  JOIN whole w
  WHERE r.device_ns * 100 >= :min_share_pct * w.device_ns
    AND 100.0 * (max(r.flops_ns, r.bytes_ns) + :start_ns) * r.count < :goal_pct * :half_ratio * r.device_ns),
climb AS (
  SELECT k.kernel_id, k.node_id, k.dur_ns, iif(k.class IN ('copy', 'transpose'), k.dur_ns, 0) AS copy_ns
  FROM kernel_launch k
  JOIN whole w
  WHERE k.trace_id = :trace_id AND k.dur_ns * 100 >= :kernel_pct * w.device_ns
  UNION ALL
  SELECT c.kernel_id, n.parent_id, c.dur_ns, c.copy_ns
  FROM climb c
  JOIN op_tree_row n ON n.id = c.node_id
  WHERE n.parent_id IS NOT NULL AND n.kind IN ('call', 'operator')),
longest AS MATERIALIZED (
  SELECT c.node_id, max(c.dur_ns) AS dur_ns, c.kernel_id, 100.0 * sum(c.copy_ns) / sum(c.dur_ns) AS copy_pct FROM climb c GROUP BY c.node_id),
around AS (
  SELECT s.node_id AS of_id, s.node_id AS node_id, 0 AS height FROM slow s
  UNION ALL
  SELECT a.of_id, n.parent_id, a.height + 1
  FROM around a
  JOIN op_tree_row n ON n.id = a.node_id
  WHERE n.parent_id IS NOT NULL),
place AS MATERIALIZED (
  SELECT a.of_id, min(a.height) AS height, l.name AS name
  FROM around a
  JOIN op_tree_row n ON n.id = a.node_id AND n.kind IN ('module', 'python', 'range')
  JOIN label l ON l.id = n.label_id
  GROUP BY a.of_id),
fact AS MATERIALIZED (
  SELECT s.*, w.batch_count AS batch, w.row_count AS m, w.column_count AS n, w.inner_count AS k, w.dilation, w.layout,
    s.work IN ('convolution', 'convolution_backward') AS is_convolution,
    s.work IN ('attention', 'masked_attention', 'flash_attention', 'packed_attention') AS is_attention,
    s.work = 'convolution' AND (a.args ->> '$."Concrete Inputs"[6]') = 'True' AS is_transposed,
    s.is_matrix AND s.work IN ('product', 'add_product', 'batch_product', 'add_batch_product', 'scaled_product',
      'out_product', 'grouped_product', 'vector_product', 'add_vector_product') AS is_product,
    CASE WHEN s.precision IN ('fp8', 'int8') THEN :multiple_narrow_count WHEN s.precision IN ('fp16', 'bf16') THEN :multiple_count END AS multiple,
    -- Blocks as launched, unless most cores have one only, which may take tiles one by one.
    iif(k.core_blocks > 1 OR k.core_blocks < :full_wave_ratio, CAST(round(k.core_blocks * k.core_count) AS INTEGER),
      max(coalesce(CAST(round(k.core_blocks * k.core_count) AS INTEGER), 0), w.batch_count
        * ((w.row_count + :tile_count - 1) / :tile_count) * ((w.column_count + :tile_count - 1) / :tile_count))) AS tiles,
    w.batch_count * ((w.row_count + :tile_count - 1) / :tile_count) AS query_blocks,
    s.work IN ('softmax', 'softmax_backward') AND (a.input_dims -> '$[0][3]') IS NULL AND (w.row_count % max(w.inner_count, 1)) <> 0 AS is_logits,
    t.phase, instr(a.args -> '$."Concrete Inputs"', '"True"') > 0 AS is_adding,
    s.work = 'batch_norm' AND instr(a.args -> '$."Concrete Inputs"', '"False"') > 0 AS is_frozen,
    k.core_count AS cores, k.name AS kernel, k.thread_registers AS registers, k.block_bytes AS shared, k.core_blocks AS blocks,
    k.occupancy_pct AS occupancy, coalesce(x.mark = 'plain', 0) AS is_plain, x.mark, iif(s.work <> 'copy', g.copy_pct, 0) AS copy_pct, a.input_dims, a.args,
    CAST(json_extract(a.input_dims, iif(s.work = 'convolution', '$[1][1]', '$[2][1]')) AS INTEGER) AS channels,
    -- A convolution of kernel 1 has as many in its result, unless it strides or pads.
    (a.input_dims ->> '$[0][0]') * (a.input_dims ->> '$[0][2]') * coalesce(a.input_dims ->> '$[0][3]', 1)
      * coalesce(a.input_dims ->> '$[0][4]', 1) AS place_count
  FROM slow s
  JOIN op_work w ON w.node_id = s.node_id
  JOIN op_args a ON a.node_id = s.node_id
  JOIN op_tree_row t ON t.id = s.node_id
  LEFT JOIN longest g ON g.node_id = s.node_id
  LEFT JOIN kernel_launch k ON k.trace_id = :trace_id AND k.kernel_id = g.kernel_id
  LEFT JOIN op_kernel_row r ON r.rowid = g.kernel_id
  LEFT JOIN label x ON x.id = r.label_id),
-- The table of conditions, most telling first.
cause AS (
  SELECT f.*, CASE
    WHEN f.is_convolution AND f.batch > 1 AND f.n = 1
      THEN 'a depthwise convolution: each channel has a product of its own, too small for tensor cores'
    WHEN f.is_convolution AND f.batch > 1 AND f.n < :tile_count
      THEN 'a convolution in ' || f.batch || ' groups: products of ' || f.n || ' channels are too small to fill a block'
    WHEN f.is_convolution AND f.dilation > 1
      THEN 'a dilated convolution (' || f.dilation || '): its elements lie apart, and fast algorithms are for undilated ones'
    WHEN f.is_transposed
      THEN 'a transposed convolution: libraries run it as the gradient of one, with kernels that are tuned less; where the model allows it,'
    || ' a convolution and pixel_shuffle(), or interpolate() before one, take their place'
    WHEN f.is_convolution AND min(f.n, f.channels) < :channel_count
      THEN 'a convolution with ' || min(f.n, f.channels) || ' channels fills no tensor core'
    WHEN f.is_convolution AND (f.n % f.multiple <> 0 OR f.channels % f.multiple <> 0)
      THEN 'channels, ' || f.channels || ' to ' || f.n || ', are not multiples of ' || f.multiple
    || ', which tensor cores and wide loads need'
    WHEN f.is_convolution AND f.is_plain
      THEN 'the library takes a plain kernel, as it has no better one or has not searched: let it search (cudnn.benchmark, MIOPEN_FIND_MODE), or try'
    || ' another layout or type'
    WHEN f.work = 'convolution' AND f.tiles < f.cores * :full_wave_ratio
      THEN 'too few blocks: ' || f.tiles || ' for ' || f.m || ' places and ' || f.n || ' channels on ' || f.cores || ' cores, so a larger batch helps'
    WHEN f.is_convolution AND f.layout = 'dense' AND f.precision IN ('fp16', 'bf16')
      THEN 'channels come first in memory: tensor cores want channels_last'
    WHEN f.work = 'convolution' AND f.k = f.channels AND f.batch = 1 AND f.m = f.place_count
      THEN 'a convolution with a kernel of 1: it is a product of ' || f.m || ' x ' || f.k || ' x ' || f.n
    || ', and linear() on channels_last takes the tuned kernels of products'
    WHEN f.work IN ('scatter', 'add_rows', 'embedding_backward') OR f.work = 'put' AND f.is_adding
      THEN 'adds ' || f.m || iif(f.k > 1, ' rows of ' || f.k || ' elements', ' elements')
    || ' at indices: those with the same index wait for each other (atomics), so sort or combine equal indices before'
    WHEN f.work IN ('gather', 'put', 'rows', 'embedding', 'embedding_bag')
      THEN iif(f.work = 'put', 'writes ', 'gathers ') || f.m || iif(f.k > 1, ' rows of ' || f.k || ' elements', ' elements')
    || ' at indices in any order: each is a place of its own in memory, so sort indices or keep together what is used together'
    WHEN f.work = 'selection'
      THEN 'top-k of ' || f.m || ' rows of ' || f.k || ' elements'
    || iif(f.m < f.cores, ': a block for each row leaves most of ' || f.cores || ' cores empty', ': each row is read in several passes')
    WHEN f.work = 'sort'
      THEN 'sorts ' || f.m || ' rows of ' || f.k || ' elements as a whole: topk() takes less where only the first ones are used'
    WHEN f.is_frozen
      THEN 'a batch norm in eval mode: fold it into the convolution before it, or let a compiler do that'
    WHEN f.work = 'copy' AND EXISTS (SELECT 1 FROM json_each(f.args, '$."Input Strides"[1]') j
        WHERE j.value = 0 AND (f.input_dims ->> ('$[1][' || j.key || ']')) > 1)
      THEN 'copies repeated elements, as expand() makes them: most operators take them without a copy'
    WHEN f.layout = 'gaps' AND f.is_matrix
      THEN 'rows and columns of an input both lie apart in memory, with gaps between: make it contiguous'
    WHEN f.layout = 'gaps'
      THEN 'parts of larger tensors: rows are read with gaps between them, so make inputs contiguous'
    WHEN f.layout = 'mixed' AND NOT f.is_matrix
      THEN 'inputs in different orders of dimensions: one of them is read across its rows'
    WHEN f.layout = 'across'
      THEN 'elements of a row lie apart in memory: ' || f.k || ' elements of each row are taken across others, so let a row be the'
    || ' last dimension of a contiguous input'
    WHEN f.copy_pct >= :copy_pct
      THEN printf('%.0f %% of its time copies its inputs or results into another order or type', f.copy_pct)
    WHEN f.is_logits AND f.precision = 'fp32' AND f.k >= :vocabulary_count
      THEN f.m || ' rows of ' || f.k || ' elements in fp32, as of a loss over a vocabulary: a fused cross entropy reads the logits'
    || ' once, in half precision and in pieces'
    WHEN f.is_product AND f.batch > 1 AND min(f.m, f.n) < :narrow_count
      THEN f.batch || ' small products of ' || f.m || ' x ' || f.k || ' x ' || f.n || ': each fills a part of a block'
    WHEN f.is_product AND f.batch = 1 AND min(f.m, f.n) < :narrow_count
      THEN 'a narrow product: ' || min(f.m, f.n) || iif(f.m < f.n, ' rows', ' columns')
    || ' fill a part of a block, and few of them read the other matrix at once'
    || iif(f.tiles < f.cores AND f.k >= :long_ratio * max(f.m, f.n), '; its long inner size, ' || f.k || ', should be split (split-K)', '')
    WHEN f.is_product AND (iif(f.layout = 'turned', f.m, f.k) % f.multiple <> 0 OR f.n % f.multiple <> 0)
      THEN 'sizes ' || f.m || ' x ' || f.k || ' x ' || f.n || ' are not multiples of ' || f.multiple
    || ', which tensor cores and wide loads need'
    WHEN f.is_product AND f.tiles < f.cores AND f.k >= :long_ratio * max(f.m, f.n)
      THEN 'a long inner size: ' || f.k || ' for a result of ' || f.m || ' x ' || f.n || ', ' || f.tiles
    || ' blocks for ' || f.cores || ' cores, so it should be split along it (split-K)'
    WHEN f.is_product AND f.tiles < f.cores * :full_wave_ratio
      THEN 'too few blocks: ' || f.tiles || ' tiles of the result for ' || f.cores || ' cores'
    WHEN f.is_product AND f.tiles < :full_wave_ratio * ((f.tiles + f.cores - 1) / f.cores) * f.cores
      THEN 'the last wave is mostly empty: ' || f.tiles || ' tiles of the result on ' || f.cores || ' cores'
    WHEN f.is_product AND f.m % f.multiple <> 0
      THEN f.m || ' rows are not a multiple of ' || f.multiple || ', so the last blocks are filled in part'
    WHEN f.is_product AND f.layout = 'turned' AND coalesce(f.phase, '') <> 'backward'
      THEN 'the first matrix is transposed in memory, its columns beside each other: make it contiguous, or keep it so'
    WHEN f.work = 'fused_experts' AND f.m < :tile_count
      THEN 'few rows for each expert: ' || f.m || ' for each of ' || f.batch || ' experts that tokens reach, which fill a part of a block, so a larger batch helps'
    WHEN f.is_attention AND f.m < :narrow_count AND f.query_blocks < f.cores
      THEN 'few queries: ' || f.m || ' rows of queries for ' || f.n || ' keys, ' || f.batch || ' heads for ' || f.cores
    || ' cores, so keys should be split (flash decoding)'
    WHEN f.is_attention AND f.k % f.multiple <> 0
      THEN 'a head size of ' || f.k || ' is not a multiple of ' || f.multiple
    WHEN f.is_attention AND f.query_blocks < f.cores * :full_wave_ratio
      THEN 'too few blocks: ' || f.query_blocks || ' blocks of queries for ' || f.cores || ' cores'
    WHEN f.is_attention AND f.m < :tile_count AND f.n < :tile_count
      THEN 'short sequences: ' || f.m || ' queries and ' || f.n || ' keys in each of ' || f.batch || ' heads fill a part of a block'
    WHEN f.is_attention AND (f.k & (f.k - 1)) <> 0
      THEN 'a head size of ' || f.k || ' is not a power of 2: many kernels fill it up to the next one'
    WHEN f.is_attention AND f.k > :head_count
      THEN 'a head size of ' || f.k || ': blocks of such heads fill registers and shared memory, so kernels take smaller tiles, and few are'
    || ' tuned for sizes above ' || :head_count
    WHEN f.work = 'attention' AND f.mark = 'aotriton'
      THEN 'the kernel is that of AOTriton, the default on ROCm: try that of Composable Kernel'
    || ' (torch.backends.cuda.preferred_rocm_fa_library("ck"))'
    WHEN NOT f.is_matrix AND f.m < f.cores AND f.k > f.m AND coalesce(f.blocks < :full_wave_ratio, 1)
      THEN 'too few rows: ' || f.m || ' rows of ' || f.k || ' elements for ' || f.cores || ' cores'
    WHEN f.work IN ('norm', 'out_norm', 'add_norm', 'softmax', 'softmax_backward') AND f.k < :short_row_count
      THEN 'short rows: ' || f.m || ' rows of ' || f.k || ' elements, each of which fills a part of a block'
    WHEN f.blocks < :full_wave_ratio
      THEN printf('too few blocks: %.2g for each core', f.blocks)
    WHEN f.registers >= :registers_count AND f.occupancy < :low_occupancy_pct AND (f.is_attention OR NOT f.is_matrix)
      THEN 'low occupancy: ' || f.registers || ' registers a thread keep other warps out'
    WHEN f.shared >= :shared_bytes AND f.occupancy < :low_occupancy_pct AND (f.is_attention OR NOT f.is_matrix)
      THEN 'low occupancy: ' || f.shared || ' bytes of shared memory a block keep other blocks out'
    WHEN f.is_matrix AND f.precision IN ('fp32', 'fp64')
      THEN 'computed in ' || f.precision || ', for which libraries have fewer tuned kernels than for half precision'
    ELSE 'no reason shows in the trace' END AS reason
  FROM fact f)
SELECT
  l.name || ' ' || coalesce(replace(f.input_dims, ',[]', ''), '') || ' ' || f.precision AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  f.count AS count,
  f.reason AS reason,
  f.roof_pct AS roof_pct,
  iif(f.flops_ns > f.bytes_ns, 'compute', 'memory') AS bound,
  CAST(f.device_ns AS INTEGER) AS kernel_ns,
  CAST(f.device_ns / f.count AS INTEGER) AS mean_ns,
  f.share_pct AS share_pct,
  f.kernel AS kernel,
  p.name AS place,
  (SELECT trim(d.device_name, '*') FROM trace t JOIN device_peak d ON d.trace_id = t.id
    WHERE t.id = :trace_id AND t.device_name IS NOT d.device_name) AS device
FROM cause f
JOIN label l ON l.id = f.label_id
LEFT JOIN place p ON p.of_id = f.node_id
ORDER BY kernel_ns DESC, subject, f.node_id

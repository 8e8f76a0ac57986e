-- Matrix products in fp16, bf16 or fp8 have sizes that are not a multiple of what tensor cores
-- process at a time. The inner size and the columns count: they are how far apart rows lie in
-- memory, which the number of rows is not. Where the name of the kernel says how it reads (align8),
-- that decides. One row per operation and size.
--
-- id: matmul-dims
-- order: 420
-- title: Matrix sizes do not fit the tensor or matrix cores
-- do: Pad the sizes that you choose to the next multiple of 8. Take 64 if that costs little.
--    Examples are vocabulary, hidden size and number of classes, and in attention the sequence
--    length.
-- why: The {matrix_units} work on blocks of 16 bytes or more. Rows that are not a multiple of that
--    run on slower kernels, or leave part of each block empty.
-- needs: host, shapes, gpu
-- param: half_multiple_count count 8 1 4096 a size should be a multiple of this many fp16 or bf16
--    elements; from the PyTorch guide and profiler
-- param: byte_multiple_count count 16 1 4096 the same for fp8: the same number of bytes
-- param: min_work_pct pct 10 0 100 share of the multiplications in two-byte and one-byte types that
--    do not fit, by work; reported at or above this; our default, no published source
-- says: data_type = "in %"
-- says: odd_sizes = "%"
-- says: work_pct = "% of the multiplications"
-- source: PyTorch performance tuning guide (sizes in multiples of 8 for tensor cores); the pattern
--    matcher of the PyTorch profiler (fp16 matrix sizes); second threshold: our default.
WITH operand AS (
  SELECT f.name, f.input_dims AS dims,
    f.name IN ('aten::addmm', 'aten::baddbmm') + 0 AS first,
    CASE WHEN f.input_types LIKE '%Half%' THEN 'fp16' WHEN f.input_types LIKE '%BFloat16%' THEN 'bf16'
      WHEN f.input_types LIKE '%Float8%' THEN 'fp8' END AS data_type,
    sum(f.count) AS calls, NULL AS read_count
  FROM framework_shape f
  WHERE f.trace_id = :trace_id AND f.kind = 'matmul' AND f.input_dims IS NOT NULL
  GROUP BY f.name, f.input_dims, data_type
  UNION ALL
  SELECT l.name, a.input_dims, l.name IN ('aten::addmm', 'aten::baddbmm') + 0, '', 0,
    min(nullif(CAST(substr(d.name, instr(d.name, '_align') + length('_align')) AS INTEGER), 0))
  FROM op_kernel_row k
  JOIN label d ON d.id = k.label_id AND instr(d.name, '_align') > 0
  JOIN op_tree_row n ON n.id = coalesce(k.capture_id, k.node_id)
  JOIN op_tree_row o ON o.id = n.op_id
  JOIN label l ON l.id = o.label_id AND l.class = 'matrix'
  JOIN op_args a ON a.node_id = o.id
  WHERE k.trace_id = :trace_id AND a.input_dims IS NOT NULL
  GROUP BY l.name, a.input_dims),
pair AS (
  SELECT o.name, o.calls, o.read_count, o.data_type, json_extract(o.dims, '$[' || o.first || ']') AS a,
    json_extract(o.dims, '$[' || (o.first + 1) || ']') AS b
  FROM operand o
  WHERE o.data_type IS NOT NULL),
product AS (
  SELECT p.name, p.calls, p.read_count, p.data_type, CAST(p.a ->> '$[#-1]' AS INTEGER) AS inner_size,
    CAST(iif(p.name = 'aten::linear', p.b ->> '$[0]', p.b ->> '$[#-1]') AS INTEGER) AS column_size,
    CAST(p.a ->> '$[#-2]' AS INTEGER) * iif(p.b -> '$[2]' IS NULL,
      coalesce(p.a ->> '$[#-3]', 1) * coalesce(p.a ->> '$[#-4]', 1), 1) AS row_size,
    iif(p.b -> '$[2]' IS NULL, 1, coalesce(p.a ->> '$[#-3]', 1)) AS batch_size
  FROM pair p
  WHERE json_array_length(p.a) > 1 AND json_array_length(p.b) > 1),
judged AS (
  SELECT p.*, 1.0 * p.row_size * p.inner_size * p.column_size * p.batch_size * p.calls AS work,
    CAST(iif(p.data_type = 'fp8', :byte_multiple_count, :half_multiple_count) AS INTEGER) AS multiple
  FROM product p
  WHERE p.calls > 0 AND p.row_size > 0 AND p.inner_size > 0 AND p.column_size > 0),
kernel AS (
  SELECT p.row_size, p.inner_size, p.column_size, min(p.read_count) AS read_count
  FROM product p
  WHERE p.calls = 0
  GROUP BY p.row_size, p.inner_size, p.column_size),
odd AS (
  SELECT j.*,
    j.inner_size % j.multiple <> 0 AND coalesce(k.read_count < j.multiple, 1) AS odd_inner,
    j.column_size % j.multiple <> 0 AND coalesce(k.read_count < j.multiple, 1) AS odd_columns
  FROM judged j LEFT JOIN kernel k USING (row_size, inner_size, column_size))
SELECT
  o.name || ' of ' || o.row_size || ' x ' || o.inner_size || ' by ' || o.inner_size || ' x '
    || o.column_size AS subject,
  NULL AS gain_ns,
  'inferred' AS confidence,
  sum(o.calls) AS count,
  o.data_type AS data_type,
  replace(trim(iif(o.odd_inner, ' ' || o.inner_size, '')
    || iif(o.odd_columns, ' ' || o.column_size, '')), ' ', ' and ')
    || iif(o.odd_inner + o.odd_columns > 1, ' are not multiples of ',
      ' is not a multiple of ') || o.multiple AS odd_sizes,
  sum(o.work) * 100.0 / (SELECT sum(work) FROM judged) AS work_pct
FROM odd o
WHERE (o.odd_inner OR o.odd_columns)
  AND NOT EXISTS (SELECT 1 FROM trait x
    WHERE x.trace_id = :trace_id AND x.name IN ('kepler', 'maxwell', 'pascal', 'turing_gtx'))
  AND (SELECT sum(work) FROM odd WHERE odd_inner OR odd_columns) * 100.0
    >= :min_work_pct * (SELECT sum(work) FROM judged)
GROUP BY o.name, o.row_size, o.inner_size, o.column_size, o.data_type
ORDER BY work_pct DESC, count DESC, subject

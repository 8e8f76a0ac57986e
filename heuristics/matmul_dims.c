/*
 * Matrix products in fp16, bf16 or fp8 whose sizes are no multiple of what tensor cores take at a
 * time. One row per operation and size.
 */
#include "tracecoach/heuristic.h"

static const char *const needs[] = {"host", "shapes", "gpu", NULL};
static const char *const reads[] = {"framework_shape", NULL};
static const struct tc_param params[] = {
	{"half_multiple_count", "count", 8, 1, 4096,
		"elements of fp16 or bf16 of which a size should be a multiple; as the "
		"PyTorch guide and profiler have it"},
	{"byte_multiple_count", "count", 16, 1, 4096, "the same of fp8: as many bytes"},
	{"min_work_pct", "pct", 10, 0, 100,
		"share of the multiplications in two-byte and one-byte types, by work, that "
		"do not fit from which they are told; own choice"},
	TC_PARAM_END,
};

static const char sql[] =
	"WITH operand AS (\n"
	"  SELECT f.name, f.input_dims AS dims,\n"
	"    f.name IN ('aten::addmm', 'aten::baddbmm') + 0 AS first,\n"
	"    CASE WHEN f.input_types LIKE '%Half%' THEN 'fp16' WHEN f.input_types LIKE "
	"'%BFloat16%' THEN 'bf16'\n"
	"      WHEN f.input_types LIKE '%Float8%' THEN 'fp8' END AS data_type,\n"
	"    sum(f.count) AS calls\n"
	"  FROM framework_shape f\n"
	"  WHERE f.trace_id = :trace_id AND f.kind = 'matmul' AND f.input_dims IS NOT NULL\n"
	"  GROUP BY f.name, f.input_dims, data_type),\n"
	"pair AS (\n"
	"  SELECT o.name, o.calls, o.data_type, json_extract(o.dims, '$[' || o.first || ']') AS "
	"a,\n"
	"    json_extract(o.dims, '$[' || (o.first + 1) || ']') AS b\n"
	"  FROM operand o\n"
	"  WHERE o.data_type IS NOT NULL),\n"
	"product AS (\n"
	"  SELECT p.name, p.calls, p.data_type, CAST(p.a ->> '$[#-1]' AS INTEGER) AS inner_size,\n"
	"    CAST(iif(p.name = 'aten::linear', p.b ->> '$[0]', p.b ->> '$[#-1]') AS INTEGER) AS "
	"column_size,\n"
	"    CAST(p.a ->> '$[#-2]' AS INTEGER) * iif(p.b -> '$[2]' IS NULL,\n"
	"      coalesce(p.a ->> '$[#-3]', 1) * coalesce(p.a ->> '$[#-4]', 1), 1) AS row_size,\n"
	"    iif(p.b -> '$[2]' IS NULL, 1, coalesce(p.a ->> '$[#-3]', 1)) AS batch_size\n"
	"  FROM pair p\n"
	"  WHERE json_array_length(p.a) > 1 AND json_array_length(p.b) > 1),\n"
	"judged AS (\n"
	"  SELECT p.*, 1.0 * p.row_size * p.inner_size * p.column_size * p.batch_size * p.calls AS "
	"work,\n"
	"    CAST(iif(p.data_type = 'fp8', :byte_multiple_count, :half_multiple_count) AS INTEGER) "
	"AS multiple\n"
	"  FROM product p\n"
	"  WHERE p.row_size > 0 AND p.inner_size > 0 AND p.column_size > 0),\n"
	"odd AS (\n"
	"  SELECT j.*,\n"
	"    j.row_size % j.multiple <> 0 AS odd_rows,\n"
	"    j.inner_size % j.multiple <> 0 AS odd_inner,\n"
	"    j.column_size % j.multiple <> 0 AS odd_columns\n"
	"  FROM judged j)\n"
	"SELECT\n"
	"  o.name || ' of ' || o.row_size || ' x ' || o.inner_size || ' by ' || o.inner_size || ' "
	"x '\n"
	"    || o.column_size AS subject,\n"
	"  NULL AS gain_ns,\n"
	"  'inferred' AS confidence,\n"
	"  sum(o.calls) AS count,\n"
	"  o.data_type AS data_type,\n"
	"  replace(trim(iif(o.odd_rows, ' ' || o.row_size, '')\n"
	"    || iif(o.odd_inner, ' ' || o.inner_size, '')\n"
	"    || iif(o.odd_columns, ' ' || o.column_size, '')), ' ', ' and ') AS odd_sizes,\n"
	"  sum(o.work) * 100.0 / (SELECT sum(work) FROM judged) AS work_pct\n"
	"FROM odd o\n"
	"WHERE (o.odd_rows OR o.odd_inner OR o.odd_columns)\n"
	"  AND (SELECT sum(work) FROM odd WHERE odd_rows OR odd_inner OR odd_columns) * 100.0\n"
	"    >= :min_work_pct * (SELECT sum(work) FROM judged)\n"
	"GROUP BY o.name, o.row_size, o.inner_size, o.column_size, o.data_type\n"
	"ORDER BY work_pct DESC, count DESC, subject\n";

const struct tc_heuristic tc_h_matmul_dims = {
	.id = "matmul-dims",
	.title = "Sizes of matrix products do not fit the tensor cores",
	.advice = "Pad the sizes that you choose (vocabulary, hidden size, number of classes) "
		  "to the next multiple of 8, or 64 where it costs little, and the sequence "
		  "length or batch likewise.",
	.why = "Tensor cores work on blocks of 16 bytes and more; rows that are no "
	       "multiple of that run on slower kernels, or leave a part of each block "
	       "empty.",
	.kind = TC_HEURISTIC_FIX,
	.bucket = TC_BUCKET_NONE,
	.combine = TC_COMBINE_MAX,
	.needs = needs,
	.reads = reads,
	.params = params,
	.sql = sql,
	.source = "PyTorch performance tuning guide (sizes in multiples of 8 for tensor "
		  "cores); the pattern matcher of the PyTorch profiler (fp16 matrix sizes); "
		  "second threshold: own.",
};

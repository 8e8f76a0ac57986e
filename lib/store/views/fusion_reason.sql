-- What kernels over elements are parts of: patterns that one kernel can compute, called one by one, on tensors of one size, by
-- one other host slice. Of several patterns a kernel has the one with the most operators.
CREATE VIEW fusion_reason AS
WITH part(pattern, operator, is_sized, remedy) AS (
	VALUES ('softmax', 'aten::exp', 1, 'torch.softmax'), ('softmax', 'aten::sum', 1, NULL), ('softmax', 'aten::div', 1, NULL),
		('SwiGLU', 'aten::silu', 1, 'a fused silu_and_mul'), ('SwiGLU', 'aten::mul', 1, NULL),
		('RMS normalisation', 'aten::pow', 1, 'torch.nn.functional.rms_norm'), ('RMS normalisation', 'aten::mean', 1, NULL), ('RMS normalisation', 'aten::mul', 1, NULL),
		('residual and RMS normalisation', 'aten::add', 1, 'a fused_add_rms_norm'), ('residual and RMS normalisation', 'aten::pow', 1, NULL),
		('residual and RMS normalisation', 'aten::mean', 1, NULL), ('residual and RMS normalisation', 'aten::mul', 1, NULL),
		('a rotary embedding', 'aten::mul', 1, 'a fused rotary kernel, such as apply_rotary_emb of flash-attn,'), ('a rotary embedding', 'aten::add', 1, NULL),
		('a rotary embedding', 'aten::neg', 0, NULL), ('a rotary embedding', 'aten::cat', 0, NULL),
		('bias, GELU and dropout', 'aten::add', 1, 'torch.compile of the block'), ('bias, GELU and dropout', 'aten::gelu', 1, NULL),
		('bias, GELU and dropout', 'aten::native_dropout', 1, NULL),
		('an update of an optimizer', 'aten::mul_', 1, 'fused=True of torch.optim'), ('an update of an optimizer', 'aten::addcmul_', 1, NULL),
		('an update of an optimizer', 'aten::addcdiv_', 1, NULL)),
call AS MATERIALIZED (
	SELECT n.id, n.trace_id, n.parent_id, l.name AS operator, (SELECT j.value FROM json_each(a.input_dims) j LIMIT 1) AS dims
	FROM op_tree_row n
	JOIN label l ON l.id = n.label_id AND l.name IN (SELECT p.operator FROM part p)
	JOIN op_args a ON a.node_id = n.id
	WHERE n.kind = 'operator' AND n.device_ns > 0 AND a.input_dims IS NOT NULL),
found AS MATERIALIZED (
	SELECT c.trace_id, c.parent_id, c.dims, p.pattern, max(p.remedy) AS remedy, count(DISTINCT p.operator) AS parts
	FROM call c
	JOIN part p ON p.operator = c.operator AND p.is_sized
	GROUP BY c.trace_id, c.parent_id, p.pattern, c.dims
	HAVING count(DISTINCT p.operator) = (SELECT count(*) FROM part q WHERE q.pattern = p.pattern AND q.is_sized)),
whole AS MATERIALIZED (
	SELECT f.*, (SELECT count(*) FROM part q WHERE q.pattern = f.pattern) AS size
	FROM found f
	WHERE NOT EXISTS (SELECT 1 FROM part q WHERE q.pattern = f.pattern AND NOT q.is_sized
		AND NOT EXISTS (SELECT 1 FROM call c WHERE c.trace_id = f.trace_id AND c.parent_id IS f.parent_id AND c.operator = q.operator)))
SELECT
	x.trace_id AS trace_id, -- trace.id
	x.name AS name, -- device operation
	x.pattern AS pattern, -- softmax, SwiGLU, RMS normalisation, residual and RMS normalisation, a rotary embedding, bias, GELU and dropout, or an update of an optimizer
	x.dims AS dims, -- JSON list: sizes of the first input
	x.remedy AS remedy -- what computes all of it in one kernel
FROM (
	SELECT w.trace_id, d.name, w.pattern, w.dims, w.remedy, row_number() OVER (PARTITION BY w.trace_id, d.name
		ORDER BY w.size DESC, total(k.dur_ns) DESC, w.pattern, w.dims) AS place
	FROM whole w
	JOIN call c ON c.trace_id = w.trace_id AND c.parent_id IS w.parent_id AND c.dims = w.dims
	JOIN part p ON p.pattern = w.pattern AND p.operator = c.operator
	JOIN op_tree_row i ON i.op_id = c.id
	JOIN op_kernel_row k ON coalesce(k.capture_id, k.node_id) = i.id
	JOIN label d ON d.id = k.label_id
	GROUP BY w.trace_id, d.name, w.pattern, w.dims) x
WHERE x.place = 1;

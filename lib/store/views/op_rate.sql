-- Work of operators by place in the program, with the peak of the device in their precision.
CREATE VIEW op_rate AS
SELECT
	w.node_id AS node_id, -- op_tree.id
	w.trace_id AS trace_id, -- trace.id
	n.label_id AS label_id, -- label.id
	n.shape AS shape, -- op_tree.shape
	n.slice_id AS slice_id, -- slice.id of the first call; NULL when it is in another trace
	w.work AS work, -- op_work.work
	w.is_matrix AS is_matrix, -- op_work.is_matrix
	coalesce(w.kernel_precision, w.precision) AS precision, -- of the inputs, or tf32 where a kernel says so
	w.flops AS flops, -- of a call; NULL when not known
	w.bytes AS bytes, -- bytes of a call; NULL when not known
	w.run_count AS count, -- calls whose work ran, those in replays of a graph among them
	coalesce((SELECT sum((s.last_step_id - s.first_step_id + 1) * s.count) FROM op_step s WHERE s.node_id = w.node_id), 0) AS step_count, -- those of them that begin in a step
	n.device_ns AS device_ns, -- ns: device operations launched in them, together
	iif(w.is_matrix, f.flops_per_s, NULL) AS peak_flops_per_s, -- precision_peak; NULL for other work, without a data sheet, and for 32 bits where kernels do not say whether tensor cores compute
	1e9 * w.flops / iif(w.is_matrix, f.flops_per_s, NULL) AS flops_ns, -- ns: FLOPs of a call at that peak; NULL when one is not known
	1e9 * w.bytes / iif(w.is_transfer, NULL, d.hbm_bytes_per_s) AS bytes_ns, -- ns: bytes of a call at the peak bandwidth; NULL when one is not known
	iif(w.is_transfer, NULL, d.hbm_bytes_per_s) AS peak_bytes_per_s -- device_peak; NULL without a data sheet, and for copies to and from the device
FROM op_work w
JOIN op_tree_row n ON n.id = w.node_id
LEFT JOIN precision_peak f ON f.trace_id = w.trace_id AND f.precision = coalesce(w.kernel_precision, w.precision)
	AND (w.kernel_precision IS NOT NULL OR w.precision <> 'fp32'
		OR NOT EXISTS (SELECT 1 FROM precision_peak t WHERE t.trace_id = w.trace_id AND t.precision = 'tf32'))
LEFT JOIN device_peak d ON d.trace_id = w.trace_id;

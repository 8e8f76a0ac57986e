-- The columns of framework_op that come from args and device work. ?1 is the trace, ?2 its first slice.

-- Autograd's sequence numbers in steps without a backward pass; other steps do not need them.
UPDATE framework_op SET sequence_number = (
	SELECT iif(a.number >= 0 AND a.number = CAST(a.number AS INTEGER), CAST(a.number AS INTEGER), NULL)
	FROM (SELECT iif(json_valid(t.args), t.args ->> '$."Sequence number"', NULL) AS number
		FROM (SELECT args FROM slice_args WHERE slice_id = framework_op.slice_id LIMIT 1) t LIMIT 1) a)
WHERE trace_id = ?1 AND kind IN ('matmul', 'convolution', 'batch_norm', 'copy')
	AND coalesce(step_id, -1) NOT IN (SELECT coalesce(b.step_id, -1) FROM framework_op b
		WHERE b.trace_id = ?1 AND b.kind IN ('backward', 'optimizer_step'));

-- The size of a tensor made on the host: a list of numbers, or the size of the input that it fills
-- or copies the shape of.
UPDATE framework_op SET (previous_size, previous_dur) = (
	SELECT iif(json_valid(a.args),
			iif(a.args ->> '$."Concrete Inputs"[0]' LIKE '[%',
				replace(a.args ->> '$."Concrete Inputs"[0]', ' ', ''),
				nullif(coalesce(a.args -> '$."Input Dims"[0]', a.args -> '$."Input dims"[0]'), '[]')),
			NULL),
		a.dur
	FROM (SELECT s.dur, t.args FROM slice_row s JOIN slice_args t ON t.slice_id = s.id
		WHERE s.id = framework_op.previous_slice_id LIMIT 1) a)
WHERE trace_id = ?1 AND kind = 'copy' AND (input_copy_count > 0 OR launch_count = 0)
	AND previous_is_host AND previous_slice_id IS NOT NULL;

-- The device work of each row's one launch, in one pass over the links (CROSS JOIN keeps that
-- order). Each operation is weighted with its exclusive share, because only totals have an
-- exclusive time.
WITH work AS (
	SELECT k.launch_slice_id, CAST(sum(s.dur) AS INTEGER) AS device_ns,
		CAST(sum(s.dur * t.share) AS INTEGER) AS exclusive_ns
	FROM device_link k
	CROSS JOIN slice_row s ON s.id BETWEEN k.first_slice_id AND k.last_slice_id
	CROSS JOIN label l ON l.id = s.label_id
	CROSS JOIN (SELECT o.name, o.category, sum(o.exclusive_ns) * 1.0 / max(sum(o.dur_ns), 1) AS share
		FROM op_total o WHERE o.trace_id = ?1 GROUP BY o.name, o.category) t
		ON t.name IS l.name AND t.category IS l.category
	WHERE k.first_slice_id >= ?2
		AND k.launch_slice_id IN (SELECT f.launch_slice_id FROM framework_op f
			WHERE f.trace_id = ?1 AND f.kind IN ('copy', 'bias_add', 'bias_sum', 'check'))
	GROUP BY k.launch_slice_id)
UPDATE framework_op SET (device_ns, exclusive_ns) = (work.device_ns, work.exclusive_ns)
FROM work WHERE framework_op.trace_id = ?1 AND framework_op.kind IN ('copy', 'bias_add', 'bias_sum', 'check')
	AND framework_op.launch_slice_id = work.launch_slice_id;

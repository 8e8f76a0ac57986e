-- Whether a run is training or inference. Autograd, optimizer or backward work on host or device means training; layers
-- of a model (matrix, convolution, embedding operations) without any of that mean inference.
CREATE VIEW run_kind AS
SELECT
	t.id AS trace_id, -- trace.id
	CASE
		WHEN EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id AND h.phase IS NOT NULL)
			OR EXISTS (SELECT 1 FROM op_total o WHERE o.trace_id = t.id AND o.phase IS NOT NULL) THEN 'training'
		WHEN EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id
			AND h.class IN ('matrix', 'convolution', 'attention', 'embedding')) THEN 'inference'
	END AS kind -- training or inference; NULL when the trace shows neither
FROM trace t;

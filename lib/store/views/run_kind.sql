-- Whether a run trains: told by autograd, optimizer and backward work on host or device. A trace with layers of a
-- model (matrix, convolution, embedding operations) and none of that is inference; one without them does not tell.
CREATE VIEW run_kind AS
SELECT
	t.id AS trace_id, -- trace.id
	CASE
		WHEN EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id AND h.phase IS NOT NULL)
			OR EXISTS (SELECT 1 FROM op_total o WHERE o.trace_id = t.id AND o.phase IS NOT NULL) THEN 'training'
		WHEN EXISTS (SELECT 1 FROM host_total h WHERE h.trace_id = t.id
			AND h.class IN ('matrix', 'convolution', 'attention', 'embedding')) THEN 'inference'
	END AS kind -- training or inference; NULL when the trace does not tell
FROM trace t;

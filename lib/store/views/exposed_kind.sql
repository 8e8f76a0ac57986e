-- The kind of collective with the most exposed time. For a send/receive kernel of NCCL, or one whose name shows no kind,
-- it is the kind with the most time according to the arguments of kernels, else the one the host calls most often, else
-- the one in the name.
CREATE VIEW exposed_kind AS
SELECT
	t.id AS trace_id, -- trace.id
	(SELECT CASE WHEN o.collective IN ('send_recv', 'other') THEN coalesce(
			(SELECT c.kind FROM collective c WHERE c.trace_id = t.id
				AND c.kind IN ('all_to_all', 'send_recv', 'gather', 'scatter')
				AND c.name NOT IN (SELECT coalesce(n.name, '') FROM op_total n WHERE n.trace_id = t.id)
				GROUP BY c.kind ORDER BY sum(c.dur) DESC, c.kind LIMIT 1),
			(SELECT h.collective FROM host_total h WHERE h.trace_id = t.id
				AND h.collective IN ('all_to_all', 'send_recv', 'gather', 'scatter')
				GROUP BY h.collective ORDER BY sum(h.count) DESC, h.collective LIMIT 1),
			o.collective)
		ELSE o.collective END
	FROM op_total o WHERE o.trace_id = t.id AND o.collective IS NOT NULL
	GROUP BY 1 HAVING sum(o.exclusive_ns) > 0
	ORDER BY sum(o.exclusive_ns) DESC, 1 LIMIT 1) AS kind -- as in op_total.collective; NULL when none is exposed
FROM trace t;

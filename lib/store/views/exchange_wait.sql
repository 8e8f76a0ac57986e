-- Waits of the host within an exchange of features or embeddings between ranks (mark exchange), such as those for the
-- sizes of what it gets.
CREATE VIEW exchange_wait AS
WITH RECURSIVE up AS (
	SELECT e.id AS id, e.trace_id AS trace_id, e.slice_id AS slice_id
	FROM host_event e
	WHERE e.role IN ('sync', 'output_copy') AND EXISTS (SELECT 1 FROM label m WHERE m.mark = 'exchange')
	UNION ALL
	SELECT u.id, u.trace_id, n.parent_id
	FROM up u
	JOIN slice_nest n ON n.slice_id = u.slice_id
	WHERE n.parent_id IS NOT NULL)
SELECT
	u.id AS id, -- host_event.id
	u.trace_id AS trace_id, -- trace.id
	max(l.name) AS range -- the range around it
FROM up u
JOIN slice_row s ON s.id = u.slice_id
JOIN label l ON l.id = s.label_id AND l.mark = 'exchange'
GROUP BY u.id, u.trace_id;

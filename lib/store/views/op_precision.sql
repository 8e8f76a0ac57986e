-- How kernels compute on inputs of 32 bits, where their names say it: on tensor cores (tf32) or not.
CREATE VIEW op_precision AS
WITH kernel AS (
	SELECT n.op_id AS op_id, l.precision AS precision
	FROM op_kernel_row k
	JOIN label l ON l.id = k.label_id AND l.precision IN ('fp32', 'tf32') AND l.class IN ('matrix', 'convolution', 'attention')
	JOIN op_tree_row n ON n.id = k.node_id
	GROUP BY 1, 2),
outer AS (
	SELECT a.op_id AS op_id, p.op_id AS outer_id, a.precision AS precision
	FROM kernel a
	JOIN op_tree_row o ON o.id = a.op_id
	LEFT JOIN op_tree_row p ON p.id = o.parent_id)
SELECT
	w.node_id AS node_id, -- op_work.node_id
	max(u.precision) AS precision -- tf32 when one of its kernels is, else fp32
FROM op_work w
JOIN (
	SELECT op_id, precision FROM kernel
	UNION SELECT outer_id, precision FROM outer
	UNION SELECT p.op_id, o.precision FROM outer o JOIN op_tree_row t ON t.id = o.outer_id JOIN op_tree_row p ON p.id = t.parent_id) u
	ON u.op_id = w.node_id
WHERE w.is_matrix AND w.precision = 'fp32'
GROUP BY w.node_id;

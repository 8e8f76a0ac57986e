-- Python frames by file, line and function, where stacks were recorded.
CREATE VIEW python_total AS
SELECT
	n.trace_id AS trace_id, -- trace.id
	l.name AS name, -- file(line): function
	sum(n.count) AS count, -- calls
	sum(n.host_ns * n.is_outer) AS host_ns, -- ns: sum of durations, not counting calls within a call of the same name
	sum(n.host_self_ns) AS host_self_ns, -- ns: the same without the time of slices within them
	sum(n.device_count) AS device_count, -- device operations launched in it, but not in a frame within it
	sum(n.device_self_ns) AS device_self_ns, -- ns: sum of their durations
	sum(n.device_ns * n.is_outer) AS device_ns, -- ns: the same with frames within it
	sum(n.self_exclusive_ns) AS self_exclusive_ns, -- ns: busy time attributed to the operations of device_self_ns, as in op_total
	sum(n.exclusive_ns * n.is_outer) AS exclusive_ns -- ns: the same for those of device_ns
FROM op_tree_row n
JOIN label l ON l.id = n.label_id
WHERE n.kind = 'python'
GROUP BY n.trace_id, l.name;

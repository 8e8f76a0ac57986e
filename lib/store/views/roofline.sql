-- What operators of one shape achieve, beside what the device could.
CREATE VIEW roofline AS
SELECT
	r.trace_id AS trace_id, -- trace.id
	l.name AS name, -- operator
	a.input_dims AS input_dims, -- op_args.input_dims
	r.precision AS precision, -- op_rate.precision
	r.work AS work, -- op_work.work
	r.count AS count, -- calls whose work ran, those in replays of a graph among them
	r.device_ns AS device_ns, -- ns: device operations launched in them, together
	r.flops AS flops, -- of a call; NULL when not known
	r.bytes AS bytes, -- bytes of a call, at least; NULL when not known
	1.0 * r.flops / nullif(r.bytes, 0) AS intensity, -- FLOPs a byte
	1e9 * r.flops * r.count / nullif(r.device_ns, 0) AS flops_per_s, -- achieved; NULL without device time
	1e9 * r.bytes * r.count / nullif(r.device_ns, 0) AS bytes_per_s, -- bytes per second achieved, at least
	1e11 * r.flops * r.count / nullif(r.device_ns, 0) / r.peak_flops_per_s AS flops_pct, -- pct of the peak in this precision; NULL when that is not known, and for work of other than matrix cores
	1e11 * r.bytes * r.count / nullif(r.device_ns, 0) / r.peak_bytes_per_s AS bytes_pct, -- pct of the peak bandwidth; above 100 only where caches of the device serve it
	CASE WHEN r.bytes IS NULL THEN NULL
		WHEN NOT r.is_matrix THEN 'memory'
		WHEN r.flops IS NULL THEN NULL
		WHEN r.peak_flops_per_s IS NULL OR r.peak_bytes_per_s IS NULL THEN NULL
		WHEN r.flops * r.peak_bytes_per_s < r.bytes * r.peak_flops_per_s THEN 'memory'
		ELSE 'compute' END AS bound -- compute or memory: what would limit it at its best; NULL when not known
FROM (SELECT o.trace_id, o.label_id, o.shape, o.work, o.is_matrix, o.precision, o.flops, o.bytes, o.peak_flops_per_s, o.peak_bytes_per_s,
		min(o.node_id) AS node_id, CAST(total(o.count) AS INTEGER) AS count, CAST(total(o.device_ns) AS INTEGER) AS device_ns
	FROM op_rate o
	GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) r
JOIN label l ON l.id = r.label_id
JOIN op_args a ON a.node_id = r.node_id;

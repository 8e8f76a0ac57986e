-- How long the device works for calls of an operator with the same arguments (view operator_call). Scans the slices.
CREATE VIEW operator_spread AS
SELECT DISTINCT
	c.trace_id AS trace_id, -- trace.id
	c.name AS name, -- operator
	c.input_dims AS input_dims, -- as in operator_call
	c.input_types AS input_types, -- the same
	c.input_strides AS input_strides, -- the same
	c.concrete_inputs AS concrete_inputs, -- the same
	c.count AS count, -- calls that launched device work
	c.sum_ns AS sum_ns, -- ns: all of them together
	c.mean_ns AS mean_ns, -- ns: their mean
	sqrt(sum((c.device_ns - c.mean_ns) * (c.device_ns - c.mean_ns)) OVER alike / nullif(c.count - 1, 0)) AS std_ns, -- ns: their standard deviation, as of a sample; NULL for one call
	min(c.device_ns) OVER alike AS min_ns, -- ns: the shortest
	nth_value(c.device_ns, (c.count + 1) / 2) OVER alike AS median_ns, -- ns: the median, by nearest rank
	nth_value(c.device_ns, (95 * c.count + 99) / 100) OVER alike AS p95_ns, -- ns: 95 of 100 take no longer, by nearest rank
	max(c.device_ns) OVER alike AS max_ns, -- ns: the longest
	last_value(c.slice_id) OVER alike AS longest_slice_id -- slice.id of that call
FROM (
	SELECT *, count(*) OVER same AS count, sum(device_ns) OVER same AS sum_ns, avg(device_ns) OVER same AS mean_ns
	FROM operator_call
	WINDOW same AS (PARTITION BY trace_id, name, input_dims, input_types, input_strides, concrete_inputs)) c
WINDOW alike AS (PARTITION BY c.trace_id, c.name, c.input_dims, c.input_types, c.input_strides, c.concrete_inputs
	ORDER BY c.device_ns, c.slice_id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);

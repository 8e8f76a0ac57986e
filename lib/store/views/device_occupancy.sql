-- The same of all kernels of a device.
CREATE VIEW device_occupancy AS
SELECT
	k.trace_id AS trace_id, -- trace.id
	k.device AS device, -- as in device_op
	sum(k.count) AS count, -- kernels
	CAST(total(k.dur_ns) AS INTEGER) AS dur_ns, -- ns: sum of their durations
	total(k.occupancy_pct * k.dur_ns) / nullif(total(iif(k.occupancy_pct IS NULL, 0, k.dur_ns)), 0) AS occupancy_pct, -- pct: estimated achieved occupancy
	total(k.sm_efficiency_pct * k.known_ns) / nullif(total(k.known_ns), 0) AS sm_efficiency_pct, -- pct: share of the SMs that have a block while a kernel runs
	100.0 * total(iif(k.uses_tensor_cores, k.dur_ns, 0)) / nullif(total(k.dur_ns), 0) AS tensor_core_pct, -- pct of the time of kernels: those that compute on tensor or matrix cores
	100.0 * total(iif(k.uses_tensor_cores IS NULL, k.dur_ns, 0)) / nullif(total(k.dur_ns), 0) AS tensor_core_unknown_pct -- pct: those of which it is not known
FROM kernel_occupancy k
GROUP BY k.trace_id, k.device;

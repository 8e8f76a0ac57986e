-- Gaps outside of warm-up steps, on the device with the most idle time only: when several devices
-- wait for one host, that time must count once.
CREATE VIEW steady_gap AS
SELECT
	g.id AS id, -- gap.id
	g.trace_id AS trace_id, -- trace.id
	g.device AS device, -- device, as in device_op.device
	s.number AS step, -- step.number; NULL outside of steps
	g.ts AS ts, -- ns: start
	g.dur AS dur, -- ns
	g.cause AS cause, -- see docs/gaps.md
	g.host_slice_id AS host_slice_id, -- slice.id of the host slice that covers most of it; NULL where more of it has no slice
	g.next_launch_slice_id AS next_launch_slice_id, -- slice.id of the launch that ends it
	g.launch_delay_ns AS launch_delay_ns, -- ns: from that launch to the start of its work
	g.count AS count, -- gaps in the row
	g.gap_dur AS gap_dur -- ns: the whole gap, which may have a row per cause; NULL for summed rows
FROM gap g
JOIN idlest_device d ON d.trace_id = g.trace_id AND d.device = g.device
LEFT JOIN step s ON s.id = g.step_id
WHERE coalesce(s.is_warm_up, 0) = 0;

-- Device operations: kernels, copies, sets and other work on device lanes.
CREATE VIEW device_op AS
SELECT
	s.id AS id, -- slice.id
	s.id AS slice_id, -- the same
	w.trace_id AS trace_id, -- trace.id
	w.device AS device, -- args.device, else the pid of the lane, as text
	w.engine AS engine, -- mme, tpc, dma, nic, other; or compute, copy, communication
	w.lane AS lane, -- lane within the device
	w.kind AS kind, -- kernel, memcpy, memset or other
	w.direction AS direction, -- copies: HtoD, DtoH, DtoD, PtoP, HtoH
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns: duration
	w.category AS category, -- cat of the event
	w.name AS name, -- operation
	w.class AS class, -- label.class
	w.precision AS precision, -- label.precision
	w.collective AS collective, -- label.collective
	s.track_id AS track_id, -- track.id
	d.launch_slice_id AS launch_slice_id, -- slice.id of the launching host slice
	d.step_id AS step_id, -- step.id of the step that launched it
	d.method AS launch_method, -- how the launch was matched: see device_link.method; before_recording for work that belongs to no step
	(SELECT a.args FROM slice_args a WHERE a.slice_id = s.id) AS args -- JSON text
FROM slice_row s
JOIN lane_label w ON w.track_id = s.track_id AND w.label_id = s.label_id
LEFT JOIN device_link d ON d.last_slice_id >= s.id AND d.first_slice_id = (
	SELECT max(r.first_slice_id) FROM device_link r WHERE r.first_slice_id <= s.id);

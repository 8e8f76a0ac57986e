-- Allocator events with the host slice that asked for the memory.
CREATE VIEW allocation AS
SELECT
	m.id AS id, -- memory_sample.id
	m.trace_id AS trace_id, -- trace.id
	m.ts AS ts, -- ns
	m.thread_id AS thread_id, -- thread.id
	m.device_type AS device_type, -- 0 is the CPU
	m.device_id AS device_id, -- index of the device, -1 for the CPU
	m.bytes AS bytes, -- bytes: negative for a free
	m.slice_id AS slice_id, -- slice.id of the innermost host slice around it; NULL without any
	l.name AS slice, -- its name
	coalesce(iif(l2.mark IS 'profiler_step', NULL, r2.id), iif(l1.mark IS 'profiler_step', NULL, r1.id), iif(l.mark IS 'profiler_step', NULL, m.slice_id)) AS operator_slice_id, -- slice.id of the operation it is for: the same slice, or the one around slices that only make an empty tensor (mark allocate); NULL when that is a step
	coalesce(iif(l2.mark IS 'profiler_step', NULL, l2.name), iif(l1.mark IS 'profiler_step', NULL, l1.name), iif(l.mark IS 'profiler_step', NULL, l.name)) AS operator -- its name
FROM (SELECT s.*, k.slice_id AS slice_id
	FROM memory_sample s
	LEFT JOIN memory_slice k ON k.memory_id = s.id) m
LEFT JOIN slice_row r ON r.id = m.slice_id
LEFT JOIN label l ON l.id = r.label_id
LEFT JOIN slice_nest n1 ON n1.slice_id = r.id AND l.mark = 'allocate'
LEFT JOIN slice_row r1 ON r1.id = n1.parent_id
LEFT JOIN label l1 ON l1.id = r1.label_id
LEFT JOIN slice_nest n2 ON n2.slice_id = r1.id AND l1.mark = 'allocate'
LEFT JOIN slice_row r2 ON r2.id = n2.parent_id
LEFT JOIN label l2 ON l2.id = r2.label_id;

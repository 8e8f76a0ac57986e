-- Hardware counters of CUPTI's range profiler: one row per range and counter. Scans the slices.
CREATE VIEW range_counter AS
SELECT
	t.trace_id AS trace_id, -- trace.id
	s.id AS slice_id, -- slice.id of the range
	l.name AS range, -- its name; of automatic ranges that of the kernel
	s.ts AS ts, -- ns: start
	s.dur AS dur, -- ns: duration
	j.key AS counter, -- name of the counter
	j.value AS value -- as the file gives it
FROM label l
JOIN slice_row s ON s.label_id = l.id
JOIN track t ON t.id = s.track_id
JOIN slice_args a ON a.slice_id = s.id
JOIN json_each(a.args) j
WHERE l.category = 'cuda_profiler_range';

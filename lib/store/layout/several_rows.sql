-- As in several.sql, on tables that are filled without SQLite (pages/row_pages.h): made when all traces
-- are in.

CREATE INDEX device_link_by_launch ON device_link(launch_slice_id);
CREATE INDEX memory_sample_by_trace ON memory_sample(trace_id);

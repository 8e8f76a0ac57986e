-- As in several.sql, made when all traces are in: on tables that are filled without SQLite
-- (pages/row_pages.h), and on those that nothing asks before.

CREATE INDEX device_link_by_launch ON device_link(launch_slice_id);
CREATE INDEX memory_sample_by_trace ON memory_sample(trace_id);
-- Names are those of all traces, and few of them are what is asked for.
CREATE INDEX label_by_class ON label(class, name) WHERE class IS NOT NULL;
CREATE INDEX label_by_direction ON label(direction, name) WHERE direction IS NOT NULL;

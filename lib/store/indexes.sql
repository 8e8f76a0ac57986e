-- Indexes over what the analysis of a trace writes and only advice and reports read: made once the
-- rows are in, in one go, which takes half of what it takes to keep them row by row. The value of a
-- metric by its name is in the index: the rows of one name are far apart.

CREATE INDEX IF NOT EXISTS metric_by_name ON metric(name, trace_id, step, device, value);
CREATE INDEX IF NOT EXISTS metric_by_step ON metric(trace_id, step, device);

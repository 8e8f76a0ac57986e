-- Indexes that only a store of several traces needs, made with the second one: what is asked of one
-- trace must not take longer for each of the others.

CREATE INDEX host_event_by_trace ON host_event(trace_id);
CREATE INDEX gap_by_trace ON gap(trace_id);
CREATE INDEX framework_op_by_trace ON framework_op(trace_id);
CREATE INDEX device_link_by_launch ON device_link(launch_slice_id);
CREATE INDEX host_block_by_trace ON host_block(trace_id);

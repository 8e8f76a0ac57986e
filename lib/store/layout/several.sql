-- Indexes that only a store of several traces needs, made with the second one: what is asked of one
-- trace must not take longer for each of the others. The rows of a trace lie together.

-- As in indexes.sql.
CREATE INDEX IF NOT EXISTS metric_by_step ON metric(trace_id, step, device);
CREATE INDEX host_event_by_trace ON host_event(trace_id);
CREATE INDEX gap_by_trace ON gap(trace_id);
CREATE INDEX gap_total_by_trace ON gap_total(trace_id);
CREATE INDEX gap_host_by_trace ON gap_host(trace_id);
CREATE INDEX framework_op_by_trace ON framework_op(trace_id);
CREATE INDEX host_block_by_trace ON host_block(trace_id);
CREATE INDEX host_total_by_trace ON host_total(trace_id);
CREATE INDEX step_by_trace ON step(trace_id, ts);
CREATE INDEX track_by_trace ON track(trace_id);
CREATE INDEX compile_by_trace ON compile(trace_id);
CREATE INDEX exposed_transfer_by_trace ON exposed_transfer(trace_id);
CREATE INDEX framework_shape_by_trace ON framework_shape(trace_id);
CREATE INDEX import_log_by_trace ON import_log(trace_id);
CREATE INDEX side_file_by_trace ON side_file(trace_id);
CREATE INDEX trace_meta_by_trace ON trace_meta(trace_id);
CREATE INDEX op_tree_row_by_trace ON op_tree_row(trace_id);
CREATE INDEX op_kernel_row_by_trace ON op_kernel_row(trace_id);
CREATE INDEX op_work_by_trace ON op_work(trace_id);
CREATE INDEX account_by_trace ON account(trace_id);
CREATE INDEX finding_by_trace ON finding(trace_id);
CREATE INDEX trace_by_path ON trace(path);

-- The Gaudi profiler's analysis of graph nodes (analyzed-nodes CSV). NULL where it says nan.
CREATE TABLE node_stat (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	source INTEGER NOT NULL REFERENCES side_file, -- side_file.id
	unit TEXT NOT NULL, -- MME, TPC or DMA
	node_id INTEGER, -- id of the node
	node TEXT NOT NULL, -- name of the node
	op_type TEXT, -- operation
	start_ts INTEGER, -- ns: start, on the profiler's clock
	end_ts INTEGER, -- ns: end
	duration_ns INTEGER NOT NULL, -- ns: from start to end
	active_ns INTEGER, -- ns: time in which the unit works on it
	activation_count INTEGER, -- activations of engines
	engine_count INTEGER, -- engines that work in parallel
	tpc_unexposed_ns INTEGER, -- ns: TPC time under MME
	tpc_exposed_ns INTEGER, -- ns: TPC time not under MME
	mme_unexposed_ns INTEGER, -- ns: MME time under other work
	mme_exposed_ns INTEGER, -- ns: MME time not under other work
	dma_exposed_ns INTEGER, -- ns: DMA time under neither
	mme_utilization_pct REAL, -- pct of what the MME could compute
	mme_expected_pct REAL, -- pct: expected against actual MME time
	tpc_read_pct REAL, -- pct of the bandwidth for input
	tpc_write_pct REAL, -- pct of the bandwidth for output
	bundle INTEGER, -- index of the node's bundle
	mme_node TEXT, -- MME node it comes from
	strategy TEXT, -- how the MME traverses the node
	input_shapes TEXT, -- as the file gives them
	input_types TEXT, -- as the file gives them
	output_shapes TEXT, -- as the file gives them
	output_types TEXT -- as the file gives them
) STRICT;

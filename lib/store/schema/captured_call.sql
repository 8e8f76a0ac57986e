-- Calls while graphs were captured (from cudaStreamBeginCapture, hipStreamBeginCapture to the end of the
-- capture): each became an operation of the graph, and ran nothing.
CREATE TABLE captured_call (
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	capture INTEGER NOT NULL, -- number of the capture in its trace, from 0
	position INTEGER NOT NULL, -- order of time within the capture, from 0
	node_id INTEGER NOT NULL REFERENCES op_tree_row, -- op_tree.id
	is_kernel INTEGER, -- 1 for a call that launches a kernel, 0 for one that copies or fills, NULL for an operator or a module, which is called before its calls
	kernel TEXT, -- name of the kernel, where the trace has it beside the call; else NULL
	PRIMARY KEY (trace_id, capture, position)
) STRICT, WITHOUT ROWID;

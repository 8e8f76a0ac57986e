-- What one call of an operator computes and moves, for those whose inputs say it (lib/names/label/works.def).
CREATE TABLE op_work (
	node_id INTEGER PRIMARY KEY REFERENCES op_tree_row, -- op_tree.id
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	work TEXT NOT NULL, -- formula: see docs/roofline.md
	is_matrix INTEGER NOT NULL, -- 1 for matrix products, convolutions and attention, which tensor and matrix cores compute
	precision TEXT NOT NULL, -- of the inputs: as in label.precision
	flops INTEGER, -- floating-point operations of a call; NULL when the arguments do not say
	bytes INTEGER, -- bytes of its inputs and results; NULL when not known
	batch_count INTEGER, -- matrix work: products of this size in one call; groups of a convolution, heads of attention; NULL, as the next four, when not known
	row_count INTEGER, -- rows of each, rows that are reduced each by itself, or rows or elements that indices choose
	column_count INTEGER, -- columns of each
	inner_count INTEGER, -- elements that are multiplied and added for one of the result
	dilation INTEGER, -- of a convolution
	layout TEXT, -- of the inputs: dense, channels_last, turned (dense, but the first one is not in the order of its dimensions), mixed (different orders of dimensions), gaps (a part of a larger tensor; of matrices: elements of a row lie apart), across (elements of a row that is reduced lie apart); NULL without strides
	run_count INTEGER NOT NULL, -- calls whose work ran: on the host other than while a graph was captured, and in replays of a graph
	kernel_precision TEXT, -- of matrix work on fp32: tf32 where a kernel in it computes on tensor cores, by its name, fp32 where all that say so do not; NULL where none says so, and for other work
	is_transfer INTEGER NOT NULL -- 1 when copies launched in it, but not in an operator within it, go to or from the device
) STRICT;

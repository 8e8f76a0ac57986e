-- In which steps operators of op_work ran: a row for each stretch of steps with as many calls each.
CREATE TABLE op_step (
	node_id INTEGER NOT NULL REFERENCES op_tree_row, -- op_tree.id, as op_work.node_id
	trace_id INTEGER NOT NULL REFERENCES trace, -- trace.id
	first_step_id INTEGER NOT NULL REFERENCES step, -- step.id of the first step
	last_step_id INTEGER NOT NULL REFERENCES step, -- step.id of the last one
	count INTEGER NOT NULL, -- calls of op_work.run_count in each of them; replays of a graph count where they were launched
	PRIMARY KEY (node_id, first_step_id)
) STRICT, WITHOUT ROWID;

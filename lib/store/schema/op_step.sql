-- In which steps operators of op_work ran: a row for each stretch of steps with as many calls each.
CREATE TABLE op_step (
	node_id INTEGER NOT NULL, -- op_work.node_id
	trace_id INTEGER NOT NULL, -- trace.id
	first_step_id INTEGER NOT NULL, -- step.id of the first step
	last_step_id INTEGER NOT NULL, -- step.id of the last one
	count INTEGER NOT NULL, -- calls of op_work.run_count in each of them; replays of a graph count where they were launched
	PRIMARY KEY (node_id, first_step_id)
) STRICT, WITHOUT ROWID;

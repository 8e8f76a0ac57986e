-- Each distinct pair of category and name, with what it means.
CREATE TABLE label (
	id INTEGER PRIMARY KEY, -- label number
	category TEXT, -- cat of the event; NULL when absent
	name TEXT, -- name of the event; NULL when absent
	role TEXT, -- what a host slice of this label does: see docs/roles.md; NULL for none
	engine TEXT, -- device work told by category: compute, copy or communication; NULL for none
	task_engine TEXT, -- engine of a task of this name on a lane of engine compute, which runs all kinds (Ascend streams); NULL: that of the lane
	kind TEXT, -- device work: kernel, memcpy, memset or other; NULL for host labels
	direction TEXT, -- copies: HtoD, DtoH, DtoD, PtoP, HtoH; NULL when not said
	class TEXT, -- what work of that name is, on host and device: see docs/names.md; NULL when the name does not say
	precision TEXT NOT NULL DEFAULT 'unknown', -- device work: fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8 or other; unknown when the name does not say
	collective TEXT, -- communication: all_reduce, all_gather, ...: see docs/names.md; NULL for what is none
	phase TEXT, -- backward or optimizer: what only training has; NULL for the rest
	mark TEXT -- what else advice asks of the name: see docs/names.md; NULL for none
) STRICT;

-- Each distinct pair of category and name, with what it means.
CREATE TABLE label (
	id INTEGER PRIMARY KEY, -- label number
	category TEXT, -- cat of the event; NULL when absent
	name TEXT, -- name of the event; NULL when absent
	role TEXT, -- what a host slice of this label does: see docs/roles.md; NULL for none
	engine TEXT, -- device work, by category: compute, copy or communication; NULL for none
	task_engine TEXT, -- engine of a task of this name on a compute lane that runs all kinds of work (Ascend streams); NULL: that of the lane
	kind TEXT, -- device work: kernel, memcpy, memset or other; NULL for host labels
	direction TEXT, -- copies: HtoD, DtoH, DtoD, PtoP, HtoH; NULL when not recorded
	class TEXT, -- class of the work, on host and device: see docs/names.md; NULL when the name does not show it
	precision TEXT NOT NULL DEFAULT 'unknown', -- device work: fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8 or other; unknown when the name does not show it
	collective TEXT, -- communication: all_reduce, all_gather, ...: see docs/names.md; NULL for other work
	phase TEXT, -- backward or optimizer, which only training has; NULL otherwise
	mark TEXT -- other property of the name that advice needs: see docs/names.md; NULL for none
) STRICT;

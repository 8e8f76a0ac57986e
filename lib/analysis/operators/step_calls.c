/* Stretches of steps; see step_calls.h. */
#include "analysis/operators/step_calls.h"

#include "core/alloc.h"

/* The current step of a node, and the row that its calls may extend. */
struct tc_step_open {
	int32_t step; /* -1 before the first call */
	int64_t count;
	size_t row; /* SIZE_MAX for none */
};

void tc_step_calls_clear(struct tc_step_calls *calls)
{
	tc_free(calls->rows);
	tc_free(calls->open);
	*calls = (struct tc_step_calls){0};
}

/* The step of a node is complete. */
static bool close_step(struct tc_step_calls *calls, uint32_t node)
{
	struct tc_step_open *open = &calls->open[node];

	if (open->step < 0)
		return true;
	struct tc_step_stretch *row = open->row == SIZE_MAX ? NULL : &calls->rows[open->row];
	if (row && row->count == open->count && row->last + 1 == open->step) {
		row->last = open->step;
		return true;
	}
	if (!TC_GROW(calls->rows, calls->capacity, calls->count + 1))
		return false;
	open->row = calls->count;
	calls->rows[calls->count++] =
		(struct tc_step_stretch){node, open->step, open->step, open->count};
	return true;
}

bool tc_step_calls_add(struct tc_step_calls *calls, uint32_t node, int32_t step)
{
	if (!TC_GROW(calls->open, calls->open_capacity, (size_t)node + 1))
		return false;
	while (calls->open_count <= node)
		calls->open[calls->open_count++] = (struct tc_step_open){-1, 0, SIZE_MAX};
	struct tc_step_open *open = &calls->open[node];
	if (open->step != step) {
		if (!close_step(calls, node))
			return false;
		open->step = step;
		open->count = 0;
	}
	open->count++;
	return true;
}

bool tc_step_calls_finish(struct tc_step_calls *calls)
{
	for (size_t i = 0; i < calls->open_count; i++)
		if (!close_step(calls, (uint32_t)i))
			return false;
	calls->open_count = 0;
	return true;
}

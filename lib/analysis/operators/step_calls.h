/*
 * Calls by step of operators whose FLOPs are known: how many calls of a node began in each step.
 * Steps of a training run repeat, so a row covers consecutive steps with the same number of calls.
 */
#ifndef TC_ANALYSIS_OPERATORS_STEP_CALLS_H
#define TC_ANALYSIS_OPERATORS_STEP_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Steps first to last have count calls each. */
struct tc_step_stretch {
	uint32_t node;
	int32_t first, last;
	int64_t count;
};

struct tc_step_calls {
	struct tc_step_stretch *rows;
	size_t count, capacity;
	struct tc_step_open *open; /* by node */
	size_t open_count, open_capacity;
};

void tc_step_calls_clear(struct tc_step_calls *calls);
/* Counts a call of a node in a step. The steps of a node never decrease. False when memory is out.
 * */
bool tc_step_calls_add(struct tc_step_calls *calls, uint32_t node, int32_t step);
/* Call it after the last call. False when memory is out. */
bool tc_step_calls_finish(struct tc_step_calls *calls);

#endif

/* The rows of whatif_step: when each step of a trace is complete, and when it is with a fix. */
#ifndef TC_REPLAY_WHATIF_STEPS_H
#define TC_REPLAY_WHATIF_STEPS_H

#include "replay/run/shifts.h"
#include "store/tables.h"

/* A fix on a trace: a column of its shifts. */
struct tc_whatif_steps {
	int64_t trace_id;
	const char *fix;
	const struct tc_shifts *shifts;
	size_t column;
};

/* Steps whose completion is unknown have no row. */
void tc_whatif_put_step(struct tc_tables *tables, const struct tc_whatif_steps *steps,
	int64_t step_id, size_t step);
/* The same for all steps of the trace, which are in the store. */
void tc_whatif_put_steps(struct tc_tables *tables, const struct tc_whatif_steps *steps);

#endif

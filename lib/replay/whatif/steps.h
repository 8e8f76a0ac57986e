/* The rows of whatif_step: when each step of a trace is complete, and when it is with a fix. */
#ifndef TC_REPLAY_WHATIF_STEPS_H
#define TC_REPLAY_WHATIF_STEPS_H

#include <sqlite3.h>

#include "replay/run/shifts.h"

/* A column of the shifts of a trace. Steps whose completion is unknown have no row. */
enum tc_status tc_whatif_write_steps(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id,
	const char *fix, const struct tc_shifts *shifts, size_t column);

#endif

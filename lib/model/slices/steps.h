/*
 * The steps of a trace: which of its slices they are.
 *
 *   tc_steps_see(), tc_steps_add()   in the order of the file
 *   tc_steps_find()                  when lanes are known, and labels handed over
 *
 * Failures are in the context of the timeline.
 */
#pragma once

#include "core/alloc.h"
#include "model/output.h"
#include "model/tracks/labels.h"
#include "model/tracks/tracks.h"

struct tc_steps {
	struct tc_step_row *rows;
	size_t count, capacity;
	int64_t last_launch_ns, last_op_ns; /* when the last one begins; INT64_MIN: none */
};

static inline void tc_steps_init(struct tc_steps *steps)
{
	*steps = (struct tc_steps){.last_launch_ns = INT64_MIN, .last_op_ns = INT64_MIN};
}

static inline void tc_steps_clear(struct tc_steps *steps)
{
	tc_free(steps->rows);
	tc_steps_init(steps);
}

/* Any slice. */
static inline void tc_steps_see(
	struct tc_steps *steps, const struct tc_span *span, const struct tc_label *label)
{
	if (label->role == TC_ROLE_LAUNCH && span->ts_ns > steps->last_launch_ns)
		steps->last_launch_ns = span->ts_ns;
	if (label->is_op && span->ts_ns > steps->last_op_ns)
		steps->last_op_ns = span->ts_ns;
}

/* A slice that may be a step; number: what its args say, NULL if its name does. */
void tc_steps_add(struct tc_steps *steps, struct tc_ctx *ctx, const struct tc_span *span,
	const struct tc_label *label, const int64_t *number);
/* Moves the steps of the host to the timeline, in time order, with ids from *next_id on. */
void tc_steps_find(struct tc_steps *steps, const struct tc_tracks *tracks,
	struct tc_import_log *log, struct tc_timeline *timeline, int64_t *next_id);

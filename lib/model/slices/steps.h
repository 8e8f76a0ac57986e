/*
 * Steps: the host slices that the profiler's schedule draws, ProfilerStep#N (ProfileStep#N in
 * Paddle), or the user with a step_num (JAX, TensorFlow). Where there are none, two or more turns
 * of a loop that a framework names (vLLM, SGLang, Lightning), on the thread with most of them;
 * turns within a turn do not count. The copies that some tracers draw on device lanes are not
 * steps.
 */
#ifndef TC_MODEL_SLICES_STEPS_H
#define TC_MODEL_SLICES_STEPS_H

#include "model/import_log.h"
#include "model/timeline/timeline.h"
#include "model/tracks/tracks.h"

/* The steps of a trace, in the order of the file. */
struct tc_steps {
	struct tc_import_log *log; /* borrowed */
	struct tc_step_row *rows;
	size_t count, capacity;
	bool are_iterations; /* none has a number of its own */
};

/* Adds a slice; number NULL: its name has the number, if it is a step at all. */
enum tc_status tc_steps_add(struct tc_steps *steps, const struct tc_span *span,
	const struct tc_label *label, const int64_t *number);
/* Moves the steps of the host to the timeline, in time order, with ids from *next_id on. */
enum tc_status tc_steps_finish(struct tc_steps *steps, struct tc_timeline *timeline,
	const struct tc_tracks *tracks, int64_t *next_id);
void tc_steps_clear(struct tc_steps *steps);

#endif

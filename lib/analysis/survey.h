/*
 * Survey: a first pass over the host threads. It finds which threads launch work and carry the
 * steps, the main one among them, and which thread launched the operation that ends each gap.
 */
#pragma once

#include "analysis/silence.h"
#include "analysis/usual.h"
#include "analysis/windows.h"
#include "model/timeline/timeline.h"

struct tc_survey_thread {
	int64_t launch_count, step_count;
	struct tc_interval extent;    /* from its first to its last slice; start > end: none */
	int64_t covered_ns, until_ns; /* time under any slice, for the busiest */
	bool is_synapse;              /* a Gaudi runtime thread */
	bool builds_graphs; /* in lazy mode another thread launches what these build (autograd's) */
	bool is_launching;  /* has steps or launches, builds graphs, or is the busiest of all where
			       no thread does */
	bool is_counted;    /* launching or synapse: its compiles, copies and waits count */
};

/* Operations whose args are checked for shapes: one for each of the first labels. */
enum { TC_SURVEY_SAMPLES = 64 };

struct tc_survey {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	struct tc_survey_thread *threads;
	size_t thread_count;
	int32_t main_thread; /* -1 when there are no host slices */
	bool knows_work;     /* a host slice has a role, is a step or a Python frame; without one
				(user's ranges alone) idle time is not attributed to the host */
	struct tc_server server;
	int64_t slice_count, python_count;
	int64_t clamped_count;          /* slices at ts 0 left out of the times */
	const struct tc_clocks *clocks; /* borrowed; slices of another one are left out likewise */
	bool has_bridge, has_collective, has_device_memory; /* calls of them */
	struct tc_interval host;      /* from the first to the last host slice; start > end: none */
	struct tc_interval launching; /* and of the launching threads */
	bool *seen_labels;
	int64_t samples[TC_SURVEY_SAMPLES]; /* slice ids */
	size_t sample_count;
	struct tc_silences silences;
	struct tc_usual launches; /* how long calls that hand work over usually last */
	uint32_t *tracks;         /* the host threads' tracks */
	size_t track_count;
};

/*
 * Runs the survey. Every gap of the device sweep is read, given its thread and put back.
 * tc_survey_clear() afterwards, also when the context has failed.
 */
void tc_survey_run(struct tc_survey *survey, struct tc_device_tally *devices);
void tc_survey_clear(struct tc_survey *survey);

/*
 * Replay: a recording as a program. Edges say what each point of it waited for:
 *
 *   device work starts   its launch; the work before it on its lane; work of a graph, the end of what the
 *                        graph's engines did, and the first of it the copies of its inputs
 *   a call returns       what it waited for on the device, where it lasted longer than its name
 *                        usually does or is there to wait
 *   a thread goes on     after a silence: what another thread did last; a launching thread: the
 *                        hand-over of its task
 */
#ifndef TC_REPLAY_REPLAY_H
#define TC_REPLAY_REPLAY_H

#include "replay/edit/edit.h"
#include "replay/program/program.h"

/* A recording as a program, with what clauses have to do with it. */
struct tc_replay {
	struct tc_program *program;
	struct tc_clause_sets sets;      /* of the masks of the program */
	struct tc_clause_set used;       /* the clauses that met anything */
	const struct tc_clause *clauses; /* borrowed */
	size_t step_count;
	int64_t first_step_ns;    /* when the first one begins; with steps */
	int64_t idle_ns;          /* of the device that waits most; INT64_MAX without device work */
	int64_t start_ns, end_ns; /* of what counts for the wall time; start > end: nothing does */
};

static inline int64_t tc_replay_wall_ns(const struct tc_replay *replay)
{
	return replay->end_ns > replay->start_ns ? replay->end_ns - replay->start_ns : 0;
}

/* tc_replay_clear() afterwards, also when it failed. */
enum tc_status tc_replay_make(struct tc_replay *recording, const struct tc_timeline *timeline,
	const struct tc_clause *clauses, size_t clause_count);
void tc_replay_clear(struct tc_replay *recording);

#endif

/*
 * Replay: a recording as a program. Edges say what each point of it waited for:
 *
 *   device work starts   after its launch and after the work before it on its lane. Work of a graph
 *                        also waits for the graph's other engines, and the first of it for the
 *                        input copies
 *   a call returns       after the device work it waited for, when it is a wait, or lasted longer
 *                        than is usual for its name
 *   a thread goes on     after a silence: after what another thread did last. A launching thread
 *                        waits for the hand-over of its task
 */
#pragma once

#include <sqlite3.h>

#include "names/hardware/hardware.h"
#include "replay/edit.h"
#include "replay/program.h"

/* A recording as a program, with the clauses that change it. */
struct tc_replay {
	struct tc_program *program;
	struct tc_clause_sets sets;      /* the masks of the program */
	struct tc_clause_set used;       /* the clauses that some slice or operation met */
	const struct tc_clause *clauses; /* borrowed */
	size_t step_count;
	int64_t first_step_ns; /* when the first one begins that is no warm-up; with steps */
	bool has_warm_up;
	bool has_launches; /* known ones; without, no device is known to wait for the host */
	int64_t idle_ns;   /* of the device that waits most; INT64_MAX without device work */
	/* Where calls waited for the workers of a loader: the time in which these deliver a batch.
	 * 0: no call did. */
	int64_t batch_ns;
	int64_t beside_ppm;  /* what compute takes longer beside collectives (contention.h) */
	int64_t place_count; /* most calls in a queue when one waited for a place; 0: none did */
	struct tc_kept kept; /* of products in fp32, in 16 bits; all 0: not known */
	/* of everything that counts as wall time; start > end: nothing does */
	int64_t start_ns, end_ns;
};

static inline int64_t tc_replay_wall_ns(const struct tc_replay *replay)
{
	return replay->end_ns > replay->start_ns ? replay->end_ns - replay->start_ns : 0;
}

/* tc_replay_clear() afterwards, also when it failed. */
enum tc_status tc_replay_make(struct tc_replay *recording, const struct tc_timeline *timeline,
	const struct tc_clause *clauses, size_t clause_count);
/* Writes the slices of a timeline into its store, so that it can be replayed with other edits. */
void tc_replay_keep(const struct tc_timeline *timeline, sqlite3 *db);
/* Makes the recording from a store, as import made it, with other clauses. tc_replay_clear()
 * afterwards. */
void tc_replay_load(struct tc_replay *recording, sqlite3 *db, int64_t trace_id,
	const struct tc_clause *clauses, size_t clause_count, struct tc_ctx *ctx);
void tc_replay_clear(struct tc_replay *recording);

/* What a what-if does with work of a set of clauses: millionths of its time that it takes off, the
 * most that one of their common clauses does at its end of the range, and whether nothing waits.
 * What waits for device work waits for it where the clause leaves some of it. */
struct tc_share {
	int64_t saved_ppm;
	bool frees;
};
struct tc_share tc_replay_share(const struct tc_replay *replay, const struct tc_clause_set *set,
	const struct tc_clause_set *whatif);

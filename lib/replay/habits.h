/*
 * Habits: facts about the whole recording that the edges need first: which host slices launch work,
 * how long the calls of a name last when they do not wait, what each thread does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/silence.h"
#include "analysis/usual.h"
#include "core/collections/arena.h"
#include "model/timeline/timeline.h"
#include "replay/contention.h"
#include "replay/edit.h"
#include "replay/loader.h"
#include "replay/match.h"
#include "replay/walk.h"

/*
 * Lowering: a bridge makes a graph of the operations that it has collected. That takes host time
 * for each node, so a removed node takes its part of that time along. Holds the graphs whose nodes
 * are in the recording, with the host slice that made each.
 */
enum { TC_LOWERED_GROUPS = 4 };

/* A graph: the number of its nodes, and how many of them each set of clauses removes. */
struct tc_lowered {
	int64_t launch_id,
		slice_id; /* the call that launched it; the slice that made it, -1 for none */
	uint32_t node_count;
	struct tc_lowered_group {
		uint32_t clauses; /* bits of the clauses of habits; 0: the group is not used */
		uint32_t node_count;
	} groups[TC_LOWERED_GROUPS]; /* nodes of further sets count as nodes that stay */
};

struct tc_lowerings {
	struct tc_lowered *items;
	size_t count, capacity;
};

/* By slice; called when every slice_id is set. */
const struct tc_lowered *tc_lowerings_of_slice(
	const struct tc_lowerings *lowerings, int64_t slice_id);

struct tc_habit_thread {
	uint32_t roles; /* bits of the roles of its slices */
	bool has_steps, takes_tasks, only_launches;
	bool counts; /* it has steps or launches work, so the recording lasts until it is done */
};

/* A clause that removes nodes, and, where it says so, their launches. */
struct tc_habit_clause {
	size_t clause;
	bool with_launches;
	bool is_chained;            /* it asks for chains of operators */
	bool fuses;                 /* the next clause takes the start of its work */
	struct tc_slice_bits met;   /* calls that launched work of the clause */
	struct tc_slice_bits other; /* calls that launched other work */
	struct tc_slice_bits gone;  /* host slices that launched only work of the clause */
};

/* How far a program runs ahead of its devices: it waits for an event in every step. */
enum { TC_AHEAD_MAX = 16 }; /* steps; a power of two */

struct tc_ahead {
	int64_t *ends_ns; /* by step: when the last work of the step ended; INT64_MIN: no work */
	/* The least number of steps for which it holds that all work of the step so many before a
	 * call that waits for an event had ended when the call returned. 0: not known, or it holds
	 * for the step before the call, and nothing shows that the call waited for it. */
	int32_t lead;
};

/* Work was queued when it starts at most this long after the work before it, and its launch, where
 * it is known, came before that ended. Of such times, and of those from launches to their work, the
 * lowest quarter is usual: what else holds work up makes them longer. Where next to no work was
 * queued, because every launch blocks or the host is slow, it is what recordings show: 1 us on
 * NVIDIA, 7 on AMD. Of others it is not known. */
#define TC_QUEUED_NS INT64_C(10000)
#define TC_NEXT_NS INT64_C(1000)
#define TC_NEXT_ROCM_NS INT64_C(7000)
enum { TC_STARTS_LEAST = 8 }; /* pauses from which their quarter is taken */
enum { TC_STARTS_PART = 4 };

/* From a launch to its work NVIDIA takes 1 to 6 us, and AMD 14 with a profiler; work that comes
 * later than the first of these waited for more. A start has an unknown cause when it is later
 * after all known waits than twice what is usual, and than the second. Our defaults, no published
 * source. */
#define TC_LAUNCHED_NS INT64_C(50000)
#define TC_UNEXPLAINED_NS INT64_C(10000)
enum { TC_LATE_TIMES = 2 };

struct tc_habits {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	struct tc_habit_clause *clauses; /* the clauses that remove nodes */
	size_t clause_count;
	/* The last launch noted, and bits of the clauses that its work meets. */
	int64_t noted_launch;
	uint32_t noted_met;
	struct tc_lowerings lowerings;
	struct tc_slice_bits launches; /* host slices that launched device work */
	struct tc_slice_facts facts;
	struct tc_slice_bits steps; /* host slices that are steps */
	bool *has_recipes;          /* by track */
	struct tc_usual usual;      /* the longest stretches of calls that may wait */
	struct tc_loaders loaders;
	struct tc_habit_thread *threads;
	struct tc_server server;
	struct tc_blocking blocking;
	struct tc_silences silences;
	struct tc_ahead ahead;
	int32_t main_thread; /* the thread of the first step; -1 without steps */
	/* How much of a node's work is done when the next engine of its graph starts on the result;
	 * 1 million where engines take turns. */
	int64_t slice_ppm;
	int64_t start_ns[TC_ENGINE_COUNT]; /* how long the shortest kernel takes; 0: none */
	int64_t queue_ns[TC_ENGINE_COUNT]; /* usual time between work and queued work after it */
	/* a start that is later after all known waits has an unknown cause */
	int64_t unexplained_ns[TC_ENGINE_COUNT];
	int64_t queue_places; /* of a short queue; 0: none shows */
	bool has_collectives;
	struct tc_contention contention;
	int64_t startup_ns[TC_END_COUNT]; /* what a collective takes to start (pipeline.h) */
	/* Tasks that one thread takes over from another, their hand-overs, and the number of a
	 * hand-over minus that of its task, aligned from the end of the recording. */
	int64_t task_count, handover_count, handover_lead;
};

/* tc_habits_clear() afterwards, also when it failed. */
void tc_habits_find(struct tc_habits *habits, const struct tc_timeline *timeline,
	const struct tc_clause *clauses, size_t clause_count);
void tc_habits_clear(struct tc_habits *habits);

/* A call that may wait for a device: by its role, or because it hands work over. */
bool tc_may_wait(const struct tc_timeline *timeline, const struct tc_span *span);
/* The slice hands a task to the launching thread, or takes one. */
static inline bool tc_is_handover(const struct tc_label *label)
{
	return label->mark == TC_MARK_BRIDGE_HANDOVER;
}

static inline bool tc_is_task(const struct tc_label *label)
{
	return label->call_class == TC_CALL_LAUNCH_TASK;
}

/*
 * Habits: what has to be known of a recording before its edges can be: which host slices launch
 * work, how long the calls of a name last when they wait for nothing, what each thread does.
 */
#ifndef TC_REPLAY_HABITS_HABITS_H
#define TC_REPLAY_HABITS_HABITS_H

#include "model/timeline/timeline.h"
#include "replay/edit/edit.h"
#include "replay/habits/lowering.h"
#include "replay/walk/slice_bits.h"
#include "replay/walk/walk.h"

struct tc_habit_thread {
	uint32_t roles; /* bits of the roles of its slices */
	bool has_steps, takes_tasks, only_launches;
	bool counts; /* the recording lasts until it is done: it has steps, or launches work */
};

/* A clause by which nodes go, and where it says so, with their launches. */
struct tc_habit_clause {
	size_t clause;
	bool with_launches;
	struct tc_slice_bits met,
		other;             /* calls that launched work of the clause, and other work */
	struct tc_slice_bits gone; /* host slices that launched nothing else */
};

struct tc_habits {
	const struct tc_timeline *timeline;
	struct tc_habit_clause *clauses; /* those by which nodes go */
	size_t clause_count;
	/* Of the launch that was noted last: bits of the clauses that its work meets. */
	int64_t noted_launch;
	uint32_t noted_met;
	struct tc_lowerings lowerings;
	struct tc_slice_bits launches; /* host slices that launched device work */
	struct tc_slice_facts facts;
	struct tc_slice_bits steps; /* host slices that are steps */
	bool *has_recipes;          /* by track */
	int64_t *
		usual_ns; /* by label: the longest stretch of calls that do not wait; for those that may */
	struct tc_habit_thread *threads;
	int32_t main_thread; /* with the first step; -1 without steps */
	/* How much of a node's work is done when the next engine of its graph starts on the result; 1
	 * million where engines take turns. */
	int64_t slice_ppm;
	bool has_collectives; /* that are launched like other work */
	bool loader_keeps_up; /* the workers of the loader do; calls of it only cost what they cost */
	/* Tasks that one thread takes over from another, and their hand-overs; the number of a
	 * hand-over less that of its task, as it seems at the end of the recording. */
	int64_t task_count, give_count, give_lead;
};

/* tc_habits_clear() afterwards, also when it failed. */
enum tc_status tc_habits_find(struct tc_habits *habits, const struct tc_timeline *timeline,
	const struct tc_clause *clauses, size_t clause_count);
void tc_habits_clear(struct tc_habits *habits);

/* A call that may wait for a device: by its role, or because it hands work over. */
bool tc_may_wait(const struct tc_timeline *timeline, const struct tc_span *span);
/* The slice hands a task to the launching thread; it takes one. */
bool tc_is_give(const struct tc_label *label);
bool tc_is_task(const struct tc_label *label);

#endif

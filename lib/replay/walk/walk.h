/*
 * Walk: a timeline as begins and ends of host slices and of device work, in one order of time. At
 * one instant device work ends first, then host slices end, host slices begin, device work starts;
 * what has no length ends after the others of its kind have begun. In memory is what is open.
 *
 * Logs of one operating-system thread are one thread here. The calls that a runtime logs without
 * saying whose they are belong to the thread whose shortest open slice holds them.
 */
#ifndef TC_REPLAY_WALK_WALK_H
#define TC_REPLAY_WALK_WALK_H

#include "model/timeline/timeline.h"

/* An open host slice; the first member of a larger struct of the user, zeroed at its begin. */
struct tc_walk_slice {
	struct tc_span span;
	int64_t end_ns;
	uint64_t sequence;
	uint32_t thread;
	struct tc_walk_slice *around; /* the innermost slice of its thread that holds it, or NULL */
	struct tc_walk_slice *below, *above; /* the slices of its thread that are open, by begin */
};

/* Device work under way, likewise. */
struct tc_walk_op {
	struct tc_span span;
	int64_t end_ns;
	uint64_t sequence;
	enum tc_engine engine;
};

struct tc_walk {
	void *user;
	size_t slice_bytes, op_bytes; /* sizes of the user's structs */
	/* The slice is on its thread's list from after its begin until after its end. */
	enum tc_status (*slice_begins)(void *user, struct tc_walk_slice *slice);
	enum tc_status (*slice_ends)(void *user, struct tc_walk_slice *slice);
	enum tc_status (*op_starts)(void *user, struct tc_walk_op *op); /* NULL: host alone */
	enum tc_status (*op_ends)(void *user, struct tc_walk_op *op);
};

/* Walks everything. Ends early with the first status that is not TC_OK, or when interrupted. */
enum tc_status tc_walk_run(const struct tc_walk *walk, const struct tc_timeline *timeline);

#endif

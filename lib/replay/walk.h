/*
 * Walk: visits the begins and ends of host slices and device work of a timeline in one order of
 * time. At one instant device work ends first, then host slices end, then host slices begin, then
 * device work starts. Work without a duration ends after the others of its kind have begun. Memory
 * holds only what is open.
 *
 * Several logs of one operating-system thread are one thread here. Calls that a runtime logs
 * without their thread belong to the thread whose shortest open slice encloses them.
 */
#pragma once

#include "core/collections/arena.h"
#include "model/timeline/timeline.h"

/* An open host slice. It is the first member of a larger struct of the user, zeroed when it
 * begins. */
struct tc_walk_slice {
	struct tc_span span;
	int64_t end_ns;
	uint64_t sequence;
	uint32_t thread;
	/* The innermost slice of its thread that holds it, or NULL. When the slice that began last
	 * ends, this one is the last that began of those still open. */
	struct tc_walk_slice *around;
};

/* Device work under way, used in the same way. */
struct tc_walk_op {
	struct tc_span span;
	int64_t end_ns;
	uint64_t sequence;
	enum tc_engine engine;
};

struct tc_walk {
	void *user;
	size_t slice_bytes, op_bytes; /* sizes of the user's structs */
	void (*slice_begins)(void *user, struct tc_walk_slice *slice);
	void (*slice_ends)(void *user, struct tc_walk_slice *slice);
	/* NULL: walks the host alone */
	void (*op_starts)(void *user, struct tc_walk_op *op);
	void (*op_ends)(void *user, struct tc_walk_op *op);
};

/* Stops when the context of the timeline has failed, or is interrupted. */
void tc_walk_run(const struct tc_walk *walk, const struct tc_timeline *timeline);

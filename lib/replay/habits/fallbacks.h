/*
 * Fallbacks: host slices that compute on the CPU what could be computed on the device. Either an
 * operation copies from the device and back to it, or operations that call no device follow a copy of
 * the framework from the device; then that copy belongs to them, and the copy back where one follows.
 */
#ifndef TC_REPLAY_HABITS_FALLBACKS_H
#define TC_REPLAY_HABITS_FALLBACKS_H

#include "model/timeline/timeline.h"
#include "replay/walk/slice_bits.h"
#include "replay/walk/walk.h"

/* What is within a slice, or the slice itself: work is launched; copies to and from the device are made,
 * as their roles say; waits in operations that copy. */
struct tc_within {
	bool launches, reads, writes;
	uint32_t copy_wait_count;
};

/* Of a thread: a copy of the framework read from the device, and no call has concerned one since. */
struct tc_on_cpu {
	bool has_read, has_computed; /* since then, operations computed on the CPU */
	int64_t read_id;             /* its slice */
};

/* Adds what the role of a slice tells of itself. */
void tc_within_itself(struct tc_within *within, const struct tc_timeline *timeline,
	const struct tc_walk_slice *slice);
void tc_within_join(struct tc_within *around, const struct tc_within *within);

/* Looks at a slice that ends, and sets the bits of slices that are fallbacks. False when memory is out. */
bool tc_fallbacks_note(struct tc_slice_bits *fallbacks, struct tc_on_cpu *thread,
	const struct tc_timeline *timeline, const struct tc_walk_slice *slice,
	const struct tc_within *within);

#endif

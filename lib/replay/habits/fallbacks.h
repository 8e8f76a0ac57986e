/*
 * Fallbacks: host slices that compute on the CPU what the device could compute. There are two
 * patterns. An operation copies from the device and back to it. Or operations that call no device
 * follow a copy of the framework from the device; then that copy belongs to them, and so does a
 * copy back after them.
 */
#ifndef TC_REPLAY_HABITS_FALLBACKS_H
#define TC_REPLAY_HABITS_FALLBACKS_H

#include "model/timeline/timeline.h"
#include "replay/walk/slice_bits.h"
#include "replay/walk/walk.h"

/* What a slice encloses, itself included: launches, and those of kernels; copies to and from the
 * device, by their roles; waits in operations that copy in a direction that no call shows. */
struct tc_within {
	bool launches, kernels, reads, writes;
	bool is_round_trip; /* a copy to the device after one from it */
	uint32_t copy_wait_count;
	bool is_in_copy; /* the other way round: a framework copy encloses the slice */
};

/* State of a thread: a framework copy has read from the device, and no device call came since. */
struct tc_on_cpu {
	bool has_read, has_computed; /* has_computed: since then, operations ran on the CPU */
	int64_t read_id;             /* slice id of that copy */
};

/* Adds what the slice's own role shows. */
void tc_within_itself(struct tc_within *within, const struct tc_timeline *timeline,
	const struct tc_walk_slice *slice);
void tc_within_join(struct tc_within *around, const struct tc_within *within);

/* A copy of the framework, which says no direction itself, from the device. */
bool tc_is_read(const struct tc_label *label, const struct tc_within *within);

/* Looks at a slice that ends, and sets the bits of slices that are fallbacks. */
void tc_fallbacks_note(struct tc_slice_facts *facts, struct tc_on_cpu *thread,
	const struct tc_timeline *timeline, const struct tc_walk_slice *slice,
	const struct tc_within *within);

#endif

/*
 * Roof: how much of what the device can do an operator reaches, at one shape of its inputs. A call
 * takes at least its FLOPs at the peak rate, and at least its bytes at the peak bandwidth: the
 * longer of these is its roof. No kernel takes less than a few microseconds to start and end, which
 * counts as reached. The share is that time in the time that the kernels of the call took. Low
 * shares are in classes, from 1, which edits ask for (edit.h).
 *
 * A product that takes 100 us and could take 16 reaches (16 + 4) / 100, and is in class 6.
 */
#pragma once

#include "core/collections/arena.h"
#include "model/timeline/timeline.h"

enum {
	TC_ROOF_CLASSES = 10,
	TC_ROOF_CLASS = 4, /* pct of the roof in a class */
	TC_ROOF_FAST = 15, /* the class of all shares above the others */
	/* ns that a kernel takes whatever it computes: measured launches of empty kernels last 2 to
	 * 5 us on devices of today. The heuristic below-roof has it as a parameter. */
	TC_ROOF_START_NS = 4000,
};

/* The share of its time that work of a class keeps when it reaches a share of its roof. Work that
 * reaches half of the goal is as it should be, and keeps its time. */
double tc_roof_kept(unsigned share_class, double goal, double reached);

/* Device time of the calls of one operator at one shape. */
struct tc_roof_sum {
	int64_t device_ns, call_count;
	bool has_fp32, has_tf32; /* what names of kernels say */
};

/* Device time by launching call, and sums by number of the timeline's works. */
struct tc_roof {
	uint32_t **launched; /* by slice id: 8 ns units, and above them bits of precisions */
	size_t launched_count;
	struct tc_roof_sum *sums;
	uint8_t *classes; /* by number of the timeline's works; 0: the share is not known */
};

/* Without peaks it stays empty. The arena must outlive it. */
void tc_roof_init(struct tc_roof *roof, struct tc_arena *arena, const struct tc_timeline *timeline);
/* Takes device work. */
void tc_roof_see(struct tc_roof *roof, struct tc_arena *arena, const struct tc_timeline *timeline,
	const struct tc_span *span);
/* Adds what a call launched to the sum of an operator around it. */
void tc_roof_add(struct tc_roof *roof, uint32_t work, int64_t launch_slice_id);
/* Puts operators into classes, when all sums are complete. */
void tc_roof_find(struct tc_roof *roof, const struct tc_timeline *timeline);

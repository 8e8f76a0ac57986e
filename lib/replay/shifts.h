/*
 * Shifts: runs the program of a recording for several what-ifs at once. Without clauses all shifts
 * are 0, so the replay of the unchanged recording is the recording.
 */
#pragma once

#include "core/collections/arena.h"
#include "replay/places.h"
#include "replay/replay.h"

/* A gain with its range. */
struct tc_gain {
	int64_t likely_ns, low_ns, high_ns;
};

/* The gain of one what-if. */
struct tc_won {
	int64_t end_ns;   /* how much earlier the recording ends */
	int64_t gain_ns;  /* over the recording, computed from its steady steps where it has some */
	int64_t joint_ns; /* the same also of what the clauses take off other ranks */
	int64_t step_before_ns, step_after_ns; /* a steady step; 0 with fewer than 3 steps */
	int64_t steady_ns;  /* time that steady steps fill; 0 with fewer than 3 */
	int64_t removed_ns; /* host time, device work and waits that its clauses take off */
	/* No fix of these clauses gains more: a device still has to do its work, without what they
	 * take off. */
	int64_t most_ns;
	/* How far the gain may lie from that of a long run, because steps vary: the farther one of
	 * those that the two halves of the steps show. 0 without steady steps. */
	int64_t spread_ns;
};

struct tc_shifts {
	struct tc_arena arena;
	struct tc_won *won; /* by what-if */
	size_t whatif_count;
	/* When a step is complete: by step; and by step and what-if. INT64_MIN: unknown. */
	int64_t *complete_ns, *complete_then_ns;
	size_t step_count;
};

/*
 * The range of a gain: from low to high, which are the gains with shares at their ends, or the
 * likely one again. Steps vary, and the replay itself is wrong by some percent; both widen it, up
 * to the most that the devices allow.
 */
struct tc_gain tc_gain_between(
	const struct tc_won *likely, const struct tc_won *low, const struct tc_won *high);

/* whatifs: sets of the replay's clauses. One that has all clauses of another gains no less.
 * tc_shifts_clear() afterwards, also when it failed. */
enum tc_status tc_shifts_run(struct tc_shifts *shifts, struct tc_ctx *ctx,
	const struct tc_replay *replay, const struct tc_clause_set *whatifs, size_t whatif_count);
void tc_shifts_clear(struct tc_shifts *shifts);

/* What a step ends with. */
struct tc_stepper_end {
	int64_t host_ns;     /* how long the host had worked when it was done; INT64_MIN: unknown */
	int64_t host_end_ns; /* when that was; INT64_MIN: unknown */
	/* The device whose work completes the step, and how long that was busy until then. */
	uint16_t device; /* index + 1; 0: no device work is known */
	int64_t busy_ns;
};

/* How far a what-if is. */
struct tc_stepper_whatif {
	int64_t host_saved_ns; /* of the host's work, gone so far */
	struct tc_places places;
};

/*
 * A stepper takes one operation of a program at a time, so that the recordings of several ranks can
 * take turns (world.h).
 */
struct tc_stepper {
	struct tc_arena arena;
	struct tc_shifts *out;
	const struct tc_replay *replay;
	size_t width; /* what-ifs */
	int64_t *slots;
	int64_t *nothing;           /* shifts of everything outside of the recording: 0 */
	int32_t *shares;            /* by mask and what-if, millionths */
	int64_t *frees;             /* by mask and what-if: all bits set or none */
	int64_t *device_removed_ns; /* by what-if: work that kept a device busy, and its waits */
	int64_t *first_touch_ns;    /* by what-if: the earliest time that its clauses change */
	int64_t *new_end_ns, end_ns;
	/* By what-if: how much earlier the run begins, its first step or, without steps, the first
	 * work of devices; and when their last work ends. */
	int64_t *begin_shift_ns, *device_new_end_ns, device_first_ns, device_end_ns;
	struct tc_stepper_end *step_ends; /* by step */
	int64_t waited_ns;                /* for other ranks, in collectives */
	int64_t *host_saved_ns; /* by step and what-if: that of the what-if at the step's end */
	struct tc_stepper_whatif *whatifs;
};

/* Results go to out, which stays. tc_stepper_close()
 * afterwards, also when it failed. */
void tc_stepper_open(struct tc_stepper *stepper, struct tc_shifts *out, struct tc_ctx *ctx,
	const struct tc_replay *replay, const struct tc_clause_set *whatifs, size_t whatif_count);
static inline void tc_stepper_close(struct tc_stepper *stepper)
{
	tc_arena_clear(&stepper->arena);
	*stepper = (struct tc_stepper){0};
}

/* Runs the next operation of the program. Operations where ranks meet are skipped. */
void tc_stepper_run(struct tc_stepper *stepper, const struct tc_replay_op *op);
/* Computes the gains, after the last operation. */
void tc_stepper_settle(struct tc_stepper *stepper, struct tc_ctx *ctx);

/* The shifts of a slot, by what-if. */
static inline int64_t *tc_stepper_slot(const struct tc_stepper *stepper, uint32_t slot)
{
	return slot == TC_SLOT_NONE ? stepper->nothing : stepper->slots + slot * stepper->width;
}

/* Millionths of its time that the what-if takes off work with the mask. */
static inline int32_t tc_stepper_share(
	const struct tc_stepper *stepper, uint16_t mask, size_t whatif)
{
	return mask ? stepper->shares[mask * stepper->width + whatif] : 0;
}

/* No shift is larger, so the sum of two cannot overflow. */
#define TC_SHIFT_MAX_NS (INT64_C(1) << 61)
static inline int64_t tc_shift_bounded(int64_t shift_ns)
{
	return shift_ns < TC_SHIFT_MAX_NS ? shift_ns : TC_SHIFT_MAX_NS;
}

/* The what-if takes ns off at the operation. */
void tc_stepper_touch(
	struct tc_stepper *stepper, size_t whatif, const struct tc_replay_op *op, int64_t ns);

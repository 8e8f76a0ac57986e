/*
 * A recording as a program of shifts. A point of the recording (work begins, work ends, a call
 * returns) has a shift: how much earlier it happens in a replay. The program says how shifts follow
 * from each other; it depends on the recording alone, so that any number of what-ifs run it
 * (shifts.h), and the critical path reads it backwards (path.h).
 *
 * Shifts are in slots. A slot is written before it is read, and may be written again later.
 * The operations are in time order in a spill file, so memory does not grow with the trace.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/alloc.h"
#include "core/text.h"
#include "core/sort/spill.h"
#include "replay/edit.h"
#include "tracecoach/context.h"

#define TC_SLOT_NONE UINT32_MAX

enum tc_replay_kind {
	/* dst is a new point at time_ns that waited for src; without src it waited for nothing. */
	TC_REPLAY_POINT,
	/*
	 * dst waited for src as well. amount_ns is how much sooner dst was ready by what it has
	 * waited for so far than by src; negative: how much later. Clauses of the mask free it
	 * from waiting for src. A src without a number is outside of the recording: no edit makes
	 * it earlier. With the piece HOST, a wait for src is a part of the call on dst, and the
	 * critical path does not leave it.
	 */
	TC_REPLAY_JOIN,
	/* Clauses of the mask take their share of amount_ns off before dst. */
	TC_REPLAY_SAVE,
	/* A SAVE for time that another SAVE already counts: the part of some work that lies
	 * before dst. */
	TC_REPLAY_SAVE_PART,
	/* A SAVE of time that does not keep a device busy alone: a copy or a collective beside
	 * compute or on a lane of its own, and the gap before some work. */
	TC_REPLAY_SAVE_BESIDE,
	/* dst has worked for amount_ns until time_ns; only the critical path uses it. With a mask
	 * it is a SAVE of that time first. */
	TC_REPLAY_SPEND,
	/* Step number src has work that ends with dst, on the host or on a device; amount_ns is how
	 * long the main thread has worked until then, or waited for other threads that worked, or
	 * how long the device was busy. */
	TC_REPLAY_STEP_HOST,
	TC_REPLAY_STEP_DEVICE,
	/* dst begins the first work of a device, or, with the piece HOST, the first step that is
	 * no warm-up. The time before it is start-up, or no part of the run. */
	TC_REPLAY_FIRST,
	/* The recording ends no earlier than dst. */
	TC_REPLAY_END,
	/* dst begins or ends a collective, or a lane's part of one; amount_ns is its slice. Clauses
	 * of the mask of the end change the collective itself. Used where ranks are replayed
	 * together (world.h). */
	TC_REPLAY_ARRIVE,
	TC_REPLAY_MEET,
	/* After a MEET, whose time it has: dst is the last boundary of compute on the collective's
	 * device, src how long before the collective's start that was, in ns. Compute ran beside
	 * the collective for amount_ns. */
	TC_REPLAY_EASE,
	/* Places in a queue (places.h). ENTER: it has amount_ns calls more, or one less that has no
	 * work, which clauses of the mask remove; dst is their thread. LEAVE: work of a call, which
	 * clauses of the mask remove, has ended with dst; with an amount, it is more work of the
	 * last one. PLACE: in dst a place comes free, in the recording with the last work that
	 * ended. HOLD: a call of dst, which clauses of the mask remove, has had a place, with
	 * amount_ns places left. */
	TC_REPLAY_ENTER,
	TC_REPLAY_LEAVE,
	TC_REPLAY_PLACE,
	TC_REPLAY_HOLD,
};

/* What the time before a point was spent on. */
enum tc_piece {
	TC_PIECE_NONE,
	TC_PIECE_HOST,   /* host work; role says which */
	TC_PIECE_DEVICE, /* device work; engine says which */
	TC_PIECE_LAUNCH, /* from a launch to the start of the launched work */
	TC_PIECE_QUEUE,  /* from the end of other work to the start */
	TC_PIECE_WAKE,   /* from the end of a thread's wait until it goes on */
};

const char *tc_piece_name(enum tc_piece piece);   /* "host", as in critical_path.piece */
enum tc_piece tc_piece_find(struct tc_text name); /* NONE for other texts */

struct tc_replay_op {
	uint8_t kind;  /* enum tc_replay_kind */
	uint8_t piece; /* enum tc_piece, of POINT, JOIN and SPEND */
	uint16_t mask; /* number of a clause set, 0 for none (clauses.h) */
	uint32_t dst, src;
	uint32_t label; /* index of the timeline's labels, or UINT32_MAX */
	uint16_t role_or_engine;
	uint16_t device; /* index of the timeline's devices + 1; 0 for the host */
	uint32_t track;  /* index of the timeline's tracks + 1, of SPEND and device work; else 0 */
	int64_t time_ns, amount_ns;
};

struct tc_program;

struct tc_program *tc_program_new(struct tc_ctx *ctx); /* NULL when it fails */
void tc_program_free(struct tc_program *program);      /* NULL is fine */

/* A SAVE and a SPEND of the same time become one operation. */
void tc_program_add(struct tc_program *program, const struct tc_replay_op *op);
/* No operation is added afterwards. */
void tc_program_end(struct tc_program *program);
/* Moves the operations from its file to one that several programs share, which is borrowed. From
 * then on failures are in ctx; after one the program is of no use, except to be freed. */
void tc_program_move(struct tc_program *program, struct tc_ctx *ctx, struct tc_spill *spill);

/* All slots are numbered below this. */
uint32_t tc_program_slot_count(const struct tc_program *program);

/* Calls visit for all operations, in order, until the context has failed. */
typedef void (*tc_program_visit_fn)(void *user, const struct tc_replay_op *op);
void tc_program_each(struct tc_program *program, tc_program_visit_fn visit, void *user);

/* The operations by blocks, for other orders. *ops borrows block number index, *count operations,
 * until the next call on the program. */
size_t tc_program_block_count(const struct tc_program *program);
void tc_program_block(
	const struct tc_replay_op **ops, size_t *count, struct tc_program *program, size_t index);

/* The latest calls that have launched work which may not have started yet, by slice id. */

/* A point of the recording, held in a slot. */
struct tc_point {
	uint32_t slot; /* TC_SLOT_NONE: no point */
	int64_t time_ns;
};

#define TC_POINT_NONE ((struct tc_point){TC_SLOT_NONE, 0})

struct tc_launching {
	int64_t slice_id;
	uint32_t thread;
	bool has_started;    /* some of its work has started */
	struct tc_point end; /* unset while the call is open: its thread's point holds then */
	tc_terms inside;     /* what encloses it, see match.h */
	int32_t step;        /* in which its task was handed over; -1 without a task */
	uint16_t gone_mask;  /* clauses that remove it */
	uint32_t next;       /* next of its bucket */
};

/* More than runtimes let wait in their queues. */
enum { TC_LAUNCHING_KEPT = 4096, TC_LAUNCHING_BUCKETS = 8192 };

struct tc_launching_table {
	struct tc_launching items[TC_LAUNCHING_KEPT];
	uint32_t buckets[TC_LAUNCHING_BUCKETS];
	size_t count; /* of all that were added; the next is item count % TC_LAUNCHING_KEPT */
};

static inline void tc_launching_init(struct tc_launching_table *launches)
{
	launches->count = 0;
	for (size_t i = 0; i < TC_LAUNCHING_BUCKETS; i++)
		launches->buckets[i] = UINT32_MAX;
}
/* NULL when it is unknown or too old. */
struct tc_launching *tc_launching_find(struct tc_launching_table *launches, int64_t slice_id);
/* Adds one; *dropped is the one that it replaces, with slice id -1 for none. */
struct tc_launching *tc_launching_add(
	struct tc_launching *dropped, struct tc_launching_table *launches, int64_t slice_id);

/* Slots of a program while it is made, and the operations that write them. */

struct tc_slots {
	struct tc_ctx *ctx;
	struct tc_program *program;
	struct tc_clause_sets *sets;
	struct tc_clause_set *used;
	uint32_t *holders; /* how many hold the point, by slot */
	uint32_t *unused;
	size_t count, holder_capacity, unused_count, unused_capacity;
};

static inline void tc_slots_clear(struct tc_slots *slots)
{
	tc_free(slots->holders);
	tc_free(slots->unused);
}

/* A slot with one holder; TC_SLOT_NONE after a failure. */
uint32_t tc_slot_take(struct tc_slots *slots);
/* One holder more; NONE is fine. */
static inline void tc_slot_hold(struct tc_slots *slots, uint32_t slot)
{
	if (slot != TC_SLOT_NONE)
		slots->holders[slot]++;
}
void tc_slot_release(struct tc_slots *slots, uint32_t slot); /* one less; NONE is fine */
/* Makes *holder hold the point instead of its present one. */
void tc_point_hold(struct tc_slots *slots, struct tc_point *holder, struct tc_point point);

/* The number of a clause set for use as a mask; its clauses count as used. */
uint16_t tc_slots_mask(struct tc_slots *slots, const struct tc_clause_set *set);

void tc_slots_add(struct tc_slots *slots, const struct tc_replay_op *op);
/* Takes off time that ended at time_ns, in a slot. */
static inline void tc_slots_save(
	struct tc_slots *slots, uint32_t slot, int64_t time_ns, int64_t amount_ns, uint16_t mask)
{
	const struct tc_replay_op op = {.kind = TC_REPLAY_SAVE,
		.mask = mask,
		.dst = slot,
		.label = UINT32_MAX,
		.time_ns = time_ns,
		.amount_ns = amount_ns};

	if (mask && amount_ns > 0)
		tc_slots_add(slots, &op);
}

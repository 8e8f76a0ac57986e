/* Slots of a program while it is made, and the operations that write them. */
#ifndef TC_REPLAY_PROGRAM_SLOTS_H
#define TC_REPLAY_PROGRAM_SLOTS_H

#include "replay/edit/clauses.h"
#include "replay/program/launching.h"

struct tc_slots {
	struct tc_ctx *ctx;
	struct tc_program *program;
	struct tc_clause_sets *sets;
	struct tc_clause_set *used;
	enum tc_status status; /* the first failure; nothing is added after it */
	uint32_t *holders;     /* how many hold the point, by slot */
	uint32_t *unused;
	size_t count, holder_capacity, unused_count, unused_capacity;
};

void tc_slots_clear(struct tc_slots *slots);

/* A slot with one holder; TC_SLOT_NONE after a failure. */
uint32_t tc_slot_take(struct tc_slots *slots);
void tc_slot_hold(struct tc_slots *slots, uint32_t slot);    /* one holder more; NONE is fine */
void tc_slot_release(struct tc_slots *slots, uint32_t slot); /* one less; NONE is fine */
/* Makes *holder hold the point instead of its present one. */
void tc_point_hold(struct tc_slots *slots, struct tc_point *holder, struct tc_point point);

/* The number of a clause set for use as a mask; its clauses count as used. */
uint16_t tc_slots_mask(struct tc_slots *slots, const struct tc_clause_set *set);

void tc_slots_add(struct tc_slots *slots, const struct tc_replay_op *op);
/* Takes off time that ended at time_ns, in a slot. */
void tc_slots_save(
	struct tc_slots *slots, uint32_t slot, int64_t time_ns, int64_t amount_ns, uint16_t mask);

#endif

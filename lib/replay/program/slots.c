#include "replay/program/slots.h"

#include "core/alloc.h"

void tc_slots_clear(struct tc_slots *slots)
{
	tc_free(slots->holders);
	tc_free(slots->unused);
}

static void fail_memory(struct tc_slots *slots)
{
	if (!slots->status)
		slots->status = tc_no_memory(slots->ctx);
}

uint32_t tc_slot_take(struct tc_slots *slots)
{
	uint32_t slot;

	if (slots->unused_count > 0) {
		slot = slots->unused[--slots->unused_count];
	} else if (!TC_GROW(slots->holders, slots->holder_capacity, slots->count + 1)) {
		fail_memory(slots);
		return TC_SLOT_NONE;
	} else {
		slot = (uint32_t)slots->count++;
	}
	slots->holders[slot] = 1;
	return slot;
}

void tc_slot_hold(struct tc_slots *slots, uint32_t slot)
{
	if (slot != TC_SLOT_NONE)
		slots->holders[slot]++;
}

void tc_slot_release(struct tc_slots *slots, uint32_t slot)
{
	if (slot == TC_SLOT_NONE || --slots->holders[slot] > 0)
		return;
	if (!TC_GROW(slots->unused, slots->unused_capacity, slots->unused_count + 1)) {
		fail_memory(slots);
		return;
	}
	slots->unused[slots->unused_count++] = slot;
}

void tc_point_hold(struct tc_slots *slots, struct tc_point *holder, struct tc_point point)
{
	tc_slot_hold(slots, point.slot);
	tc_slot_release(slots, holder->slot);
	*holder = point;
}

uint16_t tc_slots_mask(struct tc_slots *slots, const struct tc_clause_set *set)
{
	uint16_t mask = 0;

	if (tc_clause_set_is_empty(set))
		return 0;
	if (!tc_clause_sets_number(&mask, slots->sets, set))
		fail_memory(slots);
	tc_clause_set_join(slots->used, set);
	return mask;
}

void tc_slots_add(struct tc_slots *slots, const struct tc_replay_op *op)
{
	if (!slots->status)
		slots->status = tc_program_add(slots->program, op);
}

void tc_slots_save(
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

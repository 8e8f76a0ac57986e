#include "cut/parts.h"

#include "core/alloc.h"

enum { FIRST_SLOT_COUNT = 1024 };

void tc_number_set_clear(struct tc_number_set *set)
{
	tc_free(set->slots);
	*set = (struct tc_number_set){0};
}

/* The slot of a number, or the free one where it would be. The numbers are hashes already. */
static size_t slot_of(const struct tc_number_set *set, uint64_t number)
{
	size_t at = (size_t)number & (set->slot_count - 1);

	while (set->slots[at] != 0 && set->slots[at] != number)
		at = (at + 1) & (set->slot_count - 1);
	return at;
}

static bool grow(struct tc_number_set *set)
{
	struct tc_number_set larger = *set;

	larger.slot_count = set->slot_count > 0 ? set->slot_count * 2 : FIRST_SLOT_COUNT;
	larger.slots = tc_calloc(larger.slot_count, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < set->slot_count; i++)
		if (set->slots[i] != 0)
			larger.slots[slot_of(&larger, set->slots[i])] = set->slots[i];
	tc_free(set->slots);
	*set = larger;
	return true;
}

bool tc_number_set_add(struct tc_number_set *set, uint64_t number)
{
	if (number == 0) {
		set->has_zero = true;
		return true;
	}
	if (set->count >= set->slot_count / 2 && !grow(set))
		return false;
	size_t at = slot_of(set, number);
	set->count += set->slots[at] == 0;
	set->slots[at] = number;
	return true;
}

bool tc_number_set_has(const struct tc_number_set *set, uint64_t number)
{
	if (number == 0)
		return set->has_zero;
	return set->count > 0 && set->slots[slot_of(set, number)] != 0;
}

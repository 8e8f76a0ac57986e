/* A hash table with open addressing over positions; see op_totals.h. */
#include "analysis/device/op_totals.h"

#include "core/alloc.h"

enum { FIRST_SLOTS = 256 };

static size_t slot_of(const struct tc_op_totals *totals, const struct tc_op_total *key)
{
	uint32_t words[5] = {
		key->device, key->label, key->data_type, key->recipe, (uint32_t)key->engine};

	return tc_hash_bytes((const char *)words, sizeof(words)) & (totals->slot_count - 1);
}

static bool same_key(const struct tc_op_total *a, const struct tc_op_total *b)
{
	return a->device == b->device && a->label == b->label && a->data_type == b->data_type &&
	       a->recipe == b->recipe && a->engine == b->engine;
}

/* slot_count is a power of two. */
static int make_slots(struct tc_op_totals *totals, size_t slot_count)
{
	uint32_t *slots = tc_malloc(slot_count * sizeof(*slots));

	if (!slots)
		return -1;
	tc_free(totals->slots);
	totals->slots = slots;
	totals->slot_count = slot_count;
	for (size_t i = 0; i < slot_count; i++)
		slots[i] = UINT32_MAX;
	for (size_t i = 0; i < totals->count; i++) {
		size_t slot = slot_of(totals, totals->rows[i]);
		while (slots[slot] != UINT32_MAX)
			slot = (slot + 1) & (slot_count - 1);
		slots[slot] = (uint32_t)i;
	}
	return 0;
}

int tc_op_totals_init(struct tc_op_totals *totals)
{
	*totals = (struct tc_op_totals){0};
	return make_slots(totals, FIRST_SLOTS);
}

void tc_op_totals_clear(struct tc_op_totals *totals)
{
	for (size_t i = 0; i < totals->count; i++)
		tc_free(totals->rows[i]);
	tc_free(totals->rows);
	tc_free(totals->slots);
	*totals = (struct tc_op_totals){0};
}

static struct tc_op_total *add_total(
	struct tc_op_totals *totals, const struct tc_op_total *key, size_t slot)
{
	if (!TC_GROW(totals->rows, totals->capacity, totals->count + 1))
		return NULL;
	struct tc_op_total *total = tc_malloc(sizeof(*total));
	if (!total)
		return NULL;
	*total = *key;
	totals->slots[slot] = (uint32_t)totals->count;
	totals->rows[totals->count++] = total;
	if (totals->count * 2 > totals->slot_count && make_slots(totals, totals->slot_count * 2))
		return NULL;
	return total;
}

struct tc_op_total *tc_op_totals_find(struct tc_op_totals *totals, const struct tc_op_total *key)
{
	size_t slot = slot_of(totals, key);

	while (totals->slots[slot] != UINT32_MAX) {
		struct tc_op_total *found = totals->rows[totals->slots[slot]];
		if (same_key(found, key))
			return found;
		slot = (slot + 1) & (totals->slot_count - 1);
	}
	return add_total(totals, key, slot);
}

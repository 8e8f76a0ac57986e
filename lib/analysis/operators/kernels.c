/* Totals of device work by node; see kernels.h. */
#include "analysis/operators/kernels.h"

#include <string.h>

#include "core/alloc.h"
#include "core/saturate.h"

enum { FIRST_SLOTS = 256 };

void tc_node_kernels_clear(struct tc_node_kernels *kernels)
{
	tc_free(kernels->rows);
	tc_free(kernels->slots);
	*kernels = (struct tc_node_kernels){0};
}

static bool same_key(const struct tc_node_kernel *a, const struct tc_node_kernel *b)
{
	return a->node == b->node && a->label == b->label && a->track == b->track &&
	       a->capture == b->capture;
}

/* The slot of a row, or the free one where it belongs. */
static size_t slot_of(const struct tc_node_kernels *kernels, const struct tc_node_kernel *key)
{
	uint64_t hash = ((uint64_t)key->node << 32 | key->label) * UINT64_C(0x9e3779b97f4a7c15) +
			((uint64_t)key->capture << 32 | key->track);
	size_t mask = kernels->slot_count - 1, at;

	hash *= UINT64_C(0xc2b2ae3d27d4eb4f);
	at = (hash ^ hash >> 32) & mask;
	while (kernels->slots[at] != UINT32_MAX &&
		!same_key(&kernels->rows[kernels->slots[at]], key))
		at = (at + 1) & mask;
	return at;
}

static bool grow_slots(struct tc_node_kernels *kernels)
{
	size_t count = kernels->slot_count ? 2 * kernels->slot_count : FIRST_SLOTS;
	uint32_t *slots = tc_malloc(count * sizeof(*slots));

	if (!slots)
		return false;
	memset(slots, 0xff, count * sizeof(*slots));
	tc_free(kernels->slots);
	kernels->slots = slots;
	kernels->slot_count = count;
	for (size_t i = 0; i < kernels->count; i++)
		slots[slot_of(kernels, &kernels->rows[i])] = (uint32_t)i;
	return true;
}

static bool find(struct tc_node_kernels *kernels, const struct tc_node_kernel *key)
{
	if (kernels->latest < kernels->count && same_key(&kernels->rows[kernels->latest], key))
		return true;
	if (kernels->slot_count < 2 * (kernels->count + 1) && !grow_slots(kernels))
		return false;
	size_t at = slot_of(kernels, key);
	if (kernels->slots[at] == UINT32_MAX) {
		if (!TC_GROW(kernels->rows, kernels->capacity, kernels->count + 1))
			return false;
		struct tc_node_kernel *row = &kernels->rows[kernels->count];
		*row = *key;
		row->count = row->dur_ns = row->max_ns = 0;
		row->min_ns = INT64_MAX;
		kernels->slots[at] = (uint32_t)kernels->count++;
	}
	kernels->latest = kernels->slots[at];
	return true;
}

bool tc_node_kernels_add(
	struct tc_node_kernels *kernels, const struct tc_node_kernel *key, int64_t dur_ns)
{
	if (!find(kernels, key))
		return false;
	struct tc_node_kernel *row = &kernels->rows[kernels->latest];
	row->count++;
	row->dur_ns = tc_add_saturated(row->dur_ns, dur_ns);
	if (dur_ns < row->min_ns)
		row->min_ns = dur_ns;
	if (dur_ns > row->max_ns)
		row->max_ns = dur_ns;
	return true;
}

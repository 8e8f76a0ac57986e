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

static bool is_of(const struct tc_node_kernel *row, uint32_t node, uint32_t label, uint32_t track)
{
	return row->node == node && row->label == label && row->track == track;
}

/* The place of a row, or the free one where it belongs. */
static size_t slot_of(
	const struct tc_node_kernels *kernels, uint32_t node, uint32_t label, uint32_t track)
{
	uint64_t hash = ((uint64_t)node << 32 | label) * UINT64_C(0x9e3779b97f4a7c15) + track;
	size_t mask = kernels->slot_count - 1, at;

	hash *= UINT64_C(0xc2b2ae3d27d4eb4f);
	at = (hash ^ hash >> 32) & mask;
	while (kernels->slots[at] != UINT32_MAX &&
		!is_of(&kernels->rows[kernels->slots[at]], node, label, track))
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
	for (size_t i = 0; i < kernels->count; i++) {
		const struct tc_node_kernel *row = &kernels->rows[i];
		slots[slot_of(kernels, row->node, row->label, row->track)] = (uint32_t)i;
	}
	return true;
}

static bool find(struct tc_node_kernels *kernels, uint32_t node, uint32_t label, uint32_t track)
{
	if (kernels->latest < kernels->count &&
		is_of(&kernels->rows[kernels->latest], node, label, track))
		return true;
	if (kernels->slot_count < 2 * (kernels->count + 1) && !grow_slots(kernels))
		return false;
	size_t at = slot_of(kernels, node, label, track);
	if (kernels->slots[at] == UINT32_MAX) {
		if (!TC_GROW(kernels->rows, kernels->capacity, kernels->count + 1))
			return false;
		kernels->rows[kernels->count] = (struct tc_node_kernel){
			.node = node, .label = label, .track = track, .min_ns = INT64_MAX};
		kernels->slots[at] = (uint32_t)kernels->count++;
	}
	kernels->latest = kernels->slots[at];
	return true;
}

bool tc_node_kernels_add(struct tc_node_kernels *kernels, uint32_t node, uint32_t label,
	uint32_t track, int64_t dur_ns)
{
	if (!find(kernels, node, label, track))
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

#include "replay/program/launching.h"

#define NONE UINT32_MAX

void tc_launching_init(struct tc_launching_table *launches)
{
	launches->count = 0;
	for (size_t i = 0; i < TC_LAUNCHING_BUCKETS; i++)
		launches->buckets[i] = NONE;
}

static uint32_t *bucket_of(struct tc_launching_table *launches, int64_t slice_id)
{
	return &launches->buckets[(uint64_t)slice_id % TC_LAUNCHING_BUCKETS];
}

struct tc_launching *tc_launching_find(struct tc_launching_table *launches, int64_t slice_id)
{
	uint32_t at = *bucket_of(launches, slice_id);

	while (at != NONE && launches->items[at].slice_id != slice_id)
		at = launches->items[at].next;
	return at == NONE ? NULL : &launches->items[at];
}

static void unlink_item(struct tc_launching_table *launches, uint32_t item)
{
	uint32_t *at = bucket_of(launches, launches->items[item].slice_id);

	while (*at != item)
		at = &launches->items[*at].next;
	*at = launches->items[item].next;
}

struct tc_launching *tc_launching_add(
	struct tc_launching *dropped, struct tc_launching_table *launches, int64_t slice_id)
{
	uint32_t index = (uint32_t)(launches->count % TC_LAUNCHING_KEPT);
	struct tc_launching *item = &launches->items[index];
	uint32_t *bucket = bucket_of(launches, slice_id);

	dropped->slice_id = -1;
	if (launches->count >= TC_LAUNCHING_KEPT) {
		*dropped = *item;
		unlink_item(launches, index);
	}
	launches->count++;
	*item = (struct tc_launching){.slice_id = slice_id, .end = TC_POINT_NONE, .next = *bucket};
	*bucket = index;
	return item;
}

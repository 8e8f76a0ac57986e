/* Keys are numbered as texts; see op_totals.h. */
#include "analysis/device/op_totals.h"

#include "core/alloc.h"

void tc_op_totals_init(struct tc_op_totals *totals)
{
	*totals = (struct tc_op_totals){0};
	tc_pool_init(&totals->pool, sizeof(struct tc_op_total));
}

void tc_op_totals_clear(struct tc_op_totals *totals)
{
	tc_strtab_clear(&totals->keys);
	tc_pool_clear(&totals->pool);
	tc_free(totals->rows);
	*totals = (struct tc_op_totals){0};
}

struct tc_op_total *tc_op_totals_find(struct tc_op_totals *totals, const struct tc_op_total *key)
{
	const uint32_t words[] = {
		key->device, key->label, key->data_type, key->recipe, (uint32_t)key->engine};
	uint32_t number = tc_strtab_intern(
		&totals->keys, (struct tc_text){(const char *)words, sizeof(words)});

	if (number < totals->count)
		return totals->rows[number];
	if (number == TC_STRTAB_NONE || !TC_GROW(totals->rows, totals->capacity, number + 1))
		return NULL;
	struct tc_op_total *total = tc_pool_take(&totals->pool);
	if (total) {
		*total = *key;
		totals->rows[totals->count++] = total;
	}
	return total;
}

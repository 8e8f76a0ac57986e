/* A key is a text of its five numbers, which the string table numbers in turn. */
#include "analysis/op_totals.h"

#include "core/alloc.h"

void tc_op_totals_init(struct tc_op_totals *totals, struct tc_ctx *ctx)
{
	*totals = (struct tc_op_totals){.keys.ctx = ctx};
	tc_pool_init(&totals->pool, sizeof(struct tc_op_total));
	totals->pool.ctx = ctx;
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
	struct tc_op_total *total = number == TC_STRTAB_NONE || tc_ctx_failed(totals->pool.ctx)
					    ? NULL
					    : tc_pool_take(&totals->pool);
	if (!total ||
		!TC_PUSH(totals->pool.ctx, totals->rows, totals->count, totals->capacity, total))
		return NULL;
	*total = *key;
	return total;
}

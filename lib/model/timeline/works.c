/* Works: a number for each label and shape of a trace, and the work of its first call. */
#include "model/timeline/work.h"

#include "core/array.h"
#include "core/context.h"

/* No trace has more shapes than its operator tree has nodes. */
enum { WORKS_MAX = 1 << 18 };

struct work_key {
	uint64_t shape;
	uint64_t label;
};

static struct tc_text key_text(const struct work_key *key)
{
	return (struct tc_text){(const char *)key, sizeof(*key)};
}

void tc_works_add(struct tc_works *works, struct tc_ctx *ctx, enum tc_work_kind kind,
	uint32_t label, uint64_t shape, struct tc_text args)
{
	const struct work_key key = {shape, label};
	struct tc_op_inputs inputs;

	if (works->count >= WORKS_MAX)
		return;
	works->latest = tc_strtab_intern_again(&works->keys, key_text(&key), works->latest);
	if (works->latest < works->count || tc_ctx_failed(ctx))
		return;
	struct tc_work work = {.flops = TC_WORK_UNKNOWN, .bytes = TC_WORK_UNKNOWN};
	if (tc_op_inputs_read(&inputs, args))
		work = tc_work_of(kind, &inputs);
	TC_PUSH(ctx, works->rows, works->count, works->capacity, work);
}

uint32_t tc_works_find(const struct tc_works *works, uint32_t label, uint64_t shape)
{
	const struct work_key key = {shape, label};
	uint32_t number = tc_strtab_find(&works->keys, key_text(&key));

	return number < works->count && works->rows[number].bytes != TC_WORK_UNKNOWN ? number
										     : UINT32_MAX;
}

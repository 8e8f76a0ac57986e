#include "replay/run/replays.h"

#include "core/alloc.h"
#include "core/array.h"

enum tc_status tc_replays_take(
	struct tc_replays *replays, struct tc_ctx *ctx, int64_t trace_id, struct tc_replay *replay)
{
	enum tc_status status = replays->spill ? TC_OK : tc_spill_new(&replays->spill, ctx);

	if (!status && !TC_GROW(replays->items, replays->capacity, replays->count + 1))
		status = tc_no_memory(ctx);
	else if (!status)
		status = tc_program_move(replay->program, ctx, replays->spill);
	if (status)
		return status;
	replays->items[replays->count++] = (struct tc_kept_replay){trace_id, *replay};
	*replay = (struct tc_replay){0};
	return TC_OK;
}

const struct tc_replay *tc_replays_find(const struct tc_replays *replays, int64_t trace_id)
{
	size_t at;

	TC_BISECT(at, replays->count, replays->items[at].trace_id < trace_id);
	return at < replays->count && replays->items[at].trace_id == trace_id
		       ? &replays->items[at].replay
		       : NULL;
}

void tc_replays_clear(struct tc_replays *replays)
{
	for (size_t i = 0; i < replays->count; i++)
		tc_replay_clear(&replays->items[i].replay);
	tc_free(replays->items);
	tc_spill_free(replays->spill);
	*replays = (struct tc_replays){0};
}

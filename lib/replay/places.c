#include "replay/places.h"

#include "core/saturate.h"

static void enter(struct tc_places *places, struct tc_arena *arena, int64_t change)
{
	if (!places->until_ns)
		places->until_ns =
			tc_arena_take(arena, (size_t)places->size, sizeof(*places->until_ns));
	if (places->until_ns)
		places->gone_count += change;
}

/* Work of a call has ended, the first or more of it. */
static void leave(struct tc_places *places, bool is_more, bool is_gone, int64_t end_ns)
{
	int64_t number = places->kept_count - is_more;
	int64_t before_ns = places->kept_count > 0
				    ? places->until_ns[(places->kept_count - 1) % places->size]
				    : end_ns;

	if (is_gone) {
		places->gone_count -= !is_more;
	} else if (number >= 0) {
		places->until_ns[number % places->size] = end_ns > before_ns ? end_ns : before_ns;
		places->kept_count = number + 1;
	}
}

/* When the work of the call that stays and is so many calls before the last one had ended, or of
 * the first that is known. */
static int64_t ended_before(const struct tc_places *places, int64_t back)
{
	int64_t most = places->kept_count < places->size ? places->kept_count : places->size;

	if (back > most - 1)
		back = most - 1;
	return places->until_ns[(places->kept_count - 1 - back) % places->size];
}

/* A place came free with the last work that ended, which in the replay is at time_ns. Instead it
 * does with work as many calls before as are gone from the queue. What held up the place since the
 * last of the work that stays does so then, too. */
static int64_t sooner_by(const struct tc_places *places, int64_t time_ns)
{
	int64_t last_ns = ended_before(places, 0);
	int64_t sooner_ns =
		(time_ns < last_ns ? time_ns : last_ns) - ended_before(places, places->gone_count);

	return sooner_ns > 0 ? sooner_ns : 0;
}

/* How much earlier than in the recording a call may return for which the queue had so many places
 * left. */
static int64_t most_shift(const struct tc_places *places, int64_t left_count, int64_t time_ns)
{
	int64_t back = places->gone_count + left_count;
	int64_t most_ns = time_ns - ended_before(places, back);

	if (back >= places->kept_count)
		return INT64_MAX;
	return most_ns > 0 ? most_ns : 0;
}

int64_t tc_places_run(struct tc_places *places, struct tc_arena *arena,
	const struct tc_replay_op *op, bool is_gone, int64_t shift_ns)
{
	bool is_known = places->until_ns && places->kept_count > 0;
	int64_t by_ns = 0, most_ns = INT64_MAX;

	if (op->kind == TC_REPLAY_ENTER && is_gone && places->size > 1) {
		enter(places, arena, op->amount_ns);
	} else if (op->kind == TC_REPLAY_LEAVE && places->until_ns) {
		leave(places, op->amount_ns > 0, is_gone, op->time_ns - shift_ns);
	} else if (op->kind == TC_REPLAY_PLACE && is_known) {
		by_ns = sooner_by(places, op->time_ns - shift_ns);
		places->sooner_ns = tc_add_saturated(places->sooner_ns, by_ns);
	} else if (op->kind == TC_REPLAY_HOLD && is_known && !is_gone) {
		most_ns = most_shift(places, op->amount_ns, op->time_ns);
	}
	shift_ns = tc_add_saturated(shift_ns, by_ns);
	return shift_ns < most_ns ? shift_ns : most_ns;
}

/*
 * The sweep over a program. The shifts of one slot lie side by side for all what-ifs. What a mask
 * means to a what-if is looked up in two tables: the share that it takes off, and whether it frees.
 */
#include "replay/shifts.h"

#include <string.h>

#include "core/alloc.h"
#include "core/saturate.h"

/* No shift is larger, so that no sum of two overflows. */
#define MAX_SHIFT_NS (INT64_C(1) << 61)
#define PPM INT64_C(1000000)
#define UNKNOWN INT64_MIN
enum { STEADY_STEPS = 3 }; /* a steady step is known with so many */

struct sweep {
	struct tc_shifts *out;
	const struct tc_replay *replay;
	size_t width; /* what-ifs */
	int64_t *slots;
	int64_t *nothing;           /* shifts of what is outside of the recording */
	int32_t *shares;            /* by mask and what-if, millionths */
	int64_t *frees;             /* by mask and what-if: all bits or none */
	int64_t *device_removed_ns; /* by what-if: work and waits of devices that it takes off */
	int64_t *first_touch_ns;    /* by what-if: the first that its clauses change */
	int64_t *new_end_ns, end_ns;
	bool *has_device; /* by step: work of a device is known */
};

/* ---- tables */

static int32_t share_of(const struct tc_clause_set *mask, const struct tc_clause_set *whatif,
	const struct tc_clause *clauses, int64_t *frees)
{
	int32_t share = 0;

	*frees = 0;
	for (size_t i = 0; i < TC_CLAUSE_MAX; i++) {
		if (!tc_clause_set_has(mask, i) || !tc_clause_set_has(whatif, i))
			continue;
		*frees = -1;
		if (share < clauses[i].saved_ppm)
			share = (int32_t)clauses[i].saved_ppm;
	}
	return share;
}

static void fill_tables(
	struct sweep *sweep, const struct tc_clause *clauses, const struct tc_clause_set *whatifs)
{
	const struct tc_clause_sets *sets = &sweep->replay->sets;

	for (size_t mask = 0; mask < sets->count; mask++)
		for (size_t w = 0; w < sweep->width; w++) {
			size_t at = mask * sweep->width + w;
			sweep->shares[at] = share_of(
				&sets->items[mask], &whatifs[w], clauses, &sweep->frees[at]);
		}
}

static bool allocate(struct sweep *sweep, size_t step_count)
{
	struct tc_shifts *out = sweep->out;
	size_t width = sweep->width, masks = sweep->replay->sets.count + 1;
	size_t slots = tc_program_slot_count(sweep->replay->program) + 1;

	out->step_count = step_count;
	out->whatif_count = width;
	out->won = tc_calloc(width + 1, sizeof(*out->won));
	out->complete_ns = tc_calloc(out->step_count + 1, sizeof(int64_t));
	out->complete_then_ns = tc_calloc(out->step_count * width + 1, sizeof(int64_t));
	sweep->slots = tc_calloc(slots * width + 1, sizeof(int64_t));
	sweep->nothing = tc_calloc(width + 1, sizeof(int64_t));
	sweep->shares = tc_calloc(masks * width + 1, sizeof(int32_t));
	sweep->frees = tc_calloc(masks * width + 1, sizeof(int64_t));
	sweep->first_touch_ns = tc_calloc(width + 1, sizeof(int64_t));
	sweep->device_removed_ns = tc_calloc(width + 1, sizeof(int64_t));
	sweep->new_end_ns = tc_calloc(width + 1, sizeof(int64_t));
	sweep->has_device = tc_calloc(out->step_count + 1, sizeof(bool));
	return out->won && out->complete_ns && out->complete_then_ns && sweep->slots &&
	       sweep->nothing && sweep->shares && sweep->frees && sweep->first_touch_ns &&
	       sweep->device_removed_ns && sweep->new_end_ns && sweep->has_device;
}

static void clear(struct sweep *sweep)
{
	tc_free(sweep->slots);
	tc_free(sweep->nothing);
	tc_free(sweep->shares);
	tc_free(sweep->frees);
	tc_free(sweep->first_touch_ns);
	tc_free(sweep->device_removed_ns);
	tc_free(sweep->new_end_ns);
	tc_free(sweep->has_device);
}

/* ---- operations */

static int64_t *slot_of(const struct sweep *sweep, uint32_t slot)
{
	return slot == TC_SLOT_NONE ? sweep->nothing : sweep->slots + slot * sweep->width;
}

static void touch(struct sweep *sweep, size_t whatif, const struct tc_replay_op *op, int64_t ns)
{
	struct tc_won *won = &sweep->out->won[whatif];

	if (ns <= 0)
		return;
	if (op->time_ns < sweep->first_touch_ns[whatif])
		sweep->first_touch_ns[whatif] = op->time_ns;
	won->removed_ns = tc_add_saturated(won->removed_ns, ns);
	if (op->device)
		sweep->device_removed_ns[whatif] =
			tc_add_saturated(sweep->device_removed_ns[whatif], ns);
}

static int64_t bounded(int64_t shift_ns)
{
	return shift_ns < MAX_SHIFT_NS ? shift_ns : MAX_SHIFT_NS;
}

static void run_join(struct sweep *sweep, const struct tc_replay_op *op)
{
	int64_t *restrict dst = slot_of(sweep, op->dst);
	const int64_t *restrict src = slot_of(sweep, op->src);
	int64_t dst_more_ns = op->amount_ns > 0 ? bounded(op->amount_ns) : 0;
	int64_t src_more_ns = op->amount_ns < 0 ? bounded(-op->amount_ns) : 0;

	for (size_t w = 0; w < sweep->width; w++) {
		int64_t own = dst[w] + dst_more_ns, other = src[w] + src_more_ns;
		dst[w] = own < other ? own : other;
	}
}

/* The same where some what-ifs need not wait for src. */
static void run_masked_join(struct sweep *sweep, const struct tc_replay_op *op)
{
	int64_t *restrict dst = slot_of(sweep, op->dst);
	const int64_t *restrict src = slot_of(sweep, op->src);
	const int64_t *frees = sweep->frees + op->mask * sweep->width;
	int64_t dst_more_ns = op->amount_ns > 0 ? bounded(op->amount_ns) : 0;
	int64_t src_more_ns = op->amount_ns < 0 ? bounded(-op->amount_ns) : 0;

	for (size_t w = 0; w < sweep->width; w++) {
		int64_t own = dst[w] + dst_more_ns, other = src[w] + src_more_ns;
		if (frees[w])
			touch(sweep, w, op, dst_more_ns);
		dst[w] = bounded(frees[w] || own < other ? own : other);
	}
}

static void run_save(struct sweep *sweep, const struct tc_replay_op *op)
{
	int64_t *dst = slot_of(sweep, op->dst);
	const int32_t *shares = sweep->shares + op->mask * sweep->width;
	int64_t whole = op->amount_ns / PPM, rest = op->amount_ns % PPM;

	for (size_t w = 0; w < sweep->width; w++) {
		if (shares[w] == 0)
			continue;
		int64_t ns = whole * shares[w] + rest * shares[w] / PPM;
		if (op->kind == TC_REPLAY_SAVE)
			touch(sweep, w, op, ns);
		dst[w] = bounded(dst[w] + bounded(ns));
	}
}

static void run_step(struct sweep *sweep, const struct tc_replay_op *op)
{
	const int64_t *dst = slot_of(sweep, op->dst);
	int64_t *complete = &sweep->out->complete_ns[op->src];
	int64_t *then = sweep->out->complete_then_ns + op->src * sweep->width;
	bool is_device = op->kind == TC_REPLAY_STEP_DEVICE;

	if (is_device && !sweep->has_device[op->src]) {
		sweep->has_device[op->src] = true;
		*complete = UNKNOWN;
		for (size_t w = 0; w < sweep->width; w++)
			then[w] = UNKNOWN;
	} else if (!is_device && sweep->has_device[op->src]) {
		return;
	}
	if (op->time_ns > *complete)
		*complete = op->time_ns;
	for (size_t w = 0; w < sweep->width; w++) {
		int64_t time_ns = op->time_ns - dst[w];
		if (time_ns > then[w])
			then[w] = time_ns;
	}
}

static void run_end(struct sweep *sweep, const struct tc_replay_op *op)
{
	const int64_t *dst = slot_of(sweep, op->dst);

	if (op->time_ns > sweep->end_ns)
		sweep->end_ns = op->time_ns;
	for (size_t w = 0; w < sweep->width; w++) {
		int64_t time_ns = op->time_ns - dst[w];
		if (time_ns > sweep->new_end_ns[w])
			sweep->new_end_ns[w] = time_ns;
	}
}

static enum tc_status run(void *user, const struct tc_replay_op *op)
{
	struct sweep *sweep = user;

	switch ((enum tc_replay_kind)op->kind) {
	case TC_REPLAY_POINT:
		memcpy(slot_of(sweep, op->dst), slot_of(sweep, op->src),
			sweep->width * sizeof(int64_t));
		break;
	case TC_REPLAY_JOIN:
		if (op->mask)
			run_masked_join(sweep, op);
		else
			run_join(sweep, op);
		break;
	case TC_REPLAY_SAVE:
	case TC_REPLAY_SAVE_PART: run_save(sweep, op); break;
	case TC_REPLAY_SPEND: break;
	case TC_REPLAY_STEP_HOST:
	case TC_REPLAY_STEP_DEVICE: run_step(sweep, op); break;
	case TC_REPLAY_END: run_end(sweep, op); break;
	}
	return TC_OK;
}

/* ---- gains */

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * The steps that are complete at a known time, in that order. Of the first one counts only that it
 * is there, where the what-if changes anything before it is complete: what lies before it is no
 * steady state.
 */
static void gain_of_steps(struct sweep *sweep, size_t w, const size_t *steps, size_t count)
{
	const struct tc_shifts *out = sweep->out;
	struct tc_won *won = &out->won[w];
	size_t first = steps[0], last = steps[count - 1];
	int64_t span_ns = out->complete_ns[last] - out->complete_ns[first];
	int64_t mean_ns = span_ns / (int64_t)(count - 1);
	bool touches = sweep->first_touch_ns[w] < out->complete_ns[first];
	int64_t shift_ns = out->complete_ns[last] - out->complete_then_ns[last * sweep->width + w];
	int64_t steps_won = (int64_t)count;

	if (touches) {
		shift_ns -=
			out->complete_ns[first] - out->complete_then_ns[first * sweep->width + w];
		steps_won--;
	}
	int64_t per_ns = most(0, least(shift_ns / steps_won, mean_ns));
	won->step_before_ns = mean_ns;
	won->step_after_ns = mean_ns - per_ns;
	double wall = (double)sweep->end_ns - (double)sweep->replay->start_ns;
	if (mean_ns > 0)
		won->gain_ns = (int64_t)((double)per_ns * (wall / (double)mean_ns));
}

static size_t known_steps(const struct sweep *sweep, size_t *steps)
{
	const struct tc_shifts *out = sweep->out;
	size_t count = 0;

	for (size_t i = 0; i < out->step_count; i++)
		if (out->complete_ns[i] != UNKNOWN &&
			(count == 0 || out->complete_ns[i] > out->complete_ns[steps[count - 1]]))
			steps[count++] = i;
	return count;
}

/* A device that only gets its work sooner still does all of it: what is won is idle time and the
 * work that goes, not that streams which took turns would work at once. */
static int64_t most_of_end(const struct sweep *sweep, size_t w)
{
	return tc_add_saturated(sweep->replay->idle_ns, sweep->device_removed_ns[w]);
}

static enum tc_status settle(struct sweep *sweep, struct tc_ctx *ctx)
{
	size_t *steps = tc_calloc(sweep->out->step_count + 1, sizeof(*steps));

	if (!steps)
		return tc_fail(ctx, TC_ERR_NOMEM, "no memory for the replay");
	size_t count = known_steps(sweep, steps);
	for (size_t w = 0; w < sweep->width; w++) {
		struct tc_won *won = &sweep->out->won[w];
		if (sweep->new_end_ns[w] != UNKNOWN)
			won->end_ns = sweep->end_ns - sweep->new_end_ns[w];
		won->gain_ns = least(won->end_ns, most_of_end(sweep, w));
		if (count >= STEADY_STEPS)
			gain_of_steps(sweep, w, steps, count);
		won->gain_ns = most(0, least(won->gain_ns, won->removed_ns));
	}
	tc_free(steps);
	return TC_OK;
}

enum tc_status tc_shifts_run(struct tc_shifts *shifts, struct tc_ctx *ctx,
	const struct tc_replay *replay, const struct tc_clause_set *whatifs, size_t whatif_count)
{
	struct sweep sweep = {
		.out = shifts, .replay = replay, .width = whatif_count, .end_ns = INT64_MIN};
	enum tc_status status = TC_OK;

	*shifts = (struct tc_shifts){0};
	if (!allocate(&sweep, replay->step_count)) {
		status = tc_fail(ctx, TC_ERR_NOMEM, "no memory for the replay");
	} else {
		fill_tables(&sweep, replay->clauses, whatifs);
		for (size_t i = 0; i < shifts->step_count; i++)
			shifts->complete_ns[i] = UNKNOWN;
		for (size_t i = 0; i < shifts->step_count * whatif_count; i++)
			shifts->complete_then_ns[i] = UNKNOWN;
		for (size_t w = 0; w < whatif_count; w++) {
			sweep.first_touch_ns[w] = INT64_MAX;
			sweep.new_end_ns[w] = UNKNOWN;
		}
		status = tc_program_each(replay->program, run, &sweep);
		if (!status)
			status = settle(&sweep, ctx);
	}
	clear(&sweep);
	return status;
}

void tc_shifts_clear(struct tc_shifts *shifts)
{
	tc_free(shifts->won);
	tc_free(shifts->complete_ns);
	tc_free(shifts->complete_then_ns);
	*shifts = (struct tc_shifts){0};
}

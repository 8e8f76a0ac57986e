/*
 * The sweep over a program. The shifts of one slot lie side by side for all what-ifs. Two tables
 * say what a mask means to a what-if: the share that it takes off, and whether it frees from
 * waiting.
 */
#include "replay/shifts.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"
#include "replay/pipeline.h"

#define PPM INT64_C(1000000)
#define UNKNOWN INT64_MIN
enum { STEADY_STEPS = 3 }; /* fewer steps have no steady step */
/* How far gains are from the truth where the trace shows all that they depend on: nine of ten are
 * nearer (docs/maintain/gain-accuracy.md). */
#define MODEL_ERROR_PPM (PPM / 25)

/* ---- tables */

static int32_t share_of(const struct tc_replay *replay, const struct tc_clause_set *mask,
	const struct tc_clause_set *whatif, int64_t *frees)
{
	bool keeps_up = tc_clause_set_has(mask, TC_CLAUSE_LOADER_KEEPS_UP) &&
			tc_clause_set_has(whatif, TC_CLAUSE_LOADER_KEEPS_UP);
	const struct tc_share share = tc_replay_share(replay, mask, whatif);

	*frees = keeps_up || share.frees ? -1 : 0;
	return (int32_t)(keeps_up ? PPM : share.saved_ppm);
}

static void fill_tables(struct tc_stepper *stepper, const struct tc_clause_set *whatifs)
{
	const struct tc_clause_sets *sets = &stepper->replay->sets;

	for (size_t mask = 0; mask < sets->count; mask++)
		for (size_t w = 0; w < stepper->width; w++) {
			size_t at = mask * stepper->width + w;
			stepper->shares[at] = share_of(stepper->replay, &sets->items[mask],
				&whatifs[w], &stepper->frees[at]);
		}
}

static void allocate(struct tc_stepper *stepper, struct tc_ctx *ctx)
{
	struct tc_shifts *out = stepper->out;
	struct tc_arena *own = &stepper->arena;
	size_t width = stepper->width, masks = stepper->replay->sets.count + 1;
	size_t slots = tc_program_slot_count(stepper->replay->program) + 1;

	out->arena.ctx = own->ctx = ctx;
	out->step_count = stepper->replay->step_count;
	out->whatif_count = width;
	TC_ARENA(&out->arena, out->won, width);
	TC_ARENA(&out->arena, out->complete_ns, out->step_count);
	TC_ARENA(&out->arena, out->complete_then_ns, out->step_count * width);
	TC_ARENA(own, stepper->slots, slots * width);
	TC_ARENA(own, stepper->nothing, width);
	TC_ARENA(own, stepper->shares, masks * width);
	TC_ARENA(own, stepper->frees, masks * width);
	TC_ARENA(own, stepper->first_touch_ns, width);
	TC_ARENA(own, stepper->device_removed_ns, width);
	TC_ARENA(own, stepper->new_end_ns, width);
	TC_ARENA(own, stepper->begin_shift_ns, width);
	TC_ARENA(own, stepper->device_new_end_ns, width);
	TC_ARENA(own, stepper->step_ends, out->step_count);
	TC_ARENA(own, stepper->host_saved_ns, out->step_count * width);
	TC_ARENA(own, stepper->whatifs, width);
}

/* ---- operations */

void tc_stepper_touch(
	struct tc_stepper *stepper, size_t whatif, const struct tc_replay_op *op, int64_t ns)
{
	struct tc_won *won = &stepper->out->won[whatif];
	bool frees_device = op->device && op->kind != TC_REPLAY_SAVE_BESIDE;

	if (ns <= 0)
		return;
	if (op->time_ns < stepper->first_touch_ns[whatif])
		stepper->first_touch_ns[whatif] = op->time_ns;
	won->removed_ns = tc_add_saturated(won->removed_ns, ns);
	if (frees_device)
		stepper->device_removed_ns[whatif] =
			tc_add_saturated(stepper->device_removed_ns[whatif], ns);
}

static void run_join(struct tc_stepper *stepper, const struct tc_replay_op *op)
{
	int64_t *restrict dst = tc_stepper_slot(stepper, op->dst);
	const int64_t *restrict src = tc_stepper_slot(stepper, op->src);
	int64_t dst_more_ns = op->amount_ns > 0 ? tc_shift_bounded(op->amount_ns) : 0;
	int64_t src_more_ns = op->amount_ns < 0 ? tc_shift_bounded(-op->amount_ns) : 0;

	for (size_t w = 0; w < stepper->width; w++) {
		int64_t own = dst[w] + dst_more_ns, other = src[w] + src_more_ns;
		dst[w] = own < other ? own : other;
	}
}

/* Joins where some what-ifs need not wait for src. */
static void run_masked_join(struct tc_stepper *stepper, const struct tc_replay_op *op)
{
	int64_t *restrict dst = tc_stepper_slot(stepper, op->dst);
	const int64_t *restrict src = tc_stepper_slot(stepper, op->src);
	const int64_t *frees = stepper->frees + op->mask * stepper->width;
	int64_t dst_more_ns = op->amount_ns > 0 ? tc_shift_bounded(op->amount_ns) : 0;
	int64_t src_more_ns = op->amount_ns < 0 ? tc_shift_bounded(-op->amount_ns) : 0;

	for (size_t w = 0; w < stepper->width; w++) {
		int64_t own = dst[w] + dst_more_ns, other = src[w] + src_more_ns;
		if (frees[w])
			tc_stepper_touch(stepper, w, op, dst_more_ns);
		dst[w] = tc_shift_bounded(frees[w] || own < other ? own : other);
	}
}

static void run_save(struct tc_stepper *stepper, const struct tc_replay_op *op)
{
	int64_t *dst = tc_stepper_slot(stepper, op->dst);
	const int32_t *shares = stepper->shares + op->mask * stepper->width;
	int64_t whole = op->amount_ns / PPM, rest = op->amount_ns % PPM;

	for (size_t w = 0; w < stepper->width; w++) {
		if (shares[w] == 0)
			continue;
		int64_t ns = whole * shares[w] + rest * shares[w] / PPM;
		if (op->kind != TC_REPLAY_SAVE_PART)
			tc_stepper_touch(stepper, w, op, ns);
		if (!op->device)
			stepper->whatifs[w].host_saved_ns =
				tc_add_saturated(stepper->whatifs[w].host_saved_ns, ns);
		dst[w] = tc_shift_bounded(dst[w] + tc_shift_bounded(ns));
	}
}

static void run_step(struct tc_stepper *stepper, const struct tc_replay_op *op)
{
	const int64_t *dst = tc_stepper_slot(stepper, op->dst);
	int64_t *complete = &stepper->out->complete_ns[op->src];
	int64_t *then = stepper->out->complete_then_ns + op->src * stepper->width;
	bool is_device = op->kind == TC_REPLAY_STEP_DEVICE;
	struct tc_stepper_end *end = &stepper->step_ends[op->src];

	if (!is_device) {
		end->host_ns = op->amount_ns;
		end->host_end_ns = op->time_ns;
		for (size_t w = 0; w < stepper->width; w++)
			stepper->host_saved_ns[op->src * stepper->width + w] =
				stepper->whatifs[w].host_saved_ns;
	}
	if (is_device && end->device == 0) {
		*complete = UNKNOWN;
		for (size_t w = 0; w < stepper->width; w++)
			then[w] = UNKNOWN;
	} else if (!is_device && end->device > 0) {
		return;
	}
	if (is_device && op->time_ns > *complete) {
		end->device = op->device;
		end->busy_ns = op->amount_ns;
	}
	if (op->time_ns > *complete)
		*complete = op->time_ns;
	for (size_t w = 0; w < stepper->width; w++) {
		int64_t time_ns = op->time_ns - dst[w];
		if (time_ns > then[w])
			then[w] = time_ns;
	}
}

/* Keeps the latest end, as recorded and for each what-if. */
static void keep_end(int64_t *end_ns, int64_t *new_end_ns, const struct tc_stepper *stepper,
	const struct tc_replay_op *op)
{
	const int64_t *dst = tc_stepper_slot(stepper, op->dst);

	if (op->time_ns > *end_ns)
		*end_ns = op->time_ns;
	for (size_t w = 0; w < stepper->width; w++) {
		int64_t time_ns = op->time_ns - dst[w];
		if (time_ns > new_end_ns[w])
			new_end_ns[w] = time_ns;
	}
}

static void run_end(struct tc_stepper *stepper, const struct tc_replay_op *op)
{
	keep_end(&stepper->end_ns, stepper->new_end_ns, stepper, op);
	if (op->device)
		keep_end(&stepper->device_end_ns, stepper->device_new_end_ns, stepper, op);
}

static void run_first(struct tc_stepper *stepper, const struct tc_replay_op *op)
{
	bool is_step = op->piece == TC_PIECE_HOST;

	if (!is_step)
		stepper->device_first_ns = op->time_ns;
	if (is_step || stepper->replay->step_count == 0)
		memcpy(stepper->begin_shift_ns, tc_stepper_slot(stepper, op->dst),
			stepper->width * sizeof(int64_t));
}

static void run_places(struct tc_stepper *stepper, const struct tc_replay_op *op)
{
	const int32_t *shares = stepper->shares + op->mask * stepper->width;
	int64_t *dst = tc_stepper_slot(stepper, op->dst);

	for (size_t w = 0; w < stepper->width; w++)
		dst[w] = tc_shift_bounded(tc_places_run(&stepper->whatifs[w].places,
			&stepper->arena, op, op->mask && shares[w] == PPM, dst[w]));
}

void tc_stepper_run(struct tc_stepper *stepper, const struct tc_replay_op *op)
{
	switch ((enum tc_replay_kind)op->kind) {
	case TC_REPLAY_POINT:
		memcpy(tc_stepper_slot(stepper, op->dst), tc_stepper_slot(stepper, op->src),
			stepper->width * sizeof(int64_t));
		break;
	case TC_REPLAY_JOIN:
		if (op->mask)
			run_masked_join(stepper, op);
		else
			run_join(stepper, op);
		break;
	case TC_REPLAY_SAVE:
	case TC_REPLAY_SAVE_BESIDE:
	case TC_REPLAY_SAVE_PART: run_save(stepper, op); break;
	case TC_REPLAY_SPEND:
		if (op->mask)
			run_save(stepper, op);
		break;
	case TC_REPLAY_ARRIVE:
	case TC_REPLAY_MEET: break;
	case TC_REPLAY_STEP_HOST:
	case TC_REPLAY_STEP_DEVICE: run_step(stepper, op); break;
	case TC_REPLAY_FIRST: run_first(stepper, op); break;
	case TC_REPLAY_END: run_end(stepper, op); break;
	default: run_places(stepper, op); break; /* ENTER, LEAVE, PLACE, HOLD */
	}
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

/* The time that steady steps fill: from the end of the first step to that of the last, the first
 * step unless it is warm-up, and at each edge the time in which devices work for steps that the
 * recording cuts off, or the host still works in the last step. None of these three counts for more
 * than one step: time without device work is start-up or follows the training, and the first step
 * may take long. */
static int64_t steady_time(
	const struct tc_stepper *stepper, size_t first, size_t last, int64_t mean_ns)
{
	const struct tc_replay *replay = stepper->replay;
	const int64_t *complete_ns = stepper->out->complete_ns;
	bool has_device = stepper->device_end_ns != UNKNOWN;
	int64_t from_ns = has_device ? stepper->device_first_ns : replay->start_ns;
	int64_t until_ns = most(has_device ? stepper->device_end_ns : stepper->end_ns,
		stepper->step_ends[last].host_end_ns);
	int64_t before_ns = most(0, tc_sub_saturated(replay->first_step_ns, from_ns));
	int64_t first_ns = most(0, tc_sub_saturated(complete_ns[first], replay->first_step_ns));
	int64_t after_ns = most(0, tc_sub_saturated(until_ns, complete_ns[last]));

	if (replay->has_warm_up)
		before_ns = first_ns = 0;
	int64_t edges_ns = least(before_ns, mean_ns) + least(first_ns, mean_ns);
	return tc_add_saturated(tc_sub_saturated(complete_ns[last], complete_ns[first]),
		tc_add_saturated(edges_ns, least(after_ns, mean_ns)));
}

/* How much of the time between the ends of two steps is not the host's work in the steps after
 * number `from`, up to number `to`, with what the what-if saves of it. */
static int64_t host_leaves(
	const struct tc_stepper *stepper, size_t w, int64_t span_ns, const size_t steps[2])
{
	const int64_t *saved_ns = stepper->host_saved_ns + w;
	const struct tc_stepper_end *ends = stepper->step_ends;
	const size_t from = steps[0], to = steps[1];
	bool has_from = from != SIZE_MAX;
	int64_t needs_ns = tc_sub_saturated(ends[to].host_ns, has_from ? ends[from].host_ns : 0);
	int64_t less_ns = tc_sub_saturated(
		saved_ns[to * stepper->width], has_from ? saved_ns[from * stepper->width] : 0);

	return tc_add_saturated(most(0, tc_sub_saturated(span_ns, needs_ns)), less_ns);
}

/* The most that the time between the ends of two steps can shrink because of the host's work in it.
 * A device with a long queue may end earlier for a while, but in the long run it waits for the
 * host. Where it already fell behind the host in the recording, what the host saves counts. Where
 * every second step takes the host longer, the steps between these ends may be more of one kind
 * than of the other: with the first step in place of the last one there are as many less. */
static int64_t host_allows(const struct tc_stepper *stepper, size_t w, size_t first, size_t last)
{
	int64_t span_ns = stepper->out->complete_ns[last] - stepper->out->complete_ns[first];
	const struct tc_stepper_end *ends = stepper->step_ends;
	size_t before = first - 1; /* SIZE_MAX: none */

	if (!stepper->replay->has_launches || ends[first].host_ns == UNKNOWN ||
		ends[last].host_ns == UNKNOWN)
		return span_ns;
	int64_t left_ns = host_leaves(stepper, w, span_ns, (size_t[]){first, last});
	if (last > 0 && ends[last - 1].host_ns != UNKNOWN &&
		(before == SIZE_MAX || ends[before].host_ns != UNKNOWN)) {
		int64_t other_ns = host_leaves(stepper, w, span_ns, (size_t[]){before, last - 1});
		left_ns = most(left_ns, left_ns / 2 + other_ns / 2);
	}
	return least(span_ns, left_ns);
}

/* What waits and idle time a device can lose between the ends of two steps, beside the work that
 * the what-if takes off: it gets its work sooner, but still has to do all of it. Of a copy or a
 * collective counts what kept the device busy alone. */
static int64_t device_allows(const struct tc_stepper *stepper, size_t w, size_t first, size_t last)
{
	int64_t span_ns = stepper->out->complete_ns[last] - stepper->out->complete_ns[first];
	const struct tc_stepper_end *from = &stepper->step_ends[first];
	const struct tc_stepper_end *to = &stepper->step_ends[last];
	int64_t busy_ns = to->busy_ns - from->busy_ns;

	if (from->device == 0 || from->device != to->device)
		return span_ns;
	return least(span_ns,
		tc_add_saturated(span_ns - busy_ns,
			tc_add_saturated(stepper->waited_ns, stepper->device_removed_ns[w])));
}

/*
 * How far the gains of a step in each half of the steps lie from the mean of all. Halves, because
 * neighbours make up for each other: a loader with two workers makes every second step wait.
 */
static int64_t spread_of_steps(
	const struct tc_stepper *stepper, size_t w, const size_t *steps, size_t count)
{
	const struct tc_shifts *out = stepper->out;
	const size_t places[] = {0, (count - 1) / 2, count - 1};
	int64_t shift_ns[TC_COUNT_OF(places)], far_ns = 0;

	for (size_t i = 0; i < TC_COUNT_OF(places); i++)
		shift_ns[i] = out->complete_ns[steps[places[i]]] -
			      out->complete_then_ns[steps[places[i]] * stepper->width + w];
	int64_t mean_ns = (shift_ns[2] - shift_ns[0]) / (int64_t)(count - 1);
	for (size_t i = 0; i < 2; i++) {
		int64_t gain_ns =
			(shift_ns[i + 1] - shift_ns[i]) / (int64_t)(places[i + 1] - places[i]);
		far_ns = most(far_ns, most(gain_ns - mean_ns, mean_ns - gain_ns));
	}
	return far_ns;
}

/*
 * Gain from the steps that are complete at a known time, in that order. A step takes the mean time
 * from one completion to the next, before and after alike, so the first step is only a starting
 * point. When the what-if changes nothing before that is complete, it stands for one more step,
 * without the defect.
 */
static void gain_of_steps(struct tc_stepper *stepper, size_t w, const size_t *steps, size_t count)
{
	const struct tc_shifts *out = stepper->out;
	struct tc_won *won = &out->won[w];
	size_t first = steps[0], last = steps[count - 1];
	int64_t span_ns = out->complete_ns[last] - out->complete_ns[first];
	int64_t mean_ns = span_ns / (int64_t)(count - 1);
	bool touches = stepper->first_touch_ns[w] < out->complete_ns[first];
	int64_t shift_ns =
		out->complete_ns[last] - out->complete_then_ns[last * stepper->width + w];

	if (touches)
		shift_ns -=
			out->complete_ns[first] - out->complete_then_ns[first * stepper->width + w];
	int64_t device_ns = device_allows(stepper, w, first, last);
	int64_t most_ns = least(host_allows(stepper, w, first, last), device_ns);
	int64_t per_ns = most(0, least(shift_ns, most_ns) / (int64_t)(count - 1));
	/* Time of the first step, unless it is warm-up, which is no part of the steady time. */
	int64_t sound_ns = touches || stepper->replay->has_warm_up ? 0 : mean_ns - per_ns;
	won->step_before_ns = mean_ns;
	won->step_after_ns = mean_ns - per_ns;
	won->steady_ns = steady_time(stepper, first, last, mean_ns);
	if (mean_ns <= 0)
		return;
	int64_t whole_ns = tc_add_saturated(span_ns, sound_ns);
	won->gain_ns = tc_scale_saturated(per_ns * (int64_t)(count - 1), won->steady_ns, whole_ns);
	won->most_ns = tc_scale_saturated(device_ns, won->steady_ns, whole_ns);
	won->spread_ns = tc_scale_saturated(
		spread_of_steps(stepper, w, steps, count), won->steady_ns, mean_ns);
}

/* At most what the edits take off, and how much sooner they let calls have places in queues, scaled
 * from the steps with work to all steps that fill the recording: a device goes on for a while with
 * work that was queued before. */
static int64_t gain_limit(const struct tc_won *won, int64_t placed_ns, size_t step_count)
{
	int64_t steps_ns = tc_mul_saturated(won->step_before_ns, (int64_t)step_count);
	int64_t most_ns = tc_add_saturated(won->removed_ns, placed_ns);

	return steps_ns > 0 && won->steady_ns > steps_ns
		       ? tc_scale_saturated(most_ns, won->steady_ns, steps_ns)
		       : most_ns;
}

static size_t known_steps(const struct tc_stepper *stepper, size_t *steps)
{
	const struct tc_shifts *out = stepper->out;
	size_t count = 0;

	for (size_t i = 0; i < out->step_count; i++)
		if (out->complete_ns[i] != UNKNOWN &&
			(count == 0 || out->complete_ns[i] > out->complete_ns[steps[count - 1]]))
			steps[count++] = i;
	return count;
}

/* Without steady steps: how much earlier the devices end, or without devices the recording, less
 * how much earlier the run begins. */
static int64_t gain_of_end(const struct tc_stepper *stepper, size_t w)
{
	int64_t end_ns = stepper->device_new_end_ns[w] == UNKNOWN
				 ? stepper->out->won[w].end_ns
				 : stepper->device_end_ns - stepper->device_new_end_ns[w];

	return end_ns - stepper->begin_shift_ns[w];
}

/* A device that gets its work sooner still has to do all of it. So the gain is at most its idle
 * time and the removed work that kept it busy; streams that took turns do not run at once. */
static int64_t end_gain_limit(const struct tc_stepper *stepper, size_t w)
{
	return tc_add_saturated(stepper->replay->idle_ns,
		tc_add_saturated(stepper->waited_ns, stepper->device_removed_ns[w]));
}

void tc_stepper_settle(struct tc_stepper *stepper, struct tc_ctx *ctx)
{
	size_t *steps = tc_new(ctx, stepper->out->step_count + 1, sizeof(*steps));

	if (!steps)
		return;
	size_t count = known_steps(stepper, steps);
	for (size_t w = 0; w < stepper->width; w++) {
		struct tc_won *won = &stepper->out->won[w];
		if (stepper->new_end_ns[w] != UNKNOWN)
			won->end_ns = stepper->end_ns - stepper->new_end_ns[w];
		won->most_ns =
			least(end_gain_limit(stepper, w), tc_replay_wall_ns(stepper->replay));
		won->gain_ns = least(gain_of_end(stepper, w), won->most_ns);
		if (count >= STEADY_STEPS)
			gain_of_steps(stepper, w, steps, count);
		won->joint_ns = most(0, won->gain_ns);
		won->gain_ns = least(won->joint_ns,
			gain_limit(won, stepper->whatifs[w].places.sooner_ns, count));
	}
	tc_free(steps);
}

static int64_t wider(int64_t ns)
{
	return tc_part_of(ns, MODEL_ERROR_PPM);
}

struct tc_gain tc_gain_between(
	const struct tc_won *likely, const struct tc_won *low, const struct tc_won *high)
{
	int64_t low_ns = least(likely->gain_ns, low->gain_ns);
	int64_t high_ns = most(likely->gain_ns, high->gain_ns);

	if (likely->gain_ns == 0)
		return (struct tc_gain){0};
	low_ns = tc_sub_saturated(low_ns, tc_add_saturated(low->spread_ns, wider(low_ns)));
	high_ns = tc_add_saturated(high_ns, tc_add_saturated(high->spread_ns, wider(high_ns)));
	return (struct tc_gain){.likely_ns = likely->gain_ns,
		.low_ns = most(low_ns, 0),
		.high_ns = most(likely->gain_ns, least(high_ns, high->most_ns))};
}

void tc_stepper_open(struct tc_stepper *stepper, struct tc_shifts *out, struct tc_ctx *ctx,
	const struct tc_replay *replay, const struct tc_clause_set *whatifs, size_t whatif_count)
{
	*out = (struct tc_shifts){0};
	*stepper = (struct tc_stepper){.out = out,
		.replay = replay,
		.width = whatif_count,
		.end_ns = INT64_MIN,
		.device_end_ns = INT64_MIN};
	allocate(stepper, ctx);
	if (tc_ctx_failed(ctx))
		return;
	fill_tables(stepper, whatifs);
	for (size_t w = 0; w < whatif_count; w++)
		stepper->whatifs[w].places.size = replay->place_count + 1;
	for (size_t i = 0; i < out->step_count; i++)
		out->complete_ns[i] = stepper->step_ends[i].host_ns =
			stepper->step_ends[i].host_end_ns = UNKNOWN;
	for (size_t i = 0; i < out->step_count * whatif_count; i++)
		out->complete_then_ns[i] = UNKNOWN;
	for (size_t w = 0; w < whatif_count; w++) {
		stepper->first_touch_ns[w] = INT64_MAX;
		stepper->new_end_ns[w] = stepper->device_new_end_ns[w] = UNKNOWN;
	}
}

static void run_op(void *user, const struct tc_replay_op *op)
{
	if (op->kind != TC_REPLAY_EASE)
		tc_stepper_run(user, op);
}

/* To make two fixes is to make one of them, too, with shares at one end. The steps may show less
 * for both: they are counted from the end of the first step, and if it comes sooner and what ends
 * the last one stays, the steps between take longer. Then the gain is that of the one. */
static void raise_to_parts(struct tc_shifts *shifts, const struct tc_clause_set *whatifs)
{
	for (size_t w = 0; w < shifts->whatif_count; w++)
		for (size_t part = 0; part < shifts->whatif_count; part++) {
			struct tc_won *won = &shifts->won[w];
			const struct tc_won *least = &shifts->won[part];
			if (least->gain_ns <= won->gain_ns ||
				tc_clause_set_end(&whatifs[part]) !=
					tc_clause_set_end(&whatifs[w]) ||
				!tc_clause_set_is_part(&whatifs[part], &whatifs[w]))
				continue;
			won->gain_ns = least->gain_ns;
			won->joint_ns = most(won->joint_ns, least->joint_ns);
			won->step_after_ns = least->step_after_ns;
			won->most_ns = most(won->most_ns, least->most_ns);
		}
}

enum tc_status tc_shifts_run(struct tc_shifts *shifts, struct tc_ctx *ctx,
	const struct tc_replay *replay, const struct tc_clause_set *whatifs, size_t whatif_count)
{
	struct tc_stepper stepper;

	tc_stepper_open(&stepper, shifts, ctx, replay, whatifs, whatif_count);
	if (!tc_ctx_failed(ctx))
		tc_program_each(replay->program, run_op, &stepper);
	if (!tc_ctx_failed(ctx))
		tc_stepper_settle(&stepper, ctx);
	if (!tc_ctx_failed(ctx))
		raise_to_parts(shifts, whatifs);
	tc_stepper_close(&stepper);
	return tc_ctx_status(ctx);
}

void tc_shifts_clear(struct tc_shifts *shifts)
{
	tc_arena_clear(&shifts->arena);
	*shifts = (struct tc_shifts){0};
}

/* Writes every operation of a program again with the times of the replay. */
#include "replay/apply.h"

#include "replay/places.h"
#include "replay/world.h"

#define PPM INT64_C(1000000)

struct slot {
	int64_t shift_ns;
	int64_t written_ns; /* end of the work written so far, as recorded */
	int64_t cut_ns;     /* time taken off since then */
};

struct apply {
	struct tc_share *shares; /* by mask */
	struct tc_replay *out;
	struct tc_places places;
	struct tc_arena *arena;
	const struct tc_meets *meets; /* NULL: none */
	size_t met_count;
	struct slot *slots;
};

static void fill_shares(
	struct tc_share *shares, const struct tc_replay *replay, const struct tc_clause_set *whatif)
{
	for (size_t i = 1; i < replay->sets.count; i++)
		shares[i] = tc_replay_share(replay, &replay->sets.items[i], whatif);
}

static void write_op(struct apply *apply, struct tc_replay_op op)
{
	op.mask = 0;
	op.time_ns -= apply->slots[op.dst].shift_ns;
	tc_program_add(apply->out->program, &op);
}

static void take_point(struct apply *apply, const struct tc_replay_op *op)
{
	struct slot *dst = &apply->slots[op->dst];

	dst->shift_ns = op->src == TC_SLOT_NONE ? 0 : apply->slots[op->src].shift_ns;
	dst->written_ns = op->time_ns;
	dst->cut_ns = 0;
	write_op(apply, *op);
}

/* In the replay the point may wait for something else than in the recording. */
static void take_join(struct apply *apply, const struct tc_replay_op *op)
{
	struct slot *dst = &apply->slots[op->dst];
	struct tc_replay_op joined = *op;
	int64_t src_ns = op->src == TC_SLOT_NONE ? 0 : apply->slots[op->src].shift_ns;
	int64_t own_ns = dst->shift_ns + (op->amount_ns > 0 ? op->amount_ns : 0);
	int64_t other_ns = src_ns + (op->amount_ns < 0 ? -op->amount_ns : 0);

	dst->written_ns = op->time_ns;
	dst->cut_ns = 0;
	if (apply->shares[op->mask].frees) {
		dst->shift_ns = own_ns;
		return;
	}
	dst->shift_ns = own_ns < other_ns ? own_ns : other_ns;
	joined.amount_ns = own_ns - other_ns;
	/* Such a call lasts longer than in the recording. */
	if (op->piece == TC_PIECE_HOST)
		joined.kind = TC_REPLAY_SPEND;
	if (op->piece != TC_PIECE_HOST || joined.amount_ns > 0)
		write_op(apply, joined);
}

static void take_save(struct apply *apply, const struct tc_replay_op *op)
{
	struct slot *dst = &apply->slots[op->dst];
	int64_t share = apply->shares[op->mask].saved_ppm;

	if (share <= 0)
		return;
	int64_t ns = op->amount_ns / PPM * share + op->amount_ns % PPM * share / PPM;
	dst->shift_ns += ns;
	if (op->time_ns > dst->written_ns)
		dst->cut_ns += ns;
}

static void take_spend(struct apply *apply, const struct tc_replay_op *op)
{
	struct slot *dst = &apply->slots[op->dst];
	struct tc_replay_op spent = *op;

	take_save(apply, op);
	spent.amount_ns -= dst->cut_ns < spent.amount_ns ? dst->cut_ns : spent.amount_ns;
	dst->written_ns = op->time_ns;
	dst->cut_ns = 0;
	write_op(apply, spent);
}

/* A collective ends when the replay of all ranks says so. */
static void take_meet(struct apply *apply, const struct tc_replay_op *op)
{
	struct slot *dst = &apply->slots[op->dst];

	if (!apply->meets || apply->met_count == apply->meets->count)
		return;
	int64_t shift_ns = apply->meets->shifts_ns[apply->met_count++];
	dst->cut_ns += shift_ns - dst->shift_ns;
	dst->shift_ns = shift_ns;
}

/* Compute gets faster when the collectives beside it get shorter. */
static void take_ease(struct apply *apply, const struct tc_replay_op *op)
{
	struct slot *dst = &apply->slots[op->dst];

	if (!apply->meets || apply->met_count == apply->meets->count)
		return;
	int64_t eased_ns = apply->meets->shifts_ns[apply->met_count++];
	dst->cut_ns += eased_ns;
	dst->shift_ns += eased_ns;
}

static void take_places(struct apply *apply, const struct tc_replay_op *op)
{
	struct slot *dst = &apply->slots[op->dst];

	dst->shift_ns = tc_places_run(&apply->places, apply->arena, op,
		op->mask && apply->shares[op->mask].saved_ppm == PPM, dst->shift_ns);
}

static void take_end(struct apply *apply, const struct tc_replay_op *op)
{
	int64_t time_ns = op->time_ns - apply->slots[op->dst].shift_ns;

	if (time_ns > apply->out->end_ns)
		apply->out->end_ns = time_ns;
	write_op(apply, *op);
}

static void take_op(void *user, const struct tc_replay_op *op)
{
	struct apply *apply = user;

	switch ((enum tc_replay_kind)op->kind) {
	case TC_REPLAY_POINT: take_point(apply, op); break;
	case TC_REPLAY_JOIN: take_join(apply, op); break;
	case TC_REPLAY_SAVE:
	case TC_REPLAY_SAVE_BESIDE:
	case TC_REPLAY_SAVE_PART: take_save(apply, op); break;
	case TC_REPLAY_SPEND: take_spend(apply, op); break;
	case TC_REPLAY_EASE: take_ease(apply, op); break;
	case TC_REPLAY_END: take_end(apply, op); break;
	case TC_REPLAY_MEET: take_meet(apply, op); break;
	case TC_REPLAY_ENTER:
	case TC_REPLAY_LEAVE:
	case TC_REPLAY_PLACE:
	case TC_REPLAY_HOLD: take_places(apply, op); break;
	default: break;
	}
}

enum tc_status tc_replay_apply(struct tc_replay *out, struct tc_ctx *ctx,
	const struct tc_replay *replay, const struct tc_clause_set *whatif,
	const struct tc_meets *meets)
{
	struct tc_arena arena = {.ctx = ctx};
	struct apply apply = {.out = out,
		.meets = meets,
		.arena = &arena,
		.places.size = replay->place_count + 1};

	*out = (struct tc_replay){.clauses = replay->clauses,
		.step_count = replay->step_count,
		.first_step_ns = replay->first_step_ns,
		.has_warm_up = replay->has_warm_up,
		.start_ns = replay->start_ns,
		.end_ns = INT64_MIN};
	TC_ARENA(&arena, apply.shares, replay->sets.count + 1);
	TC_ARENA(&arena, apply.slots, tc_program_slot_count(replay->program));
	out->program = tc_program_new(ctx);
	if (!tc_ctx_failed(ctx)) {
		fill_shares(apply.shares, replay, whatif);
		tc_program_each(replay->program, take_op, &apply);
		tc_program_end(out->program);
	}
	tc_arena_clear(&arena);
	return tc_ctx_status(ctx);
}

/*
 * Ranks that can run are in a queue. A rank that waits for a collective is on the list
 * of its meeting until the last rank arrives. A rank that never arrives (its slice is not work on a
 * lane) would block all others; so when no rank can run, the first waiting one goes on.
 */
#include "replay/world.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"
#include "replay/pipeline.h"
#include "replay/shifts.h"
#include "store/sql.h"

/* ---- meetings */

/* Meetings: collectives of a job that some of its ranks have reached and not all have left. */

#define NOBODY UINT32_MAX

struct meeting {
	struct meeting *next; /* next of its bucket */
	int64_t match_id;
	uint32_t expected, arrived, left;
	uint32_t waiter; /* first of the ranks that wait for it, or NOBODY */
	/* In the first what-if: the last rank to arrive of those that are waited for, and the shift
	 * of the one before it. */
	uint32_t last;
	int64_t before_ns;
	bool is_start; /* the first collective of a recording */
	bool is_ready; /* all ranks have arrived */
	/* By what-if: the last arrival of all ranks, then the last one that is waited for;
	 * INT64_MAX: nobody is waited for. As shifts of the end. */
	int64_t shifts_ns[];
};

enum { TC_MEETING_BUCKETS = 4096 };

struct meetings {
	struct tc_pool pool;
	struct meeting *buckets[TC_MEETING_BUCKETS];
	size_t width; /* what-ifs */
};

static struct meeting **bucket_of(struct meetings *meetings, int64_t match_id)
{
	uint64_t hash = (uint64_t)match_id * UINT64_C(0x9E3779B97F4A7C15) >> 40;

	return &meetings->buckets[hash % TC_MEETING_BUCKETS];
}

/* Finds or begins a meeting; NULL when memory is out, which the context then knows. */
static struct meeting *get_meeting(struct meetings *meetings, int64_t match_id, uint32_t expected)
{
	struct meeting **bucket = bucket_of(meetings, match_id), *meeting = *bucket;

	while (meeting && meeting->match_id != match_id)
		meeting = meeting->next;
	if (meeting)
		return meeting;
	meeting = tc_pool_take(&meetings->pool);
	if (!meeting)
		return NULL;
	meeting->match_id = match_id;
	meeting->expected = expected;
	meeting->waiter = meeting->last = NOBODY;
	meeting->before_ns = INT64_MAX;
	for (size_t i = 0; i < 2 * meetings->width; i++)
		meeting->shifts_ns[i] = INT64_MAX;
	meeting->next = *bucket;
	*bucket = meeting;
	return meeting;
}

/* A rank leaves; the last one ends the meeting. */
static void leave_meeting(struct meetings *meetings, struct meeting *meeting)
{
	struct meeting **at = bucket_of(meetings, meeting->match_id);

	if (++meeting->left < meeting->expected)
		return;
	while (*at != meeting)
		at = &(*at)->next;
	*at = meeting->next;
	tc_pool_give(&meetings->pool, meeting);
}

/* ---- replays */

void tc_replays_take(
	struct tc_replays *replays, struct tc_ctx *ctx, int64_t trace_id, struct tc_replay *replay)
{
	if (!replays->spill)
		replays->spill = tc_spill_new(ctx);
	if (!tc_ctx_failed(ctx))
		tc_program_move(replay->program, ctx, replays->spill);
	if (!tc_ctx_failed(ctx) && TC_PUSH(ctx, replays->items, replays->count, replays->capacity,
					   (struct tc_kept_replay){trace_id, *replay}))
		*replay = (struct tc_replay){0};
}

void tc_replays_drop(struct tc_replays *replays, int64_t trace_id)
{
	while (replays->count > 0 && replays->items[replays->count - 1].trace_id >= trace_id)
		tc_replay_clear(&replays->items[--replays->count].replay);
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

/* A collective that a rank is in. */
struct part {
	int64_t slice_id, ts_ns, early_ns; /* early_ns: how long it waited for the last rank */
	uint32_t slot;
	struct meeting *meeting;
};

/* The state of a rank that is being replayed. */
struct runner {
	struct tc_stepper stepper;
	const struct tc_replay_op *ops;
	size_t block, at, count;
	struct part *parts;
	size_t part_count, part_capacity;
	bool *has_met; /* by slot: a part of its collective has ended */
	/* By what-if: the shift of the start of the collective that ended last, and how much
	 * compute has no collective beside it any more. */
	int64_t *began_ns, *free_ns;
	/* Collectives that have ended since compute was eased: any, and one that no rank meets. By
	 * what-if: from when on some of them still runs, in times of the recording, and the largest
	 * shift of a start. */
	bool has_left, is_unmatched;
	int64_t *kept_from_ns, *ahead_ns;
	bool has_started, is_done;
	uint32_t next_waiter;
	struct meeting *waits_for; /* or NULL */
};

struct run {
	const struct tc_world *world;
	const struct tc_world_whatif *whatifs;
	size_t width;
	const struct tc_world_notes *notes;
	struct runner *runners;
	struct meetings meetings;
	struct tc_arena arena;
	struct tc_rows collectives; /* by slice: match_id, early_ns and rank_count */
	uint32_t *ready;            /* ring of the ranks that can run */
	size_t ready_first, ready_count;
};

static void make_ready(struct run *run, uint32_t rank)
{
	run->ready[(run->ready_first + run->ready_count++) % run->world->count] = rank;
}

/* All ranks that wait for the meeting can go on. */
static void wake(struct run *run, struct meeting *meeting)
{
	int64_t *late_ns = run->notes ? run->notes->late_ns : NULL;

	meeting->is_ready = true;
	if (late_ns && meeting->before_ns < INT64_MAX && !meeting->is_start)
		late_ns[meeting->last] = tc_add_saturated(late_ns[meeting->last],
			meeting->before_ns - meeting->shifts_ns[run->width]);
	while (meeting->waiter != NOBODY) {
		uint32_t rank = meeting->waiter;
		meeting->waiter = run->runners[rank].next_waiter;
		run->runners[rank].waits_for = NULL;
		make_ready(run, rank);
	}
}

/* ---- arriving */

static void note_arrival(struct meeting *meeting, uint32_t rank, int64_t ns, int64_t least_ns)
{
	if (ns < least_ns) {
		meeting->last = rank;
		meeting->before_ns = least_ns;
	} else if (ns < meeting->before_ns) {
		meeting->before_ns = ns;
	}
}

static void come(struct run *run, uint32_t rank, struct meeting *meeting, int64_t early_ns,
	const struct tc_replay_op *op)
{
	struct runner *runner = &run->runners[rank];
	const int64_t *shifts = tc_stepper_slot(&runner->stepper, op->dst);
	int64_t *all = meeting->shifts_ns, *awaited = all + run->width;

	meeting->is_start = meeting->is_start || !runner->has_started;
	runner->has_started = true;
	for (size_t w = 0; w < run->width; w++) {
		int64_t ns = tc_add_saturated(shifts[w], early_ns);
		bool is_late = run->whatifs[w].is_late && run->whatifs[w].is_late[rank];
		if (ns < all[w])
			all[w] = ns;
		if (!is_late && w == 0)
			note_arrival(meeting, rank, ns, awaited[w]);
		if (!is_late && ns < awaited[w])
			awaited[w] = ns;
	}
	if (++meeting->arrived == meeting->expected)
		wake(run, meeting);
}

/* A collective without a match on other ranks concerns no other rank. */
static void arrive(struct run *run, uint32_t rank, const struct tc_replay_op *op)
{
	struct runner *runner = &run->runners[rank];
	struct tc_rows *row = &run->collectives;

	tc_rows_again(row, op->amount_ns);
	while (tc_rows_next(row)) {
		const struct part part = {.slice_id = op->amount_ns,
			.ts_ns = op->time_ns,
			.early_ns = tc_rows_int(row, 1),
			.slot = op->dst,
			.meeting = get_meeting(&run->meetings, tc_rows_int(row, 0),
				(uint32_t)tc_rows_int(row, 2))};
		runner->has_met[op->dst] = false;
		if (part.meeting && TC_PUSH(run->world->ctx, runner->parts, runner->part_count,
					    runner->part_capacity, part))
			come(run, rank, part.meeting, part.early_ns, op);
	}
}

/* ---- leaving */

/* The part of the collective's time that it waited for the last rank. */
static int64_t waited(const struct part *part, const struct tc_replay_op *op)
{
	int64_t dur_ns = op->time_ns - part->ts_ns;

	return part->early_ns < 0 ? 0 : part->early_ns < dur_ns ? part->early_ns : dur_ns;
}

/* A collective that waits less for others begins later, seen from its end. */
static void note_left(struct runner *runner, size_t w, const struct part *part, int64_t shorter_ns)
{
	int64_t from_ns = tc_add_saturated(part->ts_ns, shorter_ns);

	if (!runner->has_left || from_ns < runner->kept_from_ns[w])
		runner->kept_from_ns[w] = from_ns;
	if (!runner->has_left || runner->began_ns[w] > runner->ahead_ns[w])
		runner->ahead_ns[w] = runner->began_ns[w];
}

/* A collective ends when the last rank's does; with parts on several lanes, when the last part
 * does. A what-if that removes it waits for nobody. One that shortens it takes its share of all of
 * the slice's time afterwards; the share of the wait for other ranks is taken back here. */
static void leave(
	struct run *run, struct runner *runner, struct part *part, const struct tc_replay_op *op)
{
	const struct meeting *meeting = part->meeting;
	const int64_t *all = meeting->shifts_ns, *awaited = all + run->width;
	int64_t *dst = tc_stepper_slot(&runner->stepper, op->dst);

	for (size_t w = 0; w < run->width; w++) {
		bool is_as_recorded = meeting->is_start || awaited[w] == INT64_MAX;
		int64_t ns = is_as_recorded ? all[w] : awaited[w];
		int64_t share_ppm = tc_stepper_share(&runner->stepper, op->mask, w);
		if (!runner->has_met[op->dst])
			runner->began_ns[w] = dst[w];
		note_left(runner, w, part, share_ppm == TC_PPM ? 0 : ns - runner->began_ns[w]);
		if (share_ppm == TC_PPM)
			continue;
		tc_stepper_touch(&runner->stepper, w, op, ns - all[w]);
		ns -= tc_part_of(waited(part, op), share_ppm);
		dst[w] = runner->has_met[op->dst] && dst[w] < ns ? dst[w] : ns;
	}
	runner->stepper.waited_ns = tc_add_saturated(runner->stepper.waited_ns, waited(part, op));
	runner->has_met[op->dst] = true;
	runner->has_left = true;
	leave_meeting(&run->meetings, part->meeting);
	*part = runner->parts[--runner->part_count];
}

static void note_meet(
	struct run *run, uint32_t rank, const struct runner *runner, const struct tc_replay_op *op)
{
	struct tc_meets *meets = run->notes && run->notes->meets ? &run->notes->meets[rank] : NULL;

	if (meets && meets->is_wanted)
		TC_PUSH(run->world->ctx, meets->shifts_ns, meets->count, meets->capacity,
			tc_stepper_slot(&runner->stepper, op->dst)[0]);
}

/* A rank ends a collective. Returns whether it must wait for others first. */
static bool meet(struct run *run, uint32_t rank, const struct tc_replay_op *op)
{
	struct runner *runner = &run->runners[rank];
	size_t i = 0;

	while (i < runner->part_count && runner->parts[i].slice_id != op->amount_ns)
		i++;
	if (i == runner->part_count) {
		runner->is_unmatched = true;
		return false;
	}
	struct meeting *meeting = runner->parts[i].meeting;
	if (!meeting->is_ready) {
		runner->waits_for = meeting;
		runner->next_waiter = meeting->waiter;
		meeting->waiter = rank;
		return true;
	}
	leave(run, runner, &runner->parts[i], op);
	return false;
}

/*
 * A collective that waits less for others gets shorter, and so does the compute that ran beside it
 * until then: it takes longer there (contention.h). But collectives that were behind it on their
 * stream now run beside that compute in its place. Compute that is over when a collective ends is
 * eased then, before anything waits for its last end: only that point moves. Of several
 * collectives at a time, compute is beside one until the last of them ends. What an edit takes off
 * collectives is taken off compute elsewhere (hide.c), so that part counts no more here.
 */
static int64_t eased(struct runner *runner, size_t w, const struct tc_replay_op *op)
{
	int64_t share_ppm = tc_stepper_share(&runner->stepper, op->mask, w);
	int64_t left_ns = tc_sub_saturated(op->time_ns, runner->kept_from_ns[w]);
	int64_t ahead_ns = tc_sub_saturated(
		runner->ahead_ns[w], tc_stepper_slot(&runner->stepper, op->dst)[w]);
	int64_t kept_ns = op->amount_ns < left_ns ? op->amount_ns : left_ns;
	int64_t freed_ns, taken_ns;

	kept_ns = kept_ns > 0 ? kept_ns : 0;
	ahead_ns = tc_sub_saturated(ahead_ns, op->src);
	if (ahead_ns <= 0)
		runner->free_ns[w] = ahead_ns = 0;
	freed_ns = op->amount_ns - kept_ns;
	taken_ns = left_ns - kept_ns < ahead_ns ? left_ns - kept_ns : ahead_ns;
	taken_ns = taken_ns < runner->free_ns[w] ? taken_ns : runner->free_ns[w];
	taken_ns = taken_ns > 0 ? taken_ns : 0;
	freed_ns = tc_part_of(freed_ns - taken_ns, TC_PPM - (share_ppm > 0 ? share_ppm : 0));
	runner->free_ns[w] = tc_add_saturated(runner->free_ns[w], freed_ns);
	return tc_part_of(freed_ns, runner->stepper.replay->beside_ppm);
}

static void ease(
	struct run *run, uint32_t rank, struct runner *runner, const struct tc_replay_op *op)
{
	struct tc_meets *meets = run->notes && run->notes->meets ? &run->notes->meets[rank] : NULL;
	int64_t *dst = tc_stepper_slot(&runner->stepper, op->dst);
	bool is_known = runner->has_left && !runner->is_unmatched;

	for (size_t w = 0; w < run->width; w++) {
		int64_t ns = is_known ? eased(runner, w, op) : 0;
		tc_stepper_touch(&runner->stepper, w, op, ns);
		dst[w] = tc_shift_bounded(tc_add_saturated(dst[w], ns));
		if (w == 0 && meets && meets->is_wanted)
			TC_PUSH(run->world->ctx, meets->shifts_ns, meets->count, meets->capacity,
				ns);
	}
	runner->has_left = runner->is_unmatched = false;
}

/* ---- running */

static void next_block(struct runner *runner)
{
	struct tc_program *program = runner->stepper.replay->program;

	runner->at = runner->count = 0;
	runner->is_done = runner->block == tc_program_block_count(program);
	if (!runner->is_done)
		tc_program_block(&runner->ops, &runner->count, program, runner->block++);
}

/* Whether the rank must wait for others before it can run the operation. */
static bool run_op(struct run *run, uint32_t rank, const struct tc_replay_op *op)
{
	struct runner *runner = &run->runners[rank];

	if (op->kind == TC_REPLAY_ARRIVE)
		arrive(run, rank, op);
	else if (op->kind == TC_REPLAY_EASE)
		ease(run, rank, runner, op);
	else if (op->kind != TC_REPLAY_MEET)
		tc_stepper_run(&runner->stepper, op);
	else if (meet(run, rank, op))
		return true;
	else
		note_meet(run, rank, runner, op);
	return false;
}

/* Runs a rank until it has to wait or its recording ends. */
static void run_rank(struct run *run, uint32_t rank)
{
	struct runner *runner = &run->runners[rank];
	struct tc_ctx *ctx = run->world->ctx;

	while (!tc_ctx_failed(ctx) && !runner->is_done) {
		while (runner->at < runner->count) {
			if (run_op(run, rank, &runner->ops[runner->at]))
				return;
			runner->at++;
		}
		if (tc_ctx_interrupted(ctx))
			tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
		else
			next_block(runner);
	}
}

/* The first waiting rank goes on without those that have not arrived; false when none waits. */
static bool break_up(struct run *run)
{
	for (size_t i = 0; i < run->world->count; i++)
		if (run->runners[i].waits_for) {
			wake(run, run->runners[i].waits_for);
			return true;
		}
	return false;
}

static void run_all(struct run *run)
{
	for (size_t i = 0; i < run->world->count; i++)
		make_ready(run, (uint32_t)i);
	while (!tc_ctx_failed(run->world->ctx) && (run->ready_count > 0 || break_up(run))) {
		uint32_t rank = run->ready[run->ready_first];
		run->ready_first = (run->ready_first + 1) % run->world->count;
		run->ready_count--;
		run_rank(run, rank);
	}
}

/* ---- all ranks */

static void open_runners(struct run *run, struct tc_shifts *shifts)
{
	const struct tc_world *world = run->world;
	struct tc_clause_set *sets = tc_arena_take(&run->arena, run->width, sizeof(*sets));

	for (size_t w = 0; w < run->width && sets; w++)
		sets[w] = run->whatifs[w].clauses;
	for (size_t i = 0; i < world->count && !tc_ctx_failed(world->ctx); i++) {
		struct runner *runner = &run->runners[i];
		const struct tc_replay *replay = world->ranks[i].replay;
		TC_ARENA(&run->arena, runner->has_met, tc_program_slot_count(replay->program));
		TC_ARENA(&run->arena, runner->kept_from_ns, run->width);
		TC_ARENA(&run->arena, runner->ahead_ns, run->width);
		TC_ARENA(&run->arena, runner->began_ns, run->width);
		TC_ARENA(&run->arena, runner->free_ns, run->width);
		tc_stepper_open(&runner->stepper, &shifts[i], world->ctx, replay, sets, run->width);
	}
}

static void open_run(struct run *run, struct tc_shifts *shifts)
{
	const struct tc_world *world = run->world;

	run->arena.ctx = run->meetings.pool.ctx = world->ctx;
	TC_ARENA(&run->arena, run->runners, world->count);
	TC_ARENA(&run->arena, run->ready, world->count);
	run->collectives = tc_rows_prepare(world->ctx, world->db,
		"SELECT match_id, early_ns, rank_count FROM collective"
		" WHERE slice_id = ?1 AND match_id IS NOT NULL");
	open_runners(run, shifts);
}

static void close_run(struct run *run)
{
	for (size_t i = 0; run->runners && i < run->world->count; i++) {
		tc_stepper_close(&run->runners[i].stepper);
		tc_free(run->runners[i].parts);
	}
	tc_pool_clear(&run->meetings.pool);
	tc_rows_close(&run->collectives);
	tc_arena_clear(&run->arena);
}

enum tc_status tc_world_run(struct tc_shifts *shifts, const struct tc_world *world,
	const struct tc_world_whatif *whatifs, size_t whatif_count,
	const struct tc_world_notes *notes)
{
	struct run run = {
		.world = world, .whatifs = whatifs, .width = whatif_count, .notes = notes};

	for (size_t i = 0; i < world->count; i++)
		shifts[i] = (struct tc_shifts){0};
	run.meetings.width = whatif_count;
	tc_pool_init(
		&run.meetings.pool, sizeof(struct meeting) + 2 * whatif_count * sizeof(int64_t));
	open_run(&run, shifts);
	run_all(&run);
	for (size_t i = 0; i < world->count && !tc_ctx_failed(world->ctx); i++)
		tc_stepper_settle(&run.runners[i].stepper, world->ctx);
	close_run(&run);
	return tc_ctx_status(world->ctx);
}

/* ---- what the job wins */

int64_t tc_world_steady_ns(
	const struct tc_world *world, const struct tc_shifts *shifts, size_t rank)
{
	int64_t steady_ns = shifts[rank].won[0].steady_ns;

	return steady_ns > 0 ? steady_ns : tc_replay_wall_ns(world->ranks[rank].replay);
}

struct place {
	int64_t joint_ns;
	size_t index;
};

TC_ORDER(by_gain, struct place, TC_UP(joint_ns) TC_UP(index));

enum tc_status tc_world_won(struct tc_won *out, const struct tc_world *world,
	const struct tc_shifts *shifts, const bool *is_late, size_t whatif, size_t rank)
{
	struct place *places = tc_calloc(world->count + 1, sizeof(*places));
	int64_t wall_ns = tc_replay_wall_ns(world->ranks[rank].replay);
	size_t count = 0;

	if (!places)
		return tc_no_memory(world->ctx);
	for (size_t i = 0; i < world->count; i++)
		if (!is_late || !is_late[i])
			places[count++] = (struct place){shifts[i].won[whatif].joint_ns, i};
	qsort(places, count, sizeof(*places), by_gain);
	*out = shifts[places[count > 0 ? (count - 1) / 2 : 0].index].won[whatif];
	tc_free(places);
	out->gain_ns = out->joint_ns < wall_ns ? out->joint_ns : wall_ns;
	if (out->step_before_ns == 0)
		return TC_OK;
	int64_t steady_ns = tc_world_steady_ns(world, shifts, rank);
	out->gain_ns = tc_scale_saturated(
		out->step_before_ns - out->step_after_ns, steady_ns, out->step_before_ns);
	if (out->steady_ns > 0)
		out->most_ns = tc_scale_saturated(out->most_ns, steady_ns, out->steady_ns);
	return TC_OK;
}

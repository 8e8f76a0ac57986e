/*
 * Ranks replayed together, against a simulation of the same job in times: each rank computes on one
 * lane and meets others of a group on a second one. Nothing has a latency, so the replay must be
 * exact to the nanosecond, for ranks nobody waits for and for shorter collectives as well.
 */
#include "replay/replay_fixture.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sort/pack.h"
#include "replay/world.h"

enum { MAX_RANKS = 6, MAX_MEETINGS = 24, WHATIFS = 4 };
enum { COMPUTE, LANE, START, NODE };

struct job {
	uint32_t seed;
	int ranks, meetings;
	int group_size[MAX_MEETINGS];        /* ranks of one collective; neighbours */
	bool waits[MAX_RANKS][MAX_MEETINGS]; /* the next compute waits for the collective */
	int64_t dur_ns[MAX_RANKS][MAX_MEETINGS], transfer_ns[MAX_MEETINGS];
};

/* What a what-if changes. */
struct change {
	unsigned late; /* bits of the ranks for which nobody waits after the first collective */
	bool is_short; /* transfers take half as long */
};

/* Times of one course of events. */
struct course {
	int64_t compute_ns[MAX_RANKS][MAX_MEETINGS], arrive_ns[MAX_RANKS][MAX_MEETINGS];
	int64_t end_ns[MAX_RANKS][MAX_MEETINGS];
	int64_t late_ns[MAX_RANKS]; /* others waited so long for it alone */
	bool has_met[MAX_RANKS];
	struct change change;
};

static int64_t pick(struct job *job, int64_t sides)
{
	job->seed = job->seed * 1664525U + 1013904223U;
	return (int64_t)((job->seed >> 8) % (uint32_t)sides);
}

static void make_job(struct job *job, uint32_t number)
{
	*job = (struct job){.seed = number * 2654435761U + 1};
	job->ranks = 2 + (int)pick(job, MAX_RANKS - 1);
	job->meetings = 2 + (int)pick(job, MAX_MEETINGS - 1);
	for (int c = 0; c < job->meetings; c++) {
		job->group_size[c] = pick(job, 3) ? job->ranks : 1 + (int)pick(job, job->ranks);
		job->transfer_ns[c] = 2 * pick(job, 25);
		for (int r = 0; r < job->ranks; r++) {
			job->waits[r][c] = pick(job, 3) > 0;
			job->dur_ns[r][c] = pick(job, 3) ? 100 : 2 * pick(job, 200);
		}
	}
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void meet(const struct job *job, struct course *course, int c, int first)
{
	int behind = first + job->group_size[c], last = -1, count = 0;
	int64_t last_ns = INT64_MIN, before_ns = INT64_MIN, all_ns = INT64_MIN;

	bool is_start = false;

	if (behind > job->ranks)
		behind = job->ranks;
	for (int r = first; r < behind && behind - first > 1; r++) {
		is_start = is_start || !course->has_met[r];
		course->has_met[r] = true;
	}
	for (int r = first; r < behind; r++) {
		int64_t ns = course->arrive_ns[r][c];
		all_ns = later(all_ns, ns);
		if (course->change.late >> r & 1)
			continue;
		count++;
		before_ns = later(before_ns, ns > last_ns ? last_ns : ns);
		last = ns > last_ns ? r : last;
		last_ns = later(last_ns, ns);
	}
	if (count > 1 && !is_start)
		course->late_ns[last] += last_ns - before_ns;
	if (count == 0 || is_start)
		last_ns = all_ns;
	for (int r = first; r < behind; r++)
		course->end_ns[r][c] =
			last_ns + job->transfer_ns[c] / (course->change.is_short ? 2 : 1);
}

static void simulate(struct course *course, const struct job *job, struct change change)
{
	*course = (struct course){.change = change};
	for (int c = 0; c < job->meetings; c++) {
		for (int r = 0; r < job->ranks; r++) {
			int64_t lane_ns = c > 0 ? course->end_ns[r][c - 1] : 0;
			int64_t compute_ns = c > 0 ? course->compute_ns[r][c - 1] : 0;
			if (c > 0 && job->waits[r][c])
				compute_ns = later(compute_ns, lane_ns);
			course->compute_ns[r][c] = compute_ns + job->dur_ns[r][c];
			course->arrive_ns[r][c] = later(course->compute_ns[r][c], lane_ns);
		}
		for (int r = 0; r < job->ranks; r += job->group_size[c])
			meet(job, course, c, r);
	}
}

/* ---- the same as programs */

/* All collectives have the mask 1, which has the one clause. */
static const struct tc_clause half = {
	.action = TC_EDIT_SAVE, .saved_ppm = {500000, 500000, 500000}};
static struct tc_clause_set masks[] = {{{0}}, {{1}}};

static void add(struct tc_program *program, enum tc_replay_kind kind, uint32_t dst, uint32_t src,
	int64_t time_ns, int64_t amount_ns)
{
	bool is_collective =
		kind == TC_REPLAY_MEET || kind == TC_REPLAY_SAVE || kind == TC_REPLAY_EASE;
	const struct tc_replay_op op = {.kind = (uint8_t)kind,
		.mask = is_collective ? 1 : 0,
		.dst = dst,
		.src = src,
		.label = UINT32_MAX,
		.device = 1,
		.time_ns = time_ns,
		.amount_ns = amount_ns};

	tc_program_add(program, &op);
}

static int64_t slice_of(int rank, int c)
{
	return rank * MAX_MEETINGS + c;
}

static void add_meeting(
	struct tc_program *program, const struct job *job, const struct course *was, int r, int c)
{
	int64_t lane_ns = c > 0 ? was->end_ns[r][c - 1] : 0;
	int64_t before_ns = c > 0 ? was->compute_ns[r][c - 1] : 0;
	int64_t end_ns = was->compute_ns[r][c], start_ns = end_ns - job->dur_ns[r][c];
	int64_t arrive_ns = was->arrive_ns[r][c];

	add(program, TC_REPLAY_POINT, START, c > 0 ? COMPUTE : TC_SLOT_NONE, start_ns, 0);
	if (c > 0 && job->waits[r][c])
		add(program, TC_REPLAY_JOIN, START, LANE, start_ns,
			(start_ns - before_ns) - (start_ns - lane_ns));
	add(program, TC_REPLAY_POINT, COMPUTE, START, end_ns, 0);
	add(program, TC_REPLAY_POINT, NODE, COMPUTE, arrive_ns, 0);
	if (c > 0)
		add(program, TC_REPLAY_JOIN, NODE, LANE, arrive_ns,
			(arrive_ns - end_ns) - (arrive_ns - lane_ns));
	add(program, TC_REPLAY_ARRIVE, NODE, 0, arrive_ns, slice_of(r, c));
	add(program, TC_REPLAY_MEET, NODE, 0, was->end_ns[r][c], slice_of(r, c));
	add(program, TC_REPLAY_SAVE, NODE, 0, was->end_ns[r][c], was->end_ns[r][c] - arrive_ns);
	add(program, TC_REPLAY_POINT, LANE, NODE, was->end_ns[r][c], 0);
}

static void make_rank(struct tc_replay *replay, struct tc_ctx *ctx, const struct job *job,
	const struct course *was, int r)
{
	int last = job->meetings - 1;
	struct tc_program *program = tc_program_new(ctx);

	assert_non_null(program);
	for (int c = 0; c < job->meetings; c++)
		add_meeting(program, job, was, r, c);
	add(program, TC_REPLAY_END, COMPUTE, TC_SLOT_NONE, was->compute_ns[r][last], 0);
	add(program, TC_REPLAY_END, LANE, TC_SLOT_NONE, was->end_ns[r][last], 0);
	tc_program_end(program);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	*replay = (struct tc_replay){.program = program,
		.clauses = &half,
		.sets = {.items = masks, .count = 2},
		.idle_ns = INT64_MAX};
}

static void fill_table(sqlite3 *db, const struct job *job, const struct course *was)
{
	char sql[256];

	assert_int_equal(sqlite3_exec(db,
				 "DROP TABLE IF EXISTS collective; CREATE TABLE collective ("
				 "slice_id INTEGER PRIMARY KEY, match_id, early_ns, rank_count)",
				 NULL, NULL, NULL),
		SQLITE_OK);
	for (int c = 0; c < job->meetings; c++)
		for (int r = 0; r < job->ranks; r++) {
			int first = r / job->group_size[c] * job->group_size[c];
			int behind = first + job->group_size[c];
			int count = (behind > job->ranks ? job->ranks : behind) - first;
			int64_t end_ns = was->end_ns[r][c] - job->transfer_ns[c];
			if (count == 1)
				continue; /* nobody to meet */
			snprintf(sql, sizeof(sql),
				"INSERT INTO collective VALUES (%d, %d, %lld, %d)",
				(int)slice_of(r, c), (int)slice_of(first, c),
				(long long)(end_ns - was->arrive_ns[r][c]), count);
			assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		}
}

/* ---- */

static int64_t end_of(const struct job *job, const struct course *course, int r)
{
	return later(
		course->compute_ns[r][job->meetings - 1], course->end_ns[r][job->meetings - 1]);
}

static void check(const struct job *job, const struct course *was, const struct tc_shifts *shifts,
	const struct change *changes, const int64_t *late_ns, uint32_t number)
{
	for (int w = 0; w < WHATIFS; w++) {
		struct course then;
		simulate(&then, job, changes[w]);
		for (int r = 0; r < job->ranks; r++) {
			int64_t won_ns = end_of(job, was, r) - end_of(job, &then, r);
			if (shifts[r].won[w].end_ns != won_ns ||
				(w == 0 && late_ns[r] != then.late_ns[r]))
				fail_msg("job %u, rank %d, without %x: won %lld, not %lld; late "
					 "%lld, not %lld",
					number, r, changes[w].late,
					(long long)shifts[r].won[w].end_ns, (long long)won_ns,
					(long long)late_ns[r], (long long)then.late_ns[r]);
			assert_true(changes[w].late || changes[w].is_short || won_ns == 0);
			assert_true(shifts[r].won[w].gain_ns <= shifts[r].won[w].removed_ns);
		}
	}
}

static void try_job(struct tc_ctx *ctx, sqlite3 *db, uint32_t number)
{
	struct job job;
	struct course was;
	struct tc_replay replays[MAX_RANKS];
	struct tc_world_rank ranks[MAX_RANKS];
	struct tc_shifts shifts[MAX_RANKS];
	struct tc_world_whatif whatifs[WHATIFS] = {0};
	bool is_late[WHATIFS][MAX_RANKS] = {0};
	int64_t late_ns[MAX_RANKS] = {0};
	struct change changes[WHATIFS];

	make_job(&job, number);
	simulate(&was, &job, (struct change){0});
	fill_table(db, &job, &was);
	for (int r = 0; r < job.ranks; r++) {
		make_rank(&replays[r], ctx, &job, &was, r);
		ranks[r] = (struct tc_world_rank){r, r, 0, &replays[r]};
	}
	for (int w = 0; w < WHATIFS; w++) {
		changes[w].late =
			number % 5 == 0 && w == 0 ? 0 : (unsigned)pick(&job, 1 << job.ranks);
		for (int r = 0; r < job.ranks; r++)
			is_late[w][r] = changes[w].late >> r & 1;
		whatifs[w].is_late = is_late[w];
		changes[w].is_short = w > 0 && pick(&job, 2);
		whatifs[w].clauses.words[0] = changes[w].is_short;
	}
	const struct tc_world world = {ctx, db, ranks, (size_t)job.ranks};
	const struct tc_world_notes notes = {.late_ns = late_ns};
	if (tc_world_run(shifts, &world, whatifs, WHATIFS, &notes))
		fail_msg("%s", tc_ctx_error(ctx));
	check(&job, &was, shifts, changes, late_ns, number);
	for (int r = 0; r < job.ranks; r++) {
		tc_shifts_clear(&shifts[r]);
		tc_program_free(replays[r].program);
	}
}

static void test_ranks_wait_as_simulated(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db = NULL;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	for (uint32_t number = 0; number < 400; number++)
		try_job(ctx, db, number);
	sqlite3_close(db);
	tc_ctx_free(ctx);
}

/* One rank never comes: its collective is in the table, its slice is not in its program. */
static void test_a_rank_that_never_comes(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db = NULL;
	struct tc_program *programs[2] = {NULL, NULL};
	struct tc_replay replays[2];
	struct tc_world_rank ranks[2];
	struct tc_shifts shifts[2];
	const struct tc_world_whatif whatif = {0};
	struct tc_clause_set unmarked[2] = {0};

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				 "CREATE TABLE collective (slice_id INTEGER PRIMARY KEY, match_id,"
				 " early_ns, rank_count); INSERT INTO collective VALUES"
				 " (1, 1, 5, 2), (2, 1, 0, 2)",
				 NULL, NULL, NULL),
		SQLITE_OK);
	for (int r = 0; r < 2; r++) {
		programs[r] = tc_program_new(ctx);
		assert_non_null(programs[r]);
		add(programs[r], TC_REPLAY_POINT, 0, TC_SLOT_NONE, 10, 0);
		if (r == 0) {
			add(programs[r], TC_REPLAY_ARRIVE, 0, 0, 10, 1);
			add(programs[r], TC_REPLAY_MEET, 0, 0, 20, 1);
		}
		add(programs[r], TC_REPLAY_END, 0, TC_SLOT_NONE, 20, 0);
		tc_program_end(programs[r]);
		assert_int_equal(tc_ctx_status(ctx), TC_OK);
		replays[r] = (struct tc_replay){.program = programs[r],
			.sets = {.items = unmarked, .count = 2},
			.idle_ns = INT64_MAX};
		ranks[r] = (struct tc_world_rank){r, r, 0, &replays[r]};
	}
	const struct tc_world world = {ctx, db, ranks, 2};
	assert_int_equal(tc_world_run(shifts, &world, &whatif, 1, NULL), TC_OK);
	for (int r = 0; r < 2; r++) {
		assert_true(shifts[r].won[0].gain_ns == 0);
		tc_shifts_clear(&shifts[r]);
		tc_program_free(programs[r]);
	}
	sqlite3_close(db);
	tc_ctx_free(ctx);
}

/* Rank 0 computes for a while beside a collective that waits for rank 1; another one is behind it.
 * Without the wait the first one takes 10 us, and the second one 30 us beside the same compute.
 * What rank 0 wins then; its work ends when the compute does, or, if it may be late, when it did.
 */
static int64_t won_without_wait(int64_t computed_ns, int64_t beside_ppm, bool may_be_late)
{
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db;
	struct tc_program *programs[2];
	struct tc_replay replays[2];
	struct tc_world_rank ranks[2];
	struct tc_shifts shifts[2];
	const bool is_late[] = {false, true};
	const struct tc_world_whatif whatifs[2] = {{.is_late = NULL}, {.is_late = is_late}};
	struct tc_clause_set unmarked[2] = {0};

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				 "CREATE TABLE collective (slice_id INTEGER PRIMARY KEY, match_id,"
				 " early_ns, rank_count); INSERT INTO collective VALUES"
				 " (1, 1, 0, 2), (2, 1, 0, 2), (3, 3, 190, 2), (4, 3, 0, 2),"
				 " (5, 5, 0, 2), (6, 5, 0, 2)",
				 NULL, NULL, NULL),
		SQLITE_OK);
	for (int r = 0; r < 2; r++) {
		struct tc_program *program = programs[r] = tc_program_new(ctx);
		assert_non_null(program);
		add(program, TC_REPLAY_POINT, NODE, TC_SLOT_NONE, -20, 0); /* recordings start */
		add(program, TC_REPLAY_ARRIVE, NODE, 0, -20, 1 + r);
		add(program, TC_REPLAY_MEET, NODE, 0, -10, 1 + r);
		add(program, TC_REPLAY_EASE, NODE, 0, -10, 0);
		add(program, TC_REPLAY_POINT, COMPUTE, NODE, 0, 0);
		add(program, TC_REPLAY_POINT, NODE, COMPUTE, r == 0 ? 0 : 190, 0);
		add(program, TC_REPLAY_ARRIVE, NODE, 0, r == 0 ? 0 : 190, 3 + r);
		add(program, TC_REPLAY_MEET, NODE, 0, 200, 3 + r);
		add(program, TC_REPLAY_EASE, COMPUTE, 0, 200, computed_ns);
		add(program, TC_REPLAY_POINT, LANE, NODE, 200, 0);
		add(program, TC_REPLAY_ARRIVE, LANE, 0, 200, 5 + r);
		add(program, TC_REPLAY_MEET, LANE, 0, 230, 5 + r);
		add(program, TC_REPLAY_EASE, COMPUTE, 100, 230, 0);
		if (may_be_late)
			add(program, TC_REPLAY_JOIN, COMPUTE, TC_SLOT_NONE, 100, INT64_MAX);
		add(program, TC_REPLAY_END, COMPUTE, TC_SLOT_NONE, 100, 0);
		tc_program_end(program);
		assert_int_equal(tc_ctx_status(ctx), TC_OK);
		replays[r] = (struct tc_replay){.program = program,
			.sets = {.items = unmarked, .count = 2},
			.beside_ppm = beside_ppm,
			.idle_ns = INT64_MAX};
		ranks[r] = (struct tc_world_rank){r, r, 0, &replays[r]};
	}
	const struct tc_world world = {ctx, db, ranks, 2};
	assert_int_equal(tc_world_run(shifts, &world, whatifs, 2, NULL), TC_OK);
	assert_int_equal(shifts[0].won[0].end_ns, 0);
	int64_t won_ns = shifts[0].won[1].end_ns;
	for (int r = 0; r < 2; r++) {
		tc_shifts_clear(&shifts[r]);
		tc_program_free(programs[r]);
	}
	sqlite3_close(db);
	tc_ctx_free(ctx);
	return won_ns;
}

/* A tenth of the time beside collectives is lost: of 90 us until then, less 30 us of the second. */
static void test_compute_is_eased_where_nobody_waits(void **state)
{
	(void)state;
	assert_int_equal(won_without_wait(100, 100000, false), 9 - 3);
}

/* Shifts stay so small that two of them can be added. */
static void test_eased_compute_does_not_overflow(void **state)
{
	(void)state;
	assert_int_equal(won_without_wait(INT64_MAX, 900000, true), 0);
}

/* Rank 0 computes for 100 us beside a collective that waits for rank 1, which takes 10 us without
 * the wait. A second one at the same time changes nothing where it waits as well, and keeps the
 * compute as long where it does not, or where no rank meets it. An edit that takes a half of the
 * collectives has that of the loss already, and one that removes them has all of it. */
static int64_t eased_beside(int64_t second_early_ns, bool is_unmatched, int64_t saved_ppm)
{
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db;
	struct tc_program *programs[2];
	struct tc_replay replays[2];
	struct tc_world_rank ranks[2];
	struct tc_shifts shifts[2];
	const struct tc_clause clause = {
		.action = TC_EDIT_SAVE, .saved_ppm = {saved_ppm, saved_ppm, saved_ppm}};
	const bool is_late[] = {false, true};
	const struct tc_world_whatif whatif = {
		.is_late = is_late, .clauses = saved_ppm > 0 ? masks[1] : masks[0]};
	char rows[256];

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	snprintf(rows, sizeof(rows),
		"CREATE TABLE collective (slice_id INTEGER PRIMARY KEY, match_id, early_ns,"
		" rank_count); INSERT INTO collective VALUES (1, 1, 0, 2), (2, 1, 0, 2),"
		" (3, 3, 90, 2), (4, 3, 0, 2), (5, %s, %d, 2), (6, %s, 0, 2)",
		is_unmatched ? "NULL" : "5", (int)second_early_ns, is_unmatched ? "NULL" : "5");
	assert_int_equal(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
	for (int r = 0; r < 2; r++) {
		struct tc_program *program = programs[r] = tc_program_new(ctx);
		int64_t second_ns = r == 0 ? 0 : second_early_ns;
		assert_non_null(program);
		add(program, TC_REPLAY_POINT, NODE, TC_SLOT_NONE, -20, 0);
		add(program, TC_REPLAY_ARRIVE, NODE, 0, -20, 1 + r);
		add(program, TC_REPLAY_MEET, NODE, 0, -10, 1 + r);
		add(program, TC_REPLAY_EASE, NODE, 0, -10, 0);
		add(program, TC_REPLAY_POINT, COMPUTE, NODE, 0, 0);
		add(program, TC_REPLAY_POINT, NODE, COMPUTE, r == 0 ? 0 : 90, 0);
		add(program, TC_REPLAY_ARRIVE, NODE, 0, r == 0 ? 0 : 90, 3 + r);
		add(program, TC_REPLAY_POINT, LANE, COMPUTE, second_ns, 0);
		add(program, TC_REPLAY_ARRIVE, LANE, 0, second_ns, 5 + r);
		add(program, TC_REPLAY_MEET, NODE, 0, 100, 3 + r);
		add(program, TC_REPLAY_MEET, LANE, 0, 100, 5 + r);
		add(program, TC_REPLAY_EASE, COMPUTE, 0, 100, 100);
		add(program, TC_REPLAY_END, COMPUTE, TC_SLOT_NONE, 100, 0);
		tc_program_end(program);
		replays[r] = (struct tc_replay){.program = program,
			.clauses = &clause,
			.sets = {.items = masks, .count = 2},
			.beside_ppm = 100000,
			.idle_ns = INT64_MAX};
		ranks[r] = (struct tc_world_rank){r, r, 0, &replays[r]};
	}
	const struct tc_world world = {ctx, db, ranks, 2};
	assert_int_equal(tc_world_run(shifts, &world, &whatif, 1, NULL), TC_OK);
	int64_t won_ns = shifts[0].won[0].end_ns;
	for (int r = 0; r < 2; r++) {
		tc_shifts_clear(&shifts[r]);
		tc_program_free(programs[r]);
	}
	sqlite3_close(db);
	tc_ctx_free(ctx);
	return won_ns;
}

static void test_collectives_at_one_time_ease_once(void **state)
{
	(void)state;
	assert_int_equal(eased_beside(90, false, 0), 9);
	assert_int_equal(eased_beside(0, false, 0), 0);
	assert_int_equal(eased_beside(50, false, 0), 5);
	assert_int_equal(eased_beside(0, true, 0), 0);
	assert_int_equal(eased_beside(90, false, 1000000), 0);
	assert_int_equal(eased_beside(90, false, 500000), 4);
}

/* The job's gain is the median one, said of the recording of the asked rank. What the edits take
 * off that rank itself is no bound: others may have the rest. */
static void test_the_gain_of_a_job_is_of_the_rank_asked_for(void **state)
{
	struct tc_won won[3] = {{.gain_ns = 3, .joint_ns = 30}, {.gain_ns = 5, .joint_ns = 10},
		{.gain_ns = 4, .joint_ns = 20}};
	const struct tc_shifts shifts[] = {{.won = &won[0]}, {.won = &won[1]}, {.won = &won[2]}};
	const struct tc_replay replays[] = {{.end_ns = 15}, {.end_ns = 300}, {.end_ns = 200}};
	struct tc_world_rank ranks[] = {
		{0, 0, 0, &replays[0]}, {1, 1, 0, &replays[1]}, {2, 2, 0, &replays[2]}};
	const struct tc_world world = {.ranks = ranks, .count = 3};
	const bool is_late[] = {false, false, true};
	struct tc_won job;

	(void)state;
	assert_int_equal(tc_world_won(&job, &world, shifts, NULL, 0, 1), TC_OK);
	assert_int_equal(job.gain_ns, 20);
	assert_int_equal(tc_world_won(&job, &world, shifts, NULL, 0, 0), TC_OK);
	assert_int_equal(job.gain_ns, 15); /* no more than all of it */
	assert_int_equal(tc_world_won(&job, &world, shifts, is_late, 0, 0), TC_OK);
	assert_int_equal(job.gain_ns, 10);
	for (size_t i = 0; i < 3; i++) {
		won[i].step_before_ns = 50;
		won[i].step_after_ns = 40;
		won[i].steady_ns = i == 1 ? 0 : 100;
	}
	assert_int_equal(tc_world_won(&job, &world, shifts, NULL, 0, 0), TC_OK);
	assert_int_equal(job.gain_ns, 20);
	assert_int_equal(tc_world_won(&job, &world, shifts, NULL, 0, 1), TC_OK);
	assert_int_equal(job.gain_ns, 60);
}

/* Empties the files without a name that are open. */
static void empty_temporary_files(void)
{
	for (int fd = 3; fd < 64; fd++) {
		struct stat file;
		if (!fstat(fd, &file) && S_ISREG(file.st_mode) && file.st_nlink == 0)
			assert_int_equal(ftruncate(fd, 0), 0);
	}
}

/* The context that a rank was read with ends before its program is kept with the others. */
static void test_a_program_that_cannot_be_read_is_not_kept(void **state)
{
	(void)state;
	for (int is_lost = 0; is_lost < 2; is_lost++) {
		struct tc_replays replays = {0};
		struct tc_ctx *ctx = tc_ctx_new(), *own = tc_ctx_new();
		struct tc_replay replay = {.program = tc_program_new(own)};
		for (uint32_t i = 0; i < 3 * TC_PACK_MAX_COUNT; i++)
			add(replay.program, TC_REPLAY_POINT, i, 0, i, 0);
		tc_program_end(replay.program);
		assert_int_equal(tc_ctx_status(own), TC_OK);
		tc_ctx_free(own);
		if (is_lost)
			empty_temporary_files();
		tc_replays_take(&replays, ctx, 0, &replay);
		assert_int_equal(tc_ctx_status(ctx), is_lost ? TC_ERR_IO : TC_OK);
		assert_int_equal(tc_replays_find(&replays, 0) == NULL, is_lost);
		tc_replay_clear(&replay);
		tc_replays_clear(&replays);
		tc_ctx_free(ctx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks_wait_as_simulated),
		cmocka_unit_test(test_a_rank_that_never_comes),
		cmocka_unit_test(test_compute_is_eased_where_nobody_waits),
		cmocka_unit_test(test_eased_compute_does_not_overflow),
		cmocka_unit_test(test_collectives_at_one_time_ease_once),
		cmocka_unit_test(test_the_gain_of_a_job_is_of_the_rank_asked_for),
		cmocka_unit_test(test_a_program_that_cannot_be_read_is_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Times at the ends of what a trace may have: gains are bounded there, and parts stay parts. */
#include "memory_store.h"
#include "replay/replay_fixture.h"

#include "core/limits.h"
#include "core/saturate.h"
#include "replay/pipeline.h"
#include "replay/whatif.h"

enum { STEPS = 5, LANES = 8 };

/* Steps that the host runs ahead of, on many lanes. Where they fill all the time that there is, all
 * work together is longer than any time. Work before the first step stands for one step
 * more. */
static void make_run(struct fixture *f, int64_t step_ns)
{
	uint32_t lanes[LANES];

	fixture_open(f);
	uint32_t name = add_label(f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t call = add_label(f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t first = add_label(f, "runtime", "first", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t kernel = add_label(f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	uint32_t thread = add_thread(f, "main", 0);
	f->timeline->labels[kernel].name_class = TC_CLASS_MATRIX;
	add_device(f, "0");
	for (size_t lane = 0; lane < LANES; lane++)
		lanes[lane] = add_lane(f, 0, TC_ENGINE_NONE);
	for (int i = -1; i < STEPS; i++) {
		int64_t ts_ns = (i + 2) * MS;
		struct tc_span step = make_span(f, thread, name, ts_ns, MS);
		if (i >= 0) {
			add_made(f, &step);
			add_step(f, &step, i);
		}
		for (int lane = 0; lane < LANES; lane++) {
			struct tc_span launch = add_span(
				f, thread, lane > 0 ? call : first, ts_ns + (lane + 1) * US, US);
			struct tc_span work =
				make_span(f, lanes[lane], kernel, (i + 2) * step_ns, step_ns);
			add_launched(f, &work, &launch, i);
		}
	}
}

static void test_gains_are_bounded(void **state)
{
	struct replayed r = {0};
	struct fixture f;

	(void)state;
	make_run(&f, TC_TIME_MAX_NS / (STEPS + 2));
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t fix = add_whatif(&r, f.ctx, "remove device class = matrix");
	add_whatif(&r, f.ctx, "remove name = first"); /* what stays in queues is summed up */
	replay(&r, &f);
	const struct tc_won *won = &r.shifts.won[fix];
	assert_true(won->removed_ns > TC_TIME_MAX_NS);
	assert_true(won->gain_ns > TC_TIME_MAX_NS / 4); /* no shift is longer than half of it */
	assert_true(won->gain_ns <= TC_TIME_MAX_NS);
	replay_clear(&r);
	fixture_close(&f);
}

/* What a loop is made of: steps, a loader, calls and the kernels that they launch. */
struct loop {
	uint32_t step, load, call, kernel; /* labels */
	uint32_t thread, lane;
};

static struct loop loop_open(struct fixture *f)
{
	fixture_open(f);
	struct loop loop = {.step = add_label(f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE),
		.load = add_label(f, "user", "load", TC_ROLE_DATALOADER, TC_ENGINE_NONE),
		.call = add_label(f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE),
		.kernel = add_label(f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE),
		.thread = add_thread(f, "main", 0)};
	add_device(f, "0");
	loop.lane = add_lane(f, 0, TC_ENGINE_NONE);
	return loop;
}

/* Of three turns of a loop only the last is a step: what the two before it would save is no part of
 * the run. */
static void test_time_before_the_first_step_is_not_saved(void **state)
{
	struct replayed r = {0};
	struct fixture f;

	(void)state;
	const struct loop loop = loop_open(&f);
	for (int i = 0; i < 3; i++) {
		int64_t ts_ns = 10 * i * MS;
		struct tc_span step = make_span(&f, loop.thread, loop.step, ts_ns, 10 * MS);
		if (i == 2) {
			add_made(&f, &step);
			add_step(&f, &step, 0);
		}
		add_span(&f, loop.thread, loop.load, ts_ns, 6 * MS);
		struct tc_span launch = add_span(&f, loop.thread, loop.call, ts_ns + 6 * MS, MS);
		struct tc_span work = make_span(&f, loop.lane, loop.kernel, ts_ns + 7 * MS, 2 * MS);
		add_launched(&f, &work, &launch, i == 2 ? 0 : -1);
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t fix = add_whatif(&r, f.ctx, "remove role = dataloader");
	replay(&r, &f);
	assert_int_equal(r.shifts.won[fix].gain_ns, 6 * MS);
	replay_clear(&r);
	fixture_close(&f);
}

/* The last step ends when the host is done with it, after the device: all four of them are steady.
 */
static void test_steps_end_with_the_host(void **state)
{
	struct replayed r = {0};
	struct fixture f;

	(void)state;
	const struct loop loop = loop_open(&f);
	uint32_t print = add_label(&f, "python", "print", TC_ROLE_OTHER, TC_ENGINE_NONE);
	for (int i = 0; i < 4; i++) {
		int64_t ts_ns = (10 * i + 1) * MS;
		struct tc_span step = add_span(&f, loop.thread, loop.step, ts_ns, 10 * MS);
		add_step(&f, &step, i);
		struct tc_span launch = add_span(&f, loop.thread, loop.call, ts_ns, MS);
		struct tc_span work = make_span(&f, loop.lane, loop.kernel, ts_ns + MS, 2 * MS);
		add_launched(&f, &work, &launch, i);
		add_span(&f, loop.thread, print, ts_ns + 3 * MS, 7 * MS);
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t fix = add_whatif(&r, f.ctx, "remove host role = other");
	replay(&r, &f);
	assert_int_equal(r.shifts.won[fix].steady_ns, 40 * MS);
	replay_clear(&r);
	fixture_close(&f);
}

/* A gain is a share of the steps that it is said of, whatever else the recording has. */
static void test_gains_are_shares_of_steady_steps(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_fix fix = {.id = "late", .edit = "remove role = dataloader"};
	struct tc_fixes fixes = {.items = &fix, .count = 1};
	struct tc_whatif whatif;
	struct tc_edit edit;
	struct fixture f;

	(void)state;
	const struct loop loop = loop_open(&f);
	for (int i = 0; i < 4; i++) {
		int64_t ts_ns = (10 * i + 1) * MS;
		struct tc_span step = add_span(&f, loop.thread, loop.step, ts_ns, 10 * MS);
		add_step(&f, &step, i);
		add_span(&f, loop.thread, loop.load, ts_ns, 6 * MS);
		struct tc_span launch = add_span(&f, loop.thread, loop.call, ts_ns + 6 * MS, MS);
		struct tc_span work = make_span(&f, loop.lane, loop.kernel, ts_ns + 7 * MS, 2 * MS);
		add_launched(&f, &work, &launch, i);
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	if (tc_edit_parse(&edit, f.ctx, tc_text_from(fix.edit), keep_text, NULL))
		fail_msg("%s", tc_ctx_error(f.ctx));
	fixes.clauses[fixes.clause_count++] = edit.clauses[0];
	tc_clause_set_add(&fix.clauses, 0);
	memory_store_exec(db, "INSERT INTO steady VALUES(0, 70000000, 70000000, 4, 4)");
	assert_int_equal(tc_whatif_run(&whatif, f.timeline, &fixes), TC_OK);
	assert_int_equal(tc_whatif_write(&whatif, f.timeline, db), TC_OK);
	assert_int_equal(memory_store_number(db, "SELECT gain_wall_ns FROM steady"), 40 * MS);
	assert_int_equal(memory_store_number(db, "SELECT wall_ns FROM steady"), 70 * MS);
	assert_int_equal(memory_store_number(db, "SELECT gain_ns FROM whatif"), 24 * MS);
	tc_whatif_clear(&whatif);
	fixture_close(&f);
	sqlite3_close(db);
}

/* The ends of a range are around the likely gain, at least as far as the replay may be wrong, and
 * no gain is more than the devices allow. */
static void test_ranges_hold_their_gain(void **state)
{
	const struct tc_won likely = {.gain_ns = 1000},
			    low = {.gain_ns = 500, .spread_ns = 100, .most_ns = 10000},
			    none = {.gain_ns = 0};
	struct tc_won high = {.gain_ns = 1500, .spread_ns = 50, .most_ns = 10000};
	struct tc_gain gain = tc_gain_between(&likely, &low, &high);

	(void)state;
	assert_int_equal(gain.likely_ns, 1000);
	assert_int_equal(gain.low_ns, 500 - 100 - 20);
	assert_int_equal(gain.high_ns, 1500 + 50 + 60);
	gain = tc_gain_between(&likely, &high, &low);
	assert_int_equal(gain.low_ns, 1000 - 50 - 40);
	assert_int_equal(gain.high_ns, 1000 + 100 + 40);
	high.most_ns = 1200;
	assert_int_equal(tc_gain_between(&likely, &low, &high).high_ns, 1200);
	gain = tc_gain_between(&none, &low, &high);
	assert_int_equal(gain.high_ns, 0);
}

/* A what-if at the end of its shares, and how far the halves of a recording differ. */
static void test_shares_at_their_ends(void **state)
{
	struct replayed r = {0};
	struct fixture f;

	(void)state;
	make_run(&f, 2 * STEPS * MS);
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t fix = add_whatif(&r, f.ctx, "scale device class = matrix by 0.5");
	r.clauses[0].saved_ppm[TC_END_LOW] = 250000;
	r.clauses[0].saved_ppm[TC_END_HIGH] = 750000;
	for (int end = TC_END_LOW; end < TC_END_COUNT; end++) {
		r.whatifs[r.whatif_count] = r.whatifs[fix];
		tc_clause_set_to_end(&r.whatifs[r.whatif_count++], (enum tc_end)end);
	}
	replay(&r, &f);
	const struct tc_won *won = r.shifts.won;
	assert_int_equal(won[TC_END_LOW].gain_ns, won[TC_END_LIKELY].gain_ns / 2);
	assert_true(won[TC_END_HIGH].gain_ns > won[TC_END_LIKELY].gain_ns);
	assert_int_equal(won[TC_END_LIKELY].spread_ns, 0); /* all steps are alike */
	replay_clear(&r);
	fixture_close(&f);
}

/*
 * A loop that waits for an event in every step, which has always happened. Every second step begins
 * with 20 ms of the host, the others with load_ms; the device works 10 ms for each, and is idle
 * before every second one. How much sooner the last work ends without the load, at an end of the
 * range.
 */
static int64_t won_by_running_ahead(int64_t load_ms, enum tc_end end)
{
	struct replayed r = {0};
	struct fixture f;
	int64_t ts_ns = MS, free_ns = 0;

	fixture_open(&f);
	uint32_t name = add_label(&f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t load = add_label(&f, "user", "load", TC_ROLE_DATALOADER, TC_ENGINE_NONE);
	uint32_t call = add_label(&f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t wait = add_label(&f, "runtime", "wait", TC_ROLE_SYNC, TC_ENGINE_NONE);
	uint32_t kernel = add_label(&f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	uint32_t thread = add_thread(&f, "main", 0);
	f.timeline->labels[wait].is_event_wait = true;
	add_device(&f, "0");
	uint32_t lane = add_lane(&f, 0, TC_ENGINE_NONE);
	for (int i = 0; i < 2 * STEPS; i++) {
		int64_t work_ns = i % 2 ? load_ms * MS : 20 * MS, dur_ns = work_ns + 30 * US;
		struct tc_span step = make_span(&f, thread, name, ts_ns, dur_ns);
		add_made(&f, &step);
		add_step(&f, &step, i);
		add_span(&f, thread, wait, ts_ns, 2 * US);
		if (i % 2)
			add_span(&f, thread, load, ts_ns + 10 * US, work_ns);
		struct tc_span launch =
			add_span(&f, thread, call, ts_ns + 10 * US + work_ns, 5 * US);
		ts_ns += dur_ns;
		free_ns = free_ns > ts_ns ? free_ns : ts_ns;
		struct tc_span work = make_span(&f, lane, kernel, free_ns, 10 * MS);
		add_launched(&f, &work, &launch, i);
		free_ns += 10 * MS;
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t fix = add_whatif(&r, f.ctx, "remove role = dataloader");
	if (end != TC_END_LIKELY)
		tc_clause_set_to_end(&r.whatifs[fix], end);
	replay(&r, &f);
	int64_t won_ns = r.shifts.won[fix].end_ns;
	replay_clear(&r);
	fixture_close(&f);
	return won_ns;
}

/* The work of the step before last had always ended, that of the last one had not. So the host
 * stays that far ahead, and only at the high end it may be further. Where the work of the last
 * step, too, had always ended, nothing shows what it waits for. */
static void test_a_host_runs_no_further_ahead(void **state)
{
	(void)state;
	assert_in_range(won_by_running_ahead(12, TC_END_LIKELY), STEPS * 2 * MS, STEPS * 3 * MS);
	assert_in_range(won_by_running_ahead(12, TC_END_LOW), STEPS * 2 * MS, STEPS * 3 * MS);
	assert_in_range(won_by_running_ahead(12, TC_END_HIGH), STEPS * 9 * MS, STEPS * 12 * MS);
}

/*
 * A loop that waits in every step for the work of the step `lead` before it; the device works 10 ms
 * for each, the host 1 ms, and once 25 ms, so that the device runs dry. What an edit of the waits
 * wins and takes off.
 */
static struct tc_won won_by_waiting_less(int lead, const char *edit)
{
	struct replayed r = {0};
	struct fixture f;
	int64_t ts_ns = MS, free_ns = 0, ends_ns[2 * STEPS] = {0};

	fixture_open(&f);
	uint32_t name = add_label(&f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t call = add_label(&f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t wait = add_label(&f, "runtime", "wait", TC_ROLE_SYNC, TC_ENGINE_NONE);
	uint32_t kernel = add_label(&f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	uint32_t thread = add_thread(&f, "main", 0);
	f.timeline->labels[wait].is_event_wait = true;
	add_device(&f, "0");
	uint32_t lane = add_lane(&f, 0, TC_ENGINE_NONE);
	for (int i = 0; i < 2 * STEPS; i++) {
		int64_t from_ns = ts_ns, work_ns = i == STEPS ? 25 * MS : MS;
		ts_ns += 2 * US;
		if (i >= lead && ts_ns < ends_ns[i - lead])
			ts_ns = ends_ns[i - lead];
		add_span(&f, thread, wait, from_ns, ts_ns - from_ns);
		ts_ns += work_ns;
		struct tc_span launch = add_span(&f, thread, call, ts_ns, 5 * US);
		ts_ns += 10 * US;
		struct tc_span step = make_span(&f, thread, name, from_ns, ts_ns - from_ns);
		add_made(&f, &step);
		add_step(&f, &step, i);
		free_ns = free_ns > ts_ns ? free_ns : ts_ns;
		struct tc_span work = make_span(&f, lane, kernel, free_ns, 10 * MS);
		add_launched(&f, &work, &launch, i);
		ends_ns[i] = free_ns += 10 * MS;
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t fix = add_whatif(&r, f.ctx, edit);
	replay(&r, &f);
	struct tc_won won = r.shifts.won[fix];
	replay_clear(&r);
	fixture_close(&f);
	return won;
}

/* A wait for a step before the last leaves the device a step to do. The edit leaves it alone, but
 * not a wait for the last step. */
static void test_waits_that_keep_a_step_in_flight(void **state)
{
	const char *all = "remove role = sync", *others = "remove role = sync not ahead";

	(void)state;
	assert_true(won_by_waiting_less(2, all).gain_ns > MS);
	assert_int_equal(won_by_waiting_less(2, others).removed_ns, 0);
	assert_true(won_by_waiting_less(1, all).gain_ns > MS);
	assert_int_equal(
		won_by_waiting_less(1, others).gain_ns, won_by_waiting_less(1, all).gain_ns);
}

/*
 * Two streams whose kernels take turns, 10 ms each, while the other one copies for 9 ms. Every
 * other turn begins with a copy of 1 ms beside which nothing runs. Without the copies the kernels
 * could run at once, as far as the recording shows what they wait for; but the device cannot.
 *
 *   stream 0   |kernel|copy           |kernel|copy
 *   stream 1   |copy  |own copy|kernel|copy  |own copy|kernel
 */
static void test_copies_beside_compute_bound_nothing(void **state)
{
	struct replayed r = {0};
	struct fixture f;
	int64_t ts_ns = MS;

	(void)state;
	fixture_open(&f);
	uint32_t call = add_label(&f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t kernel = add_label(&f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	uint32_t copy = add_label(&f, "kernel", "dma", TC_ROLE_NONE, TC_ENGINE_COPY);
	uint32_t thread = add_thread(&f, "main", 0);
	add_device(&f, "0");
	uint32_t lanes[] = {add_lane(&f, 0, TC_ENGINE_NONE), add_lane(&f, 0, TC_ENGINE_NONE)};
	struct tc_span launch = add_span(&f, thread, call, 0, 5 * US);
	for (size_t i = 0; i < 2 * STEPS; i++) {
		int64_t own_ns = i % 2 ? MS : 0;
		struct tc_span own = make_span(&f, lanes[i % 2], copy, ts_ns, own_ns - 5 * US);
		struct tc_span work =
			make_span(&f, lanes[i % 2], kernel, ts_ns + own_ns, 10 * MS - 5 * US);
		struct tc_span beside = make_span(
			&f, lanes[1 - i % 2], copy, ts_ns + own_ns + 500 * US, 9 * MS + 490 * US);
		if (own_ns > 0)
			add_launched(&f, &own, &launch, -1);
		add_launched(&f, &work, &launch, -1);
		add_launched(&f, &beside, &launch, -1);
		ts_ns += own_ns + 10 * MS;
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t fix = add_whatif(&r, f.ctx, "remove device engine = copy");
	replay(&r, &f);
	const struct tc_won *won = &r.shifts.won[fix];
	assert_true(won->removed_ns > (int64_t)STEPS * 19 * MS);
	assert_true(won->end_ns > (int64_t)STEPS * 2 * MS);
	assert_in_range(won->gain_ns, STEPS * MS - 100 * US, STEPS * MS + 100 * US);
	replay_clear(&r);
	fixture_close(&f);
}

/* A loader that takes longer in the second half: the halves show different gains, but the devices
 * cannot lose more than their idle time. */
static void test_devices_bound_a_gain(void **state)
{
	struct replayed r = {0};
	struct fixture f;
	int64_t ts_ns = MS, idle_ns = 0;

	(void)state;
	const struct loop loop = loop_open(&f);
	for (int i = 0; i < 9; i++) {
		int64_t load_ns = i < 5 ? 3 * MS : 9 * MS;
		struct tc_span step =
			make_span(&f, loop.thread, loop.step, ts_ns, load_ns + 10 * US);
		add_made(&f, &step);
		add_step(&f, &step, i);
		add_span(&f, loop.thread, loop.load, ts_ns, load_ns);
		struct tc_span launch =
			add_span(&f, loop.thread, loop.call, ts_ns + load_ns, 5 * US);
		struct tc_span work =
			make_span(&f, loop.lane, loop.kernel, ts_ns + load_ns + 10 * US, 2 * MS);
		add_launched(&f, &work, &launch, i);
		ts_ns += load_ns + 10 * US;
		idle_ns += i > 0 ? load_ns + 10 * US - 2 * MS : 0;
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	add_whatif(&r, f.ctx, "remove role = dataloader");
	replay(&r, &f);
	const struct tc_won *won = &r.shifts.won[0];
	int64_t most_ns = idle_ns / 8 * won->steady_ns / won->step_before_ns;
	assert_true(won->gain_ns + won->spread_ns > most_ns);
	assert_in_range(tc_gain_between(won, won, won).high_ns, won->gain_ns, most_ns + 9);
	replay_clear(&r);
	fixture_close(&f);
}

/* A step after the fix of a host that works so long in steps in turn. The device works 13 ms in
 * each, of which half goes, and begins with that when it has done other work until free_ns. */
static int64_t step_after(const int64_t work_ns[2], int64_t free_ns)
{
	struct replayed r = {0};
	struct fixture f;
	int64_t ts_ns = MS;

	fixture_open(&f);
	uint32_t name = add_label(&f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t op = add_label(&f, "cpu_op", "op", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	uint32_t call = add_label(&f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t kernel = add_label(&f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	uint32_t thread = add_thread(&f, "main", 0);
	f.timeline->labels[kernel].name_class = TC_CLASS_MATRIX;
	add_device(&f, "0");
	uint32_t lane = add_lane(&f, 0, TC_ENGINE_NONE);
	for (int i = 0; i < 4; i++) {
		struct tc_span step = make_span(&f, thread, name, ts_ns, work_ns[i % 2] + 10 * US);
		add_made(&f, &step);
		add_step(&f, &step, i);
		add_span(&f, thread, op, ts_ns, work_ns[i % 2]);
		struct tc_span launch = add_span(&f, thread, call, ts_ns + work_ns[i % 2], 5 * US);
		int64_t begin_ns = ts_ns + work_ns[i % 2] + 5 * US;
		begin_ns = begin_ns > free_ns ? begin_ns : free_ns;
		struct tc_span work = make_span(&f, lane, kernel, begin_ns, 13 * MS);
		add_launched(&f, &work, &launch, i);
		free_ns = begin_ns + 13 * MS;
		ts_ns += work_ns[i % 2] + 10 * US;
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t fix = add_whatif(&r, f.ctx, "scale device class = matrix by 0.5");
	replay(&r, &f);
	int64_t after_ns = r.shifts.won[fix].step_after_ns;
	replay_clear(&r);
	fixture_close(&f);
	return after_ns;
}

/*
 * A host that works 18 ms in every second step, the last one too, and 6 ms in the others; the
 * device is further behind at the last step than at the first. In the long run a step takes the 12
 * ms of the host. And one that works 10 ms in each, also in those whose work begins later, while
 * the device does what was launched before the recording.
 */
static void test_the_host_bounds_a_gain(void **state)
{
	(void)state;
	assert_in_range(step_after((const int64_t[]){6 * MS, 18 * MS}, 0), 11900 * US, 12100 * US);
	assert_in_range(
		step_after((const int64_t[]){10 * MS, 10 * MS}, 35 * MS), 10 * MS, 10100 * US);
}

/* A part is less than the whole also where both are too large for a double to tell them apart. */
static void test_parts_are_less_than_all(void **state)
{
	(void)state;
	assert_int_equal(tc_ppm_of(TC_TIME_MAX_NS - 1, TC_TIME_MAX_NS), 999999);
	assert_int_equal(tc_ppm_of(TC_TIME_MAX_NS, 1), INT64_MAX);
	assert_int_equal(tc_ppm_of(1, 3), 333333);
	assert_int_equal(
		tc_part_of(TC_TIME_MAX_NS, 999999), TC_TIME_MAX_NS - TC_TIME_MAX_NS / 1000000 - 1);
	assert_int_equal(tc_part_of(TC_TIME_MAX_NS, INT64_MAX), INT64_MAX);
	assert_int_equal(tc_whole_of(TC_TIME_MAX_NS, 1), INT64_MAX);
	assert_int_equal(tc_whole_of(333, 333333), 999);
}

static void test_reals_become_integers(void **state)
{
	(void)state;
	assert_int_equal(tc_integer_saturated(-1.5), -1);
	assert_int_equal(tc_integer_saturated(0x1p62), INT64_C(1) << 62);
	assert_int_equal(tc_integer_saturated(0x1p63), INT64_MAX);
	assert_int_equal(tc_integer_saturated(-0x1p63), INT64_MIN);
	assert_int_equal(tc_integer_saturated(-1e300), INT64_MIN);
	assert_int_equal(tc_integer_saturated(0.0 / 0.0), INT64_MIN);
}

/* More terms about slices around than there are bits for are no silent loss. */
static void test_too_many_slices_around_are_said(void **state)
{
	enum { TERMS = TC_TERMS_MAX + 1 };
	static char names[TERMS][16];
	struct tc_clause clauses[TERMS];
	struct fixture f;

	(void)state;
	for (size_t count = TERMS - 1; count <= TERMS; count++) {
		struct tc_replay replay = {0};
		make_run(&f, MS / (2 * LANES));
		assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
		for (size_t i = 0; i < count; i++) {
			snprintf(names[i], sizeof(names[i]), "call %zu", i);
			clauses[i] = (struct tc_clause){.is_host = true,
				.terms = {{.field = TC_TERM_NAME,
					.place = TC_TERM_AROUND,
					.pattern = names[i]}},
				.term_count = 1};
		}
		assert_int_equal(tc_replay_make(&replay, f.timeline, clauses, count),
			count == TERMS ? TC_ERR_USAGE : TC_OK);
		assert_int_equal(
			strstr(tc_ctx_error(f.ctx), "slices around") != NULL, count == TERMS);
		tc_replay_clear(&replay);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gains_are_bounded),
		cmocka_unit_test(test_time_before_the_first_step_is_not_saved),
		cmocka_unit_test(test_steps_end_with_the_host),
		cmocka_unit_test(test_gains_are_shares_of_steady_steps),
		cmocka_unit_test(test_ranges_hold_their_gain),
		cmocka_unit_test(test_shares_at_their_ends),
		cmocka_unit_test(test_a_host_runs_no_further_ahead),
		cmocka_unit_test(test_waits_that_keep_a_step_in_flight),
		cmocka_unit_test(test_devices_bound_a_gain),
		cmocka_unit_test(test_the_host_bounds_a_gain),
		cmocka_unit_test(test_copies_beside_compute_bound_nothing),
		cmocka_unit_test(test_parts_are_less_than_all),
		cmocka_unit_test(test_reals_become_integers),
		cmocka_unit_test(test_too_many_slices_around_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Loaders with worker processes. A host that works for each batch and a loader are simulated, once
 * as recorded and once with half of the host's work: that is what the replay of the first must say
 * of the second, as far as a recording can show it.
 */
#include "sanitized.h"
#include "replay/replay_fixture.h"

#include "core/limits.h"
#include "replay/loader.h"

enum { BATCHES = 60 };

/* Times in ms, but for cost_us. */
struct loop {
	int workers, ahead;
	double load;        /* for a batch, by one worker */
	double load_varies; /* by this part of it, up or down */
	double work, work_varies;
	int64_t cost_us;    /* to take a batch that is ready */
	double cost_varies; /* 0: by .03 */
	int epoch;          /* workers start anew after so many batches; 0: never */
	double start;       /* how long they take to start */
	int held_up;        /* the call that something else holds up by work / 30; 0: none */
	uint32_t seed;
};

static double draw(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) / (double)(1 << 24) * 2 - 1;
}

/* When each call for a batch begins and ends. */
struct times {
	int64_t begin_ns[BATCHES], end_ns[BATCHES], last_ns;
};

/* Worker number k % workers loads batch k, once the batch that is `ahead` before it was taken. */
static void run_loop(struct times *times, const struct loop *loop, double work_share)
{
	uint32_t state = loop->seed;
	double ready[BATCHES], now = 100, started = 0;
	int first = 0;

	for (int k = 0; k < BATCHES; k++) {
		double load = loop->load * (1 + loop->load_varies * draw(&state));
		double work = loop->work * (1 + loop->work_varies * draw(&state));
		double cost_varies = loop->cost_varies > 0 ? loop->cost_varies : .03;
		double cost = (double)loop->cost_us / 1e3 * (1 + cost_varies * draw(&state));
		if (loop->epoch > 0 && k > 0 && k % loop->epoch == 0) {
			first = k;
			started = now + loop->start;
		}
		double asked = started;
		if (k - first >= loop->ahead)
			asked = (double)times->end_ns[k - loop->ahead] / MS;
		if (k - first >= loop->workers && ready[k - loop->workers] > asked)
			asked = ready[k - loop->workers];
		ready[k] = asked + load;
		times->begin_ns[k] = (int64_t)(now * MS);
		for (int before = first; before <= k; before++)
			now = ready[before] > now ? ready[before] : now;
		now += cost + (loop->held_up > 0 && k == loop->held_up ? loop->work / 30 : 0);
		times->end_ns[k] = (int64_t)(now * MS);
		now += work * work_share;
	}
	times->last_ns = (int64_t)(now * MS);
}

enum { HALF, LITTLE, REST, BOTH, WHOLE, READY, HIGH, FIXES };

/* Records the loop and replays it. Of the host's work in a step, 2 parts are dispatch and 1 is
 * graph building. */
static void replay_loop(struct replayed *r, struct fixture *f, const struct times *times)
{
	fixture_open(f);
	uint32_t thread = add_thread(f, "main", 0);
	uint32_t next = add_label(f, "user", "next", TC_ROLE_DATALOADER, TC_ENGINE_NONE);
	uint32_t op = add_label(f, "cpu_op", "op", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	uint32_t build = add_label(f, "cpu_op", "build", TC_ROLE_GRAPH_BUILD, TC_ENGINE_NONE);
	uint32_t name = add_label(f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE);

	f->timeline->labels[next].mark = TC_MARK_LOADER_WORKERS;
	for (int k = 0; k < BATCHES; k++) {
		int64_t from_ns = times->begin_ns[k], work_ns = times->end_ns[k];
		int64_t to_ns = k + 1 < BATCHES ? times->begin_ns[k + 1] : times->last_ns;
		int64_t part_ns = (to_ns - work_ns) / 3;
		add_span(f, thread, next, from_ns, work_ns - from_ns);
		add_span(f, thread, op, work_ns, 2 * part_ns);
		add_span(f, thread, build, work_ns + 2 * part_ns, to_ns - work_ns - 2 * part_ns);
		const struct tc_span step = add_span(f, thread, name, from_ns, to_ns - from_ns);
		add_step(f, &step, k);
	}
	assert_int_equal(tc_timeline_sort(f->timeline), TC_OK);
	*r = (struct replayed){0};
	add_whatif(r, f->ctx, "scale role = dispatch, graph_build by 0.5");
	add_whatif(r, f->ctx, "scale role = dispatch, graph_build by 0.9");
	add_whatif(r, f->ctx, "scale role = dispatch by 0.2");
	add_joint(r, HALF, REST);
	add_whatif(r, f->ctx, "remove role = dataloader");
	r->whatifs[READY] = r->whatifs[HALF];
	tc_clause_set_add(&r->whatifs[READY], TC_CLAUSE_LOADER_KEEPS_UP);
	r->whatifs[HIGH] = r->whatifs[HALF];
	tc_clause_set_to_end(&r->whatifs[HIGH], TC_END_HIGH);
	r->whatif_count = FIXES + 1; /* the last changes nothing */
	replay(r, f);
}

/* Part of a step that half of the host's work saves. */
static double part_saved(const struct loop *loop, size_t whatif, int64_t *batch_ns)
{
	static struct times times;
	struct fixture f;
	static struct replayed r;

	run_loop(&times, loop, 1);
	replay_loop(&r, &f, &times);
	const struct tc_won *won = &r.shifts.won[whatif];
	double part = 1 - (double)won->step_after_ns / (double)won->step_before_ns;
	if (batch_ns)
		*batch_ns = r.replay.batch_ns;
	replay_clear(&r);
	fixture_close(&f);
	return part;
}

static double part_saved_truly(const struct loop *loop)
{
	static struct times as_is, mended;

	run_loop(&as_is, loop, 1);
	run_loop(&mended, loop, .5);
	return 1 - (double)(mended.last_ns - mended.end_ns[0]) /
			   (double)(as_is.last_ns - as_is.end_ns[0]);
}

static void check_near(double is, double should, double most)
{
	if (is < should - most || is > should + most)
		fail_msg("%.3f saved, not %.3f", is, should);
}

/* A call that always takes as long, however much steps vary, is what a batch costs. */
static void test_a_constant_call_is_no_wait(void **state)
{
	static const int64_t costs_us[] = {100, 700, 1350, 6000};

	(void)state;
	for (size_t i = 0; i < sizeof(costs_us) / sizeof(costs_us[0]); i++) {
		int64_t batch_ns;
		const struct loop loop = {.workers = 4,
			.ahead = 8,
			.load = 40,
			.work = 125,
			.work_varies = .2,
			.cost_us = costs_us[i],
			.seed = 7};
		check_near(part_saved(&loop, HALF, &batch_ns), part_saved_truly(&loop), .01);
		assert_int_equal(batch_ns, 0);
	}
}

/* Where nothing varies, a call that is a small part of a step is what a batch costs, and one that
 * is a large part waits. */
static void test_a_rigid_loop_is_judged_by_size(void **state)
{
	const struct loop price = {
		.workers = 4, .ahead = 8, .load = 40, .work = 40, .cost_us = 1400, .seed = 1};
	const struct loop rate = {
		.workers = 2, .ahead = 4, .load = 140, .work = 40, .cost_us = 100, .seed = 1};

	(void)state;
	check_near(part_saved(&price, HALF, NULL), part_saved_truly(&price), .02);
	check_near(part_saved(&rate, HALF, NULL), part_saved_truly(&rate), .02);
}

/* In short steps what a batch costs may vary as much as the steps do. Calls of about one length are
 * no waits all the same: a wait would vary by what both the workers and the host vary by. */
static void test_an_even_call_is_no_wait(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 15; seed++) {
		int64_t batch_ns;
		const struct loop loop = {.workers = 8,
			.ahead = 16,
			.load = 20,
			.work = 9,
			.work_varies = .02,
			.cost_us = 1200,
			.cost_varies = .15,
			.seed = seed};
		check_near(part_saved(&loop, HALF, &batch_ns), part_saved_truly(&loop), .01);
		assert_int_equal(batch_ns, 0);
	}
}

/* The workers deliver more slowly than the host asks: it only waits longer. */
static void test_a_rate_binds(void **state)
{
	(void)state;
	for (int workers = 1; workers <= 8; workers *= 2)
		for (uint32_t seed = 1; seed < 6; seed++) {
			int64_t batch_ns;
			const struct loop loop = {.workers = workers,
				.ahead = 2 * workers,
				.load = 60 * workers,
				.load_varies = .1,
				.work = 40,
				.work_varies = .1,
				.cost_us = 100,
				.seed = seed};
			check_near(
				part_saved(&loop, HALF, &batch_ns), part_saved_truly(&loop), .04);
			check_near((double)batch_ns / MS, 60, 3);
			assert_true(part_saved(&loop, READY, NULL) > .5);
			check_near(
				part_saved(&loop, HIGH, NULL), part_saved(&loop, HALF, NULL), .05);
		}
}

/* Workers that began together deliver together: every n-th call waits for more than a step. */
static void test_bursts_are_a_rate(void **state)
{
	(void)state;
	for (int workers = 2; workers <= 8; workers *= 2) {
		const struct loop loop = {.workers = workers,
			.ahead = workers,
			.load = 60 * workers,
			.work = 20,
			.work_varies = .1,
			.cost_us = 100,
			.epoch = BATCHES,
			.seed = 3};
		check_near(part_saved(&loop, HALF, NULL), part_saved_truly(&loop), .06);
	}
}

/* Workers that are nearly as slow as the host: some calls wait, and show the rate of the workers. A
 * recording that ends long after the last of them does not show that the rate still holds. */
static void test_a_rate_is_met_now_and_then(void **state)
{
	enum { SEEDS = 15 };
	double wrong = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		const struct loop loop = {.workers = 4,
			.ahead = 8,
			.load = 4 * 48,
			.load_varies = .5,
			.work = 50,
			.work_varies = .3,
			.cost_us = 100,
			.seed = seed};
		double error = part_saved(&loop, HALF, NULL) - part_saved_truly(&loop);
		wrong += error < 0 ? -error : error;
	}
	assert_true(wrong / SEEDS < .1);
}

/* Workers of whom some batches take much longer have nothing to do in between. Calls that wait now
 * and then do not show that: the high end of a gain holds what is true. */
static void test_idle_workers_are_within_the_range(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 15; seed++) {
		const struct loop loop = {.workers = 2,
			.ahead = 4,
			.load = 70,
			.load_varies = .95,
			.work = 50,
			.work_varies = .2,
			.cost_us = 100,
			.seed = seed};
		double low = part_saved(&loop, HALF, NULL), high = part_saved(&loop, HIGH, NULL);
		assert_true(low <= high);
		assert_true(part_saved_truly(&loop) <= high + .02);
		assert_true(high <= part_saved(&loop, READY, NULL));
	}
}

/* Workers that start anew for each pass over the data start when the host asks for them: they hold
 * up nothing that comes before. */
static void test_workers_start_when_they_are_asked(void **state)
{
	(void)state;
	const struct loop loop = {.workers = 4,
		.ahead = 8,
		.load = 40,
		.work = 50,
		.work_varies = .1,
		.cost_us = 100,
		.epoch = 20,
		.start = 200,
		.seed = 5};
	check_near(part_saved(&loop, HALF, NULL), part_saved_truly(&loop), .02);
}

/* One call that is held up a bit is no rate. */
static void test_one_slow_call_is_no_rate(void **state)
{
	(void)state;
	const struct loop loop = {.workers = 4,
		.ahead = 8,
		.load = 40,
		.work = 60,
		.work_varies = .1,
		.cost_us = 100,
		.held_up = 30,
		.seed = 5};
	check_near(part_saved(&loop, HALF, NULL), part_saved_truly(&loop), .02);
}

/* In any loop: nothing changes without an edit, a larger edit gains no less, nor do two. */
/* Calls of several threads may have one name, and each may be as long as a time can be. */
static void test_sums_end_at_the_longest_time(void **state)
{
	struct tc_loaders loaders = {.count = 0};

	(void)state;
	for (int i = 0; i < 6; i++)
		tc_loaders_add(
			&loaders, 1, i % 2 ? TC_TIME_MAX_NS : -TC_TIME_MAX_NS, TC_TIME_MAX_NS);
	tc_loaders_find(&loaders);
	assert_int_equal(loaders.items[0].lasting_ns, INT64_MAX);
	assert_int_equal(loaders.items[0].near_ns, INT64_MAX);
}

static void test_more_fixes_gain_no_less(void **state)
{
	uint32_t seed = 11;

	(void)state;
	for (int number = 0; number < TC_TEST_RUNS(300); number++) {
		static struct times times;
		static struct replayed r;
		struct fixture f;
		int workers = 1 << (number % 4);
		const struct loop loop = {.workers = workers,
			.ahead = workers * (1 + number % 3),
			.load = workers * (55 + 50 * draw(&seed)),
			.load_varies = number % 2 ? .3 : 0,
			.work = 50,
			.work_varies = .2 * (number % 5),
			.cost_us = number % 7 == 0 ? 1500 : 100,
			.epoch = number % 6 == 0 ? 13 : 0,
			.start = 100,
			.held_up = number % 8 * 5,
			.seed = seed};
		run_loop(&times, &loop, 1);
		replay_loop(&r, &f, &times);
		const struct tc_won *won = r.shifts.won;
		assert_int_equal(won[FIXES].gain_ns, 0);
		assert_int_equal(won[FIXES].end_ns, 0);
		assert_true(won[LITTLE].end_ns <= won[HALF].end_ns);
		assert_true(won[HALF].end_ns <= won[BOTH].end_ns);
		assert_true(won[REST].end_ns <= won[BOTH].end_ns);
		assert_true(won[HALF].gain_ns <= won[BOTH].gain_ns);
		assert_true(won[REST].gain_ns <= won[BOTH].gain_ns);
		assert_true(won[HALF].gain_ns <= won[READY].gain_ns);
		assert_true(won[HALF].gain_ns <= won[HIGH].gain_ns);
		replay_clear(&r);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_constant_call_is_no_wait),
		cmocka_unit_test(test_a_rigid_loop_is_judged_by_size),
		cmocka_unit_test(test_an_even_call_is_no_wait),
		cmocka_unit_test(test_a_rate_binds),
		cmocka_unit_test(test_bursts_are_a_rate),
		cmocka_unit_test(test_a_rate_is_met_now_and_then),
		cmocka_unit_test(test_idle_workers_are_within_the_range),
		cmocka_unit_test(test_workers_start_when_they_are_asked),
		cmocka_unit_test(test_one_slow_call_is_no_rate),
		cmocka_unit_test(test_sums_end_at_the_longest_time),
		cmocka_unit_test(test_more_fixes_gain_no_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

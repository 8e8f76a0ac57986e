/*
 * Compute beside collectives: kernels are queued on one stream, collectives run on another one, and
 * nothing waits for these. Beside them a tenth of the time is lost, so what the kernels take
 * without them is known to the nanosecond.
 */
#include "replay/replay_fixture.h"

enum { KINDS = 5, TURNS = 8 };

struct run {
	struct fixture f;
	uint32_t kinds[KINDS], reduce, call, threads[2], compute, comm;
	int64_t now_ns, called_ns;
	int thread;       /* the one that launches */
	int64_t round_ns; /* kernels last multiples of it */
};

static void launch(struct run *run, uint32_t lane, uint32_t label, uint64_t shape, int64_t ts_ns,
	int64_t dur_ns)
{
	struct tc_span call =
		add_span(&run->f, run->threads[run->thread], run->call, run->called_ns, 2 * US);
	struct tc_span work = make_span(&run->f, lane, label, ts_ns, dur_ns);

	run->called_ns += 3 * US;
	work.shape = shape;
	add_launched(&run->f, &work, &call, -1);
}

/* A kernel that does work_ns, with a collective beside it for beside_ns, and what it takes. */
static int64_t compute(
	struct run *run, int kind, uint64_t shape, int64_t work_ns, int64_t beside_ns)
{
	int64_t dur_ns = (work_ns + beside_ns / 10) / run->round_ns * run->round_ns;

	if (beside_ns > 0)
		launch(run, run->comm, run->reduce, 0, run->now_ns, beside_ns);
	launch(run, run->compute, run->kinds[kind], shape, run->now_ns, dur_ns);
	run->now_ns += dur_ns + US;
	return dur_ns;
}

static void run_open(struct run *run)
{
	static const char *const names[KINDS] = {"gemm", "gelu", "norm", "add", "rare"};
	struct fixture *f = &run->f;

	*run = (struct run){.now_ns = 10 * MS, .called_ns = MS, .thread = 1, .round_ns = 1};
	fixture_open(f);
	for (int i = 0; i < KINDS; i++)
		run->kinds[i] = add_label(f, "kernel", names[i], TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	f->timeline->labels[run->kinds[0]].name_class = TC_CLASS_MATRIX;
	run->reduce = add_label(f, "kernel", "reduce", TC_ROLE_NONE, TC_ENGINE_COMMUNICATION);
	run->call = add_label(f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	run->threads[0] = add_thread(f, "main", 0);
	run->threads[1] = add_thread(f, "autograd", 1);
	add_device(f, "0");
	run->compute = add_lane(f, 0, TC_ENGINE_NONE);
	run->comm = add_lane(f, 0, TC_ENGINE_NONE);
	run->thread = 0;
	compute(run, 0, 9, US / 2, 0); /* the forward pass */
	run->thread = 1;
}

/* Turns without collectives and with them; in the latter the last kind is never alone. Returns what
 * the collectives cost. */
static int64_t add_turns(struct run *run, bool is_slower)
{
	int64_t cost_ns = 0;

	for (int turn = 0; turn < 2 * TURNS; turn++) {
		bool is_beside = turn % 2 == 1;
		for (int kind = 0; kind < (is_beside ? KINDS : KINDS - 1); kind++) {
			int64_t work_ns = (kind + 1) * 90 * US, whole_ns = (kind + 1) * 100 * US;
			if (is_slower)
				compute(run, kind, 1, work_ns, is_beside ? whole_ns : 0);
			else
				compute(run, kind, 1, work_ns - (is_beside ? work_ns / 10 : 0),
					is_beside ? work_ns : 0);
			cost_ns += is_beside && is_slower ? whole_ns / 10 : 0;
		}
	}
	compute(run, 1, 1, 180 * US, 0);
	return cost_ns;
}

static void test_without_collectives_compute_is_alone(void **state)
{
	struct replayed r = {0};
	struct run run;

	(void)state;
	run_open(&run);
	int64_t cost_ns = add_turns(&run, true);
	assert_int_equal(tc_timeline_sort(run.f.timeline), TC_OK);
	size_t none = add_whatif(&r, run.f.ctx, "remove role = dataloader");
	size_t all = add_whatif(&r, run.f.ctx, "remove device engine = communication");
	size_t half = add_whatif(&r, run.f.ctx, "scale device engine = communication by 0.5");
	size_t matrix = add_whatif(&r, run.f.ctx, "remove device class = matrix");
	size_t both = add_joint(&r, all, matrix);
	replay(&r, &run.f);
	const struct tc_won *won = r.shifts.won;
	assert_int_equal(won[none].end_ns, 0);
	assert_int_equal(won[all].end_ns, cost_ns);
	assert_int_equal(won[half].end_ns, cost_ns / 2);
	/* A kernel that goes takes along what it lost. */
	assert_int_equal(won[both].end_ns - won[matrix].end_ns, cost_ns - (int64_t)TURNS * 10 * US);
	replay_clear(&r);
	fixture_close(&run.f);
}

/* Kernels with a collective beside a part of them, at their begin or all the time. */
static void test_a_part_beside_counts_as_a_part(void **state)
{
	struct run run;
	int64_t cost_ns;

	(void)state;
	run_open(&run);
	cost_ns = add_turns(&run, true);
	for (int i = 1; i < 9; i++) {
		compute(&run, 1, 1, 180 * US, i * 20 * US);
		cost_ns += i * 2 * US;
	}
	compute(&run, 0, 1, 90 * US, 0);
	assert_int_equal(won_by(&run.f, "remove device engine = communication"), cost_ns);
	fixture_close(&run.f);
}

static void test_what_is_not_slower_stays(void **state)
{
	struct run run;

	(void)state;
	run_open(&run);
	add_turns(&run, false);
	assert_int_equal(won_by(&run.f, "remove device engine = communication"), 0);
	fixture_close(&run.f);
}

/* Kernels that were seen both ways tell of others where there are three names of them, which take
 * most of the time beside collectives; and not of one that was seen both ways and varies. */
static void test_few_tell_nothing_of_others(void **state)
{
	static const struct {
		int first, kinds;
		bool varies;
		int64_t times, other_us; /* times: more of the last kind, which is never alone */
	} cases[] = {
		{0, 2, false, 1, 0}, {0, 3, false, 9, 0}, {0, 3, false, 1, 1}, {0, 3, true, 1, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run run;
		int64_t cost_ns = 0;
		run_open(&run);
		for (int turn = 0; turn < TURNS; turn++) {
			for (int kind = 0; kind < cases[i].kinds; kind++) {
				compute(&run, kind, 1, 90 * US, 0);
				compute(&run, kind, 1, 90 * US, 100 * US);
				cost_ns += 10 * US;
			}
			if (cases[i].varies)
				compute(&run, 4, 1, (60 + turn * 10) * US, 0);
			compute(&run, 4, 1, 90 * US * cases[i].times, 100 * US * cases[i].times);
			cost_ns += cases[i].other_us * 10 * US;
		}
		compute(&run, 0, 1, 90 * US, 0);
		assert_int_equal(won_by(&run.f, "remove device engine = communication"), cost_ns);
		fixture_close(&run.f);
	}
}

/* Whole microseconds: one more is no difference. */
static void test_rounding_is_no_share(void **state)
{
	(void)state;
	for (int way = 0; way < 2; way++) {
		struct run run;
		run_open(&run);
		run.round_ns = way == 0 ? US : 1;
		for (int turn = 0; turn < TURNS; turn++)
			for (int kind = 0; kind < 3; kind++) {
				compute(&run, kind, 1, 9 * US + US / 2, 0);
				compute(&run, kind, 1, 9 * US + US / 2, 10 * US);
			}
		compute(&run, 0, 1, 9 * US, 0);
		assert_int_equal(won_by(&run.f, "remove device engine = communication"),
			way == 0 ? 0 : TURNS * 3 * US);
		fixture_close(&run.f);
	}
}

/* Kernels of the forward pass may do less than those of the backward pass. */
static void test_passes_are_apart(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 2; threads++) {
		struct run run;
		run_open(&run);
		for (int turn = 0; turn < TURNS; turn++)
			for (int beside = 0; beside < 2; beside++) {
				run.thread = threads == 2 ? beside : 0;
				for (int kind = 0; kind < 3; kind++)
					compute(&run, kind, 1, 90 * US, beside * 100 * US);
			}
		compute(&run, 0, 1, 90 * US, 0);
		assert_int_equal(won_by(&run.f, "remove device engine = communication"), 0);
		fixture_close(&run.f);
	}
}

/* Kernels of one name: with other blocks they are others, and alone their times vary too much. */
static void test_other_launches_are_other_kernels(void **state)
{
	(void)state;
	for (int way = 0; way < 2; way++) {
		struct run run;
		run_open(&run);
		for (int turn = 0; turn < TURNS; turn++) {
			compute(&run, 0, 1, way == 0 ? 80 * US : (70 + turn * 5) * US, 0);
			compute(&run, 0, way == 0 ? 2 : 1, 90 * US, 100 * US);
		}
		compute(&run, 0, 1, 80 * US, 0);
		assert_int_equal(won_by(&run.f, "remove device engine = communication"), 0);
		fixture_close(&run.f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_collectives_compute_is_alone),
		cmocka_unit_test(test_a_part_beside_counts_as_a_part),
		cmocka_unit_test(test_what_is_not_slower_stays),
		cmocka_unit_test(test_few_tell_nothing_of_others),
		cmocka_unit_test(test_rounding_is_no_share),
		cmocka_unit_test(test_passes_are_apart),
		cmocka_unit_test(test_other_launches_are_other_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Queues that hold so many calls: without the calls that an edit removes they hold more of the
 * others. The runs are simulated with and without these calls. */
#include "replay/replay_fixture.h"

enum {
	PLACES = 8,
	PAIRS = 60,
	PER_BURST = 15, /* pairs until the host pauses */
	LARGE_US = 500,
	TINY_US = 20,
	PAUSED_US = 6000,
	CALL_US = 6,
	STREAMS_MAX = 4,
};

/* Which kernels there are beside the large ones. */
enum tinies { NONE, EVEN, ODD, ALL };

struct run {
	size_t streams;
	bool has_devices; /* a stream is one device, and the queue that of all */
	enum tinies tinies;
	int64_t now_ns, sorted_ns[2 * PAIRS], stream_ns[STREAMS_MAX]; /* ends of work */
	size_t count;
	/* the recording that the calls are added to, or NULL */
	struct fixture *f;
	uint32_t thread, launch, kernel, tiny[2], lanes[STREAMS_MAX];
};

static void note_end(struct run *run, int64_t end_ns)
{
	size_t at = run->count++;

	for (; at > 0 && run->sorted_ns[at - 1] > end_ns; at--)
		run->sorted_ns[at] = run->sorted_ns[at - 1];
	run->sorted_ns[at] = end_ns;
}

/* A call waits until fewer calls have work that is not over than the queue has places. */
static void make_call(struct run *run, size_t pair, bool is_tiny)
{
	int64_t ready_ns = run->now_ns + CALL_US * US;
	int64_t *free_ns = &run->stream_ns[pair % run->streams];

	if (run->count >= PLACES && run->sorted_ns[run->count - PLACES] + US > ready_ns)
		ready_ns = run->sorted_ns[run->count - PLACES] + US;
	int64_t start_ns = ready_ns + US > *free_ns ? ready_ns + US : *free_ns;
	*free_ns = start_ns + (is_tiny ? TINY_US : LARGE_US) * US;
	note_end(run, *free_ns);
	if (run->f) {
		int64_t dur_ns = ready_ns - run->now_ns;
		if (is_tiny)
			add_span(run->f, run->thread, run->tiny[pair % 2], run->now_ns, dur_ns);
		struct tc_span call =
			add_span(run->f, run->thread, run->launch, run->now_ns, dur_ns);
		struct tc_span work = make_span(run->f, run->lanes[pair % run->streams],
			run->kernel, start_ns, *free_ns - start_ns);
		add_launched(run->f, &work, &call, -1);
	}
	run->now_ns = ready_ns + US;
}

/* When the last work ends. The host pauses now and then, for longer than the queue lasts. */
static int64_t end_of(struct run run)
{
	run.now_ns = MS;
	for (size_t i = 0; i < PAIRS; i++) {
		make_call(&run, i, false);
		if (run.tinies & (i % 2 ? ODD : EVEN))
			make_call(&run, i, true);
		if (i % PER_BURST == PER_BURST - 1)
			run.now_ns += PAUSED_US * US;
	}
	return run.sorted_ns[run.count - 1];
}

static int64_t won_without(enum tinies tinies, size_t streams)
{
	return end_of((struct run){.streams = streams, .tinies = ALL}) -
	       end_of((struct run){.streams = streams, .tinies = tinies});
}

static uint32_t add_tiny(struct fixture *f, const char *name)
{
	uint32_t label = add_label(f, "cpu_op", name, TC_ROLE_DISPATCH, TC_ENGINE_NONE);

	f->timeline->labels[label].is_op = true;
	return label;
}

static void open_run(struct fixture *f, struct run run)
{
	fixture_open(f);
	run.f = f;
	run.tinies = ALL;
	run.tiny[0] = add_tiny(f, "tiny even");
	run.tiny[1] = add_tiny(f, "tiny odd");
	run.launch = add_label(f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	run.kernel = add_label(f, "kernel", "gelu", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	run.thread = add_thread(f, "main", 0);
	for (size_t i = 0; i < run.streams; i++) {
		if (i == 0 || run.has_devices)
			add_device(f, i == 0 ? "0" : "1");
		run.lanes[i] = add_lane(f, run.has_devices ? (int32_t)i : 0, TC_ENGINE_COMPUTE);
	}
	end_of(run);
	assert_int_equal(tc_timeline_sort(f->timeline), TC_OK);
}

#define EDIT_EVEN "remove host name = 'tiny even' with-work"
#define EDIT_ODD "remove host name = 'tiny odd' with-work"
#define EDIT_ALL "remove host name = tiny* with-work"

static void assert_near(int64_t ns, int64_t true_ns, int least_pct)
{
	assert_in_range(ns, true_ns * least_pct / 100, true_ns * 101 / 100);
}

/* What the edits win does not depend on what else is asked for. Several together win as much as one
 * of all the calls. On many streams work does not end in the order of its calls; then half of the
 * edits win too little, but never too much. */
static void test_a_queue_holds_other_calls(void **state)
{
	(void)state;
	for (size_t streams = 1; streams <= STREAMS_MAX; streams *= 2) {
		struct replayed r = {0};
		struct fixture f;

		open_run(&f, (struct run){.streams = streams});
		size_t even = add_whatif(&r, f.ctx, EDIT_EVEN);
		size_t odd = add_whatif(&r, f.ctx, EDIT_ODD);
		size_t all = add_whatif(&r, f.ctx, EDIT_ALL);
		size_t both = add_joint(&r, even, odd);
		size_t more = add_joint(&r, all, even);
		size_t none = add_whatif(&r, f.ctx, "remove host name = missing");
		replay(&r, &f);
		const struct tc_won *won = r.shifts.won;
		int least_pct = streams > 2 ? 60 : 99;
		assert_near(won[all].end_ns, won_without(NONE, streams), 99);
		assert_near(won[even].end_ns, won_without(ODD, streams), least_pct);
		assert_near(won[odd].end_ns, won_without(EVEN, streams), least_pct);
		assert_int_equal(won[both].end_ns, won[all].end_ns);
		assert_int_equal(won[more].end_ns, won[all].end_ns);
		assert_int_equal(won[none].end_ns, 0);
		for (size_t w = 0; w < r.whatif_count; w++)
			assert_int_equal(won[w].gain_ns, won[w].end_ns);
		/* alone */
		assert_int_equal(won_by(&f, EDIT_ODD), won[odd].end_ns);
		replay_clear(&r);
		fixture_close(&f);
	}
}

/* Which device a call is for shows only when its work starts. Where several compute, the queue is
 * taken for as long as in the recording, and the gain is too small rather than too large. */
static void test_queues_of_devices_are_not_known(void **state)
{
	struct fixture f;

	(void)state;
	open_run(&f, (struct run){.streams = 2, .has_devices = true});
	int64_t won_ns = won_by(&f, EDIT_ALL);
	assert_true(won_ns > 0 && won_ns < won_without(NONE, 2) / 2);
	fixture_close(&f);
}

/* A device that works all the time takes few launches. The host waits in each launch until the work
 * so many before it has ended, and then does what a launch does. */
enum { LAUNCHES = 40, SHORT_MAX = 5, LAUNCH_US = 60, WORK_US = 400, ENDED_US = 5 };

struct launching {
	struct fixture f;
	uint32_t thread, launch, kernel, lane;
	int64_t now_ns, free_ns; /* of the host, of the device */
};

static void open_launching(struct launching *run)
{
	struct fixture *f = &run->f;

	fixture_open(f);
	run->now_ns = run->free_ns = MS;
	run->launch = add_label(f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	run->kernel = add_label(f, "kernel", "gelu", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	run->thread = add_thread(f, "main", 0);
	add_device(f, "0");
	run->lane = add_lane(f, 0, TC_ENGINE_COMPUTE);
}

/* The call returns at return_ns, and the work lasts that long. */
static void launch_until(struct launching *run, int64_t return_ns, int64_t work_us)
{
	struct tc_span call =
		add_span(&run->f, run->thread, run->launch, run->now_ns, return_ns - run->now_ns);
	int64_t start_ns = (return_ns > run->free_ns ? return_ns : run->free_ns) + US;
	struct tc_span work = make_span(&run->f, run->lane, run->kernel, start_ns, work_us * US);

	add_launched(&run->f, &work, &call, -1);
	run->free_ns = start_ns + work_us * US;
	run->now_ns = return_ns;
}

static void test_short_queues_hold_launches(void **state)
{
	(void)state;
	for (int places = 1; places <= SHORT_MAX; places++) {
		int64_t ends_ns[LAUNCHES];
		struct launching run;

		open_launching(&run);
		for (int k = 0; k < LAUNCHES; k++) {
			int64_t from_ns = k >= places ? ends_ns[k - places] + ENDED_US * US : 0;
			from_ns = from_ns > run.now_ns ? from_ns : run.now_ns;
			launch_until(&run, from_ns + LAUNCH_US * US, WORK_US);
			ends_ns[k] = run.free_ns;
			run.now_ns += US;
		}
		assert_in_range(won_by(&run.f, "scale device name = gelu by 0.5"),
			(LAUNCHES - places - 1) * WORK_US * US / 2, LAUNCHES * WORK_US * US / 2);
		fixture_close(&run.f);
	}
}

/* A host that is slower than the device launches some work early. Half of these launches stall
 * until just after the work before them has ended, but the other half do not wait for that. So the
 * stalls are the host's, and faster work wins nothing but the last of it. */
static void test_stalls_beside_work_are_no_waits(void **state)
{
	enum { HOST_US = 300, EARLY_US = 10, EARLY_EACH = 3 };
	struct launching run;

	(void)state;
	open_launching(&run);
	for (int k = 0; k < LAUNCHES; k++) {
		bool is_early = k % EARLY_EACH == 1, stalls = k % (2 * EARLY_EACH) == 1;
		int64_t begin_ns = run.now_ns + (is_early ? EARLY_US : HOST_US) * US;
		run.now_ns = begin_ns;
		launch_until(&run, stalls ? run.free_ns + 50 * US : begin_ns + 30 * US, 250);
	}
	assert_in_range(won_by(&run.f, "scale device name = gelu by 0.5"), 0, 250 * US);
	fixture_close(&run.f);
}

/* Each call takes longer than the work before it, which ends within the call: nobody waits for that
 * end, and faster work wins nothing but the last of it. */
static void test_long_calls_are_no_waits(void **state)
{
	enum { LONG_US = 400, HOST_WORK_US = 330, VARIES_US = 7 };
	struct launching run;

	(void)state;
	open_launching(&run);
	for (int k = 0; k < LAUNCHES; k++) {
		int64_t call_us = LONG_US + k * 5 % VARIES_US * VARIES_US;
		launch_until(&run, run.now_ns + call_us * US, HOST_WORK_US);
		run.now_ns += US;
	}
	assert_in_range(won_by(&run.f, "scale device name = gelu by 0.5"), 0, HOST_WORK_US * US);
	fixture_close(&run.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_queue_holds_other_calls),
		cmocka_unit_test(test_queues_of_devices_are_not_known),
		cmocka_unit_test(test_short_queues_hold_launches),
		cmocka_unit_test(test_stalls_beside_work_are_no_waits),
		cmocka_unit_test(test_long_calls_are_no_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

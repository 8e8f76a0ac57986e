/* Start-up: which first steps are warm-up, and which launches load code. */
#include "analysis_cuda.h"

#include "analysis/idle.h"

/* Three steps whose hosts take first_ns, 50 and 50 and whose work ends at first_end_ns and 100 and
 * 200 later. */
static int64_t warm_ups(int64_t first_ns, int64_t first_end_ns)
{
	struct cuda c;
	cuda_open(&c);
	for (int i = 0; i < 3; i++) {
		struct tc_span step = add_span(&c.f, c.main, c.step,
			i == 0 ? 0 : first_ns + (i - 1) * 50, i == 0 ? first_ns : 50);
		add_step(&c.f, &step, 10 + i);
		struct tc_span launch = add_span(&c.f, c.main, c.launch, step.ts_ns + 10, 5);
		if (first_end_ns > 0)
			launch_work(&c.f,
				&(struct work){
					c.stream[0], c.kernel, first_end_ns - 40 + i * 100, 40},
				&launch, i);
	}
	analyze(&c.f);
	assert_int_equal(sql_int(&c.f, "SELECT total(is_warm_up) FROM step WHERE number > 10"), 0);
	assert_metric(&c.f, "steady_step_count", NULL, NO_STEP,
		3 - sql_int(&c.f, "SELECT total(is_warm_up) FROM step"));
	int64_t count = sql_int(&c.f, "SELECT total(is_warm_up) FROM step");
	fixture_close(&c.f);
	return count;
}

/* A first step is warm-up when it takes twice as long on the host, and with its work on the device:
 * a host that is slow at first and still ahead delays nothing, and a device that is behind its host
 * is no warm-up. */
static void test_warm_up_is_what_the_device_sees(void **state)
{
	(void)state;
	assert_int_equal(warm_ups(100, 0), 1);
	assert_int_equal(warm_ups(99, 0), 0);
	assert_int_equal(warm_ups(150, 200), 1);
	assert_int_equal(warm_ups(150, 199), 0);
	assert_int_equal(warm_ups(50, 200), 0);
}

/* The cause of 2 ms of idle time in which a call of this mark launches the work after it. */
static const char *cause_of_launch(enum tc_mark mark, int64_t call_ns)
{
	static char cause[20];
	struct cuda c;
	cuda_open(&c);
	c.f.timeline->labels[c.launch].mark = mark;
	launch_work(&c.f, &(struct work){c.stream[0], c.kernel, 0, 10 * US}, NULL, -1);
	struct tc_span launch = add_span(&c.f, c.main, c.launch, 10 * US, call_ns);
	launch_work(&c.f, &(struct work){c.stream[0], c.kernel, 10 * US + call_ns, 10 * US},
		&launch, -1);
	analyze(&c.f);
	snprintf(cause, sizeof(cause), "%s",
		sql_int(&c.f, "SELECT count(*) FROM gap WHERE cause = 'setup'") ? "setup"
										: "launch");
	assert_int_equal(sql_int(&c.f, "SELECT count(*) FROM gap"), 1);
	assert_int_equal(sql_int(&c.f, "SELECT dur FROM gap"), call_ns);
	fixture_close(&c.f);
	return cause;
}

static void test_a_launch_that_takes_long_loads_code(void **state)
{
	(void)state;
	assert_string_equal(cause_of_launch(TC_MARK_KERNEL_LAUNCH, 2 * MS), "setup");
	assert_string_equal(cause_of_launch(TC_MARK_KERNEL_LAUNCH, TC_LOAD_MIN_NS), "setup");
	assert_string_equal(cause_of_launch(TC_MARK_KERNEL_LAUNCH, TC_LOAD_MIN_NS - 1), "launch");
	assert_string_equal(cause_of_launch(TC_MARK_GRAPH_LAUNCH, 2 * MS), "launch");
}

/* When the weights were on the device, after copies that each take 10 us, and a kernel 1 us after
 * the last of them; then passes with so many inputs each, and copies that nothing computes on. */
static int64_t loading_before(int copies, int inputs, enum tc_direction direction, bool has_step)
{
	struct cuda c;
	cuda_open(&c);
	c.f.timeline->labels[c.copy].direction = direction;
	struct tc_span step = add_span(&c.f, c.main, c.step, 0, MS);
	if (has_step)
		add_step(&c.f, &step, 1);
	/* in two streams, and not in the order of time */
	for (int i = copies; i-- > 0;)
		add_span(&c.f, c.stream[i % 2], c.copy, i * 11 * US, 10 * US);
	add_span(&c.f, c.stream[1], c.kernel, copies * 11 * US, 10 * US);
	for (int i = 0; i < 20; i++)
		add_span(&c.f, c.stream[0], c.copy, 9 * MS + i * 11 * US, 10 * US);
	for (int i = 0; i < 3 * (inputs + 1); i++) {
		bool computes = i % (inputs + 1) == inputs;
		add_span(&c.f, c.stream[i % 2], computes ? c.kernel : c.copy, MS + i * 11 * US,
			10 * US);
	}
	analyze(&c.f);
	int64_t ns = metric(&c.f, "loading_ns", NULL, NO_STEP);
	fixture_close(&c.f);
	return ns;
}

static int64_t loading_ns(int copies, enum tc_direction direction, bool has_step)
{
	return loading_before(copies, 0, direction, has_step);
}

static void test_copies_that_come_again_are_inputs(void **state)
{
	(void)state;
	assert_int_equal(loading_before(10, 10, TC_DIRECTION_HTOD, false), INT64_MIN);
	assert_int_equal(loading_before(25, 25, TC_DIRECTION_NONE, false), INT64_MIN);
	/* weights, and the inputs of the first pass */
	assert_int_equal(loading_before(20, 10, TC_DIRECTION_HTOD, false), 220 * US);
	assert_int_equal(loading_before(19, 10, TC_DIRECTION_HTOD, false), INT64_MIN);
}

static void test_many_copies_before_any_kernel_are_weights(void **state)
{
	(void)state;
	assert_int_equal(loading_ns(10, TC_DIRECTION_HTOD, false), 110 * US);
	assert_int_equal(loading_ns(25, TC_DIRECTION_HTOD, false), 275 * US);
	assert_int_equal(loading_ns(9, TC_DIRECTION_HTOD, false), INT64_MIN);
	assert_int_equal(loading_ns(10, TC_DIRECTION_HTOD, true), INT64_MIN);
	assert_int_equal(loading_ns(10, TC_DIRECTION_NONE, false), 110 * US); /* as on Gaudi */
	assert_int_equal(loading_ns(10, TC_DIRECTION_DTOH, false), INT64_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_launch_that_takes_long_loads_code),
		cmocka_unit_test(test_many_copies_before_any_kernel_are_weights),
		cmocka_unit_test(test_copies_that_come_again_are_inputs),
		cmocka_unit_test(test_warm_up_is_what_the_device_sees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

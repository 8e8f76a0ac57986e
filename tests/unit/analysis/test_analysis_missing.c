/* Times that a trace does not tell: clocks clamped to ts 0, steps without device work. */
#include "analysis_cuda.h"
#include "core/limits.h"

/* Work of one step of three: the device was not recorded in the others, and does not idle. */
static void test_idle_time_of_a_degenerate_trace_means_nothing(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	for (int i = 0; i < 3; i++) {
		struct tc_span step = add_span(&c.f, c.main, c.step, i * 100, 100);
		add_step(&c.f, &step, 10 + i);
		struct tc_span launch = add_span(&c.f, c.main, c.launch, i * 100 + 10, 5);
		if (i == 1)
			launch_work(
				&c.f, &(struct work){c.stream[0], c.kernel, 180, 40}, &launch, i);
	}
	analyze(&c.f);
	assert_metric(&c.f, "has_device", NULL, NO_STEP, 1);
	assert_metric(&c.f, "has_idle", NULL, NO_STEP, 0);
	fixture_close(&c.f);
}

static void test_clamped_timestamps_are_left_out(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	add_span(&c.f, c.stream[0], c.kernel, 0, 7);
	add_span(&c.f, c.stream[1], c.kernel, 0, 9);
	add_span(&c.f, c.stream[0], c.kernel, 5000 * MS, 10);
	add_span(&c.f, c.main, c.op, 5000 * MS - 50, 100);
	analyze(&c.f);
	assert_metric(&c.f, "device_busy_ns", "0", NO_STEP, 10);
	assert_metric(&c.f, "device_span_ns", "0", NO_STEP, 10);
	assert_metric(&c.f, "device_op_count", "0", NO_STEP, 3);
	assert_metric(&c.f, "wall_ns", NULL, NO_STEP, 100);
	assert_int_equal(
		sql_int(&c.f, "SELECT count FROM import_log WHERE kind='zero_timestamp'"), 2);
	assert_int_equal(sql_int(&c.f, "SELECT count FROM op_total"), 3);
	assert_metric(&c.f, "has_idle", NULL, NO_STEP, 0); /* more at 0 than not */
	fixture_close(&c.f);
}

/* Without steps a host slice at ts 0 would make the run last as long as the clock has been
 * running. */
static void test_clamped_host_slices_do_not_stretch_the_run(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	add_span(&c.f, c.main, c.op, 0, 20);
	add_span(&c.f, c.stream[0], c.kernel, 5000 * MS, 10);
	add_span(&c.f, c.main, c.op, 5000 * MS - 50, 100);
	analyze(&c.f);
	assert_metric(&c.f, "wall_ns", NULL, NO_STEP, 100);
	assert_metric(&c.f, "host_window_ns", NULL, NO_STEP, 100);
	assert_metric(&c.f, "device_wait_ns", "0", NO_STEP, 90);
	assert_metric(&c.f, "has_idle", NULL, NO_STEP, 1);
	assert_int_equal(
		sql_int(&c.f, "SELECT count FROM import_log WHERE kind='zero_host_timestamp'"), 1);
	fixture_close(&c.f);
}

static void test_a_trace_that_starts_at_zero_is_not_clamped(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	add_span(&c.f, c.stream[0], c.kernel, 0, 10);
	add_span(&c.f, c.stream[0], c.kernel, 40, 60);
	analyze(&c.f);
	assert_metric(&c.f, "device_span_ns", "0", NO_STEP, 100);
	assert_int_equal(sql_int(&c.f, "SELECT count(*) FROM import_log"), 0);
	fixture_close(&c.f);
}

/* Work from before the recording: no step has it, and no gap before it is the host's fault. */
static void test_work_launched_before_the_recording(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct tc_span step = add_span(&c.f, c.main, c.step, 0, 300 * US);
	add_step(&c.f, &step, 1);
	add_span(&c.f, c.main, c.loader, 20 * US, 150 * US);
	struct tc_span launch = add_span(&c.f, c.main, c.launch, 180 * US, 5 * US);
	for (int i = 0; i < 2; i++) {
		struct tc_span before =
			make_span(&c.f, c.stream[i], c.kernel, 10 * US + i * 60 * US, 30 * US);
		before.method = TC_LAUNCH_BEFORE;
		add_made(&c.f, &before);
	}
	launch_work(&c.f, &(struct work){c.stream[0], c.kernel, 200 * US, 10 * US}, &launch, 0);
	analyze(&c.f);
	assert_int_equal(
		sql_int(&c.f, "SELECT sum(dur) FROM gap WHERE cause = 'queued'"), 30 * US + 5 * US);
	assert_int_equal(
		sql_int(&c.f, "SELECT sum(dur) FROM gap WHERE cause = 'dataloader'"), 70 * US);
	assert_metric(&c.f, "launched_before_ns", NULL, NO_STEP, 60 * US);
	assert_metric(&c.f, "launched_before_count", "0", NO_STEP, 2);
	assert_metric(&c.f, "device_busy_ns", NULL, NO_STEP, 70 * US);
	assert_metric(&c.f, "device_busy_ns", NULL, 1, 10 * US);
	assert_metric(&c.f, "device_op_count", NULL, 1, 1);
	assert_metric(&c.f, "has_launches", NULL, NO_STEP, 1);
	assert_int_equal(
		sql_int(&c.f, "SELECT count FROM import_log WHERE kind = 'launched_before'"), 2);
	assert_int_equal(sql_int(&c.f, "SELECT device_ts FROM step"), 200 * US);
	fixture_close(&c.f);
}

/* One launch of a graph whose operations are missing in the middle: nobody knows what the device
 * did there, so it neither works nor idles, and what the host did meanwhile is no cause. */
static void test_holes_within_a_graph_are_not_known(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct tc_span step = add_span(&c.f, c.main, c.step, 0, 300 * US);
	add_step(&c.f, &step, 1);
	struct tc_span launch = add_span(&c.f, c.main, c.launch, 5 * US, 5 * US);
	add_span(&c.f, c.main, c.loader, 10 * US, 290 * US);
	/* 20-30, a pause of 5, 35-40, a hole of 60, 100-110; and after the graph 30 idle. */
	launch_work(&c.f, &(struct work){c.stream[0], c.kernel, 20 * US, 10 * US}, &launch, 0);
	launch_work(&c.f, &(struct work){c.stream[1], c.kernel, 35 * US, 5 * US}, &launch, 0);
	launch_work(&c.f, &(struct work){c.stream[0], c.kernel, 100 * US, 10 * US}, &launch, 0);
	launch_work(&c.f, &(struct work){c.stream[0], c.kernel, 140 * US, 10 * US}, NULL, 0);
	tc_timeline_add_graph_run(c.f.timeline, &(struct tc_graph_run){20 * US, 110 * US, 0});
	analyze(&c.f);
	assert_metric(&c.f, "device_unknown_ns", "0", NO_STEP, 60 * US);
	assert_metric(&c.f, "device_unknown_ns", NULL, 1, 60 * US);
	assert_metric(&c.f, "device_wait_ns", NULL, NO_STEP, 300 * US - 60 * US - 35 * US);
	assert_metric(&c.f, "device_wait_ns", "0", 1, 300 * US - 60 * US - 35 * US);
	assert_metric(&c.f, "device_idle_ns", NULL, NO_STEP, 5 * US + 60 * US + 30 * US);
	assert_int_equal(sql_int(&c.f, "SELECT sum(dur) FROM gap"), 95 * US);
	assert_int_equal(sql_int(&c.f, "SELECT dur FROM gap WHERE cause = 'unrecorded'"), 60 * US);
	assert_int_equal(sql_int(&c.f, "SELECT sum(dur) FROM gap WHERE is_hole"), 60 * US);
	assert_int_equal(
		sql_int(&c.f, "SELECT sum(dur) FROM gap WHERE cause = 'dataloader'"), 30 * US);
	/* Exposed: all of the loader call but the work, 35 us of it, and the hole. */
	assert_metric(&c.f, "host_dataloader_exposed_ns", NULL, NO_STEP, 290 * US - 95 * US);
	assert_int_equal(
		sql_int(&c.f, "SELECT count FROM import_log WHERE kind = 'graph_holes'"), 1);
	fixture_close(&c.f);
}

#define FAR (INT64_C(1100000) * 1000 * MS)

/* Host and device 1.1e6 s apart: the run is not as long as that, and the host's slices are in none
 * of its time. With steps on the host's clock nothing of the device can be put beside them. */
static void test_clocks_that_lie_apart(void **state)
{
	(void)state;
	for (int steps = 0; steps < 2; steps++) {
		struct cuda c;
		cuda_open(&c);
		struct tc_span step = add_span(&c.f, c.main, c.step, 5 * US, 100 * US);
		if (steps)
			add_step(&c.f, &step, 1);
		struct tc_span call = add_span(&c.f, c.main, c.launch, 7 * US, 5 * US);
		add_span(&c.f, c.stream[0], c.kernel, FAR, 10 * US);
		launch_work(&c.f, &(struct work){c.stream[1], c.kernel, FAR + 40 * US, 20 * US},
			&call, steps - 1);
		analyze(&c.f);
		assert_int_equal(
			sql_int(&c.f, "SELECT dur FROM gap WHERE cause = 'unknown'"), 30 * US);
		assert_metric(&c.f, "device_span_ns", "0", NO_STEP, 60 * US);
		assert_metric(&c.f, "has_one_clock", NULL, NO_STEP, !steps);
		assert_metric(&c.f, "has_idle", NULL, NO_STEP, !steps);
		assert_metric(&c.f, "wall_ns", NULL, NO_STEP, steps ? 100 * US : 60 * US);
		assert_int_equal(
			sql_int(&c.f, "SELECT count FROM import_log WHERE kind='clocks_apart'"), 2);
		fixture_close(&c.f);
	}
}

/* Few slices far from all others, on the tracks of the others, are on another clock, whether they
 * come before or after. A pause of hours on one thread is a pause. */
static void test_outliers_of_a_track_are_left_out(void **state)
{
	(void)state;
	for (int sign = -1; sign <= 1; sign++) {
		struct cuda c;
		const int64_t base = INT64_C(10000000) * 1000 * MS,
			      far = sign ? sign * FAR : FAR / 100;
		cuda_open(&c);
		add_span(&c.f, c.main, c.op, base + 5 * US, 100 * US);
		struct tc_span stray = add_span(&c.f, c.main, c.op, base + far, 10 * US);
		add_span(&c.f, c.main, c.op, base + far + 20 * US, 10 * US);
		add_span(&c.f, c.main, c.op, base + 105 * US, 100 * US);
		add_span(&c.f, c.main, c.op, base + 205 * US, 100 * US);
		analyze(&c.f);
		assert_metric(&c.f, "wall_ns", NULL, NO_STEP, sign ? 300 * US : far + 25 * US);
		assert_int_equal(sql_int(&c.f, "SELECT total(count) FROM import_log WHERE"
					       " kind = 'clocks_apart'"),
			sign ? 2 : 0);
		assert_int_equal(sql_int(&c.f, "SELECT coalesce(sum(value), 0) FROM metric"
					       " WHERE name = 'other_clock_ns'"),
			sign ? 5 * US - far : 0);
		assert_int_equal(sql_int(&c.f, "SELECT coalesce(max(CAST(substr(message,"
					       " instr(message, 'is slice ') + 9) AS INTEGER)), -1)"
					       " FROM import_log"),
			sign ? stray.slice_id : -1);
		fixture_close(&c.f);
	}
}

/* Of a kernel, or of a host slice. A hang of hours is none, nor a day of which other slices show
 * that it has passed. */
static void test_a_duration_of_days_is_named(void **state)
{
	static const struct {
		int64_t long_s, other_s;
		bool is_named;
	} cases[] = {{13 * 86400, 1, true}, {86400, 4000, true}, {86399, 1, false},
		{3 * 3600, 1, false}, {86400, 5000, false}, {2 * 86400, 2 * 86400 - 10, false}};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const int64_t s = INT64_C(1000) * MS, long_ns = cases[i / 2].long_s * s;
		struct cuda c;
		cuda_open(&c);
		add_span(&c.f, c.main, c.op, 5 * US, 100 * US);
		struct tc_span far =
			i % 2 ? add_span(&c.f, c.main, c.op, 200 * US, long_ns)
			      : add_span(&c.f, c.stream[0], c.kernel, 200 * US, long_ns);
		add_span(&c.f, c.stream[1], c.kernel, cases[i / 2].other_s * s, 10 * US);
		analyze(&c.f);
		assert_int_equal(sql_int(&c.f, "SELECT coalesce(max(value), 0) FROM metric"
					       " WHERE name = 'far_duration_ns'"),
			cases[i / 2].is_named ? long_ns : 0);
		assert_int_equal(sql_int(&c.f, "SELECT coalesce(max(CAST(substr(message,"
					       " instr(message, ': slice ') + 8) AS INTEGER)), -1)"
					       " FROM import_log WHERE kind = 'far_duration'"),
			cases[i / 2].is_named ? far.slice_id : -1);
		fixture_close(&c.f);
	}
}

/* A thread of another clock beside a run that is on one, and a run that pauses. */
static void test_a_stray_clock_is_left_out(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	uint32_t stray = add_thread(&c.f, "thread 9", 1);
	add_span(&c.f, c.main, c.op, 5 * US, 100 * US);
	add_span(&c.f, c.stream[0], c.kernel, 20 * US, 10 * US);
	add_span(&c.f, stray, c.op, FAR, 10 * US);
	analyze(&c.f);
	assert_metric(&c.f, "wall_ns", NULL, NO_STEP, 100 * US);
	assert_metric(&c.f, "has_idle", NULL, NO_STEP, 1);
	assert_int_equal(
		sql_int(&c.f, "SELECT count(*) FROM import_log WHERE kind='clocks_apart'"), 1);
	fixture_close(&c.f);
	cuda_open(&c);
	add_span(&c.f, c.main, c.op, 5 * US, 10 * US);
	add_span(&c.f, c.stream[0], c.kernel, 59 * 1000 * MS, 10 * US);
	analyze(&c.f);
	assert_int_equal(sql_int(&c.f, "SELECT count(*) FROM import_log"), 0);
	fixture_close(&c.f);
}

/* Three kernels and three calls of 146 years each: their sums stop, and the log says so. */
static void test_sums_that_stop_are_told(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	for (int i = 0; i < 3; i++) {
		add_span(&c.f, c.stream[0], c.kernel, 1000 + i, TC_TIME_MAX_NS - 2000);
		add_span(&c.f, c.main, c.python, 1000 + i, TC_TIME_MAX_NS - 2000);
	}
	analyze(&c.f);
	assert_int_equal(sql_int(&c.f, "SELECT dur_ns FROM op_total"), INT64_MAX);
	assert_int_equal(sql_int(&c.f, "SELECT count FROM import_log WHERE kind='sum_limit'"), 2);
	fixture_close(&c.f);
}

/* The model found that most operations are missing: a metric and a row of the log say so. */
static void test_missing_operations_are_told(void **state)
{
	(void)state;
	for (int64_t one_of = 1; one_of < 100; one_of += 69) {
		struct cuda c;
		cuda_open(&c);
		c.f.timeline->recorded_one_of = one_of;
		add_span(&c.f, c.stream[0], c.kernel, 0, 10 * MS);
		analyze(&c.f);
		assert_metric(&c.f, "recorded_one_of_count", NULL, NO_STEP, one_of);
		assert_int_equal(sql_int(&c.f, "SELECT total(count) FROM import_log"
					       " WHERE kind = 'missing_operations'"),
			one_of > 1 ? one_of : 0);
		fixture_close(&c.f);
	}
}

/* Idle time under a range that a user drew, with or without anything else on the host. */
static void idle_under_a_range(bool with_role, const char *cause)
{
	struct cuda c;
	char sql[100];

	cuda_open(&c);
	add_span(&c.f, c.main, c.annotation, 0, 100 * MS);
	if (with_role)
		add_span(&c.f, c.main, c.op, 1 * MS, 1 * MS);
	add_span(&c.f, c.stream[0], c.kernel, 0, 10 * MS);
	add_span(&c.f, c.stream[0], c.kernel, 90 * MS, 10 * MS);
	analyze(&c.f);
	snprintf(sql, sizeof(sql), "SELECT sum(dur) FROM gap WHERE cause = '%s'", cause);
	assert_int_equal(sql_int(&c.f, sql), 80 * MS);
	assert_int_equal(sql_int(&c.f, "SELECT count(*) FROM gap"), 1);
	fixture_close(&c.f);
}

static void test_ranges_alone_do_not_tell_the_cause(void **state)
{
	(void)state;
	idle_under_a_range(false, "unknown");
	idle_under_a_range(true, "host_other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_time_of_a_degenerate_trace_means_nothing),
		cmocka_unit_test(test_clamped_timestamps_are_left_out),
		cmocka_unit_test(test_clamped_host_slices_do_not_stretch_the_run),
		cmocka_unit_test(test_a_trace_that_starts_at_zero_is_not_clamped),
		cmocka_unit_test(test_work_launched_before_the_recording),
		cmocka_unit_test(test_holes_within_a_graph_are_not_known),
		cmocka_unit_test(test_clocks_that_lie_apart),
		cmocka_unit_test(test_outliers_of_a_track_are_left_out),
		cmocka_unit_test(test_a_stray_clock_is_left_out),
		cmocka_unit_test(test_a_duration_of_days_is_named),
		cmocka_unit_test(test_sums_that_stop_are_told),
		cmocka_unit_test(test_missing_operations_are_told),
		cmocka_unit_test(test_ranges_alone_do_not_tell_the_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

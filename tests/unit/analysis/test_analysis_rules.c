/* The rules of the tallies, one small timeline each: what is busy, whose fault a gap is, which
 * role wins, what counts once. */
#include "analysis_cuda.h"

#include "analysis/idle.h"
#include "analysis/ranks.h"

static int64_t cause_ns(struct fixture *f, const char *cause)
{
	int64_t ns = sql_int(f, "SELECT sum(dur) FROM gap WHERE cause = %Q", cause);

	return ns == INT64_MIN ? 0 : ns;
}

static void test_an_empty_trace_is_not_busy(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f);
	analyze(&f);
	assert_metric(&f, "wall_ns", NULL, NO_STEP, 0);
	assert_metric(&f, "device_count", NULL, NO_STEP, 0);
	assert_metric(&f, "has_host", NULL, NO_STEP, 0);
	assert_metric(&f, "has_device", NULL, NO_STEP, 0);
	assert_metric(&f, "has_launches", NULL, NO_STEP, 0);
	assert_metric(&f, "device_busy_ns", NULL, NO_STEP, INT64_MIN);
	fixture_close(&f);
}

static void test_engines_hide_each_other(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	/* compute 0-10, communication 5-20, copy 15-30, an annotation over all, idle 30-40. */
	add_span(&c.f, c.stream[0], c.annotation, 0, 100);
	add_span(&c.f, c.stream[0], c.kernel, 0, 10);
	add_span(&c.f, c.stream[1], c.nccl, 5, 15);
	add_span(&c.f, c.stream[0], c.copy, 15, 15);
	add_span(&c.f, c.stream[0], c.kernel, 40, 10);
	analyze(&c.f);
	assert_metric(&c.f, "device_busy_ns", "0", NO_STEP, 40);
	assert_metric(&c.f, "device_span_ns", "0", NO_STEP, 50);
	assert_metric(&c.f, "device_idle_ns", NULL, NO_STEP, 10);
	assert_metric(&c.f, "compute_busy_ns", "0", NO_STEP, 20);
	assert_metric(&c.f, "communication_busy_ns", "0", NO_STEP, 15);
	assert_metric(&c.f, "exposed_communication_ns", "0", NO_STEP, 10);
	assert_metric(&c.f, "copy_busy_ns", "0", NO_STEP, 15);
	assert_metric(&c.f, "copy_exclusive_ns", "0", NO_STEP, 10);
	assert_metric(&c.f, "device_op_count", "0", NO_STEP, 4);
	assert_metric(&c.f, "mme_busy_ns", "0", NO_STEP, INT64_MIN);
	assert_int_equal(sql_int(&c.f, "SELECT exclusive_ns FROM op_total WHERE name='nccl'"), 10);
	assert_int_equal(sql_int(&c.f, "SELECT sum(exclusive_ns) FROM op_total"), 40);
	fixture_close(&c.f);
}

/* Operations that only wait have the time that nothing else has, though they started first. */
static void test_waits_have_what_is_left(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	uint32_t wait = add_label(&c.f, "kernel", "event_wait", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	c.f.timeline->labels[wait].mark = TC_MARK_DEVICE_WAIT;
	/* waiting 0-40, compute 10-20, copy 15-30. */
	add_span(&c.f, c.stream[0], wait, 0, 40);
	add_span(&c.f, c.stream[1], c.kernel, 10, 10);
	add_span(&c.f, c.stream[1], c.copy, 15, 15);
	analyze(&c.f);
	assert_int_equal(
		sql_int(&c.f, "SELECT exclusive_ns FROM op_total WHERE name='event_wait'"), 20);
	assert_int_equal(sql_int(&c.f, "SELECT exclusive_ns FROM op_total WHERE name='gemm'"), 10);
	assert_int_equal(
		sql_int(&c.f, "SELECT exclusive_ns FROM op_total WHERE kind='memcpy'"), 10);
	assert_metric(&c.f, "device_busy_ns", "0", NO_STEP, 40);
	fixture_close(&c.f);
}

/* A copy from the host that runs alone, up to the launch of what follows: a copy after it is none
 * of that, and where the launch came before the copy began nobody was late. */
static void test_transfers_end_at_the_next_launch(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct fixture *f = &c.f;
	f->timeline->labels[c.copy].direction = TC_DIRECTION_HTOD;
	struct tc_span early = add_span(f, c.main, c.launch, 0, 2);
	add_span(f, c.main, c.sync, 10, 60);
	struct tc_span late = add_span(f, c.main, c.launch, 75, 5);
	const struct work kernels[] = {{c.stream[0], c.kernel, 5, 15},
		{c.stream[0], c.kernel, 90, 10}, {c.stream[0], c.kernel, 130, 10}};
	launch_work(f, &kernels[0], &early, -1);
	add_span(f, c.stream[1], c.copy, 15, 45); /* alone from 20 */
	add_span(f, c.stream[0], c.copy, 70, 20); /* up to the kernel launched at 75 */
	launch_work(f, &kernels[1], &late, -1);
	add_span(f, c.stream[0], c.copy, 110, 20);
	launch_work(f, &kernels[2], &late, -1);
	analyze(f);
	assert_metric(f, "exposed_transfer_ns", "0", NO_STEP, 40 + 20 + 20);
	assert_int_equal(sql_int(f, "SELECT sum(dur) FROM exposed_transfer"), 80);
	assert_int_equal(sql_int(f, "SELECT sum(late_ns) FROM exposed_transfer"), 40 + 5);
	assert_int_equal(sql_int(f, "SELECT transfer_ns FROM host_event WHERE role = 'sync'"), 40);
	fixture_close(f);
}

static void test_gaudi_lanes(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f);
	int device = add_device(&f, "0");
	uint32_t mme[2], tpc, dma, nic, arc;
	for (int i = 0; i < 2; i++)
		mme[i] = add_lane(&f, device, TC_ENGINE_MME);
	tpc = add_lane(&f, device, TC_ENGINE_TPC);
	dma = add_lane(&f, device, TC_ENGINE_DMA);
	nic = add_lane(&f, device, TC_ENGINE_NIC);
	arc = add_lane(&f, device, TC_ENGINE_OTHER);
	uint32_t gemm = add_label(&f, "Kernel", "BatchGemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	uint32_t other = add_label(&f, "Runtime", "something", TC_ROLE_NONE, 0);
	uint32_t bf16 = tc_strtab_intern(&f.timeline->texts, TC_TEXT("bf16"));
	uint32_t fp32 = tc_strtab_intern(&f.timeline->texts, TC_TEXT("float32"));
	struct tc_span span = make_span(&f, mme[0], gemm, 0, 10);
	span.data_type = bf16;
	add_made(&f, &span);
	span = make_span(&f, mme[1], gemm, 5, 10); /* fp32 alone with MME: 10-12 */
	span.data_type = fp32;
	add_made(&f, &span);
	add_span(&f, tpc, other, 12, 18);
	add_span(&f, dma, other, 25, 15);
	add_span(&f, nic, other, 35, 15);
	add_span(&f, arc, other, 0, 1000);
	add_span(&f, tpc, other, 60, 5);
	analyze(&f);
	assert_metric(&f, "device_busy_ns", "0", NO_STEP, 45);
	assert_metric(&f, "device_span_ns", "0", NO_STEP, 65);
	assert_metric(&f, "mme_busy_ns", "0", NO_STEP, 15);
	assert_metric(&f, "tpc_busy_ns", "0", NO_STEP, 23);
	assert_metric(&f, "mme_tpc_overlap_ns", "0", NO_STEP, 3);
	assert_metric(&f, "tpc_exclusive_ns", "0", NO_STEP, 20);
	assert_metric(&f, "dma_exclusive_ns", "0", NO_STEP, 10);
	assert_metric(&f, "nic_exclusive_ns", "0", NO_STEP, 10);
	assert_metric(&f, "communication_busy_ns", NULL, NO_STEP, 15);
	assert_metric(&f, "mme_fp32_exclusive_ns", "0", NO_STEP, 2);
	assert_metric(&f, "mme_lane_count", "0", NO_STEP, 2);
	assert_metric(&f, "tpc_lane_count", "0", NO_STEP, 1);
	assert_true(sql_real(&f, "SELECT value FROM metric WHERE device = '0' AND"
				 " name = 'mme_low_precision_ratio'") == 0.5);
	assert_true(sql_real(&f, "SELECT value FROM metric WHERE device = '0' AND"
				 " name = 'mme_lanes_mean'") == 20.0 / 15);
	assert_metric(&f, "has_gaudi", NULL, NO_STEP, 1);
	assert_metric(&f, "has_data_types", NULL, NO_STEP, 1);
	assert_metric(&f, "has_communication", NULL, NO_STEP, 1);
	assert_int_equal(sql_int(&f, "SELECT sum(exclusive_ns) FROM op_total"), 45);
	assert_int_equal(sql_int(&f, "SELECT exclusive_ns FROM op_total WHERE engine = 'nic'"), 0);
	fixture_close(&f);
}

/* One gap from 100 us to 200 us, ended by an operation with the given launch call. */
static void one_gap(struct cuda *c, int64_t launch_us, int64_t launch_dur_us)
{
	add_span(&c->f, c->stream[0], c->kernel, 0, 100 * US);
	struct tc_span launch =
		add_span(&c->f, c->main, c->launch, launch_us * US, launch_dur_us * US);
	launch_work(&c->f, &(struct work){c->stream[0], c->kernel, 200 * US, 10 * US}, &launch, -1);
}

static void test_a_gap_is_cut_at_the_launch(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	one_gap(&c, 150, 5);
	add_span(&c.f, c.main, c.loader, 50 * US, 80 * US); /* until 130 */
	add_span(&c.f, c.main, c.op, 135 * US, 50 * US);    /* around the launch */
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "dataloader"), 30 * US);
	assert_int_equal(cause_ns(&c.f, "host_other"), 5 * US);
	assert_int_equal(cause_ns(&c.f, "dispatch"), 15 * US);
	assert_int_equal(cause_ns(&c.f, "launch"), 15 * US); /* the call and 10 us on the way */
	assert_int_equal(cause_ns(&c.f, "queued"), 35 * US);
	assert_metric(&c.f, "queued_idle_ns", "0", NO_STEP, 35 * US);
	assert_metric(&c.f, "queued_idle_ns", NULL, NO_STEP, 35 * US);
	assert_int_equal(sql_int(&c.f, "SELECT launch_delay_ns FROM gap LIMIT 1"), 50 * US);
	assert_int_equal(sql_int(&c.f, "SELECT s FROM (SELECT host_slice_id s FROM gap"
				       " WHERE cause = 'dataloader')"),
		3);
	fixture_close(&c.f);
}

/* One Python frame in the host's part of a gap, which is 90 us long. */
static void one_frame(struct cuda *c, int64_t frame_us)
{
	cuda_open(c);
	one_gap(c, 190, 5);
	add_span(&c->f, c->main, c->python, 120 * US, frame_us * US);
	add_span(&c->f, c->main, c->launch, 0, 5 * US);
	analyze(&c->f);
	assert_int_equal(cause_ns(&c->f, "host_other"), 90 * US);
	assert_int_equal(sql_int(&c->f, "SELECT empty_ns FROM gap WHERE cause = 'host_other'"),
		(90 - frame_us) * US);
	assert_int_equal(
		sql_int(&c->f, "SELECT unrecorded_ns FROM gap_total WHERE cause = 'host_other'"),
		(90 - frame_us) * US);
}

static void test_a_gap_is_named_after_what_fills_most_of_it(void **state)
{
	(void)state;
	static const char sum_sql[] = "SELECT coalesce(sum(dur), 0) FROM gap_host"
				      " WHERE cause = 'host_other'";
	struct cuda c;
	one_frame(&c, 60);
	assert_int_equal(
		sql_int(&c.f, "SELECT host_ns FROM gap WHERE cause = 'host_other'"), 60 * US);
	assert_int_equal(sql_int(&c.f, sum_sql), 60 * US);
	fixture_close(&c.f);
	one_frame(&c, 10);
	assert_int_equal(sql_int(&c.f, "SELECT count(*) FROM gap WHERE cause = 'host_other'"
				       " AND host_slice_id IS NULL AND host_ns = 0"),
		1);
	assert_int_equal(sql_int(&c.f, sum_sql), 0);
	fixture_close(&c.f);
}

static void test_work_launched_long_before_is_queued(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	one_gap(&c, 40, 5);
	add_span(&c.f, c.main, c.sync, 90 * US, 200 * US);
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "queued"), 100 * US);
	assert_int_equal(cause_ns(&c.f, "sync"), 0);
	fixture_close(&c.f);
}

static void test_a_launch_just_before_the_gap_goes_straight_through(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	one_gap(&c, 96, 5);
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "launch"), 11 * US);
	assert_int_equal(cause_ns(&c.f, "queued"), 89 * US);
	fixture_close(&c.f);
}

static void test_an_idle_launching_thread_is_fed_by_the_main_one(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct fixture *f = &c.f;
	uint32_t worker = add_thread(f, "worker", 1);
	struct tc_span step = add_span(f, c.main, c.step, 0, 300 * US);
	add_step(f, &step, 1);
	add_span(f, c.main, c.loader, 110 * US, 60 * US);
	add_span(f, c.stream[0], c.kernel, 0, 100 * US);
	struct tc_span launch = add_span(f, worker, c.launch, 190 * US, 5 * US);
	launch_work(f, &(struct work){c.stream[0], c.kernel, 200 * US, 10 * US}, &launch, 0);
	analyze(f);
	assert_int_equal(cause_ns(f, "dataloader"), 60 * US);
	assert_int_equal(cause_ns(f, "host_other"), 30 * US);
	assert_int_equal(cause_ns(f, "launch"), 10 * US);
	assert_int_equal(sql_int(f, "SELECT step_id FROM gap LIMIT 1"), 100);
	fixture_close(f);
}

static void test_a_compile_elsewhere_explains_a_waiting_thread(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct fixture *f = &c.f;
	uint32_t compile = add_label(f, "Runtime", "compileGraph", TC_ROLE_COMPILE, 0);
	uint32_t build = add_label(f, "Runtime", "SyncTensorsGraph", TC_ROLE_GRAPH_BUILD, 0);
	uint32_t synapse = add_thread(f, "Synapse/1234", 1);
	add_span(f, c.main, build, 100 * US, 95 * US);
	add_span(f, synapse, compile, 120 * US, 40 * US);
	one_gap(&c, 190, 2);
	analyze(f);
	assert_int_equal(cause_ns(f, "compile"), 40 * US);
	assert_int_equal(cause_ns(f, "graph_build"), 50 * US);
	assert_metric(f, "compile_ns", NULL, NO_STEP, 40 * US);
	assert_metric(f, "compile_count", NULL, NO_STEP, 1);
	assert_metric(f, "has_bridge", NULL, NO_STEP, 1);
	fixture_close(f);
}

static void test_without_any_host_the_cause_is_unknown(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	add_span(&c.f, c.stream[0], c.kernel, 0, 10 * US);
	add_span(&c.f, c.stream[0], c.kernel, 100 * US, 10 * US);
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "unknown"), 90 * US);
	assert_metric(&c.f, "has_host", NULL, NO_STEP, 0);
	fixture_close(&c.f);
}

static void test_short_gaps_are_summed_up(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct tc_span launch = add_span(&c.f, c.main, c.launch, 0, 1 * US);
	for (int i = 0; i < 50; i++)
		launch_work(&c.f,
			&(struct work){c.stream[0], c.kernel, (100 + i * 15) * US, 10 * US},
			&launch, -1);
	launch_work(&c.f, &(struct work){c.stream[0], c.kernel, 845 * US + TC_GAP_ROW_MIN_NS, 1},
		&launch, -1);
	analyze(&c.f);
	assert_int_equal(sql_int(&c.f, "SELECT count(*) FROM gap"), 2);
	assert_int_equal(sql_int(&c.f, "SELECT count FROM gap ORDER BY count DESC"), 49);
	assert_int_equal(sql_int(&c.f, "SELECT dur FROM gap ORDER BY count DESC"), 49 * 5 * US);
	assert_int_equal(sql_int(&c.f, "SELECT ts FROM gap ORDER BY count DESC"), 110 * US);
	assert_int_equal(sql_int(&c.f, "SELECT dur FROM gap WHERE count = 1"), TC_GAP_ROW_MIN_NS);
	fixture_close(&c.f);
}

/* The host works from 0 to 100, the device from 500 to 540: they never work at once. */
static void test_no_overlap_is_none(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct tc_span step = add_span(&c.f, c.main, c.step, 0, 100);
	add_step(&c.f, &step, 10);
	struct tc_span launch = add_span(&c.f, c.main, c.launch, 10, 5);
	launch_work(&c.f, &(struct work){c.stream[0], c.kernel, 500, 40}, &launch, 0);
	analyze(&c.f);
	assert_metric(&c.f, "perf_tool_total_ns", NULL, NO_STEP, 540);
	assert_true(
		sql_real(&c.f, "SELECT value FROM metric WHERE name = 'overlapping_degree'") == 0);
	fixture_close(&c.f);
}

static void test_work_belongs_to_the_step_that_launched_it(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct fixture *f = &c.f;
	for (int i = 0; i < 3; i++) {
		struct tc_span step = add_span(f, c.main, c.step, i * 100, i == 0 ? 100 : 50);
		add_step(f, &step, 10 + i);
		struct tc_span launch = add_span(f, c.main, c.launch, i * 100 + 10, 5);
		launch_work(f, &(struct work){c.stream[0], c.kernel, i * 100 + 80, 40}, &launch, i);
		launch_work(f, &(struct work){c.stream[1], c.copy, i * 100 + 100, 40}, &launch, i);
	}
	analyze(f);
	assert_metric(f, "step_count", NULL, NO_STEP, 3);
	assert_metric(f, "host_step_mean_ns", NULL, NO_STEP, 66);
	assert_metric(f, "host_step_median_ns", NULL, NO_STEP, 50);
	assert_metric(f, "steady_step_count", NULL, NO_STEP, 3);
	assert_int_equal(sql_int(f, "SELECT device_ts FROM step WHERE number = 11"), 180);
	assert_int_equal(sql_int(f, "SELECT device_dur FROM step WHERE number = 11"), 60);
	assert_metric(f, "device_busy_ns", "0", 11, 60);
	assert_metric(f, "device_window_ns", "0", 11, 60);
	assert_metric(f, "device_op_count", NULL, 11, 2);
	/* wall: 0 to 340, where the last step's work ends; busy 180 of it */
	assert_metric(f, "wall_ns", NULL, NO_STEP, 340);
	assert_metric(f, "device_wait_ns", "0", NO_STEP, 160);
	/* step 11 is 100-150; busy there until 140 (work of step 10) */
	assert_metric(f, "wall_ns", NULL, 11, 50);
	assert_metric(f, "device_wait_ns", "0", 11, 10);
	assert_metric(f, "host_window_ns", NULL, NO_STEP, 200);
	assert_metric(f, "perf_tool_device_ns", NULL, NO_STEP, 180);
	assert_metric(f, "perf_tool_total_ns", NULL, NO_STEP, 340);
	assert_true(sql_real(f, "SELECT value FROM metric WHERE name = 'overlapping_degree'") ==
		    40.0 / 180);
	assert_metric(f, "has_launches", NULL, NO_STEP, 1);
	assert_metric(f, "has_idle", NULL, NO_STEP, 1);
	fixture_close(f);
}

static void test_roles_of_two_logs_of_one_thread_count_once(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct fixture *f = &c.f;
	uint32_t bridge = add_thread(f, "bridge", 0);
	uint32_t h2d = add_label(f, "Runtime", "copy_hpu_lazy_H2D", TC_ROLE_INPUT_COPY, 0);
	struct tc_span step = add_span(f, c.main, c.step, 0, 200);
	add_step(f, &step, 1);
	add_span(f, c.main, c.python, 0, 200);
	add_span(f, c.main, c.op, 10, 40);
	add_span(f, bridge, h2d, 20, 20);
	add_span(f, c.main, h2d, 25, 5); /* again, in the other log */
	add_span(f, c.main, c.sync, 100, 50);
	add_span(f, c.main, c.sync, 120, 10); /* inside of the other */
	add_span(f, c.stream[0], c.kernel, 110, 10);
	analyze(f);
	assert_metric(f, "input_copy_ns", NULL, NO_STEP, 20);
	assert_metric(f, "input_copy_count", NULL, 1, 1);
	assert_metric(f, "sync_count", NULL, NO_STEP, 1);
	assert_metric(f, "sync_blocked_ns", NULL, 1, 50);
	assert_metric(f, "host_input_copy_own_ns", NULL, NO_STEP, 20);
	assert_metric(f, "host_dispatch_own_ns", NULL, NO_STEP, 20);
	assert_metric(f, "host_sync_own_ns", NULL, NO_STEP, 50);
	assert_metric(f, "host_sync_exposed_ns", NULL, NO_STEP, 40);
	assert_metric(f, "host_other_own_ns", NULL, NO_STEP, 110);
	assert_int_equal(sql_int(f, "SELECT count(*) FROM host_event"), 2);
	assert_int_equal(sql_int(f, "SELECT exposed_ns FROM host_event WHERE role = 'sync'"), 40);
	assert_int_equal(sql_int(f, "SELECT count(*) FROM host_event WHERE caller = 'aten::mm'"
				    " AND python = 'train.py(3): main' AND role = 'input_copy'"),
		1);
	/* 40-110 is idle after the copy; after the sync no work follows */
	assert_int_equal(
		sql_int(f, "SELECT idle_after_ns FROM host_event WHERE role = 'input_copy'"), 70);
	assert_int_equal(sql_int(f, "SELECT idle_after_ns FROM host_event WHERE role = 'sync'"), 0);
	assert_metric(f, "has_stacks", NULL, NO_STEP, 1);
	fixture_close(f);
}

static void test_the_runtime_thread_repeats_calls(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct fixture *f = &c.f;
	uint32_t synapse = add_thread(f, "Synapse/99", 1);
	uint32_t compile = add_label(f, "Runtime", "compileGraph (accel0)", TC_ROLE_COMPILE, 0);
	add_span(f, c.main, c.op, 0, 200);
	add_span(f, c.main, c.sync, 10, 50);
	add_span(f, synapse, c.sync, 11, 40);
	add_span(f, synapse, compile, 100, 40);
	add_span(f, c.main, c.launch, 150, 5);
	add_span(f, synapse, compile, 160, 10); /* both logs give one and the same interval */
	add_span(f, c.main, compile, 160, 10);
	analyze(f);
	assert_metric(f, "sync_count", NULL, NO_STEP, 1);
	assert_metric(f, "sync_blocked_ns", NULL, NO_STEP, 50);
	assert_metric(f, "compile_count", NULL, NO_STEP, 2);
	assert_int_equal(sql_int(f, "SELECT count(*) FROM host_event"), 3);
	assert_int_equal(sql_int(f, "SELECT count(*) FROM host_event WHERE role = 'compile'"
				    " AND caller = 'aten::mm'"),
		2);
	fixture_close(f);
}

static void test_self_and_exposed_time_of_labels(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct fixture *f = &c.f;
	add_span(f, c.main, c.python, 0, 100);
	add_span(f, c.main, c.op, 10, 50);
	add_span(f, c.main, c.op, 20, 10); /* nested in its like: the same call */
	add_span(f, c.main, c.op, 90, 0);
	add_span(f, c.main, c.op, 95, -1); /* never ends: no time */
	add_span(f, c.stream[0], c.kernel, 0, 40);
	analyze(f);
	assert_int_equal(sql_int(f, "SELECT count FROM host_total WHERE category='cpu_op'"), 2);
	assert_int_equal(sql_int(f, "SELECT dur_ns FROM host_total WHERE category='cpu_op'"), 50);
	assert_int_equal(sql_int(f, "SELECT self_ns FROM host_total WHERE category='cpu_op'"), 50);
	assert_int_equal(
		sql_int(f, "SELECT exposed_ns FROM host_total WHERE category='cpu_op'"), 20);
	assert_int_equal(sql_int(f, "SELECT self_ns FROM host_total WHERE role IS NULL"), 50);
	assert_metric(f, "slice_count", NULL, NO_STEP, 6);
	fixture_close(f);
}

static void test_several_devices_together_are_a_union(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	uint32_t other = add_lane(&c.f, add_device(&c.f, "1"), TC_ENGINE_NONE);
	add_span(&c.f, c.stream[0], c.kernel, 0, 10);
	add_span(&c.f, c.stream[0], c.kernel, 50, 10);
	add_span(&c.f, other, c.nccl, 5, 20);
	analyze(&c.f);
	assert_metric(&c.f, "device_count", NULL, NO_STEP, 2);
	assert_metric(&c.f, "device_busy_ns", "0", NO_STEP, 20);
	assert_metric(&c.f, "device_busy_ns", "1", NO_STEP, 20);
	assert_metric(&c.f, "device_busy_ns", NULL, NO_STEP, 35);
	assert_metric(&c.f, "device_idle_ns", NULL, NO_STEP, 25);
	assert_metric(&c.f, "device_idle_ns", "1", NO_STEP, 0);
	assert_metric(&c.f, "exposed_communication_ns", NULL, NO_STEP, 15);
	fixture_close(&c.f);
}

TC_ORDER(by_device, struct tc_memory_point,
	TC_UP(device_id) TC_UP(device_type) TC_UP(ts_ns) TC_UP(id));

/* An allocator event, as a row and as a point of the timeline; INT64_MIN is NULL. */
static void add_memory(struct fixture *f, const struct tc_memory_point *point)
{
	const int64_t values[] = {point->id, 0, point->ts_ns, point->device_type, point->device_id,
		1, 9, point->allocated_bytes, point->reserved_bytes, 0};
	static const struct tc_sorter_layout layout = {sizeof(*point), 4096, by_device};
	char sql[400] = "INSERT INTO memory_sample VALUES (";

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (values[i] == INT64_MIN)
			strcat(sql, i ? ", NULL" : "NULL");
		else
			sprintf(sql + strlen(sql), "%s%lld", i ? ", " : "", (long long)values[i]);
	sql_run(f, strcat(sql, ")"));
	if (point->device_type != 0)
		tc_sorter_put(&f->timeline->memory, f->ctx, &layout, point);
}

/* Growth of reserved memory, of samples in any order, beside a query that sorts the rows. */
static void test_growth_of_memory(void **state)
{
	static const char same[] =
		"WITH sample AS (SELECT device_id, ts, total_reserved_bytes AS now,"
		"  lag(total_reserved_bytes) OVER (PARTITION BY device_type, device_id"
		"   ORDER BY ts, id) AS before"
		"  FROM memory_sample WHERE device_type <> 0 AND total_reserved_bytes IS NOT NULL),"
		" grown AS (SELECT device_id, count(*) AS count, sum(now - before) AS bytes,"
		"  max(now) AS most FROM sample WHERE now > before AND ts >= 110 GROUP BY "
		"device_id)"
		" SELECT count(*) FROM grown g JOIN memory_growth m ON m.device_id IS g.device_id"
		" WHERE m.count = g.count AND m.grown_bytes = g.bytes"
		" AND m.reserved_peak_bytes = g.most AND g.count > 5";
	struct cuda c;

	(void)state;
	cuda_open(&c);
	const struct tc_span first = add_span(&c.f, c.main, c.op, 50, 60);
	const struct tc_span second = add_span(&c.f, c.main, c.op, 110, 60);
	add_step(&c.f, &first, 1);
	add_step(&c.f, &second, 2);
	for (uint32_t i = 0, seed = 7; i < 400; i++, seed = seed * 1664525 + 1013904223)
		add_memory(&c.f,
			&(struct tc_memory_point){
				.device_id = (seed >> 8) % 3 ? (seed >> 8) % 3 - 1 : INT64_MIN,
				.device_type = (seed >> 12) % 3,
				.ts_ns = (seed >> 16) % 200,
				.id = i,
				.allocated_bytes = 1,
				.reserved_bytes =
					(seed >> 20) % 5 ? (seed >> 20) % 50 : INT64_MIN});
	analyze(&c.f);
	assert_int_equal(sql_int(&c.f, same), 3);
	assert_int_equal(sql_int(&c.f, "SELECT count(*) FROM memory_growth"), 3);
	fixture_close(&c.f);
}

/* The allocator's number of the only device need not be that of its work; of several, they are not
 * matched. */
static void test_memory_of_the_only_device(void **state)
{
	(void)state;
	for (int others = 0; others < 2; others++) {
		struct cuda c;
		cuda_open(&c);
		add_memory(&c.f, &(struct tc_memory_point){3, 1, 1, 0, 500, 900});
		if (others)
			add_device(&c.f, "1");
		analyze(&c.f);
		assert_metric(&c.f, "memory_peak_bytes", others ? "3" : "0", NO_STEP, 500);
		fixture_close(&c.f);
	}
}

static void test_facts_of_the_import(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	add_memory(&c.f, &(struct tc_memory_point){0, 1, 1, 0, 500, 900});
	add_memory(&c.f, &(struct tc_memory_point){0, 1, 2, 1, 400, 950});
	add_memory(&c.f, &(struct tc_memory_point){-1, 0, 2, 2, 7000, 7000});
	sql_run(&c.f, "INSERT INTO slice_row (id, ts, dur, track_id, label_id, args)"
		      " VALUES (0, 0, 5, 0, 1, '{\"Input Dims\":[[2,2]]}')");
	sql_run(&c.f, "INSERT INTO trace (id, path, format, form, rank, read_bytes, event_count)"
		      " VALUES (0, 'a', 'kineto', 'object', 0, 1, 1),"
		      " (1, 'b', 'kineto', 'object', 1, 1, 1)");
	sql_run(&c.f, "INSERT INTO metric VALUES (1, 'has_ranks', NULL, NULL, 0, 'count')");
	add_span(&c.f, c.main, c.op, 0, 5);
	analyze(&c.f);
	assert_metric(&c.f, "memory_peak_bytes", "0", NO_STEP, 500);
	assert_metric(&c.f, "memory_reserved_peak_bytes", "0", NO_STEP, 950);
	assert_metric(&c.f, "memory_peak_bytes", NULL, NO_STEP, 500);
	assert_metric(&c.f, "has_memory", NULL, NO_STEP, 1);
	assert_metric(&c.f, "has_shapes", NULL, NO_STEP, 1);
	assert_metric(&c.f, "has_stacks", NULL, NO_STEP, 0);
	assert_metric(&c.f, "has_ranks", NULL, NO_STEP, 0);
	struct tc_ctx *ctx = tc_ctx_new();
	tc_ranks_relate(ctx, c.f.db);
	assert_false(tc_ctx_failed(ctx));
	tc_ctx_free(ctx);
	assert_int_equal(
		sql_int(&c.f, "SELECT min(value) FROM metric WHERE name = 'has_ranks'"), 1);
	fixture_close(&c.f);
}

static void test_details_of_compiles_and_copies(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct fixture *f = &c.f;
	uint32_t compile = add_label(f, "Runtime", "compileGraph", TC_ROLE_COMPILE, 0);
	uint32_t h2d = add_label(f, "Runtime", "copy_hpu_lazy_H2D", TC_ROLE_INPUT_COPY, 0);
	add_span(f, c.main, compile, 0, 5);
	add_span(f, c.main, h2d, 10, 5);
	add_span(f, c.main, compile, 20, 5);
	sql_run(f, "INSERT INTO slice_row (id, ts, dur, track_id, label_id, args)"
		   " VALUES (0, 0, 5, 0, 1, '{\"recipeName\":\"graph_7\"}'),"
		   " (1, 10, 5, 0, 1, '{\"size\":\"4096\"}'), (2, 20, 5, 0, 1, "
		   "'{\"recipeName\":\"graph_7\"}')");
	analyze(f);
	assert_int_equal(sql_int(f, "SELECT count(*) FROM host_event WHERE"
				    " detail ->> '$.recipe' = 'graph_7'"),
		2);
	assert_int_equal(sql_int(f, "SELECT detail ->> '$.bytes' FROM host_event"
				    " WHERE role = 'input_copy'"),
		4096);
	fixture_close(f);
}

/* Each compile has the name in its own args, not in those of the first slice. */
static void test_recipes_of_compiles(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	struct fixture *f = &c.f;
	uint32_t compile = add_label(f, "Runtime", "compileGraph", TC_ROLE_COMPILE, 0);
	add_span(f, c.main, c.op, 0, 5);
	add_span(f, c.main, compile, 10, 5);
	add_span(f, c.main, compile, 20, 5);
	add_span(f, c.main, compile, 30, 5);
	sql_run(f, "INSERT INTO slice_row (id, ts, dur, track_id, label_id, args)"
		   " VALUES (0, 0, 5, 0, 1, '{\"recipeName\":\"graph_1\"}'),"
		   " (1, 10, 5, 0, 1, '{\"recipeName\":\"graph_7\"}'),"
		   " (2, 20, 5, 0, 1, '{\"recipeName\":\"graph_8\"}'),"
		   " (3, 30, 5, 0, 1, '{\"recipeName\":\"graph_7\"}')");
	analyze(f);
	assert_int_equal(sql_int(f, "SELECT group_concat(recipe || recipe_source || kind, ' ') ="
				    " 'graph_7argsfirst graph_8argsfirst graph_7argsagain'"
				    " FROM (SELECT * FROM compile ORDER BY id)"),
		1);
	fixture_close(f);
}

static void test_an_interrupt_ends_it(void **state)
{
	(void)state;
	struct cuda c;
	cuda_open(&c);
	for (int i = 0; i < 10000; i++)
		add_span(&c.f, c.stream[0], c.kernel, i * 10, 5);
	assert_int_equal(tc_timeline_sort(c.f.timeline), TC_OK);
	tc_ctx_interrupt(c.f.ctx);
	assert_int_equal(try_analyze(&c.f), TC_ERR_INTERRUPTED);
	fixture_close(&c.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_trace_is_not_busy),
		cmocka_unit_test(test_engines_hide_each_other),
		cmocka_unit_test(test_waits_have_what_is_left),
		cmocka_unit_test(test_transfers_end_at_the_next_launch),
		cmocka_unit_test(test_gaudi_lanes),
		cmocka_unit_test(test_a_gap_is_cut_at_the_launch),
		cmocka_unit_test(test_a_gap_is_named_after_what_fills_most_of_it),
		cmocka_unit_test(test_work_launched_long_before_is_queued),
		cmocka_unit_test(test_a_launch_just_before_the_gap_goes_straight_through),
		cmocka_unit_test(test_an_idle_launching_thread_is_fed_by_the_main_one),
		cmocka_unit_test(test_a_compile_elsewhere_explains_a_waiting_thread),
		cmocka_unit_test(test_without_any_host_the_cause_is_unknown),
		cmocka_unit_test(test_short_gaps_are_summed_up),
		cmocka_unit_test(test_no_overlap_is_none),
		cmocka_unit_test(test_work_belongs_to_the_step_that_launched_it),
		cmocka_unit_test(test_roles_of_two_logs_of_one_thread_count_once),
		cmocka_unit_test(test_the_runtime_thread_repeats_calls),
		cmocka_unit_test(test_self_and_exposed_time_of_labels),
		cmocka_unit_test(test_several_devices_together_are_a_union),
		cmocka_unit_test(test_growth_of_memory),
		cmocka_unit_test(test_memory_of_the_only_device),
		cmocka_unit_test(test_facts_of_the_import),
		cmocka_unit_test(test_details_of_compiles_and_copies),
		cmocka_unit_test(test_recipes_of_compiles),
		cmocka_unit_test(test_an_interrupt_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

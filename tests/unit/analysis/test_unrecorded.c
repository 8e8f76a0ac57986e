/* Work that was not recorded is neither busy nor idle: rules one by one, and a recount tick by
 * tick. */
#include "analysis_cuda.h"
#include "sanitized.h"

#define TICK US

static int64_t cause_ns(struct fixture *f, const char *cause)
{
	return sql_int(f, "SELECT coalesce(sum(dur), 0) FROM gap WHERE cause = %Q", cause);
}

static void open_server(struct cuda *c)
{
	cuda_open(c);
	c->f.timeline->labels[c->launch].mark = TC_MARK_KERNEL_LAUNCH;
}

/* A launch and its work, which starts at once. */
static struct tc_span launch_at(struct cuda *c, int64_t ts_us)
{
	struct tc_span launch = add_span(&c->f, c->main, c->launch, ts_us * US, 5 * US);

	launch_work(&c->f, &(struct work){c->stream[0], c->kernel, (ts_us + 8) * US, 10 * US},
		&launch, 0);
	return launch;
}

static void one_step(struct cuda *c, int64_t dur_us)
{
	struct tc_span step = add_span(&c->f, c->main, c->step, 0, dur_us * US);

	add_step(&c->f, &step, 1);
}

/* The host waits from the first moment on, and the work that it reads starts after 5 ms. */
static void test_a_recording_begins_while_the_device_works(void **state)
{
	(void)state;
	for (int work_us = 10; work_us <= 1000; work_us += 990) {
		struct cuda c;
		open_server(&c);
		one_step(&c, 7000);
		struct tc_span launch = add_span(&c.f, c.main, c.launch, 90 * US, 5 * US);
		add_span(&c.f, c.main, c.sync, 100 * US, 6000 * US);
		launch_work(&c.f, &(struct work){c.stream[0], c.kernel, 5105 * US, work_us * US},
			&launch, 0);
		analyze(&c.f);
		/* Queued from 10 us after the call on. Long work may be what the wait is for. */
		assert_metric(
			&c.f, "device_unknown_ns", NULL, NO_STEP, work_us < 500 ? 5000 * US : 0);
		assert_metric(&c.f, "device_unknown_ns", NULL, 1, work_us < 500 ? 5000 * US : 0);
		assert_metric(&c.f, "idle_ns", NULL, NO_STEP,
			(7000 - work_us - (work_us < 500 ? 5000 : 0)) * US);
		fixture_close(&c.f);
	}
}

/* A copy to the device waits behind work that was launched before the recording, unless it is the
 * first of the program: that sets the runtime up. */
static void test_a_copy_to_the_device_waits_for_work_before_the_recording(void **state)
{
	(void)state;
	for (int number = 0; number < 2; number++) {
		struct cuda c;
		open_server(&c);
		c.f.timeline->labels[c.copy].direction = TC_DIRECTION_HTOD;
		uint32_t call = add_label(&c.f, "cuda_runtime", "cudaMemcpyAsync",
			TC_ROLE_INPUT_COPY, TC_ENGINE_NONE);
		struct tc_span step = add_span(&c.f, c.main, c.step, 0, 7000 * US);
		add_step(&c.f, &step, number);
		struct tc_span launch = add_span(&c.f, c.main, call, 100 * US, 6000 * US);
		launch_work(
			&c.f, &(struct work){c.stream[0], c.copy, 5600 * US, 400 * US}, &launch, 0);
		analyze(&c.f);
		assert_metric(&c.f, "device_unknown_ns", NULL, NO_STEP, number > 0 ? 5500 * US : 0);
		fixture_close(&c.f);
	}
}

/* That the first work was launched before the recording may be a guess: it has no call. So its
 * queue alone shows nothing, but a host that waits for it does. */
static void test_work_without_a_call_shows_nothing_alone(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct cuda c;
		open_server(&c);
		one_step(&c, 7000);
		if (waits)
			add_span(&c.f, c.main, c.sync, 100 * US, 6000 * US);
		struct tc_span before = make_span(&c.f, c.stream[0], c.kernel, 5000 * US, 10 * US);
		before.method = waits ? TC_LAUNCH_UNKNOWN : TC_LAUNCH_BEFORE;
		add_made(&c.f, &before);
		analyze(&c.f);
		assert_metric(&c.f, "device_unknown_ns", NULL, NO_STEP, waits ? 4900 * US : 0);
		fixture_close(&c.f);
	}
}

/* Nothing waits for the device: the host fetched a batch, and launched when it had it. */
static void test_a_late_host_is_no_unrecorded_work(void **state)
{
	(void)state;
	struct cuda c;
	open_server(&c);
	one_step(&c, 7000);
	add_span(&c.f, c.main, c.loader, 0, 5000 * US);
	launch_at(&c, 5000);
	add_span(&c.f, c.main, c.sync, 5010 * US, 1990 * US);
	analyze(&c.f);
	assert_metric(&c.f, "device_unknown_ns", NULL, NO_STEP, 0);
	assert_metric(&c.f, "idle_ns", NULL, NO_STEP, 6990 * US);
	assert_int_equal(
		sql_int(&c.f, "SELECT count(*) FROM metric WHERE name = 'unrecorded_launch_count'"),
		0);
	fixture_close(&c.f);
}

/* A graph launched long before its first recorded work is in no queue of an idle device, if graphs
 * of the recording have holes. */
static void test_graphs_with_holes_lack_their_ends(void **state)
{
	(void)state;
	for (int holes = 0; holes < 2; holes++) {
		struct cuda c;
		open_server(&c);
		c.f.timeline->labels[c.launch].mark = TC_MARK_GRAPH_LAUNCH;
		one_step(&c, 600);
		for (int i = 0; i < 2; i++) {
			struct tc_span launch =
				add_span(&c.f, c.main, c.launch, (5 + 20 * i) * US, 5 * US);
			int64_t first_us = 20 + 200 * i;
			launch_work(&c.f,
				&(struct work){c.stream[0], c.kernel, first_us * US, 20 * US},
				&launch, 0);
			launch_work(&c.f,
				&(struct work){c.stream[0], c.kernel,
					(first_us + (holes ? 60 : 22)) * US, 20 * US},
				&launch, 0);
			tc_timeline_add_graph_run(
				c.f.timeline, &(struct tc_graph_run){first_us * US,
						      (first_us + (holes ? 80 : 42)) * US, 0});
		}
		analyze(&c.f);
		/* Two holes of 40 us, and 120 between the graphs; else 158 of queue between them.
		 */
		assert_int_equal(cause_ns(&c.f, "unrecorded"), holes ? (40 + 40 + 120) * US : 0);
		assert_int_equal(cause_ns(&c.f, "queued"), holes ? 0 : (2 + 158 + 2) * US);
		assert_int_equal(
			sql_int(&c.f, "SELECT count(*) FROM gap WHERE is_hole"), holes ? 2 : 0);
		fixture_close(&c.f);
	}
}

/* Calls while a graph is captured launch nothing, so nothing of theirs is missing. */
static void test_captures_launch_nothing(void **state)
{
	(void)state;
	struct cuda c;
	open_server(&c);
	uint32_t begin = add_label(&c.f, "cuda_runtime", "cudaStreamBeginCapture", TC_ROLE_NONE, 0);
	uint32_t end = add_label(&c.f, "cuda_runtime", "cudaStreamEndCapture", TC_ROLE_NONE, 0);
	c.f.timeline->labels[begin].mark = TC_MARK_GRAPH_BEGIN;
	c.f.timeline->labels[end].mark = TC_MARK_GRAPH_CAPTURE;
	launch_at(&c, 0);
	add_span(&c.f, c.main, begin, 50 * US, US);
	add_span(&c.f, c.main, c.launch, 60 * US, 5 * US);
	add_span(&c.f, c.main, end, 70 * US, US);
	add_span(&c.f, c.main, c.sync, 80 * US, 15 * US);
	launch_at(&c, 100);
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "unrecorded"), 0);
	fixture_close(&c.f);
}

enum { CALLS = 40, RANGE = 4000 };

/* A call of the only thread: a launch whose work is recorded or lost, or a wait. */
struct call {
	int64_t start, end, work_start, work_end; /* in ticks */
	bool is_launch, is_lost;
};

/* Work runs in order, also lost work. */
static void make_calls(struct call *calls)
{
	int64_t now = 1, device = 0;

	for (int i = 0; i < CALLS; i++) {
		struct call *call = &calls[i];
		call->is_launch = rand() % 4 > 0;
		call->is_lost = call->is_launch && rand() % 3 == 0;
		call->start = now + rand() % 20;
		call->end = call->start + 1 + rand() % 5;
		if (call->is_launch) {
			call->work_start = call->end > device ? call->end : device;
			device = call->work_end = call->work_start + 1 + rand() % 60;
		} else if (call->end < device) {
			call->end = device;
		}
		now = call->end;
	}
}

static void add_calls(struct cuda *c, const struct call *calls)
{
	for (int i = 0; i < CALLS; i++) {
		const struct call *call = &calls[i];
		struct tc_span span =
			add_span(&c->f, c->main, call->is_launch ? c->launch : c->sync,
				call->start * TICK, (call->end - call->start) * TICK);
		if (call->is_launch && !call->is_lost)
			launch_work(&c->f,
				&(struct work){c->stream[0], c->kernel, call->work_start * TICK,
					(call->work_end - call->work_start) * TICK},
				&span, -1);
	}
}

/* The last call of a kind that starts before another one; -1 for none. */
static int launch_before(const struct call *calls, int i)
{
	do
		i--;
	while (i >= 0 && !calls[i].is_launch);
	return i;
}

static bool is_lost(const struct call *calls, int i)
{
	return i >= 0 && calls[i].is_lost;
}

/* Whether a tick between two pieces of recorded work is unrecorded: the work that comes next is in
 * the queue right behind lost work, or was not launched yet while the host waits for lost work. */
static bool is_unrecorded(const struct call *calls, int64_t tick)
{
	int next = 0;

	while (!calls[next].is_launch || calls[next].is_lost || calls[next].work_start <= tick)
		next++;
	if (tick >= calls[next].end + 10)
		return is_lost(calls, launch_before(calls, next));
	for (int i = 0; i < next && tick < calls[next].start; i++)
		if (!calls[i].is_launch && calls[i].start <= tick && tick < calls[i].end)
			return is_lost(calls, launch_before(calls, i));
	return false;
}

static bool is_busy(const struct call *calls, int64_t tick)
{
	for (int i = 0; i < CALLS; i++)
		if (calls[i].is_launch && !calls[i].is_lost && calls[i].work_start <= tick &&
			tick < calls[i].work_end)
			return true;
	return false;
}

/* Ticks between the first and the last recorded work. */
static int64_t count_unrecorded(const struct call *calls)
{
	int64_t first = RANGE, last = 0, count = 0;

	for (int i = 0; i < CALLS; i++) {
		if (!calls[i].is_launch || calls[i].is_lost)
			continue;
		first = calls[i].work_start < first ? calls[i].work_start : first;
		last = calls[i].work_end > last ? calls[i].work_end : last;
	}
	for (int64_t tick = first; tick < last; tick++)
		count += !is_busy(calls, tick) && is_unrecorded(calls, tick);
	return count;
}

static void test_lost_launches_against_a_recount(void **state)
{
	int64_t all_ns = 0;

	(void)state;
	srand(11);
	for (int round = 0; round < TC_TEST_RUNS(300); round++) {
		struct call calls[CALLS] = {0};
		int recorded = 0, lost = 0;
		struct cuda c;

		make_calls(calls);
		for (int i = 0; i < CALLS; i++) {
			recorded += calls[i].is_launch && !calls[i].is_lost;
			lost += calls[i].is_lost;
		}
		if (recorded == 0 || lost == 0)
			continue;
		open_server(&c);
		add_calls(&c, calls);
		analyze(&c.f);
		int64_t expected_ns = count_unrecorded(calls) * TICK;
		assert_int_equal(cause_ns(&c.f, "unrecorded"), expected_ns);
		assert_int_equal(sql_int(&c.f, "SELECT value FROM metric"
					       " WHERE name = 'unrecorded_launch_count'"),
			lost);
		assert_int_equal(sql_int(&c.f, "SELECT sum(dur) FROM gap"),
			sql_int(&c.f, "SELECT value FROM metric"
				      " WHERE name = 'device_idle_ns' AND device IS NULL"));
		/* Busy, idle and unrecorded time are the analysed time. */
		assert_int_equal(
			sql_int(&c.f,
				"SELECT sum(value) FROM metric WHERE device IS NULL AND name IN"
				" ('device_busy_ns', 'idle_ns', 'start_and_end_ns',"
				" 'device_unknown_ns')"),
			sql_int(&c.f, "SELECT value FROM metric WHERE name = 'wall_ns'"));
		all_ns += expected_ns;
		fixture_close(&c.f);
	}
	assert_true(all_ns > MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_recording_begins_while_the_device_works),
		cmocka_unit_test(test_a_copy_to_the_device_waits_for_work_before_the_recording),
		cmocka_unit_test(test_work_without_a_call_shows_nothing_alone),
		cmocka_unit_test(test_a_late_host_is_no_unrecorded_work),
		cmocka_unit_test(test_graphs_with_holes_lack_their_ends),
		cmocka_unit_test(test_captures_launch_nothing),
		cmocka_unit_test(test_lost_launches_against_a_recount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

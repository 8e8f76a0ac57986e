/*
 * The replay against twins: a small machine with a host thread and two lanes is simulated twice, as
 * recorded and with the fix, so what the fix wins is known. The simulation shares nothing with the
 * replay: it works in times, not in shifts, and knows what waits for what because it made it so.
 */
#include "sanitized.h"
#include "replay/replay_fixture.h"

#define STEP_COUNT 6

enum { LOADER, OP, LAUNCH, SYNC, STEP, GEMM, COPY, LABEL_COUNT };

struct machine {
	uint32_t seed;
	int64_t host_ns, lane_ns[2];
	struct fixture *f; /* NULL: only times */
	uint32_t labels[LABEL_COUNT], thread, lanes[2], recipe;
	int step;
	double loader_factor, gemm_factor;
	bool no_sync;
};

static int pick(struct machine *m, int sides)
{
	m->seed = m->seed * 1664525U + 1013904223U;
	return (int)((m->seed >> 8) % (uint32_t)sides);
}

static void spend(struct machine *m, int label, int64_t dur_ns)
{
	if (m->f && dur_ns > 0)
		add_span(m->f, m->thread, m->labels[label], m->host_ns, dur_ns);
	m->host_ns += dur_ns;
}

/* One call, and its work, which starts when the call returns and its lane is free. */
static void launch(struct machine *m, int lane, int label, int64_t dur_ns)
{
	int64_t begin_ns = m->host_ns, call_ns = 4 * US;
	struct tc_span call = {0};

	if (m->f)
		call = add_span(m->f, m->thread, m->labels[LAUNCH], begin_ns, call_ns);
	m->host_ns += call_ns;
	int64_t start_ns = m->host_ns > m->lane_ns[lane] ? m->host_ns : m->lane_ns[lane];
	if (m->f) {
		struct tc_span work =
			make_span(m->f, m->lanes[lane], m->labels[label], start_ns, dur_ns);
		work.recipe = m->recipe;
		add_launched(m->f, &work, &call, m->step);
	}
	m->lane_ns[lane] = start_ns + dur_ns;
}

static void wait_for_device(struct machine *m)
{
	int64_t end_ns = m->lane_ns[0] > m->lane_ns[1] ? m->lane_ns[0] : m->lane_ns[1];

	if (!m->no_sync && end_ns > m->host_ns)
		spend(m, SYNC, end_ns - m->host_ns);
}

static void simulate_step(struct machine *m, int number)
{
	int64_t begin_ns = m->host_ns;

	m->step = number;
	spend(m, LOADER, (int64_t)((double)(pick(m, 4000) * US) * m->loader_factor));
	for (int n = 10 + pick(m, 10); n > 0; n--) {
		spend(m, OP, (1 + pick(m, 60)) * US);
		int64_t dur_ns = (5 + pick(m, 300)) * US;
		if (pick(m, 3) == 0)
			launch(m, 0, GEMM, (int64_t)((double)dur_ns * m->gemm_factor));
		else
			launch(m, 0, COPY, dur_ns);
	}
	if (pick(m, 2))
		wait_for_device(m);
	if (m->f) {
		const struct tc_span step =
			add_span(m->f, m->thread, m->labels[STEP], begin_ns, m->host_ns - begin_ns);
		add_step(m->f, &step, number);
	}
}

static int64_t simulate(struct machine *m, uint32_t seed)
{
	m->seed = seed * 2654435761U + 7;
	m->host_ns = m->lane_ns[0] = m->lane_ns[1] = 1000 * US;
	for (int i = 0; i < STEP_COUNT; i++)
		simulate_step(m, i);
	return m->lane_ns[0] > m->host_ns ? m->lane_ns[0] : m->host_ns;
}

static void make_machine(struct machine *m, struct fixture *f)
{
	*m = (struct machine){
		.f = f, .recipe = TC_STRTAB_NONE, .loader_factor = 1, .gemm_factor = 1};
	if (!f)
		return;
	m->labels[LOADER] = add_label(f, "user", "load", TC_ROLE_DATALOADER, TC_ENGINE_NONE);
	m->labels[OP] = add_label(f, "cpu_op", "op", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	m->labels[LAUNCH] = add_label(f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	m->labels[SYNC] = add_label(f, "runtime", "sync", TC_ROLE_SYNC, TC_ENGINE_NONE);
	m->labels[STEP] = add_label(f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE);
	m->labels[GEMM] = add_label(f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	m->labels[COPY] = add_label(f, "kernel", "copy", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	f->timeline->labels[m->labels[GEMM]].name_class = TC_CLASS_MATRIX;
	m->thread = add_thread(f, "main", 0);
	add_device(f, "0");
	m->lanes[0] = add_lane(f, 0, TC_ENGINE_NONE);
	m->lanes[1] = add_lane(f, 0, TC_ENGINE_NONE);
}

/* What the twin wins over the machine as it is. */
static int64_t truth(uint32_t seed, double loader_factor, double gemm_factor, bool no_sync)
{
	struct machine twin;

	make_machine(&twin, NULL);
	int64_t before_ns = simulate(&twin, seed);
	make_machine(&twin, NULL);
	twin.loader_factor = loader_factor;
	twin.gemm_factor = gemm_factor;
	twin.no_sync = no_sync;
	return before_ns - simulate(&twin, seed);
}

static void test_gains_are_those_of_twins(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < TC_TEST_RUNS(200); seed++) {
		struct fixture f;
		struct machine m;
		struct replayed r = {0};

		fixture_open(&f);
		make_machine(&m, &f);
		simulate(&m, seed);
		assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
		size_t loader = add_whatif(&r, f.ctx, "remove role = dataloader");
		size_t half = add_whatif(&r, f.ctx, "scale class = matrix by 0.5");
		size_t sync = add_whatif(&r, f.ctx, "nowait role = sync");
		size_t joint = add_joint(&r, loader, half);
		replay(&r, &f);
		const struct {
			size_t whatif;
			int64_t want_ns;
		} cases[] = {
			{loader, truth(seed, 0, 1, false)},
			{half, truth(seed, 1, 0.5, false)},
			{sync, truth(seed, 1, 1, true)},
			{joint, truth(seed, 0, 0.5, false)},
		};
		for (size_t i = 0; i < 4; i++) {
			int64_t got_ns = r.shifts.won[cases[i].whatif].end_ns;
			/* What a wait costs by itself is not known to less than this. */
			int64_t off_ns = STEP_COUNT * 10 * US;
			if (got_ns < cases[i].want_ns - off_ns ||
				got_ns > cases[i].want_ns + off_ns)
				fail_msg("seed %u, what-if %zu: want %lld ns, got %lld", seed, i,
					(long long)cases[i].want_ns, (long long)got_ns);
		}
		replay_clear(&r);
		fixture_close(&f);
	}
}

/* Streams took turns because the host waited for each. Without the waits they could start at once,
 * but the device would still do all of their work. */
static void test_a_device_does_not_work_twice_as_fast(void **state)
{
	(void)state;
	struct fixture f;
	struct machine m;
	struct replayed r = {0};

	fixture_open(&f);
	make_machine(&m, &f);
	m.host_ns = m.lane_ns[0] = m.lane_ns[1] = 1000 * US;
	m.step = -1;
	for (int i = 0; i < 10; i++) {
		spend(&m, OP, 100 * US);
		launch(&m, i % 2, GEMM, 1000 * US);
		wait_for_device(&m);
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t sync = add_whatif(&r, f.ctx, "remove role = sync");
	size_t steady = add_whatif(&r, f.ctx, "remove role = dispatch steady");
	replay(&r, &f);
	assert_int_equal(r.shifts.won[steady].removed_ns, 0); /* there are no steps */
	assert_int_equal(r.replay.idle_ns, 9 * 104 * US);
	assert_true(r.shifts.won[sync].end_ns > r.replay.idle_ns);
	assert_int_equal(r.shifts.won[sync].gain_ns, r.replay.idle_ns);
	replay_clear(&r);
	fixture_close(&f);
}

/* What less work of operations wins in steps that take batches from workers, of batch_us each. */
static int64_t gain_beside_workers(int64_t batch_us)
{
	struct fixture f;
	struct machine m;
	struct replayed r = {0};

	fixture_open(&f);
	make_machine(&m, &f);
	f.timeline->labels[m.labels[LOADER]].mark = TC_MARK_LOADER_WORKERS;
	for (m.step = 0; m.step < STEP_COUNT; m.step++) {
		int64_t begin_ns = m.host_ns;
		spend(&m, LOADER, m.step == 1 ? 10 * US : batch_us * US);
		spend(&m, OP, 5000 * US);
		launch(&m, 0, GEMM, 1000 * US);
		const struct tc_span step =
			add_span(&f, m.thread, m.labels[STEP], begin_ns, m.host_ns - begin_ns);
		add_step(&f, &step, m.step);
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t half = add_whatif(&r, f.ctx, "scale role = dispatch by 0.5");
	replay(&r, &f);
	int64_t gain_ns = r.shifts.won[half].step_before_ns - r.shifts.won[half].step_after_ns;
	replay_clear(&r);
	fixture_close(&f);
	return gain_ns;
}

/* A batch that is ready costs some time, too: only a loader that takes much of the run sets the
 * pace. */
static void test_only_a_slow_loader_sets_the_pace(void **state)
{
	(void)state;
	assert_int_equal(gain_beside_workers(200), 2500 * US);
	assert_int_equal(gain_beside_workers(450), 2500 * US);
	assert_true(gain_beside_workers(2000) < 1000 * US);
}

/* What less work of operations wins where another thread launches, when every n-th slice of a
 * hand-over and every m-th of a task is lost; 0: none is. */
static int64_t gain_beside_launcher(int lost_give, int lost_task)
{
	struct fixture f;
	struct machine m;
	struct replayed r = {0};

	fixture_open(&f);
	make_machine(&m, &f);
	uint32_t launcher = add_thread(&f, "launcher", 1);
	uint32_t give = add_label(&f, "bridge", "give", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t task = add_label(&f, "bridge", "task", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	f.timeline->labels[give].mark = TC_MARK_BRIDGE_HANDOVER;
	f.timeline->labels[task].call_class = TC_CALL_LAUNCH_TASK;
	for (m.step = 0; m.step < 40; m.step++) {
		int64_t begin_ns = m.host_ns;
		spend(&m, OP, 1000 * US);
		if (!lost_give || m.step % lost_give != 2)
			add_span(&f, m.thread, give, m.host_ns, 10 * US);
		m.host_ns += 10 * US;
		int64_t start_ns = m.host_ns - 3 * US;
		if (!lost_task || m.step % lost_task != 3)
			add_span(&f, launcher, task, start_ns, 30 * US);
		struct tc_span call =
			add_span(&f, launcher, m.labels[LAUNCH], start_ns + 5 * US, 20 * US);
		const struct tc_span work =
			make_span(&f, m.lanes[0], m.labels[GEMM], start_ns + 30 * US, 300 * US);
		add_launched(&f, &work, &call, m.step);
		const struct tc_span step =
			add_span(&f, m.thread, m.labels[STEP], begin_ns, m.host_ns - begin_ns);
		add_step(&f, &step, m.step);
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t half = add_whatif(&r, f.ctx, "scale role = dispatch by 0.5");
	replay(&r, &f);
	int64_t gain_ns = r.shifts.won[half].step_before_ns - r.shifts.won[half].step_after_ns;
	replay_clear(&r);
	fixture_close(&f);
	return gain_ns;
}

static void test_lost_hand_overs(void **state)
{
	(void)state;
	static const int lost[][2] = {{0, 0}, {7, 0}, {0, 9}, {7, 9}, {5, 3}};

	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
		assert_int_equal(gain_beside_launcher(lost[i][0], lost[i][1]), 500 * US);
}

/* An update hands each of its operations to a thread that takes ten times as long to launch it. */
static void test_tasks_are_of_what_gave_them(void **state)
{
	(void)state;
	enum { COUNT = 40 };
	struct fixture f;
	struct machine m;
	struct replayed r = {0};

	fixture_open(&f);
	make_machine(&m, &f);
	m.step = -1;
	uint32_t launcher = add_thread(&f, "launcher", 1);
	uint32_t give = add_label(&f, "bridge", "give", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t task = add_label(&f, "bridge", "task", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t update = add_label(&f, "user", "update", TC_ROLE_NONE, TC_ENGINE_NONE);
	f.timeline->labels[give].mark = TC_MARK_BRIDGE_HANDOVER;
	f.timeline->labels[task].call_class = TC_CALL_LAUNCH_TASK;
	f.timeline->labels[update].mark = TC_MARK_OPTIMIZER_STEP;
	int64_t task_ns = m.host_ns + 7 * US;
	add_span(&f, m.thread, update, m.host_ns, COUNT * 10 * US);
	for (int i = 0; i < COUNT; i++) {
		add_span(&f, m.thread, give, m.host_ns, 7 * US);
		m.host_ns += 10 * US;
		struct tc_span call = add_span(&f, launcher, task, task_ns, 100 * US);
		task_ns += 100 * US;
		const struct tc_span work =
			make_span(&f, m.lanes[0], m.labels[GEMM], task_ns, 20 * US);
		add_launched(&f, &work, &call, -1);
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t half = add_whatif(&r, f.ctx, "scale own in mark = optimizer_step by 0.5");
	replay(&r, &f);
	int64_t tasks_ns = (int64_t)COUNT * 50 * US;
	assert_in_range(r.shifts.won[half].end_ns, tasks_ns, tasks_ns + 10 * US);
	replay_clear(&r);
	fixture_close(&f);
}

/* A graph of nodes that alternate at random between the engines, each working on the result of the
 * one before it, slice by slice. Returns when the last one ends. */
static int64_t run_graph(struct machine *m, uint32_t seed, double matrix_factor)
{
	int64_t free_ns[2], begin_ns = m->host_ns, end_ns = m->host_ns;
	int engine = 0;
	struct tc_span call = {0};

	m->seed = seed * 2654435761U + 7;
	int slices = 2 + pick(m, 4);
	if (m->f)
		call = add_span(m->f, m->thread, m->labels[LAUNCH], m->host_ns - 4 * US, 4 * US);
	free_ns[0] = free_ns[1] = m->host_ns;
	for (int i = 0; i < 60; i++) {
		int64_t work_ns = (20 + pick(m, 200)) * US, last_ns = 0;
		int next = pick(m, 3) == 0 ? engine : !engine;
		if (next == 0)
			work_ns = (int64_t)((double)work_ns * matrix_factor);
		if (i > 0 && next != engine) {
			int64_t first_ns = begin_ns + (end_ns - begin_ns) / slices;
			begin_ns = free_ns[next] > first_ns ? free_ns[next] : first_ns;
			last_ns = end_ns + work_ns / slices;
		} else {
			begin_ns = free_ns[next] > begin_ns ? free_ns[next] : begin_ns;
		}
		engine = next;
		end_ns = begin_ns + work_ns > last_ns ? begin_ns + work_ns : last_ns;
		free_ns[engine] = end_ns;
		if (!m->f)
			continue;
		struct tc_span node = make_span(m->f, m->lanes[engine],
			m->labels[engine == 0 ? GEMM : COPY], begin_ns, end_ns - begin_ns);
		node.recipe = tc_strtab_intern(&m->f->timeline->texts, TC_TEXT("graph"));
		add_launched(m->f, &node, &call, -1);
	}
	return free_ns[0] > free_ns[1] ? free_ns[0] : free_ns[1];
}

/* A faster engine is worth only what the other one, which works on its results, does not hold
 * up. */
static void test_engines_that_work_on_slices(void **state)
{
	(void)state;
	int64_t wrong_ns = 0, won_ns = 0;

	for (uint32_t seed = 0; seed < TC_TEST_RUNS(200); seed++) {
		struct fixture f;
		struct machine m, twin;
		struct replayed r = {0};

		fixture_open(&f);
		make_machine(&m, &f);
		f.timeline->tracks[m.lanes[0]].engine = TC_ENGINE_MME;
		f.timeline->tracks[m.lanes[1]].engine = TC_ENGINE_TPC;
		m.host_ns = 1000 * US;
		int64_t end_ns = run_graph(&m, seed, 1);
		make_machine(&twin, NULL);
		twin.host_ns = m.host_ns;
		int64_t want_ns = end_ns - run_graph(&twin, seed, 0.5);
		assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
		size_t half = add_whatif(&r, f.ctx, "scale class = matrix by 0.5");
		replay(&r, &f);
		int64_t off_ns = r.shifts.won[half].end_ns - want_ns;
		won_ns += want_ns;
		wrong_ns += off_ns < 0 ? -off_ns : off_ns;
		replay_clear(&r);
		fixture_close(&f);
	}
	/* The trace does not show how long a node worked that its lane held up. */
	if (wrong_ns * 100 > won_ns * 5)
		fail_msg("off by %lld of %lld ns", (long long)wrong_ns, (long long)won_ns);
}

/* Collectives that all run after the compute: what the compute can hide of them goes, but for the
 * first of them, which holds the last gradients. An update before the compute hides nothing. A
 * kernel of divide_us follows each of them. */
static int64_t gain_of_hiding_divided(int64_t update_us, int64_t compute_us, int64_t collective_us,
	int64_t divide_us, enum tc_mark divide_mark, enum tc_name_class divide_class)
{
	struct fixture f;
	struct machine m;
	struct replayed r = {0};

	fixture_open(&f);
	make_machine(&m, &f);
	uint32_t reduce = add_label(&f, "kernel", "reduce", TC_ROLE_NONE, TC_ENGINE_COMMUNICATION);
	uint32_t adam = add_label(&f, "kernel", "adam", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	uint32_t divide = add_label(&f, "kernel", "divide", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	f.timeline->labels[adam].name_class = TC_CLASS_OPTIMIZER;
	f.timeline->labels[divide].mark = (uint8_t)divide_mark;
	f.timeline->labels[divide].name_class = (uint8_t)divide_class;
	m.step = -1;
	m.labels[COPY] = adam;
	if (update_us > 0)
		launch(&m, 0, COPY, update_us * US);
	launch(&m, 0, GEMM, compute_us * US);
	for (int i = 0; i < 4; i++) {
		m.labels[COPY] = reduce;
		launch(&m, 0, COPY, collective_us * US);
		m.labels[COPY] = divide;
		if (divide_us > 0)
			launch(&m, 0, COPY, divide_us * US);
	}
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t hide = add_whatif(&r, f.ctx, "hide engine = communication repeated by 0.5");
	replay(&r, &f);
	int64_t gain_ns = r.shifts.won[hide].end_ns;
	replay_clear(&r);
	fixture_close(&f);
	return gain_ns;
}

static int64_t gain_of_hiding(int64_t update_us, int64_t compute_us, int64_t collective_us)
{
	return gain_of_hiding_divided(
		update_us, compute_us, collective_us, 0, TC_MARK_NONE, TC_CLASS_NONE);
}

/* A loop that reduces gradients one by one divides each by the number of ranks. An update of these
 * kernels parts the collectives: what follows sends its results. */
static void test_divided_collectives_hide_beside_compute(void **state)
{
	(void)state;
	int64_t gain_ns = gain_of_hiding(0, 1000, 100);
	assert_int_equal(
		gain_of_hiding_divided(0, 1000, 100, 3, TC_MARK_FUSIBLE, TC_CLASS_NONE), gain_ns);
	assert_int_equal(gain_of_hiding_divided(0, 1000, 100, 3, TC_MARK_NONE, TC_CLASS_NONE), 0);
	assert_int_equal(
		gain_of_hiding_divided(0, 1000, 100, 3, TC_MARK_FUSIBLE, TC_CLASS_OPTIMIZER), 0);
}

static void test_collectives_hide_beside_compute(void **state)
{
	(void)state;
	assert_int_equal(gain_of_hiding(0, 10000, 100), 300 * US);
	assert_int_equal(gain_of_hiding(0, 1000, 1000), 500 * US);
	assert_int_equal(gain_of_hiding(5000, 1000, 1000), 500 * US);
}

/* Four collectives after graphs that each take so long: each sends a bucket. Or four copies. */
static int64_t gain_after_graphs_of(enum tc_engine engine, const char *edit, int graphs,
	int64_t graph_us, int64_t collective_us)
{
	struct fixture f;
	struct machine m;
	struct replayed r = {0};

	fixture_open(&f);
	make_machine(&m, &f);
	m.step = -1;
	m.recipe = 1;
	for (int i = 0; i < graphs; i++)
		launch(&m, 0, GEMM, graph_us * US);
	m.recipe = TC_STRTAB_NONE;
	m.labels[COPY] = add_label(&f, "kernel", "last", TC_ROLE_NONE, engine);
	for (int i = 0; i < 4; i++)
		launch(&m, 0, COPY, collective_us * US);
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t hide = add_whatif(&r, f.ctx, edit);
	replay(&r, &f);
	int64_t gain_ns = r.shifts.won[hide].end_ns;
	replay_clear(&r);
	fixture_close(&f);
	return gain_ns;
}

static int64_t gain_after_graphs(int graphs, int64_t graph_us, int64_t collective_us)
{
	return gain_after_graphs_of(TC_ENGINE_COMMUNICATION,
		"hide engine = communication repeated by 1", graphs, graph_us, collective_us);
}

/* A bucket is full when a graph ends. Of four buckets, three graphs fill one, another and two. Of
 * five graphs the second one fills the first bucket, so three graphs are left to hide them. */
static void test_graphs_fill_whole_buckets(void **state)
{
	(void)state;
	assert_int_equal(gain_after_graphs(3, 5000, 1000), 2000 * US);
	assert_int_equal(gain_after_graphs(4, 5000, 1000), 3000 * US);
	assert_int_equal(gain_after_graphs(5, 1000, 1300), 3000 * US);
	assert_int_equal(
		gain_after_graphs_of(TC_ENGINE_COPY, "hide engine = copy by 1", 3, 5000, 1000), 0);
}

/* Collectives one after another, of which each takes so long, and perhaps a short one, and an
 * update of all parameters. */
static int64_t gain_of_merging(const char *edit, int64_t short_us, int64_t collective_us,
	int64_t update_us, bool has_range)
{
	struct fixture f;
	struct machine m;
	struct replayed r = {0};

	fixture_open(&f);
	make_machine(&m, &f);
	m.step = -1;
	launch(&m, 0, GEMM, 1000 * US);
	m.labels[COPY] = add_label(&f, "kernel", "reduce", TC_ROLE_NONE, TC_ENGINE_COMMUNICATION);
	if (short_us > 0)
		launch(&m, 0, COPY, short_us * US);
	for (int i = 0; i < 4; i++)
		launch(&m, 0, COPY, collective_us * US);
	m.labels[COPY] = add_label(&f, "kernel", "adam", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	f.timeline->labels[m.labels[COPY]].phase = TC_PHASE_OPTIMIZER;
	if (update_us > 0)
		launch(&m, 0, COPY, update_us * US);
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t merge = add_whatif(&r, f.ctx, edit);
	if (has_range) {
		r.clauses[0].merged_ns[TC_END_LOW] = 10 * US;
		r.clauses[0].merged_ns[TC_END_HIGH] = 150 * US;
	}
	replay(&r, &f);
	int64_t gain_ns = r.shifts.won[merge].end_ns;
	replay_clear(&r);
	fixture_close(&f);
	return gain_ns;
}

/* Each loses the time to start: no more than the shortest one takes, and half of its own. */
static void test_collectives_merge(void **state)
{
	(void)state;
	assert_int_equal(
		gain_of_merging("merge engine = communication by 0.02", 0, 200, 0, false), 80 * US);
	assert_int_equal(gain_of_merging("merge engine = communication by 0.15", 0, 200, 0, false),
		400 * US);
	assert_int_equal(gain_of_merging("merge engine = communication by 0.02", 10, 200, 0, false),
		45 * US);
}

/* Two products and a wait, then another product that starts late in a long call. Without the wait
 * it is queued, and starts as soon after the one before it as the second one did. */
static void test_work_that_starts_in_its_call_is_queued(void **state)
{
	struct fixture f;
	struct machine m;
	struct replayed r = {0};

	(void)state;
	fixture_open(&f);
	make_machine(&m, &f);
	m.step = -1;
	launch(&m, 0, GEMM, 1000 * US);
	launch(&m, 0, GEMM, 1000 * US);
	m.lane_ns[0] += US;
	launch(&m, 0, GEMM, 1000 * US);
	m.host_ns = 100 * US;
	spend(&m, SYNC, m.lane_ns[0] - m.host_ns);
	spend(&m, OP, 10 * US);
	struct tc_span call = add_span(&f, m.thread, m.labels[LAUNCH], m.host_ns, 90 * US);
	struct tc_span work =
		make_span(&f, m.lanes[0], m.labels[GEMM], m.host_ns + 60 * US, 1000 * US);
	add_launched(&f, &work, &call, -1);
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t fix = add_whatif(&r, f.ctx, "remove role = sync");
	replay(&r, &f);
	assert_in_range(r.shifts.won[fix].end_ns, 69 * US, 70 * US);
	replay_clear(&r);
	fixture_close(&f);
}

/* The update says how many parameters there are: the gradients of 40 us of it take likely seven
 * times as long, 70 us of each collective, and the rest is start-up, within the range that is
 * given. */
static void test_an_update_shows_what_starting_takes(void **state)
{
	(void)state;
	const struct tc_factor range = {.likely = 0.02, .least = 0.01, .most = 0.15};
	struct tc_edit edit = {.clauses = {{.action = TC_EDIT_MERGE}}, .clause_count = 1};

	tc_edit_set_factor(&edit, &range);
	assert_int_equal(edit.clause_count, 3);
	for (size_t i = 0; i < edit.clause_count; i++) {
		assert_int_equal(edit.clauses[i].merged_ns[TC_END_LOW], 10 * US);
		assert_int_equal(edit.clauses[i].merged_ns[TC_END_HIGH], 150 * US);
	}
	assert_int_equal(gain_of_merging("merge engine = communication by 0.02", 0, 200, 40, true),
		520 * US);
	assert_int_equal(gain_of_merging("merge engine = communication by 0.02", 0, 200, 100, true),
		100 * US);
	assert_int_equal(
		gain_of_merging("merge engine = communication by 0.02", 0, 200, 4, true), 600 * US);
	/* A number has no range: it counts, whatever the recording shows. */
	assert_int_equal(gain_of_merging("merge engine = communication by 0.02", 0, 200, 40, false),
		80 * US);
	assert_int_equal(gain_of_merging("merge engine = communication by 0.15", 0, 200, 40, false),
		600 * US);
}

/* Gradients are reduced on a lane of their own: each collective waits for the product that was
 * launched just before it, and for the collective before it. */
static int64_t reduce_gradients(struct machine *m, double gemm_factor, int64_t reduce_ns)
{
	for (int i = 0; i < 8; i++) {
		launch(m, 0, GEMM, (int64_t)((double)((2 + i % 3) * MS) * gemm_factor));
		if (m->lane_ns[1] < m->lane_ns[0])
			m->lane_ns[1] = m->lane_ns[0];
		launch(m, 1, COPY, reduce_ns);
	}
	return m->lane_ns[1];
}

/* What shorter products win, and what shorter collectives do, is what twins win. */
static void test_collectives_wait_for_compute(void **state)
{
	(void)state;
	static const int64_t reduces_ns[] = {100 * US, 1900 * US, 3100 * US, 6 * MS};
	struct fixture f;

	for (size_t i = 0; i < 4; i++) {
		struct machine m, twin, fast;
		struct replayed r = {0};
		fixture_open(&f);
		make_machine(&m, &f);
		m.labels[COPY] =
			add_label(&f, "kernel", "reduce", TC_ROLE_NONE, TC_ENGINE_COMMUNICATION);
		m.step = -1;
		int64_t end_ns = reduce_gradients(&m, 1, reduces_ns[i]);
		assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
		size_t scale = add_whatif(&r, f.ctx, "scale class = matrix by 0.5");
		size_t halve = add_whatif(&r, f.ctx, "scale engine = communication by 0.5");
		replay(&r, &f);
		make_machine(&twin, NULL);
		make_machine(&fast, NULL);
		assert_int_equal(r.shifts.won[scale].end_ns,
			end_ns - reduce_gradients(&twin, 0.5, reduces_ns[i]));
		assert_int_equal(r.shifts.won[halve].end_ns,
			end_ns - reduce_gradients(&fast, 1, reduces_ns[i] / 2));
		replay_clear(&r);
		fixture_close(&f);
	}
}

/* Two passes before an update, each with a collective that what follows waits for. The first of
 * them is one too many. */
static void test_collectives_are_of_the_pass_of_their_call(void **state)
{
	(void)state;
	static const enum tc_framework_kind kinds[] = {TC_FRAMEWORK_BATCH, TC_FRAMEWORK_BACKWARD,
		TC_FRAMEWORK_ALL_REDUCE, TC_FRAMEWORK_OPTIMIZER_STEP};
	struct fixture f;
	struct machine m;
	struct replayed r = {0};
	uint32_t calls[4];

	fixture_open(&f);
	make_machine(&m, &f);
	m.step = -1;
	uint32_t reduce = add_label(&f, "kernel", "reduce", TC_ROLE_NONE, TC_ENGINE_COMMUNICATION);
	for (size_t i = 0; i < 4; i++) {
		calls[i] = add_label(&f, "cpu_op", "call", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
		f.timeline->labels[calls[i]].framework = kinds[i];
	}
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < 2; i++) {
			m.labels[OP] = calls[i];
			spend(&m, OP, 10 * US);
		}
		launch(&m, 0, GEMM, MS);
		const struct tc_span call = add_span(&f, m.thread, calls[2], m.host_ns, 10 * US);
		const struct tc_span work =
			make_span(&f, m.lanes[1], reduce, m.lane_ns[0], (200 + pass) * US);
		m.host_ns += 10 * US;
		add_launched(&f, &work, &call, m.step);
		m.lane_ns[0] += (200 + pass) * US;
	}
	m.labels[OP] = calls[3];
	spend(&m, OP, 10 * US);
	assert_int_equal(tc_timeline_sort(f.timeline), TC_OK);
	size_t skip = add_whatif(&r, f.ctx, "remove engine = communication adding-pass");
	replay(&r, &f);
	assert_int_equal(r.shifts.won[skip].removed_ns, 200 * US);
	assert_int_equal(r.shifts.won[skip].end_ns, 200 * US);
	replay_clear(&r);
	fixture_close(&f);
}

static struct tc_won gain_of_loader(struct fixture *f)
{
	struct replayed r = {0};

	assert_int_equal(tc_timeline_sort(f->timeline), TC_OK);
	size_t loader = add_whatif(&r, f->ctx, "remove role = dataloader");
	replay(&r, f);
	const struct tc_won won = r.shifts.won[loader];
	replay_clear(&r);
	return won;
}

/* Before the first and after the last work the loader is no gain, nor what the device hides. */
static void test_start_up_is_no_gain(void **state)
{
	(void)state;
	struct fixture f;
	struct machine m;

	fixture_open(&f);
	make_machine(&m, &f);
	m.step = -1;
	spend(&m, LOADER, 5 * MS);
	launch(&m, 0, GEMM, MS);
	spend(&m, LOADER, 2 * MS);
	launch(&m, 0, GEMM, MS);
	spend(&m, LOADER, 3 * MS);
	const struct tc_won won = gain_of_loader(&f);
	assert_int_equal(won.removed_ns, 10 * MS);
	assert_int_equal(won.gain_ns, MS + 4 * US);
	fixture_close(&f);
}

/* The gain without a loader that prepares only the slow step, or all of them when that is -1. */
static struct tc_won won_of_steps(int64_t start_up_ns, int slow_step, int64_t loader_ns)
{
	struct fixture f;
	struct machine m;

	fixture_open(&f);
	make_machine(&m, &f);
	spend(&m, OP, start_up_ns);
	for (m.step = 0; m.step < 5; m.step++) {
		int64_t begin_ns = m.host_ns;
		if (slow_step < 0 || m.step == slow_step)
			spend(&m, LOADER, loader_ns);
		launch(&m, 0, GEMM, slow_step < 0 ? 10 * US : 5 * MS);
		const struct tc_span step =
			add_span(&f, m.thread, m.labels[STEP], begin_ns, m.host_ns - begin_ns);
		add_step(&f, &step, m.step);
	}
	struct tc_won won = gain_of_loader(&f);
	fixture_close(&f);
	return won;
}

/* A second before the steps does not hold hundreds of them. What only a later step has is gone from
 * the mean step, and from the recording once. */
static void test_the_recording_holds_few_steps(void **state)
{
	struct tc_won won = won_of_steps(1000 * MS, -1, MS);

	(void)state;
	assert_true(won.gain_ns > 4 * MS && won.gain_ns <= 7 * MS);
	won = won_of_steps(MS, 3, 100 * MS);
	assert_true(won.step_after_ns >= 5 * MS && won.step_after_ns < 5 * MS + 100 * US);
	assert_true(won.gain_ns > won.end_ns - MS && won.gain_ns <= won.end_ns + MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gains_are_those_of_twins),
		cmocka_unit_test(test_a_device_does_not_work_twice_as_fast),
		cmocka_unit_test(test_only_a_slow_loader_sets_the_pace),
		cmocka_unit_test(test_engines_that_work_on_slices),
		cmocka_unit_test(test_lost_hand_overs),
		cmocka_unit_test(test_tasks_are_of_what_gave_them),
		cmocka_unit_test(test_collectives_hide_beside_compute),
		cmocka_unit_test(test_divided_collectives_hide_beside_compute),
		cmocka_unit_test(test_graphs_fill_whole_buckets),
		cmocka_unit_test(test_collectives_merge),
		cmocka_unit_test(test_an_update_shows_what_starting_takes),
		cmocka_unit_test(test_work_that_starts_in_its_call_is_queued),
		cmocka_unit_test(test_collectives_wait_for_compute),
		cmocka_unit_test(test_collectives_are_of_the_pass_of_their_call),
		cmocka_unit_test(test_start_up_is_no_gain),
		cmocka_unit_test(test_the_recording_holds_few_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

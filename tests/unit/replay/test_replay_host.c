/*
 * A host that feeds the device too slowly. Every operation dispatches for a while and launches one
 * short kernel, so the device waits for the host all the time: what dispatch saves, the recording
 * saves.
 */
#include "replay/replay_fixture.h"

enum { OPERATIONS = 40, LAUNCH_US = 4, KERNEL_US = 10 };

struct host {
	struct fixture f;
	uint32_t thread, lane, op, launch, kernel;
	int64_t now_ns;
	int32_t step; /* of which the work is, or -1 */
};

static void open_host(struct host *h)
{
	struct fixture *f = &h->f;

	fixture_open(f);
	h->now_ns = MS;
	h->step = -1;
	h->op = add_label(f, "cpu_op", "op", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	h->launch = add_label(f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	h->kernel = add_label(f, "kernel", "gelu", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	f->timeline->labels[h->op].is_op = true;
	h->thread = add_thread(f, "main", 0);
	add_device(f, "0");
	h->lane = add_lane(f, 0, TC_ENGINE_COMPUTE);
}

/* Dispatches for own_us, launches, and returns; the kernel starts so long after that. */
static void run_late_operation(struct host *h, int64_t own_us, int64_t late_us)
{
	int64_t dur_ns = (own_us + LAUNCH_US) * US;

	add_span(&h->f, h->thread, h->op, h->now_ns, dur_ns);
	struct tc_span launch =
		add_span(&h->f, h->thread, h->launch, h->now_ns + own_us * US, LAUNCH_US * US);
	struct tc_span kernel = make_span(
		&h->f, h->lane, h->kernel, h->now_ns + dur_ns + late_us * US, KERNEL_US * US);
	add_launched(&h->f, &kernel, &launch, h->step);
	h->now_ns += dur_ns;
}

static void run_operation(struct host *h, int64_t own_us)
{
	run_late_operation(h, own_us, 0);
}

/* The dispatch of all operations shrinks to a fifth, the launches stay. */
static void test_dispatch_shrinks(void **state)
{
	static const int64_t own_us[] = {100, 400, 1500, 5000};

	(void)state;
	for (size_t i = 0; i < sizeof(own_us) / sizeof(own_us[0]); i++) {
		struct host h;

		open_host(&h);
		for (int k = 0; k < OPERATIONS; k++)
			run_operation(&h, own_us[i]);
		assert_int_equal(won_by(&h.f, "scale own role = dispatch usual by 0.2"),
			OPERATIONS * own_us[i] * US / 5 * 4);
		fixture_close(&h.f);
	}
}

/* The code between operations takes a while to call each of them, and goes with it; what takes
 * longer is its own. */
static void test_calls_go_with_operations(void **state)
{
	(void)state;
	for (int64_t pause_us = 49; pause_us <= 51; pause_us++) {
		struct host h;

		open_host(&h);
		for (int k = 0; k < OPERATIONS; k++) {
			run_operation(&h, 100);
			add_span(&h.f, h.thread, h.op, h.now_ns + pause_us * US, 30 * US);
			h.now_ns += (pause_us + 30) * US;
		}
		run_operation(&h, 100);
		assert_int_equal(won_by(&h.f, "remove role = dispatch shorter = 50000"),
			OPERATIONS * (30 + (pause_us <= 50 ? pause_us : 0)) * US);
		fixture_close(&h.f);
	}
}

/* What stands before a wait is there without it, but for the shortest time to call it. */
static void test_code_before_waits_stays(void **state)
{
	(void)state;
	for (int64_t pause_us = 19; pause_us <= 21; pause_us++) {
		struct host h;

		open_host(&h);
		uint32_t copy =
			add_label(&h.f, "runtime", "copy", TC_ROLE_INPUT_COPY, TC_ENGINE_NONE);
		for (int k = 0; k < OPERATIONS; k++) {
			run_operation(&h, 100);
			add_span(&h.f, h.thread, copy, h.now_ns + pause_us * US, 5 * US);
			h.now_ns += (pause_us + 5) * US;
		}
		run_operation(&h, 100);
		assert_int_equal(won_by(&h.f, "remove role = input_copy"),
			OPERATIONS * (5 + (pause_us <= 20 ? pause_us : 0)) * US);
		fixture_close(&h.f);
	}
}

/* Where operations are called sooner because a part of their own time goes, so does that part of
 * the time to call them, as much as in frames that record the code around them. */
static void test_calls_shrink_with_operations(void **state)
{
	struct host h;

	(void)state;
	open_host(&h);
	for (int k = 0; k < OPERATIONS; k++, h.now_ns += 40 * US)
		run_operation(&h, 100);
	assert_int_equal(won_by(&h.f, "scale own role = dispatch usual by 0.2"),
		(OPERATIONS * 100 + (OPERATIONS - 1) * 40) * US / 5 * 4);
	fixture_close(&h.f);
}

/* Every launch returns only after its kernel, so no kernel was ever queued, and what lies between
 * two of them says nothing of how soon a queued one follows. What recordings of the vendor show
 * does: 1 us, and 7 on AMD. */
static void test_launches_block(void **state)
{
	static const struct {
		enum tc_vendor vendor;
		int64_t follows_us;
	} calls[] = {{TC_VENDOR_CUDA, 1}, {TC_VENDOR_ROCM, 7}};

	(void)state;
	for (size_t i = 0; i < TC_COUNT_OF(calls); i++) {
		struct host h;

		open_host(&h);
		h.f.timeline->labels[h.launch].mark = TC_MARK_KERNEL_LAUNCH;
		h.f.timeline->labels[h.launch].is_launch = true;
		h.f.timeline->labels[h.launch].call_vendor = calls[i].vendor;
		h.f.timeline->labels[h.kernel].kind = TC_OP_KERNEL;
		for (int k = 0; k < OPERATIONS; k++) {
			int64_t call_us = 9 + 100 + 3;
			struct tc_span launch =
				add_span(&h.f, h.thread, h.launch, h.now_ns, call_us * US);
			struct tc_span kernel =
				make_span(&h.f, h.lane, h.kernel, h.now_ns + 9 * US, 100 * US);
			add_launched(&h.f, &kernel, &launch, -1);
			h.now_ns += call_us * US;
		}
		int64_t won_us = (OPERATIONS - 1) * (12 - calls[i].follows_us);
		assert_in_range(won_by(&h.f, "nowait host name = launch"), won_us * US,
			(won_us + OPERATIONS) * US);
		fixture_close(&h.f);
	}
}

static uint32_t add_class(struct host *h, enum tc_name_class name_class, enum tc_phase phase)
{
	uint32_t id = add_label(&h->f, "kernel", "work", TC_ROLE_NONE, TC_ENGINE_COMPUTE);

	h->f.timeline->labels[id].name_class = name_class;
	h->f.timeline->labels[id].phase = phase;
	return id;
}

/* Where the host is the limit, attention that is fused wins the calls of the operations that go,
 * which only the product behind them shows. A softmax by which something is chosen is none. */
static void test_attention_goes_with_its_calls(void **state)
{
	enum { OTHER, INDEX, SOFTMAX, GRADIENT };
	static const struct {
		int between[2], gone;
	} cases[] = {{{OTHER, SOFTMAX}, 2}, {{INDEX, SOFTMAX}, 2}, {{SOFTMAX, INDEX}, 0},
		{{OTHER, GRADIENT}, 2}, {{GRADIENT, INDEX}, 2}, {{INDEX, GRADIENT}, 0}};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct host h;

		open_host(&h);
		uint32_t product = add_class(&h, TC_CLASS_MATRIX, TC_PHASE_NONE);
		const uint32_t kernels[] = {h.kernel, add_class(&h, TC_CLASS_INDEX, TC_PHASE_NONE),
			add_class(&h, TC_CLASS_SOFTMAX, TC_PHASE_NONE),
			add_class(&h, TC_CLASS_SOFTMAX, TC_PHASE_BACKWARD)};
		for (int k = 0; k < OPERATIONS; k++) {
			const uint32_t all[] = {product, kernels[cases[c].between[0]],
				kernels[cases[c].between[1]], product};
			for (size_t i = 0; i < 4; i++) {
				h.kernel = all[i];
				run_operation(&h, 100);
			}
		}
		assert_int_equal(won_by(&h.f, "remove device around-softmax with-launches"),
			OPERATIONS * cases[c].gone * (100 + LAUNCH_US) * US);
		fixture_close(&h.f);
	}
}

/* A launch that waits for a place in its queue does what every launch does after that, and that
 * takes longer than calls need to return. */
static void test_slow_launches_wait_for_places(void **state)
{
	enum { PLACES = 6, CALL_US = 90, LONG_US = 500 };
	int64_t ends_ns[OPERATIONS];
	struct host h;

	(void)state;
	open_host(&h);
	for (int k = 0; k < OPERATIONS; k++) {
		int64_t free_ns = k >= PLACES ? ends_ns[k - PLACES] : 0, begin_ns = h.now_ns;
		int64_t from_ns = free_ns > begin_ns ? free_ns : begin_ns;
		int64_t end_ns = from_ns + CALL_US * US, before_ns = k > 0 ? ends_ns[k - 1] : 0;
		int64_t start_ns = (end_ns > before_ns ? end_ns : before_ns) + US;
		struct tc_span launch =
			add_span(&h.f, h.thread, h.launch, begin_ns, end_ns - begin_ns);
		struct tc_span kernel = make_span(&h.f, h.lane, h.kernel, start_ns, LONG_US * US);
		add_launched(&h.f, &kernel, &launch, -1);
		ends_ns[k] = start_ns + LONG_US * US;
		h.now_ns = end_ns + US;
	}
	assert_in_range(won_by(&h.f, "scale device name = gelu by 0.5"),
		(OPERATIONS - 2) * LONG_US * US / 2, OPERATIONS * LONG_US * US / 2);
	fixture_close(&h.f);
}

/* An operation that takes much longer than the others computes: it stays as long as it is. */
static void test_computing_stays(void **state)
{
	struct host h;

	(void)state;
	open_host(&h);
	for (int k = 0; k < OPERATIONS; k++)
		run_operation(&h, k == OPERATIONS / 2 ? 3000 : 100);
	assert_int_equal(won_by(&h.f, "scale own role = dispatch usual by 0.2"),
		(OPERATIONS - 1) * 100 * US / 5 * 4);
	fixture_close(&h.f);
}

/* The host is silent for long after the third operation, in a frame without a role: the pause goes,
 * but for what is usual. */
static void test_pauses_go(void **state)
{
	enum { SILENT_US = 5000, USUAL_US = 32, USUAL_NS = 30720 };
	struct host h;

	(void)state;
	for (int fix = 0; fix < 4; fix++) {
		static const struct {
			const char *edit;
			int64_t share;
		} edits[] = {{"remove silence = pause", 10}, {"scale silence = pause by 0.5", 5},
			{"scale own host name = frame not silence = pause by 0", 0},
			{"remove silence = compile", 0}};
		open_host(&h);
		uint32_t frame = add_label(&h.f, "user", "frame", TC_ROLE_NONE, TC_ENGINE_NONE);
		int64_t begin_ns = h.now_ns;
		for (int k = 0; k < OPERATIONS; k++) {
			run_operation(&h, 100);
			h.now_ns += k == 2 ? SILENT_US * US : USUAL_US * US;
		}
		add_span(&h.f, h.thread, frame, begin_ns, h.now_ns - begin_ns);
		int64_t own_ns = fix == 2 ? (OPERATIONS - 2) * USUAL_US * US + USUAL_NS +
						    (USUAL_US - KERNEL_US) * US
					  : 0;
		assert_int_equal(won_by(&h.f, edits[fix].edit),
			(SILENT_US * US - USUAL_NS) * edits[fix].share / 10 + own_ns);
		fixture_close(&h.f);
	}
}

/* A silence that ends with the work of the device may be a wait for it. */
static void test_waits_are_no_pauses(void **state)
{
	enum { SILENT_US = 5000, USUAL_US = 32, USUAL_NS = 30720 };

	(void)state;
	for (int64_t late_us = 40; late_us <= 400; late_us *= 10) {
		struct host h;
		open_host(&h);
		for (int k = 0; k < OPERATIONS; k++) {
			run_operation(&h, 100);
			if (k == 2) {
				struct tc_span work =
					make_span(&h.f, h.lane, h.kernel, h.now_ns + KERNEL_US * US,
						(SILENT_US - KERNEL_US - late_us) * US);
				add_made(&h.f, &work);
			}
			h.now_ns += k == 2 ? SILENT_US * US : USUAL_US * US;
		}
		int64_t won_ns = won_by(&h.f, "remove silence = pause");
		assert_int_equal(won_ns > 0, late_us > 50);
		fixture_close(&h.f);
	}
}

/* A compiler works in an operation until its code is loaded. */
static void test_compilations_without_slices_go(void **state)
{
	struct host h;

	(void)state;
	open_host(&h);
	uint32_t load = add_label(&h.f, "user", "load", TC_ROLE_SETUP, TC_ENGINE_NONE);
	h.f.timeline->labels[load].mark = TC_MARK_CODE_LOAD;
	for (int k = 0; k < OPERATIONS; k++) {
		if (k == 4)
			add_span(&h.f, h.thread, load, h.now_ns + 3000 * US, 50 * US);
		run_operation(&h, k == 4 ? 3100 : 100);
	}
	assert_int_equal(won_by(&h.f, "remove silence = compile"), 3000 * US);
	fixture_close(&h.f);
}

/* The device does not get faster: with kernels as long as an operation takes, it is the limit. */
static void test_the_device_is_the_limit(void **state)
{
	struct host h;

	(void)state;
	open_host(&h);
	for (int k = 0; k < OPERATIONS; k++)
		run_operation(&h, KERNEL_US);
	assert_int_equal(won_by(&h.f, "scale own role = dispatch usual by 0"),
		KERNEL_US * US + (OPERATIONS - 1) * LAUNCH_US * US);
	fixture_close(&h.f);
}

/* What a fix wins in five steps, in a recording with so much host work before and after them. */
static int64_t won_in_steps(int64_t around_ns)
{
	struct host h;
	struct fixture *f = &h.f;
	struct replayed r = {0};

	open_host(&h);
	uint32_t other = add_label(f, "user", "load or save", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t name = add_label(f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE);
	if (around_ns > 0)
		add_span(f, h.thread, other, h.now_ns, around_ns);
	h.now_ns += around_ns;
	for (h.step = 0; h.step < 5; h.step++) {
		int64_t begin_ns = h.now_ns;
		for (int i = 0; i < OPERATIONS; i++)
			run_operation(&h, 100);
		const struct tc_span step =
			add_span(f, h.thread, name, begin_ns, h.now_ns - begin_ns);
		add_step(f, &step, h.step);
	}
	if (around_ns > 0)
		add_span(f, h.thread, other, h.now_ns + KERNEL_US * US, around_ns);
	assert_int_equal(tc_timeline_sort(f->timeline), TC_OK);
	size_t fix = add_whatif(&r, f->ctx, "scale own role = dispatch usual by 0.2");
	replay(&r, f);
	int64_t won_ns = r.shifts.won[fix].gain_ns;
	replay_clear(&r);
	fixture_close(f);
	return won_ns;
}

/* What lies before the first and after the last step is no time in which a step wins anything. */
static void test_edges_win_nothing(void **state)
{
	int64_t won_ns = won_in_steps(0);

	(void)state;
	assert_in_range(
		won_ns, 5 * OPERATIONS * 80 * US * 99 / 100, 5 * OPERATIONS * 80 * US * 101 / 100);
	assert_int_equal(won_in_steps(MS), won_ns);
	assert_int_equal(won_in_steps(1000 * MS), won_ns);
}

/* What reads from the device and writes back to it computes on the host, unless it launches
 * kernels: indexing with a mask reads how many elements there are and sends their indices. */
static void test_fallbacks_launch_no_kernels(void **state)
{
	(void)state;
	for (int kernels = 0; kernels <= 1; kernels++) {
		struct host h;
		struct fixture *f = &h.f;

		open_host(&h);
		uint32_t read =
			add_label(f, "runtime", "read", TC_ROLE_OUTPUT_COPY, TC_ENGINE_NONE);
		uint32_t write =
			add_label(f, "runtime", "write", TC_ROLE_INPUT_COPY, TC_ENGINE_NONE);
		f->timeline->labels[h.launch].mark = TC_MARK_KERNEL_LAUNCH;
		run_operation(&h, 100);
		add_span(f, h.thread, h.op, h.now_ns, MS);
		add_span(f, h.thread, read, h.now_ns + 10 * US, 10 * US);
		add_span(f, h.thread, write, h.now_ns + 500 * US, 10 * US);
		if (kernels)
			add_span(f, h.thread, h.launch, h.now_ns + 600 * US, 10 * US);
		h.now_ns += MS;
		run_operation(&h, 100);
		assert_int_equal(won_by(f, "remove role = cpu_fallback"), kernels ? 0 : MS);
		fixture_close(f);
	}
}

/* The launching thread falls behind: it needs two steps of the main thread for each task. Its work
 * is of the steps that gave it, whenever it launches. */
static void test_a_launcher_behind(void **state)
{
	enum { STEPS = 20 };
	struct host h;
	struct fixture *f = &h.f;
	struct replayed r = {0};

	(void)state;
	open_host(&h);
	uint32_t launcher = add_thread(f, "launcher", 1);
	uint32_t give = add_label(f, "bridge", "give", TC_ROLE_NONE, TC_ENGINE_NONE);
	uint32_t task = add_label(f, "bridge", "task", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	uint32_t name = add_label(f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE);
	f->timeline->labels[give].mark = TC_MARK_BRIDGE_HANDOVER;
	f->timeline->labels[task].call_class = TC_CALL_LAUNCH_TASK;
	for (int i = 0; i < STEPS; i++) {
		int64_t begin_ns = (1 + i) * MS, start_ns = (2 + 2 * i) * MS;
		add_span(f, h.thread, h.op, begin_ns, MS - 10 * US);
		add_span(f, h.thread, give, begin_ns + MS - 10 * US, 10 * US);
		add_span(f, launcher, task, start_ns, 2 * MS);
		struct tc_span launch = add_span(f, launcher, h.launch, start_ns + 5 * US, 20 * US);
		struct tc_span kernel = make_span(f, h.lane, h.kernel, start_ns + 30 * US, MS);
		add_launched(f, &kernel, &launch, i * 2 < STEPS ? i * 2 : STEPS - 1);
		const struct tc_span step = add_span(f, h.thread, name, begin_ns, MS);
		add_step(f, &step, i);
	}
	assert_int_equal(tc_timeline_sort(f->timeline), TC_OK);
	size_t none = add_whatif(&r, f->ctx, "scale role = dispatch by 1");
	replay(&r, f);
	assert_int_equal(r.shifts.won[none].step_before_ns, 2 * MS);
	replay_clear(&r);
	fixture_close(f);
}

/* Workers load batches at their own pace, one for every tenth operation. The one call that waited
 * for a batch returns no sooner, whatever was saved before it. Calls that found a batch cost the
 * same, and large batches cost more: then a call of 1 ms is no wait. */
static void test_batches_come_when_workers_have_them(void **state)
{
	static const struct {
		int longest_us, others_us;
		bool waits;
	} rows[] = {{100, 100, false}, {1000, 100, true}, {1000, 400, false}, {1300, 400, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct host h;

		open_host(&h);
		uint32_t next = add_label(&h.f, "user", "next", TC_ROLE_DATALOADER, TC_ENGINE_NONE);
		h.f.timeline->labels[next].mark = TC_MARK_LOADER_WORKERS;
		for (int k = 0; k < OPERATIONS; k++) {
			int64_t load_ns =
				(k == OPERATIONS / 2 ? rows[i].longest_us : rows[i].others_us) * US;
			run_operation(&h, 200);
			if (k % 10 == 0)
				add_span(&h.f, h.thread, next, h.now_ns, load_ns);
			h.now_ns += k % 10 == 0 ? load_ns : 0;
		}
		int counted = rows[i].waits ? OPERATIONS / 2 - 1 : OPERATIONS;
		assert_int_equal(
			won_by(&h.f, "scale own role = dispatch usual by 0.2"), counted * 160 * US);
		fixture_close(&h.f);
	}
}

/* The host launches many kernels at once. One kernel is lost, and the launch of the next: it was
 * queued as the others are, and the host is long done when it starts. */
static void test_work_behind_a_lost_kernel_was_queued(void **state)
{
	enum { KERNELS = 30, LOST = 15, LONG_US = 100 };
	struct host h;
	struct fixture *f = &h.f;
	struct replayed r = {0};

	(void)state;
	open_host(&h);
	uint32_t name = add_label(f, "user", "step", TC_ROLE_NONE, TC_ENGINE_NONE);
	for (int k = 0; k < KERNELS; k++) {
		int64_t call_ns = MS + k * (LAUNCH_US + 1) * US;
		int64_t start_ns = MS + 10 * US + k * (LONG_US + 1) * US;
		struct tc_span call = {0};
		if (k != LOST + 1)
			call = add_span(f, h.thread, h.launch, call_ns, LAUNCH_US * US);
		if (k == LOST)
			continue;
		struct tc_span kernel = make_span(f, h.lane, h.kernel, start_ns, LONG_US * US);
		if (k == LOST + 1)
			add_made(f, &kernel);
		else
			add_launched(f, &kernel, &call, 0);
	}
	const struct tc_span step = add_span(f, h.thread, name, MS, KERNELS * (LAUNCH_US + 1) * US);
	add_step(f, &step, 0);
	assert_int_equal(tc_timeline_sort(f->timeline), TC_OK);
	size_t fix = add_whatif(&r, f->ctx, "scale device engine = compute by 0.5");
	replay(&r, f);
	assert_int_equal(r.shifts.won[fix].end_ns, (KERNELS - 1) * LONG_US * US / 2);
	replay_clear(&r);
	fixture_close(f);
}

/* Work that waited for its launch is queued when the host no longer holds it up, and follows as
 * soon as queued work does, however long a launch usually takes. */
static void test_usual_launches_do_not_count(void **state)
{
	static const int64_t late_us[] = {6, 9, 14, 30, 49};
	int64_t won_ns[sizeof(late_us) / sizeof(late_us[0])];

	(void)state;
	for (size_t i = 0; i < sizeof(late_us) / sizeof(late_us[0]); i++) {
		struct host h;

		open_host(&h);
		for (int k = 0; k < OPERATIONS; k++) {
			run_late_operation(&h, 100, late_us[i]);
			if (k > 0)
				continue;
			/* the only work of the recording that is queued, 5 us behind other work */
			struct tc_span queued = make_span(&h.f, h.lane, h.kernel,
				h.now_ns + (late_us[i] + KERNEL_US + 5) * US, KERNEL_US * US);
			add_made(&h.f, &queued);
		}
		won_ns[i] = won_by(&h.f, "scale own role = dispatch by 0.01");
		assert_int_equal(won_ns[i], won_ns[0]);
		fixture_close(&h.f);
	}
}

enum { WORK_US = 1000, FREE_US = 200, COST_US = 5 };

/* A kernel, a wait for it that ends on time, a call that frees memory, and another kernel. */
static int64_t won_beside_a_free(const char *edit, bool has_wait, bool is_drain)
{
	struct host h;
	struct fixture *f = &h.f;

	open_host(&h);
	uint32_t wait = add_label(f, "runtime", "wait", TC_ROLE_SYNC, TC_ENGINE_NONE);
	uint32_t release = add_label(f, "runtime", "free", TC_ROLE_SETUP, TC_ENGINE_NONE);
	f->timeline->labels[release].is_drain = is_drain;
	struct tc_span launch = add_span(f, h.thread, h.launch, h.now_ns, LAUNCH_US * US);
	h.now_ns += LAUNCH_US * US;
	struct tc_span kernel = make_span(f, h.lane, h.kernel, h.now_ns, WORK_US * US);
	add_launched(f, &kernel, &launch, -1);
	int64_t idle_ns = h.now_ns + WORK_US * US;
	if (has_wait) {
		add_span(f, h.thread, wait, h.now_ns, WORK_US * US);
		h.now_ns = idle_ns;
	}
	add_span(f, h.thread, release, h.now_ns, idle_ns + FREE_US * US - h.now_ns);
	h.now_ns = idle_ns + FREE_US * US;
	run_operation(&h, COST_US);
	int64_t won_ns = won_by(f, edit);
	fixture_close(f);
	return won_ns;
}

/* A call that waits for an idle device waits also when nothing else did before it. */
static void test_a_free_waits_for_the_device(void **state)
{
	int64_t after_us = FREE_US + COST_US + LAUNCH_US;

	(void)state;
	assert_int_equal(won_beside_a_free("remove role = sync", true, true), 0);
	assert_int_equal(won_beside_a_free("remove role = sync", true, false), after_us * US);
	assert_int_equal(won_beside_a_free("remove role = setup", true, true), FREE_US * US);
	assert_int_equal(won_beside_a_free("remove role = setup", false, true), after_us * US);
}

enum { BUSY_US = 2000, COPIED_US = 500 };

/* A long kernel, an operation, and a copy on a lane of its own that starts so long after its call,
 * or where the file has no such call its operation began, and ends about when the kernel does. Its
 * thread waits for it, and then works. */
static int64_t won_beside_a_copy(bool has_call, int64_t late_us, int64_t kernel_ends_us)
{
	struct host h;
	struct fixture *f = &h.f;

	open_host(&h);
	uint32_t copy_op = add_label(f, "cpu_op", "copy_", TC_ROLE_INPUT_COPY, TC_ENGINE_NONE);
	uint32_t sync = add_label(f, "runtime", "sync", TC_ROLE_SYNC, TC_ENGINE_NONE);
	uint32_t copy = add_label(f, "memcpy", "copy", TC_ROLE_NONE, TC_ENGINE_COPY);
	uint32_t own = add_label(f, "user", "own", TC_ROLE_OTHER, TC_ENGINE_NONE);
	uint32_t prepare = add_label(f, "user", "prepare", TC_ROLE_OTHER, TC_ENGINE_NONE);
	uint32_t copies = add_lane(f, 0, TC_ENGINE_COPY);
	for (int i = 0; i < OPERATIONS; i++)
		run_operation(&h, 1);
	int64_t begin_ns = h.now_ns + MS, call_ns = begin_ns + (BUSY_US - COPIED_US) * US;
	int64_t start_ns = call_ns + (LAUNCH_US + late_us) * US, end_ns = start_ns + COPIED_US * US;
	struct tc_span launch = add_span(f, h.thread, h.launch, begin_ns, LAUNCH_US * US);
	struct tc_span kernel = make_span(f, h.lane, h.kernel, begin_ns + LAUNCH_US * US,
		end_ns + kernel_ends_us * US - begin_ns - LAUNCH_US * US);
	add_launched(f, &kernel, &launch, -1);
	add_span(f, h.thread, prepare, begin_ns + 100 * US, 1000 * US);
	launch = add_span(f, h.thread, copy_op, call_ns, end_ns + 3 * US - call_ns);
	if (has_call)
		launch = add_span(f, h.thread, h.launch, call_ns, LAUNCH_US * US);
	struct tc_span work = make_span(f, copies, copy, start_ns, COPIED_US * US);
	add_launched(f, &work, &launch, -1);
	add_span(f, h.thread, sync, call_ns + LAUNCH_US * US,
		end_ns + 2 * US - call_ns - LAUNCH_US * US);
	add_span(f, h.thread, own, end_ns + 10 * US, 5000 * US);
	int64_t won_ns = won_by(f, "remove host name = prepare");
	fixture_close(f);
	return won_ns;
}

/* The wait of a copy is over when the copy is, whatever else the device does. A copy takes its own
 * time from the call to the start: it waits for no work that ends meanwhile on another lane. */
static void test_a_copy_is_waited_for_alone(void **state)
{
	(void)state;
	assert_int_equal(won_beside_a_copy(true, 0, 1), 1000 * US);
	assert_int_equal(won_beside_a_copy(true, 15, -COPIED_US - 5), 1000 * US);
	assert_int_equal(won_beside_a_copy(false, 15, -COPIED_US - 5), 1000 * US);
}

/* Two requests: each launches a kernel of 500 us and waits for its result. */
static int64_t won_without_reads(bool is_inference, int64_t pause_us)
{
	struct host h;

	open_host(&h);
	uint32_t sync = add_label(&h.f, "runtime", "sync", TC_ROLE_SYNC, TC_ENGINE_NONE);
	h.f.timeline->labels[h.op].name_class = TC_CLASS_MATRIX;
	if (!is_inference)
		h.f.timeline->labels[h.op].phase = TC_PHASE_BACKWARD;
	for (int k = 0; k < 2; k++, h.now_ns += pause_us * US) {
		add_span(&h.f, h.thread, h.op, h.now_ns, 100 * US);
		struct tc_span launch =
			add_span(&h.f, h.thread, h.launch, h.now_ns + 90 * US, 10 * US);
		struct tc_span kernel =
			make_span(&h.f, h.lane, h.kernel, h.now_ns + 100 * US, 500 * US);
		add_launched(&h.f, &kernel, &launch, -1);
		add_span(&h.f, h.thread, sync, h.now_ns + 100 * US, 500 * US);
		h.now_ns += 600 * US;
	}
	int64_t won_ns = won_by(&h.f, "remove role = sync");
	fixture_close(&h.f);
	return won_ns;
}

/* A server that had no request gets the next one after the answer, whoever reads it. A shorter
 * pause is the host's own, and so is any in training. */
static void test_a_request_waits_for_the_answer(void **state)
{
	(void)state;
	assert_int_equal(won_without_reads(true, 2000), 0);
	assert_int_equal(won_without_reads(true, 700), 500 * US);
	assert_int_equal(won_without_reads(false, 2000), 500 * US);
}

/* A kernel of until_us, and beside its last part a collective that waits 400 us for another rank;
 * then the last one. */
static int64_t won_beside_a_kernel(int64_t until_us)
{
	struct host h;

	open_host(&h);
	uint32_t late = add_label(&h.f, "kernel", "late", TC_ROLE_NONE, TC_ENGINE_COMMUNICATION);
	uint32_t last = add_label(&h.f, "kernel", "last", TC_ROLE_NONE, TC_ENGINE_COMMUNICATION);
	uint32_t lane = add_lane(&h.f, 0, TC_ENGINE_COMMUNICATION);
	const int64_t ts_us[] = {0, 100}, until[] = {100, until_us};
	add_span(&h.f, h.thread, h.op, h.now_ns, 10 * US);
	struct tc_span launch = add_span(&h.f, h.thread, h.launch, h.now_ns, 5 * US);
	h.now_ns += 10 * US;
	const struct tc_span call = add_span(&h.f, h.thread, h.launch, h.now_ns, 5 * US);
	h.now_ns += 10 * US;
	for (int k = 0; k < 2; k++) {
		struct tc_span kernel = make_span(&h.f, h.lane, h.kernel, h.now_ns + ts_us[k] * US,
			(until[k] - ts_us[k]) * US);
		add_launched(&h.f, &kernel, &launch, -1);
	}
	const struct tc_span reduces[] = {
		make_span(&h.f, lane, late, h.now_ns + 100 * US, 400 * US),
		make_span(&h.f, lane, last, h.now_ns + 500 * US, 20 * US)};
	for (int k = 0; k < 2; k++)
		add_launched(&h.f, &reduces[k], &call, -1);
	int64_t won_ns = won_by(&h.f, "scale name = late by 0.1");
	fixture_close(&h.f);
	return won_ns;
}

/* The last collective reduces the results of all kernels before, so it starts after them. */
static void test_the_last_collective_waits_for_results(void **state)
{
	(void)state;
	assert_int_equal(won_beside_a_kernel(120), 360 * US);
	assert_int_equal(won_beside_a_kernel(300), 200 * US);
}

/* A call of 20 us of its own that runs two operations of the forward pass again, and then the
 * backward pass: one operation in a call of 8 us of its own. */
static int64_t won_by_keeping_activations(const char *edit)
{
	enum { OPERATION_US = 100 + LAUNCH_US };
	struct host h;

	open_host(&h);
	uint32_t again = add_label(&h.f, "cpu_op", "again", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	uint32_t backward = add_label(&h.f, "cpu_op", "backward", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	h.f.timeline->labels[again].mark = TC_MARK_RECOMPUTE;
	h.f.timeline->labels[again].phase = TC_PHASE_BACKWARD;
	h.f.timeline->labels[backward].phase = TC_PHASE_BACKWARD;
	run_operation(&h, 100);
	add_span(&h.f, h.thread, again, h.now_ns, (20 + 3 * OPERATION_US + 8) * US);
	h.now_ns += 20 * US;
	run_operation(&h, 100);
	run_operation(&h, 100);
	add_span(&h.f, h.thread, backward, h.now_ns, (OPERATION_US + 8) * US);
	h.now_ns += 8 * US;
	run_operation(&h, 100);
	int64_t won_ns = won_by(&h.f, edit);
	fixture_close(&h.f);
	return won_ns;
}

/* Without checkpointing the forward pass runs once, and the backward pass stays. With the whole
 * call the host has nothing left to do, and the last three kernels run one behind the other. */
static void test_recomputed_is_without_the_backward_pass(void **state)
{
	(void)state;
	assert_int_equal(won_by_keeping_activations("remove own recomputed"),
		(20 + 2 * (100 + LAUNCH_US)) * US);
	assert_int_equal(won_by_keeping_activations("remove own in mark = recompute"),
		(20 + 8 + 3 * (100 + LAUNCH_US) - 3 * KERNEL_US) * US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dispatch_shrinks),
		cmocka_unit_test(test_calls_go_with_operations),
		cmocka_unit_test(test_code_before_waits_stays),
		cmocka_unit_test(test_calls_shrink_with_operations),
		cmocka_unit_test(test_launches_block),
		cmocka_unit_test(test_attention_goes_with_its_calls),
		cmocka_unit_test(test_slow_launches_wait_for_places),
		cmocka_unit_test(test_computing_stays),
		cmocka_unit_test(test_pauses_go),
		cmocka_unit_test(test_waits_are_no_pauses),
		cmocka_unit_test(test_compilations_without_slices_go),
		cmocka_unit_test(test_the_device_is_the_limit),
		cmocka_unit_test(test_edges_win_nothing),
		cmocka_unit_test(test_fallbacks_launch_no_kernels),
		cmocka_unit_test(test_a_launcher_behind),
		cmocka_unit_test(test_batches_come_when_workers_have_them),
		cmocka_unit_test(test_usual_launches_do_not_count),
		cmocka_unit_test(test_work_behind_a_lost_kernel_was_queued),
		cmocka_unit_test(test_a_free_waits_for_the_device),
		cmocka_unit_test(test_a_copy_is_waited_for_alone),
		cmocka_unit_test(test_a_request_waits_for_the_answer),
		cmocka_unit_test(test_the_last_collective_waits_for_results),
		cmocka_unit_test(test_recomputed_is_without_the_backward_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * What waits for work that a fix removes: it then waits for what that work waited for. Each graph
 * is simulated twice, with the nodes and without them, so what the fix wins is known.
 */
#include "replay/replay_fixture.h"

enum { NODES = 60 };

struct machine {
	struct fixture f;
	uint32_t thread, op, launch, build, update, reduce, gemm, gelu, transpose;
	uint32_t mme, tpc, dma, nic;
	int64_t now_ns; /* of the host */
};

static void make_machine(struct machine *m)
{
	struct fixture *f = &m->f;

	fixture_open(f);
	m->now_ns = 1000 * US;
	m->op = add_label(f, "cpu_op", "op", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	m->launch = add_label(f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	m->build = add_label(f, "bridge", "build", TC_ROLE_GRAPH_BUILD, TC_ENGINE_NONE);
	m->update = add_label(f, "user", "update", TC_ROLE_NONE, TC_ENGINE_NONE);
	m->reduce = add_label(f, "kernel", "reduce", TC_ROLE_NONE, TC_ENGINE_COMMUNICATION);
	m->gemm = add_label(f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	m->gelu = add_label(f, "kernel", "gelu", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	m->transpose = add_label(f, "kernel", "transpose", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	f->timeline->labels[m->op].is_op = true;
	f->timeline->labels[m->update].mark = TC_MARK_OPTIMIZER_STEP;
	f->timeline->labels[m->gemm].name_class = TC_CLASS_MATRIX;
	f->timeline->labels[m->transpose].name_class = TC_CLASS_TRANSPOSE;
	m->thread = add_thread(f, "main", 0);
	add_device(f, "0");
	m->mme = add_lane(f, 0, TC_ENGINE_MME);
	m->tpc = add_lane(f, 0, TC_ENGINE_TPC);
	m->dma = add_lane(f, 0, TC_ENGINE_DMA);
	m->nic = add_lane(f, 0, TC_ENGINE_NIC);
}

static struct tc_span call(struct machine *m, uint32_t label, int64_t dur_ns)
{
	m->now_ns += dur_ns;
	return add_span(&m->f, m->thread, label, m->now_ns - dur_ns, dur_ns);
}

static void add_node(struct machine *m, const struct tc_span *launch, uint32_t lane, uint32_t label,
	int64_t ts_ns, int64_t end_ns)
{
	struct tc_span node = make_span(&m->f, lane, label, ts_ns, end_ns - ts_ns);

	node.recipe = tc_strtab_intern(&m->f.timeline->texts, TC_TEXT("graph"));
	add_launched(&m->f, &node, launch, -1);
}

static uint32_t pick(uint32_t *seed, uint32_t sides)
{
	*seed = *seed * 1664525U + 1013904223U;
	return (*seed >> 8) % sides;
}

/* When a node may start on the result of the one before it. DMA, number 2, does no slices. */
static int64_t start_of(int before, int next, int64_t begin_ns, int64_t end_ns, int64_t slices)
{
	if (next == 2 || before == 2)
		return end_ns;
	return next == before ? begin_ns : begin_ns + (end_ns - begin_ns) / slices;
}

/* Nodes that alternate at random between the engines, each working on the result of the one before
 * it, slice by slice; some are transposes, of TPC or of DMA, which does no slices. Returns when the
 * last one ends. */
static int64_t run_graph(struct machine *m, int64_t start_ns, uint32_t seed, int transposes,
	const struct tc_span *launch)
{
	const uint32_t lanes[] = {m->mme, m->tpc, m->dma};
	int64_t free_ns[] = {start_ns, start_ns, start_ns}, begin_ns = start_ns, end_ns = start_ns;
	int64_t slices = 2 + pick(&seed, 4);
	int engine = 1;

	for (int i = 0; i < NODES; i++) {
		int64_t work_ns = (20 + pick(&seed, 200)) * US, last_ns = 0;
		bool is_transpose = pick(&seed, 5) == 0 && i > 0;
		int next = is_transpose ? transposes : pick(&seed, 2) == 0;
		if (is_transpose && !launch)
			continue;
		begin_ns = start_of(engine, next, begin_ns, end_ns, slices);
		begin_ns = free_ns[next] > begin_ns ? free_ns[next] : begin_ns;
		if (next != engine && next != 2 && engine != 2)
			last_ns = end_ns + work_ns / slices;
		engine = next;
		end_ns = begin_ns + work_ns > last_ns ? begin_ns + work_ns : last_ns;
		free_ns[engine] = end_ns;
		if (launch)
			add_node(m, launch, lanes[engine],
				is_transpose  ? m->transpose
				: engine == 0 ? m->gemm
					      : m->gelu,
				begin_ns, end_ns);
	}
	return free_ns[0] > free_ns[1] ? free_ns[0] : free_ns[1];
}

/* Who takes the result of a node that goes takes slices of what came before it. */
static void test_slices_of_what_came_before(void **state)
{
	(void)state;
	int64_t wrong_ns = 0, won_ns = 0;

	for (uint32_t seed = 0; seed < 200; seed++) {
		struct machine m;

		make_machine(&m);
		int engine = seed % 2 == 0 ? 1 : 2;
		struct tc_span launch = call(&m, m.launch, 4 * US);
		int64_t want_ns = run_graph(&m, m.now_ns, seed * 2654435761U, engine, &launch) -
				  run_graph(&m, m.now_ns, seed * 2654435761U, engine, NULL);
		int64_t off_ns = won_by(&m.f, "remove device class = transpose") - want_ns;
		won_ns += want_ns;
		wrong_ns += off_ns < 0 ? -off_ns : off_ns;
		fixture_close(&m.f);
	}
	if (wrong_ns * 100 > won_ns * 5)
		fail_msg("off by %lld of %lld ns", (long long)wrong_ns, (long long)won_ns);
}

/* Copies between the backward pass and the update: without them the update still waits for the
 * gradients that are reduced meanwhile. */
static void test_an_update_waits_for_its_gradients(void **state)
{
	(void)state;
	for (int reduced_ms = 1; reduced_ms <= 5; reduced_ms += 2) {
		struct machine m;

		make_machine(&m);
		const struct tc_span backward = call(&m, m.launch, 4 * US);
		const struct tc_span send = call(&m, m.launch, 4 * US);
		const struct tc_span copy = call(&m, m.launch, 4 * US);
		const struct tc_span update = call(&m, m.launch, 4 * US);
		add_span(&m.f, m.thread, m.update, update.ts_ns - 1, 5 * US);
		int64_t at_ns = m.now_ns;
		struct tc_span work = make_span(&m.f, m.tpc, m.gelu, at_ns, 2 * MS);
		add_launched(&m.f, &work, &backward, -1);
		work = make_span(&m.f, m.nic, m.reduce, at_ns, reduced_ms * MS);
		add_launched(&m.f, &work, &send, -1);
		work = make_span(&m.f, m.tpc, m.transpose, at_ns + 2 * MS, 4 * MS);
		add_launched(&m.f, &work, &copy, -1);
		work = make_span(&m.f, m.tpc, m.gelu, at_ns + 6 * MS, 1 * MS);
		add_launched(&m.f, &work, &update, -1);
		int64_t want_ms = reduced_ms > 2 ? 6 - reduced_ms : 4;
		assert_int_equal(won_by(&m.f, "remove device class = transpose"), want_ms * MS);
		fixture_close(&m.f);
	}
}

/* A copy waits on its stream for another stream, and is removed. What follows on a stream that
 * computes still waits, for what the other one made; on a stream that only copies it does not. */
static void test_a_wait_of_a_stream_stays(void **state)
{
	(void)state;
	for (int computes = 0; computes < 2; computes++) {
		struct machine m;

		make_machine(&m);
		uint32_t in = add_label(&m.f, "gpu_memcpy", "in", TC_ROLE_NONE, TC_ENGINE_COPY);
		uint32_t out = add_label(&m.f, "gpu_memcpy", "out", TC_ROLE_NONE, TC_ENGINE_COPY);
		m.f.timeline->labels[in].kind = m.f.timeline->labels[out].kind = TC_OP_MEMCPY;
		m.f.timeline->labels[out].direction = TC_DIRECTION_DTOH;
		uint32_t stream = add_lane(&m.f, 0, TC_ENGINE_NONE);
		uint32_t other = add_lane(&m.f, 0, TC_ENGINE_NONE);
		const struct {
			uint32_t lane, label;
			int ts_ms, dur_ms;
		} works[] = {{stream, computes ? m.gelu : in, 0, 1}, {other, m.gemm, 0, 6},
			{stream, out, 6, 1}, {stream, computes ? m.gelu : in, 7, 2}};
		struct tc_span calls[4];
		for (int i = 0; i < 4; i++)
			calls[i] = call(&m, m.launch, 4 * US);
		for (int i = 0; i < 4; i++) {
			const struct tc_span work = make_span(&m.f, works[i].lane, works[i].label,
				m.now_ns + works[i].ts_ms * MS, works[i].dur_ms * MS);
			add_launched(&m.f, &work, &calls[i], -1);
		}
		assert_int_equal(won_by(&m.f, "remove device kind = memcpy direction = DtoH"),
			(computes ? 1 : 3) * MS);
		fixture_close(&m.f);
	}
}

/* An operation, and within it the bridge, which keeps it for the next graph. */
static void add_built(struct machine *m)
{
	const struct tc_span op = call(m, m->op, 100 * US);

	add_span(&m->f, m->thread, m->build, op.ts_ns + 10 * US, 10 * US);
}

/* A graph of ten nodes is made in 1 ms, and the device waits for it: each node that goes takes its
 * part of that along, and so does each operation. Four fused nodes are one. */
static void test_graphs_of_fewer_nodes_are_made_sooner(void **state)
{
	(void)state;
	static const struct {
		const char *edit;
		int64_t won_us;
	} cases[] = {
		{"remove device class = transpose with-launches", 400 + 4 * 10},
		{"fuse device class = transpose by 1", 300 + 4 * 4},
		{"scale own role = dispatch by 0.5", 10 * 90 / 2 + 1000 / 2},
		{"scale own role = graph_build by 0.5", 10 * 10 / 2 + 1000 / 2},
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct machine m;

		make_machine(&m);
		for (int i = 0; i < 10; i++)
			add_built(&m);
		add_span(&m.f, m.thread, m.build, m.now_ns, 1 * MS + 10 * US);
		m.now_ns += 1 * MS;
		const struct tc_span launch = call(&m, m.launch, 4 * US);
		for (int i = 0; i < 10; i++) {
			int64_t ts_ns = m.now_ns + i * 10 * US;
			add_node(&m, &launch, m.tpc, i % 5 < 2 ? m.transpose : m.gelu, ts_ns,
				ts_ns + 10 * US);
		}
		int64_t off_ns = won_by(&m.f, cases[c].edit) - cases[c].won_us * US;
		if (off_ns < -6 * US || off_ns > 6 * US)
			fail_msg("%s: off by %lld ns", cases[c].edit, (long long)off_ns);
		fixture_close(&m.f);
	}
}

/* Attention of four operators, which become nodes of a graph: those between the products go with
 * the nodes. Operators that launch work themselves are found by that work. */
static void test_operators_between_products_go(void **state)
{
	static const enum tc_name_class classes[] = {
		TC_CLASS_MATRIX, TC_CLASS_NONE, TC_CLASS_SOFTMAX, TC_CLASS_MATRIX, TC_CLASS_NONE};

	(void)state;
	for (int launches = 0; launches < 2; launches++) {
		struct machine m;

		make_machine(&m);
		for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
			uint32_t label =
				add_label(&m.f, "cpu_op", "op", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
			m.f.timeline->labels[label].name_class = classes[i];
			const struct tc_span op = call(&m, label, 100 * US);
			const struct tc_span launch =
				add_span(&m.f, m.thread, m.launch, op.ts_ns + 10 * US, 4 * US);
			if (launches)
				add_node(&m, &launch, m.tpc, m.gelu, op.ts_ns + 20 * US,
					op.ts_ns + 30 * US);
		}
		const struct tc_span launch = call(&m, m.launch, 4 * US);
		add_node(&m, &launch, m.mme, m.gemm, m.now_ns, m.now_ns + 10 * US);
		assert_int_equal(
			won_by(&m.f, "remove host around-softmax"), launches ? 0 : 2 * 100 * US);
		fixture_close(&m.f);
	}
}

/* A graph of layers with a step of an update among its nodes, then a graph with nothing but an
 * update: that one is the optimizer's, all of it. */
static void test_graphs_of_an_update(void **state)
{
	struct machine m;

	(void)state;
	make_machine(&m);
	uint32_t addcmul = add_label(&m.f, "kernel", "addcmul", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	m.f.timeline->labels[addcmul].name_class = TC_CLASS_UPDATE;
	const struct tc_span layers = call(&m, m.launch, 4 * US);
	const struct tc_span update = call(&m, m.launch, 4 * US);
	int64_t at_ns = m.now_ns;
	add_node(&m, &layers, m.mme, m.gemm, at_ns, at_ns + 2 * MS);
	add_node(&m, &layers, m.tpc, addcmul, at_ns + 2 * MS, at_ns + 3 * MS);
	for (int i = 3; i < 8; i++) {
		struct tc_span node =
			make_span(&m.f, m.tpc, i % 2 ? m.gelu : addcmul, at_ns + i * MS, 1 * MS);
		node.recipe = tc_strtab_intern(&m.f.timeline->texts, TC_TEXT("update"));
		add_launched(&m.f, &node, &update, -1);
	}
	assert_int_equal(won_by(&m.f, "remove device update-graph"), 5 * MS);
	fixture_close(&m.f);
}

/* Ten kernels become one. The shortest takes 10 us, but none needs more than 4 us to start, and of
 * the rest a share stays. */
static void test_fused_kernels_start_once(void **state)
{
	struct machine m;
	int64_t want_ns = 0;

	(void)state;
	make_machine(&m);
	for (int i = 0; i < 10; i++) {
		const struct tc_span launch = call(&m, m.launch, 1 * US);
		struct tc_span work = make_span(
			&m.f, m.tpc, m.transpose, 2 * MS + i * 100 * US, (10 + 8 * i) * US);
		add_launched(&m.f, &work, &launch, -1);
		want_ns += 4 * US + (6 + 8 * i) * US * 3 / 4;
	}
	assert_int_equal(won_by(&m.f, "scale class = transpose by 0.25"), 460 * US * 3 / 4);
	assert_int_equal(won_by(&m.f, "fuse class = transpose by 0.25"), want_ns);
	fixture_close(&m.f);
}

/* A node moves what another lane has received, and a product on a third lane takes it. Without the
 * node the product still needs what was received, and not only the product before it. */
static void test_other_lanes_need_the_input(void **state)
{
	struct machine m;

	(void)state;
	make_machine(&m);
	const struct tc_span receive = call(&m, m.launch, 4 * US);
	const struct tc_span launch = call(&m, m.launch, 4 * US);
	int64_t at_ns = m.now_ns;
	const struct tc_span work = make_span(&m.f, m.nic, m.reduce, at_ns, 3 * MS);
	add_launched(&m.f, &work, &receive, -1);
	add_node(&m, &launch, m.dma, m.gelu, at_ns, at_ns + 1 * MS);
	add_node(&m, &launch, m.mme, m.gemm, at_ns, at_ns + 2 * MS);
	add_node(&m, &launch, m.dma, m.transpose, at_ns + 3 * MS, at_ns + 4 * MS);
	add_node(&m, &launch, m.mme, m.gemm, at_ns + 4 * MS, at_ns + 6 * MS);
	assert_int_equal(won_by(&m.f, "remove device class = transpose"), 1 * MS);
	fixture_close(&m.f);
}

/* Operations go with the kernel that they launch, but for one that compiles for 5 ms first: that
 * keeps all but its launch. */
static void test_long_operations_stay(void **state)
{
	enum { COUNT = 20, LONG = 10, LAUNCH_US = 5, OP_US = 100, COMPILE_US = 5000 };
	struct machine m;

	(void)state;
	make_machine(&m);
	for (int i = 0; i < COUNT; i++) {
		int64_t dur_ns = (OP_US + (i == LONG ? COMPILE_US : 0)) * US;
		struct tc_span op = call(&m, m.op, dur_ns);
		struct tc_span launch = add_span(&m.f, m.thread, m.launch,
			op.ts_ns + dur_ns - LAUNCH_US * US, LAUNCH_US * US);
		struct tc_span kernel = make_span(&m.f, m.tpc, m.gelu, op.ts_ns + dur_ns, 2 * US);
		add_launched(&m.f, &kernel, &launch, -1);
	}
	assert_int_equal(won_by(&m.f, "remove device name = gelu with-launches"),
		((COUNT - 1) * OP_US + LAUNCH_US + 2) * US);
	fixture_close(&m.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_operations_stay),
		cmocka_unit_test(test_slices_of_what_came_before),
		cmocka_unit_test(test_an_update_waits_for_its_gradients),
		cmocka_unit_test(test_a_wait_of_a_stream_stays),
		cmocka_unit_test(test_graphs_of_fewer_nodes_are_made_sooner),
		cmocka_unit_test(test_graphs_of_an_update),
		cmocka_unit_test(test_operators_between_products_go),
		cmocka_unit_test(test_fused_kernels_start_once),
		cmocka_unit_test(test_other_lanes_need_the_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

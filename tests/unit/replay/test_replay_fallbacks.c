/* Operations that copy: a fallback to the CPU copies from the device and then back to it. Copies
 * to the device alone are none, whether or not the host waits for them. */
#include "replay/replay_fixture.h"

enum { OP_US = 400, COPY_US = 100 };

enum call { NONE, IN, OUT, WAIT };

struct copies {
	struct fixture f;
	uint32_t thread, lane, op, copy, launch, kernel, calls[4];
};

static void open_copies(struct copies *c)
{
	struct fixture *f = &c->f;

	fixture_open(f);
	c->op = add_label(f, "cpu_op", "aten::index", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	c->copy = add_label(f, "cpu_op", "aten::copy_", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	c->launch = add_label(f, "cuda_runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	c->calls[IN] = add_label(f, "cuda_runtime", "in", TC_ROLE_INPUT_COPY, TC_ENGINE_NONE);
	c->calls[OUT] = add_label(f, "cuda_runtime", "out", TC_ROLE_OUTPUT_COPY, TC_ENGINE_NONE);
	c->calls[WAIT] = add_label(f, "cuda_runtime", "wait", TC_ROLE_SYNC, TC_ENGINE_NONE);
	c->kernel = add_label(f, "kernel", "gelu", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	f->timeline->labels[c->op].is_op = f->timeline->labels[c->copy].is_op = true;
	f->timeline->labels[c->copy].mark = TC_MARK_COPY_CARRIER;
	c->thread = add_thread(f, "main", 0);
	add_device(f, "0");
	c->lane = add_lane(f, 0, TC_ENGINE_COMPUTE);
}

/* An operation with two framework copies, each with up to two calls; then a kernel. */
static void run_copies(struct copies *c, const enum call calls[2][2])
{
	int64_t at_ns = MS;

	open_copies(c);
	add_span(&c->f, c->thread, c->op, at_ns, OP_US * US);
	for (int i = 0; i < 2; i++) {
		int64_t copy_ns = at_ns + (50 + i * 2 * COPY_US) * US;
		add_span(&c->f, c->thread, c->copy, copy_ns, COPY_US * US);
		for (int k = 0; k < 2; k++)
			if (calls[i][k] != NONE)
				add_span(&c->f, c->thread, c->calls[calls[i][k]],
					copy_ns + (10 + k * 40) * US, 10 * US);
	}
	at_ns += OP_US * US;
	struct tc_span launch = add_span(&c->f, c->thread, c->launch, at_ns, 10 * US);
	struct tc_span kernel = make_span(&c->f, c->lane, c->kernel, at_ns + 10 * US, COPY_US * US);
	add_launched(&c->f, &kernel, &launch, -1);
}

static int64_t won_without(const char *edit, const enum call calls[2][2])
{
	struct copies c;

	run_copies(&c, calls);
	int64_t won_ns = won_by(&c.f, edit);
	fixture_close(&c.f);
	return won_ns;
}

static void test_a_round_trip_is_a_fallback(void **state)
{
	static const enum call there_and_back[2][2] = {{OUT, WAIT}, {IN, WAIT}};
	static const enum call not_named[2][2] = {{WAIT, NONE}, {WAIT, NONE}};

	(void)state;
	assert_int_equal(won_without("remove role = cpu_fallback", there_and_back), OP_US * US);
	assert_int_equal(won_without("remove role = cpu_fallback", not_named), OP_US * US);
}

static void test_other_copies_are_none(void **state)
{
	static const enum call two_inputs[2][2] = {{IN, WAIT}, {IN, WAIT}};
	static const enum call back_and_there[2][2] = {{IN, WAIT}, {OUT, WAIT}};

	(void)state;
	assert_int_equal(won_without("remove role = cpu_fallback", two_inputs), 0);
	assert_int_equal(won_without("remove role = cpu_fallback", back_and_there), 0);
}

/* The wait in a copy has the direction of the copy's call. */
static void test_a_copy_has_the_direction_of_its_call(void **state)
{
	static const enum call both[2][2] = {{IN, WAIT}, {OUT, WAIT}};

	(void)state;
	assert_int_equal(won_without("remove mark = copy_carrier in role = output_copy", both),
		COPY_US * US);
	assert_int_equal(won_without("remove mark = copy_carrier", both), 2 * COPY_US * US);
}

/* A read in lazy mode first builds and launches the graph of the operations before it, here a
 * kernel of 300 us. A fix takes the read and the work on the CPU, and not the kernel: it takes the
 * 900 us until the second launch, less the time for building, and the second kernel waits for the
 * first. */
static void test_a_read_keeps_the_graph_that_it_ends(void **state)
{
	enum { READ_US = 400, CPU_US = 400, CUT_US = 40 };
	struct copies c;

	(void)state;
	open_copies(&c);
	struct fixture *f = &c.f;
	uint32_t cut =
		add_label(f, "privateuse1_runtime", "cut", TC_ROLE_GRAPH_BUILD, TC_ENGINE_NONE);
	f->timeline->labels[cut].mark = TC_MARK_BRIDGE_CUT;
	add_span(f, c.thread, c.op, MS, 10 * US);
	int64_t at_ns = MS + 10 * US;
	add_span(f, c.thread, c.copy, at_ns, READ_US * US);
	add_span(f, c.thread, c.calls[OUT], at_ns, READ_US * US);
	add_span(f, c.thread, cut, at_ns + 10 * US, CUT_US * US);
	struct tc_span launch = add_span(f, c.thread, c.launch, at_ns + 30 * US, 10 * US);
	struct tc_span kernel = make_span(f, c.lane, c.kernel, at_ns + 40 * US, 300 * US);
	add_launched(f, &kernel, &launch, -1);
	at_ns += READ_US * US;
	add_span(f, c.thread, c.op, at_ns, CPU_US * US);
	at_ns += CPU_US * US;
	add_span(f, c.thread, c.copy, at_ns, COPY_US * US);
	add_span(f, c.thread, c.calls[IN], at_ns, COPY_US * US);
	at_ns += COPY_US * US;
	add_span(f, c.thread, c.op, at_ns, 10 * US);
	launch = add_span(f, c.thread, c.launch, at_ns, 10 * US);
	kernel = make_span(f, c.lane, c.kernel, at_ns + 10 * US, 100 * US);
	add_launched(f, &kernel, &launch, -1);
	int64_t won_ns = won_by(f, "remove host role = cpu_fallback with-work");
	fixture_close(f);
	assert_in_range(won_ns, (900 - 300 - CUT_US) * US, (900 - 300) * US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_round_trip_is_a_fallback),
		cmocka_unit_test(test_other_copies_are_none),
		cmocka_unit_test(test_a_copy_has_the_direction_of_its_call),
		cmocka_unit_test(test_a_read_keeps_the_graph_that_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What edits take off of kernels that are far below the roof of their device. */
#include "replay/replay_fixture.h"

#include <math.h>

#include "names/hardware/hardware.h"
#include "replay/roof.h"

/* A device that reads 1 byte a ns and computes nothing but bf16. */
static const struct tc_hardware device = {
	.bytes_per_s = 1e9, .flops_per_s = {[TC_PRECISION_BF16] = 1e15}};

struct world {
	struct fixture f;
	uint32_t outer, inner, thread, launch, lane, kernel;
	int64_t end_ns;
};

/* An operator of 1000 x 4 bytes that are read, and as many that are written: its roof is 8 us. */
static uint32_t add_operator(struct fixture *f, const char *name)
{
	uint32_t label = add_label(f, "cpu_op", name, TC_ROLE_NONE, TC_ENGINE_NONE);

	f->timeline->labels[label].work = TC_WORK_POINTWISE;
	tc_works_add(&f->timeline->works, f->ctx, TC_WORK_POINTWISE, label, 1,
		TC_TEXT("{\"Input Dims\": [[1000]], \"Input type\": [\"float\"]}"));
	return label;
}

static void open_world(struct world *w)
{
	struct fixture *f = &w->f;

	fixture_open(f);
	*w = (struct world){.f = *f, .end_ns = MS};
	f->timeline->hardware = &device;
	w->outer = add_operator(f, "aten::outer");
	w->inner = add_operator(f, "aten::inner");
	w->launch = add_label(f, "runtime", "launch", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	w->kernel = add_label(f, "kernel", "add", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	w->thread = add_thread(f, "main", 0);
	add_device(f, "0");
	w->lane = add_lane(f, 0, TC_ENGINE_NONE);
}

/* A call of an operator, in another one or UINT32_MAX, whose kernel takes so long. The host waits
 * for nothing, and is faster than the device. */
static void add_call(struct world *w, uint32_t around, uint32_t op, int64_t kernel_ns)
{
	struct fixture *f = &w->f;
	struct tc_span span;

	if (around != UINT32_MAX) {
		span = make_span(f, w->thread, around, w->end_ns - 1000 * US, 3 * US);
		span.shape = 1;
		add_made(f, &span);
	}
	span = make_span(f, w->thread, op, w->end_ns - 1000 * US, 3 * US);
	span.shape = 1;
	add_made(f, &span);
	struct tc_span call = add_span(f, w->thread, w->launch, w->end_ns - 999 * US, US);
	struct tc_span work = make_span(f, w->lane, w->kernel, w->end_ns, kernel_ns);
	add_launched(f, &work, &call, -1);
	w->end_ns += kernel_ns;
}

/* Slow kernels take what a kernel takes that reaches 80 %, and fast ones stay as they are. The slow
 * one reaches (8 + 4) / 120 of its roof: class 3, from 8 to 12 %. */
static void test_slow_operators_are_tuned(void **state)
{
	static const struct {
		int64_t kernel_ns, won_ns;
	} cases[] = {{120 * US, 105 * US}, {16 * US, 0}, {40 * US, 25 * US}};

	(void)state;
	for (size_t i = 0; i < TC_COUNT_OF(cases); i++) {
		struct world w;
		open_world(&w);
		add_call(&w, UINT32_MAX, w.inner, cases[i].kernel_ns);
		int64_t won_ns = won_by(&w.f, "tune device kind = kernel by 0.8");
		assert_int_equal(won_ns, cases[i].won_ns);
		fixture_close(&w.f);
	}
}

/* The kernels of an operator within a fast one belong to the fast one, however slow the inner one
 * is elsewhere. */
static void test_the_outermost_operator_decides(void **state)
{
	struct world w;

	(void)state;
	open_world(&w);
	add_call(&w, UINT32_MAX, w.inner, 120 * US);
	add_call(&w, w.outer, w.inner, 16 * US);
	assert_int_equal(won_by(&w.f, "tune device kind = kernel by 0.8"), 105 * US);
	fixture_close(&w.f);
}

/* By class: nothing is taken off of work that reaches half of the goal, or that the end of a range
 * does not reach. */
static void test_the_part_that_is_kept(void **state)
{
	(void)state;
	assert_int_equal(llround(tc_roof_kept(1, 0.8, 0.8) * 1e6), llround(0.02 / 0.8 * 1e6));
	assert_int_equal(llround(tc_roof_kept(10, 0.8, 0.8) * 1e6), llround(0.38 / 0.8 * 1e6));
	assert_int_equal(llround(tc_roof_kept(10, 0.8, 0.3) * 1e6), llround(1 * 1e6));
	assert_int_equal(llround(tc_roof_kept(10, 0.7, 0.7) * 1e6), llround(1 * 1e6));
	assert_int_equal(llround(tc_roof_kept(1, 0.8, 0) * 1e6), llround(1 * 1e6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_operators_are_tuned),
		cmocka_unit_test(test_the_outermost_operator_decides),
		cmocka_unit_test(test_the_part_that_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Host totals of slices that lie within others of their mark, and which operation calls what. */
#include "analysis_fixture.h"

static uint32_t add_marked(struct fixture *f, const char *name, enum tc_mark mark)
{
	uint32_t label = add_label(f, "user_annotation", name, TC_ROLE_NONE, TC_ENGINE_NONE);

	f->timeline->labels[label].mark = mark;
	return label;
}

static int64_t total(struct fixture *f, const char *name, const char *column)
{
	return sql_int(f, "SELECT %s FROM host_total WHERE name = '%s'", column, name);
}

/* An optimizer that calls another, which is called by itself as well. */
static void steps_within_steps_are_not_outermost(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	uint32_t thread = add_thread(&f, "main", 0), other = add_thread(&f, "other", 1);
	uint32_t outer = add_marked(&f, "Optimizer.step#EMA.step", TC_MARK_OPTIMIZER_STEP);
	uint32_t inner = add_marked(&f, "Optimizer.step#AdamW.step", TC_MARK_OPTIMIZER_STEP);
	uint32_t zero = add_marked(&f, "Optimizer.zero_grad#AdamW.zero_grad", TC_MARK_ZERO_GRAD);
	uint32_t plain = add_marked(&f, "plain", TC_MARK_NONE);
	add_span(&f, thread, outer, 0, 100);
	add_span(&f, thread, plain, 5, 90);
	add_span(&f, thread, plain, 6, 80);
	add_span(&f, thread, inner, 10, 40);
	add_span(&f, thread, zero, 20, 5);
	add_span(&f, thread, inner, 200, 30);
	add_span(&f, thread, plain, 150, 5);
	add_span(&f, other, inner, 20, 7);
	add_span(&f, other, plain, 30, 7);
	analyze(&f);
	assert_int_equal(total(&f, "Optimizer.step#EMA.step", "outer_count"), 1);
	assert_int_equal(total(&f, "Optimizer.step#EMA.step", "outer_ns"), 100);
	assert_int_equal(total(&f, "Optimizer.step#AdamW.step", "count"), 3);
	assert_int_equal(total(&f, "Optimizer.step#AdamW.step", "dur_ns"), 77);
	assert_int_equal(total(&f, "Optimizer.step#AdamW.step", "outer_count"), 2);
	assert_int_equal(total(&f, "Optimizer.step#AdamW.step", "outer_ns"), 37);
	assert_int_equal(total(&f, "Optimizer.zero_grad#AdamW.zero_grad", "outer_count"), 1);
	assert_int_equal(total(&f, "plain", "outer_count"), 4);
	assert_int_equal(
		sql_int(&f, "SELECT sum(outer_ns) FROM host_total WHERE mark = 'optimizer_step'"),
		137);
	assert_int_equal(total(&f, "plain", "optimizer_count"), 2);
	assert_int_equal(total(&f, "Optimizer.zero_grad#AdamW.zero_grad", "optimizer_count"), 1);
	assert_int_equal(total(&f, "Optimizer.step#AdamW.step", "optimizer_count"), 0);
	/* Without a device nothing hides the host's time. */
	assert_true(total(&f, "Optimizer.step#AdamW.step", "outer_exposed_ns") <=
		    total(&f, "Optimizer.step#AdamW.step", "exposed_ns"));
	fixture_close(&f);
}

/* PyTorch 1.8 records each call of an operator twice, one slice in the other. */
static void a_call_that_is_recorded_twice_counts_once(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	uint32_t thread = add_thread(&f, "main", 0);
	uint32_t step = add_marked(&f, "Optimizer.step#SGD.step", TC_MARK_OPTIMIZER_STEP);
	uint32_t mul = add_label(&f, "cpu_op", "aten::mul_", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	uint32_t norm = add_label(&f, "cpu_op", "aten::norm", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	uint32_t call = add_label(&f, "python_function", "walk", TC_ROLE_NONE, TC_ENGINE_NONE);
	add_span(&f, thread, step, 0, 100);
	add_span(&f, thread, mul, 10, 20);
	add_span(&f, thread, mul, 12, 15);
	add_span(&f, thread, mul, 40, 20);
	add_span(&f, thread, norm, 45, 10);
	add_span(&f, thread, mul, 47, 5); /* which another one called */
	add_span(&f, thread, call, 200, 20);
	add_span(&f, thread, call, 205, 5); /* a function may call itself */
	analyze(&f);
	assert_int_equal(total(&f, "aten::mul_", "count"), 3);
	assert_int_equal(total(&f, "aten::mul_", "outer_count"), 3);
	assert_int_equal(total(&f, "aten::mul_", "optimizer_count"), 3);
	assert_int_equal(total(&f, "aten::mul_", "dur_ns"), 45);
	assert_int_equal(total(&f, "aten::mul_", "self_ns"), 35);
	assert_int_equal(total(&f, "walk", "count"), 2);
	fixture_close(&f);
}

/* ---- slices that overlap without nesting */

enum { SLICES = 400, THREADS = 2, KINDS = 5 };

/* The first three are operations; the last one is what is called. */
static const struct {
	const char *category, *name;
	enum tc_mark mark;
	enum tc_role role;
} kinds[KINDS] = {{"cpu_op", "aten::mm", TC_MARK_NONE, TC_ROLE_DISPATCH},
	{"cpu_op", "aten::copy_", TC_MARK_COPY_CARRIER, TC_ROLE_DISPATCH},
	{"cpu_op", "aten::item", TC_MARK_READ_CARRIER, TC_ROLE_DISPATCH},
	{"user_annotation", "Optimizer.step#SGD.step", TC_MARK_OPTIMIZER_STEP, TC_ROLE_NONE},
	{"cuda_runtime", "cudaStreamSynchronize", TC_MARK_NONE, TC_ROLE_SYNC}};

enum { OPS = 3, STEP = 3, SYNC = 4 };

struct overlap {
	uint32_t seed;
	struct {
		int kind, thread;
		int64_t ts_ns, end_ns, id;
	} slices[SLICES]; /* by start */
};

static int pick(struct overlap *o, int sides)
{
	o->seed = o->seed * 1664525U + 1013904223U;
	return (int)((o->seed >> 8) % (uint32_t)sides);
}

/* No two slices start or end at one time, and calls do not overlap each other. */
static void make_overlap(struct overlap *o, struct fixture *f)
{
	uint32_t labels[KINDS], threads[THREADS];

	for (int i = 0; i < KINDS; i++) {
		labels[i] = add_label(
			f, kinds[i].category, kinds[i].name, kinds[i].role, TC_ENGINE_NONE);
		f->timeline->labels[labels[i]].mark = kinds[i].mark;
	}
	uint32_t launch =
		add_label(f, "cuda_runtime", "cudaLaunchKernel", TC_ROLE_LAUNCH, TC_ENGINE_NONE);
	for (int i = 0; i < THREADS; i++) {
		threads[i] = add_thread(f, "thread", i);
		add_span(f, threads[i], launch, -100 + i, 1);
	}
	for (int i = 0; i < SLICES; i++) {
		int kind = pick(o, KINDS);
		int64_t long_ns = 100 * (1 + pick(o, pick(o, 8) ? 6 : SLICES));
		int64_t dur_ns = kind == SYNC ? 5 : long_ns - 50 - pick(o, 2) * 20 + i % 20;
		o->slices[i].kind = kind;
		o->slices[i].thread = pick(o, THREADS);
		o->slices[i].ts_ns = 100 * i;
		o->slices[i].end_ns = 100 * i + dur_ns;
		o->slices[i].id =
			add_span(f, threads[o->slices[i].thread], labels[kind], 100 * i, dur_ns)
				.slice_id;
	}
}

/* The slice that began last before i of those of some kinds still open on its thread; -1: none. */
static int last_open(const struct overlap *o, int i, int from_kind, int to_kind)
{
	for (int k = i - 1; k >= 0; k--)
		if (o->slices[k].thread == o->slices[i].thread &&
			o->slices[k].end_ns > o->slices[i].ts_ns &&
			o->slices[k].kind >= from_kind && o->slices[k].kind <= to_kind)
			return k;
	return -1;
}

static void overlapping_slices_are_counted_again(void **state)
{
	(void)state;
	int64_t all_called[OPS] = {0}, all_again = 0;

	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct fixture f;
		static struct overlap o;
		int64_t outer_count = 0, called[OPS] = {0}, count[KINDS] = {0};

		o.seed = seed * 2654435761U;
		fixture_open(&f);
		make_overlap(&o, &f);
		analyze(&f);
		for (int i = 0; i < SLICES; i++) {
			int kind = o.slices[i].kind, around = last_open(&o, i, 0, KINDS - 1);
			if (kind >= OPS || around < 0 || o.slices[around].kind != kind)
				count[kind]++;
			else
				all_again++;
			if (o.slices[i].kind == STEP)
				outer_count += last_open(&o, i, STEP, STEP) < 0;
			if (o.slices[i].kind != SYNC)
				continue;
			int caller = last_open(&o, i, 0, 0);
			caller = caller < 0 ? last_open(&o, i, 0, OPS - 1) : caller;
			if (caller >= 0)
				called[o.slices[caller].kind]++;
		}
		assert_int_equal(total(&f, kinds[STEP].name, "outer_count"), outer_count);
		for (int i = 0; i < KINDS; i++)
			assert_int_equal(total(&f, kinds[i].name, "count"), count[i]);
		for (int i = 0; i < OPS; i++) {
			all_called[i] += called[i];
			assert_int_equal(sql_int(&f,
						 "SELECT count(*) FROM host_event WHERE"
						 " caller = '%s'",
						 kinds[i].name),
				called[i]);
		}
		fixture_close(&f);
	}
	for (int i = 0; i < OPS; i++)
		assert_true(all_called[i] > 0);
	assert_true(all_again > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_within_steps_are_not_outermost),
		cmocka_unit_test(a_call_that_is_recorded_twice_counts_once),
		cmocka_unit_test(overlapping_slices_are_counted_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

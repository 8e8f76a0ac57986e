/* Host totals of slices that lie within others of their mark. */
#include "../analysis_fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_within_steps_are_not_outermost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

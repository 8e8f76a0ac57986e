/* Silences of the host: pauses, compilations without slices of their own, and the lines of the
 * program that own them. */
#include "analysis_cuda.h"

/* Ten operations 50 us apart with a kernel of 20 us each. After the fifth the host is silent for
 * long_us more. Steps of five operations each where in_steps says so. */
static void operations(struct cuda *c, int64_t long_us, bool in_steps)
{
	int64_t ts_us = 1000;

	cuda_open(c);
	for (int i = 0; i < 10; i++) {
		add_span(&c->f, c->main, c->op, ts_us * US, 30 * US);
		struct tc_span launch =
			add_span(&c->f, c->main, c->launch, (ts_us + 20) * US, 5 * US);
		launch_work(&c->f,
			&(struct work){c->stream[0], c->kernel, (ts_us + 25) * US, 20 * US},
			&launch, in_steps ? i / 5 : -1);
		ts_us += 50 + (i == 4 ? long_us : 0);
	}
	for (int i = 0; i < 2 && in_steps; i++) {
		struct tc_span step = add_span(&c->f, c->main, c->step,
			i == 0 ? 1000 * US : (1250 + long_us) * US,
			(i == 0 ? 250 + long_us : 250) * US);
		add_step(&c->f, &step, i);
	}
}

static int64_t cause_ns(struct fixture *f, const char *cause)
{
	return sql_int(f, "SELECT coalesce(sum(dur), 0) FROM gap WHERE cause = %Q", cause);
}

/* The usual silence is 20 us (18,432 ns, where its bin begins), so a pause begins when that has
 * passed. */
static void test_a_pause_is_longer_than_ten_usual_silences(void **state)
{
	enum { USUAL_NS = 18432 };
	(void)state;
	struct cuda c;

	operations(&c, 3000, true);
	analyze(&c.f);
	/* The device ends 15 us after the operation. */
	assert_int_equal(cause_ns(&c.f, "host_pause"), 3020 * US - USUAL_NS);
	assert_int_equal(
		sql_int(&c.f, "SELECT count(*) FROM host_silence WHERE kind = 'pause'"), 1);
	assert_int_equal(sql_int(&c.f, "SELECT ts FROM host_silence"), 1230 * US + USUAL_NS);
	assert_int_equal(sql_int(&c.f, "SELECT dur FROM host_silence"), 3020 * US - USUAL_NS);
	fixture_close(&c.f);
	operations(&c, 900, true);
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "host_pause"), 0);
	fixture_close(&c.f);
	/* A recording that has one of two operations shows no silence. */
	operations(&c, 3000, true);
	c.f.timeline->recorded_one_of = 2;
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "host_pause"), 0);
	fixture_close(&c.f);
	/* Nor does a server, which has no request. */
	operations(&c, 3000, false);
	c.f.timeline->labels[c.op].name_class = TC_CLASS_MATRIX;
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "host_pause"), 0);
	assert_true(cause_ns(&c.f, "no_work") > 3000 * US);
	fixture_close(&c.f);
}

/* A wait of another thread says what the host does. */
static void test_other_threads_break_a_silence(void **state)
{
	(void)state;
	struct cuda c;

	operations(&c, 3000, true);
	uint32_t other = add_thread(&c.f, "thread 2 (python)", 1);
	add_span(&c.f, other, c.sync, 1240 * US, 2900 * US);
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "host_pause"), 0);
	fixture_close(&c.f);
	/* What stops Python has a finding of its own. */
	operations(&c, 3000, true);
	c.f.timeline->labels[c.python].mark = TC_MARK_GARBAGE;
	add_span(&c.f, c.main, c.python, 1240 * US, 2900 * US);
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "host_pause"), 0);
	fixture_close(&c.f);
}

/* Labels have their numbers as ids. */
static int64_t owner(struct fixture *f)
{
	return sql_int(f, "SELECT owner_label_id FROM host_silence");
}

static int64_t owner_of_all(struct fixture *f)
{
	return sql_int(f, "SELECT label_id FROM pause_owner");
}

/* Of the frames around more than half of it the innermost owns a pause. */
static void test_the_innermost_frame_owns_a_pause(void **state)
{
	(void)state;
	struct cuda c;

	operations(&c, 3000, true);
	uint32_t prepare =
		add_label(&c.f, "python_function", "train.py(31): prepare", TC_ROLE_NONE, 0);
	uint32_t crop = add_label(&c.f, "python_function", "train.py(40): crop", TC_ROLE_NONE, 0);
	add_span(&c.f, c.main, c.python, 900 * US, 6000 * US);
	add_span(&c.f, c.main, prepare, 1300 * US, 2800 * US);
	add_span(&c.f, c.main, crop, 1310 * US, 1000 * US);
	add_span(&c.f, c.main, crop, 2500 * US, 400 * US);
	analyze(&c.f);
	assert_int_equal(owner(&c.f), prepare);
	assert_int_equal(owner_of_all(&c.f), prepare);
	assert_int_equal(sql_int(&c.f, "SELECT owned_ns FROM pause_owner"), 2800 * US);
	fixture_close(&c.f);
	/* Small pieces of one name count together; one within another of its name counts once. */
	operations(&c, 3000, true);
	crop = add_label(&c.f, "python_function", "train.py(40): crop", TC_ROLE_NONE, 0);
	add_span(&c.f, c.main, c.python, 900 * US, 6000 * US);
	for (int i = 0; i < 10; i++) {
		add_span(&c.f, c.main, crop, (1300 + i * 280) * US, 200 * US);
		add_span(&c.f, c.main, crop, (1310 + i * 280) * US, 180 * US);
	}
	analyze(&c.f);
	assert_int_equal(owner(&c.f), c.python);
	assert_int_equal(owner_of_all(&c.f), crop);
	assert_int_equal(sql_int(&c.f, "SELECT owned_ns FROM pause_owner"), 2000 * US);
	fixture_close(&c.f);
}

/* The own time of an operation before it loads code is that of a compiler, whether the operation
 * has begun or not. */
static void test_a_long_time_until_code_is_loaded_is_a_compilation(void **state)
{
	(void)state;
	struct cuda c;

	for (int in_op = 0; in_op < 2; in_op++) {
		operations(&c, 5000, true);
		uint32_t load = add_label(
			&c.f, "cuda_driver", "cuModuleLoadData", TC_ROLE_SETUP, TC_ENGINE_NONE);
		c.f.timeline->labels[load].mark = TC_MARK_CODE_LOAD;
		if (in_op)
			add_span(&c.f, c.main, c.op, 1245 * US, 4900 * US);
		add_span(&c.f, c.main, load, 5000 * US, 100 * US);
		analyze(&c.f);
		assert_int_equal(cause_ns(&c.f, "compile"), (5000 - 1245) * US);
		assert_int_equal(
			sql_int(&c.f, "SELECT count(*) FROM host_silence WHERE kind = 'compile'"),
			1);
		fixture_close(&c.f);
	}
	/* Code that is loaded at once was not compiled just then. */
	operations(&c, 5000, true);
	uint32_t load =
		add_label(&c.f, "cuda_driver", "cuModuleLoadData", TC_ROLE_SETUP, TC_ENGINE_NONE);
	c.f.timeline->labels[load].mark = TC_MARK_CODE_LOAD;
	add_span(&c.f, c.main, load, 1300 * US, 100 * US);
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "compile"), 0);
	fixture_close(&c.f);
}

/* Time in which two threads compile is that of one compilation: the one that ends last. */
static void test_silences_do_not_overlap(void **state)
{
	(void)state;
	struct cuda c;

	operations(&c, 9000, true);
	uint32_t load =
		add_label(&c.f, "cuda_driver", "cuModuleLoadData", TC_ROLE_SETUP, TC_ENGINE_NONE);
	c.f.timeline->labels[load].mark = TC_MARK_CODE_LOAD;
	uint32_t other = add_thread(&c.f, "thread 2 (python)", 1);
	add_span(&c.f, other, c.op, 2000 * US, 100 * US);
	add_span(&c.f, c.main, load, 5000 * US, 100 * US);
	add_span(&c.f, other, load, 6000 * US, 100 * US);
	analyze(&c.f);
	const char *silences = "SELECT coalesce(sum(dur), 0) FROM host_silence WHERE ts = %lld";
	assert_int_equal(sql_int(&c.f, silences, 1230LL * US), (2100 - 1230) * US);
	assert_int_equal(sql_int(&c.f, silences, 2100LL * US), (6000 - 2100) * US);
	assert_int_equal(sql_int(&c.f, "SELECT count(*) FROM host_silence a JOIN host_silence b"
				       " WHERE a.ts < b.ts AND a.ts + a.dur > b.ts"),
		0);
	fixture_close(&c.f);
}

/* The first step of three or more that takes twice as long as the others is warm-up. */
static void test_warm_up_has_no_pauses(void **state)
{
	(void)state;
	struct cuda c;

	for (int64_t others_us = 250; others_us <= 2500; others_us *= 10) {
		operations(&c, 3000, true);
		struct tc_span step = add_span(&c.f, c.main, c.step, 4500 * US, others_us * US);
		add_step(&c.f, &step, 2);
		c.f.timeline->steps[1].dur_ns = others_us * US;
		analyze(&c.f);
		assert_int_equal(cause_ns(&c.f, "host_pause") > 0, others_us == 2500);
		fixture_close(&c.f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_pause_is_longer_than_ten_usual_silences),
		cmocka_unit_test(test_other_threads_break_a_silence),
		cmocka_unit_test(test_the_innermost_frame_owns_a_pause),
		cmocka_unit_test(test_a_long_time_until_code_is_loaded_is_a_compilation),
		cmocka_unit_test(test_silences_do_not_overlap),
		cmocka_unit_test(test_warm_up_has_no_pauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

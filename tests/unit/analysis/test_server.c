/* A server waits for requests: what it records nothing of is no time that its host wastes. */
#include "analysis_cuda.h"

static int64_t cause_ns(struct fixture *f, const char *cause)
{
	return sql_int(f, "SELECT coalesce(sum(dur), 0) FROM gap WHERE cause = %Q", cause);
}

/* Two requests of a server: 1.9 ms without any slice between them, then 300 us. */
static void requests(struct cuda *c)
{
	static const int64_t ts_us[] = {0, 2000, 2400};

	cuda_open(c);
	c->f.timeline->labels[c->op].name_class = TC_CLASS_MATRIX;
	for (size_t i = 0; i < 3; i++) {
		add_span(&c->f, c->main, c->op, ts_us[i] * US, 100 * US);
		struct tc_span launch =
			add_span(&c->f, c->main, c->launch, (ts_us[i] + 90) * US, 5 * US);
		launch_work(&c->f,
			&(struct work){c->stream[0], c->kernel, (ts_us[i] + 95) * US, 5 * US},
			&launch, -1);
	}
}

static void test_a_silent_server_has_no_work(void **state)
{
	(void)state;
	struct cuda c;
	requests(&c);
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "no_work"), 1900 * US);
	assert_int_equal(cause_ns(&c.f, "host_other"), 300 * US);
	fixture_close(&c.f);
	/* The same with turns of the server's loop: silence within one is the host's. */
	requests(&c);
	struct tc_span turn = add_span(&c.f, c.main, c.step, 0, 1000 * US);
	add_step(&c.f, &turn, 0);
	turn = add_span(&c.f, c.main, c.step, 2000 * US, 500 * US);
	add_step(&c.f, &turn, 1);
	c.f.timeline->steps_are_iterations = true;
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "no_work"), 1000 * US);
	assert_int_equal(cause_ns(&c.f, "host_other"), 1200 * US);
	fixture_close(&c.f);
	/* What trains is no server. */
	requests(&c);
	uint32_t update =
		add_label(&c.f, "cpu_op", "aten::_fused_adamw_", TC_ROLE_DISPATCH, TC_ENGINE_NONE);
	c.f.timeline->labels[update].phase = TC_PHASE_OPTIMIZER;
	add_span(&c.f, c.main, update, 2500 * US, 100 * US);
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "no_work"), 0);
	assert_int_equal(cause_ns(&c.f, "host_other"), 2200 * US);
	fixture_close(&c.f);
}

/* A loop that is silent between all its turns works there itself; once it waits for a request. */
static void test_usual_pauses_are_the_hosts(void **state)
{
	(void)state;
	struct cuda c;
	int64_t ts_us = 0;

	cuda_open(&c);
	c.f.timeline->labels[c.op].name_class = TC_CLASS_MATRIX;
	for (int i = 0; i < 10; i++) {
		struct tc_span turn = add_span(&c.f, c.main, c.step, ts_us * US, 100 * US);
		add_step(&c.f, &turn, i);
		add_span(&c.f, c.main, c.op, ts_us * US, 100 * US);
		struct tc_span launch = add_span(&c.f, c.main, c.launch, (ts_us + 90) * US, 5 * US);
		launch_work(&c.f, &(struct work){c.stream[0], c.kernel, (ts_us + 95) * US, 5 * US},
			&launch, -1);
		ts_us += 100 + (i == 4 ? 40000 : 8000);
	}
	c.f.timeline->steps_are_iterations = true;
	analyze(&c.f);
	assert_int_equal(cause_ns(&c.f, "no_work"), 40000 * US);
	assert_int_equal(cause_ns(&c.f, "host_other"), 8 * 8000 * US);
	fixture_close(&c.f);
}

/* Steps are asked of what has a loop: training, or a loader. Requests alone are none, whatever
 * their layers. */
static void test_only_training_and_loaders_show_a_loop(void **state)
{
	(void)state;
	struct cuda c;
	requests(&c);
	analyze(&c.f);
	assert_metric(&c.f, "has_loop", NULL, NO_STEP, 0);
	assert_metric(&c.f, "is_server", NULL, NO_STEP, 1);
	fixture_close(&c.f);
	requests(&c);
	c.f.timeline->labels[c.op].name_class = TC_CLASS_NONE;
	analyze(&c.f);
	assert_metric(&c.f, "has_loop", NULL, NO_STEP, 0);
	assert_int_equal(metric(&c.f, "is_server", NULL, NO_STEP), INT64_MIN);
	fixture_close(&c.f);
	requests(&c);
	uint32_t loader = add_label(
		&c.f, "user_annotation", "next batch", TC_ROLE_DATALOADER, TC_ENGINE_NONE);
	add_span(&c.f, c.main, loader, 2500 * US, 100 * US);
	analyze(&c.f);
	assert_metric(&c.f, "has_loop", NULL, NO_STEP, 1);
	fixture_close(&c.f);
	requests(&c);
	struct tc_span step = add_span(&c.f, c.main, c.step, 0, 1000 * US);
	add_step(&c.f, &step, 0);
	analyze(&c.f);
	assert_metric(&c.f, "has_loop", NULL, NO_STEP, 1);
	fixture_close(&c.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_silent_server_has_no_work),
		cmocka_unit_test(test_usual_pauses_are_the_hosts),
		cmocka_unit_test(test_only_training_and_loaders_show_a_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

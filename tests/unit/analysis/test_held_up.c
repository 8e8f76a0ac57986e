/* Launches that wait for room in the queue of a device: they last beyond what is usual for their
 * name, while the device works and their own work is not next. */
#include "analysis_cuda.h"

enum { QUICK = 12 };

static int64_t blocked_ns(struct fixture *f)
{
	return metric(f, "host_sync_own_ns", NULL, NO_STEP);
}

/* Quick launches of 5 us, then one of 300 us at 500 us. The device works until busy_until_ns, and
 * starts what the long launch handed over at starts_ns. */
static void launch_into_queue(struct cuda *c, int64_t busy_until_ns, int64_t starts_ns)
{
	struct tc_span call;

	cuda_open(c);
	for (int64_t i = 0; i < QUICK; i++)
		call = add_span(&c->f, c->main, c->launch, i * 10 * US, 5 * US);
	launch_work(&c->f,
		&(struct work){c->stream[0], c->kernel, 120 * US, busy_until_ns - 120 * US}, &call,
		-1);
	call = add_span(&c->f, c->main, c->launch, 500 * US, 300 * US);
	launch_work(&c->f, &(struct work){c->stream[0], c->kernel, starts_ns, 50 * US}, &call, -1);
	analyze(&c->f);
}

static void a_launch_into_a_full_queue_waits(void **state)
{
	(void)state;
	struct cuda c;
	launch_into_queue(&c, 2000 * US, 2000 * US);
	assert_int_equal(blocked_ns(&c.f), 300 * US);
	assert_metric(&c.f, "sync_blocked_ns", NULL, NO_STEP, 300 * US);
	assert_metric(&c.f, "host_launch_own_ns", NULL, NO_STEP, QUICK * 5 * US);
	assert_int_equal(sql_int(&c.f, "SELECT count(*) FROM host_event WHERE role = 'sync'"), 0);
	fixture_close(&c.f);
}

static void a_launch_whose_work_is_next_does_not(void **state)
{
	(void)state;
	struct cuda c;
	launch_into_queue(&c, 805 * US, 805 * US);
	assert_int_equal(blocked_ns(&c.f), 0);
	fixture_close(&c.f);
}

static void a_launch_beside_an_idle_device_does_not(void **state)
{
	(void)state;
	struct cuda c;
	launch_into_queue(&c, 790 * US, 900 * US);
	assert_int_equal(blocked_ns(&c.f), 0);
	assert_metric(&c.f, "host_launch_own_ns", NULL, NO_STEP, (QUICK * 5 + 300) * US);
	fixture_close(&c.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_launch_into_a_full_queue_waits),
		cmocka_unit_test(a_launch_whose_work_is_next_does_not),
		cmocka_unit_test(a_launch_beside_an_idle_device_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tasks on threads of their own, and those that run when they are asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/threads/task.h"

struct work {
	int run_count;
	pthread_t ran_on;
};

static void run(void *user)
{
	struct work *work = user;

	work->run_count++;
	work->ran_on = pthread_self();
}

static void runs_once(void **state)
{
	(void)state;
	for (int on_thread = 0; on_thread < 2; on_thread++) {
		struct work work = {0};
		struct tc_task task;

		tc_task_begin(&task, NULL, on_thread, run, &work);
		tc_task_end(&task);
		tc_task_end(&task);
		tc_task_drop(&task);
		assert_int_equal(work.run_count, 1);
		assert_int_equal(!pthread_equal(work.ran_on, pthread_self()), on_thread);
	}
}

static void without_a_thread_runs_when_asked_for(void **state)
{
	struct work work = {0};
	struct tc_task task;

	(void)state;
	tc_task_begin(&task, NULL, false, run, &work);
	assert_int_equal(work.run_count, 0);
	tc_task_drop(&task);
	tc_task_end(&task);
	assert_int_equal(work.run_count, 0);
}

static void dropping_waits_for_the_thread(void **state)
{
	struct work work = {0};
	struct tc_task task;

	(void)state;
	tc_task_begin(&task, NULL, true, run, &work);
	tc_task_drop(&task);
	assert_int_equal(work.run_count, 1);
}

static void all_zero_is_done(void **state)
{
	struct tc_task task = {0};

	(void)state;
	tc_task_drop(&task);
	tc_task_end(&task);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_once),
		cmocka_unit_test(without_a_thread_runs_when_asked_for),
		cmocka_unit_test(dropping_waits_for_the_thread),
		cmocka_unit_test(all_zero_is_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

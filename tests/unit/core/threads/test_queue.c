/* Bounded queues, alone and between two threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <time.h>

#include "core/alloc.h"
#include "core/threads/queue.h"

static void keeps_the_order_around_its_end(void **state)
{
	struct tc_queue *queue = tc_queue_new(3);
	int items[10];

	(void)state;
	assert_null(tc_queue_try_take(queue));
	for (int i = 0; i < 10; i += 2) {
		assert_true(tc_queue_put(queue, &items[i]));
		assert_true(tc_queue_put(queue, &items[i + 1]));
		assert_ptr_equal(tc_queue_take(queue), &items[i]);
		assert_ptr_equal(tc_queue_try_take(queue), &items[i + 1]);
		assert_null(tc_queue_try_take(queue));
	}
	tc_queue_free(queue);
	tc_queue_free(NULL);
}

static void closed_queue_drains_and_refuses(void **state)
{
	struct tc_queue *queue = tc_queue_new(2);
	int first, second;

	(void)state;
	assert_true(tc_queue_put(queue, &first));
	tc_queue_close(queue);
	tc_queue_close(queue);
	assert_false(tc_queue_put(queue, &second));
	assert_ptr_equal(tc_queue_take(queue), &first);
	assert_null(tc_queue_take(queue));
	assert_null(tc_queue_try_take(queue));
	tc_queue_free(queue);
}

static void impossible_queues_are_refused(void **state)
{
	(void)state;
	assert_null(tc_queue_new(0));
	assert_null(tc_queue_new(SIZE_MAX / 2));
	tc_alloc_fail_after(0);
	assert_null(tc_queue_new(1));
	tc_alloc_fail_after(-1);
}

enum { ITEMS = 20000 };
static int numbers[ITEMS];

static void *put_all(void *user)
{
	for (int i = 0; i < ITEMS; i++) {
		if (!tc_queue_put(user, &numbers[i]))
			return &numbers[i];
	}
	tc_queue_close(user);
	return NULL;
}

static void every_item_crosses_in_order(void **state)
{
	(void)state;
	for (size_t capacity = 1; capacity < 5; capacity++) {
		struct tc_queue *queue = tc_queue_new(capacity);
		pthread_t thread;
		void *item, *refused;
		int taken = 0;
		assert_int_equal(pthread_create(&thread, NULL, put_all, queue), 0);
		while ((item = tc_queue_take(queue)) != NULL)
			assert_ptr_equal(item, &numbers[taken++]);
		pthread_join(thread, &refused);
		assert_null(refused);
		assert_int_equal(taken, ITEMS);
		tc_queue_free(queue);
	}
}

static void *close_soon(void *user)
{
	nanosleep(&(struct timespec){0, 20 * 1000 * 1000}, NULL);
	tc_queue_close(user);
	return NULL;
}

static void closing_wakes_who_waits(void **state)
{
	struct tc_queue *queue = tc_queue_new(1);
	pthread_t thread;
	int item;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, close_soon, queue), 0);
	assert_null(tc_queue_take(queue));
	pthread_join(thread, NULL);
	tc_queue_free(queue);

	queue = tc_queue_new(1);
	assert_true(tc_queue_put(queue, &item));
	assert_int_equal(pthread_create(&thread, NULL, close_soon, queue), 0);
	assert_false(tc_queue_put(queue, &item)); /* full until it is closed */
	pthread_join(thread, NULL);
	assert_ptr_equal(tc_queue_take(queue), &item);
	tc_queue_free(queue);
}

/* The taker gives up in the middle; the putter must hear of it. */
static void taker_may_close(void **state)
{
	struct tc_queue *queue = tc_queue_new(2);
	pthread_t thread;
	void *refused;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, put_all, queue), 0);
	for (int i = 0; i < 100; i++)
		assert_ptr_equal(tc_queue_take(queue), &numbers[i]);
	tc_queue_close(queue);
	pthread_join(thread, &refused);
	assert_non_null(refused);
	while (tc_queue_try_take(queue))
		;
	tc_queue_free(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_order_around_its_end),
		cmocka_unit_test(closed_queue_drains_and_refuses),
		cmocka_unit_test(impossible_queues_are_refused),
		cmocka_unit_test(every_item_crosses_in_order),
		cmocka_unit_test(closing_wakes_who_waits),
		cmocka_unit_test(taker_may_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Batches of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/alloc.h"
#include "store/batch.h"

static void rows_are_counted_and_zeroed(void **state)
{
	struct tc_batch *batch = tc_batch_new();

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 100; i++) {
			struct tc_slice_row *slice = tc_batch_add_slice(batch);
			assert_int_equal(slice->ts_ns, 0);
			assert_int_equal(slice->args.form_id, 0);
			slice->id = slice->ts_ns = slice->args.form_id = (int64_t)i;
			struct tc_instant_row *instant = tc_batch_add_instant(batch);
			assert_int_equal(instant->scope, 0);
			instant->scope = 'g';
			struct tc_counter_row *counter = tc_batch_add_counter(batch);
			assert_true(counter->value == 0);
			counter->value = 1;
			struct tc_memory_row *memory = tc_batch_add_memory(batch);
			assert_int_equal(memory->addr, 0);
			memory->addr = 1;
		}
		assert_int_equal(batch->slice_count, 100);
		assert_int_equal(batch->instant_count, 100);
		assert_int_equal(batch->counter_count, 100);
		assert_int_equal(batch->memory_count, 100);
		assert_int_equal(batch->slices[99].id, 99);
		tc_buf_append_string(&batch->text, "text");
		size_t kept = batch->slice_capacity;
		tc_batch_reset(batch);
		assert_int_equal(batch->slice_count + batch->instant_count + batch->counter_count +
					 batch->memory_count + batch->text.len,
			0);
		assert_int_equal(batch->slice_capacity, kept);
	}
	tc_batch_free(batch);
	tc_batch_free(NULL);
}

static void survives_failed_allocations(void **state)
{
	(void)state;
	tc_alloc_fail_after(0);
	assert_null(tc_batch_new());
	tc_alloc_fail_after(-1);
	struct tc_batch *batch = tc_batch_new();
	tc_alloc_fail_after(0);
	assert_null(tc_batch_add_slice(batch));
	assert_int_equal(batch->slice_count, 0);
	assert_non_null(tc_batch_add_slice(batch)); /* only one failed */
	tc_alloc_fail_after(0);
	assert_null(tc_batch_add_memory(batch));
	tc_alloc_fail_after(-1);
	assert_int_equal(batch->slice_count, 1);
	assert_int_equal(batch->memory_count, 0);
	tc_batch_free(batch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_counted_and_zeroed),
		cmocka_unit_test(survives_failed_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

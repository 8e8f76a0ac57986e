/* First sets against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "core/collections/first_set.h"

static size_t first_of(const bool *is_in, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_in[i])
			return i;
	return TC_FIRST_SET_NONE;
}

/* Numbers come and go, near the start of the range and all over it. */
static void try_count(size_t count)
{
	static bool is_in[70000];
	struct tc_first_set set;
	uint32_t random = 7;

	memset(is_in, 0, sizeof(is_in));
	assert_true(tc_first_set_init(&set, count));
	assert_true(tc_first_set_first(&set) == TC_FIRST_SET_NONE);
	for (int i = 0; i < 3000 && count > 0; i++) {
		random = random * 1664525 + 1013904223;
		size_t number = (random >> 8) % count;
		if (random >> 31)
			number /= 1000;
		is_in[number] = random >> 30 & 1;
		tc_first_set_put(&set, number, is_in[number]);
		assert_int_equal(tc_first_set_first(&set), first_of(is_in, count));
	}
	for (size_t i = 0; i < count; i++)
		tc_first_set_put(&set, i, false);
	assert_true(tc_first_set_first(&set) == TC_FIRST_SET_NONE);
	tc_first_set_clear(&set);
}

static void finds_the_lowest(void **state)
{
	const size_t counts[] = {0, 1, 2, 63, 64, 65, 4095, 4096, 4097, 70000};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		try_count(counts[i]);
}

static void cleared_set_is_empty(void **state)
{
	struct tc_first_set set = {0};

	(void)state;
	assert_true(tc_first_set_first(&set) == TC_FIRST_SET_NONE);
	tc_first_set_clear(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_lowest),
		cmocka_unit_test(cleared_set_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

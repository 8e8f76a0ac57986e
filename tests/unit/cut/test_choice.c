/* What a cut takes of a file that grows while it is read twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cut/choice.h"

static void events_beyond_the_first_pass_are_not_wanted(void **state)
{
	const struct tc_raw_event begin = {
		.ph = 'B', .ts_state = TC_TIME_OK, .ts_ns = 5, .name = TC_TEXT("a")};
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_choice choice = {.ctx = ctx, .range = {0, 10}};

	(void)state;
	tc_choice_see(&choice, &begin);
	tc_choice_decide(&choice);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	assert_true(tc_choice_wants(&choice, &begin));
	choice.asked_count = INT64_C(1) << 40; /* after as many events more */
	assert_false(tc_choice_wants(&choice, &begin));
	tc_choice_clear(&choice);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_beyond_the_first_pass_are_not_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

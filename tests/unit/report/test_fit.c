/* Texts made fit for a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "core/alloc.h"
#include "tracecoach/heuristic.h"
#include "tracecoach/text.h"

static void check(char *text, const char *want)
{
	assert_non_null(text);
	assert_string_equal(text, want);
	free(text);
}

static void a_line_is_safe_and_short_enough(void **state)
{
	(void)state;
	check(tc_text_line("a\nb\033[2J\xff", -1), "a?b?[2J?");
	check(tc_text_line("abcdef", 3), "abc");
	check(tc_text_line("\xe4\xb8\xad\xe6\x96\x87", 3), "\xe4\xb8\xad"); /* two columns each */
	check(tc_text_line("abc", 0), "");
	check(tc_text_line("", -1), "");
}

static void text_is_wrapped_behind_its_label(void **state)
{
	(void)state;
	check(tc_text_wrap("  id", "one two three four five six seven", 6, 32),
		"  id  one two three four five\n      six seven\n");
	/* The label leaves no room. */
	check(tc_text_wrap("a long label", "one two", 6, 32), "a long label\n    one two\n");
	check(tc_text_wrap("", "one two", 2, 80), "  one two\n");
}

static void terms_suit_all_vendors(void **state)
{
	char *text = tc_heuristic_text("Use {graphs}, keep {braces}");

	(void)state;
	check(text, "Use HPU Graphs, CUDA or HIP graphs, keep {braces}");
}

static void without_memory_there_is_no_text(void **state)
{
	(void)state;
	tc_alloc_fail_after(0);
	char *line = tc_text_line("text", -1);
	tc_alloc_fail_after(0);
	char *lines = tc_text_wrap("", "text", 2, 80);
	tc_alloc_fail_after(-1);
	assert_null(line);
	assert_null(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_safe_and_short_enough),
		cmocka_unit_test(text_is_wrapped_behind_its_label),
		cmocka_unit_test(terms_suit_all_vendors),
		cmocka_unit_test(without_memory_there_is_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

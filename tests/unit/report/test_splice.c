/* The place for events is in front of the first one, however the text comes in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "report/viewer/viewer.h"

/* The mark @ stands at the place; a text without it has none. */
static const struct {
	const char *text;
	bool is_lines;
} texts[] = {
	{"{\"traceEvents\": [@{\"a\": 1}]}", false},
	{"{\"traceEvents\":[@]}", false},
	{"{\"traceEvents\" \n:\t[\r\n  @{}]}", false},
	{"{\"traceEvents\": [  @", false},
	{"[@{}]", false},
	{"\xef\xbb\xbf [ @{}, {\"traceEvents\": [1]}]", false},
	{"{\"a\": {\"traceEvents\": [1]}, \"b\": [\"traceEvents\"], \"traceEvents\": [@{}]}",
		false},
	{"{\"a\": \"\\\"traceEvents\\\": [\", \"traceEvents\": [@{}]}", false},
	{"{\"a\\\\\": \"traceEvents\", \"traceEventsX\": [1], \"traceEvent\": [2], "
	 "\"traceEvents\": [@{}]}",
		false},
	{"{\"traceEvents\": {\"a\": [1]}, \"b\": [2]}", false},
	{"{\"traceEvents\"", false},
	{"", false},
	{" \n@{\"ph\": \"X\"}\n{\"ph\": \"X\"}\n", true},
};

/* Reads a text in pieces of a length, with the mark taken out. */
static void check(const char *text, bool is_lines, size_t piece)
{
	const char *mark = strchr(text, '@');
	size_t place = mark ? (size_t)(mark - text) : strlen(text), at = 0;
	char plain[256];
	struct tc_splice splice;

	size_t len = strlen(text), behind = mark ? len - place - 1 : 0;
	assert_true(len < sizeof(plain));
	memcpy(plain, text, place);
	memcpy(plain + place, text + len - behind, behind);
	len = place + behind;
	tc_splice_init(&splice, is_lines);
	while (at < len && !splice.found) {
		size_t take = len - at < piece ? len - at : piece;
		at += tc_splice_scan(&splice, plain + at, take);
	}
	if (!splice.found)
		tc_splice_end(&splice);
	assert_int_equal(splice.found, mark != NULL);
	assert_int_equal(at, place);
	if (mark)
		assert_int_equal(splice.next, mark[1]);
}

static void test_place_in_pieces_of_any_length(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t piece = 1; piece < 80; piece++)
			check(texts[i].text, texts[i].is_lines, piece);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_place_in_pieces_of_any_length)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

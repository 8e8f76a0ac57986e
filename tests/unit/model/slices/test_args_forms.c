/* What SQLite makes of a form and its numbers is the text that was seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "model/slices/args_forms.h"

struct run {
	sqlite3 *db;
	sqlite3_stmt *print;
	struct tc_args_forms *forms;
	char *patterns[4096];
	uint32_t bits[4096];
	int64_t next_id;
};

static void open_run(struct run *run)
{
	*run = (struct run){.forms = tc_args_forms_new()};
	assert_non_null(run->forms);
	assert_int_equal(sqlite3_open(":memory:", &run->db), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(run->db,
			"SELECT printf(?1, ?2 & ((1 << ?3) - 1), ?2 >> ?3 & ((1 << ?3) - 1),"
			" ?2 >> 2 * ?3)",
			-1, &run->print, NULL),
		SQLITE_OK);
}

static void close_run(struct run *run)
{
	for (int64_t i = 0; i < run->next_id; i++)
		free(run->patterns[i]);
	sqlite3_finalize(run->print);
	sqlite3_close(run->db);
	tc_args_forms_free(run->forms);
}

/* What tc_args_forms_match() says of text; when it is a form, that text comes back from it. */
static enum tc_args_match see(struct run *run, const char *text, bool has_id)
{
	struct tc_row_args args = {0};
	struct tc_buf pattern = TC_BUF_EMPTY;
	enum tc_args_match match =
		tc_args_forms_match(run->forms, tc_text_from(text), has_id, 0, run->next_id, &args);

	if (match == TC_ARGS_FIRST)
		return match;
	if (match == TC_ARGS_NEW_FORM) {
		assert_true(run->next_id < 4096);
		run->bits[run->next_id] =
			tc_args_forms_append_pattern(&pattern, tc_text_from(text), has_id);
		run->patterns[run->next_id++] = strdup(tc_buf_string(&pattern));
		tc_buf_clear(&pattern);
	}
	sqlite3_bind_text(run->print, 1, run->patterns[args.form_id], -1, SQLITE_STATIC);
	sqlite3_bind_int64(run->print, 2, args.numbers);
	sqlite3_bind_int64(run->print, 3, run->bits[args.form_id]);
	assert_int_equal(sqlite3_step(run->print), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(run->print, 0), text);
	sqlite3_reset(run->print);
	sqlite3_clear_bindings(run->print);
	return match;
}

static void numbers_of_events_are_left_out(void **state)
{
	struct run run;

	(void)state;
	open_run(&run);
	assert_int_equal(
		see(&run, "{\"External id\":7,\"a\":\"50%\",\"Ev Idx\":6}", true), TC_ARGS_FIRST);
	assert_int_equal(see(&run, "{\"External id\":8,\"a\":\"50%\",\"Ev Idx\":12}", true),
		TC_ARGS_NEW_FORM);
	assert_int_equal(
		see(&run, "{\"External id\":0,\"a\":\"50%\",\"Ev Idx\":3}", true), TC_ARGS_KNOWN);
	/* Two have 24 bits each, and 31 from a larger one on. */
	assert_int_equal(
		see(&run, "{\"External id\":16777215,\"a\":\"50%\",\"Ev Idx\":16777215}", true),
		TC_ARGS_KNOWN);
	assert_int_equal(
		see(&run, "{\"External id\":2147483647,\"a\":\"50%\",\"Ev Idx\":16777216}", true),
		TC_ARGS_NEW_FORM);
	assert_int_equal(
		see(&run, "{\"External id\":0,\"a\":\"50%\",\"Ev Idx\":3}", true), TC_ARGS_KNOWN);
	assert_int_equal(
		see(&run, "{\"External id\":2147483647,\"a\":\"50%\",\"Ev Idx\":2147483647}", true),
		TC_ARGS_KNOWN);
	assert_int_equal(see(&run, "{\"External id\":1,\"a\":\"50%\",\"Ev Idx\":2147483648}", true),
		TC_ARGS_FIRST);
	/* Without the word that there are any, they are part of the text. */
	assert_int_equal(
		see(&run, "{\"External id\":9,\"a\":\"50%\",\"Ev Idx\":3}", false), TC_ARGS_FIRST);
	/* Only the first three, of 21 bits each. */
	static const char *const four =
		"{\"correlation\":%d,\"Ev Idx\":2,\"External id\":3,\"Python id\":%d}";
	char text[100];
	for (int i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), four, i, 5);
		assert_int_equal(
			see(&run, text, true), i > 2 ? TC_ARGS_KNOWN : (enum tc_args_match)i);
	}
	snprintf(text, sizeof(text), four, 2097151, 5);
	assert_int_equal(see(&run, text, true), TC_ARGS_KNOWN);
	snprintf(text, sizeof(text), four, 2097152, 5);
	assert_int_equal(see(&run, text, true), TC_ARGS_FIRST);
	snprintf(text, sizeof(text), four, 1, 6);
	assert_int_equal(see(&run, text, true), TC_ARGS_FIRST);
	close_run(&run);
}

/* Written otherwise than an int64 is, or no value of a member that numbers events. */
static void other_numbers_stay(void **state)
{
	static const char *const values[][2] = {
		{"{\"correlation\":01}", "{\"correlation\":02}"},
		{"{\"correlation\":-1}", "{\"correlation\":-2}"},
		{"{\"correlation\":1.5}", "{\"correlation\":2.5}"},
		{"{\"correlation\":1e5}", "{\"correlation\":2e5}"},
		{"{\"correlation\":1234567890123456789}", "{\"correlation\":1234567890123456780}"},
		{"{\"correlation\":\"1\"}", "{\"correlation\":\"2\"}"},
		{"{\"stream\":1}", "{\"stream\":2}"},
		{"{\"xcorrelation\":1}", "{\"xcorrelation\":2}"},
		{"{\"a\":\"correlation\\\":1,\"}", "{\"a\":\"correlation\\\":2,\"}"},
		{"\"correlation\":1", "\"correlation\":2"},
	};
	struct run run;

	(void)state;
	open_run(&run);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		assert_int_equal(see(&run, values[i][0], true), TC_ARGS_FIRST);
		assert_int_equal(see(&run, values[i][1], true), TC_ARGS_FIRST);
	}
	close_run(&run);
}

/* The byte that stands for a number may come from a damaged file. */
static void bytes_of_our_own_are_no_numbers(void **state)
{
	struct run run;

	(void)state;
	open_run(&run);
	for (int i = 0; i < 3; i++)
		assert_int_equal(see(&run, "{\"correlation\":\1}", true), TC_ARGS_FIRST);
	assert_int_equal(see(&run, "{\"correlation\":1}", true), TC_ARGS_NEW_FORM);
	assert_int_equal(see(&run, "{\"correlation\":2}", true), TC_ARGS_KNOWN);
	assert_int_equal(see(&run, "{\"correlation\":\1}", true), TC_ARGS_FIRST);
	close_run(&run);
}

static void long_and_empty_texts_have_no_form(void **state)
{
	char text[16002] = "";
	struct run run;

	(void)state;
	open_run(&run);
	assert_int_equal(see(&run, "", true), TC_ARGS_FIRST);
	assert_int_equal(see(&run, "", true), TC_ARGS_FIRST);
	memset(text, 'x', 16000);
	assert_int_equal(see(&run, text, true), TC_ARGS_FIRST);
	assert_int_equal(see(&run, text, true), TC_ARGS_NEW_FORM);
	text[16000] = 'x';
	assert_int_equal(see(&run, text, true), TC_ARGS_FIRST);
	assert_int_equal(see(&run, text, true), TC_ARGS_FIRST);
	close_run(&run);
}

/* As many bytes as there may be, and no more: what comes later is stored as text. */
static void the_cache_has_an_end(void **state)
{
	enum { LEN = 16000, COUNT = 600 };
	char text[LEN + 1] = "";
	int known_count = 0;
	struct run run;

	(void)state;
	open_run(&run);
	memset(text, 'x', LEN);
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, 10, "%08d", i);
		text[8] = 'x';
		assert_int_equal(see(&run, text, true), TC_ARGS_FIRST);
		known_count += see(&run, text, true) == TC_ARGS_NEW_FORM;
	}
	assert_in_range(known_count, 400, 8000000 / LEN + 40);
	close_run(&run);
}

/* Pieces that are awkward for the search, for printf() and for each other. */
static void any_text_comes_back(void **state)
{
	static const char *const pieces[] = {"\"External id\":", "\"correlation\":", "\"Ev Idx\":",
		"1", "0", "23", "999999999999999999", "1000000000000000000", ",", "}", "{", "\"",
		":", "%", "%d", "%%", "\\", "\\\"", "d", "x", "\xc3\xa4", "\"Ev Idx\":5,"};
	const int piece_count = sizeof(pieces) / sizeof(pieces[0]);
	int known_count = 0;
	struct run run;

	(void)state;
	srand(3);
	open_run(&run);
	for (int i = 0; i < 60000 && run.next_id < 4096; i++) {
		struct tc_buf text = TC_BUF_EMPTY;
		for (int n = 1 + rand() % 6; n > 0; n--)
			tc_buf_append_string(&text, pieces[rand() % piece_count]);
		known_count += see(&run, tc_buf_string(&text), rand() % 4 > 0) == TC_ARGS_KNOWN;
		tc_buf_clear(&text);
	}
	assert_true(known_count > 1000);
	close_run(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_events_are_left_out),
		cmocka_unit_test(other_numbers_stay),
		cmocka_unit_test(bytes_of_our_own_are_no_numbers),
		cmocka_unit_test(long_and_empty_texts_have_no_form),
		cmocka_unit_test(the_cache_has_an_end),
		cmocka_unit_test(any_text_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The library as programs of others use it: options that are zeroed, a report as one text, rows
 * with their types, a copy of a temporary store, a context that goes on after an error and an
 * interrupt, and messages in words that fit the caller.
 */
#include "store_files.h"

#include <limits.h>

#include "core/array.h"
#include "tracecoach/compare.h"
#include "tracecoach/cut.h"
#include "tracecoach/import.h"
#include "tracecoach/query.h"
#include "tracecoach/report.h"
#include "tracecoach/text.h"
#include "tracecoach/whatif.h"

struct run {
	struct tc_ctx *ctx;
	struct tc_settings *settings;
	struct tc_store *store;
	struct tc_advice *advice;
};

static struct run run_example(void)
{
	char path[PATH_MAX];
	const char *paths[] = {path};
	struct run run = {.ctx = tc_ctx_new()};

	snprintf(path, sizeof(path), "%s/testdata/trace_example.json", getenv("TC_SOURCE_DIR"));
	assert_int_equal(tc_settings_new(&run.settings, run.ctx, NULL), TC_OK);
	const struct tc_import_options options = {
		.size = sizeof(options), .settings = run.settings, .advice = &run.advice};
	if (tc_import(&run.store, run.ctx, paths, 1, NULL, &options))
		fail_msg("%s", tc_ctx_error(run.ctx));
	return run;
}

static void run_end(struct run *run)
{
	tc_store_close(run->store);
	tc_advice_free(run->advice);
	tc_settings_free(run->settings);
	tc_ctx_free(run->ctx);
}

static void a_report_is_one_text_with_zeroed_options(void **state)
{
	struct run run = run_example();
	const struct tc_report_options zeroed = {0}, of_step = {.has_step = true, .step = 0},
				       older = {.size = sizeof(older) - 8};

	(void)state;
	char *json = tc_report_json(run.ctx, run.store, run.advice, &zeroed);
	char *again = tc_report(run.ctx, run.store, run.advice, "json", NULL);
	assert_non_null(json);
	assert_string_equal(json, again);
	assert_non_null(strstr(json, "\"dataloader-bound\""));
	tc_text_free(json);
	tc_text_free(again);
	/* Each call that fails leaves a context that the next one can use. */
	assert_null(tc_report(run.ctx, run.store, run.advice, "text", &of_step));
	assert_string_equal(tc_ctx_error(run.ctx), "there is no step 0: the steps are 10 to 12");
	assert_null(tc_report(run.ctx, run.store, run.advice, "jsn", NULL));
	assert_string_equal(
		tc_ctx_error(run.ctx), "no report has the format 'jsn': did you mean json?");
	assert_null(tc_report(run.ctx, run.store, run.advice, "json", &older));
	assert_non_null(strstr(tc_ctx_error(run.ctx), "compile the program with the headers"));
	char *text = tc_report(run.ctx, run.store, run.advice, "text", NULL);
	assert_non_null(text);
	assert_null(strstr(text, " --"));
	assert_non_null(strstr(text, "details shows "));
	tc_text_free(text);
	run_end(&run);
}

static int count_rows(void *user, const struct tc_row_batch *rows)
{
	*(size_t *)user += rows->row_count;
	return 0;
}

static int check_row(void *user, const struct tc_row_batch *rows)
{
	const struct tc_value *row = rows->values;

	*(bool *)user = true;
	assert_int_equal(rows->row_count, 1);
	assert_int_equal(rows->column_count, 6);
	assert_string_equal(rows->names[0], "a");
	assert_string_equal(rows->names[1], "a");
	assert_int_equal(row[0].kind, TC_VALUE_INTEGER);
	assert_true(row[0].integer == INT64_MIN);
	assert_int_equal(row[1].kind, TC_VALUE_REAL);
	assert_true(row[1].real == 0.5);
	assert_int_equal(row[2].kind, TC_VALUE_TEXT);
	assert_int_equal(row[2].len, 4);
	assert_memory_equal(row[2].bytes, "l'\xc3\xa4", 4);
	assert_int_equal(row[3].kind, TC_VALUE_BLOB);
	assert_int_equal(row[3].len, 2);
	assert_memory_equal(row[3].bytes, "\0\1", 2);
	assert_int_equal(row[4].kind, TC_VALUE_NULL);
	assert_int_equal(row[5].kind, TC_VALUE_TEXT);
	assert_int_equal(row[5].len, 0);
	assert_int_equal(rows->byte_count, 6);
	return 0;
}

static int stop_at_once(void *user, const struct tc_row_batch *rows)
{
	(void)user;
	(void)rows;
	return -1;
}

static void rows_keep_types_and_parameters(void **state)
{
	struct run run = run_example();
	const struct tc_query_param params[] = {
		{":least", {.kind = TC_VALUE_INTEGER, .integer = INT64_MIN}},
		{":half", {.kind = TC_VALUE_REAL, .real = 0.5}},
		{":text", {.kind = TC_VALUE_TEXT, .bytes = "l'\xc3\xa4", .len = 4}},
		{":blob", {.kind = TC_VALUE_BLOB, .bytes = "\0\1", .len = 2}},
		{":none", {.kind = TC_VALUE_NULL}},
	};
	struct tc_query_options options = {.params = params, .param_count = TC_COUNT_OF(params)};
	bool called = false;
	size_t count = 0;

	(void)state;
	if (tc_query_rows(run.ctx, run.store,
		    "SELECT :least AS a, :half AS a, :text, :blob, :none, ''", &options, check_row,
		    &called))
		fail_msg("%s", tc_ctx_error(run.ctx));
	assert_true(called);
	options.param_count--;
	assert_int_equal(
		tc_query_rows(run.ctx, run.store, "SELECT :a, :b", &options, count_rows, &count),
		TC_ERR_USAGE);
	assert_string_equal(
		tc_ctx_error(run.ctx), "the statement has 2 parameters, and 4 values were given");
	options.param_count = 1;
	assert_int_equal(
		tc_query_rows(run.ctx, run.store, "SELECT ?, ?", &options, count_rows, &count),
		TC_ERR_USAGE);
	assert_string_equal(
		tc_ctx_error(run.ctx), "the statement has 2 parameters, and 1 value was given");
	assert_int_equal(
		tc_query_rows(run.ctx, run.store, "SELECT :a", &options, count_rows, &count),
		TC_ERR_USAGE);
	assert_string_equal(tc_ctx_error(run.ctx), "the statement has no parameter :least");
	/* More rows than a batch has: all of them arrive. */
	assert_int_equal(tc_query_rows(run.ctx, run.store,
				 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
				 " LIMIT 100000) SELECT i, 'x' || i FROM n",
				 NULL, count_rows, &count),
		TC_OK);
	assert_int_equal(count, 100000);
	assert_int_equal(
		tc_query_rows(run.ctx, run.store, "SELECT 1 WHERE 0", NULL, stop_at_once, NULL),
		TC_ERR_IO);
	assert_int_equal(
		tc_query_rows(run.ctx, run.store, "SELECT 1 FROM stp", NULL, count_rows, &count),
		TC_ERR_USAGE);
	assert_non_null(strstr(tc_ctx_error(run.ctx), "did you mean step?"));
	assert_null(strstr(tc_ctx_error(run.ctx), "--"));
	run_end(&run);
}

/* Nothing of a struct of another version is read: its members may lie elsewhere. */
static void options_of_another_size_are_refused(void **state)
{
	static const char *const paths[] = {"trace.json"};
	struct run run = run_example();
	struct tc_settings *settings = NULL;
	struct tc_store *store = NULL;
	struct tc_cut_counts counts;
	struct tc_settings_options of_settings;
	struct tc_import_options of_import;
	struct tc_query_options of_query;
	struct tc_whatif_options of_whatif;
	struct tc_cut_options of_cut;

	(void)state;
	memset(&of_settings, 0xa5, sizeof(of_settings));
	memset(&of_import, 0xa5, sizeof(of_import));
	memset(&of_query, 0xa5, sizeof(of_query));
	memset(&of_whatif, 0xa5, sizeof(of_whatif));
	memset(&of_cut, 0xa5, sizeof(of_cut));
	assert_int_equal(tc_settings_new(&settings, run.ctx, &of_settings), TC_ERR_USAGE);
	assert_int_equal(tc_import(&store, run.ctx, paths, 1, NULL, &of_import), TC_ERR_USAGE);
	assert_int_equal(
		tc_query_rows(run.ctx, run.store, "SELECT 1", &of_query, stop_at_once, NULL),
		TC_ERR_USAGE);
	assert_int_equal(tc_whatif(run.ctx, run.store, &of_whatif, TC_WHATIF_TEXT, NULL, NULL),
		TC_ERR_USAGE);
	assert_int_equal(tc_cut(&counts, run.ctx, run.store, &of_cut, NULL, NULL), TC_ERR_USAGE);
	assert_non_null(strstr(tc_ctx_error(run.ctx), "compile the program with the headers"));
	run_end(&run);
}

static int count_bytes(void *user, const char *data, size_t len)
{
	(void)data;
	*(size_t *)user += len;
	return 0;
}

/* No options are options without anything in them: the default settings, and no edit. */
static void whatif_needs_no_options(void **state)
{
	struct run run = run_example();
	const struct tc_whatif_options zeroed = {0};
	const char *const fixes[] = {"dataloader-bound", NULL};
	const struct tc_whatif_options of_fix = {.fixes = fixes};
	size_t none = 0, empty = 0, fixed = 0;

	(void)state;
	assert_int_equal(
		tc_whatif(run.ctx, run.store, NULL, TC_WHATIF_JSON, count_bytes, &none), TC_OK);
	assert_int_equal(
		tc_whatif(run.ctx, run.store, &zeroed, TC_WHATIF_JSON, count_bytes, &empty), TC_OK);
	assert_int_equal(
		tc_whatif(run.ctx, run.store, &of_fix, TC_WHATIF_JSON, count_bytes, &fixed), TC_OK);
	assert_true(none > 0 && none == empty && fixed != none);
	run_end(&run);
}

static void what_is_not_given_is_said(void **state)
{
	struct run run = run_example();
	const struct tc_compare_side sides[TC_COMPARE_SIDES] = {
		{.store = run.store}, {.store = run.store}};
	size_t count = 0;
	const struct tc_compare_output output = {count_bytes, &count};
	struct tc_compare_result result;
	struct tc_advice *advice = NULL;
	struct tc_store *store = NULL;

	(void)state;
	assert_null(tc_report(run.ctx, run.store, NULL, "json", NULL));
	assert_string_equal(tc_ctx_error(run.ctx), "a report needs advice: tc_advise_store()");
	assert_int_equal(
		tc_compare(&result, run.ctx, sides, tc_compare_formats(&count), NULL, &output),
		TC_ERR_USAGE);
	assert_int_equal(tc_advise_store(&advice, run.ctx, run.store, NULL), TC_ERR_USAGE);
	assert_int_equal(
		tc_query_rows(run.ctx, run.store, NULL, NULL, count_rows, &count), TC_ERR_USAGE);
	assert_int_equal(tc_import(&store, run.ctx, NULL, 0, NULL, NULL), TC_ERR_USAGE);
	assert_string_equal(tc_ctx_error(run.ctx), "no trace is named");
	run_end(&run);
}

static void a_temporary_store_is_saved(void **state)
{
	struct run run = run_example();
	struct tc_store *saved = NULL;
	size_t here = 0, there = 0;
	static const char sql[] = "SELECT id, name FROM slice";

	(void)state;
	assert_null(tc_store_path(run.store));
	if (tc_store_save(run.ctx, run.store, files.path) ||
		tc_store_open(&saved, run.ctx, files.path))
		fail_msg("%s", tc_ctx_error(run.ctx));
	assert_string_equal(tc_store_path(saved), files.path);
	assert_int_equal(tc_query_rows(run.ctx, run.store, sql, NULL, count_rows, &here), TC_OK);
	assert_int_equal(tc_query_rows(run.ctx, saved, sql, NULL, count_rows, &there), TC_OK);
	assert_true(here > 1000);
	assert_int_equal(here, there);
	/* Not over the file that the second store is read from. */
	assert_int_equal(tc_store_save(run.ctx, saved, files.path), TC_ERR_USAGE);
	assert_int_equal(tc_store_save(run.ctx, run.store, "/nowhere/trace.db"), TC_ERR_IO);
	tc_store_close(saved);
	run_end(&run);
}

static void an_interrupt_is_taken_back(void **state)
{
	struct run run = run_example();
	size_t count = 0;

	(void)state;
	tc_ctx_interrupt(run.ctx);
	assert_int_equal(tc_query_rows(run.ctx, run.store, "SELECT count(*) FROM slice", NULL,
				 count_rows, &count),
		TC_ERR_INTERRUPTED);
	tc_ctx_resume(run.ctx);
	assert_int_equal(tc_query_rows(run.ctx, run.store, "SELECT count(*) FROM slice", NULL,
				 count_rows, &count),
		TC_OK);
	assert_int_equal(count, 1);
	run_end(&run);
}

static void options_have_the_words_of_the_caller(void **state)
{
	static const struct tc_word none[] = {{NULL, NULL}},
				    own[] = {{"--set", "settings"}, {NULL, NULL}};
	const char *sets[] = {"nothing", NULL};
	const struct tc_settings_options options = {.sets = sets};
	struct tc_settings *settings = NULL;
	struct tc_ctx *ctx = tc_ctx_new();

	(void)state;
	assert_int_equal(tc_settings_new(&settings, ctx, &options), TC_ERR_USAGE);
	assert_non_null(strstr(tc_ctx_error(ctx), "sets nothing: "));
	tc_ctx_set_words(ctx, own);
	assert_int_equal(tc_settings_new(&settings, ctx, &options), TC_ERR_USAGE);
	assert_non_null(strstr(tc_ctx_error(ctx), "settings nothing: "));
	tc_ctx_set_words(ctx, none);
	assert_int_equal(tc_settings_new(&settings, ctx, &options), TC_ERR_USAGE);
	assert_non_null(strstr(tc_ctx_error(ctx), "--set nothing: "));
	tc_ctx_free(ctx);
}

static void commands_have_the_words_of_the_caller(void **state)
{
	static const struct tc_word own[] = {{"--sql", "sql"},
		{"tracecoach heuristics", "the tool heuristics"}, {"tracecoach", "the tools"},
		{NULL, NULL}};
	struct run run = run_example();
	const struct tc_report_options options = {.explain = "1", .sql = true};
	const char *only[] = {"nothing", NULL};
	const struct tc_settings_options wrong = {.only = only};
	struct tc_settings *settings = NULL;

	(void)state;
	assert_int_equal(tc_settings_new(&settings, run.ctx, &wrong), TC_ERR_USAGE);
	assert_non_null(strstr(tc_ctx_error(run.ctx), ": tc_heuristic_at() lists them"));
	char *typed = tc_report(run.ctx, run.store, run.advice, "text", &options);
	assert_non_null(strstr(typed, "tracecoach import"));
	assert_non_null(strstr(typed, "The whole page: tracecoach heuristics "));
	tc_ctx_set_words(run.ctx, own);
	assert_int_equal(tc_settings_new(&settings, run.ctx, &wrong), TC_ERR_USAGE);
	assert_non_null(strstr(tc_ctx_error(run.ctx), ": the tool heuristics lists them"));
	char *called = tc_report(run.ctx, run.store, run.advice, "text", &options);
	assert_null(strstr(called, "tracecoach "));
	assert_non_null(strstr(called, "The whole page: the tool heuristics "));
	tc_text_free(typed);
	tc_text_free(called);
	run_end(&run);
}

static void pages_are_those_of_the_documentation(void **state)
{
	size_t count = 0;

	(void)state;
	for (const struct tc_page *page = tc_pages(); page->name; page++, count++)
		assert_int_equal(strncmp(page->text, "# ", 2), 0);
	assert_int_equal(count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_report_is_one_text_with_zeroed_options, set_up_files, tear_down_files),
		cmocka_unit_test_setup_teardown(
			rows_keep_types_and_parameters, set_up_files, tear_down_files),
		cmocka_unit_test_setup_teardown(
			options_of_another_size_are_refused, set_up_files, tear_down_files),
		cmocka_unit_test(whatif_needs_no_options),
		cmocka_unit_test(what_is_not_given_is_said),
		cmocka_unit_test_setup_teardown(
			a_temporary_store_is_saved, set_up_files, tear_down_files),
		cmocka_unit_test_setup_teardown(
			an_interrupt_is_taken_back, set_up_files, tear_down_files),
		cmocka_unit_test(options_have_the_words_of_the_caller),
		cmocka_unit_test(commands_have_the_words_of_the_caller),
		cmocka_unit_test(pages_are_those_of_the_documentation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every public call begins with a clear context: one that failed does not spoil the next. */
#include "store_files.h"
#include "catalogue_fixture.h"

#include "tracecoach/advice.h"
#include "tracecoach/cut.h"
#include "tracecoach/import.h"
#include "tracecoach/query.h"

static const char trace[] =
	"{\"traceEvents\":["
	"{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":5},"
	"{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":9,\"dur\":5}]}";

static char json[160];
static size_t written;

static int count_bytes(void *user, const char *bytes, size_t len)
{
	(void)user;
	(void)bytes;
	written += len;
	return 0;
}

/* The last call failed with this status; the next one has to begin anew. */
static void expect_failure(enum tc_status returned, enum tc_status wanted)
{
	assert_int_equal(returned, wanted);
	assert_int_equal(tc_ctx_status(files.ctx), wanted);
}

static void expect_success(enum tc_status returned)
{
	assert_int_equal(returned, TC_OK);
	assert_string_equal(tc_ctx_error(files.ctx), "");
}

static struct tc_store *import_trace(void)
{
	const struct tc_import_options options = {.inline_stages = true};
	const char *gone = "not/there.json", *path = json;
	struct tc_store *store = NULL;
	FILE *file;

	snprintf(json, sizeof(json), "%s/t.json", files.directory);
	file = fopen(json, "w");
	assert_non_null(file);
	fputs(trace, file);
	fclose(file);
	expect_failure(tc_import(&store, files.ctx, &gone, 1, files.path, &options), TC_ERR_READ);
	expect_success(tc_import(&store, files.ctx, &path, 1, files.path, &options));
	return store;
}

static void a_wrong_query_does_not_stop_the_next(void **state)
{
	struct tc_store *store = import_trace();

	(void)state;
	expect_failure(
		tc_query(files.ctx, store, "SELEC 1", NULL, count_bytes, NULL), TC_ERR_USAGE);
	written = 0;
	expect_success(
		tc_query(files.ctx, store, "SELECT name FROM slice", NULL, count_bytes, NULL));
	assert_true(written > 0);
	expect_failure(tc_query_schema(files.ctx, store, "nothing", NULL, count_bytes, NULL),
		TC_ERR_USAGE);
	expect_success(tc_query_schema(files.ctx, store, NULL, NULL, count_bytes, NULL));
	tc_store_close(store);
	unlink(json);
}

static void a_wrong_path_does_not_stop_the_next(void **state)
{
	struct tc_store *store = import_trace();

	(void)state;
	tc_store_close(store);
	store = NULL;
	expect_failure(tc_store_open(&store, files.ctx, json), TC_ERR_STORE);
	expect_success(tc_store_open(&store, files.ctx, files.path));
	tc_store_close(store);
	expect_failure(tc_store_open_any(&store, files.ctx, "not/there.db"), TC_ERR_READ);
	expect_success(tc_store_open_any(&store, files.ctx, files.path));
	expect_failure(tc_store_attach(files.ctx, store, "other", json), TC_ERR_STORE);
	expect_success(tc_store_attach(files.ctx, store, "other", files.path));
	expect_success(tc_store_check(files.ctx, store, true));
	tc_store_close(store);
	unlink(json);
}

static void a_wrong_part_does_not_stop_the_next(void **state)
{
	struct tc_cut_options options = {.steps = "7"};
	struct tc_cut_counts counts = {0, 0};
	struct tc_store *store = import_trace();
	struct tc_advice *advice = NULL;

	(void)state;
	expect_failure(
		tc_cut(&counts, files.ctx, store, &options, count_bytes, NULL), TC_ERR_USAGE);
	options = (struct tc_cut_options){.time = "0ns-2us"};
	expect_success(tc_cut_check(files.ctx, &options));
	written = 0;
	expect_success(tc_cut(&counts, files.ctx, store, &options, count_bytes, NULL));
	assert_int_equal(counts.kept_count, 1);
	assert_true(written > 0);
	options.steps = "7"; /* and a time */
	expect_failure(tc_cut_check(files.ctx, &options), TC_ERR_USAGE);
	expect_success(tc_advise_store(&advice, files.ctx, store, default_settings()));
	tc_advice_free(advice);
	tc_store_close(store);
	unlink(json);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_files, tear_down_files)
	const struct CMUnitTest tests[] = {
		TEST(a_wrong_query_does_not_stop_the_next),
		TEST(a_wrong_path_does_not_stop_the_next),
		TEST(a_wrong_part_does_not_stop_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

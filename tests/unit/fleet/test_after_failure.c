/* A call that failed does not harm the next one on its context: every public function that takes
 * one is called after a failure, with what lets it succeed. */
#define _XOPEN_SOURCE 700 /* mkdtemp(), nftw() */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecoach/compare.h"
#include "tracecoach/export.h"
#include "tracecoach/fleet.h"
#include "tracecoach/fleet_report.h"
#include "tracecoach/import.h"
#include "tracecoach/whatif.h"

static struct {
	struct tc_ctx *ctx;
	struct tc_settings *settings;
	struct tc_store *store, *index;
	struct tc_advice *advice;
	char trace[512], directory[64], store_path[96], index_path[96];
} it;

static const struct tc_report_options plain = {0};

static int drop(void *user, const char *bytes, size_t len)
{
	(void)user;
	(void)bytes;
	(void)len;
	return 0;
}

static const struct tc_compare_output nowhere = {drop, NULL};

static enum tc_status render(void)
{
	size_t count;
	const struct tc_renderer *renderers = tc_renderers(&count);
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < count && !status; i++)
		status = renderers[i].render(it.ctx, it.store, it.advice, &plain, drop, NULL);
	return status;
}

static enum tc_status compare(void)
{
	const struct tc_compare_side side = {it.store, it.advice, "run"};
	const struct tc_compare_side sides[TC_COMPARE_SIDES] = {side, side};
	struct tc_compare_result result;
	size_t count;

	return tc_compare(&result, it.ctx, sides, tc_compare_formats(&count), &plain, &nowhere);
}

static enum tc_status export_trace(void)
{
	struct tc_export *trace = NULL;
	enum tc_status status = tc_export_open(&trace, it.ctx, it.trace);

	tc_export_close(trace);
	return status;
}

static enum tc_status whatif(void)
{
	static const char *const edits[] = {"remove role = dataloader", NULL};
	const struct tc_whatif_options options = {.settings = it.settings, .edits = edits};

	return tc_whatif(it.ctx, it.store, &options, TC_WHATIF_JSON, drop, NULL);
}

static enum tc_status index_open(void)
{
	struct tc_store *index = NULL;
	enum tc_status status = tc_index_open(&index, it.ctx, it.index_path);

	tc_store_close(index);
	return status;
}

static void hear(void *user, const char *path, const char *reason)
{
	(void)user;
	fail_msg("%s: %s", path, reason);
}

static enum tc_status index_left_out(void)
{
	int64_t count = 0;
	enum tc_status status = tc_index_left_out(&count, it.ctx, it.index, hear, NULL);

	assert_int_equal(count, 1);
	return status;
}

static enum tc_status index_merge(void)
{
	const char *path = it.index_path;
	struct tc_merge_counts counts;
	char out[128];

	snprintf(out, sizeof(out), "%s/merged.db", it.directory);
	return tc_index_merge(&counts, it.ctx, &path, 1, out);
}

static enum tc_status fleet_report(void)
{
	const struct tc_fleet_report_input input = {.index = it.index, .path = "index"};
	struct tc_fleet_report_result result;
	size_t count;

	return tc_fleet_report(&result, it.ctx, &input, tc_fleet_formats(&count), &plain, &nowhere);
}

static void fail_call(void)
{
	struct tc_store *store = NULL;

	assert_int_not_equal(tc_store_open(&store, it.ctx, "/absent/store.db"), TC_OK);
	assert_non_null(strstr(tc_ctx_error(it.ctx), "/absent/store.db"));
}

static void begin(void *user, size_t trace)
{
	(void)user;
	(void)trace;
}

struct record {
	char *bytes;
	size_t len;
};

static void done(void *user, const char *bytes, size_t len)
{
	struct record *record = user;

	record->bytes = malloc(len);
	record->len = len;
	memcpy(record->bytes, bytes, len);
}

/* A batch of one trace, with a failure before each of its calls. */
static enum tc_status fleet(void)
{
	const char *path = it.trace;
	const struct tc_fleet_options options = {
		.paths = &path, .path_count = 1, .out = it.index_path, .settings = it.settings};
	struct tc_fleet *batch = NULL;
	struct record record = {0};
	const struct tc_fleet_reader reader = {begin, done, &record};
	size_t job;

	assert_int_equal(tc_fleet_open(&batch, it.ctx, &options), TC_OK);
	while (tc_fleet_next(batch, &job)) {
		fail_call();
		assert_int_equal(tc_fleet_read(batch, job, &reader), TC_OK);
		fail_call();
		assert_int_equal(tc_fleet_take(batch, job, record.bytes, record.len), TC_OK);
		fail_call();
		assert_int_equal(tc_fleet_stop(batch, job, 0, "not wanted"), TC_OK);
		assert_true(tc_fleet_next(batch, &job));
		assert_int_equal(tc_fleet_take(batch, job, record.bytes, record.len), TC_OK);
		free(record.bytes);
	}
	fail_call();
	enum tc_status status = tc_fleet_finish(batch);
	tc_fleet_close(batch);
	return status;
}

static int set_up(void **state)
{
	const char *source = getenv("TC_SOURCE_DIR");
	const char *path = it.trace;

	(void)state;
	snprintf(it.trace, sizeof(it.trace), "%s/testdata/trace_example.json",
		source ? source : ".");
	strcpy(it.directory, "/tmp/tc-test-failure-XXXXXX");
	it.ctx = tc_ctx_new();
	if (!it.ctx || !mkdtemp(it.directory))
		return -1;
	snprintf(it.store_path, sizeof(it.store_path), "%s/run.db", it.directory);
	snprintf(it.index_path, sizeof(it.index_path), "%s/out", it.directory);
	if (tc_settings_new(&it.settings, it.ctx, NULL))
		return -1;
	const struct tc_import_options options = {.settings = it.settings, .advice = &it.advice};
	return (int)tc_import(&it.store, it.ctx, &path, 1, it.store_path, &options);
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
	(void)about;
	(void)type;
	(void)where;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	tc_advice_free(it.advice);
	tc_store_close(it.store);
	tc_store_close(it.index);
	tc_settings_free(it.settings);
	tc_ctx_free(it.ctx);
	return nftw(it.directory, remove_one, 4, FTW_DEPTH | FTW_PHYS);
}

static void calls_work_after_a_failure(void **state)
{
	static const struct {
		const char *name;
		enum tc_status (*call)(void);
	} calls[] = {
#define CALL(name) {#name, name}
		CALL(render), CALL(compare), CALL(export_trace), CALL(whatif), CALL(fleet),
		CALL(index_open), CALL(index_left_out), CALL(index_merge), CALL(fleet_report)};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i].call == index_left_out)
			assert_int_equal(tc_index_open(&it.index, it.ctx, it.index_path), TC_OK);
		fail_call();
		if (calls[i].call() != TC_OK || strcmp(tc_ctx_error(it.ctx), "") != 0)
			fail_msg("%s: %s", calls[i].name, tc_ctx_error(it.ctx));
	}
}

/* What failed inside of a call is there until the next one. */
static void the_cause_stays_until_the_next_call(void **state)
{
	struct tc_export *trace = NULL;

	(void)state;
	assert_int_not_equal(tc_export_open(&trace, it.ctx, "/absent/trace.json"), TC_OK);
	tc_export_close(trace);
	assert_int_not_equal(tc_ctx_status(it.ctx), TC_OK);
	assert_non_null(strstr(tc_ctx_error(it.ctx), "/absent/trace.json"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_work_after_a_failure),
		cmocka_unit_test(the_cause_stays_until_the_next_call),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

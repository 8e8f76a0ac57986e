/* A watch hands a trace to a batch when it is complete, a few at a time, and knows what the index
 * has. */
#define _XOPEN_SOURCE 700 /* mkdtemp() */
#include "store_files.h"

#include <time.h>
#include <unistd.h>

#include "tracecoach/fleet.h"

#define MS INT64_C(1000000)

static const char whole[] = "{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"a [\\\"{\", \"pid\": 1,"
			    " \"tid\": 1, \"ts\": 0, \"dur\": 5}]}\n";

static void put(const char *name, const char *text, size_t len)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static void sleep_ms(long ms)
{
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS};

	nanosleep(&time, NULL);
}

static struct tc_watch *open_watch(struct tc_ctx *ctx, int64_t settle_ms, int64_t most)
{
	const struct tc_watch_options options = {.size = sizeof(options),
		.directory = ".",
		.out = "out",
		.settle_ns = settle_ms * MS,
		.most = most};
	struct tc_watch *watch = NULL;

	assert_int_equal(tc_watch_open(&watch, ctx, &options), TC_OK);
	return watch;
}

static int64_t look(struct tc_watch *watch)
{
	int64_t count = -1;

	assert_int_equal(tc_watch_look(&count, watch), TC_OK);
	return count;
}

static void a_trace_is_ready_when_it_kept_still(void **state)
{
	struct tc_watch *watch = open_watch(files.ctx, 500, 10);

	(void)state;
	put("a.json", whole, strlen(whole));
	assert_int_equal(look(watch), 0);
	assert_int_equal(look(watch), 0);
	sleep_ms(600);
	assert_int_equal(look(watch), 1);
	/* It is written again: the time begins anew. */
	put("a.json", whole, strlen(whole) - 1);
	assert_int_equal(look(watch), 0);
	sleep_ms(600);
	assert_int_equal(look(watch), 1);
	tc_watch_close(watch);
}

static void one_that_ends_early_waits_longer(void **state)
{
	struct tc_watch *watch = open_watch(files.ctx, 200, 10);
	const size_t ends[] = {1, 30,
		strlen("{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"a [\\\""),
		strlen(whole) - 3};
	char name[32];

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(name, sizeof(name), "cut%zu.json", i);
		put(name, whole, ends[i]);
	}
	put("empty.json", "", 0);
	put("other.json", "{\"settings\": []}", 16);
	look(watch);
	sleep_ms(250);
	assert_int_equal(look(watch), 0);
	sleep_ms(2300);
	assert_int_equal(look(watch), 5);
	tc_watch_close(watch);
}

static void no_more_are_handed_over_than_wanted(void **state)
{
	struct tc_watch *watch = open_watch(files.ctx, 20, 3);
	char name[32];

	(void)state;
	assert_int_equal(mkdir("below", 0700), 0);
	for (int i = 0; i < 7; i++) {
		snprintf(name, sizeof(name), i % 2 ? "%d.json" : "below/%d.json.gz", i);
		put(name, whole, strlen(whole));
	}
	look(watch);
	sleep_ms(30);
	assert_int_equal(look(watch), 3);
	tc_watch_close(watch);
}

static void waiting_ends_when_something_comes_or_settles(void **state)
{
	struct tc_watch *watch = open_watch(files.ctx, 30, 10);
	struct timespec from, to;

	(void)state;
	look(watch);
	clock_gettime(CLOCK_MONOTONIC, &from);
	put("a.json", whole, strlen(whole));
	tc_watch_wait(watch);
	look(watch);
	while (look(watch) == 0)
		tc_watch_wait(watch);
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_true(to.tv_sec - from.tv_sec < 9); /* not only by the look of every ten seconds */
	tc_ctx_interrupt(files.ctx);
	tc_watch_wait(watch);
	tc_ctx_resume(files.ctx);
	tc_watch_close(watch);
}

/* ---- a trace that could not be read */

struct record {
	char *bytes;
	size_t len;
};

static void begin(void *user, size_t trace)
{
	(void)user;
	(void)trace;
}

static void keep(void *user, const char *bytes, size_t len)
{
	struct record *record = user;

	record->bytes = malloc(len + 1);
	record->len = len;
	assert_non_null(record->bytes);
	memcpy(record->bytes, bytes, len);
}

/* A tc_write_fn. */
static int append(void *user, const char *bytes, size_t len)
{
	strncat(user, bytes, len);
	return 0;
}

/* A batch of what is ready; a reason leaves its trace out. Adds the lines to told. */
static void read_ready(struct tc_watch *watch, const char *reason, char *told)
{
	const char *path = ".";
	struct tc_settings *settings = NULL;
	struct tc_store *index = NULL;
	struct tc_fleet *batch = NULL;
	struct record record = {0};
	size_t job;

	assert_int_equal(tc_settings_new(&settings, files.ctx, NULL), TC_OK);
	const struct tc_fleet_options options = {.size = sizeof(options),
		.paths = &path,
		.path_count = 1,
		.out = "out",
		.inline_stages = true,
		.settings = settings,
		.is_ready = tc_watch_is_ready,
		.ready_user = watch,
		.apart = true};
	assert_int_equal(tc_fleet_open(&batch, files.ctx, &options), TC_OK);
	assert_true(tc_fleet_next(batch, &job));
	if (reason) {
		assert_int_equal(tc_fleet_stop(batch, job, 0, reason), TC_OK);
		assert_true(tc_fleet_next(batch, &job));
	}
	const struct tc_fleet_reader reader = {begin, keep, &record};
	assert_int_equal(tc_fleet_read(batch, job, &reader), TC_OK);
	assert_int_equal(tc_fleet_take(batch, job, record.bytes, record.len), TC_OK);
	free(record.bytes);
	assert_int_equal(tc_fleet_finish(batch), TC_OK);
	tc_fleet_close(batch);
	assert_int_equal(tc_index_open(&index, files.ctx, "out"), TC_OK);
	assert_int_equal(tc_watch_tell(watch, index, append, told), TC_OK);
	tc_store_close(index);
	tc_settings_free(settings);
}

static void one_that_was_stopped_is_tried_when_its_rights_change(void **state)
{
	struct tc_watch *watch = open_watch(files.ctx, 50, 10);
	char told[4096] = "";

	(void)state;
	put("a.json", whole, strlen(whole));
	look(watch);
	sleep_ms(60);
	assert_int_equal(look(watch), 1);
	read_ready(watch, "no rights", told);
	assert_non_null(strstr(told, "a.json: left out: no rights"));
	sleep_ms(60);
	assert_int_equal(look(watch), 0);
	sleep_ms(60);
	assert_int_equal(look(watch), 0);
	*told = '\0';
	assert_int_equal(chmod("a.json", 0600), 0);
	assert_int_equal(look(watch), 0); /* it settles first */
	sleep_ms(60);
	assert_int_equal(look(watch), 1);
	read_ready(watch, "no rights", told);
	assert_string_equal(told, "");
	assert_int_equal(look(watch), 0);
	tc_watch_close(watch);

	/* Another watch tries it, and says what it is. */
	watch = open_watch(files.ctx, 50, 10);
	look(watch);
	sleep_ms(60);
	assert_int_equal(look(watch), 1);
	read_ready(watch, NULL, told);
	assert_non_null(strstr(told, "a: a.json: 5.000 us in all"));
	assert_int_equal(look(watch), 0);
	tc_watch_close(watch);
}

static int into_files(void **state)
{
	return set_up_files(state) || chdir(files.directory);
}

static int out_of_files(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s/*", files.directory);
	return chdir("/") || system(command) || tear_down_files(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, into_files, out_of_files)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(a_trace_is_ready_when_it_kept_still),
		TEST(one_that_ends_early_waits_longer), TEST(no_more_are_handed_over_than_wanted),
		TEST(waiting_ends_when_something_comes_or_settles),
		TEST(one_that_was_stopped_is_tried_when_its_rights_change)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* gain.c: caps, overlaps and severities. */
#include "memory_store.h"

#include "advice/ranking/gain.h"
#include "core/alloc.h"
#include "core/context.h"

static const char *const none[] = {NULL};

/* A descriptor that only says what gain needs. */
#define DESCRIPTOR(NAME, KIND, BUCKET, COMBINE)                                                    \
	static const struct tc_heuristic NAME = {.id = #NAME,                                      \
		.kind = TC_HEURISTIC_##KIND,                                                       \
		.bucket = TC_BUCKET_##BUCKET,                                                      \
		.combine = TC_COMBINE_##COMBINE}
DESCRIPTOR(idle, FIX, IDLE, SUM);
DESCRIPTOR(compute, FIX, COMPUTE, SUM);
DESCRIPTOR(copy, FIX, COPIES, SUM);
DESCRIPTOR(bare, FIX, NONE, SUM);
DESCRIPTOR(quality, QUALITY, NONE, MAX);

static void settle(sqlite3 *db, struct tc_finding *findings, size_t count)
{
	struct tc_ctx *ctx = tc_ctx_new();

	struct tc_pools pools;

	assert_int_equal(tc_pools_read(&pools, ctx, db, 0), TC_OK);
	tc_gain_settle(&pools, findings, count);
	tc_ctx_free(ctx);
}

/* Where nobody knows when the device is idle, nobody knows what is won there either. */
static void test_unknown_idle_time_wins_nothing_known(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {
		{.heuristic = &idle, .gain_ns = 900},
		{.heuristic = &compute, .gain_ns = 900},
	};

	(void)state;
	memory_store_trace(db, 0, 1000, none);
	memory_store_metric(db, 0, "device_wait_ns", NULL, 950);
	memory_store_metric(db, 0, "has_idle", NULL, 0);
	settle(db, findings, 2);
	assert_true(findings[0].gain_ns == TC_GAIN_NONE);
	assert_int_equal(findings[0].severity, TC_SEVERITY_INFO);
	assert_int_equal(findings[1].gain_ns, 900);
	sqlite3_close(db);
}

static void test_caps_at_the_bucket(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {
		{.heuristic = &idle, .gain_ns = 900},
		{.heuristic = &compute, .gain_ns = 900},
		{.heuristic = &copy, .gain_ns = 900},
		{.heuristic = &bare, .gain_ns = 900},
		{.heuristic = &idle, .gain_ns = TC_GAIN_NONE},
		{.heuristic = &idle, .gain_ns = 10},
	};

	(void)state;
	memory_store_trace(db, 0, 1000, none);
	memory_store_metric(db, 0, "device_wait_ns", NULL, 50);
	memory_store_metric(db, 0, "device_wait_ns", "0", 60);
	memory_store_metric(db, 0, "device_wait_ns", "1", 70);
	memory_store_metric(db, 0, "device_idle_ns", "1", 700);
	memory_store_metric(db, 0, "copy_exclusive_ns", "0", 30);
	settle(db, findings, 6);
	assert_int_equal(findings[0].gain_ns, 70); /* the device that waits most */
	assert_int_equal(findings[0].claimed_ns, 900);
	assert_true(findings[4].claimed_ns == TC_GAIN_NONE);
	assert_int_equal(findings[1].gain_ns, 900); /* bucket not measured */
	assert_int_equal(findings[2].gain_ns, 30);
	assert_true(findings[3].gain_ns == TC_GAIN_NONE);
	assert_true(findings[4].gain_ns == TC_GAIN_NONE);
	assert_int_equal(findings[5].gain_ns, 10);
	sqlite3_close(db);
}

/* A handful of device operations is no reason for alarm; the gain is told. */
static void test_too_little_to_judge(void **state)
{
	for (int64_t ops = 19; ops <= 20; ops++) {
		sqlite3 *db = memory_store_open();
		struct tc_finding findings[] = {{.heuristic = &compute,
			.gain_ns = 900,
			.confidence = TC_CONFIDENCE_MEASURED}};

		memory_store_trace(db, 0, 1000, none);
		memory_store_metric(db, 0, "device_op_count", NULL, ops);
		settle(db, findings, 1);
		assert_int_equal(findings[0].gain_ns, 900);
		assert_int_equal(
			findings[0].severity, ops < 20 ? TC_SEVERITY_INFO : TC_SEVERITY_HIGH);
		sqlite3_close(db);
	}
	(void)state;
}

static void test_first_metric_of_a_bucket_wins(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {{.heuristic = &copy, .gain_ns = 900}};

	(void)state;
	memory_store_trace(db, 0, 1000, none);
	memory_store_metric(db, 0, "copy_exclusive_ns", "0", 30);
	memory_store_metric(db, 0, "dma_exclusive_ns", "0", 20);
	settle(db, findings, 1);
	assert_int_equal(findings[0].gain_ns, 20);
	sqlite3_close(db);
}

static void test_never_more_than_the_wall(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {{.heuristic = &compute, .gain_ns = INT64_MAX}};

	(void)state;
	memory_store_trace(db, 0, 1000, none);
	settle(db, findings, 1);
	assert_int_equal(findings[0].gain_ns, 1000);
	assert_true(findings[0].gain_pct > 99.9 && findings[0].gain_pct < 100.1);
	sqlite3_close(db);
}

static void test_severity(void **state)
{
	(void)state;
	assert_int_equal(tc_gain_severity(100), TC_SEVERITY_HIGH);
	assert_int_equal(tc_gain_severity(10), TC_SEVERITY_HIGH);
	assert_int_equal(tc_gain_severity(9.99), TC_SEVERITY_MEDIUM);
	assert_int_equal(tc_gain_severity(5), TC_SEVERITY_MEDIUM);
	assert_int_equal(tc_gain_severity(4.99), TC_SEVERITY_LOW);
	assert_int_equal(tc_gain_severity(1), TC_SEVERITY_LOW);
	assert_int_equal(tc_gain_severity(0.99), TC_SEVERITY_INFO);
	assert_int_equal(tc_gain_severity(0), TC_SEVERITY_INFO);
}

static void test_quality_keeps_its_severity(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {
		{.heuristic = &quality, .severity = TC_SEVERITY_HIGH, .gain_ns = TC_GAIN_NONE},
		{.heuristic = &quality, .severity = TC_SEVERITY_INFO, .gain_ns = TC_GAIN_NONE},
	};

	(void)state;
	memory_store_trace(db, 0, 1000, none);
	settle(db, findings, 2);
	assert_int_equal(findings[0].severity, TC_SEVERITY_HIGH);
	assert_int_equal(findings[1].severity, TC_SEVERITY_INFO);
	sqlite3_close(db);
}

/* Three steps of 100 ns in which the host waits for 20 in all (3 launch calls of 40 ns together are
 * just calls); the device works on for 130 ns after them, which is two steps of its work. So of 90
 * ns, 30 a step, 20 + 2 * 30 are won; of 250, 20 + 130. */
static void test_a_busy_host_limits_device_time(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {
		{.heuristic = &compute, .gain_ns = 250},
		{.heuristic = &copy, .gain_ns = 30},
		{.heuristic = &idle, .gain_ns = 250},
		{.heuristic = &compute, .gain_ns = 90},
	};

	(void)state;
	memory_store_trace(db, 0, 430, none);
	memory_store_metric(db, 0, "compute_busy_ns", "0", 260);
	memory_store_metric(db, 0, "device_busy_ns", NULL, 270);
	memory_store_metric(db, 0, "host_window_ns", NULL, 300);
	memory_store_metric(db, 0, "host_dataloader_own_ns", NULL, 100);
	memory_store_metric(db, 0, "host_dispatch_own_ns", NULL, 100);
	memory_store_metric(db, 0, "host_launch_own_ns", NULL, 40);
	memory_store_metric(db, 0, "host_sync_own_ns", NULL, 20);
	memory_store_metric(db, 0, "step_count", NULL, 3);
	memory_store_exec(db,
		"INSERT INTO host_total(trace_id, category, name, role, count, dur_ns, "
		"self_ns, exposed_ns, is_launching) VALUES(0, 'cuda_runtime', 'cudaLaunchKernel', "
		"'launch', 3, 40, 40, 0, 1)");
	settle(db, findings, 4);
	assert_int_equal(findings[0].gain_ns, 20 + 130);
	assert_int_equal(findings[1].gain_ns, 30);
	assert_int_equal(findings[2].gain_ns, 250);
	assert_int_equal(findings[3].gain_ns, 20 + 2 * 30);

	findings[0].gain_ns = 250;
	memory_store_exec(db, "UPDATE metric SET value = 2 WHERE name = 'step_count'");
	settle(db, findings, 1);
	assert_int_equal(findings[0].gain_ns, 250); /* too few steps to tell */
	sqlite3_close(db);
}

/* 100 ns idle, 30 of them the host's own, and 40 of transfers behind a late host. */
static sqlite3 *open_shared(void)
{
	sqlite3 *db = memory_store_open();

	memory_store_trace(db, 0, 1000, none);
	memory_store_metric(db, 0, "device_wait_ns", "0", 100);
	memory_store_metric(db, 0, "copy_exclusive_ns", "0", 90);
	memory_store_metric(db, 0, "compute_busy_ns", "0", 400);
	memory_store_exec(db, "INSERT INTO gap VALUES(1, 0, '0', NULL, 0, 30, 'dispatch', NULL, "
			      "NULL, NULL, 1, 0, 30, 0), (2, 0, '0', NULL, 50, 60, 'sync', NULL, "
			      "NULL, NULL, 1, 50, 60, 0);"
			      "INSERT INTO exposed_transfer VALUES(1, 0, NULL, 200, 60, 40, 1)");
	return db;
}

DESCRIPTOR(host, FIX, HOST, SUM);
DESCRIPTOR(held, FIX, HELD | TC_BUCKET_TRANSFER, SUM);

/* Each is capped at its parts, and together they win no time twice. */
static void test_findings_share_time(void **state)
{
	sqlite3 *db = open_shared();
	struct tc_ctx *ctx = tc_ctx_new();
	struct tc_finding findings[] = {
		{.heuristic = &held, .gain_ns = 500},
		{.heuristic = &copy, .gain_ns = 60},
		{.heuristic = &host, .gain_ns = 50},
		{.heuristic = &compute, .gain_ns = 10},
		{.heuristic = &compute, .gain_ns = 20},
	};

	(void)state;
	settle(db, findings, 5);
	assert_int_equal(findings[0].gain_ns, 70 + 40);
	assert_int_equal(findings[1].gain_ns, 60);
	assert_int_equal(findings[2].gain_ns, 30);
	struct tc_pools pools;
	assert_int_equal(tc_pools_read(&pools, ctx, db, 0), TC_OK);
	assert_int_equal(tc_gain_overlap(&pools, ctx, findings, 5), TC_OK);
	assert_int_equal(findings[0].added_ns, 110);
	assert_int_equal(findings[1].added_ns, 50); /* 40 of transfers are taken */
	assert_int_equal(findings[2].added_ns, 30);
	assert_int_equal(findings[4].added_ns, 20);
	assert_int_equal(findings[0].overlap_count, 1);
	assert_ptr_equal(findings[0].overlaps[0].heuristic, &copy);
	assert_int_equal(findings[0].overlaps[0].ns, 40);
	assert_int_equal(findings[1].overlap_count, 1);
	assert_ptr_equal(findings[1].overlaps[0].heuristic, &held);
	assert_int_equal(findings[2].overlap_count, 0);
	assert_int_equal(findings[3].overlap_count, 0); /* operations are their own */
	for (int i = 0; i < 5; i++)
		tc_free(findings[i].overlaps);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

/* A weak sign is at most of medium severity. */
/* Rows that say what of their gain is device work do not win idle time that others claim by it. */
static void test_work_is_no_idle_time(void **state)
{
	static const struct tc_heuristic both = {.id = "both",
		.bucket = TC_BUCKET_IDLE | TC_BUCKET_COMPUTE,
		.combine = TC_COMBINE_SUM};
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db = memory_store_open();
	struct tc_pools pools;

	(void)state;
	memory_store_trace(db, 0, 1000, none);
	memory_store_metric(db, 0, "device_wait_ns", NULL, 100);
	memory_store_metric(db, 0, "compute_busy_ns", NULL, 800);
	for (int told = 0; told < 2; told++) {
		struct tc_finding findings[] = {
			{.heuristic = &idle, .gain_ns = 100},
			{.heuristic = &both, .gain_ns = 90, .knows_work = told, .work_ns = 30},
		};
		settle(db, findings, 2);
		assert_int_equal(tc_pools_read(&pools, ctx, db, 0), TC_OK);
		assert_int_equal(tc_gain_overlap(&pools, ctx, findings, 2), TC_OK);
		assert_int_equal(findings[1].gain_ns, 90);
		assert_int_equal(findings[1].added_ns, told ? 30 : 90);
		assert_int_equal(findings[1].overlap_count, 1);
		assert_int_equal(findings[1].overlaps[0].ns, told ? 60 : 90);
		for (int i = 0; i < 2; i++)
			tc_free(findings[i].overlaps);
	}
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

static void test_guesses_are_no_alarm(void **state)
{
	sqlite3 *db = open_shared();
	struct tc_finding findings[] = {
		{.heuristic = &compute, .gain_ns = 400, .confidence = TC_CONFIDENCE_GUESSED},
		{.heuristic = &compute, .gain_ns = 20, .confidence = TC_CONFIDENCE_GUESSED},
		{.heuristic = &compute, .gain_ns = 400, .confidence = TC_CONFIDENCE_INFERRED},
	};

	(void)state;
	settle(db, findings, 3);
	assert_int_equal(findings[0].severity, TC_SEVERITY_MEDIUM);
	assert_int_equal(findings[1].severity, TC_SEVERITY_LOW);
	assert_int_equal(findings[2].severity, TC_SEVERITY_HIGH);
	sqlite3_close(db);
}

/* No wall time (an empty trace): shares are 0, nothing divides by it. */
static void test_no_wall(void **state)
{
	sqlite3 *db = memory_store_open();
	struct tc_finding findings[] = {{.heuristic = &idle, .gain_ns = 5}};

	(void)state;
	settle(db, findings, 1);
	assert_int_equal(findings[0].gain_ns, 5);
	assert_true(findings[0].gain_pct < 0.001);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_idle_time_wins_nothing_known),
		cmocka_unit_test(test_caps_at_the_bucket),
		cmocka_unit_test(test_too_little_to_judge),
		cmocka_unit_test(test_first_metric_of_a_bucket_wins),
		cmocka_unit_test(test_never_more_than_the_wall),
		cmocka_unit_test(test_severity),
		cmocka_unit_test(test_quality_keeps_its_severity),
		cmocka_unit_test(test_a_busy_host_limits_device_time),
		cmocka_unit_test(test_findings_share_time),
		cmocka_unit_test(test_work_is_no_idle_time),
		cmocka_unit_test(test_guesses_are_no_alarm),
		cmocka_unit_test(test_no_wall),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What held up the host and what it cost (table host_block), on stores made by hand. Times are in
 * us in the tests, ns in the store. */
#include "memory_store.h"

#include "analysis/host_block.h"

#include <string.h>

struct event {
	const char *role, *caller;
	int ts_us, dur_us, thread;
	int exposed_us, transfer_us;
	int in_copy, follows_loader;
};

static void add_events(sqlite3 *db, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct event *e = &events[i];
		char *sql = sqlite3_mprintf("INSERT INTO host_event VALUES(%d, 0, %d, %Q, %Q, "
					    "%d000, %d000, %d, NULL, 0, "
					    "%d000, 0, %d000, %d, %d, %Q, NULL, NULL)",
			(int)i + 1, (int)i + 1, e->role, e->role, e->ts_us, e->dur_us, e->thread,
			e->exposed_us, e->transfer_us, e->in_copy, e->follows_loader, e->caller);
		memory_store_exec(db, sql);
		sqlite3_free(sql);
	}
}

static void add_transfer(sqlite3 *db, int ts_us, int dur_us, int late_us)
{
	char *sql = sqlite3_mprintf(
		"INSERT INTO exposed_transfer VALUES(NULL, 0, NULL, %d000, %d000, %d000, 1)", ts_us,
		dur_us, late_us);

	memory_store_exec(db, sql);
	sqlite3_free(sql);
}

static void write_blocks(sqlite3 *db)
{
	struct tc_ctx *ctx = tc_ctx_new();

	tc_host_blocks_write(ctx, db, 0);
	assert_int_equal(tc_ctx_status(ctx), TC_OK);
	tc_ctx_free(ctx);
}

/* A read with waits nested in it, on its thread and, slightly shorter, on the runtime's: idle time
 * after them is put down once, to the outermost. */
static void test_nested_waits_cost_once(void **state)
{
	static const struct event events[] = {
		{"output_copy", "aten::item", 1000, 5000, 1, .exposed_us = 0},
		{"sync", "aten::item", 1010, 4980, 1, .exposed_us = 0},
		{"sync", NULL, 1012, 4970, 2, .exposed_us = 0},
	};
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	add_events(db, events, 3);
	memory_store_gap(db, "0", 5990, 910, "dispatch");
	memory_store_gap(db, "0", 7000, 2000, "dataloader");
	write_blocks(db);
	assert_int_equal(memory_store_number(db, "SELECT sum(cost_ns) FROM host_block"), 2910000);
	assert_int_equal(
		memory_store_number(db, "SELECT cost_ns FROM host_block WHERE id = 1"), 2910000);
	assert_int_equal(
		memory_store_number(db, "SELECT kind = 'sync' FROM host_block WHERE id = 1"), 1);
	sqlite3_close(db);
}

/* No more than the wait lasted, and not what waits in the device's queue. */
static void test_cost_is_capped(void **state)
{
	static const struct event events[] = {{"sync", NULL, 1000, 300, 1, .exposed_us = 0}};
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	add_events(db, events, 1);
	memory_store_gap(db, "0", 1290, 5000, "graph_build");
	memory_store_gap(db, "0", 7000, 5000, "queued");
	memory_store_gap(db, "0", 13000, 5000, "compile");
	write_blocks(db);
	assert_int_equal(memory_store_number(db, "SELECT cost_ns FROM host_block"), 300000);
	assert_int_equal(memory_store_number(db, "SELECT idle_ns FROM host_block"), 10000000);
	assert_int_equal(memory_store_number(db, "SELECT host_idle_ns FROM host_block"), 5000000);
	sqlite3_close(db);
}

/* Idle time before any wait is nobody's; calls below 100 us, loader calls below 1 ms and other
 * roles hold nothing up. */
static void test_what_is_no_block(void **state)
{
	static const struct event events[] = {
		{"sync", NULL, 1000, 400, 1, .exposed_us = 0},
		{"input_copy", "aten::copy_", 1500, 50, 1, .exposed_us = 0},
		{"collective", NULL, 1600, 900, 1, .exposed_us = 0},
		{"dataloader", NULL, 2600, 950, 1, .exposed_us = 950},
	};
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	add_events(db, events, 4);
	memory_store_gap(db, "0", 0, 900, "dispatch");
	memory_store_gap(db, "0", 8000, 350, "dispatch");
	write_blocks(db);
	assert_int_equal(memory_store_number(db, "SELECT count(*) FROM host_block"), 1);
	assert_int_equal(memory_store_number(db, "SELECT cost_ns FROM host_block"), 350000);
	sqlite3_close(db);
}

/* A copy down and one up within one operation are a fallback; within a mere copy they are not. */
static void test_fallback(void **state)
{
	static const struct event events[] = {
		{"output_copy", "aten::digamma", 1000, 3000, 1, .exposed_us = 10},
		{"input_copy", "aten::digamma", 8000, 40, 1, .exposed_us = 0},
		{"output_copy", "aten::copy_", 20000, 3000, 1, .exposed_us = 0},
		{"input_copy", "aten::copy_", 25000, 400, 1, .exposed_us = 0},
		{"output_copy", "aten::sum", 30000, 3000, 1, .exposed_us = 0},
		{"input_copy", "aten::mul", 35000, 400, 1, .exposed_us = 0},
	};
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	add_events(db, events, 6);
	memory_store_gap(db, "0", 3990, 4000, "dispatch");
	memory_store_gap(db, "0", 8050, 6000, "dispatch");
	write_blocks(db);
	assert_int_equal(memory_store_number(
				 db, "SELECT count(*) FROM host_block WHERE kind = 'cpu_fallback'"),
		2);
	assert_int_equal(memory_store_number(db,
				 "SELECT sum(cost_ns) FROM host_block WHERE kind = 'cpu_fallback'"),
		10000000);
	assert_int_equal(memory_store_number(
				 db, "SELECT count(*) FROM host_block WHERE kind = 'input_copy'"),
		2);
	sqlite3_close(db);
}

/* Copies that nothing hides cost the wait that they are in, or the last one before them. */
static void test_copies_cost_the_wait(void **state)
{
	static const struct event events[] = {
		{"sync", NULL, 1000, 8000, 1, .transfer_us = 20},
		{"sync", NULL, 20000, 3000, 1, .transfer_us = 2500},
	};
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	add_events(db, events, 2);
	memory_store_gap(db, "0", 9000, 1000, "host_other");
	add_transfer(db, 8980, 20, 20);
	add_transfer(db, 10000, 1500, 1500);
	add_transfer(db, 20400, 2500, 2500);
	write_blocks(db);
	assert_int_equal(
		memory_store_number(db, "SELECT after_transfer_ns FROM host_block WHERE id = 1"),
		1500000);
	assert_int_equal(
		memory_store_number(db, "SELECT cost_ns FROM host_block WHERE id = 1"), 2520000);
	assert_int_equal(
		memory_store_number(db, "SELECT after_transfer_ns FROM host_block WHERE id = 2"),
		0);
	assert_int_equal(
		memory_store_number(db, "SELECT cost_ns FROM host_block WHERE id = 2"), 2500000);
	sqlite3_close(db);
}

/* A copy mostly ends a moment after the call that makes it: the call has only that moment after
 * it. */
static void test_a_copy_that_ends_late_counts_once(void **state)
{
	static const struct event events[] = {
		{"input_copy", NULL, 1000, 3000, 1, .transfer_us = 2900},
		{"input_copy", NULL, 4010, 2990, 1, .transfer_us = 2800},
	};
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	add_events(db, events, 2);
	add_transfer(db, 1100, 2905, 2905);
	add_transfer(db, 4200, 2805, 2805);
	write_blocks(db);
	assert_int_equal(memory_store_number(
				 db, "SELECT sum(transfer_ns + after_transfer_ns) FROM host_block"),
		2905000 + 2805000);
	assert_int_equal(
		memory_store_number(db, "SELECT after_transfer_ns FROM host_block WHERE id = 1"),
		5000);
	sqlite3_close(db);
}

enum { RANDOM_RUNS = 40, RANDOM_EVENTS = 12, RANDOM_US = 20000 };

/* The same numbers on every machine. */
static unsigned test_random(unsigned *seed)
{
	*seed = *seed * 1103515245U + 12345U;
	return *seed >> 8;
}

/* Whether the host is late in each us, while devices only copy. */
static void add_random_transfers(sqlite3 *db, bool *late, unsigned *seed)
{
	memset(late, 0, RANDOM_US);
	for (int ts = 0; ts < RANDOM_US - 1500;) {
		int dur = 1 + (int)(test_random(seed) % 1500);
		int late_us =
			test_random(seed) % 3 ? dur : (int)(test_random(seed) % (unsigned)dur);
		add_transfer(db, ts, dur, late_us);
		for (int i = ts; i < ts + late_us; i++)
			late[i] = true;
		ts += dur + (int)(test_random(seed) % 1500);
	}
}

static void add_random_events(sqlite3 *db, const bool *late, unsigned *seed)
{
	static const char *const roles[] = {"sync", "input_copy", "dataloader"};
	struct event events[RANDOM_EVENTS];

	for (int i = 0; i < RANDOM_EVENTS; i++) {
		events[i] = (struct event){.role = roles[test_random(seed) % 3],
			.ts_us = (int)(test_random(seed) % (RANDOM_US - 3000)),
			.dur_us = 50 + (int)(test_random(seed) % 2500),
			.thread = 1 + (int)(test_random(seed) % 2)};
		for (int us = 0; us < events[i].dur_us; us++)
			events[i].transfer_us += late[events[i].ts_us + us];
	}
	add_events(db, events, RANDOM_EVENTS);
}

/* A block under one of the two lenses. */
struct kept {
	int64_t from_us, until_us, us, expected_us;
};

static int read_kept(sqlite3 *db, const char *column, const char *counts, struct kept *kept)
{
	char *sql = sqlite3_mprintf("SELECT ts / 1000, (ts + dur) / 1000, %s / 1000 FROM host_block"
				    " WHERE %s ORDER BY ts + dur",
		column, counts);
	sqlite3_stmt *row;
	int count = 0;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
	for (; sqlite3_step(row) == SQLITE_ROW; count++)
		kept[count] = (struct kept){.from_us = sqlite3_column_int64(row, 0),
			.until_us = sqlite3_column_int64(row, 1),
			.us = sqlite3_column_int64(row, 2)};
	sqlite3_finalize(row);
	sqlite3_free(sql);
	return count;
}

/* Each us in which the host is late, outside of all blocks, is of the last block that has ended. */
static void check_transfers(sqlite3 *db, const bool *late, const char *column, const char *counts)
{
	struct kept kept[RANDOM_EVENTS];
	int count = read_kept(db, column, counts, kept);

	for (int us = 0; us < RANDOM_US; us++) {
		struct kept *last = NULL;
		bool is_within = false;
		for (int i = 0; i < count; i++) {
			if (kept[i].until_us <= us)
				last = &kept[i];
			is_within |= kept[i].from_us <= us && us < kept[i].until_us;
		}
		if (late[us] && last && !is_within)
			last->expected_us++;
	}
	for (int i = 0; i < count; i++)
		assert_int_equal(kept[i].us, kept[i].expected_us);
}

static void test_random_copies_count_once(void **state)
{
	static bool late[RANDOM_US];

	(void)state;
	for (unsigned run = 1; run <= RANDOM_RUNS; run++) {
		sqlite3 *db = memory_store_open_trace();
		unsigned seed = run;
		add_random_transfers(db, late, &seed);
		add_random_events(db, late, &seed);
		write_blocks(db);
		check_transfers(db, late, "after_transfer_ns", "kind <> 'dataloader'");
		check_transfers(db, late, "next_transfer_ns", "1");
		sqlite3_close(db);
	}
}

/* Where nothing tells which way copies go: the first behind the loader brings inputs, two within
 * one operation with host work between them are a fallback, another is a wait. */
static void test_copies_of_unknown_way(void **state)
{
	static const struct event events[] = {
		{"dataloader", NULL, 0, 500, 1, .exposed_us = 0},
		{"sync", "aten::copy_", 600, 3000, 1, .in_copy = 1, .follows_loader = 1},
		{"sync", "aten::digamma", 5000, 3000, 1, .in_copy = 1},
		{"sync", "aten::digamma", 12000, 400, 1, .in_copy = 1},
		{"sync", "aten::index", 20000, 400, 1, .in_copy = 1},
		{"sync", "aten::index", 20410, 400, 1, .in_copy = 1},
		{"sync", "aten::copy_", 30000, 400, 1, .in_copy = 1},
	};
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	add_events(db, events, 7);
	write_blocks(db);
	assert_int_equal(memory_store_number(db, "SELECT group_concat(id, '') FROM host_block "
						 "WHERE kind = 'cpu_fallback'"),
		34);
	assert_int_equal(
		memory_store_number(db,
			"SELECT group_concat(id, '') FROM host_block WHERE kind = 'input_copy'"),
		2);
	assert_int_equal(memory_store_number(db,
				 "SELECT group_concat(id, '') FROM host_block WHERE kind = 'sync'"),
		567);
	sqlite3_close(db);
}

/* A loader call does not end what the wait before it costs; host time after it is the loader's. */
static void test_wait_and_loader_share(void **state)
{
	static const struct event events[] = {
		{"sync", NULL, 1000, 8000, 1, .exposed_us = 0},
		{"dataloader", NULL, 10000, 6000, 1, .exposed_us = 6000},
	};
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	add_events(db, events, 2);
	memory_store_gap(db, "0", 9000, 1000, "host_other");
	memory_store_gap(db, "0", 10000, 6000, "dataloader");
	memory_store_gap(db, "0", 16000, 2000, "graph_build");
	write_blocks(db);
	assert_int_equal(
		memory_store_number(db, "SELECT cost_ns FROM host_block WHERE kind = 'sync'"),
		8000000);
	assert_int_equal(
		memory_store_number(db, "SELECT held_ns FROM host_block WHERE kind = 'sync'"),
		1000000);
	assert_int_equal(
		memory_store_number(db, "SELECT held_ns FROM host_block WHERE kind = 'dataloader'"),
		2000000);
	assert_int_equal(
		memory_store_number(db, "SELECT cost_ns FROM host_block WHERE kind = 'dataloader'"),
		0);
	sqlite3_close(db);
}

/* Interrupts what runs, the first time that it is asked. */
static int interrupt_once(void *user)
{
	bool *done = user, now = !*done;

	*done = true;
	return now;
}

/* A query that fails is not run again, which would lose what was wrong. */
/* Of a wait within a copy, the device operation that released it shows the direction. */
static void test_a_wait_has_the_direction_of_its_copy(void **state)
{
	static const struct event events[] = {
		{"sync", "aten::index", 1000, 900, 1, .in_copy = 1},
		{"sync", "aten::index", 3000, 900, 1, .in_copy = 1},
		{"sync", "aten::nonzero", 5000, 900, 1, .in_copy = 1},
		{"sync", "aten::mm", 7000, 900, 1, .in_copy = 0},
	};
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	add_events(db, events, 4);
	memory_store_exec(db, "INSERT INTO label (id, direction) VALUES (7, 'HtoD'), (8, 'DtoH')");
	memory_store_exec(db, "INSERT INTO slice_row (id, ts, dur, track_id, label_id)"
			      " VALUES (11, 0, 1, 0, 7), (12, 0, 1, 0, 8)");
	memory_store_exec(db, "INSERT INTO wait_release VALUES (1, 0, '0', 11, 1900000, NULL),"
			      " (2, 0, '0', 11, 3900000, NULL), (3, 0, '0', 12, 5900000, NULL),"
			      " (4, 0, '0', 11, 7900000, NULL)");
	write_blocks(db);
	assert_int_equal(
		memory_store_number(db, "SELECT sum(id) FROM host_block WHERE kind = 'input_copy'"),
		1 + 2);
	assert_int_equal(
		memory_store_number(db, "SELECT sum(id) FROM host_block WHERE kind = 'sync'"),
		3 + 4);
	sqlite3_close(db);
}

static void test_a_failure_is_told(void **state)
{
	static const struct event events[] = {{"sync", NULL, 1000, 8000, 1, .exposed_us = 0}};
	sqlite3 *db = memory_store_open_trace();
	struct tc_ctx *ctx = tc_ctx_new();
	bool done = false;

	(void)state;
	add_events(db, events, 1);
	sqlite3_progress_handler(db, 1, interrupt_once, &done);
	tc_host_blocks_write(ctx, db, 0);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_INTERRUPTED);
	assert_true(done);
	tc_ctx_free(ctx);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_waits_cost_once),
		cmocka_unit_test(test_cost_is_capped),
		cmocka_unit_test(test_what_is_no_block),
		cmocka_unit_test(test_fallback),
		cmocka_unit_test(test_copies_cost_the_wait),
		cmocka_unit_test(test_a_copy_that_ends_late_counts_once),
		cmocka_unit_test(test_random_copies_count_once),
		cmocka_unit_test(test_copies_of_unknown_way),
		cmocka_unit_test(test_wait_and_loader_share),
		cmocka_unit_test(test_a_wait_has_the_direction_of_its_copy),
		cmocka_unit_test(test_a_failure_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

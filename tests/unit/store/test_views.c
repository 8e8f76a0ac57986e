/* The views that advice stands on (steady, steady_host_event, steady_gap, busiest_device), on
 * stores made by hand. Times are in us in the tests, ns in the store. */
#include "memory_store.h"

#include <string.h>

/* Steps decide what is steady: nothing of warm-up, nothing outside of steps; without steps all. */
static void test_steady(void **state)
{
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	memory_store_exec(db, "INSERT INTO host_event VALUES(1, 0, 1, 'sync', 's', 5, 10, 0, NULL, "
			      "0, 0, 0, 0, 0, 0, NULL, NULL, "
			      "NULL)");
	assert_int_equal(memory_store_number(db, "SELECT count(*) FROM steady_host_event"), 1);
	memory_store_exec(db,
		"INSERT INTO step VALUES(0, 0, 7, 'ProfilerStep#7', 0, 100000000, 1, 50, 100, 1, "
		"0),"
		"(1, 0, 8, 'ProfilerStep#8', 100000000, 10, 2, 60, 100, 0, 0);"
		"INSERT INTO host_event SELECT id + 1, trace_id, slice_id, role, name, ts, dur, "
		"thread_id, "
		"0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL FROM host_event WHERE id = 1;"
		"INSERT INTO host_event SELECT id + 2, trace_id, slice_id, role, name, 100, dur, "
		"thread_id, "
		"1, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL FROM host_event WHERE id = 1;");
	assert_int_equal(
		memory_store_number(db, "SELECT group_concat(id) FROM steady_host_event"), 3);
	assert_int_equal(memory_store_number(db, "SELECT before_device FROM steady_host_event"), 0);
	memory_store_steady(db);
	assert_int_equal(memory_store_number(db, "SELECT wall_ns FROM steady"), 900000000);
	assert_int_equal(memory_store_number(db, "SELECT step_count FROM steady"), 1);
	memory_store_exec(db, "UPDATE host_event SET ts = 20 WHERE id = 3");
	assert_int_equal(memory_store_number(db, "SELECT before_device FROM steady_host_event"), 1);
	sqlite3_close(db);
}

/* Work that was not recorded is taken from the run once: where it makes the first step longer than
 * the others, that is no excess. */
static void test_unrecorded_first_step(void **state)
{
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	memory_store_exec(db,
		"UPDATE metric SET value = 600000000 WHERE name = 'wall_ns';"
		"INSERT INTO step VALUES(0, 0, 1, 's', 0, 10, 1, 180000000, 120000000, 0, 0),"
		"(1, 0, 2, 's', 10, 10, 2, 300000000, 100000000, 0, 0)");
	memory_store_metric(db, 0, "steady_step_first_ns", NULL, 300000000);
	memory_store_metric(db, 0, "steady_step_sum_ns", NULL, 600000000);
	memory_store_metric(db, 0, "steady_step_count", NULL, 4);
	memory_store_steady(db);
	assert_int_equal(memory_store_number(db, "SELECT gain_wall_ns FROM steady"), 400000000);
	memory_store_metric(db, 0, "device_unknown_ns", NULL, 180000000);
	memory_store_steady(db);
	assert_int_equal(memory_store_number(db, "SELECT wall_ns FROM steady"), 420000000);
	assert_int_equal(memory_store_number(db, "SELECT gain_wall_ns FROM steady"), 400000000);
	/* Later it is in other steps. */
	memory_store_exec(
		db, "UPDATE metric SET value = 200000000 WHERE name = 'device_unknown_ns'");
	memory_store_gap(db, "0", 350000, 20000, "unrecorded");
	memory_store_steady(db);
	assert_int_equal(memory_store_number(db, "SELECT gain_wall_ns FROM steady"), 380000000);
	sqlite3_close(db);
}

/* Of several devices the one that waits most, and the one that works most. */
static void test_one_device_speaks(void **state)
{
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	memory_store_gap(db, "0", 0, 10, "dispatch");
	memory_store_gap(db, "1", 0, 6, "dispatch");
	memory_store_gap(db, "1", 10, 6, "sync");
	assert_int_equal(memory_store_number(db, "SELECT sum(dur) FROM steady_gap"), 12000);
	assert_int_equal(memory_store_number(db, "SELECT min(device) FROM steady_gap"), 1);
	memory_store_metric(db, 0, "device_busy_ns", NULL, 99);
	memory_store_metric(db, 0, "device_busy_ns", "0", 70);
	memory_store_metric(db, 0, "device_busy_ns", "1", 50);
	assert_int_equal(memory_store_number(db, "SELECT busy_ns FROM busiest_device"), 70);
	sqlite3_close(db);
}

/* Training shows by backward and optimizer work, on the host or on the device alone. */
static void test_run_kind(void **state)
{
	static const char kind[] =
		"SELECT CASE kind WHEN 'training' THEN 2 WHEN 'inference' THEN 1 ELSE 0 END"
		" FROM run_kind WHERE trace_id = 0";
	sqlite3 *db = memory_store_open();

	(void)state;
	memory_store_exec(db,
		"INSERT INTO trace(id, path, format, form, read_bytes, event_count)"
		" VALUES(0, 'a', 'kineto', 'object', 1, 1);"
		"INSERT INTO host_total(trace_id, category, name, role, count, dur_ns, "
		"self_ns, exposed_ns, is_launching) VALUES"
		" (0, 'x', 'cudaLaunchKernel', 'launch', 1, 1, 1, 1, 1)");
	assert_int_equal(memory_store_number(db, kind), 0);
	memory_store_exec(db,
		"INSERT INTO host_total(trace_id, name, role, count, dur_ns, self_ns, exposed_ns, "
		"is_launching, class) VALUES"
		" (0, 'aten::linear', 'dispatch', 1, 1, 1, 1, 1, 'matrix')");
	assert_int_equal(memory_store_number(db, kind), 1);
	memory_store_exec(db,
		"INSERT INTO op_total(trace_id, device, name, engine, kind, count, dur_ns, "
		"exclusive_ns, min_ns, max_ns, phase) VALUES"
		" (0, '0', 'add_bwd_f32', 'tpc', 'kernel', 1, 1, 1, 1, 1, 'backward')");
	assert_int_equal(memory_store_number(db, kind), 2);
	memory_store_exec(db,
		"DELETE FROM op_total; INSERT INTO host_total(trace_id, "
		"name, count, dur_ns, self_ns, exposed_ns, is_launching, phase) VALUES"
		" (0, 'Optimizer.step#SGD.step', 1, 1, 1, 1, 1, 'optimizer')");
	assert_int_equal(memory_store_number(db, kind), 2);
	sqlite3_close(db);
}

/* A wait counts between the first and the last product or embedding of its step; not before, after
 * or in a warm-up step. */
static void test_waits_within_a_step(void **state)
{
	sqlite3 *db = memory_store_open_trace();

	(void)state;
	memory_store_exec(db,
		"INSERT INTO step VALUES(0, 0, 7, 's', 0, 1000, 1, NULL, NULL, 1, 0),"
		" (1, 0, 8, 's', 1000, 1000, 2, NULL, NULL, 0, 0);"
		"INSERT INTO framework_op(trace_id, slice_id, kind, name, ts, dur, thread_id,"
		" step_id, previous_is_host, launch_count, input_copy_count)"
		" VALUES (0, 1, 'matmul', 'm', 100, 9, 0, 0, 0, 1, 0),"
		" (0, 2, 'matmul', 'm', 900, 9, 0, 0, 0, 1, 0),"
		" (0, 3, 'convolution', 'c', 1100, 9, 0, 1, 0, 1, 0),"
		" (0, 4, 'copy', 'c', 1010, 9, 0, 1, 0, 1, 0),"
		" (0, 5, 'matmul', 'm', 1900, 9, 0, 1, 0, 1, 0);"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)"
		" INSERT INTO host_event SELECT i, 0, i, iif(i = 13, 'output_copy', 'sync'), 's',"
		" i * 100 + 50, 1, 0, i / 10, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL FROM n");
	assert_int_equal(memory_store_number(db, "SELECT count(*) FROM step_wait"), 7);
	assert_int_equal(memory_store_number(db, "SELECT min(id) FROM step_wait"), 11);
	assert_int_equal(memory_store_number(db, "SELECT max(id) FROM step_wait"), 18);
	assert_int_equal(memory_store_number(db, "SELECT min(step) FROM step_wait"), 8);
	/* A model of language begins with an embedding, and reads its mask back behind it. */
	memory_store_exec(db,
		"INSERT INTO framework_op(trace_id, slice_id, kind, name, ts, dur, thread_id,"
		" step_id, previous_is_host, launch_count, input_copy_count)"
		" VALUES (0, 6, 'embedding', 'e', 1040, 9, 0, 1, 0, 1, 0)");
	assert_int_equal(memory_store_number(db, "SELECT min(id) FROM step_wait"), 10);
	memory_store_steady(db);
	assert_int_equal(
		memory_store_number(db, "SELECT count(*) FROM trait WHERE name = 'waits_within'"),
		1);
	memory_store_exec(db, "DELETE FROM framework_op");
	assert_int_equal(
		memory_store_number(db, "SELECT count(*) FROM trait WHERE name = 'waits_within'"),
		0);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_run_kind),
		cmocka_unit_test(test_unrecorded_first_step),
		cmocka_unit_test(test_waits_within_a_step),
		cmocka_unit_test(test_one_device_speaks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

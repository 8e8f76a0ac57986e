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
		"INSERT INTO step VALUES(0, 0, 7, 'ProfilerStep#7', 0, 100000000, 1, 50, 100, 1),"
		"(1, 0, 8, 'ProfilerStep#8', 100000000, 10, 2, 60, 100, 0);"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_run_kind),
		cmocka_unit_test(test_one_device_speaks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

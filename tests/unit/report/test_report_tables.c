/* Sections of the details and members of JSON that are rows of views: memory and queues. */
#include "schema_fixture.h"

/* Two steps that allocate 1000 and 3000 bytes in a slice; the first is never freed. */
static sqlite3 *memory_fixture(bool has_totals)
{
	sqlite3 *db = fixture_store();

	memory_store_exec(db,
		"DELETE FROM step; DELETE FROM memory_sample; DELETE FROM memory_slice;"
		"INSERT INTO step VALUES(1, 0, 5, 's', 0, 100, 1, NULL, NULL, 0, 0),"
		"(2, 0, 6, 's', 100, 100, 1, NULL, NULL, 0, 0), (3, 0, 7, 's', 200, 100, 1, NULL, "
		"NULL, 0, 0);"
		"INSERT INTO label(id, name) VALUES(900, 'aten::keeper'), (901, 'aten::worker');"
		"INSERT INTO slice_row VALUES(9000, 0, 9, 0, 900, NULL, NULL),"
		"(9001, 0, 9, 0, 901, NULL, NULL);"
		"INSERT INTO memory_sample VALUES(1, 0, 10, 1, 0, 16, 1000, 6000, 8192, 0),"
		"(2, 0, 110, 1, 0, 32, 1000, 7000, 8192, 0), (3, 0, 120, 1, 0, 48, 3000, 10000, "
		"16384, 0),"
		"(4, 0, 130, 1, 0, 48, -3000, 7000, 16384, 0);"
		"INSERT INTO memory_slice VALUES(1, 9000), (2, 9000), (3, 9001)");
	if (!has_totals)
		memory_store_exec(db, "UPDATE memory_sample SET total_allocated_bytes = NULL,"
				      " total_reserved_bytes = NULL");
	return db;
}

static void test_memory_sections(void **state)
{
	sqlite3 *db = memory_fixture(true);
	char *text = fixture_details(db, fixture_advice());

	(void)state;
	assert_has(text, "Memory by step\n");
	assert_has(text, "       0  5        5.86 KiB           5.86 KiB  8.00 KiB   0.98 KiB");
	assert_has(text, "       0  6        9.77 KiB           6.84 KiB  16.0 KiB   3.91 KiB");
	assert_has(text, "What lives at the peak of memory\n");
	assert_has(text, "4.88 KiB  50.0 %            -  allocated before the recording\n");
	assert_has(text, "2.93 KiB  30.0 %            1  aten::worker\n");
	assert_has(text, "1.95 KiB  20.0 %            2  aten::keeper\n");
	assert_has(text, "Memory that every step leaves behind\n");
	assert_has(text, "2 of 2    aten::keeper\n");
	free(text);
	sqlite3_close(db);
}

static void test_memory_without_totals(void **state)
{
	sqlite3 *db = memory_fixture(false);
	char *text = fixture_details(db, fixture_advice());

	(void)state;
	assert_has(text, "counts from the start of the");
	assert_has_not(text, "allocated before the recording");
	free(text);
	sqlite3_close(db);
}

/* Busy and idle of a step are of the same devices: all of them together. */
static void test_steps_of_several_devices(void **state)
{
	char *text = fixture_text_after(
		"INSERT INTO metric VALUES (0, 'idle_ns', NULL, 11, 20000000, 'ns'),"
		" (0, 'device_busy_pct', NULL, 11, 87.5, 'pct'),"
		" (0, 'idle_ns', '1', 11, 100000000, 'ns')");

	(void)state;
	assert_has(text, "87.5 %  20.00 ms");
	assert_has(text, "Busy: any device works; idle: none does.");
	free(text);
}

struct expected {
	const char *path, *value;
};

static char *json_report(sqlite3 *db, bool details)
{
	struct tc_report_options options = fixture_options();
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};

	options.details = details;
	assert_int_equal(
		fixture_render(&out, ctx, db, fixture_advice(), &options, tc_render_json), TC_OK);
	tc_ctx_free(ctx);
	return out.text;
}

static void expect(sqlite3 *db, const struct expected *values, size_t count)
{
	char *report = json_report(db, true);

	for (size_t i = 0; i < count; i++) {
		char *value = ask(db, "SELECT json_extract(?1, ?2)", report, values[i].path);
		if (!value || strcmp(value, values[i].value) != 0)
			fail_msg("%s: want %s, got %s", values[i].path, values[i].value, value);
		sqlite3_free(value);
	}
	free(report);
}

static void test_memory_json(void **state)
{
	static const struct expected values[] = {
		{"$.memory.peaks[0].in_use_bytes", "10000"},
		{"$.memory.peaks[0].unused_bytes", "6384"},
		{"$.memory.at_peak[0].is_older", "1"},
		{"$.memory.at_peak[0].bytes", "5000"},
		{"$.memory.at_peak[1].operator", "aten::worker"},
		{"$.memory.steps[1].freed_bytes", "3000"},
		{"$.memory.operators[0].mean_lifetime_ns", "10"},
		{"$.memory.kept[0].is_leak", "1"},
		{"$.memory.kept[0].looked_at_count", "2"},
	};
	sqlite3 *db = memory_fixture(true);

	(void)state;
	expect(db, values, sizeof(values) / sizeof(values[0]));
	sqlite3_close(db);
}

/* Two operations of a stream: launched 50 us before they start, and after a pause of 30 us. */
static sqlite3 *queue_fixture(void)
{
	sqlite3 *db = fixture_store();

	memory_store_exec(db,
		"INSERT INTO label(id, name, engine, kind) VALUES(900, 'k', 'compute', 'kernel');"
		"INSERT INTO track(id, trace_id, kind, device, lane) VALUES(900, 0, 'lane', '0', "
		"'stream 7');"
		"INSERT INTO slice_row VALUES(9000, 100000, 20000, 900, 900, NULL, NULL),"
		"(9001, 150000, 10000, 900, 900, NULL, NULL), (9002, 50000, 9, 0, 900, NULL, NULL),"
		"(9003, 130000, 9, 0, 900, NULL, NULL);"
		"DELETE FROM device_link; INSERT INTO device_link VALUES"
		"(9000, 9000, 9002, NULL, 'correlation'), (9001, 9001, 9003, NULL, 'correlation')");
	return db;
}

static void test_queue_sections(void **state)
{
	sqlite3 *db = queue_fixture();
	char *text = fixture_details(db, fixture_advice());

	(void)state;
	assert_has(text, "Queues of streams\n");
	assert_has(text, "         2    35.00 us  50.00 us         0.7              1       0");
	assert_has(text, "Idle time of streams\n");
	assert_has(text, "  30.00 us    100.0 %       1  host_wait         0  stream 7\n");
	free(text);
	sqlite3_close(db);
}

static void test_queue_json(void **state)
{
	static const struct expected values[] = {
		{"$.queues.streams[0].mean_delay_ns", "35000"},
		{"$.queues.streams[0].waiting_ns", "70000"},
		{"$.queues.streams[0].full_ns", "0"},
		{"$.queues.idle[0].cause", "host_wait"},
		{"$.queues.idle[0].idle_ns", "30000"},
	};
	sqlite3 *db = queue_fixture();

	(void)state;
	expect(db, values, sizeof(values) / sizeof(values[0]));
	sqlite3_close(db);
}

/* What goes through all events is made only when it is asked for. */
static void test_json_without_details(void **state)
{
	sqlite3 *db = queue_fixture();
	char *report = json_report(db, false);

	(void)state;
	assert_answer(db, "SELECT json_type(?1, '$.queues')", report, "null");
	assert_answer(db, "SELECT json_type(?1, '$.memory')", report, "null");
	assert_answer(db, "SELECT json_type(?1, '$.rooflines.operators')", report, "array");
	free(report);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_of_several_devices),
		cmocka_unit_test(test_memory_sections),
		cmocka_unit_test(test_memory_without_totals),
		cmocka_unit_test(test_memory_json),
		cmocka_unit_test(test_queue_sections),
		cmocka_unit_test(test_queue_json),
		cmocka_unit_test(test_json_without_details),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

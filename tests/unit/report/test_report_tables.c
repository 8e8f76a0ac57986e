/* Sections of the details and members of JSON that are rows of views: memory. */
#include "schema_fixture.h"

/* Two steps that allocate 1000 and 3000 bytes in a slice; the first is never freed. */
static sqlite3 *memory_fixture(bool has_totals)
{
	sqlite3 *db = fixture_store();

	memory_store_exec(db,
		"DELETE FROM step; DELETE FROM memory_sample; DELETE FROM memory_slice;"
		"INSERT INTO step VALUES(1, 0, 5, 's', 0, 100, 1, NULL, NULL, 0),"
		"(2, 0, 6, 's', 100, 100, 1, NULL, NULL, 0), (3, 0, 7, 's', 200, 100, 1, NULL, "
		"NULL, 0);"
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
	assert_has(text, "       0  5         5.86 KB            5.86 KB   8.00 KB    0.98 KB");
	assert_has(text, "       0  6         9.77 KB            6.84 KB   16.0 KB    3.91 KB");
	assert_has(text, "What lives at the peak of memory\n");
	assert_has(text, "4.88 KB  50.0 %            -  allocated before the recording\n");
	assert_has(text, "2.93 KB  30.0 %            1  aten::worker\n");
	assert_has(text, "1.95 KB  20.0 %            2  aten::keeper\n");
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

static void test_memory_json(void **state)
{
	static const struct {
		const char *path, *value;
	} values[] = {
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
	char *report = fixture_text(db, fixture_advice(), tc_render_json);

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char *value = ask(db, "SELECT json_extract(?1, ?2)", report, values[i].path);
		if (!value || strcmp(value, values[i].value) != 0)
			fail_msg("%s: want %s, got %s", values[i].path, values[i].value, value);
		sqlite3_free(value);
	}
	free(report);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_sections),
		cmocka_unit_test(test_memory_without_totals),
		cmocka_unit_test(test_memory_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Logs: the known lines in all their spellings, and only those. */
#include "side_fixture.h"

static const char rows_sql[] = "SELECT line, kind, subject, count, value FROM side_log";

static void fallbacks_in_both_forms(void **state)
{
	(void)state;
	read_text("CPU fallback digamma : self=HPUBFloat16Type\n"
		  "[12:00] x CPU fallback aten::nonzero: self=HPUFloatType\n"
		  "CPU fallback is bad\n"
		  "Frequency of op and op name that were executed on CPU:\n"
		  "1       aten::digamma\n  12\tnonzero\nend of it\n3 aten::late\n"
		  "pt CPU Fallback stats:\n7\taten::foo");
	expect_rows(rows_sql, "1|cpu_fallback|aten::digamma|1|NULL;"
			      "2|cpu_fallback|aten::nonzero|1|NULL;"
			      "5|cpu_fallback_total|aten::digamma|1|NULL;"
			      "6|cpu_fallback_total|aten::nonzero|12|NULL;"
			      "10|cpu_fallback_total|aten::foo|7|NULL");
	expect_rows("SELECT name FROM metric WHERE value = 1 ORDER BY name",
		"has_fallback_counts;has_side_log");
}

/* Any text may be named as a log, and then shows nothing of the bridge. */
static void text_without_a_line_of_the_bridge(void **state)
{
	(void)state;
	read_text("epoch 1 loss 0.3\nepoch 2 loss 0.2\n");
	expect_rows("SELECT count(*) FROM side_file", "1");
	expect_rows("SELECT count(*) FROM metric WHERE value = 1", "0");
}

static void recipe_cache_lines(void **state)
{
	(void)state;
	read_text("I Removed 12 successfully. Disk cache size after removal: 5\r\n"
		  "Removed ab_cdsuccessfully. Disk cache size after removal: 6\n"
		  "successfully. Disk cache size after removal: 6\n"
		  "W Recipes total size still exceeded the limit after eviction: 10/8.\n"
		  "HabanaOp recipe cache hit :: k 1\nrecipe cache miss :: k2\n"
		  "recipe cache miss :: \n");
	expect_rows(rows_sql, "1|recipe_eviction|12|1|5;2|recipe_eviction|ab_cd|1|6;"
			      "4|recipe_over_limit|NULL|1|10;5|recipe_hit|k 1|1|NULL;"
			      "6|recipe_miss|k2|1|NULL");
	expect_rows("SELECT name FROM metric WHERE value = 1 ORDER BY name",
		"has_recipe_cache;has_side_log");
}

static void compile_lines(void **state)
{
	(void)state;
	read_text("INFO [decode bs:4] graph compilation detected: [('TotalNumber', 3), "
		  "('TotalTime', 1234), ('AvgTime', 411.3)]\n"
		  "graph compilation detected: ?\n");
	expect_rows(rows_sql, "1|graph_compile|decode bs:4|3|1234;2|graph_compile|NULL|1|NULL");
}

static void long_and_broken_lines(void **state)
{
	size_t len = 3 << 20;
	char *text = malloc(len);
	static const char end[] = "\nCPU fallback a\xff : x\nrecipe cache hit :: \xc3(\0z\n";

	(void)state;
	assert_non_null(text);
	memset(text, 'x', len);
	memcpy(text + len - sizeof(end) + 1, end, sizeof(end) - 1);
	write_bytes(text, len);
	free(text);
	assert_int_equal(read_path(f.path), TC_OK);
	expect_rows("SELECT line, subject FROM side_log", "3|\xef\xbf\xbd(\xef\xbf\xbdz");
	expect_rows("SELECT damaged_count FROM side_file", "1");
}

static void unknown_files_are_refused_by_name(void **state)
{
	(void)state;
	read_text("a log without any known line\n"); /* its name says that it is one */
	name_file("notes.md");
	write_bytes("hello\n", 6);
	expect_refused(f.path, TC_ERR_INPUT, "notes.md: not a side file of a known kind");
	write_bytes("{\"traceEvents\": []}", 19);
	expect_refused(f.path, TC_ERR_INPUT, "it is a trace");
	write_bytes("{\"a\": 1}", 8);
	expect_refused(f.path, TC_ERR_INPUT, "it is JSON, but not a metrics file");
	write_bytes("ab\0cd", 5);
	expect_refused(f.path, TC_ERR_INPUT, "it is not text");
	write_bytes("", 0);
	expect_refused(f.path, TC_ERR_INPUT, "is empty");
	expect_refused("/nonexistent/x.log", TC_ERR_READ, "cannot open /nonexistent/x.log");
	expect_rows("SELECT count(*) FROM side_file", "1");
}

static void ranks_choose_the_trace(void **state)
{
	static const char *const capabilities[] = {NULL};

	(void)state;
	name_file("m-rank3.log");
	read_text("x\n"); /* the only trace tells no rank */
	memory_store_exec(f.db, "UPDATE trace SET rank = 0");
	expect_refused(f.path, TC_ERR_INPUT, "rank 3, but no trace of that rank");
	memory_store_trace(f.db, 1, 1000, capabilities);
	memory_store_exec(f.db, "UPDATE trace SET rank = 3 WHERE id = 1");
	read_text("x\n");
	name_file("m-ranking.log");
	read_text("x\n");
	expect_rows("SELECT trace_id FROM side_file", "0;1;0");
}

static void memory_may_fail_anywhere(void **state)
{
	(void)state;
	read_text("CPU fallback digamma : x\nCPU Fallback stats:\n1\ta\nRemoved 1 successfully. "
		  "Disk cache size after removal: 2\nrecipe cache hit :: \xff\n");
	survive_without_memory();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fallbacks_in_both_forms, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			text_without_a_line_of_the_bridge, set_up, tear_down),
		cmocka_unit_test_setup_teardown(recipe_cache_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(compile_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(long_and_broken_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			unknown_files_are_refused_by_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ranks_choose_the_trace, set_up, tear_down),
		cmocka_unit_test_setup_teardown(memory_may_fail_anywhere, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

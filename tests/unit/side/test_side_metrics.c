/* Metrics files in both forms: values flattened, cut ends and damage survived. */
#include "side_fixture.h"

#include <stdbool.h>

static const char rows_sql[] =
	"SELECT metric, triggered_by, generated_on, ord, name, item, value FROM side_metric";

#define GC                                                                                         \
	"{\"metric_name\": \"graph_compilation\", \"triggered_by\": \"mark_step\", "               \
	"\"generated_on\": \"T1\", \"statistics\": {\"TotalNumber\": 2, \"AvgTime\": 1.5"

static void nested_members_become_rows(void **state)
{
	(void)state;
	read_text("[" GC ", \"recipe\": [[\"a\\u0062\", 7], [8, 9], 10]}},\n"
		  "{\"metric_name\": \"cpu_fallback\", \"triggered_by\": \"user\", "
		  "\"generated_on\": \"T2\", \"statistics\": {\"FallbackOps\": {\"aten::x\": 3, "
		  "\"y\": null}, \"deep\": {\"k\": {\"l\": [1, 2]}}, \"flag\": true}}]");
	expect_rows(rows_sql, "graph_compilation|mark_step|T1|1|TotalNumber|NULL|2;"
			      "graph_compilation|mark_step|T1|1|AvgTime|NULL|1.5;"
			      "graph_compilation|mark_step|T1|1|recipe|ab|7;"
			      "graph_compilation|mark_step|T1|1|recipe|1|[8,9];"
			      "graph_compilation|mark_step|T1|1|recipe|2|10;"
			      "cpu_fallback|user|T2|2|FallbackOps|aten::x|3;"
			      "cpu_fallback|user|T2|2|FallbackOps|y|NULL;"
			      "cpu_fallback|user|T2|2|deep|k|{\"l\":[1,2]};"
			      "cpu_fallback|user|T2|2|flag|NULL|1");
	expect_rows("SELECT kind, origin, row_count, damaged_count FROM side_file",
		"metrics-json|given|9|0");
	expect_rows("SELECT name FROM metric WHERE value = 1 ORDER BY name",
		"has_fallback_counts;has_side_metrics");
}

/* Every prefix of a file is a file whose writer was killed: whole dumps are kept, and at most the
 * last is counted as damaged. */
static void every_prefix_keeps_its_whole_dumps(void **state)
{
	static const char text[] = "[" GC "}},\n" GC "}},\n" GC "}}\n";
	const size_t dump = sizeof(GC "}},\n") - 1;

	(void)state;
	for (size_t len = 30; len < sizeof(text); len++) {
		char want[64];
		memory_store_exec(f.db, "DELETE FROM side_metric; DELETE FROM side_file");
		write_bytes(text, len);
		assert_int_equal(read_path(f.path), TC_OK);
		/* A dump is whole from its last brace on, two bytes before the next. */
		size_t whole = (len + 1) / dump, left = len - 1;
		bool cut = left % dump > 0 && left % dump < dump - 2;
		snprintf(want, sizeof(want), "%zu|%d", 2 * whole, cut);
		expect_rows("SELECT row_count, damaged_count FROM side_file", want);
	}
}

static void empty_arrays_are_metrics_too(void **state)
{
	(void)state;
	read_text("[");
	read_text("[\n]\n");
	expect_rows("SELECT kind, row_count FROM side_file", "metrics-json|0;metrics-json|0");
	/* A trace that was cut behind its first byte is none. */
	write_bytes("{\n", 2);
	assert_null(tc_side_kind(f.path));
}

static void damage_costs_one_dump(void **state)
{
	(void)state;
	read_text("[" GC ", \"x\": \"no end}},\n" GC "}},{\"metric_name\": 5}]");
	expect_rows("SELECT ord, count(*) FROM side_metric GROUP BY ord", "1|2");
	expect_rows("SELECT kind, severity, count FROM import_log WHERE kind = 'side_damaged'",
		"side_damaged|info|2");
}

static void bad_bytes_are_replaced(void **state)
{
	(void)state;
	read_text("[{\"metric_name\": \"m\xff\", \"statistics\": {\"a\": \"\xc3\"}}]");
	expect_rows("SELECT metric, value FROM side_metric", "m\xef\xbf\xbd|\xef\xbf\xbd");
}

static void text_form_gives_the_same_rows(void **state)
{
	(void)state;
	name_file("metrics-rank0.txt");
	read_text("Metric name: graph_compilation\r\nTriggered by: mark_step\nGenerated on: T1 9\n"
		  "Statistics:\n\tTotalNumber: 2\n\tAvgTime: 1.5\n"
		  "\trecipe: [('a\"b', 7), (\"it's\", 8)]\n\nMetric name: cpu_fallback\n"
		  "Statistics:\n\tFallbackOps: {'aten::x': 3}\n\twhat is this\n\tnote: hello\n");
	expect_rows(rows_sql, "graph_compilation|mark_step|T1 9|1|TotalNumber|NULL|2;"
			      "graph_compilation|mark_step|T1 9|1|AvgTime|NULL|1.5;"
			      "graph_compilation|mark_step|T1 9|1|recipe|a\"b|7;"
			      "graph_compilation|mark_step|T1 9|1|recipe|it's|8;"
			      "cpu_fallback|NULL|NULL|2|FallbackOps|aten::x|3;"
			      "cpu_fallback|NULL|NULL|2|note|NULL|hello");
	expect_rows("SELECT count FROM import_log WHERE kind = 'side_damaged'"
		    " AND message LIKE '%: the first is line 12'",
		"1");
	expect_rows("SELECT kind, damaged_count FROM side_file", "metrics-text|1");
}

static void recipe_cache_is_a_capability(void **state)
{
	(void)state;
	read_text("[{\"metric_name\": \"recipe_cache\", \"statistics\": {\"TotalHit\": 2}}");
	expect_rows("SELECT name FROM metric WHERE value = 1 ORDER BY name",
		"has_recipe_cache;has_side_metrics");
}

static void memory_may_fail_anywhere(void **state)
{
	(void)state;
	read_text("[" GC ", \"recipe\": [[\"a\", 7]], \"o\": {\"\xff\": \"x\"}}},\n" GC "}");
	survive_without_memory();
	name_file("m.txt");
	read_text("Metric name: a\nTriggered by: b\nStatistics:\n\tx: [('a', 1)]\n");
	survive_without_memory();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nested_members_become_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			every_prefix_keeps_its_whole_dumps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(empty_arrays_are_metrics_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damage_costs_one_dump, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bad_bytes_are_replaced, set_up, tear_down),
		cmocka_unit_test_setup_teardown(text_form_gives_the_same_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(recipe_cache_is_a_capability, set_up, tear_down),
		cmocka_unit_test_setup_teardown(memory_may_fail_anywhere, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

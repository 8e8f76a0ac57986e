/* The small parts of reports: the sink, tables on a terminal, the JSON writer, rows and metrics. */
#include "report_fixture.h"

#include "report/view/view.h"
#include "report/text/json.h"
#include "report/doc/doc.h"

static void test_sink_passes_large_output_on(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};
	struct tc_sink sink;

	(void)state;
	tc_sink_init(&sink, output_write, &out);
	tc_sink_fill(&sink, "0123456789", 10000);
	tc_sink_format(&sink, "%s", "end");
	assert_int_equal(tc_sink_close(&sink, ctx), TC_OK);
	assert_int_equal(out.len, 100003);
	assert_string_equal(out.text + 99998, "89end");
	free(out.text);
	tc_ctx_free(ctx);
}

static void test_sink_reader_stops(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {.stop_after = 1};
	struct tc_sink sink;

	(void)state;
	tc_sink_init(&sink, output_write, &out);
	assert_false(tc_sink_dead(&sink));
	tc_sink_fill(&sink, "0123456789", 10000);
	assert_true(tc_sink_dead(&sink));
	tc_sink_put(&sink, "more");
	assert_int_equal(tc_sink_close(&sink, ctx), TC_ERR_IO);
	assert_has(tc_ctx_error(ctx), "reader stopped");
	assert_null(out.text);
	tc_ctx_free(ctx);
}

static void test_sink_without_memory(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};
	struct tc_sink sink;

	(void)state;
	tc_sink_init(&sink, output_write, &out);
	tc_alloc_fail_after(0);
	tc_sink_put(&sink, "lost");
	tc_alloc_fail_after(-1);
	tc_sink_put(&sink, "also lost");
	assert_int_equal(tc_sink_close(&sink, ctx), TC_ERR_NOMEM);
	assert_null(out.text);
	tc_ctx_free(ctx);
}

/* The document on lines of this width; it is cleared. */
static char *laid_out(struct tc_doc *doc, int width)
{
	const struct tc_report_options options = {.width = width, .ascii = true};
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};
	struct tc_sink sink;

	tc_sink_init(&sink, output_write, &out);
	tc_doc_write_text(doc, &sink, &options);
	tc_doc_clear(doc);
	assert_int_equal(tc_sink_close(&sink, ctx), TC_OK);
	tc_ctx_free(ctx);
	return out.text;
}

/* One row of a small table at a width. */
static char *table_at(int width)
{
	static const char *const columns[] = {"<name", "time", "?count", "?<kind", "<what", NULL};
	struct tc_doc doc = TC_DOC_EMPTY;

	tc_doc_table(&doc, columns);
	tc_doc_cell_string(&doc, "a");
	tc_doc_cell_ns(&doc, 74870000);
	tc_doc_cell_count(&doc, 1234);
	tc_doc_cell_string(&doc, "k");
	tc_doc_cell_string(&doc, "a long description of the row");
	return laid_out(&doc, width);
}

static void test_table(void **state)
{
	char *text = table_at(80);

	(void)state;
	assert_string_equal(text, "  name      time  count  kind  what\n"
				  "  a     74.87 ms  1,234  k     a long description of the row\n");
	free(text);
	text = table_at(52); /* one optional column less */
	assert_string_equal(text, "  name      time  what\n"
				  "  a     74.87 ms  a long description of the row\n");
	free(text);
	text = table_at(20); /* the last column is cut, but never below what says something */
	assert_has(text, "a lon... row\n");
	free(text);
}

/* Where optional columns are not enough: titles in lines, words cut, then what '-' marks goes. */
static void test_table_narrow(void **state)
{
	static const char *const columns[] = {
		"comm. exposed", "-waiting for others", "<largest causes", "<name", NULL};
	static const struct {
		int width;
		const char *text;
	} rows[] = {
		{80, "  comm. exposed  waiting for others  largest causes         name\n"
		     "       1.000 us            2.000 us  dataloader, host_othe  aten::item\n"},
		{58, "     comm.  waiting for\n"
		     "   exposed       others  largest causes         name\n"
		     "  1.000 us     2.000 us  dataloader, host_othe  aten::item\n"},
		{46, "             waiting\n"
		     "     comm.       for  largest\n"
		     "   exposed    others  causes        name\n"
		     "  1.000 us  2.000 us  datal...othe  aten::item\n"},
		{37, "     comm.  largest\n"
		     "   exposed  causes        name\n"
		     "  1.000 us  datal...othe  aten::item\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tc_doc doc = TC_DOC_EMPTY;

		tc_doc_table(&doc, columns);
		tc_doc_cell_ns(&doc, 1000);
		tc_doc_cell_ns(&doc, 2000);
		tc_doc_cell_string(&doc, "dataloader, host_othe");
		tc_doc_cell_string(&doc, "aten::item");
		char *text = laid_out(&doc, rows[i].width);
		assert_string_equal(text, rows[i].text);
		free(text);
	}
}

/* A title with '~' wraps its column at words; one word that is too long is cut all the same. */
static void test_table_wraps(void **state)
{
	static const char *const columns[] = {"time", "<~what", NULL};
	struct tc_doc doc = TC_DOC_EMPTY;

	(void)state;
	tc_doc_table(&doc, columns);
	tc_doc_cell_ns(&doc, 1000);
	tc_doc_cell_string(&doc, "a long description of the row");
	tc_doc_cell_ns(&doc, 2000);
	tc_doc_cell_string(&doc, "dataloader-bound");
	char *text = laid_out(&doc, 26);
	assert_string_equal(text, "      time  what\n"
				  "  1.000 us  a long\n"
				  "            description of\n"
				  "            the row\n"
				  "  2.000 us  datalo...bound\n");
	free(text);
}

/* So does a column between others, below its own start and the depth of the row. */
static void test_table_wraps_between(void **state)
{
	static const char *const columns[] = {"", "<~what", "time", NULL};
	struct tc_doc doc = TC_DOC_EMPTY;

	(void)state;
	tc_doc_table(&doc, columns);
	tc_doc_cell_count(&doc, 1);
	tc_doc_cell_string(&doc, "a long description of the row");
	tc_doc_cell_ns(&doc, 1000);
	tc_buf_append_string(tc_doc_below(&doc), "below it");
	tc_doc_cell_count(&doc, 2);
	tc_doc_cell_string(&doc, "one that is a part");
	tc_doc_depth(&doc, 1);
	tc_doc_cell_ns(&doc, 2000);
	char *text = laid_out(&doc, 34);
	assert_string_equal(text, "     what                     time\n"
				  "  1  a long description   1.000 us\n"
				  "     of the row\n"
				  "     below it\n"
				  "  2    one that is a      2.000 us\n"
				  "       part\n");
	free(text);
}

/* Words wrap before short bars go, of which '^' draws the longest as long as its column, and no
 * wider than they need; bars go where words would be too narrow. */
static void test_table_wraps_for_bars(void **state)
{
	static const char *const columns[] = {"<~what", "time", "=^", NULL};
	static const struct {
		int width;
		const char *text;
	} rows[] = {
		{56, "  what                                       time\n"
		     "  a long description of one of the rows  1.000 us  #####\n"
		     "  another                                2.000 us  ###\n"},
		{52, "  what                                  time\n"
		     "  a long description of one of the  1.000 us  ######\n"
		     "  rows\n"
		     "  another                           2.000 us  ###\n"},
		{43, "  what                       time\n"
		     "  a long description of  1.000 us  ########\n"
		     "  one of the rows\n"
		     "  another                2.000 us  ####\n"},
		{42, "  what                              time\n"
		     "  a long description of one of  1.000 us\n"
		     "  the rows\n"
		     "  another                       2.000 us\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tc_doc doc = TC_DOC_EMPTY;

		tc_doc_table(&doc, columns);
		tc_doc_cell_string(&doc, "a long description of one of the rows");
		tc_doc_cell_ns(&doc, 1000);
		tc_doc_cell_bar(&doc, 40);
		tc_doc_cell_string(&doc, "another");
		tc_doc_cell_ns(&doc, 2000);
		tc_doc_cell_bar(&doc, 20);
		char *text = laid_out(&doc, rows[i].width);
		assert_string_equal(text, rows[i].text);
		free(text);
	}
}

/* Where a word is too long for bars, nothing wraps in vain. */
static void test_table_stays_without_bars(void **state)
{
	static const char *const columns[] = {"<~what", "time", "=^", NULL};
	struct tc_doc doc = TC_DOC_EMPTY;

	(void)state;
	tc_doc_table(&doc, columns);
	tc_doc_cell_string(&doc, "kernel_of_our_own_is_far_too_slow");
	tc_doc_cell_ns(&doc, 1000);
	tc_doc_cell_bar(&doc, 40);
	tc_doc_cell_string(&doc, "one of many words in a line");
	tc_doc_cell_ns(&doc, 2000);
	tc_doc_cell_bar(&doc, 20);
	char *text = laid_out(&doc, 50);
	assert_string_equal(text, "  what                                   time\n"
				  "  kernel_of_our_own_is_far_too_slow  1.000 us\n"
				  "  one of many words in a line        2.000 us\n");
	free(text);
}

/* On a page with too many lines the words of the lowest rows are cut, no more than it takes; a word
 * that is too long is cut in its middle. */
static void test_page_cuts_last_rows(void **state)
{
	static const char *const columns[] = {"time", "<~what", NULL};
	struct tc_doc doc = TC_DOC_EMPTY;

	(void)state;
	tc_doc_table(&doc, columns);
	for (int i = 0; i < 4; i++) {
		tc_doc_cell_ns(&doc, 1000);
		tc_doc_cell_string(&doc,
			i < 3 ? "a description of the row" : "its_description_in_one_word of it");
	}
	doc.line_limit = 7;
	char *text = laid_out(&doc, 30);
	assert_string_equal(text, "      time  what\n"
				  "  1.000 us  a description of\n"
				  "            the row\n"
				  "  1.000 us  a description of\n"
				  "            the row\n"
				  "  1.000 us  a description ...\n"
				  "  1.000 us  its_desc...d of it\n");
	free(text);
}

static void test_json_writer(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};
	struct tc_sink sink;
	struct tc_json json = {.sink = &sink};
	volatile double zero = 0;

	(void)state;
	tc_sink_init(&sink, output_write, &out);
	tc_json_object(&json, NULL);
	tc_json_text(
		&json, "t", TC_TEXT("q\"\\\n\t\x01\xc3\xa9\xff\xed\xa0\x80\xf4\x90\x80\x80\xc3"));
	tc_json_array(&json, "a");
	tc_json_int(&json, NULL, INT64_MIN);
	tc_json_real(&json, NULL, 0.1);
	tc_json_real(&json, NULL, 1.0 / 3);
	tc_json_real(&json, NULL, zero / zero);
	tc_json_real(&json, NULL, 1 / zero);
	tc_json_bool(&json, NULL, true);
	tc_json_string(&json, NULL, NULL);
	tc_json_object(&json, NULL);
	tc_json_raw(&json, "r", TC_TEXT("[1]"));
	tc_json_null(&json, "n");
	tc_json_end(&json);
	tc_json_end(&json);
	tc_json_object(&json, "empty");
	tc_json_end(&json);
	tc_json_end(&json);
	assert_int_equal(tc_sink_close(&sink, ctx), TC_OK);
	assert_string_equal(out.text,
		"{\n"
		" \"t\": \"q\\\"\\\\\\n\\t\\u0001\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\",\n"
		" \"a\": [\n"
		"  -9223372036854775808,\n"
		"  0.1,\n"
		"  0.33333333333333331,\n"
		"  null,\n"
		"  null,\n"
		"  true,\n"
		"  null,\n"
		"  {\"r\": [1], \"n\": null}\n"
		" ],\n"
		" \"empty\": {}\n"
		"}\n");
	free(out.text);
	tc_ctx_free(ctx);
}

static void test_rows_fail_cleanly(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db = memory_store_open();

	(void)state;
	struct tc_rows rows = TC_ROWS(ctx, db, "SELECT no_such_column FROM trace", 7);
	assert_false(tc_rows_next(&rows));
	tc_rows_close(&rows);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_STORE);
	assert_has(tc_ctx_error(ctx), "no_such_column");
	assert_int_equal(tc_rows_single(ctx, db, "SELECT 1", 0), 0); /* after a failure */
	tc_ctx_clear_error(ctx);
	assert_int_equal(tc_rows_single(ctx, db, "SELECT count(*) FROM nowhere", 0), 0);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_STORE);
	tc_ctx_clear_error(ctx);
	assert_int_equal(tc_rows_single(ctx, db, "SELECT ?1 + 4", 3), 7);
	assert_false(tc_ctx_failed(ctx));
	tc_ctx_interrupt(ctx);
	rows = tc_rows_open(ctx, db, "SELECT 1");
	assert_false(tc_rows_next(&rows));
	tc_rows_close(&rows);
	assert_int_equal(tc_ctx_status(ctx), TC_ERR_INTERRUPTED);
	sqlite3_close(db);
	tc_ctx_free(ctx);
}

/* Devices come in the order of their numbers; names that nobody knows are passed over. */
static void test_metrics(void **state)
{
	struct tc_ctx *ctx = tc_ctx_new();
	sqlite3 *db = memory_store_open();
	struct tc_metrics metrics;

	(void)state;
	memory_store_exec(db,
		"INSERT INTO metric VALUES(0, 'wall_ns', NULL, NULL, 70, 'ns'),"
		" (0, 'wall_ns', NULL, 3, 30, 'ns'), (1, 'wall_ns', NULL, NULL, 99, 'ns'),"
		" (0, 'device_busy_pct', '10', NULL, 12.6, 'pct'),"
		" (0, 'device_busy_ns', '10', NULL, 5, 'ns'), (0, 'device_busy_ns', '2', NULL, 6, "
		"'ns'),"
		" (0, 'from_the_future', '2', NULL, 6, 'ns')");
	tc_metrics_load(&metrics, ctx, db, 0, -1);
	assert_int_equal(tc_metric(&metrics.run, TC_METRIC_WALL), 70);
	assert_int_equal(metrics.device_count, 2);
	assert_string_equal(metrics.devices[0].device, "2");
	assert_string_equal(metrics.devices[1].device, "10");
	assert_int_equal(tc_metric(&metrics.devices[1], TC_METRIC_DEVICE_BUSY_PCT), 13);
	assert_true(tc_metric_real(&metrics.devices[1], TC_METRIC_DEVICE_BUSY_PCT) == 12.6);
	assert_false(metrics.devices[0].cells[TC_METRIC_DEVICE_BUSY_PCT].present);
	tc_metrics_clear(&metrics);
	tc_metrics_load(&metrics, ctx, db, 0, 3);
	assert_false(tc_ctx_failed(ctx));
	assert_int_equal(tc_metric(&metrics.run, TC_METRIC_WALL), 30);
	assert_int_equal(metrics.device_count, 0);
	tc_metrics_clear(&metrics);
	for (int64_t n = 0; n < 3; n++) {
		tc_alloc_fail_after(n);
		tc_metrics_load(&metrics, ctx, db, 0, -1);
		tc_alloc_fail_after(-1);
		assert_int_equal(tc_ctx_status(ctx), TC_ERR_NOMEM);
		tc_ctx_clear_error(ctx);
		tc_metrics_clear(&metrics);
	}
	sqlite3_close(db);
	tc_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sink_passes_large_output_on),
		cmocka_unit_test(test_sink_reader_stops),
		cmocka_unit_test(test_sink_without_memory),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_narrow),
		cmocka_unit_test(test_table_wraps),
		cmocka_unit_test(test_table_wraps_between),
		cmocka_unit_test(test_table_wraps_for_bars),
		cmocka_unit_test(test_table_stays_without_bars),
		cmocka_unit_test(test_page_cuts_last_rows),
		cmocka_unit_test(test_json_writer),
		cmocka_unit_test(test_rows_fail_cleanly),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

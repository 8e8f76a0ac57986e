/*
 * The drop-in's lines. The five public outputs, as numbers in a store, must print again: the
 * files tests/golden/perf-tool-*.txt hold what was printed, with * where nobody knows, or where
 * the sentence is ours.
 */
#include "report_fixture.h"

#include <math.h>

/* What a public output tells, in ms and percent. */
struct sample {
	const char *name;
	double device, total, host;
	double mme, overlap, tpc, dma;
	double graph_build_pct, loader_pct, input_pct, compile_pct, low_precision_pct;
	const char *compiles; /* rows of (step, count) */
};

/* Two digits behind the point were printed of the engine times; the third is ours where the
 * printed idle time asks for it; so are two of 1.5187 %, which is printed as 6.31 ms. */
static const struct sample samples[] = {
	{"2023-unopt", 288.393, 467.734, 415.491, 88.28, 57.94, 165.36, 29.43, 14.50, 55.98, 4.62,
		1.5187, 77.08, "(0, 2), (1, 0), (2, 0)"},
	{"2023-1st-opt", 283.428, 312.02, 208.177, 88.26, 57.95, 165.50, 26.404, 28.77, 1.56, 11.58,
		2.28, 77.08, "(0, 2), (1, 0), (2, 0)"},
	{"2023-2nd-opt", 280.442, 305.698, 201.314, 88.22, 57.90, 165.44, 33.71, 33.66, 1.69, 1.33,
		2.31, 77.08, "(0, 0), (1, 1), (2, 1)"},
	{"2024-03", 202.93, 716.607, 713.275, 78.11, 47.34, 98.75, 26.52, 17.28, 52.07, 2.46, 0,
		81.41, "(0, 0)"},
	{"2024-10", 193.313984, 513.299755, 507.41137, 74.868, 46.48, 93.328, 22.788, 0, 0, 0, 0,
		81.54, "(0, 0)"},
};

static void put_ms(sqlite3 *db, const char *name, double ms)
{
	memory_store_metric(db, 0, name, NULL, (int64_t)llround(ms * 1e6));
}

static void put_real(sqlite3 *db, const char *name, double value)
{
	char *sql = sqlite3_mprintf(
		"INSERT INTO metric VALUES(0, %Q, NULL, NULL, %!.17g, 'ratio')", name, value);

	memory_store_exec(db, sql);
	sqlite3_free(sql);
}

static sqlite3 *sample_store(const struct sample *sample)
{
	sqlite3 *db = memory_store_open();
	bool exact = sample->graph_build_pct <= 0; /* the one output whose parts are known */
	double shorter = sample->device < sample->host ? sample->device : sample->host;
	char *steps;

	/* The times of the golden lines: 2024-10-18 20:45:40,533 UTC. */
	memory_store_exec(db, "INSERT INTO trace(id, path, format, form, read_bytes, event_count,"
			      " base_time_ns, start_ns)"
			      " VALUES(0, 'dir/run.pt.trace.json', 'gaudi-lazy', 'object',"
			      " 187080 * 1024, 1, 1729284340000000000, 533000000)");
	put_ms(db, "perf_tool_device_ns", sample->device);
	put_ms(db, "perf_tool_total_ns", sample->total);
	put_ms(db, "host_window_ns", sample->host);
	put_ms(db, "mme_busy_ns", sample->mme);
	put_ms(db, "mme_tpc_overlap_ns", sample->overlap);
	put_ms(db, "tpc_exclusive_ns", sample->tpc);
	put_ms(db, "dma_exclusive_ns", sample->dma);
	put_ms(db, "graph_build_ns",
		exact ? 70.039949 : sample->graph_build_pct / 100 * sample->host);
	put_ms(db, "dataloader_ns", exact ? 280.003883 : sample->loader_pct / 100 * sample->host);
	put_ms(db, "input_copy_ns", exact ? 18.406094 : sample->input_pct / 100 * sample->host);
	put_ms(db, "compile_ns", sample->compile_pct / 100 * sample->host);
	put_real(db, "mme_low_precision_ratio", sample->low_precision_pct / 100);
	put_real(db, "overlapping_degree",
		(sample->device + sample->host - sample->total) / shorter);
	steps = sqlite3_mprintf(
		"INSERT INTO metric SELECT 0, 'compile_count', NULL, column1, column2, 'count'"
		" FROM (VALUES %s);"
		"INSERT INTO metric SELECT 0, 'input_copy_count', NULL, column1, 28, 'count'"
		" FROM (VALUES (2), (0), (1))",
		sample->compiles);
	memory_store_exec(db, steps);
	sqlite3_free(steps);
	return db;
}

/* Does text match the pattern, in which * stands for any text? */
static bool matches(const char *pattern, const char *text)
{
	for (; *pattern && *pattern != '*'; pattern++, text++)
		if (*pattern != *text)
			return false;
	if (!*pattern)
		return !*text;
	for (; *text; text++)
		if (matches(pattern + 1, text))
			return true;
	return matches(pattern + 1, text);
}

/* A golden file, as a string to be freed. */
static char *golden(const char *name)
{
	const char *root = getenv("TC_SOURCE_DIR");
	char path[512];
	char *text = calloc(1, 16384);

	if (root)
		snprintf(path, sizeof(path), "%s/tests/golden/perf-tool-%s.txt", root, name);
	else
		snprintf(path, sizeof(path), "%.*s/../golden/perf-tool-%s.txt",
			(int)(strrchr(__FILE__, '/') - __FILE__), __FILE__, name);
	FILE *file = fopen(path, "r");
	if (!file)
		fail_msg("cannot open %s", path);
	assert_non_null(text);
	size_t len = fread(text, 1, 16383, file);
	fclose(file);
	assert_in_range(len, 500, 16382);
	return text;
}

static void compare_lines(char *expected, char *actual)
{
	char *expected_rest, *actual_rest;
	char *want = strtok_r(expected, "\n", &expected_rest);
	char *got = strtok_r(actual, "\n", &actual_rest);

	while (want && got) {
		if (!matches(want, got))
			fail_msg("want: %s\ngot:  %s", want, got);
		want = strtok_r(NULL, "\n", &expected_rest);
		got = strtok_r(NULL, "\n", &actual_rest);
	}
	if (want || got)
		fail_msg("%s: %s", want ? "missing" : "too much", want ? want : got);
}

static void test_public_outputs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		sqlite3 *db = sample_store(&samples[i]);
		char *text = fixture_text(db, fixture_no_advice(), tc_render_perf_tool);
		char *expected = golden(samples[i].name);

		compare_lines(expected, text);
		free(expected);
		free(text);
		sqlite3_close(db);
	}
}

/* Tracks come from lanes, names of slices, and the memory log's process; numbers ascend. */
static void test_tracks(void **state)
{
	sqlite3 *db = fixture_store();
	char *text = fixture_text(db, fixture_advice(), tc_render_perf_tool);

	(void)state;
	assert_has(text, "BridgeTrackIds.Result(pt_bridge_launch='7', pt_bridge_compute='', "
			 "pt_mem_copy='7', pt_mem_log='8', pt_build_graph='5')\n");
	assert_has(text,
		"TrackIds.Result(forward='5', backward='', synapse_launch='', "
		"synapse_wait='', device_mme='41', device_tpc='17,18', device_dma='16')\n");
	assert_has(text, "[00:00<00:00, ?it/s]\n");
	assert_has_not(text, "Compile times");
	assert_has_not(text, "Step call times");
	free(text);
	sqlite3_close(db);
}

/* Nothing to divide by prints zeros, and no idle line. */
static void test_empty_trace(void **state)
{
	sqlite3 *db = memory_store_open();

	(void)state;
	char *text = fixture_text(db, fixture_no_advice(), tc_render_perf_tool);
	assert_string_equal(text, ""); /* no trace, no lines */
	free(text);
	memory_store_exec(db, "INSERT INTO trace(id, path, format, form, read_bytes, event_count)"
			      " VALUES(0, 'empty.json', 'kineto', 'object', 0, 0)");
	text = fixture_text(db, fixture_no_advice(), tc_render_perf_tool);
	assert_has(text, "Device ratio: 0.00 % (0.0 ms, 0.0 ms)\n");
	assert_has(text, "Device/Host ratio: 0.00% / 100.00%\n");
	assert_has(text, "MME total time 0.00 ms\n");
	assert_has(text, "| 0/0 [");
	assert_has(text, "Host Recommendations: \n");
	assert_has_not(text, "\t");
	assert_has_not(text, "Idle total");
	free(text);
	sqlite3_close(db);
}

/* The lines begin with the start of the recording, not with a clock: two reports are the same
 * bytes. */
static void test_time_of_recording(void **state)
{
	static const struct {
		const char *base_time, *start, *prefix;
	} cases[] = {
		{"1700000000000000000", "123456789", "2023-11-14 22:13:20,123 - "},
		{"NULL", "86400000000000", "1970-01-02 00:00:00,000 - "},
		{"NULL", "-5", "1970-01-01 00:00:00,000 - "},
		{"NULL", "NULL", "1970-01-01 00:00:00,000 - "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sqlite3 *db = fixture_store();
		char *sql = sqlite3_mprintf("UPDATE trace SET base_time_ns = %s, start_ns = %s",
			cases[i].base_time, cases[i].start);

		memory_store_exec(db, sql);
		char *text = fixture_text(db, fixture_advice(), tc_render_perf_tool);
		assert_memory_equal(text, cases[i].prefix, strlen(cases[i].prefix));
		free(text);
		sqlite3_free(sql);
		sqlite3_close(db);
	}
}

static void test_without_memory(void **state)
{
	sqlite3 *db = fixture_store();

	(void)state;
	fixture_torture(db, fixture_advice(), tc_render_perf_tool);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_public_outputs),
		cmocka_unit_test(test_tracks),
		cmocka_unit_test(test_empty_trace),
		cmocka_unit_test(test_time_of_recording),
		cmocka_unit_test(test_without_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

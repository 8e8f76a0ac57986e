/*
 * For tests of reports: a store in memory with the tallies of one small Gaudi run, advice made
 * by hand, and a reader that keeps what a renderer writes.
 */
#ifndef TC_TEST_REPORT_FIXTURE_H
#define TC_TEST_REPORT_FIXTURE_H

#include "catalogue_fixture.h"
#include "memory_store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "report/job.h"

/* What was written so far, terminated. */
struct output {
	char *text;
	size_t len;
	size_t stop_after; /* refuses more than this; 0 for no limit */
};

static inline int output_write(void *user, const char *bytes, size_t len)
{
	struct output *out = user;

	if (out->stop_after && out->len + len > out->stop_after)
		return -1;
	char *grown = realloc(out->text, out->len + len + 1);
	assert_non_null(grown);
	memcpy(grown + out->len, bytes, len);
	out->text = grown;
	out->len += len;
	grown[out->len] = '\0';
	return 0;
}

static inline struct tc_report_options fixture_options(void)
{
	return (struct tc_report_options){.width = 80};
}

typedef void (*render_fn)(struct tc_job *job);

/* Runs a renderer; the output is the caller's to free. */
static inline enum tc_status fixture_render(struct output *out, struct tc_ctx *ctx, sqlite3 *db,
	const struct tc_advice *advice, const struct tc_report_options *options, render_fn render)
{
	struct tc_job job = {.ctx = ctx, .db = db, .advice = advice, .options = *options};

	tc_sink_init(&job.sink, output_write, out);
	if (tc_job_begin(&job))
		render(&job);
	return tc_job_end(&job);
}

/* The same, expected to succeed, with the default options; returns the text. */
static inline char *fixture_text(sqlite3 *db, const struct tc_advice *advice, render_fn render)
{
	struct tc_report_options options = fixture_options();
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};

	assert_non_null(ctx);
	if (fixture_render(&out, ctx, db, advice, &options, render) != TC_OK)
		fail_msg("%s", tc_ctx_error(ctx));
	tc_ctx_free(ctx);
	return out.text ? out.text : strdup("");
}

/* The text report with other options, expected to succeed. */
static inline char *fixture_text_with(
	sqlite3 *db, const struct tc_advice *advice, const struct tc_report_options *options)
{
	struct tc_ctx *ctx = tc_ctx_new();
	struct output out = {0};

	if (fixture_render(&out, ctx, db, advice, options, tc_render_text) != TC_OK)
		fail_msg("%s", tc_ctx_error(ctx));
	tc_ctx_free(ctx);
	return out.text;
}

/* The text report with its details. */
static inline char *fixture_details(sqlite3 *db, const struct tc_advice *advice)
{
	struct tc_report_options options = fixture_options();

	options.details = true;
	return fixture_text_with(db, advice, &options);
}

static inline void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("missing: %s\nin:\n%s", part, text);
}

static inline void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("unwanted: %s\nin:\n%s", part, text);
}

/* Every n-th allocation fails in turn; each run must fail cleanly until one succeeds. */
static inline void fixture_torture(sqlite3 *db, const struct tc_advice *advice, render_fn render)
{
	enum tc_status status = TC_ERR_NOMEM;
	struct tc_report_options options = fixture_options();

	for (int64_t n = 0; status != TC_OK; n++) {
		struct tc_ctx *ctx = tc_ctx_new();
		struct output out = {0};

		assert_true(n < 5000);
		tc_alloc_fail_after(n);
		status = fixture_render(&out, ctx, db, advice, &options, render);
		tc_alloc_fail_after(-1);
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		assert_int_equal(status, tc_ctx_status(ctx));
		tc_ctx_free(ctx);
		free(out.text);
	}
}

/* The trace and its steps. */
static inline void fixture_rows(sqlite3 *db)
{
	memory_store_exec(db,
		"INSERT INTO trace VALUES(0, 'swin.pt.trace.json', 'gaudi-lazy', 'object', "
		"'gaudi', 1, 8,"
		" 'hccl', 'GAUDI2', 102106132480, NULL, 1000000, 501000000, 4850000, 45231, NULL);"
		"INSERT INTO step(id, trace_id, number, name, ts, dur, slice_id, device_ts, "
		"device_dur,"
		" is_warm_up, is_unused) VALUES"
		" (0, 0, 10, 'ProfilerStep#10', 1000000, 170000000, 1, 2000000, 60000000, 1, 0),"
		" (1, 0, 11, 'ProfilerStep#11', 171000000, 160000000, 2, 172000000, 60000000, 0, "
		"0),"
		" (2, 0, 12, 'ProfilerStep#12', 331000000, 170000000, 3, NULL, NULL, 0, 0);");
}

/* Processes to slices: what the groups of tracks are told by. */
static inline void fixture_tracks(sqlite3 *db)
{
	memory_store_exec(db,
		"INSERT INTO process(id, trace_id, pid, name) VALUES(0, 0, 900, 'python'),"
		" (1, 0, 20900, 'Bridge Logs'), (2, 0, 0, '/device:HPU:0'), (3, 0, 30900, 'Memory "
		"Logs');"
		"INSERT INTO thread(id, trace_id, process_id, tid) VALUES(0, 0, 0, 900), (1, 0, 1, "
		"900);"
		"INSERT INTO track(id, trace_id, kind, process_id, thread_id, device, engine, "
		"lane) VALUES"
		" (5, 0, 'thread', 0, 0, NULL, NULL, NULL), (7, 0, 'thread', 1, 1, NULL, NULL, "
		"NULL),"
		" (8, 0, 'thread', 3, 1, NULL, NULL, NULL), (16, 0, 'lane', 2, NULL, '0', 'dma', "
		"'DMA'),"
		" (17, 0, 'lane', 2, NULL, '0', 'tpc', 'TPC 0'),"
		" (18, 0, 'lane', 2, NULL, '0', 'tpc', 'TPC 1'),"
		" (41, 0, 'lane', 2, NULL, '0', 'mme', 'MME 0');"
		"INSERT INTO label(id, category, name, role, engine, kind, mark) VALUES"
		" (0, 'user_annotation', 'ProfilerStep#10', NULL, NULL, NULL, 'profiler_step'),"
		" (1, 'Runtime', 'copy_hpu_lazy_H2D', 'input_copy', NULL, NULL, 'bridge_copy'),"
		" (2, 'Runtime', 'LaunchSyncTensorsGraph', 'launch', NULL, NULL, 'bridge_sync'),"
		" (3, 'cpu_op', 'aten::add_hpu_lazy', 'graph_build', NULL, NULL, NULL),"
		" (4, 'Kernel', 'GEMM', NULL, NULL, 'kernel', NULL),"
		" (5, 'cpu_op', 'enumerate(DataLoader)#_Single.__next__', 'dataloader', NULL, "
		"NULL, NULL);"
		"INSERT INTO slice_row(id, ts, dur, track_id, label_id) VALUES"
		" (1, 1000000, 170000000, 5, 0), (2, 2, 3, 7, 1), (3, 3, 3, 7, 2), (4, 4, 4, 5, 3),"
		" (5, 5, 5, 41, 4), (6, 1500000, 90000000, 5, 5);");
}

/* Gaps, totals, events and what the import met. */
static inline void fixture_tallies(sqlite3 *db)
{
	memory_store_exec(db,
		"INSERT INTO gap VALUES(0, 0, '0', 0, 62000000, 90000000, 'dataloader', 6, "
		"90000000, 0, NULL, "
		"NULL, 1, 62000000, 90000000, 0),"
		" (1, 0, '0', 1, 232000000, 99000000, 'dataloader', NULL, 0, 0, NULL, NULL, 1,"
		" 232000000, 99000000, 0),"
		" (2, 0, '0', 1, 232000000, 1000000, 'dispatch', NULL, 0, 0, NULL, NULL, 40,"
		" NULL, NULL, 0);"
		"INSERT INTO idle_total VALUES(0, NULL, NULL, 'dataloader', 0, 189000000, 2,"
		" 99000000), (0, NULL, NULL, 'dataloader', 1, 91000000, 1, 91000000),"
		" (0, NULL, NULL, 'dispatch', 0, 1000000, 40, 50000),"
		" (0, NULL, NULL, 'after_last_work', 1, 19000000, 1, 19000000);"
		"INSERT INTO idle_total SELECT trace_id, '0', step_id, cause, at_edge, dur, count,"
		" longest_ns FROM idle_total;"
		"INSERT INTO idle_total VALUES(0, NULL, 1, 'dataloader', NULL, 99000000, NULL, "
		"NULL), (0, NULL, 1, 'dispatch', NULL, 1000000, NULL, NULL);"
		"INSERT INTO op_total(trace_id, device, category, name, engine, kind, "
		"data_type, count, dur_ns, exclusive_ns, min_ns, max_ns) VALUES"
		" (0, '0', 'Kernel', 'GEMM', 'mme', 'kernel', 'bf16', 30, 90000000, 75000000, 1, "
		"2),"
		" (0, '0', 'Kernel', 'add_fwd_f32', 'tpc', 'kernel', NULL, 1, 100000000, "
		"100000000, 1, 2);"
		"INSERT INTO lane_total VALUES(0, '0', 'mme', 'MME 0', 41, 30, 75000000),"
		" (0, '0', NULL, 'stream 7', 17, 4, 60000000);"
		"INSERT INTO recipe_total VALUES(0, '0', 'fwd #7', 25, 120000000),"
		" (0, '0', NULL, 6, 80000000);"
		"INSERT INTO host_total(trace_id, category, name, role, count, dur_ns, "
		"self_ns, exposed_ns, is_launching) VALUES(0, 'cpu_op', "
		"'enumerate(DataLoader)#_Single.__next__',"
		" 'dataloader', 3, 290000000, 290000000, 280000000, 1);"
		"INSERT INTO host_event VALUES(0, 0, 6, 'dataloader',"
		" 'enumerate(DataLoader)#_Single.__next__', 1500000, 90000000, 0, 0, 1, 89000000, "
		"1000000,"
		" 0, 0, 1, NULL, NULL, NULL),"
		" (1, 0, 3, 'sync', 'synEventSynchronize', 200000000, 500000, 0, 1, 0, 0, 0, 0, 0, "
		"0,"
		" 'aten::item', NULL, NULL);"
		"INSERT INTO wait_release VALUES(3, 0, '0', 5, 200400000, NULL);"
		"INSERT INTO compile VALUES(0, 0, 4, 1, 210000000, 300000, 100000, 0, NULL, NULL,"
		" 'fwd', 'args', 3, '00000000000000aa', 'again', NULL, 'shapes', 4);"
		"INSERT INTO import_log VALUES(0, 'truncated', 'data_loss', 4849990, 61,"
		" 'the file ends inside of an event');");
	memory_store_total_gaps(db);
}

/* Metrics of the run, its device and its steps. */
static inline void fixture_metrics(sqlite3 *db)
{
	memory_store_exec(db,
		"INSERT INTO metric SELECT 0, column1, NULL, NULL, column2, column3 FROM (VALUES"
		" ('wall_ns', 500000000, 'ns'), ('step_count', 3, 'count'),"
		" ('device_count', 1, 'count'), ('device_op_count', 5120, 'count'),"
		" ('slice_count', 45000, 'count'), ('host_step_mean_ns', 166666666, 'ns'),"
		" ('device_busy_ns', 200000000, 'ns'), ('device_wait_ns', 300000000, 'ns'),"
		" ('idle_ns', 300000000, 'ns'),"
		" ('device_busy_pct', 40.0, 'pct'), ('mme_busy_ns', 75000000, 'ns'),"
		" ('tpc_exclusive_ns', 100000000, 'ns'), ('dma_exclusive_ns', 25000000, 'ns'),"
		" ('nic_exclusive_ns', 0, 'ns'), ('mme_tpc_overlap_ns', 46480000, 'ns'),"
		" ('mme_low_precision_ratio', 0.8154, 'ratio'), ('overlapping_degree', 0.9695, "
		"'ratio'),"
		" ('perf_tool_device_ns', 202330000, 'ns'), ('perf_tool_total_ns', 500000000, "
		"'ns'),"
		" ('host_window_ns', 500000000, 'ns'), ('graph_build_ns', 70000000, 'ns'),"
		" ('dataloader_ns', 290000000, 'ns'), ('input_copy_ns', 10000000, 'ns'),"
		" ('compile_ns', 0, 'ns'), ('host_dataloader_own_ns', 290000000, 'ns'),"
		" ('host_dataloader_exposed_ns', 280000000, 'ns'), ('host_other_own_ns', "
		"210000000, 'ns'),"
		" ('host_other_exposed_ns', 0, 'ns'), ('has_host', 1, 'count'), ('has_device', 1, "
		"'count'),"
		" ('has_steps', 1, 'count'), ('has_launches', 1, 'count'), ('has_gaudi', 1, "
		"'count'),"
		" ('has_shapes', 0, 'count'));"
		"INSERT INTO metric SELECT 0, name, '0', NULL, value, unit FROM metric"
		" WHERE name GLOB 'device_*' OR name = 'idle_ns' OR name GLOB '*exclusive_ns' OR "
		"name GLOB 'mme_*';"
		"INSERT INTO metric VALUES(0, 'memory_peak_bytes', '0', NULL, 51053066240, "
		"'bytes');"
		"INSERT INTO metric VALUES(0, 'tpc_lane_count', '0', NULL, 24, 'count'),"
		" (0, 'tpc_lanes_mean', '0', NULL, 21.3, 'ratio'),"
		" (0, 'mme_lane_count', '0', NULL, 4, 'count'),"
		" (0, 'mme_lanes_mean', '0', NULL, 3.9, 'ratio');"
		"INSERT INTO metric SELECT 0, column1, column2, column3, column4, column5 FROM "
		"(VALUES"
		" ('wall_ns', NULL, 11, 160000000, 'ns'), ('dataloader_ns', NULL, 11, 90000000, "
		"'ns'),"
		" ('compile_count', NULL, 10, 2, 'count'), ('compile_count', NULL, 11, 0, 'count'),"
		" ('input_copy_count', NULL, 10, 28, 'count'),"
		" ('input_copy_count', NULL, 11, 28, 'count'),"
		" ('input_copy_count', NULL, 12, 27, 'count'),"
		" ('device_wait_ns', '0', 11, 100000000, 'ns'),"
		" ('idle_ns', '0', 11, 100000000, 'ns'), ('mme_busy_ns', '0', 11, 60000000, "
		"'ns'),"
		" ('device_busy_pct', '0', 11, 37.5, 'pct'));");
}

/* A run of three steps, starved by its loader: 500 ms of wall time, 200 ms of device work. */
static inline sqlite3 *fixture_store(void)
{
	sqlite3 *db = memory_store_open();

	fixture_rows(db);
	fixture_tracks(db);
	fixture_tallies(db);
	fixture_metrics(db);
	return db;
}

static const char *const fixture_needs[] = {NULL};
static const struct tc_says fixture_says[] = {
	{"exposed_pct", TC_SAYS_ALWAYS, "(% of the wall time)"}, {.column = NULL}};
static const struct tc_heuristic fixture_loader = {.id = "dataloader-bound",
	.title = "The device waits for the data loader",
	.advice = "Give the DataLoader more workers and pin its memory.",
	.why = "While the host fetches a batch, nothing is launched.",
	.says = fixture_says,
	.kind = TC_HEURISTIC_FIX,
	.needs = fixture_needs,
	.sql = "SELECT 1",
	.source = "test"};
static const struct tc_heuristic fixture_cut = {.id = "truncated-trace",
	.title = "The file was cut",
	.advice = "Record it again.",
	.why = "What is missing cannot be judged.",
	.kind = TC_HEURISTIC_QUALITY,
	.needs = fixture_needs,
	.sql = "SELECT 1",
	.source = "test"};

/* Advice on the store above: a note, a fix with evidence, one heuristic that does not apply. */
static inline const struct tc_advice *fixture_advice(void)
{
	static const struct tc_field first[] = {
		{.name = "subject", .kind = TC_FIELD_TEXT, .text = "x"},
		{.name = "gain_ns", .kind = TC_FIELD_INTEGER, .integer = 280000000},
		{.name = "exposed_pct", .kind = TC_FIELD_REAL, .real = 56.0},
		{.name = "worker_count", .kind = TC_FIELD_INTEGER, .integer = 0},
		{.name = "caller", .kind = TC_FIELD_TEXT, .text = "aten::x"},
		{.name = "none"},
		{.name = NULL},
	};
	static const struct tc_field nothing[] = {{.name = "subject"}, {.name = "gain_ns"},
		{.name = "exposed_pct"}, {.name = "worker_count"}, {.name = "caller"},
		{.name = "none"}, {.name = NULL}};
	static struct tc_evidence rows[] = {
		{"enumerate(DataLoader)#_Single.__next__", 280000000, 3, TC_CONFIDENCE_MEASURED,
			first},
		{"second", TC_GAIN_NONE, -1, TC_CONFIDENCE_GUESSED, nothing},
		{"third", TC_GAIN_NONE, 1, TC_CONFIDENCE_GUESSED, nothing},
		{"fourth", TC_GAIN_NONE, 1, TC_CONFIDENCE_GUESSED, nothing},
	};
	static struct tc_finding findings[] = {
		{0, &fixture_cut, TC_SEVERITY_HIGH, TC_CONFIDENCE_MEASURED, TC_GAIN_NONE,
			TC_GAIN_NONE, TC_GAIN_NONE, 0, 0, "SELECT 'cut'", NULL, 0,
			"Record it again.", "What is missing cannot be judged.", NULL, TC_GAIN_NONE,
			0},
		{0, &fixture_loader, TC_SEVERITY_HIGH, TC_CONFIDENCE_MEASURED, 280000000, 270000000,
			290000000, 56.0, 0,
			"SELECT name, -- the loader\n\t\"count\"\nFROM metric WHERE name = 'a  b';",
			rows, 4, "Give the DataLoader more workers and pin its memory.",
			"While the host fetches a batch, nothing is launched.", NULL, 280000000, 0},
	};
	static struct tc_account_row account[] = {
		{0, &fixture_cut, TC_OUTCOME_FIRED, NULL, false},
		{0, &fixture_loader, TC_OUTCOME_FIRED, NULL, false},
		{0, &fixture_loader, TC_OUTCOME_NOT_APPLICABLE, "no NIC lanes", false},
		{0, &fixture_cut, TC_OUTCOME_NOT_APPLICABLE, "no NIC lanes", false},
		{0, &fixture_loader, TC_OUTCOME_QUIET, NULL, false},
	};
	static const struct tc_param param = {"min_exposed_pct", "pct", 5, 0, 100, "test"};
	static struct tc_setting settings[] = {{&fixture_loader, &param, 2.5}};
	static struct tc_advice advice = {NULL, findings, 2, account, 5, settings, 1, 1, 1};

	advice.made_with = default_settings();
	return &advice;
}

static inline const struct tc_advice *fixture_no_advice(void)
{
	static struct tc_advice advice;

	advice.made_with = default_settings();
	return &advice;
}

/* Changes the store by one statement and returns the report without advice, with details. */
static inline char *fixture_text_after(const char *change)
{
	sqlite3 *db = fixture_store();

	memory_store_exec(db, change);
	memory_store_total_gaps(db);
	char *text = fixture_details(db, fixture_no_advice());
	sqlite3_close(db);
	return text;
}

#endif

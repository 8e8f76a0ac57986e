/*
 * The drop-in for habana_perf_tool: its lines, order and number formats, from our metrics.
 * docs/perf-tool.md says what we know from public outputs and what we inferred. The sentences of
 * advice are ours; the numbers in them are the ones that scripts look for.
 */
#include <time.h>

#include "core/array.h"
#include "core/context.h"
#include "core/saturate.h"
#include "report/text/format.h"
#include "report/view/view.h"

#define BAR_BLOCKS 13
/* The share of the step time from which the tool advises. The public outputs have advice on the
 * data loader at 52 % and none at 1.7 %; on input copies at 11.6 % and none at 4.6 %. TensorBoard's
 * rule is 5 %. */
#define ADVISE_PCT 5.0

/* Where the lines of one trace go. */
struct log {
	struct tc_job *job;
	struct tc_sink *sink; /* of the job */
	const struct tc_view *view;
	struct tc_rows *tracks; /* of tracks_sql, on a row of this trace or of a later one */
	bool *has_track;
	char time[32]; /* of each line: "2024-10-18 20:45:40" */
	int time_ms;   /* the thousandths of a second behind it */
};

/* The tool's lines begin with the time of its run. These begin with the time at which the recording
 * starts, in UTC, so that two reports on one trace are the same bytes. */
static struct log log_of(struct tc_job *job, const struct tc_view *view)
{
	struct log log = {.job = job, .sink = &job->sink, .view = view};
	int64_t ms = view->recorded_at_ns > 0 ? view->recorded_at_ns / 1000000 : 0;
	time_t seconds = (time_t)(ms / 1000);
	struct tm utc = {0};

	gmtime_r(&seconds, &utc);
	strftime(log.time, sizeof(log.time), "%Y-%m-%d %H:%M:%S", &utc);
	log.time_ms = (int)(ms % 1000);
	return log;
}

static void put_prefix(const struct log *log)
{
	tc_sink_format(log->sink, "%s,%03d - pytorch_profiler - DEBUG - ", log->time, log->time_ms);
}

#define begin_line(log, ...) (put_prefix(log), tc_sink_format((log)->sink, __VA_ARGS__))

static void put_line(const struct log *log, const char *message)
{
	begin_line(log, "%s\n", message);
}

static void put_loading(const struct log *log)
{
	long long kilobytes = (long long)(tc_add_saturated(log->view->read_bytes, 1023) / 1024);

	begin_line(log, "Loading ");
	tc_format_clean(&log->sink->buf, log->view->path, false, 0);
	tc_sink_put(log->sink, "\nImport Data (KB): 100%|");
	tc_sink_fill(log->sink, "\xe2\x96\x88", BAR_BLOCKS);
	tc_sink_format(log->sink, "| %lld/%lld [00:00<00:00, ?it/s]\n", kilobytes, kilobytes);
	put_line(log, "Please wait for initialization to finish ...");
}

/* The groups of tracks, in the order in which they are printed. */
enum group {
	BRIDGE_LAUNCH,
	BRIDGE_COMPUTE,
	MEM_COPY,
	MEM_LOG,
	BUILD_GRAPH,
	FORWARD,
	BACKWARD,
	SYNAPSE_LAUNCH,
	SYNAPSE_WAIT,
	DEVICE_MME,
	DEVICE_TPC,
	DEVICE_DMA,
	GROUP_COUNT
};

static const char *const group_names[GROUP_COUNT] = {"pt_bridge_launch", "pt_bridge_compute",
	"pt_mem_copy", "pt_mem_log", "pt_build_graph", "forward", "backward", "synapse_launch",
	"synapse_wait", "device_mme", "device_tpc", "device_dma"};

/*
 * Trace, group and track. Host tracks are grouped by the names of their slices (the numbers of enum
 * group), device tracks by their engine. The query reads the slices of all traces once, in the
 * order of the table.
 */
static const char tracks_sql[] =
	"WITH pattern(grp, mark) AS (VALUES"
	" (0, 'bridge_sync'), (0, 'bridge_launch'), (0, 'bridge_copy'), (2, 'bridge_copy'),"
	" (5, 'profiler_step'), (6, 'backward_node'), (7, 'synapse_launch'), (8, 'synapse_wait')),"
	" mark AS MATERIALIZED (SELECT p.grp AS grp, l.id AS label_id FROM label l JOIN pattern p"
	" ON l.mark = p.mark WHERE l.engine IS NULL"
	" UNION SELECT 4, id FROM label WHERE role = 'graph_build'),"
	" device(engine, grp) AS (VALUES ('mme', 9), ('tpc', 10), ('dma', 11))"
	" SELECT t.trace_id, m.grp, s.track_id FROM slice_row s CROSS JOIN mark m"
	" ON m.label_id = s.label_id CROSS JOIN track t ON t.id = s.track_id AND t.device IS NULL"
	" UNION SELECT t.trace_id, d.grp, t.id FROM track t JOIN device d ON d.engine = t.engine"
	" UNION SELECT t.trace_id, 3, t.id FROM track t JOIN process p ON p.id = t.process_id"
	" WHERE p.name = 'Memory Logs' ORDER BY 1, 2, 3";

static void put_groups(
	const struct log *log, const struct tc_buf *ids, enum group from, enum group to)
{
	for (enum group g = from; g <= to; g++) {
		tc_sink_format(log->sink, "%s%s='", g == from ? "" : ", ", group_names[g]);
		tc_sink_text(log->sink, tc_buf_text(&ids[g]));
		tc_sink_put(log->sink, "'");
	}
	tc_sink_put(log->sink, ")\n");
}

static void put_tracks(const struct log *log)
{
	struct tc_buf ids[GROUP_COUNT] = {0};
	struct tc_rows *row = log->tracks;

	while (*log->has_track && tc_rows_int(row, 0) <= log->view->id) {
		struct tc_buf *list = &ids[tc_rows_int(row, 1)];
		if (tc_rows_int(row, 0) == log->view->id)
			tc_buf_format(list, "%s%lld", list->len > 0 ? "," : "",
				(long long)tc_rows_int(row, 2));
		*log->has_track = tc_rows_next(row);
	}
	begin_line(log, "PT Track ids: BridgeTrackIds.Result(");
	put_groups(log, ids, BRIDGE_LAUNCH, BUILD_GRAPH);
	begin_line(log, "Track ids: TrackIds.Result(");
	put_groups(log, ids, FORWARD, DEVICE_DMA);
	for (int g = 0; g < GROUP_COUNT; g++)
		tc_buf_end(&log->sink->buf, &ids[g]);
}

/* "37.66 % (193.313984 ms, 513.299755 ms)" after a name. */
static void put_ratio(const struct log *log, const char *name, int64_t part_ns, int64_t whole_ns)
{
	begin_line(log, "%s: %.2f %% (", name, tc_format_share_pct(part_ns, whole_ns));
	tc_format_python_ms(&log->sink->buf, part_ns);
	tc_sink_put(log->sink, " ms, ");
	tc_format_python_ms(&log->sink->buf, whole_ns);
	tc_sink_put(log->sink, " ms)\n");
}

static void put_summaries(const struct log *log, const struct tc_metric_set *run)
{
	static const struct {
		const char *name;
		enum tc_metric id;
	} host[] = {
		{"Host Summary Graph Build", TC_METRIC_GRAPH_BUILD},
		{"Host Summary DataLoader", TC_METRIC_DATALOADER},
		{"Host Summary Input Time", TC_METRIC_INPUT_COPY},
		{"Host Summary Compile Time", TC_METRIC_COMPILE},
	};
	int64_t device_ns = tc_metric(run, TC_METRIC_PERF_DEVICE);
	int64_t total_ns = tc_metric(run, TC_METRIC_PERF_TOTAL);
	double device_pct = tc_format_share_pct(device_ns, total_ns);

	put_ratio(log, "Device ratio", device_ns, total_ns);
	begin_line(log, "Device/Host ratio: %.2f%% / %.2f%%\n", device_pct, 100 - device_pct);
	for (size_t i = 0; i < TC_COUNT_OF(host); i++)
		put_ratio(log, host[i].name, tc_metric(run, host[i].id),
			tc_metric(run, TC_METRIC_HOST_WINDOW));
	begin_line(log, "Device Summary MME Lower Precision Ratio: %.2f%%\n",
		100 * tc_metric_real(run, TC_METRIC_MME_LOW_PRECISION));
	begin_line(log, "Device Host Overlapping degree: %.2f %%\n",
		100 * tc_metric_real(run, TC_METRIC_OVERLAP_DEGREE));
}

/* "[28, 28, 28]": a metric of every step, or only of the steps where it is not 0. */
static void put_step_list(const struct log *log, struct tc_text metric, bool with_zero)
{
	const char *separator = "[";
	struct tc_rows rows = TC_ROWS(log->job->ctx, log->job->db,
		"SELECT value FROM metric WHERE trace_id = ?1 AND name = ?2 AND device IS NULL"
		" AND step IS NOT NULL AND (value > 0 OR ?3) ORDER BY step, rowid",
		log->view->id);

	tc_rows_bind_text(&rows, 2, metric);
	tc_rows_bind(&rows, 3, with_zero);
	for (; tc_rows_next(&rows); separator = ", ")
		tc_sink_format(log->sink, "%s%lld", separator, (long long)tc_rows_int(&rows, 0));
	tc_sink_put(log->sink, *separator == '[' ? "[]" : "]");
}

static void put_input_advice(const struct log *log, double input_pct)
{
	begin_line(log,
		"\t%.2f%% H2D of the step time is Input Data Time. Step call times: ", input_pct);
	put_step_list(log, TC_TEXT("input_copy_count"), true);
	tc_sink_put(log->sink,
		". Let the DataLoader pin its memory (pin_memory=True) and copy with "
		"tensor.to(device, non_blocking=True), so that the host goes on while inputs "
		"travel to the HPU.\n");
}

static void put_compile_advice(const struct log *log, int64_t compile_ns, int64_t host_ns)
{
	begin_line(log, "\tCompile times per step : ");
	put_step_list(log, TC_TEXT("compile_count"), false);
	tc_sink_format(log->sink, ". Compile ratio: %.2f%% (total time: %.2f ms)\n",
		tc_format_share_pct(compile_ns, host_ns), (double)compile_ns / 1e6);
}

static void put_advice(const struct log *log)
{
	const struct tc_metric_set *run = &log->view->whole.run;
	int64_t host_ns = tc_metric(run, TC_METRIC_HOST_WINDOW);
	int64_t compile_ns = tc_metric(run, TC_METRIC_COMPILE);
	double loader_pct = tc_format_share_pct(tc_metric(run, TC_METRIC_DATALOADER), host_ns);
	double input_pct = tc_format_share_pct(tc_metric(run, TC_METRIC_INPUT_COPY), host_ns);

	put_line(log, "Host Recommendations: ");
	if (loader_pct >= ADVISE_PCT) {
		begin_line(log,
			"\tLoading input data is expensive in this run: %.2f%% of the step time is "
			"in DataLoader. Try more workers (num_workers of the DataLoader), or move "
			"decoding and augmentation to the Habana DataLoader.\n",
			loader_pct);
	}
	if (input_pct >= ADVISE_PCT)
		put_input_advice(log, input_pct);
	if (compile_ns > 0)
		put_compile_advice(log, compile_ns, host_ns);
}

static void put_device(const struct log *log, const struct tc_metric_set *run)
{
	static const struct {
		const char *name;
		enum tc_metric id;
	} engines[] = {
		{"MME total time", TC_METRIC_MME_BUSY},
		{"MME/TPC overlap time", TC_METRIC_MME_TPC_OVERLAP},
		{"TPC total time", TC_METRIC_TPC_EXCLUSIVE},
		{"DMA total time", TC_METRIC_DMA_EXCLUSIVE},
	};
	static const enum tc_metric busy[] = {
		TC_METRIC_MME_BUSY, TC_METRIC_TPC_EXCLUSIVE, TC_METRIC_DMA_EXCLUSIVE};
	int64_t idle_ns = tc_metric(run, TC_METRIC_PERF_DEVICE);

	for (size_t i = 0; i < TC_COUNT_OF(busy); i++)
		idle_ns = tc_sub_saturated(idle_ns, tc_metric(run, busy[i]));

	for (size_t i = 0; i < TC_COUNT_OF(engines); i++) {
		begin_line(log, "[Device Summary] %s %.2f ms\n", engines[i].name,
			(double)tc_metric(run, engines[i].id) / 1e6);
	}
	if (idle_ns > 0) {
		begin_line(
			log, "[Device Summary] Idle total time: %.2f ms\n", (double)idle_ns / 1e6);
	}
}

static void put_trace(const struct log *log)
{
	put_loading(log);
	put_tracks(log);
	put_summaries(log, &log->view->whole.run);
	put_advice(log);
	put_device(log, &log->view->whole.run);
}

/* The format has lines for Gaudi only. This tells the user of a trace from another device. */
static void note_other_vendors(struct tc_job *job)
{
	struct tc_rows rows = tc_rows_open(job->ctx, job->db,
		"SELECT path, vendor FROM trace WHERE vendor <> 'gaudi' ORDER BY id");

	while (tc_rows_next(&rows)) {
		struct tc_text path = tc_rows_text(&rows, 0), vendor = tc_rows_text(&rows, 1);
		tc_ctx_note(job->ctx, TC_NOTE_WARNING,
			"warning: %.*s is a %.*s trace: the lines of habana_perf_tool know "
			"Gaudi's engines only; use --format text",
			(int)path.len, path.ptr, (int)vendor.len, vendor.ptr);
	}
}

void tc_render_perf_tool(struct tc_job *job)
{
	struct tc_views views = tc_views_all(job);
	struct tc_rows tracks = tc_rows_open(job->ctx, job->db, tracks_sql);
	bool has_track = tc_rows_next(&tracks);

	note_other_vendors(job);
	for (const struct tc_view *view; (view = tc_views_next(&views));) {
		struct log log = log_of(job, view);

		log.tracks = &tracks;
		log.has_track = &has_track;
		put_trace(&log);
	}
	tc_rows_close(&tracks);
}

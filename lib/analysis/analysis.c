/*
 * Runs the tallies of a trace. Lanes come first, because the host sweep needs to know when devices
 * are idle. The survey comes next, because the sweep needs to know which threads count. The sweep
 * writes its tables as it goes; what is left is written then, the tables that read others last.
 *
 * Here are also the rows of the trace as a whole: its capabilities, its steps and what is wrong
 * with its times.
 */
#include "analysis/analysis.h"

#include "analysis/device_tally.h"
#include "analysis/host_block.h"
#include "analysis/host_sweep.h"
#include "analysis/metrics.h"
#include "analysis/name_functions.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/limits.h"
#include "core/saturate.h"
#include "model/output.h"
#include "names/hardware/hardware.h"
#include "store/sql.h"

/* Capabilities of a trace (metrics has_*), which say what it can show, and a few facts of the
 * import. */

/* Facts from the device sweep. */
struct device_facts {
	int64_t op_count, launched_count, before_count;
	bool has_gaudi, has_mme, has_data_types, has_communication;
};

static struct device_facts device_facts_of(const struct tc_device_tally *devices)
{
	const struct tc_busy *all = tc_device_tally_all(devices);
	struct device_facts facts = {0};

	for (size_t i = 0; i < devices->ops.operations.count; i++) {
		const struct tc_op_total *total = devices->ops.operations.rows[i];
		facts.has_gaudi |= tc_engine_is_gaudi(total->engine);
		if (TC_WORK_OF(total->engine) & TC_WORK_COMMUNICATION)
			facts.has_communication = true;
		if (total->engine != TC_ENGINE_MME)
			continue;
		facts.has_mme = true;
		if (total->precision != TC_PRECISION_UNKNOWN)
			facts.has_data_types = true;
	}
	if (all) {
		facts.op_count = all->op_count;
		facts.launched_count = all->launched_count;
		facts.before_count = all->before_count;
	}
	return facts;
}

/* Whether a query with one parameter gives a row. */
static bool has_row(struct tc_tables *tables, const char *sql, int64_t parameter)
{
	const struct tc_sql_value value = tc_sql_int(parameter);
	int64_t found;

	return tc_tables_find(&found, tables, sql, &value);
}

/* PyTorch records whether record_shapes was on since 1.13. For older traces the args of operations
 * show it. */
static bool has_shapes(struct tc_tables *tables, const struct tc_survey *survey)
{
	bool found = has_row(tables,
		"SELECT 1 FROM trace_meta WHERE trace_id = ? AND key = 'record_shapes'"
		" AND value NOT IN ('0', 'false', 'null')",
		survey->timeline->trace_id);

	for (size_t i = 0; i < survey->sample_count && !found; i++)
		found = has_row(tables,
			"SELECT 1 FROM slice_args WHERE slice_id = ?"
			" AND instr(lower(coalesce(args, '')), '\"input dims\"') > 0",
			survey->samples[i]);
	return found;
}

static bool has_bridge(struct tc_tables *tables, const struct tc_survey *survey)
{
	for (size_t i = 0; i < survey->thread_count; i++)
		if (survey->threads[i].is_synapse)
			return true;
	return survey->has_bridge || has_row(tables,
					     "SELECT 1 FROM process WHERE trace_id = ?"
					     " AND name IN ('Bridge Logs', 'Synapse Logger')",
					     survey->timeline->trace_id);
}

/* What the allocator had of a device, at most, and how its reserved memory grew after the first
 * complete step. INT64_MIN: not known. */
struct device_memory {
	int64_t device_id, allocated_bytes, reserved_bytes;
	int64_t growth_count, grown_bytes, grown_to_bytes;
};

#define NO_MEMORY                                                                                  \
	{                                                                                          \
		.device_id = INT64_MIN, .allocated_bytes = INT64_MIN, .reserved_bytes = INT64_MIN, \
		.grown_to_bytes = INT64_MIN                                                        \
	}

static void raise_to(int64_t *most, int64_t value)
{
	if (value > *most)
		*most = value;
}

/* Adds a point to its device; before_bytes were reserved before it. */
static void take_memory(struct device_memory *device, const struct tc_memory_point *point,
	int64_t before_bytes, int64_t since_ns)
{
	raise_to(&device->allocated_bytes, point->allocated_bytes);
	raise_to(&device->reserved_bytes, point->reserved_bytes);
	if (point->ts_ns < since_ns || before_bytes == INT64_MIN ||
		point->reserved_bytes <= before_bytes)
		return;
	device->growth_count++;
	device->grown_bytes = tc_add_saturated(
		device->grown_bytes, tc_sub_saturated(point->reserved_bytes, before_bytes));
	raise_to(&device->grown_to_bytes, point->reserved_bytes);
}

/* The memory of each device, by its number. */
struct memory {
	struct device_memory *devices;
	size_t count, capacity;
};

static void read_memory(struct memory *memory, const struct tc_timeline *timeline)
{
	const struct tc_memory_point *point;
	int64_t before_bytes = INT64_MIN, device_type = 0, since_ns = INT64_MAX;

	for (size_t i = 0; i < timeline->step_count; i++) {
		int64_t end_ns = timeline->steps[i].ts_ns + timeline->steps[i].dur_ns;
		since_ns = end_ns < since_ns ? end_ns : since_ns;
	}
	for (point = tc_sorter_first(timeline->memory); point;
		point = tc_sorter_next(timeline->memory)) {
		bool is_first = memory->count == 0 ||
				memory->devices[memory->count - 1].device_id != point->device_id;
		struct device_memory device = NO_MEMORY;
		device.device_id = point->device_id;
		if (is_first)
			TC_PUSH(timeline->ctx, memory->devices, memory->count, memory->capacity,
				device);
		if (memory->count == 0)
			return;
		if (is_first || device_type != point->device_type)
			before_bytes = INT64_MIN;
		take_memory(&memory->devices[memory->count - 1], point, before_bytes, since_ns);
		device_type = point->device_type;
		if (point->reserved_bytes != INT64_MIN)
			before_bytes = point->reserved_bytes;
	}
}

static void put_peaks(
	struct tc_metric_writer *writer, struct tc_text name, const struct device_memory *device)
{
	const struct tc_metric_scope scope = {name, NULL};

	if (device->allocated_bytes != INT64_MIN)
		tc_metric_put(writer, TC_METRIC_MEMORY_PEAK, scope, device->allocated_bytes);
	if (device->reserved_bytes != INT64_MIN)
		tc_metric_put(
			writer, TC_METRIC_MEMORY_RESERVED_PEAK, scope, device->reserved_bytes);
}

static void write_growth(struct tc_tables *tables, const struct tc_timeline *timeline,
	const struct device_memory *device)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_int_if(device->device_id != INT64_MIN, device->device_id),
		tc_sql_int(device->growth_count),
		tc_sql_int(device->grown_bytes),
		tc_sql_int(device->grown_to_bytes),
	};

	if (device->growth_count > 0)
		TC_TABLES_PUT(tables,
			"memory_growth (trace_id, device_id, count, grown_bytes,"
			" reserved_peak_bytes)",
			values);
}

/* Writes what the allocator had of each device, and the most of all. The allocator numbers the
 * devices that the process sees; device work has the numbers of the machine. If there is one of
 * each, they are the same device. */
static void write_memory(struct tc_tables *tables, struct tc_metric_writer *writer,
	const struct tc_timeline *timeline)
{
	struct memory memory = {0};
	struct device_memory most = NO_MEMORY;
	struct tc_buf number = {.ctx = timeline->ctx};

	read_memory(&memory, timeline);
	size_t unnumbered = memory.count > 0 && memory.devices[0].device_id == INT64_MIN;
	for (size_t i = 0; i < memory.count; i++) {
		const struct device_memory *device = &memory.devices[i];
		tc_buf_reset(&number);
		tc_buf_format(&number, "%lld", (long long)device->device_id);
		if (i >= unnumbered)
			put_peaks(writer,
				memory.count - unnumbered == 1 && timeline->device_count == 1
					? timeline->devices[0].name
					: tc_buf_text(&number),
				device);
		raise_to(&most.allocated_bytes, device->allocated_bytes);
		raise_to(&most.reserved_bytes, device->reserved_bytes);
		write_growth(tables, timeline, device);
	}
	put_peaks(writer, TC_TEXT_NONE, &most);
	tc_buf_clear(&number);
	tc_free(memory.devices);
}

/* The samples of the trace are the last ones so far. */
static void put_memory(
	struct tc_tables *tables, struct tc_metric_writer *writer, const struct tc_survey *survey)
{
	const struct tc_timeline *timeline = survey->timeline;
	bool has_memory = has_row(
		tables, "SELECT 1 FROM memory_sample WHERE id >= ? LIMIT 1", timeline->memory_base);

	tc_metric_put(writer, TC_METRIC_HAS_MEMORY, TC_METRIC_RUN, has_memory);
	tc_metric_put(writer, TC_METRIC_HAS_MEMORY_GROWTH, TC_METRIC_RUN,
		(has_memory || survey->has_device_memory) && timeline->step_count > 0);
	write_memory(tables, writer, timeline);
}

/* If device work was not recorded or its times are not known, the device only looks idle. */
static bool has_idle(const struct tc_device_tally *devices, int64_t op_count)
{
	const struct tc_timeline *timeline = devices->timeline;
	size_t working_count = 0;
	int64_t clamped_count = 0;

	if (devices->clocks.steps_apart)
		return false;
	for (size_t i = 0; i < timeline->device_count; i++)
		clamped_count += devices->clamped_count[i];
	if (op_count == 0 || clamped_count > op_count - clamped_count)
		return false;
	for (size_t i = 0; i < timeline->step_count; i++)
		working_count += tc_busy_has_work(
			tc_device_tally_step(devices, devices->tally_count - 1, i));
	return working_count >= timeline->step_count - working_count;
}

static void put_has(struct tc_metric_writer *writer, enum tc_metric metric, bool value)
{
	tc_metric_put(writer, metric, TC_METRIC_RUN, value);
}

/* What the file lacks. */
static void put_missing(struct tc_metric_writer *writer, const struct tc_timeline *timeline)
{
	tc_metric_put(writer, TC_METRIC_RECORDED_ONE_OF, TC_METRIC_RUN, timeline->recorded_one_of);
	if (timeline->ends_early)
		tc_metric_put(writer, TC_METRIC_ENDS_EARLY, TC_METRIC_RUN, 1);
	if (timeline->work_is_cut)
		tc_metric_put(writer, TC_METRIC_WORK_IS_CUT, TC_METRIC_RUN, 1);
}

/* Side files are read after the trace. They set the capabilities that they provide. */
static void put_side(struct tc_metric_writer *writer)
{
	for (enum tc_metric metric = 0; metric < TC_METRIC_COUNT; metric++)
		if (strcmp(tc_metric_info(metric)->level, "side") == 0)
			put_has(writer, metric, false);
}

static void write_capabilities(struct tc_tables *tables, struct tc_metric_writer *writer,
	const struct tc_device_tally *devices, const struct tc_survey *survey)
{
	const struct tc_timeline *timeline = survey->timeline;
	struct device_facts facts = device_facts_of(devices);
	bool launches =
		facts.launched_count > 0 &&
		facts.launched_count >= facts.op_count - facts.before_count - facts.launched_count;
	int64_t slice_count = 0;
	bool shapes = has_shapes(tables, survey), bridge = has_bridge(tables, survey);
	bool gpu =
		has_row(tables, "SELECT 1 FROM trace WHERE id = ? AND vendor IN ('cuda', 'rocm')",
			timeline->trace_id);
	bool framework = has_row(tables,
		"SELECT 1 FROM trace WHERE id = ?"
		" AND format IN ('gaudi-lazy', 'gaudi-kineto', 'kineto', 'synapse-log')",
		timeline->trace_id);
	bool inference =
		has_row(tables, "SELECT 1 FROM run_kind WHERE trace_id = ? AND kind = 'inference'",
			timeline->trace_id);

	for (size_t i = 0; i < timeline->track_count; i++)
		slice_count += timeline->tracks[i].slice_count;
	tc_metric_put(writer, TC_METRIC_SLICE_COUNT, TC_METRIC_RUN, slice_count);
	put_missing(writer, timeline);
	tc_metric_put(writer, TC_METRIC_PYTHON_FRAMES, TC_METRIC_RUN, survey->python_count);
	if (tc_launches_block(&devices->program.blocking))
		tc_metric_put(writer, TC_METRIC_BLOCKING_LAUNCHES, TC_METRIC_RUN,
			devices->program.blocking.blocked_count);
	if (tc_loading_until(&devices->program.loading) != INT64_MIN)
		tc_metric_put(writer, TC_METRIC_LOADING, TC_METRIC_RUN,
			tc_sub_saturated(
				tc_loading_until(&devices->program.loading), timeline->start_ns));
	if (survey->server.is_server)
		tc_metric_put(writer, TC_METRIC_IS_SERVER, TC_METRIC_RUN, 1);
	put_has(writer, TC_METRIC_HAS_HOST, survey->slice_count > 0);
	put_has(writer, TC_METRIC_HAS_DEVICE, facts.op_count > 0);
	put_has(writer, TC_METRIC_HAS_STEPS, timeline->step_count > 0);
	put_has(writer, TC_METRIC_HAS_LAUNCHES, launches);
	put_has(writer, TC_METRIC_HAS_IDLE, has_idle(devices, facts.op_count));
	put_has(writer, TC_METRIC_HAS_ONE_CLOCK, !devices->clocks.steps_apart);
	put_has(writer, TC_METRIC_HAS_GAUDI, facts.has_gaudi);
	put_has(writer, TC_METRIC_HAS_FRAMEWORK, framework || facts.op_count > 0);
	put_has(writer, TC_METRIC_HAS_TRAINING, !inference);
	put_has(writer, TC_METRIC_HAS_LOOP, survey->server.has_loop);
	put_has(writer, TC_METRIC_HAS_GPU, gpu);
	put_has(writer, TC_METRIC_HAS_MME, facts.has_mme);
	put_has(writer, TC_METRIC_HAS_DATA_TYPES, facts.has_data_types);
	put_has(writer, TC_METRIC_HAS_BRIDGE, bridge);
	put_has(writer, TC_METRIC_HAS_FALLBACKS, bridge || launches);
	put_has(writer, TC_METRIC_HAS_COMPILES, bridge && timeline->step_count > 0);
	put_has(writer, TC_METRIC_HAS_COMMUNICATION,
		facts.has_communication || survey->has_collective);
	put_has(writer, TC_METRIC_HAS_SHAPES, shapes);
	put_has(writer, TC_METRIC_HAS_PEAKS,
		timeline->hardware && timeline->hardware->bytes_per_s > 0);
	put_has(writer, TC_METRIC_HAS_STACKS, survey->python_count > 0);
	put_side(writer);
	put_memory(tables, writer, survey);
	tc_metric_put(writer, TC_METRIC_HAS_RANKS, TC_METRIC_RUN, 0); /* until tc_ranks_relate() */
	tc_metric_writer_flush(writer);
}

/* Steps. */

/* Device time: the union of the windows from the first to the last device work of each step. If no
 * step launched any, it is the window of all device work. */
static void add_device_windows(struct tc_interval_set *set, const struct tc_device_tally *devices,
	const struct tc_busy *all)
{
	const struct tc_timeline *timeline = devices->timeline;

	for (size_t i = 0; i < timeline->step_count; i++) {
		const struct tc_busy *busy =
			tc_device_tally_step(devices, devices->tally_count - 1, i);
		if (tc_busy_has_work(busy))
			tc_interval_set_add(set, timeline->ctx, busy->work_extent);
	}
	if (set->count == 0)
		tc_interval_set_add(set, timeline->ctx, all->work_extent);
}

/* (device + host - total) / min(device, host). total runs from the first start to the last end of
 * steps and all device work, with or without a step. Where neither works for longer than both do,
 * nothing says that they overlap: 0. */
static void write_perf_tool(struct tc_metric_writer *writer, const struct tc_windows *windows)
{
	const struct tc_device_tally *devices = windows->devices;
	const struct tc_busy *all = tc_device_tally_all(devices);
	struct tc_interval_set set = TC_INTERVAL_SET_EMPTY;

	if (!all || !tc_busy_has_work(all) || windows->host.count == 0)
		return;
	add_device_windows(&set, devices, all);
	if (set.count > 0) {
		int64_t host_ns = tc_interval_set_measure(&windows->host);
		int64_t device_ns = tc_interval_set_measure(&set);
		struct tc_interval total = {windows->host.items[0].start_ns,
			windows->host.items[windows->host.count - 1].end_ns};
		int64_t total_ns = tc_interval_measure(tc_interval_join(total, all->work_extent));
		tc_metric_put(writer, TC_METRIC_PERF_DEVICE, TC_METRIC_RUN, device_ns);
		tc_metric_put(writer, TC_METRIC_PERF_TOTAL, TC_METRIC_RUN, total_ns);
		int64_t both_ns = host_ns - (total_ns - device_ns);
		tc_metric_put_ratio(writer, TC_METRIC_OVERLAP_DEGREE, TC_METRIC_RUN,
			both_ns > 0 ? both_ns : 0, device_ns < host_ns ? device_ns : host_ns);
	}
	tc_interval_set_clear(&set);
}

/* Wall time, steps, and the totals of habana_perf_tool. */
static void write_steps(struct tc_metric_writer *writer, const struct tc_windows *windows)
{
	const struct tc_timeline *timeline = windows->timeline;
	int64_t steady_count = 0;

	tc_metric_put(writer, TC_METRIC_WALL, TC_METRIC_RUN, tc_interval_measure(windows->wall));
	tc_metric_put(writer, TC_METRIC_STEP_COUNT, TC_METRIC_RUN, (int64_t)timeline->step_count);
	for (size_t i = 0; i < timeline->step_count; i++) {
		struct tc_metric_scope scope = {TC_TEXT_NONE, &timeline->steps[i].number};
		steady_count += !timeline->steps[i].is_warm_up;
		tc_metric_put(
			writer, TC_METRIC_WALL, scope, tc_interval_measure(windows->steps[i]));
	}
	if (timeline->step_count > 0) {
		tc_metric_put(writer, TC_METRIC_STEP_MEAN, TC_METRIC_RUN, windows->mean_ns);
		tc_metric_put(writer, TC_METRIC_STEP_MEDIAN, TC_METRIC_RUN, windows->median_ns);
		tc_metric_put(writer, TC_METRIC_STEADY, TC_METRIC_RUN, steady_count);
	}
	if (timeline->step_count > 0 && windows->wall.start_ns > windows->steps[0].start_ns)
		tc_metric_put(writer, TC_METRIC_QUEUED_BEFORE, TC_METRIC_RUN,
			windows->wall.start_ns - windows->steps[0].start_ns);
	write_perf_tool(writer, windows);
	tc_metric_writer_flush(writer);
}

/* Completes the rows of the table step: device window and warm-up. */
static void update_steps(struct tc_tables *tables, const struct tc_windows *windows)
{
	const struct tc_device_tally *devices = windows->devices;
	const struct tc_timeline *timeline = windows->timeline;

	for (size_t i = 0; i < timeline->step_count; i++) {
		const struct tc_busy *busy =
			devices->tally_count
				? tc_device_tally_step(devices, devices->tally_count - 1, i)
				: NULL;
		bool has_work = busy && tc_busy_has_work(busy);
		const struct tc_sql_value values[] = {
			has_work ? tc_sql_int(busy->work_extent.start_ns) : tc_sql_null(),
			has_work ? tc_sql_int(tc_interval_measure(busy->work_extent))
				 : tc_sql_null(),
			tc_sql_int(timeline->steps[i].is_warm_up),
			tc_sql_int(timeline->steps[i].id),
		};
		TC_TABLES_PUT(tables,
			"UPDATE step SET device_ts = ?, device_dur = ?, is_warm_up = ?"
			" WHERE id = ?",
			values);
	}
}

/* The spread of the step durations in these rows (view step_spread). No metrics without steady
 * steps. */
static void write_spread(
	struct tc_metric_writer *writer, struct tc_tables *tables, int64_t trace_id)
{
	static const enum tc_metric metrics[] = {TC_METRIC_STEADY_SUM, TC_METRIC_STEADY_MIN,
		TC_METRIC_STEADY_Q1, TC_METRIC_STEADY_MEDIAN, TC_METRIC_STEADY_Q3,
		TC_METRIC_STEADY_MAX};
	const int first = TC_COUNT_OF(metrics);
	struct tc_rows row = TC_ROWS(tables->ctx, tables->db,
		"SELECT sum_ns, min_ns, lower_quartile_ns, median_ns, upper_quartile_ns, max_ns, "
		"first_ns FROM step_spread"
		" WHERE trace_id = ?1",
		trace_id);

	while (tc_rows_next(&row)) {
		for (int i = 0; i < first; i++)
			tc_metric_put(writer, metrics[i], TC_METRIC_RUN, tc_rows_int(&row, i));
		if (!tc_rows_null(&row, first))
			tc_metric_put(writer, TC_METRIC_STEADY_FIRST, TC_METRIC_RUN,
				tc_rows_int(&row, first));
		tc_metric_writer_flush(writer);
	}
}

/* What is wrong with the times of a trace. */

static void log_clamped(
	const struct tc_device_tally *tally, int64_t host_count, struct tc_tables *tables)
{
	const struct tc_timeline *timeline = tally->timeline;

	for (size_t i = 0; i < timeline->device_count; i++)
		TC_LOG_PUT(tables, timeline->trace_id, TC_LOG_ZERO_TIMESTAMP,
			tally->clamped_count[i],
			"%d operations of device %s at ts 0, far before the rest: not counted as "
			"busy",
			tc_sql_int(tally->clamped_count[i]),
			tc_sql_text(timeline->devices[i].name));
	TC_LOG_PUT(tables, timeline->trace_id, TC_LOG_ZERO_HOST_TIMESTAMP, host_count,
		"%d host slices at ts 0, far before the rest: outside of the analysed time",
		tc_sql_int(host_count));
}

static void log_clocks(const struct tc_device_tally *devices, struct tc_metric_writer *writer,
	struct tc_tables *tables)
{
	const struct tc_clocks *clocks = &devices->clocks;
	int64_t trace_id = devices->timeline->trace_id;

	if (clocks->group_count > 1)
		tc_metric_put(writer, TC_METRIC_OTHER_CLOCK, TC_METRIC_RUN, clocks->other_ns);
	TC_LOG_PUT(tables, trace_id, TC_LOG_CLOCKS_APART, clocks->other_count,
		"the events lie in %,d groups; times are those of one, and the first slice of the "
		"others is slice %d",
		tc_sql_int(clocks->group_count), tc_sql_int(clocks->other_slice_id));
	if (clocks->endless_count > 0)
		tc_metric_put(writer, TC_METRIC_FAR_DURATION, TC_METRIC_RUN, clocks->endless_ns);
	TC_LOG_PUT(tables, trace_id, TC_LOG_FAR_DURATION, clocks->endless_count,
		"the longest slice lasts %,d s, far beyond all others: slice %d",
		tc_sql_int(clocks->endless_ns / 1000000000), tc_sql_int(clocks->endless_slice_id));
}

static void log_step_limit(const struct tc_device_tally *devices, struct tc_tables *tables)
{
	const struct tc_timeline *timeline = devices->timeline;
	int64_t device_count = (int64_t)timeline->device_count;
	int64_t step_count = (int64_t)timeline->step_count;

	TC_LOG_PUT(tables, timeline->trace_id, TC_LOG_STEP_LIMIT,
		devices->first_of_steps > 0 ? device_count * step_count : 0,
		"%d devices in %d steps: single devices have no metrics per step",
		tc_sql_int(device_count), tc_sql_int(step_count));
}

/* Statements embedded by the build. */
extern const char tc_log_sql[], tc_framework_sql[], tc_steady_sql[];

struct tc_analysis {
	const struct tc_timeline *timeline;
	struct tc_device_tally devices;
	struct tc_windows windows;
	struct tc_survey survey;
};

enum tc_status tc_analysis_new(
	struct tc_analysis **out, struct tc_ctx *ctx, const struct tc_timeline *timeline)
{
	struct tc_analysis *analysis = tc_calloc(1, sizeof(*analysis));

	if (!analysis)
		return tc_no_memory(ctx);
	analysis->timeline = timeline;
	tc_device_tally_run(&analysis->devices, timeline);
	if (!tc_ctx_failed(ctx))
		tc_windows_init(&analysis->windows, &analysis->devices);
	if (!tc_ctx_failed(ctx))
		if (!tc_ctx_failed(ctx))
			tc_survey_run(&analysis->survey, &analysis->devices);
	if (tc_ctx_failed(ctx))
		tc_analysis_free(analysis);
	else
		*out = analysis;
	return tc_ctx_status(ctx);
}

void tc_analysis_free(struct tc_analysis *analysis)
{
	if (!analysis)
		return;
	tc_survey_clear(&analysis->survey);
	tc_windows_clear(&analysis->windows);
	tc_device_tally_clear(&analysis->devices);
	tc_free(analysis);
}

/* The statements in core_clock.sql, embedded by the build. */
extern const char tc_core_clock_sql[];

struct core_clock {
	struct tc_tables *tables;
	const struct tc_timeline *timeline;
};

static void fill_core_clock(void *user)
{
	const struct core_clock *clock = user;
	const struct tc_sql_value values[] = {
		tc_sql_int(clock->timeline->trace_id), tc_sql_int(clock->timeline->slice_base)};

	tc_tables_run(clock->tables, tc_core_clock_sql, values, TC_COUNT_OF(values));
}

/* Few traces have counters at all. Those of this one are the latest rows. */
static void write_core_clock(struct tc_tables *tables, struct tc_metric_writer *writer,
	const struct tc_timeline *timeline)
{
	struct core_clock clock = {tables, timeline};
	int64_t trace_id = timeline->trace_id;

	if (has_row(tables,
		    "SELECT 1 FROM counter WHERE id = (SELECT max(id) FROM counter) AND trace_id = "
		    "?",
		    trace_id))
		tc_with_name_functions(tables->ctx, tables->db, fill_core_clock, &clock);
	put_has(writer, TC_METRIC_HAS_CORE_CLOCK,
		has_row(tables,
			"SELECT 1 FROM core_clock WHERE trace_id = ? AND busy_ns > 0 LIMIT 1",
			trace_id));
}

static void write_tallies(
	struct tc_analysis *analysis, struct tc_metric_writer *writer, struct tc_tables *tables)
{
	const struct tc_timeline *timeline = analysis->timeline;
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id), tc_sql_int(timeline->slice_base)};
	struct tc_device_tally *devices = &analysis->devices;

	write_steps(writer, &analysis->windows);
	tc_device_metrics_write(devices, writer);
	tc_idle_metrics(&analysis->windows, writer);
	update_steps(tables, &analysis->windows);
	write_spread(writer, tables, timeline->trace_id);
	tc_device_tally_write(devices, tables);
	write_core_clock(tables, writer, timeline);
	write_capabilities(tables, writer, devices, &analysis->survey);
	tc_tables_run(tables, tc_framework_sql, values, TC_COUNT_OF(values));
	tc_host_blocks_write(tables->ctx, tables->db, timeline->trace_id);
	log_clamped(devices, analysis->survey.clamped_count, tables);
	tc_tables_run(tables, tc_log_sql, values, 1);
	log_clocks(devices, writer, tables);
	log_step_limit(devices, tables);
}

/* Reads the metrics, so it comes when all are written. */
static void write_steady(struct tc_tables *tables, int64_t trace_id)
{
	const struct tc_sql_value trace = tc_sql_int(trace_id);

	tc_tables_run(tables, tc_steady_sql, &trace, 1);
}

void tc_analysis_write(struct tc_analysis *analysis, sqlite3 *db, struct tc_companion *companion)
{
	struct tc_ctx *ctx = analysis->timeline->ctx;
	struct tc_tables tables = TC_TABLES_OF(ctx, db);
	struct tc_metric_writer *writer =
		tc_metric_writer_new(ctx, db, analysis->timeline->trace_id);
	int64_t unasked_count = 0;
	struct tc_host_sweep sweep = {
		.timeline = analysis->timeline,
		.devices = &analysis->devices,
		.windows = &analysis->windows,
		.survey = &analysis->survey,
		.companion = companion,
		.tables = &tables,
		.writer = writer,
		.unasked_count = &unasked_count,
	};

	if (!tc_ctx_failed(ctx))
		tc_host_sweep_run(&sweep);
	TC_LOG_PUT(&tables, analysis->timeline->trace_id, TC_LOG_GAP_LIMIT, unasked_count,
		"%d gaps, each beside those of %d other devices, were not compared with the host",
		tc_sql_int(unasked_count), tc_sql_int(TC_GAP_OPEN_MAX_COUNT));
	if (!tc_ctx_failed(ctx))
		write_tallies(analysis, writer, &tables);
	tc_metric_writer_free(writer);
	if (!tc_ctx_failed(ctx))
		write_steady(&tables, analysis->timeline->trace_id);
	tc_tables_end(&tables);
}

/*
 * Runs the tallies of a trace. Lanes come first, because the host sweep needs to know when devices
 * are idle. The survey comes next, because the sweep needs to know which threads count.
 */

#include "analysis/analysis.h"

#include "analysis/device/device_tally.h"
#include "analysis/host/framework_tally.h"
#include "analysis/host/survey.h"
#include "analysis/host_sweep.h"
#include "analysis/idle/host_block.h"
#include "analysis/metrics.h"
#include "analysis/steps/device_metrics.h"
#include "core/alloc.h"
#include "core/array.h"
#include "store/tables.h"

/* Lane tally (table lane_total): how many operations each device lane ran, and for how long. */

static bool runs_one_engine(const struct tc_lane_time *lane)
{
	return (lane->engines & (lane->engines - 1)) == 0;
}

static void write_lane(
	const struct tc_device_tally *devices, struct tc_tables *tables, uint32_t index)
{
	const struct tc_timeline *timeline = devices->timeline;
	const struct tc_lane_time *lane = &devices->lanes[index];
	int32_t device = timeline->tracks[index].device;

	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_text(timeline->devices[device].name),
		tc_sql_string(runs_one_engine(lane) ? tc_engine_name(lane->engine) : NULL),
		tc_sql_int(timeline->track_base + index),
		tc_sql_int(lane->op_count),
		tc_sql_int(lane->busy_ns),
	};

	TC_TABLES_PUT(tables,
		"INSERT INTO lane_total (trace_id, device, engine, lane, track_id, op_count,"
		" busy_ns) VALUES (?1, ?2, ?3, (SELECT lane FROM track WHERE id = ?4), ?4, ?5, ?6)",
		values);
}

/* Writes a row per lane with operations. The rows of table track must be there already. */
static void lane_totals_write(const struct tc_device_tally *devices, struct tc_tables *tables)
{
	for (size_t i = 0; i < devices->track_count; i++)
		if (devices->lanes[devices->tracks[i]].op_count > 0)
			write_lane(devices, tables, devices->tracks[i]);
}

/* Writes the capabilities of a trace (metrics has_*), which say what it can show, and a few facts
 * of the import. */

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

/* The allocator numbers the devices that the process sees; device work has the numbers of the
 * machine. If there is one of each, they are the same device. */
static struct tc_text device_of_memory(sqlite3_stmt *row, const struct tc_timeline *timeline)
{
	if (sqlite3_column_int64(row, 3) == 1 && timeline->device_count == 1)
		return timeline->devices[0].name;
	return tc_sql_column_text(row, 0);
}

/* The writer for the rows of put_memory(). */
struct peaks {
	struct tc_metric_writer *writer;
	const struct tc_timeline *timeline;
};

static enum tc_status put_peaks(void *user, sqlite3_stmt *row)
{
	const struct peaks *peaks = user;
	struct tc_metric_scope scope = {device_of_memory(row, peaks->timeline), NULL};

	if (sqlite3_column_type(row, 1) != SQLITE_NULL)
		tc_metric_put(
			peaks->writer, TC_METRIC_MEMORY_PEAK, scope, sqlite3_column_int64(row, 1));
	if (sqlite3_column_type(row, 2) != SQLITE_NULL)
		tc_metric_put(peaks->writer, TC_METRIC_MEMORY_RESERVED_PEAK, scope,
			sqlite3_column_int64(row, 2));
	return TC_OK;
}

/* The samples of the trace are the last ones so far. device_type 0 is the CPU. The last row is the
 * largest of all devices. */
static void put_memory(
	struct tc_tables *tables, struct tc_metric_writer *writer, const struct tc_survey *survey)
{
	const struct tc_sql_value first = tc_sql_int(survey->timeline->memory_base);
	bool has_memory =
		has_row(tables, "SELECT 1 FROM memory_sample WHERE id >= ? LIMIT 1", first.i64);

	tc_metric_put(writer, TC_METRIC_HAS_MEMORY, TC_METRIC_RUN, has_memory);
	tc_metric_put(writer, TC_METRIC_HAS_MEMORY_GROWTH, TC_METRIC_RUN,
		(has_memory || survey->has_device_memory) && survey->timeline->step_count > 0);
	if (!has_memory)
		return;
	tc_tables_each(tables,
		"WITH peak AS (SELECT device_id, max(total_allocated_bytes) AS allocated,"
		" max(total_reserved_bytes) AS reserved FROM memory_sample"
		" WHERE id >= ? AND device_type <> 0 GROUP BY device_id)"
		" SELECT CAST(device_id AS TEXT), allocated, reserved, count(*) OVER () FROM peak"
		" WHERE device_id IS NOT NULL"
		" UNION ALL SELECT NULL, max(allocated), max(reserved), 0 FROM peak",
		&first, put_peaks, &(struct peaks){writer, survey->timeline});
}

/* If device work was not recorded or its times are not known, the device only looks idle. */
static bool has_idle(
	const struct tc_device_tally *devices, const struct tc_timeline *timeline, int64_t op_count)
{
	size_t working_count = 0;

	if (devices->clocks.steps_apart)
		return false;
	if (op_count == 0 || devices->clamped_total > op_count - devices->clamped_total)
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

/* Side files are read after the trace. They set the capabilities that they provide. */
static void put_side(struct tc_metric_writer *writer)
{
	for (enum tc_metric metric = 0; metric < TC_METRIC_COUNT; metric++)
		if (strcmp(tc_metric_info(metric)->level, "side") == 0)
			put_has(writer, metric, false);
}

static void capabilities_write(struct tc_tables *tables, struct tc_metric_writer *writer,
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
	tc_metric_put(writer, TC_METRIC_RECORDED_ONE_OF, TC_METRIC_RUN, timeline->recorded_one_of);
	tc_metric_put(writer, TC_METRIC_PYTHON_FRAMES, TC_METRIC_RUN, survey->python_count);
	put_has(writer, TC_METRIC_HAS_HOST, survey->slice_count > 0);
	put_has(writer, TC_METRIC_HAS_DEVICE, facts.op_count > 0);
	put_has(writer, TC_METRIC_HAS_STEPS, timeline->step_count > 0);
	put_has(writer, TC_METRIC_HAS_LAUNCHES, launches);
	put_has(writer, TC_METRIC_HAS_IDLE, has_idle(devices, timeline, facts.op_count));
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
	put_has(writer, TC_METRIC_HAS_STACKS, survey->python_count > 0);
	put_side(writer);
	put_memory(tables, writer, survey);
	tc_metric_put(writer, TC_METRIC_HAS_RANKS, TC_METRIC_RUN, 0); /* see tc_ranks_relate() */
	tc_tables_keep(tables, tc_metric_writer_flush(writer));
}

extern const char tc_log_sql[]; /* log.sql, embedded by the build */

struct tc_analysis {
	struct tc_ctx *ctx;
	const struct tc_timeline *timeline;
	struct tc_gap_spool spool;
	struct tc_device_tally devices;
	struct tc_windows windows;
	struct tc_survey survey;
	struct tc_idle_tally idle;
};

static enum tc_status sweep_devices(struct tc_analysis *analysis)
{
	enum tc_status status =
		tc_device_tally_init(&analysis->devices, analysis->timeline, &analysis->spool);

	return status ? status : tc_device_tally_run(&analysis->devices);
}

static enum tc_status survey_hosts(struct tc_analysis *analysis)
{
	enum tc_status status = tc_windows_init(&analysis->windows, &analysis->devices);

	if (!status)
		status =
			tc_idle_tally_init(&analysis->idle, &analysis->windows, &analysis->devices);
	return status ? status
		      : tc_survey_run(&analysis->survey, analysis->timeline, &analysis->spool,
				&analysis->windows);
}

enum tc_status tc_analysis_new(
	struct tc_analysis **out, struct tc_ctx *ctx, const struct tc_timeline *timeline)
{
	struct tc_analysis *analysis = tc_calloc(1, sizeof(*analysis));

	if (!analysis)
		return tc_no_memory(ctx);
	analysis->ctx = ctx;
	analysis->timeline = timeline;
	analysis->spool.ctx = ctx;
	enum tc_status status = sweep_devices(analysis);
	if (!status)
		status = survey_hosts(analysis);
	if (status)
		tc_analysis_free(analysis);
	else
		*out = analysis;
	return status;
}

void tc_analysis_free(struct tc_analysis *analysis)
{
	if (!analysis)
		return;
	tc_idle_tally_clear(&analysis->idle);
	tc_survey_clear(&analysis->survey);
	tc_windows_clear(&analysis->windows);
	tc_device_tally_clear(&analysis->devices);
	tc_gap_spool_clear(&analysis->spool);
	tc_free(analysis);
}

static void log_clocks(const struct tc_analysis *analysis, struct tc_metric_writer *writer,
	struct tc_tables *tables)
{
	const struct tc_clocks *clocks = &analysis->devices.clocks;
	const struct tc_sql_value values[] = {
		tc_sql_int(analysis->timeline->trace_id),
		tc_sql_int(clocks->other_count),
		tc_sql_int(clocks->group_count),
		tc_sql_int(clocks->other_slice_id),
	};

	if (clocks->group_count < 2)
		return;
	tc_metric_put(writer, TC_METRIC_OTHER_CLOCK, TC_METRIC_RUN, clocks->other_ns);
	TC_TABLES_PUT(tables,
		"INSERT INTO import_log (trace_id, kind, severity, count, message)"
		" VALUES (?1, 'clocks_apart', 'error', ?2, printf('the events lie in %,d groups;"
		" times are those of one, and the first slice of the others is slice %d', ?3, ?4))",
		values);
}

static void write_tallies(
	struct tc_analysis *analysis, struct tc_metric_writer *writer, struct tc_tables *tables)
{
	const struct tc_timeline *timeline = analysis->timeline;
	const struct tc_sql_value trace = tc_sql_int(timeline->trace_id);
	const struct tc_device_tally *devices = &analysis->devices;

	tc_tables_keep(tables, tc_step_metrics_write(writer, devices, &analysis->windows));
	tc_tables_keep(tables, tc_device_metrics_write(writer, devices));
	tc_tables_keep(tables, tc_idle_tally_metrics(&analysis->idle, writer));
	tc_steps_update(tables, devices, &analysis->windows);
	tc_step_spread_write(writer, tables, timeline->trace_id);
	tc_op_tally_write(&devices->ops, tables);
	tc_wait_tally_write(&analysis->devices.waits, tables);
	lane_totals_write(devices, tables);
	tc_communication_tally_write(&devices->communication, tables, timeline->trace_id);
	capabilities_write(tables, writer, devices, &analysis->survey);
	tc_framework_tally_finish(tables, timeline);
	if (!tables->status)
		tables->status = tc_host_blocks_write(tables->ctx, tables->db, timeline->trace_id);
	tc_clamped_log(devices, analysis->survey.clamped_count, tables);
	tc_tables_run(tables, tc_log_sql, &trace, 1);
	log_clocks(analysis, writer, tables);
}

enum tc_status tc_analysis_write(
	struct tc_analysis *analysis, sqlite3 *db, struct tc_companion *companion)
{
	struct tc_metric_writer *writer = NULL;
	struct tc_tables tables = TC_TABLES_OF(analysis->ctx, db);
	const struct tc_host_sweep_input input = {analysis->timeline, &analysis->devices,
		&analysis->windows, &analysis->survey, &analysis->spool, &analysis->idle,
		companion};
	enum tc_status status =
		tc_metric_writer_new(&writer, analysis->ctx, db, analysis->timeline->trace_id);

	if (!status)
		status = tc_host_sweep(&tables, writer, &input);
	tc_tables_keep(&tables, status);
	if (!tables.status)
		write_tallies(analysis, writer, &tables);
	tc_metric_writer_free(writer);
	return tc_tables_end(&tables);
}

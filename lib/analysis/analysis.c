/*
 * Runs the tallies of a trace. Lanes come first, because the host sweep needs to know when devices
 * are idle. The survey comes next, because the sweep needs to know which threads count.
 */
#include "analysis/analysis.h"

#include "analysis/capability.h"
#include "analysis/steps/device_metrics.h"
#include "analysis/host/framework_tally.h"
#include "analysis/idle/host_block.h"
#include "analysis/host_sweep.h"
#include "analysis/device/lane_total.h"
#include "core/alloc.h"
#include "core/array.h"
#include "store/tables.h"

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
	tc_lane_totals_write(devices, tables);
	tc_communication_tally_write(&devices->communication, tables, timeline->trace_id);
	tc_capabilities_write(tables, writer, devices, &analysis->survey);
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

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

struct tc_analysis {
	struct tc_ctx *ctx;
	const struct tc_timeline *timeline;
	struct tc_gap_spool spool;
	struct tc_device_tally devices;
	struct tc_windows windows;
	struct tc_survey survey;
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
	tc_survey_clear(&analysis->survey);
	tc_windows_clear(&analysis->windows);
	tc_device_tally_clear(&analysis->devices);
	tc_gap_spool_clear(&analysis->spool);
	tc_free(analysis);
}

/* Reports sums that saturated at the largest int64, which is 292 years: no real run has such
 * durations. */
static const char sum_limit_sql[] =
	"INSERT INTO import_log (trace_id, kind, severity, count, message)"
	" SELECT ?1, 'sum_limit', 'error', count(*), printf('%d sums of durations reach 2^63 - 1 ns"
	" and stop there, the first that of %s', count(*), quote(min(name)))"
	" FROM (SELECT name FROM op_total WHERE trace_id = ?1 AND dur_ns = 9223372036854775807"
	"  UNION ALL SELECT name FROM host_total WHERE trace_id = ?1"
	"  AND dur_ns = 9223372036854775807)"
	" HAVING count(*) > 0";

static const char launched_before_sql[] =
	"INSERT INTO import_log (trace_id, kind, severity, count, message)"
	" SELECT c.trace_id, 'launched_before', 'info', c.value, printf('%d of %d device operations"
	" (%.3f ms of device time) were launched before the recording began: they belong to no"
	" step, and the idle time before them has no cause on the host',"
	" c.value, a.value, t.value / 1e6)"
	" FROM metric c JOIN metric t ON t.trace_id = c.trace_id AND t.name = 'launched_before_ns'"
	"  AND t.device IS NULL AND t.step IS NULL"
	" JOIN metric a ON a.trace_id = c.trace_id AND a.name = 'device_op_count'"
	"  AND a.device IS NULL AND a.step IS NULL"
	" WHERE c.trace_id = ?1 AND c.name = 'launched_before_count' AND c.device IS NULL"
	"  AND c.step IS NULL AND c.value > 0";

static const char graph_holes_sql[] =
	"INSERT INTO import_log (trace_id, kind, severity, count, message)"
	" SELECT g.trace_id, 'graph_holes', 'error', count(*), printf('%d times of 10 us or more"
	" (%.3f ms together) within single launches of a graph have no operation: operations are"
	" missing in the trace, so this is no idle time; what it is, is not known',"
	" count(*), total(g.gap_dur) / 1e6)"
	" FROM (SELECT 1 FROM gap_total WHERE trace_id = ?1 AND cause = 'unknown' LIMIT 1)"
	" CROSS JOIN gap g WHERE g.trace_id = ?1 AND g.is_hole HAVING count(*) > 0";

static const char missing_operations_sql[] =
	"INSERT INTO import_log (trace_id, kind, severity, count, message)"
	" SELECT trace_id, 'missing_operations', 'error', value, printf('many operations are"
	" missing from this recording: about 1 of %d is in the file, by the numbers that the"
	" profiler gave them (Ev Idx, External id, correlation)', value) FROM metric"
	" WHERE trace_id = ?1 AND name = 'recorded_one_of_count' AND step IS NULL AND value > 1";

static void log_clocks(const struct tc_analysis *analysis, struct tc_tables *tables)
{
	const struct tc_clocks *clocks = &analysis->devices.clocks;
	const struct tc_sql_value values[] = {
		tc_sql_int(analysis->timeline->trace_id),
		tc_sql_int(clocks->group_count),
		tc_sql_real((double)clocks->apart_ns / 1e9),
		tc_sql_int(analysis->devices.other_clock_count),
		tc_sql_int(analysis->survey.other_clock_count),
	};

	if (clocks->group_count < 2)
		return;
	TC_TABLES_PUT(tables,
		"INSERT INTO import_log (trace_id, kind, severity, count, message)"
		" VALUES (?1, 'clocks_apart', 'error', ?2, printf('the events lie in %d groups,"
		" up to %.0f s apart: they are on several clocks, or of several recordings; times"
		" are those of one group, and %d device operations and %d host slices of others"
		" are in no time', ?2, ?3, ?4, ?5))",
		values);
}

static void write_tallies(
	struct tc_analysis *analysis, struct tc_metric_writer *writer, struct tc_tables *tables)
{
	static const char *const logs[] = {
		sum_limit_sql, launched_before_sql, graph_holes_sql, missing_operations_sql};
	const struct tc_timeline *timeline = analysis->timeline;
	const struct tc_sql_value trace = tc_sql_int(timeline->trace_id);
	const struct tc_device_tally *devices = &analysis->devices;

	tc_tables_keep(tables, tc_step_metrics_write(writer, devices, &analysis->windows));
	tc_tables_keep(tables, tc_device_metrics_write(writer, devices, &analysis->windows));
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
	for (size_t i = 0; i < TC_COUNT_OF(logs); i++)
		tc_tables_put(tables, logs[i], &trace, 1);
	log_clocks(analysis, tables);
}

enum tc_status tc_analysis_write(
	struct tc_analysis *analysis, sqlite3 *db, struct tc_companion *companion)
{
	struct tc_metric_writer *writer = NULL;
	struct tc_tables tables = TC_TABLES_OF(analysis->ctx, db);
	const struct tc_host_sweep_input input = {analysis->timeline, &analysis->devices,
		&analysis->windows, &analysis->survey, &analysis->spool, companion};
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

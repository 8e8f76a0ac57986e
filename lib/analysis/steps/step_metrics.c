/* Rows of the wall time, the steps and habana_perf_tool's totals; see device_metrics.h. */
#include "analysis/steps/device_metrics.h"

#include "core/array.h"

/* Device time: the union of the windows from the first to the last device work of each step. If no
 * step launched any, it is the window of all device work. */
static enum tc_status device_windows(struct tc_interval_set *set,
	const struct tc_device_tally *devices, const struct tc_busy *all)
{
	const struct tc_timeline *timeline = devices->timeline;
	int failed = 0;

	for (size_t i = 0; i < timeline->step_count && !failed; i++) {
		const struct tc_busy *busy =
			tc_device_tally_step(devices, devices->tally_count - 1, i);
		if (tc_busy_has_work(busy))
			failed = tc_interval_set_add(set, busy->work_extent);
	}
	if (!failed && set->count == 0)
		failed = tc_interval_set_add(set, all->work_extent);
	return failed ? tc_no_memory(timeline->ctx) : TC_OK;
}

/* (device + host - total) / min(device, host). total runs from the first start to the last end of
 * steps and all device work, with or without a step. */
static enum tc_status write_perf_tool(struct tc_metric_writer *writer,
	const struct tc_device_tally *devices, const struct tc_windows *windows)
{
	const struct tc_busy *all = tc_device_tally_all(devices);
	struct tc_interval_set set = TC_INTERVAL_SET_EMPTY;

	if (!all || !tc_busy_has_work(all) || windows->host.count == 0)
		return TC_OK;
	enum tc_status status = device_windows(&set, devices, all);
	if (!status && set.count > 0) {
		int64_t host_ns = tc_interval_set_measure(&windows->host);
		int64_t device_ns = tc_interval_set_measure(&set);
		struct tc_interval total = {windows->host.items[0].start_ns,
			windows->host.items[windows->host.count - 1].end_ns};
		int64_t total_ns = tc_interval_measure(tc_interval_join(total, all->work_extent));
		tc_metric_put(writer, TC_METRIC_PERF_DEVICE, TC_METRIC_RUN, device_ns);
		tc_metric_put(writer, TC_METRIC_PERF_TOTAL, TC_METRIC_RUN, total_ns);
		tc_metric_put_ratio(writer, TC_METRIC_OVERLAP_DEGREE, TC_METRIC_RUN,
			host_ns - (total_ns - device_ns),
			device_ns < host_ns ? device_ns : host_ns);
	}
	tc_interval_set_clear(&set);
	return status;
}

enum tc_status tc_step_metrics_write(struct tc_metric_writer *writer,
	const struct tc_device_tally *devices, const struct tc_windows *windows)
{
	const struct tc_timeline *timeline = devices->timeline;
	int64_t steady_count = 0;

	tc_metric_put(writer, TC_METRIC_WALL, TC_METRIC_RUN, tc_interval_measure(windows->wall));
	tc_metric_put(writer, TC_METRIC_STEP_COUNT, TC_METRIC_RUN, (int64_t)timeline->step_count);
	for (size_t i = 0; i < timeline->step_count; i++) {
		struct tc_metric_scope scope = {TC_TEXT_NONE, &timeline->steps[i].number};
		steady_count += !windows->is_warm_up[i];
		tc_metric_put(
			writer, TC_METRIC_WALL, scope, tc_interval_measure(windows->steps[i]));
	}
	if (timeline->step_count > 0) {
		tc_metric_put(writer, TC_METRIC_STEP_MEAN, TC_METRIC_RUN, windows->mean_ns);
		tc_metric_put(writer, TC_METRIC_STEP_MEDIAN, TC_METRIC_RUN, windows->median_ns);
		tc_metric_put(writer, TC_METRIC_STEADY, TC_METRIC_RUN, steady_count);
	}
	enum tc_status status = write_perf_tool(writer, devices, windows);
	return status ? status : tc_metric_writer_flush(writer);
}

void tc_steps_update(struct tc_tables *tables, const struct tc_device_tally *devices,
	const struct tc_windows *windows)
{
	const struct tc_timeline *timeline = devices->timeline;

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
			tc_sql_int(windows->is_warm_up[i]),
			tc_sql_int(timeline->steps[i].id),
		};
		TC_TABLES_PUT(tables,
			"UPDATE step SET device_ts = ?, device_dur = ?, is_warm_up = ?"
			" WHERE id = ?",
			values);
	}
}

static enum tc_status take_spread(void *user, sqlite3_stmt *row)
{
	static const enum tc_metric metrics[] = {TC_METRIC_STEADY_SUM, TC_METRIC_STEADY_MIN,
		TC_METRIC_STEADY_Q1, TC_METRIC_STEADY_MEDIAN, TC_METRIC_STEADY_Q3,
		TC_METRIC_STEADY_MAX};
	struct tc_metric_writer *writer = user;

	for (int i = 0; i < (int)(TC_COUNT_OF(metrics)); i++)
		tc_metric_put(writer, metrics[i], TC_METRIC_RUN, sqlite3_column_int64(row, i));
	return tc_metric_writer_flush(writer);
}

void tc_step_spread_write(
	struct tc_metric_writer *writer, struct tc_tables *tables, int64_t trace_id)
{
	const struct tc_sql_value trace = tc_sql_int(trace_id);

	tc_tables_each(tables,
		"SELECT sum_ns, min_ns, lower_quartile_ns, median_ns, upper_quartile_ns, max_ns "
		"FROM step_spread"
		" WHERE trace_id = ?1",
		&trace, take_spread, writer);
}

/* The metrics of devices, steps and the wall time, computed from the device sweep and the windows.
 * */
#ifndef TC_ANALYSIS_STEPS_DEVICE_METRICS_H
#define TC_ANALYSIS_STEPS_DEVICE_METRICS_H

#include "analysis/device/device_tally.h"
#include "analysis/metrics.h"
#include "analysis/steps/windows.h"
#include "store/tables.h"

/* The idle tally writes the metrics of idle time. */
enum tc_status tc_device_metrics_write(
	struct tc_metric_writer *writer, const struct tc_device_tally *devices);

/* Wall time, steps, and the totals of habana_perf_tool. */
enum tc_status tc_step_metrics_write(struct tc_metric_writer *writer,
	const struct tc_device_tally *devices, const struct tc_windows *windows);

/* Completes the rows of the table step: device window and warm-up. */
void tc_steps_update(struct tc_tables *tables, const struct tc_device_tally *devices,
	const struct tc_windows *windows);

/* The spread of the step durations in these rows (view step_spread). No metrics without steady
 * steps. */
void tc_step_spread_write(
	struct tc_metric_writer *writer, struct tc_tables *tables, int64_t trace_id);

#endif

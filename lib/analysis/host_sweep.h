/*
 * Host sweep: one pass over all host threads in time order, in which each tally of the host (time
 * by role, gaps, totals, events, framework operations, compiles) sees every change.
 */
#ifndef TC_ANALYSIS_HOST_SWEEP_H
#define TC_ANALYSIS_HOST_SWEEP_H

#include "analysis/device/device_tally.h"
#include "analysis/metrics.h"
#include "analysis/host/survey.h"
#include "analysis/idle/idle_tally.h"
#include "analysis/operators/companion.h"
#include "analysis/steps/windows.h"

/* The results of earlier passes that the sweep needs. */
struct tc_host_sweep_input {
	const struct tc_timeline *timeline;
	const struct tc_device_tally *devices;
	const struct tc_windows *windows;
	const struct tc_survey *survey;
	struct tc_gap_spool *spool;
	struct tc_idle_tally *idle;     /* gets all idle time */
	struct tc_companion *companion; /* captures of other traces, or NULL */
};

/* Writes gap, idle_total, exposed_transfer, host_total, host_event, framework_op, framework_shape,
 * compile, compile_op, op_tree_row, op_kernel_row and the host's metrics. */
enum tc_status tc_host_sweep(struct tc_tables *tables, struct tc_metric_writer *writer,
	const struct tc_host_sweep_input *input);

#endif

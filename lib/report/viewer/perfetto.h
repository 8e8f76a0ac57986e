/*
 * Writes a trace of a store in Perfetto's format: all slices with their args, instants, arrows and
 * counters, and our own events (events.h). Memory does not grow with the trace: files hold the
 * slices while they are sorted by track and time (core/sort/sorter.h).
 */
#ifndef TC_REPORT_VIEWER_PERFETTO_H
#define TC_REPORT_VIEWER_PERFETTO_H

#include "report/viewer/events.h"
#include "tracecoach/report.h"

enum tc_status tc_perfetto_write(struct tc_ctx *ctx, sqlite3 *db, const struct tc_advice *advice,
	const struct tc_viewer_options *options, tc_write_fn write, void *user);

#endif

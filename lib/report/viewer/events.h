/*
 * What tracecoach adds to a trace for a viewer: steps, findings at their worst places, the critical
 * path, the idle time of each device by cause, and counters.
 */
#ifndef TC_REPORT_VIEWER_EVENTS_H
#define TC_REPORT_VIEWER_EVENTS_H

#include <sqlite3.h>

#include "report/viewer/emit.h"
#include "tracecoach/advice.h"
#include "tracecoach/report.h"

struct tc_viewer_options {
	int64_t trace_id;
	int64_t least_gap_ns; /* shorter gaps are left out */
};

void tc_viewer_put_events(struct tc_emit *emit, sqlite3 *db, const struct tc_advice *advice,
	const struct tc_viewer_options *options);

/* ---- perfetto.c: a trace of a store in Perfetto's format: all slices with their args, instants,
 * arrows and counters, and our own events. Memory does not grow with the trace: files hold the
 * slices while they are sorted by track and time (core/sort/sorter.h). */

enum tc_status tc_perfetto_write(struct tc_ctx *ctx, sqlite3 *db, const struct tc_advice *advice,
	const struct tc_viewer_options *options, tc_write_fn write, void *user);

#endif

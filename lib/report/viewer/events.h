/*
 * What a viewer is shown beside a trace: steps, findings at their worst places, the critical path, the
 * idle time of each device by cause, counters.
 */
#ifndef TC_REPORT_VIEWER_EVENTS_H
#define TC_REPORT_VIEWER_EVENTS_H

#include <sqlite3.h>

#include "report/sink.h"
#include "tracecoach/advice.h"

struct tc_viewer_options {
	int64_t trace_id;
	int64_t least_gap_ns; /* shorter gaps are left out */
	bool is_lines;        /* a line each, else with commas between them */
};

enum tc_status tc_viewer_put_events(struct tc_sink *sink, struct tc_ctx *ctx, sqlite3 *db,
	const struct tc_advice *advice, const struct tc_viewer_options *options);

#endif

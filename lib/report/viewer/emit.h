/*
 * Trace events of a process of our own, as JSON. Its slices are on tracks; a slice that would overlap one
 * before it on its track gets a line beside it, since slices on one line must nest. Times are exact:
 * microseconds with three decimals.
 */
#ifndef TC_REPORT_VIEWER_EMIT_H
#define TC_REPORT_VIEWER_EMIT_H

#include "report/json/json_writer.h"

struct tc_emit {
	struct tc_ctx *ctx;
	struct tc_json json;
	bool is_lines;    /* no commas between events */
	int64_t pid;      /* the trace has no such pid or tid, nor the ones behind it */
	int64_t last_tid; /* given to a line */
	int64_t last_flow;
};

/* One line of a track. */
struct tc_emit_line {
	int64_t tid, end_ns; /* of the last slice on it */
};

/* tc_emit_track_clear() afterwards. */
struct tc_emit_track {
	const char *name; /* borrowed */
	struct tc_emit_line *lines;
	size_t count, capacity;
};

/* A slice or counter being written. */
struct tc_emit_slice {
	struct tc_text name;
	int64_t ts, dur;
};

/* One end of an arrow: a process and a thread as JSON, and a time within a slice there. */
struct tc_emit_end {
	struct tc_text pid, tid;
	int64_t ts;
};

/* Names the process and puts it above all others. */
void tc_emit_begin(struct tc_emit *emit, struct tc_sink *sink, bool is_lines, int64_t pid);
/* Begins a slice; slices of a track come in the order of time. Its args follow, and tc_emit_end_slice().
 * *tid is the line that it is on. */
enum tc_status tc_emit_slice(int64_t *tid, struct tc_emit *emit, struct tc_emit_track *track,
	const struct tc_emit_slice *slice);
void tc_emit_end_slice(struct tc_emit *emit);
void tc_emit_track_clear(struct tc_emit_track *track);

void tc_emit_counter(struct tc_emit *emit, struct tc_text name, int64_t ts, double value);
/* An arrow, from what is earlier to what is later. */
void tc_emit_flow(
	struct tc_emit *emit, const struct tc_emit_end *one, const struct tc_emit_end *other);

#endif

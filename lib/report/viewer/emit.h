/*
 * Slices and counters that tracecoach adds to a trace. Slices are on tracks, and a track has one or
 * more lines. A slice that would overlap an earlier one of its track goes to another line, since
 * slices on one line must nest. A form says how they are written: as trace events in JSON
 * (emit_json.c), or as packets (perfetto.c).
 */
#ifndef TC_REPORT_VIEWER_EMIT_H
#define TC_REPORT_VIEWER_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "core/text.h"
#include "report/json/json_writer.h"

struct tc_emit_slice {
	struct tc_text name;
	int64_t ts, dur;
};

/* A call that an arrow joins with a slice: its process and thread as JSON, and a time within it. */
struct tc_emit_call {
	int64_t slice_id;
	struct tc_text pid, tid;
	int64_t ts;
};

struct tc_emit {
	struct tc_ctx *ctx;
	const struct tc_emit_form *form;
	void *to;
	int64_t line; /* of the slice under way */
	struct tc_emit_slice slice;
};

struct tc_emit_form {
	/* Called first. The trace has no pid or tid that is `first` or one of the numbers after
	 * it. */
	void (*begin)(struct tc_emit *emit, int64_t first);
	int64_t (*line)(struct tc_emit *emit, struct tc_text name); /* a new one; its number */
	void (*slice)(struct tc_emit *emit); /* its arguments follow, then end */
	void (*integer)(struct tc_emit *emit, const char *key, bool known, int64_t value);
	void (*boolean)(struct tc_emit *emit, const char *key, bool value);
	void (*text)(struct tc_emit *emit, const char *key, struct tc_text value);
	void (*end)(struct tc_emit *emit, const struct tc_emit_call *call); /* call: or NULL */
	void (*counter)(struct tc_emit *emit, struct tc_text name, int64_t ts, double value);
};

/* One line of a track. */
struct tc_emit_line {
	int64_t number, end_ns; /* of the last slice on it */
};

/* tc_emit_track_clear() afterwards. */
struct tc_emit_track {
	const char *name; /* borrowed */
	struct tc_emit_line *lines;
	size_t count, capacity;
};

/* Begins a slice; slices of a track come in the order of time. False when memory is out. */
bool tc_emit_slice(
	struct tc_emit *emit, struct tc_emit_track *track, const struct tc_emit_slice *slice);
void tc_emit_track_clear(struct tc_emit_track *track);

/* ---- emit_json.c: our slices and counters as JSON trace events of a separate process. Times are
 * exact: microseconds with three decimals. */

struct tc_emit_json {
	struct tc_json json;
	bool is_lines; /* no commas between events */
	int64_t pid, last_tid, last_flow;
};

/* For tc_emit.form; tc_emit.to is a struct tc_emit_json. */
extern const struct tc_emit_form tc_emit_json_form;
void tc_emit_json_init(struct tc_emit_json *out, struct tc_sink *sink, bool is_lines);

#endif

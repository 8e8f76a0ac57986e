/*
 * A trace as a viewer opens it, with what tracecoach adds: steps, findings at their worst places,
 * the critical path, the idle time of each device by cause, and counters. Slices are on tracks, and
 * a track has one or more lines. A slice that would overlap an earlier one of its track goes to
 * another line, since slices on one line must nest. A form says how they are written: as trace
 * events in JSON (export.c), or as packets (perfetto.c).
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "core/text.h"
#include "tracecoach/advice.h"
#include "tracecoach/report.h"

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

/* ---- events.c: what tracecoach adds */

struct tc_viewer_options {
	int64_t trace_id;
	int64_t least_gap_ns; /* shorter gaps are left out */
};

void tc_viewer_put_events(struct tc_emit *emit, sqlite3 *db, const struct tc_advice *advice,
	const struct tc_viewer_options *options);

/* ---- perfetto.c: a trace of a store in Perfetto's format: all slices with their args, instants,
 * arrows and counters, and our own events. Memory does not grow with the trace: files hold the
 * slices while they are sorted by track and time (core/sort/sorter.h). */

void tc_perfetto_write(struct tc_ctx *ctx, sqlite3 *db, const struct tc_advice *advice,
	const struct tc_viewer_options *options, tc_write_fn write, void *user);

/* ---- export.c: finds the place in the text of a trace where events can be inserted: before the
 * first event, after "traceEvents": [ of the outermost object or after the [ of the outermost
 * array. The text comes in pieces. */

enum tc_splice_after { TC_SPLICE_OTHER, TC_SPLICE_KEY, TC_SPLICE_COLON, TC_SPLICE_LIST };

struct tc_splice {
	int64_t depth;
	bool in_string, is_escaped;
	size_t matched; /* bytes of the string that match the key; SIZE_MAX: another string */
	enum tc_splice_after after; /* the last thing that is not blank */
	bool found;
	char next; /* the byte at the place; '\0' at the end of the text */
};

/* is_lines: every line is an event, so the first one is the place. */
void tc_splice_init(struct tc_splice *splice, bool is_lines);

/* Returns the number of bytes of the piece before the place; len as long as it is not found. */
size_t tc_splice_scan(struct tc_splice *splice, const char *bytes, size_t len);

/* Call at the end of the text: the place is also found if the text ends right after the [. */
void tc_splice_end(struct tc_splice *splice);

/*
 * Slices and counters of ours, beside those of a trace. Slices are on tracks; a slice that would overlap one
 * before it on its track gets a line beside it, since slices on one line must nest. A form says how they
 * are written: as trace events in JSON (emit_json.c), or as packets (emit_packets.c).
 */
#ifndef TC_REPORT_VIEWER_EMIT_H
#define TC_REPORT_VIEWER_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/context.h"
#include "core/text.h"

struct tc_emit_slice {
	struct tc_text name;
	int64_t ts, dur;
};

/* A call that a slice of ours is joined with by an arrow: process and thread as JSON, and a time within it. */
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
	/* Before all else; the trace has no pid or tid `first`, nor any of the numbers behind it. */
	void (*begin)(struct tc_emit *emit, int64_t first);
	int64_t (*line)(struct tc_emit *emit, struct tc_text name); /* a new one; its number */
	void (*slice)(struct tc_emit *emit); /* what is known of it follows, then end */
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

/* Begins a slice; slices of a track come in the order of time. */
enum tc_status tc_emit_slice(
	struct tc_emit *emit, struct tc_emit_track *track, const struct tc_emit_slice *slice);
void tc_emit_track_clear(struct tc_emit_track *track);

#endif

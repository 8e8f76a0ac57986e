/*
 * Writes a trace: members and events as they come, one object around them. Members that come after
 * events stand after the list of events.
 */
#ifndef TC_CUT_TRACE_WRITER_H
#define TC_CUT_TRACE_WRITER_H

#include "core/buf.h"
#include "core/context.h"
#include "source/deflate.h"
#include "tracecoach/report.h"

struct tc_trace_writer {
	struct tc_ctx *ctx;
	tc_write_fn write;
	void *user;
	struct tc_deflate *gzip; /* NULL for plain text */
	struct tc_buf text;      /* not written yet */
	struct tc_buf members;   /* those after events */
	int64_t event_count;
};

enum tc_status tc_trace_writer_init(struct tc_trace_writer *writer, struct tc_ctx *ctx,
	tc_write_fn write, void *user, bool gzip);
void tc_trace_writer_clear(struct tc_trace_writer *writer); /* frees */

/* A member: its name, and its value as JSON. */
enum tc_status tc_trace_writer_member(
	struct tc_trace_writer *writer, struct tc_text name, struct tc_text json);
/* An event as JSON. */
enum tc_status tc_trace_writer_event(struct tc_trace_writer *writer, struct tc_text json);
enum tc_status tc_trace_writer_finish(struct tc_trace_writer *writer);

#endif

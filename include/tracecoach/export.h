/*
 * Export: a trace with what a store knows about it, for the trace viewers that people use already.
 */
#ifndef TRACECOACH_EXPORT_H
#define TRACECOACH_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecoach/advice.h"
#include "tracecoach/report.h"
#include "tracecoach/store.h"

TC_PUBLIC_BEGIN

struct tc_export; /* a trace file, open */

/* Opens the trace, which is read once more when it is exported. TC_ERR_INPUT for what is no regular
 * file, TC_ERR_READ when it cannot be opened. *out is the caller's: tc_export_close(). ctx must
 * outlive it. */
enum tc_status tc_export_open(struct tc_export **out, struct tc_ctx *ctx, const char *path);
void tc_export_close(struct tc_export *trace); /* NULL is fine */

struct tc_export_options {
	size_t size; /* of this struct for the caller, which is then checked; 0: not checked */
	int64_t least_gap_ns; /* shorter gaps are left out */
	bool as_perfetto;     /* protocol buffers, from the store: see docs/export.md */
	bool gzip;            /* compress what is written */
};

/*
 * Writes the trace with a process "tracecoach" in front of its events: steps, findings, the
 * critical path, idle time by cause, counters. The bytes of the trace stay as they are, unless
 * as_perfetto writes all of it anew. The store has this trace
 * and no other. TC_ERR_INPUT when the start of its events cannot be found; what was written until
 * then stays written.
 */
enum tc_status tc_export_write(struct tc_export *trace, struct tc_store *store,
	const struct tc_advice *advice, const struct tc_export_options *options, tc_write_fn write,
	void *user);

TC_PUBLIC_END

#endif

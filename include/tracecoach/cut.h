/*
 * Cuts: part of a trace as a smaller trace, for a viewer or a bug report. See docs/cut.md for what
 * is in it.
 */
#ifndef TRACECOACH_CUT_H
#define TRACECOACH_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecoach/context.h"
#include "tracecoach/report.h"
#include "tracecoach/store.h"

TC_PUBLIC_BEGIN

/* Which part: one of the texts is given, the others are NULL. */
struct tc_cut_options {
	size_t size; /* of this struct for the caller, which is then checked; 0: not checked */
	const char *steps;   /* "4" or "3-5": the numbers of steps */
	const char *time;    /* "1.2s-1.4s": since the first slice; units ns, us, ms and s */
	const char *finding; /* the id of a heuristic that found something: its place */
	const char *device;  /* the name of a device: its work, and the host that feeds it */
	bool gzip;           /* compress what is written */
};

struct tc_cut_counts {
	int64_t event_count, kept_count;
};

/* Says what is wrong with the options, before anything is read: TC_ERR_USAGE. */
enum tc_status tc_cut_check(struct tc_ctx *ctx, const struct tc_cut_options *options);

/*
 * Reads the only trace of a store, made by an import, twice more and writes the part. TC_ERR_USAGE
 * when the trace has no such part or there are several traces, TC_ERR_INPUT when its file is no
 * regular one, TC_ERR_IO when write() stopped it; what was written until a failure stays written.
 */
enum tc_status tc_cut(struct tc_cut_counts *counts, struct tc_ctx *ctx, struct tc_store *store,
	const struct tc_cut_options *options, tc_write_fn write, void *user);

TC_PUBLIC_END

#endif

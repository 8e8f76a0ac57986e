/*
 * Bytes on their way to a tc_write_fn, compressed with gzip if asked for.
 */
#ifndef TC_REPORT_VIEWER_GZIP_H
#define TC_REPORT_VIEWER_GZIP_H

#include "core/context.h"
#include "tracecoach/report.h"

struct tc_gzip;

/* *out is the caller's: tc_gzip_close(). */
enum tc_status tc_gzip_open(
	struct tc_gzip **out, struct tc_ctx *ctx, bool compress, tc_write_fn write, void *user);
/* A tc_write_fn; user is the struct tc_gzip. */
int tc_gzip_write(void *user, const char *bytes, size_t len);
/* With TC_OK writes what is left. Frees, and returns status or why the end could not be written. */
enum tc_status tc_gzip_close(struct tc_gzip *gzip, enum tc_status status);

#endif

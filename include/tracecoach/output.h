/*
 * Where a report goes: standard output or a file. A file appears under its name when it is whole,
 * or not at all, and never in place of a file that was read. A full disk or a closed stream is
 * noticed; a reader of standard output that goes away (head, less) is no error. What is open
 * already
 * (/dev/stdout, /dev/fd/N) is written to as it is, and so are devices and pipes.
 */
#ifndef TRACECOACH_OUTPUT_H
#define TRACECOACH_OUTPUT_H

#include <stddef.h>

#include "tracecoach/context.h"

TC_PUBLIC_BEGIN

struct tc_output;

/*
 * Opens path, or standard output for NULL and "-". store_path is where the same run makes a store,
 * NULL for none. Open it before anything is read for long, when tc_import_expect() has said what
 * will be read: TC_ERR_USAGE when a file there is read or will be, when the store, another SQLite
 * database or a journal of one is there; TC_ERR_IO when no file can be made there. *out is owned by
 * the caller, who ends it with tc_output_close(). ctx and both paths are borrowed until then.
 */
enum tc_status tc_output_open(
	struct tc_output **out, struct tc_ctx *ctx, const char *path, const char *store_path);

/* The descriptor, to ask whether it is a terminal; -1 when it cannot be opened. Borrowed. */
int tc_output_fd(struct tc_output *output);

/* A tc_write_fn; user is the struct tc_output. */
int tc_output_write(void *user, const char *bytes, size_t len);

/*
 * Ends and frees the output. status is that of what was to be written: with TC_OK the file gets its
 * name, with the mode, owner, group and access list of the one that it replaces; else nothing of it
 * is left. Returns status, or why the output is not complete. NULL is fine.
 */
enum tc_status tc_output_close(struct tc_output *output, enum tc_status status);

TC_PUBLIC_END

#endif

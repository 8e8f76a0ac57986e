/*
 * Reads: the files that were opened for reading with a context, so that no output is written over
 * one of them. Files are identified by device and inode number, not by name: links and other paths
 * lead to the same file. Whoever opens a file of the user's opens it here, or enters it.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "core/buf.h"
#include "tracecoach/context.h"

/* open() for reading; a FIFO is open before its writer comes. The descriptor, or -1 with errno:
 * EINTR only when the context was interrupted. */
int tc_reads_open(struct tc_ctx *ctx, const char *path);

/*
 * read() of it, or of standard input. Waits where nothing has been written yet, until the context
 * is interrupted: -1 with EINTR. A regular file never waits; where the system has one that would
 * (/proc/kmsg), it fails with EAGAIN.
 */
ssize_t tc_reads_some(struct tc_ctx *ctx, int fd, void *bytes, size_t len);
/* Notes that a pipe is waited for, where it has nothing to read for a second. */
void tc_reads_wait(struct tc_ctx *ctx, int fd, const char *path);
/* strerror() of what the first two give. */
const char *tc_reads_error(int error);

/* Appends the text of a small file, but no more than one byte above a limit, by which too many are
 * seen, and closes it. fd is what open() returned. `what` and `path` are for the message: "the
 * settings in". */
enum tc_status tc_reads_all(struct tc_buf *out, struct tc_ctx *ctx, int fd, size_t limit_bytes,
	const char *what, const char *path);

/* Enters the file behind a descriptor. Returns 0, or an errno value. */
int tc_reads_add(struct tc_ctx *ctx, int fd);
/* Enters a file that is yet to be read, when there is one. Returns 0, or ENOMEM. */
int tc_reads_expect(struct tc_ctx *ctx, const char *path);

/* Whether the file at path was entered, or that behind a descriptor. */
bool tc_reads_has(struct tc_ctx *ctx, const char *path);
bool tc_reads_has_open(struct tc_ctx *ctx, int fd);

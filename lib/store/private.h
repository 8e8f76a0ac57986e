/*
 * Inside of the store room: a file that is written under a private name and appears under its
 * own only when it is whole.
 */
#ifndef TC_STORE_PRIVATE_H
#define TC_STORE_PRIVATE_H

#include "core/buf.h"
#include "tracecoach/context.h"

struct tc_private {
	struct tc_buf path;       /* where it is written; empty once it is gone or in place */
	struct tc_buf final_path; /* where it will be; empty for a temporary file */
};

/*
 * Makes an empty file beside final_path, or in $TMPDIR or /tmp when that is NULL, that nothing was
 * there before. A symbolic link is followed, also to where nothing is yet. On success both paths
 * are terminated strings that SQLite takes as files.
 */
enum tc_status tc_private_create(
	struct tc_private *file, struct tc_ctx *ctx, const char *final_path);

/* Waits until the bytes are on the disk. */
enum tc_status tc_private_sync(struct tc_private *file, struct tc_ctx *ctx);

/* Gives the file its own name, replacing what is there. */
enum tc_status tc_private_publish(struct tc_private *file, struct tc_ctx *ctx);

/* Takes the private name away; for a temporary file the open connection keeps the contents. */
void tc_private_unlink(struct tc_private *file);

/* Unlinks what was not published and frees the struct's memory. */
void tc_private_clear(struct tc_private *file);

#endif

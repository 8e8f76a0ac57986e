/*
 * Pending: a file that is written without a name where the file system can do that, and gets its
 * name only when it is whole. What stood under that name stays until then, and the new file takes
 * over its mode, owner, group and access list. A run that is killed leaves nothing. Where every
 * file must have a name, it leaves a file ".tracecoach-<16 hex digits>.tmp", and so it may in the
 * instant of replacing a file. Such a file is locked while its run lives; the next run that writes
 * into that directory removes those that are not.
 */
#pragma once

#include "core/context.h"
#include "core/files/place.h"

/* Room for the temporary name and its terminator. */
enum { TC_PENDING_NAME_BYTES = 40 };

struct tc_pending {
	struct tc_place place;            /* where it will be */
	int fd;                           /* where it is written; -1: nothing is pending */
	char name[TC_PENDING_NAME_BYTES]; /* in the place's directory; "" while it has none */
};

#define TC_PENDING_NONE ((struct tc_pending){.place = TC_PLACE_NONE, .fd = -1})

/*
 * Makes an empty file that will be path. A symbolic link is followed, also to where nothing is yet.
 * TC_ERR_IO when no file can be made there, or when the one that is there is not writable or its
 * owner cannot be kept. The caller publishes or discards it.
 */
enum tc_status tc_pending_create(struct tc_pending *file, struct tc_ctx *ctx, const char *path);

/* Waits until the bytes are on the disk and gives the file its name. On failure what was there
 * stays, and the file is still pending. */
enum tc_status tc_pending_publish(struct tc_pending *file, struct tc_ctx *ctx);

/* Closes the file; unless it was published, nothing of it is left. */
void tc_pending_discard(struct tc_pending *file);

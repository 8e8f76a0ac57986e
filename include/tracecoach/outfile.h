/*
 * Output files: what is written appears under its name when it is whole, or not at all, and never
 * in place of a file that was read.
 */
#ifndef TRACECOACH_OUTFILE_H
#define TRACECOACH_OUTFILE_H

#include "tracecoach/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tc_outfile;

/* Why nothing may be written to a place. */
enum tc_outfile_conflict {
	TC_OUTFILE_FREE,     /* nothing speaks against it */
	TC_OUTFILE_READ,     /* a file there was read with the context, or is expected to be */
	TC_OUTFILE_STORE,    /* the store of the same run will be there */
	TC_OUTFILE_JOURNAL,  /* a journal would have that name, of that store or of a database */
	TC_OUTFILE_DATABASE, /* an SQLite database is there */
};

/* Whether path leads to a descriptor by its number (/dev/stdout, /dev/fd/N, a link to one), which is
 * to be written to as it is: nothing can be made or replaced there. Sets *fd, to -1 when it is that
 * of another process. */
bool tc_outfile_is_descriptor(int *fd, const char *path);

/* Whether the descriptor leads to a file that was read with the context, or is expected to be. */
bool tc_outfile_is_read(struct tc_ctx *ctx, int fd);

/* Whether a file may be made at path. store_path is where the same run makes a store, NULL for none.
 * By what is known now: ask again before the file gets its name. */
enum tc_outfile_conflict tc_outfile_check(
	struct tc_ctx *ctx, const char *path, const char *store_path);

/*
 * Makes an empty file that will be path. A symbolic link is followed, also to where nothing is yet.
 * TC_ERR_IO when no file can be made there, or when the one that is there may not be written or its
 * owner cannot be kept. *out is owned by the caller.
 */
enum tc_status tc_outfile_open(struct tc_outfile **out, struct tc_ctx *ctx, const char *path);

/* The descriptor to write to. Borrowed. */
int tc_outfile_fd(const struct tc_outfile *file);

/* Waits until the bytes are on the disk and gives the file its name, with the mode, owner, group
 * and access list of the one that it replaces. On failure what was there stays. */
enum tc_status tc_outfile_publish(struct tc_outfile *file, struct tc_ctx *ctx);

/* Closes the file; unless it was published, nothing of it is left. NULL is fine. */
void tc_outfile_close(struct tc_outfile *file);

#ifdef __cplusplus
}
#endif

#endif

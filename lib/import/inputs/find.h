/*
 * Finding jobs: the traces in and below directories, put together by directory and run
 * (names/run.h). analysis/ranks.c finds which of them are ranks of one job, from their contents.
 */
#pragma once

#include "core/buf.h"
#include "core/collections/arena.h"
#include "tracecoach/context.h"

/* A file that is called like a trace. */
struct tc_found_trace {
	const char *path;   /* below the root */
	int64_t size_bytes; /* 0 when the file is not there, as behind a link that leads nowhere */
	int64_t mtime_ns;   /* ns since 1970; 0 when the file is not there */
	bool is_special;    /* a pipe or device, which opening may wait for */
	int64_t rank;       /* in a world of several, as its head says; else TC_NO_RANK */
};

#define TC_NO_RANK INT64_MAX /* comes last */

/* The traces of one directory, or of one run where a directory has several: files of several names
 * that are not the ranks of one world. */
struct tc_found_job {
	const char *path; /* the directory below the root, "." for the root itself; with a colon and
		       the name of the run behind it where the directory has several */
	struct tc_found_trace *traces; /* by rank, then by path */
	size_t trace_count;
};

struct tc_found_reason {
	const char *path, *reason;
};

struct tc_find_options {
	/* Not NULL: true for a directory that is not to be looked into. */
	bool (*is_skipped)(void *user, const char *path);
	void *user;
	/* Not NULL: false for a file that is called like a trace and is to be left for later. */
	bool (*is_ready)(void *user, const char *path, int64_t size_bytes, int64_t mtime_ns);
	void *ready_user;
	bool apart;                 /* each trace is a job, called as its path is */
	int64_t shard, shard_count; /* only jobs of this shard, from 0; all jobs for a count of 0 */
	bool by_name;               /* do not look into files: all may be traces */
};

struct tc_found {
	struct tc_arena arena;     /* of all texts, and of the traces of jobs */
	const char *root;          /* the directory that all other paths are relative to */
	struct tc_found_job *jobs; /* by path */
	size_t job_count, job_capacity;
	struct tc_found_reason *left_out; /* directories that could not be read, by path */
	size_t left_out_count, left_out_capacity;
};

/*
 * Finds the jobs in and below count directories and files. Directories whose names start with a
 * dot, links to directories, and directories for which options->is_skipped is true are not looked
 * into. Files that are called like traces and are other JSON are noted. The caller's, to be freed;
 * NULL on failure: TC_ERR_READ when one of paths cannot be read. Directories below one that cannot
 * be read are in left_out.
 */
struct tc_found *tc_find_jobs(struct tc_ctx *ctx, const char *const *paths, size_t count,
	const struct tc_find_options *options);
void tc_found_free(struct tc_found *found); /* NULL is fine */

/* Whether the file at path is JSON of another kind than a trace. *rank, unless it is NULL, is that
 * of the trace in a world of several, as its head says, else TC_NO_RANK. */
bool tc_find_is_other_json(int64_t *rank, struct tc_ctx *ctx, const char *path);

/* Sets path to a place below the root as the system knows it; NULL when memory is out. */
const char *tc_found_path(struct tc_buf *path, const char *root, const char *name);

/*
 * Fleets: many jobs at once. A batch reads the traces of many jobs into an index, one SQLite file
 * with the tables of docs/index-schema.md. See docs/fleet.md.
 */
#ifndef TRACECOACH_FLEET_H
#define TRACECOACH_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecoach/context.h"
#include "tracecoach/report.h"
#include "tracecoach/settings.h"
#include "tracecoach/store.h"

TC_PUBLIC_BEGIN

/* application_id of every index: "TrCI". The version of its schema is its user_version. */
#define TC_INDEX_APPLICATION_ID 0x54724349

/* The name of the index in the directory that a batch writes to. */
#define TC_INDEX_NAME "index.db"

/* The most shards a batch may have. */
#define TC_SHARD_MAX_COUNT 1000000

/* Whether it is an index of any version, or a directory with one named TC_INDEX_NAME. */
bool tc_index_is(const char *path);

/* Opens an index, or the one in a directory, read-only and guarded as a store is: everything of
 * store.h and query.h works on it but what asks for the tables of traces. *out is owned by the
 * caller. */
enum tc_status tc_index_open(struct tc_store **out, struct tc_ctx *ctx, const char *path);

struct tc_fleet;

/* Texts are borrowed until the batch is closed. */
struct tc_fleet_options {
	size_t size; /* of this struct for the caller, which is then checked; 0: not checked */
	const char *const *paths; /* directories and files */
	size_t path_count;
	const char *out;     /* the directory for the index; made when it is not there */
	int64_t shard;       /* read only the jobs of this shard, from 0, ... */
	int64_t shard_count; /* ... of so many; 0 for all jobs */
	bool keep_stores;    /* keep store, JSON report and page of each job, in OUT/jobs/ */
	bool no_side_files;  /* do not look for side files beside traces */
	const char *device, *peaks_path; /* whose peaks count, as in struct tc_import_options */
	bool inline_stages;              /* read each job on one thread; the same result */
	int process_count; /* that read jobs at once; they use more threads only when there
				   are fewer jobs. 0 for one */
	const struct tc_settings *settings;
	/* What is said of jobs whose job.ini does not say it: their owner, the commit of their code
	 * (NULL: nothing), and what a device hour costs (0: nothing). */
	const char *owner, *commit;
	double price;
	/* Not NULL: false for a trace that is left for later, as if it were not there. Its path is
	 * below the root. */
	bool (*is_ready)(void *user, const char *path, int64_t size_bytes, int64_t mtime_ns);
	void *ready_user;
	bool apart; /* each trace is a job, called as its path is */
};

/* The work of a batch, and how much of it is done. */
struct tc_fleet_counts {
	const char *root, *index_path;  /* what paths are relative to, and where the index will be;
					   borrowed until the batch is closed */
	int64_t job_count, trace_count; /* all that were found */
	int64_t wanted_job_count, wanted_trace_count, wanted_bytes; /* those to be read */
	int64_t read_job_count, read_bytes;                         /* those that were, of these */
	int64_t read_trace_count, left_out_count; /* traces of them by how that ended */
};

/*
 * Finds the jobs, and which of them are to be read: not those whose traces are as they were when a
 * batch with the same settings read them into the index, or into the log of a batch that was ended
 * before it wrote its index. *out is owned by the caller.
 */
enum tc_status tc_fleet_open(
	struct tc_fleet **out, struct tc_ctx *ctx, const struct tc_fleet_options *options);
/* Keeps what was read for the next batch, unless it was finished. NULL is fine. */
void tc_fleet_close(struct tc_fleet *batch);

const struct tc_fleet_counts *tc_fleet_count(const struct tc_fleet *batch);

/* Gives the next job to read; false when there is none. */
bool tc_fleet_next(struct tc_fleet *batch, size_t *job);
size_t tc_fleet_job_traces(const struct tc_fleet *batch, size_t job);

/* Who reads a job hears of each trace, counted from 0, before it is read, and at the end of what
 * was read, for tc_fleet_take(). The bytes are borrowed for the call. */
struct tc_fleet_reader {
	void (*begin)(void *user, size_t trace);
	void (*done)(void *user, const char *bytes, size_t len);
	void *user;
};

/*
 * Reads a job. It changes nothing of the batch, so that it can be called in a child process, which
 * may die of a damaged trace or have limits. The context loses its hook for notes. TC_ERR_IO where
 * the system kept it from reading (no room in TMPDIR): then it has said, too, what was read.
 */
enum tc_status tc_fleet_read(
	struct tc_fleet *batch, size_t job, const struct tc_fleet_reader *reader);

/* For a child process that only reads: gives up what other batches wait for. */
void tc_fleet_detach(struct tc_fleet *batch);

/* Takes what was read of a job, and keeps it, whatever happens afterwards. */
enum tc_status tc_fleet_take(struct tc_fleet *batch, size_t job, const char *bytes, size_t len);
/* Says that a job could not be read because of a trace, or, for a number that is none of its
 * traces, because of all. tc_fleet_next() gives the job again; the trace is then not read but
 * noted, and left for the next batch. */
enum tc_status tc_fleet_stop(struct tc_fleet *batch, size_t job, size_t trace, const char *reason);

/* Writes the index, when all jobs are read. */
enum tc_status tc_fleet_finish(struct tc_fleet *batch);

/* Reports each trace and directory of an index that is not done; *done_count is that of the traces
 * that are. */
enum tc_status tc_index_left_out(int64_t *done_count, struct tc_ctx *ctx, struct tc_store *index,
	void (*hear)(void *user, const char *path, const char *reason), void *user);

/* The jobs and shards of a merge. */
struct tc_merge_counts {
	int64_t job_count;
	int64_t replaced_job_count;  /* jobs that an index named later has as well */
	int64_t missing_shard_count; /* shards of the batch that are not among the indexes */
};

/*
 * Joins the indexes of shards, or of batches over the same root, into one at path: the same rows as
 * one batch over all would have made. A directory stands for the indexes of shards in it, or else
 * for its index. Of a job in several the one named last counts. TC_ERR_USAGE
 * when they are of different programs, settings or roots.
 */
enum tc_status tc_index_merge(struct tc_merge_counts *counts, struct tc_ctx *ctx,
	const char *const *paths, size_t count, const char *path);

/* ---- Watching a directory that fills up. */

struct tc_watch;

struct tc_watch_options {
	size_t size; /* of this struct for the caller, which is then checked; 0: not checked */
	const char *directory, *out; /* as paths and out of the batches; borrowed */
	int64_t settle_ns;           /* a trace is complete when it did not change for so long */
	int64_t poll_ns; /* look so often instead of waiting for the system to tell; 0: both */
	int64_t most;    /* traces that are handed to one batch */
};

/* Begins with what the index in `out` has: that is known. The directory `out` is made, and batches
 * without this is_ready are kept out of it until the watch is closed; TC_ERR_USAGE when another
 * process writes there. *out is owned by the caller. */
enum tc_status tc_watch_open(
	struct tc_watch **out, struct tc_ctx *ctx, const struct tc_watch_options *options);
void tc_watch_close(struct tc_watch *watch); /* NULL is fine */

/*
 * Looks through the directory. *ready_count is that of new traces that a batch with
 * tc_watch_is_ready() will read: they kept their size and time while they settled, and their text
 * goes to its end. One that ends early is ready when it did not change for twelve times as long.
 * What changes after it was read is new again.
 */
enum tc_status tc_watch_look(int64_t *ready_count, struct tc_watch *watch);
/* For is_ready and ready_user of a batch: what was ready at the last look, and what is known. */
bool tc_watch_is_ready(void *watch, const char *path, int64_t size_bytes, int64_t mtime_ns);
/* Waits until it may be worth looking again, or the context is interrupted. */
void tc_watch_wait(struct tc_watch *watch);
/* Writes a line for each trace that the index, made by such a batch, has anew: its step,
 * the change since the last of its run, and the first fix. From now on they are known. */
enum tc_status tc_watch_tell(
	struct tc_watch *watch, struct tc_store *index, tc_write_fn write, void *user);

TC_PUBLIC_END

#endif

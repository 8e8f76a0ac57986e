/* A batch as the files of this room see it, and the state of its jobs. See tracecoach/fleet.h. */
#ifndef TC_FLEET_BATCH_STATE_H
#define TC_FLEET_BATCH_STATE_H

#include "core/buf.h"
#include "fleet/batch/record_log.h"
#include "fleet/index/index_reader.h"
#include "fleet/index/index_writer.h"
#include "import/inputs/find.h"
#include "tracecoach/advice.h"
#include "tracecoach/fleet.h"
#include "tracecoach/store.h"

/* Where the rows of a job come from. */
enum tc_fleet_source {
	TC_FLEET_WANTED, /* has to be read */
	TC_FLEET_GIVEN,  /* is being read */
	TC_FLEET_OLD,    /* the index of the last batch */
	TC_FLEET_LOG     /* the log of this one */
};

struct tc_fleet_job {
	enum tc_fleet_source source;
	int64_t place;  /* job.id in the old index, or place in the log */
	bool touched;   /* its rows have the same content but other times */
	char **stopped; /* NULL, or for each trace NULL or why this run does not read it */
};

struct tc_fleet {
	struct tc_ctx *ctx;
	struct tc_fleet_options options; /* borrowed texts */
	struct tc_found *found;
	struct tc_index_facts facts;
	struct tc_fleet_job *jobs; /* parallel to found->jobs */
	size_t next;               /* no job before this one is wanted */
	char *index_path, *log_path;
	struct tc_store *old;   /* the index of the last batch; NULL when it is of no use */
	struct tc_ctx *old_ctx; /* context of `old`: its errors do not fail the batch */
	struct tc_index_reader *reader;
	struct tc_record_log *log;
	bool is_published; /* the log is no longer needed */
	struct tc_fleet_counts counts;
	int64_t now_ns;
};

/* ---- same.c: whether the rows of a job are still valid. */

/* Whether the record still describes the files of a job. *touched: their times changed, but not
 * their content. */
bool tc_fleet_same(bool *touched, struct tc_fleet *batch, size_t job, struct tc_text record);

/* The hash of a file's bytes. False when they cannot be read. */
bool tc_fleet_hash_file(uint64_t *out, struct tc_ctx *ctx, const char *path);
/* The hash of names, sizes and times of side files beside a trace; 0 without any. */
uint64_t tc_fleet_hash_side(const struct tc_fleet *batch, const char *path);

/* ---- keep.c: the files that a batch keeps of a job besides its rows: the store, the JSON report
 * and the HTML page, as far as the user wants them. */

#define TC_KEEP_REPORTS 2

struct tc_keep {
	struct tc_ctx *ctx;
	char *store_path, *report_paths[TC_KEEP_REPORTS]; /* NULL when it is not kept */
};

/* Chooses the paths below OUT/jobs and makes their directories. */
enum tc_status tc_keep_open(
	struct tc_keep *keep, const struct tc_fleet *batch, const struct tc_found_job *job);
/* Writes the wanted reports of a store. */
enum tc_status tc_keep_reports(
	struct tc_keep *keep, struct tc_store *store, const struct tc_advice *advice);
void tc_keep_clear(struct tc_keep *keep);

/* True when the store of a job exists or is not wanted. */
bool tc_keep_is_there(const struct tc_fleet *batch, const struct tc_found_job *job);

/* ---- rows.c: the rows of one job, between its store and its record. */

/* Facts about a trace that its store does not have. */
struct tc_trace_rows {
	const char *path; /* below the root */
	char *full_path;
	int64_t size_bytes, mtime_ns, changed_ns, content_hash, side_hash;
	/* the file could not be read; that may change while the file stays the same */
	bool is_unreadable;
	const char *state; /* NULL: done, or not known yet */
	char *reason;
	int64_t trace_id; /* in the store, or -1 */
	int64_t group;    /* first trace of the ranks recorded with it, or -1 */
	bool is_judged;   /* its report has a verdict */
	int64_t step_ns, wall_ns;
};

struct tc_job_rows {
	struct tc_ctx *ctx;
	const struct tc_settings *settings;
	const char *path;
	struct tc_trace_rows *traces;
	size_t count;
	int64_t pace; /* number of the trace that stands for the job, or -1 */
};

/* Sets the state of a trace that is not done. Without memory the reason is missing. */
void tc_trace_rows_end(struct tc_trace_rows *trace, const char *state, const char *reason);

/* Reads from a store which traces it has, why others are missing, which are ranks of one job, and
 * which one stands for the job. */
enum tc_status tc_job_rows_ask(struct tc_job_rows *rows, struct tc_store *store);

/* Appends the record of the job. store and advice may be NULL when no trace is in a store. */
enum tc_status tc_job_rows_record(struct tc_buf *record, struct tc_job_rows *rows,
	struct tc_store *store, const struct tc_advice *advice);

void tc_job_rows_clear(struct tc_job_rows *rows);

#endif

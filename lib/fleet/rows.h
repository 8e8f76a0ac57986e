/* The rows of one job, on their way from its store into a record. */
#ifndef TC_FLEET_ROWS_H
#define TC_FLEET_ROWS_H

#include "core/buf.h"
#include "tracecoach/advice.h"
#include "tracecoach/store.h"

/* What is known of a trace beside what its store has. */
struct tc_trace_rows {
	const char *path; /* below the root */
	char *full_path;
	int64_t size_bytes, mtime_ns, changed_ns, content_hash, side_hash;
	bool is_unreadable; /* as a file; that may get better while the file stays as it is */
	const char *state;  /* NULL: not known yet, or done */
	char *reason;
	int64_t trace_id; /* in the store; -1 when it is not there */
	int64_t group;    /* first trace of the ranks recorded with it; -1 for none */
	int64_t step_ns, wall_ns;
};

struct tc_job_rows {
	struct tc_ctx *ctx;
	const struct tc_settings *settings;
	const char *path;
	struct tc_trace_rows *traces;
	size_t count;
	int64_t pace; /* the trace that stands for the job, counted within it; -1 for none */
};

/* Ends a trace that is not done. TC_OK; without memory the reason is missing. */
enum tc_status tc_trace_rows_end(
	struct tc_trace_rows *trace, const char *state, const char *reason);

/* Asks a store which of the traces are in it, why others are not, which of them are ranks of each
 * other and which one stands for the job. */
enum tc_status tc_job_rows_ask(struct tc_job_rows *rows, struct tc_store *store);

/* Appends the record of the job. store and advice may be NULL when no trace is in a store. */
enum tc_status tc_job_rows_record(struct tc_buf *record, struct tc_job_rows *rows,
	struct tc_store *store, const struct tc_advice *advice);

void tc_job_rows_clear(struct tc_job_rows *rows);

#endif

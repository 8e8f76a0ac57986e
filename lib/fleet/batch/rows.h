/* The rows of one job, between its store and its record. */
#ifndef TC_FLEET_BATCH_ROWS_H
#define TC_FLEET_BATCH_ROWS_H

#include "core/buf.h"
#include "tracecoach/advice.h"
#include "tracecoach/store.h"

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

/* The results of a replay, and the functions that write them. */
#ifndef TC_REPORT_WHATIF_WRITE_H
#define TC_REPORT_WHATIF_WRITE_H

#include "replay/whatif/path.h"
#include "replay/whatif/whatif.h"
#include "report/json/json_writer.h"
#include "report/text/sink.h"

struct tc_whatif_trace {
	int64_t trace_id;
	int64_t rank;    /* -1 for a trace that is no rank of a job */
	bool is_late;    /* nobody waits for it */
	int64_t wall_ns; /* of what was replayed */
	struct tc_won won;
	bool is_unknown; /* no gain is known: the trace lacks the calls that launch device work */
	const struct tc_path *before, *then; /* critical paths */
	const char *edit;                    /* several: with "; " between them */
};

/* The time before and after the edits: of a steady step, or of the recording if there is none. */
static inline int64_t tc_whatif_before_ns(const struct tc_won *won, int64_t wall_ns)
{
	return won->step_before_ns > 0 ? won->step_before_ns : wall_ns;
}

static inline int64_t tc_whatif_then_ns(const struct tc_won *won, int64_t wall_ns)
{
	return won->step_before_ns > 0 ? won->step_after_ns : wall_ns - won->gain_ns;
}

/* The ranks of a job together: the gain of the ranks that others still wait for. */
struct tc_whatif_job {
	int64_t job_id;
	size_t rank_count, late_count;
	int64_t wall_ns; /* of the recording that the gain is of */
	struct tc_won won;
	bool is_unknown; /* the gain of some rank is unknown, so that of the job is, too */
};

/* Edits as they are in tc_whatif_trace, a line each. */
void tc_whatif_edits_text(struct tc_sink *sink, struct tc_text edits);
void tc_whatif_text(struct tc_sink *sink, const struct tc_whatif_trace *trace, struct tc_text path);
void tc_whatif_job_text(struct tc_sink *sink, const struct tc_whatif_job *job);
/* Both write members into the open object. */
void tc_whatif_json(struct tc_json *json, const struct tc_whatif_trace *trace);
void tc_whatif_job_json(struct tc_json *json, const struct tc_whatif_job *job);

#endif

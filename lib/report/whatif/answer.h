/* What was asked, and the answer for a trace that was replayed. */
#ifndef TC_REPORT_WHATIF_ANSWER_H
#define TC_REPORT_WHATIF_ANSWER_H

#include <sqlite3.h>

#include "core/buf.h"
#include "replay/run/world.h"
#include "replay/whatif/path.h"
#include "replay/whatif/whatif.h"
#include "report/json/json_writer.h"
#include "report/text/sink.h"
#include "tracecoach/whatif.h"

/*
 * The results of a replay, and the functions that write them.
 *
 * The replay of a trace as text and as JSON.
 */

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
void tc_whatif_job_text(struct tc_sink *sink, const struct tc_whatif_job *job);
void tc_whatif_job_json(struct tc_json *json, const struct tc_whatif_job *job);

/* One what-if: all edits and fixes that were asked for. */
struct tc_whatif_asked {
	struct tc_ctx *ctx;
	struct tc_fixes
		*fixes; /* those of the settings, and the clauses of the edits behind theirs */
	struct tc_clause_set set;
	struct tc_buf text;
	struct tc_strtab kept; /* patterns of the edits */
};

/* Where the answers go. */
struct tc_whatif_output {
	struct tc_whatif_asked *asked;
	sqlite3 *db;
	enum tc_whatif_format format;
	struct tc_sink sink;
	struct tc_json json;
	int64_t slowest_before_ns, slowest_then_ns; /* of the ranks that are waited for */
	bool slowest_is_unknown;                    /* slowest_then_ns is unknown */
	struct tc_whatif_job *jobs;                 /* JSON only: written at the end */
	size_t job_count, job_capacity;
};

/* Finds the critical paths of a trace and whether its gain is known, and writes the answer. meets
 * is NULL unless ranks were replayed together. */
enum tc_status tc_whatif_answer(struct tc_whatif_output *output, struct tc_whatif_trace *trace,
	const struct tc_replay *replay, const struct tc_meets *meets);

/* ---- ranks.c: what-ifs of jobs: their ranks wait for each other. */

/* Replays the ranks of a job together and writes an answer for each. */
enum tc_status tc_whatif_ranks(struct tc_whatif_output *output, int64_t job_id);
/* Fails unless there is a trace for every rank that the edits name as never late. */
enum tc_status tc_whatif_check_ranks(struct tc_whatif_output *output);

#endif

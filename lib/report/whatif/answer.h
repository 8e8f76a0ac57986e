/* What was asked, and the answer for a trace that was replayed. */
#ifndef TC_REPORT_WHATIF_ANSWER_H
#define TC_REPORT_WHATIF_ANSWER_H

#include <sqlite3.h>

#include "core/buf.h"
#include "replay/run/world.h"
#include "report/whatif/write.h"
#include "tracecoach/whatif.h"

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

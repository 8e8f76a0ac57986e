/*
 * A report on an index: its jobs, and those of an earlier index. Everything is loaded (facts.c)
 * before anything is written (report.c, document.c); the size depends on the number of jobs, not of
 * traces.
 *
 * One trace, job.pace_trace_id, stands for a job and all its devices, because they run at the pace
 * of that rank. Hours are device hours per day, as if all jobs ran all day as recorded: the share
 * of the analysed time, times devices, times 24.
 */
#pragma once

#include "core/collections/arena.h"
#include "core/collections/strtab.h"
#include "report/compare/compare.h"
#include "report/doc/doc.h"
#include "tracecoach/fleet_report.h"

/* A fix that a job needs. */
struct tc_fleet_fired {
	uint32_t heuristic;
	/* in the trace that stands for the job; 0 when only others have the finding */
	int64_t gain_ns;
};

/* Rows of a list. */
struct tc_fleet_range {
	size_t first, count;
};

struct tc_fleet_job {
	int64_t id;
	uint32_t path, name; /* numbers of texts; the name is the last component of the path */
	uint32_t device, vendor, reason; /* TC_STRTAB_NONE for none; the device of a trace that does
					    not name it is its vendor */
	int64_t rank_count;              /* as its traces record it; 0 when they do not */
	int64_t trace_count, failed_count, device_count;
	bool is_done;                /* at least one trace was read */
	bool is_damaged;             /* a part of one of its traces was lost */
	bool is_judged;              /* it has device work and shows enough of its run, so the times
					below are the run's */
	int64_t wall_ns;             /* analysed; 0 when unknown */
	int64_t idle_ns;             /* no device works */
	int64_t lost_ns;             /* no device computes: it is idle, copies or communicates */
	int64_t blind_count;         /* heuristics that were not applicable, over its traces */
	struct tc_spread steps;      /* of its ranks, without warm-up; zeros when there are none */
	struct tc_fleet_fired best;  /* ranked first; its heuristic is TC_STRTAB_NONE for none */
	struct tc_fleet_range fired; /* of the side's fired[] */
};

struct tc_fleet_side {
	struct tc_store *index; /* NULL when there is no such index */
	const char *path;
	uint32_t version;
	int64_t settings_hash;
	struct tc_fleet_job *jobs; /* by path */
	size_t job_count, job_capacity;
	struct tc_fleet_fired *fired; /* by job, then in the order of the heuristics */
	size_t fired_count, fired_capacity;
};

/* One heuristic over all jobs. */
struct tc_fleet_advice {
	uint32_t heuristic, title;
	int64_t job_count;
	double hours;
	size_t most;       /* the job in which it gains most */
	double most_hours; /* in that job */
	/* jobs of both indexes in which the finding is new, or gone */
	int64_t new_count, gone_count;
	/* gone, but more heuristics were not applicable than before */
	int64_t unsure_count;
	size_t new_job, gone_job; /* the first job of each */
};

/* How a job changed. */
struct tc_fleet_change {
	size_t before;  /* index of the earlier job; SIZE_MAX: the job is new */
	bool has_steps; /* both sides have steps, so the comparison is valid */
	struct tc_compare_result result;
};

struct tc_fleet {
	struct tc_arena arena;
	struct tc_ctx *ctx;
	const struct tc_fleet_report_input *input;
	const struct tc_report_options *options;
	struct tc_strtab texts;
	struct tc_fleet_side sides[TC_COMPARE_SIDES];
	struct tc_fleet_advice *advice; /* of the later side, most hours first */
	size_t advice_count, advice_capacity;
	/* by job of the later side; NULL without an earlier index */
	struct tc_fleet_change *changes;
	size_t gone_count; /* jobs of the earlier index that no longer exist */
	struct tc_fleet_report_result result;
	bool has_links; /* the format is HTML: jobs link to their pages */
};

static inline struct tc_text tc_fleet_text(const struct tc_fleet *fleet, uint32_t number)
{
	return number == TC_STRTAB_NONE ? TC_TEXT("") : tc_strtab_at(&fleet->texts, number);
}

/* Fills the sides from their indexes, matches their jobs, finds the changes, and collects advice
 * over all jobs. */
void tc_fleet_load(struct tc_fleet *fleet);
void tc_fleet_clear(struct tc_fleet *fleet);

/* Whether the job's times are those of its run, so that it can be compared with others. */
bool tc_fleet_has_hours(const struct tc_fleet_job *job);
/* The mean step of a job, which all parts of a report show; 0 without steps. */
int64_t tc_fleet_step_ns(const struct tc_fleet_job *job);
/* Device hours per day for a time of a job; 0 when it has none. */
double tc_fleet_hours(const struct tc_fleet_job *job, int64_t ns);

/* Appends, to an empty text, why a job does other work than before; nothing where it does not. */
void tc_fleet_append_reason(struct tc_buf *buf, const struct tc_fleet *fleet, size_t index);

/* Writes the report as a document, or as a page whose jobs link to their own pages. */
void tc_fleet_write_document(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout);

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

#include "core/array.h"
#include "core/collections/arena.h"
#include "core/collections/strtab.h"
#include "report/compare/compare.h"
#include "report/doc/doc.h"
#include "tracecoach/fleet_report.h"

/* A fix that a job needs. */
struct tc_fleet_fired {
	uint32_t heuristic;
	bool has_gain; /* it is known, in the trace that stands for the job */
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
	struct {
		uint32_t owner, revision; /* TC_STRTAB_NONE: nobody said */
		double price;             /* of a device hour; below 0: nobody said */
		bool is_asked;            /* the options choose it by these, or by its device */
	} notes;
	int64_t rank_count; /* as its traces record it; 0 when they do not */
	int64_t trace_count, failed_count, device_count;
	bool is_done;    /* at least one trace was read */
	bool is_damaged; /* a part of one of its traces was lost */
	bool is_judged;  /* it has device work and shows enough of its run, so the times
			    below are the run's */
	struct {
		int64_t wall_ns;     /* analysed; 0 when unknown */
		int64_t run_ns;      /* without start and end of a recording without steps */
		int64_t idle_ns;     /* of run_ns: no device works */
		int64_t lost_ns;     /* no device computes: it is idle, copies or communicates */
	};                           /* times of the trace that sets the pace */
	int64_t blind_count;         /* heuristics that were not applicable, over its traces */
	struct tc_spread steps;      /* of the trace that sets the pace, without warm-up; zeros when
					there are none */
	struct tc_fleet_fired best;  /* ranked first; its heuristic is TC_STRTAB_NONE for none */
	struct tc_fleet_range fired; /* of the side's fired[] */
	struct tc_fleet_range ranks; /* of the side's ranks[]: whose traces have steps */
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
	int64_t *ranks; /* by job, then ascending */
	size_t rank_count, rank_capacity;
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
	size_t before;                     /* index of the earlier job; SIZE_MAX: the job is new */
	bool has_steps;                    /* both sides have steps, so the comparison is valid */
	bool has_failed;                   /* it is slower by the limit of the input or more */
	int64_t step_ns[TC_COMPARE_SIDES]; /* the times that are judged; with has_steps */
	struct tc_compare_result result;
};

/* Since when a job takes as long as it does now. */
struct tc_fleet_level {
	bool is_judged; /* a night has steps enough of the same work */
	size_t since;   /* the first night from which on no night differs from now */
	size_t before; /* the last night against which it is slower or faster now; SIZE_MAX: none */
	struct tc_fleet_change change;        /* against that night */
	uint32_t revisions[TC_COMPARE_SIDES]; /* commits of that night and of since; or
						 TC_STRTAB_NONE */
	const char *since_text; /* that night, with the commits where both are known */
};

/* The steps of jobs over nights: the earlier indexes, and the later side as the last one. */
struct tc_fleet_trend {
	size_t count;           /* of nights */
	struct tc_text *nights; /* names: the last parts of their paths where these differ */
	int64_t *step_ns;       /* mean steps by job of the later side, then by night; 0: none */
	struct tc_fleet_level *levels; /* by job of the later side */
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
	struct tc_fleet_trend *trend; /* NULL without nights */
	size_t gone_count;            /* jobs of the earlier index that no longer exist */
	struct tc_fleet_report_result result;
	bool has_prices; /* a job of the later side has one */
	bool has_links;  /* the format is HTML: jobs link to their pages */
	bool is_short;   /* a document of a few lines, for a chat */
};

static inline struct tc_text tc_fleet_text(const struct tc_fleet *fleet, uint32_t number)
{
	return number == TC_STRTAB_NONE ? TC_TEXT("") : tc_strtab_at(&fleet->texts, number);
}

/* Fills the sides from their indexes, matches their jobs, finds the changes, and collects advice
 * over all jobs. */
void tc_fleet_load(struct tc_fleet *fleet);
void tc_fleet_clear(struct tc_fleet *fleet);

/* Device hours per day that a change costs, with its sign, if the job runs all day. */
double tc_fleet_change_hours(const struct tc_fleet_job *job, const struct tc_fleet_change *change);

/* Whether the job's times are those of its run, so that it can be compared with others. */
bool tc_fleet_has_hours(const struct tc_fleet_job *job);
/* The mean step of a job, which all parts of a report show; 0 without steps. */
int64_t tc_fleet_step_ns(const struct tc_fleet_job *job);
/* Device hours per day for a time of a job; 0 when it has none. */
double tc_fleet_hours(const struct tc_fleet_job *job, int64_t ns);

/* The fix that a job of the side needs, by its heuristic; NULL where it does not. */
static inline const struct tc_fleet_fired *tc_fleet_find_fired(
	const struct tc_fleet_side *side, const struct tc_fleet_job *job, uint32_t heuristic)
{
	for (size_t i = 0; i < job->fired.count; i++)
		if (side->fired[job->fired.first + i].heuristic == heuristic)
			return &side->fired[job->fired.first + i];
	return NULL;
}

/* Whether the report is about a job of the side: all are, but for options that choose. */
static inline bool tc_fleet_is_chosen(const struct tc_fleet_side *side, int64_t id)
{
	size_t at;

	TC_BISECT(at, side->job_count, side->jobs[at].id < id);
	return at < side->job_count && side->jobs[at].id == id;
}

/* What so many device hours of a job cost; 0 without a price. */
double tc_fleet_cost(const struct tc_fleet_job *job, double hours);

/* Appends "4.884 ms a step before, 8.156 ms now (+67.0 %), so since day-3": a change of a job. */
void tc_fleet_append_change(struct tc_buf *buf, const struct tc_fleet *fleet, size_t index,
	const struct tc_fleet_change *change);
/* Appends, to an empty text, why a job does other work than before; nothing where it does not. */
void tc_fleet_append_reason(struct tc_buf *buf, const struct tc_fleet *fleet, size_t index);

/* Writes the report as a document, or as a page whose jobs link to their own pages. */
void tc_fleet_write_document(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout);

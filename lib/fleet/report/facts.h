/*
 * What a report on an index says, as numbers: its jobs, and those of an earlier index. Loaded
 * before anything is written; its size goes by the number of jobs, not of traces.
 *
 * One trace stands for a job, that of job.pace_trace_id, for all its devices: they work at the
 * pace of that rank. Hours are device hours a day, were all jobs to run all day as recorded: the
 * share of the analysed time, times devices, times 24.
 */
#ifndef TC_FLEET_REPORT_FACTS_H
#define TC_FLEET_REPORT_FACTS_H

#include "core/strtab.h"
#include "report/compare/facts.h"
#include "tracecoach/fleet_report.h"

struct tc_fleet_job {
	int64_t id;
	uint32_t path, name;     /* numbers of texts; the name is the last component of the path */
	uint32_t device, reason; /* TC_STRTAB_NONE for none */
	int64_t trace_count, failed_count, device_count;
	bool is_done;    /* at least one trace was read */
	bool has_device; /* it shows device work, and below how much of the time that takes */
	int64_t wall_ns; /* analysed; 0 when not known */
	int64_t step_ns; /* mean step; 0 without steps */
	int64_t idle_ns; /* no device works */
	int64_t lost_ns; /* no device computes: idle, and copies and communication under nothing */
	int64_t blind_count;             /* heuristics that could not look, over its traces */
	struct tc_spread steps;          /* other than warm-up; zeros without any */
	uint32_t fix;                    /* heuristic ranked first; TC_STRTAB_NONE for none */
	int64_t gain_ns;                 /* what it wins back */
	size_t first_fired, fired_count; /* of the side's fired[] */
};

/* A fix that was found in a job. */
struct tc_fleet_fired {
	uint32_t heuristic;
	int64_t gain_ns; /* in the trace that stands for the job; 0 when it was found in others */
};

struct tc_fleet_side {
	struct tc_store *index; /* NULL: there is none */
	const char *path;
	uint32_t version;
	int64_t settings_hash;
	struct tc_fleet_job *jobs; /* by path */
	size_t job_count, job_capacity;
	struct tc_fleet_fired *fired; /* by job, then in the order of the heuristics */
	size_t fired_count, fired_capacity;
};

/* A heuristic over all jobs. */
struct tc_fleet_advice {
	uint32_t heuristic, title;
	int64_t job_count;
	double hours;
	size_t most;                   /* the job in which it wins most */
	double most_hours;             /* there */
	int64_t new_count, gone_count; /* jobs of both indexes in which it is new, or gone */
	int64_t unsure_count;          /* gone, where more heuristics could not look than before */
	size_t new_job, gone_job;      /* the first of these */
};

/* What became of a job. */
struct tc_fleet_change {
	size_t before;  /* among the earlier jobs; SIZE_MAX: it is new */
	bool has_steps; /* on both sides: the result says something */
	struct tc_compare_result result;
};

struct tc_fleet {
	struct tc_ctx *ctx;
	const struct tc_fleet_report_input *input;
	const struct tc_report_options *options;
	struct tc_strtab texts;
	struct tc_fleet_side sides[TC_COMPARE_SIDES];
	struct tc_fleet_advice *advice; /* of the later side; most hours first */
	size_t advice_count, advice_capacity;
	struct tc_fleet_change *changes; /* by job of the later side; NULL without an earlier one */
	size_t gone_count;               /* jobs of the earlier side that are not there any more */
	struct tc_fleet_report_result result;
	bool has_links; /* the format is a page: jobs lead to their pages */
};

static inline struct tc_text tc_fleet_text(const struct tc_fleet *fleet, uint32_t number)
{
	return number == TC_STRTAB_NONE ? TC_TEXT("") : tc_strtab_at(&fleet->texts, number);
}

/* Device hours a day of so much of the time of a job; 0 where its time is not known. */
double tc_fleet_hours(const struct tc_fleet_job *job, int64_t ns);

/* Fills the side from its index. */
enum tc_status tc_fleet_load(struct tc_fleet *fleet, enum tc_compare_index side);
/* When both sides are there: which job is which, and what changed. Then advice over all jobs. */
enum tc_status tc_fleet_relate(struct tc_fleet *fleet);
void tc_fleet_clear(struct tc_fleet *fleet);

#endif

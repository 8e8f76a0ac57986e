/*
 * Reports on indexes (fleet.h): many jobs on one page, what became slower or faster since an
 * earlier index, and two indexes job against job. See docs/fleet.md.
 */
#ifndef TRACECOACH_FLEET_REPORT_H
#define TRACECOACH_FLEET_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecoach/advice.h"
#include "tracecoach/compare.h"
#include "tracecoach/fleet.h"
#include "tracecoach/report.h"

TC_PUBLIC_BEGIN

/* The indexes, and how to show them; all borrowed for the call. */
struct tc_fleet_report_input {
	struct tc_store *index;
	const char *path;       /* as the user named it */
	struct tc_store *since; /* an earlier index, or NULL */
	const char *since_path;
	/* Earlier indexes, the oldest first, by their paths as tc_index_open() takes them: since
	 * when jobs take as long as they do now. Each is opened for its turn. */
	const char *const *nights;
	size_t night_count;
	int group_by;      /* leading components of paths that make a group; 0: every job a row */
	bool only_changes; /* nothing but what differs from the earlier index */
	/* Only the jobs of this owner, and those on devices with this in their name, in either
	 * case; NULL: all. */
	const char *owner, *device;
	struct tc_slower_limit slower; /* a job that is slower by as much has failed */
};

/* The facts that gates decide by. */
struct tc_fleet_report_result {
	double slower_pct;     /* by which the job that became slower most did so; 0 for none */
	size_t slower_count;   /* jobs that failed: slower by the limit or more */
	size_t judged_count;   /* jobs of both indexes that were compared */
	size_t unjudged_count; /* jobs of both indexes whose steps are too few to judge */
	/* jobs of both indexes that ran on other devices or in other numbers of ranks, not judged
	 */
	size_t other_work_count;
	size_t damaged_count; /* jobs of both indexes of which a part was lost, not judged */
	bool has_judged; /* a job shows enough device work; without one, severities mean nothing */
	int64_t fault_count; /* traces in which a check failed */
	bool has_finding;
	enum tc_severity worst; /* of all findings of all traces */
};

struct tc_fleet_writer;

struct tc_fleet_format {
	const char *name; /* value of --format */
	const char *help;
	const struct tc_fleet_writer *writer;
	bool needs_since; /* it says what changed: TC_ERR_USAGE without an earlier index */
};

/* The formats, *count of them: text first. */
const struct tc_fleet_format *tc_fleet_formats(size_t *count);

/* Writes the report and fills *result. options->step and rank are ignored. */
enum tc_status tc_fleet_report(struct tc_fleet_report_result *result, struct tc_ctx *ctx,
	const struct tc_fleet_report_input *input, const struct tc_fleet_format *format,
	const struct tc_report_options *options, const struct tc_compare_output *output);

TC_PUBLIC_END

#endif

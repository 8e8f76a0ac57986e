/*
 * Host tally: where the time of the launching threads goes, over all steps and in each.
 *
 * Waterfall: each instant belongs to one category, the role of highest priority (order of
 * roles.def) that any launching thread is in, or OTHER when none is in a role. So the own times of
 * all categories add up to the window. Exposed time is the part in which no device works. Unions
 * and counts of single roles cover the counted threads (see survey.h).
 */
#ifndef TC_ANALYSIS_HOST_HOST_TALLY_H
#define TC_ANALYSIS_HOST_HOST_TALLY_H

#include "analysis/host/host_state.h"
#include "analysis/metrics.h"
#include "analysis/steps/windows.h"
#include "core/collections/arena.h"

struct tc_host_window {
	int64_t own_ns[TC_ROLE_COUNT], exposed_ns[TC_ROLE_COUNT];
	int64_t union_ns[TC_ROLE_COUNT], count[TC_ROLE_COUNT];
};

struct tc_host_tally {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	struct tc_interval *windows; /* the steps, or all host time as the only one */
	size_t window_count;
	bool has_steps;
	size_t *by_end; /* windows with a duration, by their ends */
	size_t end_count;
	size_t next_start, next_end; /* boundaries passed */
	size_t open_count;
	struct tc_host_window run;   /* while any window is open */
	struct tc_host_window *each; /* by window; of an open one, run as it was at its start */
	int64_t compile_after_warm_up_count;
	int64_t since_ns, idle_since_ns; /* counted until then */
};

enum tc_status tc_host_tally_init(struct tc_host_tally *tally, const struct tc_windows *windows,
	const struct tc_survey *survey);
void tc_host_tally_clear(struct tc_host_tally *tally);

/* True, and the next start or end of a window, when one is left. */
bool tc_host_tally_boundary(const struct tc_host_tally *tally, int64_t *time_ns);
/* Passes all boundaries at a time. The time before must have been counted. */
void tc_host_tally_pass(struct tc_host_tally *tally, int64_t time_ns);
/* Adds the time since the last call to what the threads were doing meanwhile. idle_ns is the
 * current reading of the idle clock. */
void tc_host_tally_book(struct tc_host_tally *tally, const struct tc_host_state *state,
	int64_t time_ns, int64_t idle_ns);
/* Counts an outermost slice that starts now on a counted thread. */
void tc_host_tally_count(struct tc_host_tally *tally, const struct tc_host_open *host);

void tc_host_tally_write(const struct tc_host_tally *tally, const struct tc_windows *windows,
	struct tc_metric_writer *writer);

#endif

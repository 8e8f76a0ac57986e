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
#include "core/sort/paged.h"
#include "store/tables.h"

/*
 * Host totals (table host_total): slices of all host threads by label. The own time of a slice is
 * the time in which it is the innermost of its track; exposed time is the part of the union of a
 * label's slices, within the windows of the host tally, in which no device works.
 */

struct tc_host_total {
	int64_t count, dur_ns, self_ns, self_exposed_ns, exposed_ns, idle_since_ns;
	int64_t optimizer_count; /* counts slices within the step of an optimizer, on its thread */
	uint32_t open_count;
	uint32_t outer;    /* index of outers[]; 0: every slice of the label counts there */
	bool is_launching; /* a counted thread ran some of it */
};

/* The same for slices not nested in another one of their mark on their track. */
struct tc_host_outer {
	int64_t count, dur_ns, exposed_ns, idle_since_ns;
	uint32_t open_count;
};

struct tc_host_totals {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	struct tc_paged labels;           /* struct tc_host_total, by label */
	struct tc_host_outer *outers;     /* from 1, of the labels that can nest in their mark */
	const struct tc_open **innermost; /* by track */
	int64_t *since_ns;                /* by track: since when that slice has been innermost */
	int64_t *since_idle_ns;           /* the idle time until then */
	uint32_t *open_optimizers;        /* by host thread: steps of optimizers */
};

enum tc_status tc_host_totals_init(
	struct tc_host_totals *totals, const struct tc_timeline *timeline);
void tc_host_totals_clear(struct tc_host_totals *totals);

/* A slice starts or ends; the host state is updated before. idle_ns is the idle time within
 * the windows until now. */
void tc_host_totals_start(struct tc_host_totals *totals, const struct tc_host_state *state,
	struct tc_host_open *host, int64_t idle_ns);
void tc_host_totals_end(struct tc_host_totals *totals, const struct tc_host_state *state,
	const struct tc_host_open *host, int64_t idle_ns);
void tc_host_totals_write(const struct tc_host_totals *totals, struct tc_tables *tables);

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

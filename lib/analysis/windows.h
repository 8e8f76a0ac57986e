/* Windows: the analysed wall time and the steps in it, and how long devices are idle in them (table
 * idle_total). */
#pragma once

#include "analysis/device_tally.h"
#include "analysis/intervals.h"
#include "analysis/metrics.h"
#include "core/collections/arena.h"

/* A start or an end of a step. */
struct tc_window_edge {
	int64_t time_ns;
	uint32_t step;
	bool is_end;
};

struct tc_windows {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	const struct tc_device_tally *devices; /* borrowed */
	struct tc_interval wall;   /* from the first step to the end of the last or its work */
	struct tc_interval *steps; /* host windows, by step */
	int64_t *sorted_ns;        /* room for a time of each step */
	int64_t *ends_ns;          /* latest end of the steps up to each */
	int64_t *tree_ns;  /* latest ends of steps: leaves behind leaf_count, each above two */
	size_t leaf_count; /* a power of 2 */
	struct tc_window_edge *edges; /* starts and ends of the steps, by time */
	int64_t median_ns, mean_ns;   /* of the steps' host durations */
	struct tc_interval_set host;  /* union of the steps */
	struct tc_idle_time *idle;    /* of devices in these; the host sweep fills it */
};

/* Needs the finished device sweep. tc_windows_clear() afterwards, also when the context has failed.
 */
void tc_windows_init(struct tc_windows *windows, const struct tc_device_tally *devices);
void tc_windows_clear(struct tc_windows *windows);

/* The number of step[] whose host window contains a time, -1 outside: the latest that started. */
int64_t tc_windows_step_at(const struct tc_windows *windows, int64_t time_ns);

/* step.id of the store for the index of a step; TC_NO_ID for -1, what is outside of steps. */
static inline int64_t tc_windows_step_id(const struct tc_timeline *timeline, int64_t step)
{
	return (uint64_t)step < timeline->step_count ? timeline->steps[step].id : TC_NO_ID;
}

/* Adds idle time of a tally: a cause or what else it may be. That of one tally comes in time order
 * and leaves out nothing between TC_TIME_FIRST and TC_TIME_LAST but what is busy. */
void tc_idle_add(const struct tc_windows *windows, const struct tc_gap *gap, int part,
	struct tc_interval interval);
/* A gap of a tally ends: what was added since the last call counts as one. */
void tc_idle_end_gap(const struct tc_windows *windows, const struct tc_gap *gap);
/* All time was added: writes idle_total. */
void tc_idle_write(const struct tc_windows *windows, struct tc_tables *tables);
/* Afterwards: how long devices are idle and busy, of the analysed time and of steps. */
void tc_idle_metrics(const struct tc_windows *windows, struct tc_metric_writer *writer);

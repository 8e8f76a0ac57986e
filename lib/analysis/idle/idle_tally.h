/*
 * Idle tally (table idle_total): the idle time of the analysed time by cause, of the whole and of
 * each step. Where gap_total has the gaps between the first and the last work, wherever they lie,
 * this is the time that the report calls idle: gaps as far as they lie in the analysed time, and
 * the time before the first and after the last work in it.
 */
#ifndef TC_ANALYSIS_IDLE_IDLE_TALLY_H
#define TC_ANALYSIS_IDLE_IDLE_TALLY_H

#include "analysis/idle/causes.h"
#include "analysis/metrics.h"
#include "analysis/steps/windows.h"
#include "core/sort/paged.h"
#include "store/tables.h"

/* What idle time may be beside the causes: nobody knows whether the device worked, or NICs do. */
enum { TC_IDLE_HOLE = TC_CAUSE_COUNT, TC_IDLE_NICS, TC_IDLE_PARTS };

/* The idle time of a tally within a window. */
struct tc_idle_sums {
	int64_t ns[TC_IDLE_PARTS];
};

struct tc_idle_run; /* how far a tally is */

struct tc_idle_tally {
	const struct tc_windows *windows;
	const struct tc_device_tally *devices;
	struct tc_idle_run *runs; /* by tally */
	struct tc_paged steps;    /* struct tc_idle_sums, by tally and step */
};

enum tc_status tc_idle_tally_init(struct tc_idle_tally *tally, const struct tc_windows *windows,
	const struct tc_device_tally *devices);
void tc_idle_tally_clear(struct tc_idle_tally *tally);

/* Adds idle time of a tally: a cause or what else it may be. That of one tally comes in time order
 * and leaves out nothing between TC_TIME_FIRST and TC_TIME_LAST but what is busy. */
void tc_idle_tally_add(struct tc_idle_tally *tally, const struct tc_gap *gap, int part,
	struct tc_interval interval);
/* A gap of a tally ends: what was added since the last call counts as one. */
void tc_idle_tally_end_gap(struct tc_idle_tally *tally, const struct tc_gap *gap);
/* All time was added. */
void tc_idle_tally_end(struct tc_idle_tally *tally);

/* How long devices are idle and busy, of the analysed time and of steps. */
enum tc_status tc_idle_tally_metrics(
	const struct tc_idle_tally *tally, struct tc_metric_writer *writer);
void tc_idle_tally_write(const struct tc_idle_tally *tally, struct tc_tables *tables);

#endif

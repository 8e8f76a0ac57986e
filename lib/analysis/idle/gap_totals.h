/*
 * Gap totals (tables gap_total and gap_host): sums of the rows of gap, so that nobody who asks how
 * long devices were idle, and why, has to read a row for every gap. Each row of gap is added once.
 */
#ifndef TC_ANALYSIS_IDLE_GAP_TOTALS_H
#define TC_ANALYSIS_IDLE_GAP_TOTALS_H

#include "analysis/idle/causes.h"
#include "core/sort/paged.h"
#include "core/sort/sorter.h"
#include "model/timeline/timeline.h"
#include "store/tables.h"

/* A row of gap. */
struct tc_gap_row {
	size_t device;
	int64_t step; /* index of steps[], or -1 */
	enum tc_cause cause;
	int64_t ns, count;
	int64_t gap_ns;   /* the whole gap; 0 for gaps that are summed up */
	int64_t slice_id; /* the host slice that fills most of it, or TC_NO_ID */
	uint32_t label;   /* of that slice */
};

struct tc_gap_totals {
	const struct tc_timeline *timeline;
	struct tc_paged rows;    /* by device, step and cause */
	struct tc_sorter *hosts; /* the rows with a host slice; NULL without any */
};

enum tc_status tc_gap_totals_init(struct tc_gap_totals *totals, const struct tc_timeline *timeline);
void tc_gap_totals_clear(struct tc_gap_totals *totals);

enum tc_status tc_gap_totals_add(struct tc_gap_totals *totals, const struct tc_gap_row *row);

void tc_gap_totals_write(const struct tc_gap_totals *totals, struct tc_tables *tables);

#endif

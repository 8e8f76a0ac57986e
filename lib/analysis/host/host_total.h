/*
 * Host totals (table host_total): slices of all host threads by label. The own time of a slice is
 * the time in which it is the innermost of its track; exposed time is the part of the union of a
 * label's slices, within the windows of the host tally, in which no device works.
 */
#ifndef TC_ANALYSIS_HOST_HOST_TOTAL_H
#define TC_ANALYSIS_HOST_HOST_TOTAL_H

#include "analysis/host/host_state.h"
#include "core/collections/arena.h"
#include "core/sort/paged.h"
#include "store/tables.h"

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

#endif

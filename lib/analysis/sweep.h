/*
 * Sweep: walks the slices of some tracks as starts and ends in time order. Only open slices are in
 * memory. At equal times all ends come before all starts, so touching slices
 * never overlap; a slice without a duration starts and then ends. Slices without an end in the file
 * are left out.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/timeline/timeline.h"

/* Lists that an open slice can be on, numbered by the user of the sweep. */
#define TC_SWEEP_LISTS 7

/* An open slice; the first member of a larger struct of the user, zeroed at its start. */
struct tc_open {
	struct tc_span span;
	int64_t start_ns, end_ns; /* clamped, see intervals.h */
	uint64_t sequence;        /* number of the slice in the sweep */
	struct tc_open *before[TC_SWEEP_LISTS], *after[TC_SWEEP_LISTS];
};

/* Open slices in the order of their starts. */
struct tc_open_list {
	struct tc_open *first, *last;
};

void tc_open_list_append(struct tc_open_list *list, int which, struct tc_open *open);
void tc_open_list_remove(struct tc_open_list *list, int which, struct tc_open *open);

struct tc_sweep {
	void *user;
	size_t open_bytes; /* size of the user's struct around tc_open */
	void (*start)(void *user, struct tc_open *open);
	void (*end)(void *user, struct tc_open *open); /* *open is reused after it */
	/* For slices without an end, at their start; may be NULL. */
	void (*endless)(void *user, const struct tc_span *span);
};

/* Walks the tracks. Ends early when the timeline's context has failed, as it does when interrupted.
 */
void tc_sweep_run(const struct tc_sweep *sweep, const struct tc_timeline *timeline,
	const uint32_t *tracks, size_t track_count);

/*
 * Event tally (table host_event): a row for each host slice that advice may be about. Such a slice
 * is the outermost of its role on its thread, on the threads that count (see survey.h).
 */
#ifndef TC_ANALYSIS_HOST_EVENT_TALLY_H
#define TC_ANALYSIS_HOST_EVENT_TALLY_H

#include "analysis/host/host_state.h"
#include "analysis/device/idle_clock.h"
#include "analysis/steps/windows.h"
#include "store/tables.h"

struct tc_event_tally {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	const struct tc_windows *windows;
	struct tc_tables *tables;
	int64_t *thread_ids;  /* by host thread: thread.id of the store */
	bool *follows_loader; /* by host thread: has run only copies since its last loader call */
};

void tc_event_tally_init(struct tc_event_tally *tally, struct tc_tables *tables,
	const struct tc_windows *windows, const struct tc_survey *survey);
void tc_event_tally_clear(struct tc_event_tally *tally);

/* Notes what is around a slice. Call it before the host state enters the slice. */
void tc_event_tally_start(
	struct tc_event_tally *tally, const struct tc_host_state *state, struct tc_host_open *host);
/* Writes the row of a slice that ends now, if it has one. transfer_ns is the current reading of the
 * transfer clock. */
void tc_event_tally_end(struct tc_event_tally *tally, const struct tc_host_state *state,
	struct tc_host_open *host, const struct tc_idle_clock *clock, int64_t transfer_ns);
/* The thread whose operations made a call. Threads of the Gaudi runtime have no operations, so it
 * is the main thread for them. */
int32_t tc_event_calling_thread(const struct tc_host_state *state, int32_t thread);
/* Warm-up is the time before the second step if the first step is warm-up, else the time before the
 * first step. */
bool tc_event_is_warm_up(const struct tc_event_tally *tally, const struct tc_host_open *host);
/* Fills detail from the args of the slices. */
void tc_event_tally_finish(struct tc_event_tally *tally);

#endif

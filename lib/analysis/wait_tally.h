/*
 * Wait tally (table wait_release): finds the device operation that released each blocking wait of
 * the host. Of the operations launched or running when the wait began, it is the last one to end
 * within the wait. The tally takes the ends of device operations in time order, before the host
 * sweep. The waits come from the timeline.
 */
#ifndef TC_ANALYSIS_WAIT_TALLY_H
#define TC_ANALYSIS_WAIT_TALLY_H

#include "analysis/sweep.h"
#include "core/sort/sorter.h"
#include "model/timeline/timeline.h"
#include "store/tables.h"

/* Limit for waits open at once; a waiting thread has one or two. Further waits get no row. */
enum { TC_WAITS_OPEN = 64 };

/* A wait and the last operation seen that may have released it. */
struct tc_wait_release {
	struct tc_wait wait;
	int64_t op_slice_id; /* TC_NO_ID for none */
	int64_t op_end_ns, launch_slice_id;
	int32_t device; /* index of devices[] */
};

struct tc_wait_tally {
	const struct tc_timeline *timeline;
	const struct tc_wait *next; /* the first wait that has not begun; NULL for none */
	struct tc_wait_release open[TC_WAITS_OPEN];
	size_t open_count;
	struct tc_sorter *released; /* struct tc_wait_release, by slice id */
};

void tc_wait_tally_init(struct tc_wait_tally *tally, const struct tc_timeline *timeline);
void tc_wait_tally_clear(struct tc_wait_tally *tally);

/* An operation ends while waits are open, or about to be. */
void tc_wait_tally_offer(struct tc_wait_tally *tally, const struct tc_open *open);

/* Takes the end of an operation. */
static inline void tc_wait_tally_end(struct tc_wait_tally *tally, const struct tc_open *open)
{
	if (tally->open_count > 0 || (tally->next && tally->next->start_ns < open->end_ns))
		tc_wait_tally_offer(tally, open);
}

/* Writes the rows, after all device work. */
void tc_wait_tally_write(struct tc_wait_tally *tally, struct tc_tables *tables);

#endif

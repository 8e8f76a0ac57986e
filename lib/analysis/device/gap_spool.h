/*
 * Gap spool: holds the idle intervals of devices. The device sweep finds them and the host sweep
 * finds their causes. There may be as many as there are slices, so they go through sorters, which
 * spill.
 *
 * There are three queues: the gaps of every device with the operation that ended each; the
 * intervals in which no device worked; and those in which devices only copied from or to the host.
 * All are read in time order.
 */
#ifndef TC_ANALYSIS_DEVICE_GAP_SPOOL_H
#define TC_ANALYSIS_DEVICE_GAP_SPOOL_H

#include "analysis/time/intervals.h"
#include "core/sort/sorter.h"
#include "model/timeline/timeline.h"

/* Shorter idle times are mostly the device's own pause between two operations, which also happens
 * within a graph. */
#define TC_HOLE_MIN_NS INT64_C(10000)

/* Where idle time lies: between the first and the last work of a tally, before, or after it. Times
 * before and after reach to the first and the last time there is. */
enum tc_gap_place { TC_GAP_WITHIN, TC_GAP_BEFORE, TC_GAP_AFTER };

/* An idle interval and the operation that ended it. A gap in which streams record events or NICs
 * start and stop is a chain of such intervals, each ended by the operation that ended the last one.
 */
struct tc_gap {
	int64_t start_ns, end_ns;
	int64_t launch_slice_id;             /* or TC_NO_ID */
	int64_t launch_ts_ns, launch_end_ns; /* valid with launch_slice_id */
	int32_t tally;                       /* index of the device's tally; see device_tally.h */
	int32_t step;                        /* of the operation, or -1 */
	int32_t thread;                      /* host thread that launched it, or -1 */
	int32_t is_hole;       /* within the run of a graph, where operations may be missing */
	int32_t is_queued;     /* the operation was launched before the recording: no fault of the
				  host */
	uint32_t launch_label; /* valid with launch_slice_id */
	int32_t goes_on;       /* the next interval of the tally belongs to the same gap */
	int32_t place;         /* enum tc_gap_place */
	int32_t has_nics;      /* NICs work, and nothing else */
};

/* A time in which devices only copy between host and device, from late.start_ns to end_ns. Before
 * late.end_ns the host had not yet begun to launch the work that follows. */
struct tc_transfer {
	struct tc_interval late;
	int64_t end_ns;
};

struct tc_gap_spool {
	struct tc_ctx *ctx;
	struct tc_sorter *gaps, *idle, *transfers; /* NULL without any */
};

void tc_gap_spool_clear(struct tc_gap_spool *spool);

enum tc_status tc_gap_spool_add(struct tc_gap_spool *spool, const struct tc_gap *gap);
enum tc_status tc_gap_spool_add_idle(struct tc_gap_spool *spool, struct tc_interval interval);
enum tc_status tc_gap_spool_add_transfer(
	struct tc_gap_spool *spool, const struct tc_transfer *transfer);

/* The gaps so far, the caller's to read and free; the spool has none then. */
struct tc_sorter *tc_gap_spool_take_gaps(struct tc_gap_spool *spool);

#endif

/*
 * Gap tally (table gap): why devices are idle. Every gap is cut at the launch of the operation that
 * ended it. The part before goes to what the launching thread was doing; the rest is launch or
 * queued. docs/gaps.md states the rules. The rows of a device add up to its idle time. The time
 * before the first and after the last work has no rows; it goes to the idle tally, like all gaps.
 */
#ifndef TC_ANALYSIS_IDLE_GAP_TALLY_H
#define TC_ANALYSIS_IDLE_GAP_TALLY_H

#include "analysis/device/device_tally.h"
#include "analysis/host/host_state.h"
#include "analysis/idle/causes.h"
#include "analysis/idle/idle_tally.h"
#include "core/sort/paged.h"
#include "core/sort/sorter.h"
#include "model/timeline/timeline.h"
#include "store/tables.h"

/*
 * Gap totals (tables gap_total and gap_host): sums of the rows of gap, so that nobody who asks how
 * long devices were idle, and why, has to read a row for every gap. Each row of gap is added once.
 */

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

/* Shorter gaps are summed up. Single rows would be more than a reader could look at, and short gaps
 * are mostly the device's own pause between two operations (1 to 5 us on the devices we have traces
 * of). */
#define TC_GAP_ROW_MIN_NS TC_HOLE_MIN_NS
/* Work that starts within this time after its launch call returned went straight through the
 * queue: from call to device it takes 3 to 10 us on CUDA and ROCm when nothing is in the way. */
#define TC_LAUNCH_LATENCY_NS INT64_C(10000)

/* A call that launches one kernel and takes at least this long loads the kernel's code: launches
 * take 3 to 10 us. Our default, no published source. */
#define TC_LOAD_MIN_NS INT64_C(1000000)

/* A host slice as it is shown for idle time. */
struct tc_gap_slice {
	int64_t id; /* TC_NO_ID for none */
	int64_t dur_ns;
	uint32_t label;
};

/* One cause within one gap. */
struct tc_gap_piece {
	int64_t ns, first_ns;
	int64_t slice_ns; /* that the slice fills, which is the one that fills most of it */
	struct tc_gap_slice slice;
};

struct tc_gap_slot {
	bool is_open, goes_on; /* with goes_on: between two intervals of one gap */
	struct tc_gap gap;     /* its current interval */
	int64_t start_ns;      /* of its first interval */
	int64_t host_end_ns;   /* until then the host's activity is the cause */
	struct tc_gap_piece pieces[TC_CAUSE_COUNT];
};

struct tc_gap_sum {
	int64_t ns, first_ns, count;
};

struct tc_gap_tally {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	const struct tc_host_state *state;
	struct tc_sorter *input; /* borrowed */
	const struct tc_gap *next;
	struct tc_gap_slot *slots; /* by tally */
	uint32_t *open;            /* tallies whose slot is open, in ascending order */
	size_t open_count;
	struct tc_gap_sum
		*sums; /* short gaps: [(device * (steps + 1) + step + 1) * causes + cause] */
	struct tc_gap_totals totals;
	struct tc_idle_tally *idle; /* borrowed */
	int64_t *queued_ns;         /* by tally */
	int64_t until_ns;
	struct tc_tables *tables;
};

enum tc_status tc_gap_tally_init(struct tc_gap_tally *tally, struct tc_tables *tables,
	const struct tc_host_state *state, struct tc_gap_spool *spool, struct tc_idle_tally *idle);
void tc_gap_tally_clear(struct tc_gap_tally *tally);

/* Attributes the time since the last call, in which the state of the host did not change. in_step
 * says whether that time is within a step. */
enum tc_status tc_gap_tally_until(struct tc_gap_tally *tally, int64_t time_ns, bool in_step);

/* Writes the rows of short gaps and the totals. Call it after the last tc_gap_tally_until(). */
void tc_gap_tally_finish(struct tc_gap_tally *tally);

#endif

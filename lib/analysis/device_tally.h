/*
 * Device tally: one sweep over all device lanes. It gives the busy tallies of each device, of all
 * devices together, and of each step on each; the totals by operation; the time each lane works;
 * every idle interval; and the work of every launch.
 *
 * Tallies are numbered: devices from 0, then tally_count - 1 for all devices together. With one
 * device, that tally is the device itself.
 */
#pragma once

#include "analysis/clocks.h"
#include "analysis/metrics.h"
#include "analysis/sweep.h"
#include "analysis/usual.h"
#include "core/collections/arena.h"
#include "core/collections/pool.h"
#include "core/collections/strtab.h"
#include "core/saturate.h"
#include "core/sort/sorter.h"
#include "core/sort/spill.h"
#include "model/timeline/timeline.h"
#include "store/sql.h"

/*
 * Busy tally: how long engines work, alone and together. It covers one device, or several as one,
 * and all work or that of one step. Fed with starts and ends in time order, it holds counts and no
 * intervals.
 */

/* Classes of work, one bit each: one per engine, one for matrix work in a type other than fp32, one
 * for copies and sets that stay on the device, and one for work launched before the recording. */
#define TC_WORK_OF(engine) (UINT32_C(1) << (engine))
#define TC_WORK_MME TC_WORK_OF(TC_ENGINE_MME)
#define TC_WORK_TPC TC_WORK_OF(TC_ENGINE_TPC)
#define TC_WORK_DMA TC_WORK_OF(TC_ENGINE_DMA)
#define TC_WORK_NIC TC_WORK_OF(TC_ENGINE_NIC)
#define TC_WORK_MME_NOT_FP32 TC_WORK_OF(TC_ENGINE_COUNT)
#define TC_WORK_INNER_COPY TC_WORK_OF(TC_ENGINE_COUNT + 1)
#define TC_WORK_LAUNCHED_BEFORE TC_WORK_OF(TC_ENGINE_COUNT + 2)
#define TC_WORK_COMPUTE (TC_WORK_MME | TC_WORK_TPC | TC_WORK_OF(TC_ENGINE_COMPUTE))
#define TC_WORK_COMMUNICATION (TC_WORK_NIC | TC_WORK_OF(TC_ENGINE_COMMUNICATION))
#define TC_WORK_COPY (TC_WORK_DMA | TC_WORK_OF(TC_ENGINE_COPY))
/* Busy is kernels, copies and sets: NIC lanes and the lanes of no engine do not count. */
#define TC_WORK_BUSY (TC_WORK_COMPUTE | TC_WORK_COPY | TC_WORK_OF(TC_ENGINE_COMMUNICATION))
/* Work of these classes is more than a transfer between host and device. */
#define TC_WORK_NO_TRANSFER (TC_WORK_COMPUTE | TC_WORK_COMMUNICATION | TC_WORK_INNER_COPY)
#define TC_WORK_CLASSES (TC_ENGINE_COUNT + 3)

enum tc_measure {
#define TC_MEASURE(metric, any, with, without, where) TC_MEASURE_##metric,
#include "analysis/measures.def"
#undef TC_MEASURE
	TC_MEASURE_COUNT
};

/* Which rows a measure has: all; not per step; on Gaudi only; on Gaudi only and not per step. */
enum tc_measure_where { TC_MEASURE_ALL, TC_MEASURE_RUN, TC_MEASURE_GAUDI, TC_MEASURE_GAUDI_RUN };

struct tc_measure_info {
	enum tc_metric metric;
	uint32_t any, with, without; /* classes of work */
	enum tc_measure_where where;
};
extern const struct tc_measure_info tc_measures[TC_MEASURE_COUNT];

struct tc_busy {
	uint32_t active[TC_WORK_CLASSES]; /* open slices of each class */
	uint32_t working;                 /* the classes with one */
	int64_t since_ns;                 /* since when these classes have worked */
	int64_t from_ns;                  /* time before it does not count */
	int64_t ns[TC_MEASURE_COUNT];
	struct tc_interval busy_extent; /* range of busy work; start > end: none */
	struct tc_interval work_extent; /* range of busy work and NIC lanes */
	/* All operations, also those left out of the time: those whose launching call is known, and
	 * those launched before the recording. */
	int64_t op_count, launched_count, before_count;
};

static inline bool tc_busy_has_work(const struct tc_busy *busy)
{
	return busy->work_extent.start_ns <= busy->work_extent.end_ns;
}

/*
 * Idle intervals of devices. This sweep finds them, and the host sweep finds their causes. There
 * may be as many as there are slices, so they go through sorters, which spill.
 */

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
	int64_t work_ns;                     /* how long the operation takes; -1 for none */
	int32_t tally;                       /* index of the device's tally; see above */
	int32_t step;                        /* of the operation, or -1 */
	int32_t thread;                      /* host thread that launched it, or -1 */
	int32_t is_hole;       /* within the run of a graph, where operations may be missing */
	int32_t is_queued;     /* the operation was launched before the recording: no fault of the
				  host */
	uint32_t launch_label; /* valid with launch_slice_id */
	int32_t goes_on;       /* the next interval of the tally belongs to the same gap */
	int32_t place;         /* enum tc_gap_place */
	int32_t has_nics;      /* NICs work, and nothing else */
	int32_t waits;         /* the operation is a copy, which its call waits for */
};

/* A time in which devices only copy between host and device, from late.start_ns to end_ns. Before
 * late.end_ns the host had not yet begun to launch the work that follows. */
struct tc_transfer {
	struct tc_interval late;
	int64_t end_ns;
};

/* Read in time order; NULL without any. */
struct tc_gap_spool {
	struct tc_sorter *gaps; /* struct tc_gap: the gaps of every device */
	struct tc_sorter *idle; /* struct tc_interval: no device worked */
	struct tc_sorter
		*transfers; /* struct tc_transfer: devices only copied from or to the host */
};

extern const struct tc_sorter_layout tc_gap_layout;

/*
 * Launched work: every device operation with the call that launched it. A walk over the host
 * threads meets the calls in the same order, so it reads the work of each call in turn and memory
 * does not grow with the trace. Work of one call is in time order.
 */

/* Time of device work: the durations added up, and the part of the busy time that is attributed to
 * it. Only the latter adds up to the time that the device works. */
struct tc_work_time {
	int64_t dur_ns, exclusive_ns;
};

static inline void tc_work_time_add(struct tc_work_time *sum, struct tc_work_time time)
{
	sum->dur_ns = tc_add_saturated(sum->dur_ns, time.dur_ns);
	sum->exclusive_ns = tc_add_saturated(sum->exclusive_ns, time.exclusive_ns);
}

static inline void tc_work_time_take(struct tc_work_time *sum, struct tc_work_time time)
{
	sum->dur_ns = tc_sub_saturated(sum->dur_ns, time.dur_ns);
	sum->exclusive_ns = tc_sub_saturated(sum->exclusive_ns, time.exclusive_ns);
}

struct tc_launched {
	/* The call: its place in the order of slices. INT64_MIN and TC_NO_ID when the
	 * call is not known; such work comes first. */
	int64_t launch_ts_ns, launch_end_ns, launch_slice_id;
	int64_t ts_ns, slice_id;
	struct tc_work_time time;
	uint32_t label, track;
	uint64_t launch_layer; /* of the call; a whole word, so that the record has no padding */
};

/* <0 when the launching call comes before a host slice that has an end, 0 when it is that slice. */
int tc_launched_compare(const struct tc_launched *work, const struct tc_span *host);

/*
 * Totals of device operations by key, in the order in which keys came. Pointers to totals stay
 * valid until the table is cleared.
 */

#define TC_LABEL_ANY UINT32_MAX

/* The key is device, label, data type, recipe and engine. A table that does not distinguish one of
 * these uses one value for it in all keys. */
struct tc_op_total {
	uint32_t device, label;     /* or TC_LABEL_ANY */
	uint32_t data_type, recipe; /* or TC_STRTAB_NONE */
	enum tc_engine engine;
	enum tc_precision precision; /* by the data type */
	int64_t count, dur_ns, exclusive_ns, min_ns, max_ns;
};

struct tc_op_totals {
	struct tc_strtab keys;
	struct tc_pool pool;
	struct tc_op_total **rows; /* by number of their keys */
	size_t count, capacity;
};

void tc_op_totals_init(struct tc_op_totals *totals, struct tc_ctx *ctx);
void tc_op_totals_clear(struct tc_op_totals *totals);
/* The total of the key, a copy of *key when new; NULL when memory is out, and after a failure. */
struct tc_op_total *tc_op_totals_find(struct tc_op_totals *totals, const struct tc_op_total *key);

/*
 * Wait tally (table wait_release): finds the device operation that released each blocking wait of
 * the host. Of the operations launched or running when the wait began, it is the last one to end
 * within the wait. The tally takes the ends of device operations in time order, before the host
 * sweep. The waits come from the timeline.
 */

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

/* An operation ends while waits are open, or about to be. */
void tc_wait_tally_offer(struct tc_wait_tally *tally, const struct tc_open *open);

/* Takes the end of an operation. */
static inline void tc_wait_tally_end(struct tc_wait_tally *tally, const struct tc_open *open)
{
	if (tally->open_count > 0 || (tally->next && tally->next->start_ns < open->end_ns))
		tc_wait_tally_offer(tally, open);
}

/*
 * Communication tally (table communication): how much of each communication operation is exposed,
 * because its device computes nothing at the same time. A spill file keeps the operations until the
 * slices are in the store.
 */

struct tc_communication_tally {
	struct tc_spill *spill; /* NULL without any */
	int64_t count;
};

void tc_communication_tally_add(struct tc_communication_tally *tally, struct tc_ctx *ctx,
	int64_t slice_id, int64_t exposed_ns);
void tc_communication_tally_write(
	const struct tc_communication_tally *tally, struct tc_tables *tables, int64_t trace_id);
void tc_communication_tally_clear(struct tc_communication_tally *tally);

struct tc_op_tally {
	struct tc_op_totals operations, recipes;
	struct tc_op_total **recent;         /* found last, by label */
	struct tc_op_total **last_of_recipe; /* by number in texts; the last for none */
	struct tc_op_owner *owners;          /* by device */
};

struct tc_lane_time {
	uint32_t active;
	int64_t since_ns, busy_ns; /* union of the lane's slices */
	enum tc_engine engine;     /* of the last one */
	uint32_t engines;          /* bits of all */
	int64_t op_count;          /* also those left out of the time */
};

struct tc_device_tally {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	size_t tally_count;
	struct tc_busy *runs;       /* by tally */
	size_t first_of_steps;      /* the first tally that has steps: 0, or that of all devices */
	struct tc_busy *steps;      /* by tally and step: [(tally - first) * step_count + step] */
	struct tc_lane_time *lanes; /* by track */
	uint32_t *tracks;           /* the lanes */
	size_t track_count;
	struct tc_op_tally ops;
	struct tc_wait_tally waits;
	struct tc_communication_tally communication;
	struct tc_gap_spool spool;
	struct tc_sorter *launched; /* struct tc_launched of all operations; NULL without any */
	struct tc_clocks clocks;
	struct {
		struct tc_blocking blocking;
		struct tc_loading loading;
	} program;                     /* what device work and its calls tell of the program */
	int64_t *clamped_count;        /* by device: operations at ts 0 left out of the time */
	bool has_holes;                /* some gap is within the run of a graph */
	struct tc_interval extent;     /* of all lane slices that were not left out */
	struct tc_device_sweep *sweep; /* while it runs */
};

/* Whether work that ends then is of the run. */
static inline bool tc_device_tally_counts(const struct tc_device_tally *tally, int64_t end_ns)
{
	return end_ns > tally->timeline->part_from_ns;
}

/* Sweeps the lanes. tc_device_tally_clear() afterwards, also when the context has failed. */
void tc_device_tally_run(struct tc_device_tally *tally, const struct tc_timeline *timeline);
void tc_device_tally_clear(struct tc_device_tally *tally);
/* Writes the metrics of devices and of their steps but those of idle time. */
void tc_device_metrics_write(
	const struct tc_device_tally *devices, struct tc_metric_writer *writer);
/* Writes op_total, recipe_total, wait_release, lane_total and communication. */
void tc_device_tally_write(struct tc_device_tally *devices, struct tc_tables *tables);

static inline const struct tc_busy *tc_device_tally_all(const struct tc_device_tally *tally)
{
	return tally->tally_count ? &tally->runs[tally->tally_count - 1] : NULL;
}

/* Scopes of rows: 0.. are the devices, the last is all devices together. */
static inline size_t tc_device_scope_count(const struct tc_device_tally *tally)
{
	return tally->tally_count ? tally->timeline->device_count + 1 : 0;
}

static inline size_t tc_device_scope_tally(const struct tc_device_tally *tally, size_t scope)
{
	return tally->tally_count == 1 ? 0 : scope;
}

/* The device of a scope; ptr NULL for all devices together. */
static inline struct tc_text tc_device_scope_name(const struct tc_device_tally *tally, size_t scope)
{
	return scope < tally->timeline->device_count ? tally->timeline->devices[scope].name
						     : TC_TEXT_NONE;
}

/* The steps that a tally has: 0 for single devices of a trace that reaches the limit. */
static inline size_t tc_device_tally_step_count(const struct tc_device_tally *tally, size_t i)
{
	return i < tally->first_of_steps ? 0 : tally->timeline->step_count;
}

static inline size_t tc_device_tally_step_index(
	const struct tc_device_tally *tally, size_t i, size_t step)
{
	return (i - tally->first_of_steps) * tally->timeline->step_count + step;
}

static inline struct tc_busy *tc_device_tally_step(
	const struct tc_device_tally *tally, size_t i, size_t step)
{
	return &tally->steps[tc_device_tally_step_index(tally, i, step)];
}

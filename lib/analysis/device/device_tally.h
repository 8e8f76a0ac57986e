/*
 * Device tally: one sweep over all device lanes. It gives the busy tallies of each device, of all
 * devices together, and of each step on each; the totals by operation; the time each lane works;
 * and every idle interval, which goes into the gap spool.
 *
 * Tallies are numbered: devices from 0, then tally_count - 1 for all devices together. With one
 * device, that tally is the device itself.
 */
#ifndef TC_ANALYSIS_DEVICE_DEVICE_TALLY_H
#define TC_ANALYSIS_DEVICE_DEVICE_TALLY_H

#include "analysis/device/busy.h"
#include "analysis/device/communication_tally.h"
#include "analysis/device/gap_spool.h"
#include "analysis/device/launched.h"
#include "analysis/device/op_totals.h"
#include "analysis/time/clocks.h"
#include "analysis/time/sweep.h"
#include "core/collections/arena.h"
#include "core/sort/sorter.h"
#include "model/timeline/timeline.h"
#include "store/tables.h"

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

/* Advances to a time at which device work ends; tc_wait_tally_end() does it when needed. */
enum tc_status tc_wait_tally_go_to(struct tc_wait_tally *tally, int64_t time_ns);

/* Offers an operation that ends to the waits that are open then. */
void tc_wait_tally_offer(struct tc_wait_tally *tally, const struct tc_open *open);

static inline enum tc_status tc_wait_tally_end(
	struct tc_wait_tally *tally, const struct tc_open *open)
{
	enum tc_status status = TC_OK;

	if (tally->open_count == 0 && !(tally->next && tally->next->start_ns < open->end_ns))
		return TC_OK;
	status = tc_wait_tally_go_to(tally, open->end_ns);
	if (!status && tally->open_count > 0)
		tc_wait_tally_offer(tally, open);
	return status;
}

/* Writes the rows, after all device work. */
void tc_wait_tally_write(struct tc_wait_tally *tally, struct tc_tables *tables);

/*
 * Operation tally (tables op_total and recipe_total): device time by operation, data type and
 * engine, and by recipe. Each instant of busy time goes to one operation. The working engine with
 * the highest priority wins (order of enum tc_engine; NIC lanes and lanes of no engine have none),
 * and on it the operation that started first. Operations that only wait come after all engines:
 * they get the time in which nothing else runs. So exclusive_ns adds up to busy time.
 */

/* The operation that currently gets the time of a device. */
struct tc_op_owner {
	struct tc_open_list working[TC_ENGINE_COUNT + 1]; /* by engine, on the sweep's list 0; the
							     last of waits */
	uint32_t engines;                                 /* bits of the lists that are not empty */
	struct tc_op_open *op;                            /* NULL when the device is idle */
	int64_t since_ns;
	bool has_recipes; /* some of its work names a recipe */
};

enum { TC_OP_RECENT = 4096 };

struct tc_op_tally {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	struct tc_op_totals operations, recipes;
	struct tc_op_total *recent[TC_OP_RECENT]; /* found last, by label */
	struct tc_op_total **last_of_recipe;      /* by number in texts; the last for none */
	struct tc_op_owner *owners;               /* by device */
};

/* A slice that takes part in the device's time. */
struct tc_op_open {
	struct tc_open open;
	struct tc_op_total *total, *recipe;
	uint32_t classes; /* of work, see busy.h; 0 for none */
	bool is_timed;    /* its lane counts it as an open slice */
	int64_t exclusive_ns;
	int64_t compute_ns; /* for communication: how long its device had computed when it began */
	struct tc_launched launched; /* its row of the launched work, complete at its end */
};

/* Writes both tables. */
void tc_op_tally_write(const struct tc_op_tally *tally, struct tc_tables *tables);

/* At most this many intervals of one gap are held; a longer list of recorded events, or of starts
 * and ends of NIC work, ends the gap. */
#define TC_GAP_PARTS_HELD 1024

/* At most this many transfers are held until other work starts; batches have fewer tensors. */
#define TC_TRANSFERS_HELD 64

struct tc_lane_time {
	uint32_t active;
	int64_t since_ns, busy_ns; /* union of the lane's slices */
	enum tc_engine engine;     /* of the last one */
	uint32_t engines;          /* bits of all */
	int64_t op_count;          /* also those left out of the time */
};

/* The idle time of a tally at the current time. */
struct tc_idle_state {
	bool started;    /* there was work that counts as busy */
	int64_t from_ns; /* since when idle, when not busy */
	bool had_nics;   /* NICs worked then */
	int64_t *turns;  /* when NICs started or stopped since */
	size_t turn_count, turn_capacity;
	/* The last gap is held until the next one, so that a later launch can be added. It has
	 * several intervals when streams recorded events within it. */
	struct tc_gap *parts;
	size_t part_count, part_capacity;
	bool is_over; /* other work than that has started since, at over_ns */
	int64_t over_ns;
};

/* The ends of runs of graphs, up to the current time. */
struct tc_graph_clock {
	struct tc_sorter *runs;          /* borrowed; NULL without any */
	const struct tc_graph_run *next; /* NULL at the end */
	int64_t *until_ns;               /* by tally: the latest end of those that have begun */
};

struct tc_device_tally {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	struct tc_gap_spool *spool; /* borrowed */
	size_t tally_count;
	struct tc_busy *runs;  /* by tally */
	struct tc_busy *steps; /* by tally and step: [tally * step_count + step] */
	struct tc_idle_state *idle;
	struct tc_graph_clock graphs;
	int64_t transfer_from_ns; /* since when all devices do nothing but transfer, when they do */
	/* The last times of transfers alone, held until other work follows. */
	struct tc_transfer transfers[TC_TRANSFERS_HELD];
	size_t transfer_count;
	struct tc_lane_time *lanes; /* by track */
	int64_t *clamped_count;     /* by device: operations at ts 0 left out of the time */
	bool *is_clamped;           /* by device: leave out operations at ts 0 */
	int64_t clamped_total;
	struct tc_clocks clocks;
	int64_t other_clock_count; /* operations of another clock, left out of the time */
	bool zero_is_no_time;      /* something is at ts 0, far from the rest of the trace */
	struct tc_interval extent; /* of all lane slices that were not left out */
	struct tc_interval host;   /* of the host slices; only known when something is at ts 0 */
	struct tc_measure_table table;
	struct tc_op_tally ops;
	struct tc_wait_tally waits;
	struct tc_communication_tally communication;
	struct tc_sorter *launched; /* struct tc_launched of all operations; NULL without any */
	uint32_t *tracks;           /* the lanes */
	size_t track_count;
};

enum tc_status tc_device_tally_init(struct tc_device_tally *tally,
	const struct tc_timeline *timeline, struct tc_gap_spool *spool);
void tc_device_tally_clear(struct tc_device_tally *tally);
enum tc_status tc_device_tally_run(struct tc_device_tally *tally);

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

static inline const struct tc_busy *tc_device_tally_step(
	const struct tc_device_tally *tally, size_t i, size_t step)
{
	return &tally->steps[i * tally->timeline->step_count + step];
}

/* Marks devices whose operations at ts 0 were clamped by the writer: the rest of the trace, host
 * slices included, is at least a second away and farther from 0 than it is long. */
enum tc_status tc_clamped_find(struct tc_device_tally *tally);
/* Writes an import_log row for each marked device, and one for host_count host slices. */
void tc_clamped_log(
	const struct tc_device_tally *tally, int64_t host_count, struct tc_tables *tables);

#endif

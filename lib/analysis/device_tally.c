/*
 * The device sweep. Operations start and end in time order, and each changes the tallies of its
 * device, of all devices, and of both in its step: the classes of work that are open, the operation
 * that gets the time, and whether the device is idle. An idle interval is held until work follows,
 * because the launch of that work decides what the host was late with:
 *
 *   lane     |--a--|              |e||--b--|        e records an event: the gap goes on behind it
 *   gap             |------------|  || ended by b, in two parts
 */
#include "analysis/device_tally.h"

#include "analysis/sweep.h"
#include "core/limits.h"
#include "names/names.h"

/* The operation that currently gets the time of a device. */
struct tc_op_owner {
	struct tc_open_list working[TC_ENGINE_COUNT + 1]; /* by engine, on the sweep's list 0; the
							     last of waits */
	uint32_t engines;                                 /* bits of the lists that are not empty */
	struct op_open *op;                               /* NULL when the device is idle */
	int64_t since_ns;
};

/* A slice that takes part in the device's time. */
struct op_open {
	struct tc_open open;
	struct tc_op_total *total, *recipe;
	uint32_t classes; /* of work; 0 for none */
	bool is_timed;    /* its lane counts it as an open slice */
	int64_t exclusive_ns;
	int64_t compute_ns; /* for communication: how long its device had computed when it began */
	struct tc_launched launched; /* its row of the launched work, complete at its end */
};

/* At most this many intervals of one gap are held; a longer list of recorded events, or of starts
 * and ends of NIC work, ends the gap. At most so many transfers are held until other work starts;
 * batches have fewer tensors. */
enum { GAP_PARTS_HELD = 1024, TRANSFERS_HELD = 64, OPS_RECENT = 4096 };

/* The idle time of a tally at the current time. */
struct idle_state {
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

/* State of the sweep at the current time. */
struct tc_device_sweep {
	uint32_t measures[1 << TC_WORK_CLASSES]; /* that count, for every set of working classes */
	struct idle_state *idle;                 /* by tally */
	const struct tc_graph_run *next_graph;   /* the first that has not begun; NULL at the end */
	int64_t *graph_until_ns;  /* by tally: the latest end of runs of graphs that have begun */
	int64_t transfer_from_ns; /* since when all devices do nothing but transfer, when they do */
	/* The last times of transfers alone, held until other work follows. */
	struct tc_transfer transfers[TRANSFERS_HELD];
	size_t transfer_count;
};

/* Gaps and launches come nearly in order, so a small buffer costs nothing but a few more runs to
 * merge. */
enum { SORT_BYTES = 1024 * 1024 };

TC_ORDER(compare_gaps, struct tc_gap, TC_UP(start_ns) TC_UP(tally) TC_UP(end_ns));

/* Also orders transfers, which begin with an interval. */
TC_ORDER(compare_intervals, struct tc_interval, TC_UP(start_ns));

const struct tc_sorter_layout tc_gap_layout = {sizeof(struct tc_gap), SORT_BYTES, compare_gaps};
static const struct tc_sorter_layout idle_layout = {sizeof(struct tc_interval), SORT_BYTES,
					     compare_intervals},
				     transfer_layout = {sizeof(struct tc_transfer), SORT_BYTES,
					     compare_intervals};

/* The order of tc_span_compare() for calls with an end. */
static int compare_calls(
	const struct tc_launched *x, int64_t ts_ns, int64_t end_ns, uint64_t layer, int64_t id)
{
	if (x->launch_ts_ns != ts_ns)
		return x->launch_ts_ns < ts_ns ? -1 : 1;
	if (x->launch_end_ns != end_ns)
		return x->launch_end_ns > end_ns ? -1 : 1;
	if (x->launch_layer != layer && x->launch_slice_id != id && end_ns > ts_ns)
		return x->launch_layer < layer ? -1 : 1;
	return x->launch_slice_id < id ? -1 : x->launch_slice_id > id;
}

static int compare_launched(const void *a, const void *b)
{
	const struct tc_launched *x = a, *y = b;
	int order = compare_calls(
		x, y->launch_ts_ns, y->launch_end_ns, y->launch_layer, y->launch_slice_id);

	if (!order)
		order = (x->ts_ns > y->ts_ns) - (x->ts_ns < y->ts_ns);
	return order ? order : (x->slice_id > y->slice_id) - (x->slice_id < y->slice_id);
}

static const struct tc_sorter_layout launched_layout = {
	sizeof(struct tc_launched), SORT_BYTES, compare_launched};

int tc_launched_compare(const struct tc_launched *work, const struct tc_span *host)
{
	return compare_calls(work, host->ts_ns, tc_span_end_ns(host), host->layer, host->slice_id);
}

/* The row of an operation with an end, without its exclusive time. */
static struct tc_launched launched_of(
	const struct tc_timeline *timeline, const struct tc_span *span)
{
	struct tc_launched work = {
		.launch_ts_ns = INT64_MIN,
		.launch_slice_id = TC_NO_ID,
		.ts_ns = span->ts_ns,
		.time.dur_ns = span->dur_ns,
		.slice_id = span->slice_id,
		.label = span->label,
		.track = span->track,
	};

	if (span->launch_slice_id != TC_NO_ID) {
		work.launch_ts_ns = span->launch_ts_ns;
		work.launch_end_ns = span->launch_end_ns;
		work.launch_slice_id = span->launch_slice_id;
		work.launch_layer = tc_label_layer(&timeline->labels[span->launch_label]);
	}
	return work;
}

/* Busy time: classes of work that start and end become measures. */

static void fill_measures(uint32_t *measures)
{
	for (uint32_t working = 0; working < UINT32_C(1) << TC_WORK_CLASSES; working++) {
		measures[working] = 0;
		for (uint32_t i = 0; i < TC_MEASURE_COUNT; i++) {
			const struct tc_measure_info *row = &tc_measures[i];
			if ((working & row->any) && (!row->with || (working & row->with)) &&
				!(working & row->without))
				measures[working] |= UINT32_C(1) << i;
		}
	}
}

/* Adds the time until now to the measures of the classes that worked, before these change. */
static void book(struct tc_busy *busy, const uint32_t *measures, int64_t time_ns)
{
	int64_t ns = time_ns - tc_time_later(busy->since_ns, busy->from_ns);

	if (busy->working && ns > 0)
		for (uint32_t left = measures[busy->working]; left; left &= left - 1)
			busy->ns[__builtin_ctz(left)] += ns;
	busy->since_ns = time_ns;
}

/* A slice of the given classes starts or ends. */
static void busy_start(struct tc_busy *busy, const uint32_t *measures, uint32_t classes,
	const struct tc_interval *interval)
{
	if ((busy->working | classes) != busy->working)
		book(busy, measures, interval->start_ns);
	for (uint32_t left = classes; left; left &= left - 1)
		busy->active[__builtin_ctz(left)]++;
	busy->working |= classes;
	busy->work_extent = tc_interval_join(busy->work_extent, *interval);
	if (classes & TC_WORK_BUSY)
		busy->busy_extent = tc_interval_join(busy->busy_extent, *interval);
}

static void busy_end(
	struct tc_busy *busy, const uint32_t *measures, uint32_t classes, int64_t time_ns)
{
	uint32_t gone = 0;

	for (uint32_t left = classes; left; left &= left - 1)
		if (--busy->active[__builtin_ctz(left)] == 0)
			gone |= left & (~left + 1);
	if (!gone)
		return;
	book(busy, measures, time_ns);
	busy->working &= ~gone;
}

/* The device does nothing but copy between host and device. */
static bool only_transfers(const struct tc_busy *busy)
{
	return (busy->working & TC_WORK_COPY) && !(busy->working & TC_WORK_NO_TRANSFER);
}

static bool has_nics(const struct tc_busy *busy)
{
	return (busy->working & TC_WORK_NIC) != 0;
}

static bool is_busy(const struct tc_busy *busy)
{
	return (busy->working & TC_WORK_BUSY) != 0;
}

/* The time so far in which the device computes. */
static int64_t compute_ns_until(const struct tc_busy *busy, int64_t time_ns)
{
	int64_t since_ns = tc_time_later(busy->since_ns, busy->from_ns);
	bool computes = (busy->working & TC_WORK_COMPUTE) && time_ns > since_ns;

	return busy->ns[TC_MEASURE_COMPUTE_BUSY] + (computes ? time_ns - since_ns : 0);
}

/*
 * Operation totals: device time by operation, data type and engine, and by recipe. Each instant of
 * busy time goes to one operation. The working engine with the highest priority wins (order of enum
 * tc_engine; NIC lanes and lanes of no engine have none), and on it the operation that started
 * first. Operations that only wait come after all engines: they get the time in which nothing else
 * runs. So exclusive_ns adds up to busy time.
 */

enum { LIST_WORKING = 0 };

static void init_ops(struct tc_device_tally *tally)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct tc_op_tally *ops = &tally->ops;

	tc_op_totals_init(&ops->operations, timeline->ctx);
	tc_op_totals_init(&ops->recipes, timeline->ctx);
	TC_ARENA(&tally->arena, ops->recent, OPS_RECENT);
	TC_ARENA(&tally->arena, ops->last_of_recipe, timeline->texts.count + 1);
	TC_ARENA(&tally->arena, ops->owners, timeline->device_count);
}

static struct tc_op_total *operation_of(
	struct tc_device_tally *tally, const struct tc_span *span, enum tc_engine engine)
{
	struct tc_op_total key = {
		.device = (uint32_t)tally->timeline->tracks[span->track].device,
		.label = span->label,
		.data_type = span->data_type,
		.recipe = TC_STRTAB_NONE,
		.engine = engine,
		.min_ns = INT64_MAX,
	};
	struct tc_op_total **last = &tally->ops.recent[span->label % OPS_RECENT];

	if (*last && (*last)->label == key.label && (*last)->device == key.device &&
		(*last)->data_type == key.data_type && (*last)->engine == engine)
		return *last;
	*last = tc_op_totals_find(&tally->ops.operations, &key);
	if (*last && (*last)->count == 0 && key.data_type != TC_STRTAB_NONE)
		(*last)->precision =
			tc_precision_of(tc_strtab_at(&tally->timeline->texts, key.data_type));
	return *last;
}

static struct tc_op_total *recipe_of(struct tc_device_tally *tally, const struct tc_span *span)
{
	struct tc_op_total key = {
		.device = (uint32_t)tally->timeline->tracks[span->track].device,
		.label = TC_LABEL_ANY,
		.data_type = TC_STRTAB_NONE,
		.recipe = span->recipe,
		.min_ns = INT64_MAX,
	};
	size_t none = tally->timeline->texts.count;
	struct tc_op_total **last =
		&tally->ops.last_of_recipe[span->recipe == TC_STRTAB_NONE ? none : span->recipe];

	if (!*last || (*last)->device != key.device)
		*last = tc_op_totals_find(&tally->ops.recipes, &key);
	return *last;
}

/* Counts a slice of dur_ns in a total. */
static void op_total_count(struct tc_op_total *total, int64_t dur_ns)
{
	total->count++;
	total->dur_ns = tc_add_saturated(total->dur_ns, dur_ns);
	if (dur_ns < total->min_ns)
		total->min_ns = dur_ns;
	if (dur_ns > total->max_ns)
		total->max_ns = dur_ns;
}

/* Chooses the operation that gets the time from now on. Time before from_ns does not count. */
static void choose_owner(struct tc_op_owner *owner, int64_t from_ns, int64_t time_ns)
{
	struct tc_open *first =
		owner->engines ? owner->working[__builtin_ctz(owner->engines)].first : NULL;
	struct op_open *op = (struct op_open *)(void *)first;

	if (op == owner->op)
		return;
	if (owner->op && time_ns > from_ns)
		owner->op->exclusive_ns += time_ns - tc_time_later(owner->since_ns, from_ns);
	owner->op = op;
	owner->since_ns = time_ns;
}

/* The list of its device that an operation belongs to. Operations that only wait are on the last
 * list. */
static uint32_t list_of(const struct tc_device_tally *tally, const struct tc_op_total *total)
{
	bool waits = tally->timeline->labels[total->label].mark == TC_MARK_DEVICE_WAIT;

	return waits ? TC_ENGINE_COUNT : total->engine;
}

/* The slice starts or ends; its exclusive_ns is complete when it has ended. */
static void start_op(struct tc_device_tally *tally, struct op_open *op)
{
	struct tc_op_owner *owner = &tally->ops.owners[op->total->device];
	uint32_t list = list_of(tally, op->total);

	if (!(TC_WORK_OF(op->total->engine) & TC_WORK_BUSY))
		return;
	tc_open_list_append(&owner->working[list], LIST_WORKING, &op->open);
	owner->engines |= UINT32_C(1) << list;
	choose_owner(owner, tally->timeline->part_from_ns, op->open.start_ns);
}

static void end_op(struct tc_device_tally *tally, struct op_open *op)
{
	struct tc_op_owner *owner = &tally->ops.owners[op->total->device];
	uint32_t list = list_of(tally, op->total);

	if (!(TC_WORK_OF(op->total->engine) & TC_WORK_BUSY))
		return;
	tc_open_list_remove(&owner->working[list], LIST_WORKING, &op->open);
	if (!owner->working[list].first)
		owner->engines &= ~(UINT32_C(1) << list);
	choose_owner(owner, tally->timeline->part_from_ns, op->open.end_ns);
	op->total->exclusive_ns += op->exclusive_ns;
	op->recipe->exclusive_ns += op->exclusive_ns;
}

/* The sweep. */

static void allocate(struct tc_device_tally *tally)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct tc_arena *arena = &tally->arena;
	size_t devices = timeline->device_count, tallies = tally->tally_count;

	TC_ARENA(arena, tally->runs, tallies);
	tally->steps = tc_arena_take(arena, timeline->step_count,
		(tallies - tally->first_of_steps) * sizeof(*tally->steps));
	TC_ARENA(arena, tally->lanes, timeline->track_count);
	TC_ARENA(arena, tally->tracks, timeline->track_count);
	TC_ARENA(arena, tally->clamped_count, devices);
	TC_ARENA(arena, tally->sweep, 1);
	if (!tally->sweep)
		return;
	TC_ARENA(arena, tally->sweep->idle, tallies);
	TC_ARENA(arena, tally->sweep->graph_until_ns, tallies);
}

/* A few bytes of a file make a step or a device, so what both together take has a limit. */
static bool are_too_many(const struct tc_timeline *timeline)
{
	uint64_t count = (uint64_t)timeline->device_count * timeline->step_count;
	uint64_t slice_count = 0;

	for (size_t i = 0; i < timeline->track_count; i++)
		slice_count += (uint64_t)timeline->tracks[i].slice_count;
	return timeline->device_count > 1 && count > TC_DEVICE_STEP_MAX_COUNT &&
	       count > slice_count;
}

static void init(struct tc_device_tally *tally, const struct tc_timeline *timeline)
{
	const struct tc_busy none = {.busy_extent = TC_INTERVAL_NONE,
		.work_extent = TC_INTERVAL_NONE,
		.from_ns = INT64_MIN};
	size_t devices = timeline->device_count;

	*tally = (struct tc_device_tally){
		.arena.ctx = timeline->ctx,
		.timeline = timeline,
		.tally_count = devices > 1 ? devices + 1 : devices,
		.extent = TC_INTERVAL_NONE,
		.first_of_steps = are_too_many(timeline) ? devices : 0,
	};
	init_ops(tally);
	tally->waits.timeline = timeline;
	tally->waits.next = tc_sorter_first(timeline->waits);
	allocate(tally);
	if (tc_ctx_failed(timeline->ctx))
		return;
	fill_measures(tally->sweep->measures);
	for (size_t i = 0; i < tally->tally_count; i++) {
		tally->runs[i] = none;
		tally->runs[i].from_ns = tally->timeline->part_from_ns;
		tally->sweep->graph_until_ns[i] = INT64_MIN;
		tally->sweep->idle[i].from_ns = TC_TIME_FIRST;
	}
	for (size_t i = 0; i < (tally->tally_count - tally->first_of_steps) * timeline->step_count;
		i++)
		tally->steps[i] = none;
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct tc_track *track = &timeline->tracks[i];
		if (track->kind == TC_TRACK_LANE && track->device >= 0 &&
			(size_t)track->device < devices)
			tally->tracks[tally->track_count++] = (uint32_t)i;
	}
}

void tc_device_tally_clear(struct tc_device_tally *tally)
{
	tc_op_totals_clear(&tally->ops.operations);
	tc_op_totals_clear(&tally->ops.recipes);
	tc_sorter_free(tally->waits.released);
	tc_communication_tally_clear(&tally->communication);
	tc_sorter_free(tally->spool.gaps);
	tc_sorter_free(tally->spool.idle);
	tc_sorter_free(tally->spool.transfers);
	tc_sorter_free(tally->launched);
	tc_arena_clear(&tally->arena);
	*tally = (struct tc_device_tally){0};
}

/* The tallies a slice belongs to: its device, all devices, and both in its step. */
struct target {
	size_t tallies[2];
	size_t count;
	struct tc_busy *steps[2]; /* NULL for one without steps, or outside of them */
};

static struct target target_of(const struct tc_device_tally *tally, const struct tc_span *span)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct target target = {.count = 1};

	target.tallies[0] = (size_t)timeline->tracks[span->track].device;
	if (tally->tally_count > 1) {
		target.tallies[1] = tally->tally_count - 1;
		target.count = 2;
	}
	for (size_t i = 0; i < target.count && span->step >= 0; i++)
		if ((size_t)span->step < tc_device_tally_step_count(tally, target.tallies[i]))
			target.steps[i] =
				tc_device_tally_step(tally, target.tallies[i], (size_t)span->step);
	return target;
}

static void count_op(struct tc_device_tally *tally, const struct tc_span *span)
{
	struct target target = target_of(tally, span);
	int64_t launched = span->launch_slice_id != TC_NO_ID;
	int64_t before = span->method == TC_LAUNCH_BEFORE;

	tc_blocking_see(&tally->program.blocking, tally->timeline, span);
	tc_loading_see(&tally->program.loading, tally->timeline, span);
	for (size_t i = 0; i < target.count && tc_device_tally_counts(tally, tc_span_end_ns(span));
		i++) {
		tally->runs[target.tallies[i]].op_count++;
		tally->runs[target.tallies[i]].launched_count += launched;
		tally->runs[target.tallies[i]].before_count += before;
		if (target.steps[i]) {
			target.steps[i]->op_count++;
			target.steps[i]->launched_count += launched;
		}
	}
}

/* A copy between host and device, whose call waits for the work before it. The first copy to the
 * device sets the runtime up instead, so such copies count where steps before the recording had
 * some. */
static bool is_waited_for(const struct tc_timeline *timeline, const struct tc_span *span)
{
	enum tc_direction direction = timeline->labels[span->label].direction;

	return direction == TC_DIRECTION_DTOH ||
	       (direction == TC_DIRECTION_HTOD && timeline->step_count > 0 &&
		       timeline->steps[0].number > 0);
}

static void note_launch(
	const struct tc_timeline *timeline, struct tc_gap *gap, const struct tc_span *span)
{
	gap->launch_slice_id = span->launch_slice_id;
	gap->launch_ts_ns = tc_time_clamp(span->launch_ts_ns);
	gap->launch_end_ns = tc_time_clamp(span->launch_end_ns);
	gap->launch_label = span->launch_label;
	gap->work_ns = span->dur_ns;
	gap->waits = is_waited_for(timeline, span);
	gap->step = span->step;
	gap->is_queued = span->method == TC_LAUNCH_BEFORE;
}

/* If only recorded events follow, each interval is a gap of its own, and so is the time before the
 * first work. */
static void flush_gap(struct tc_device_tally *tally, size_t i)
{
	struct idle_state *idle = &tally->sweep->idle[i];

	for (size_t part = 0; part < idle->part_count; part++) {
		struct tc_gap *gap = &idle->parts[part];
		gap->goes_on =
			idle->is_over && part + 1 < idle->part_count && gap->place == gap[1].place;
		tc_sorter_put(&tally->spool.gaps, tally->timeline->ctx, &tc_gap_layout, gap);
	}
	idle->part_count = 0;
}

/* Work other than the recording of an event starts. The first such operation ends the gap. Of
 * several that start at that time, the first whose launch is known counts. */
static void end_gap(
	const struct tc_timeline *timeline, struct idle_state *idle, const struct tc_open *open)
{
	bool is_first = !idle->is_over;

	if (idle->part_count == 0)
		return;
	if (is_first)
		idle->over_ns = open->start_ns;
	idle->is_over = true;
	if (!is_first &&
		(idle->over_ns != open->start_ns || idle->parts[0].launch_slice_id != TC_NO_ID ||
			open->span.launch_slice_id == TC_NO_ID))
		return;
	for (size_t part = 0; part < idle->part_count; part++)
		note_launch(timeline, &idle->parts[part], &open->span);
}

/* Advances over the runs that began before a time. */
static void pass_runs(struct tc_device_tally *tally, int64_t time_ns)
{
	struct tc_device_sweep *sweep = tally->sweep;
	size_t all = tally->tally_count - 1;

	while (sweep->next_graph && tc_time_clamp(sweep->next_graph->start_ns) < time_ns) {
		int64_t end_ns = tc_time_clamp(sweep->next_graph->end_ns);
		int64_t *until_ns = &sweep->graph_until_ns[sweep->next_graph->device];
		*until_ns = tc_time_later(*until_ns, end_ns);
		sweep->graph_until_ns[all] = tc_time_later(sweep->graph_until_ns[all], end_ns);
		sweep->next_graph = tc_sorter_next(tally->timeline->graph_runs);
	}
}

/* During the run of a graph the host is not involved, and operations follow each other at once. A
 * longer pause means that operations are missing from the trace. No run begins in idle time. */
static bool is_hole(const struct tc_device_tally *tally, size_t i, struct tc_interval idle)
{
	return tc_interval_measure(idle) >= TC_HOLE_MIN_NS &&
	       tally->sweep->graph_until_ns[i] >= idle.end_ns;
}

/* Adds the idle time since from_ns, an interval for each time between turns of the NICs. In a hole
 * nobody knows what worked. */
static void add_parts(
	struct tc_device_tally *tally, size_t i, struct tc_gap part, const struct tc_span *next)
{
	struct idle_state *idle = &tally->sweep->idle[i];
	int64_t end_ns = part.end_ns;
	bool has_nics = idle->had_nics;

	if (!TC_ARENA_GROW(&tally->arena, idle->parts, idle->part_capacity,
		    idle->part_count + idle->turn_count + 1))
		return;
	if (next)
		note_launch(tally->timeline, &part, next);
	for (size_t turn = 0; turn <= idle->turn_count; turn++, has_nics = !has_nics) {
		if (turn < idle->turn_count && part.is_hole)
			continue;
		part.end_ns = turn < idle->turn_count ? idle->turns[turn] : end_ns;
		part.has_nics = has_nics && !part.is_hole;
		if (part.start_ns < part.end_ns)
			idle->parts[idle->part_count++] = part;
		part.start_ns = part.end_ns;
	}
}

/* The first operation after idle time starts. The idle interval becomes a new gap or continues the
 * last one. */
static void add_idle(
	struct tc_device_tally *tally, size_t i, const struct tc_span *next, int64_t time_ns)
{
	struct idle_state *idle = &tally->sweep->idle[i];
	struct tc_interval interval = {idle->from_ns, time_ns};

	pass_runs(tally, time_ns);
	bool hole = idle->started && is_hole(tally, i, interval);
	tally->has_holes |= hole;
	bool is_within = idle->started && interval.start_ns >= tally->timeline->part_from_ns;
	const struct tc_gap part = {
		.start_ns = interval.start_ns,
		.end_ns = interval.end_ns,
		.tally = (int32_t)i,
		.thread = -1,
		.is_hole = hole,
		.place = is_within ? TC_GAP_WITHIN : TC_GAP_BEFORE,
	};
	if (!is_within && idle->started)
		tally->runs[i].from_ns = tc_time_later(tally->runs[i].from_ns, interval.end_ns);
	if (idle->is_over || idle->part_count >= GAP_PARTS_HELD ||
		(idle->part_count > 0 && idle->parts[0].is_hole != hole))
		flush_gap(tally, i);
	add_parts(tally, i, part, next);
	idle->is_over = false;
	if (i == tally->tally_count - 1 && !hole && idle->started)
		tc_sorter_put(&tally->spool.idle, tally->timeline->ctx, &idle_layout, &interval);
}

/* Idle time begins, or goes on in a new gap. */
static void begin_idle(struct tc_device_tally *tally, size_t i, int64_t time_ns)
{
	struct idle_state *idle = &tally->sweep->idle[i];

	idle->from_ns = time_ns;
	idle->had_nics = has_nics(&tally->runs[i]);
	idle->turn_count = 0;
}

/* The NICs of an idle device started or stopped with an operation. */
static void turn_nics(
	struct tc_device_tally *tally, size_t i, const struct tc_span *span, int64_t time_ns)
{
	struct idle_state *idle = &tally->sweep->idle[i];

	if (idle->turn_count == GAP_PARTS_HELD) {
		add_idle(tally, i, span, time_ns);
		idle->is_over = true;
		idle->over_ns = time_ns;
		begin_idle(tally, i, time_ns);
	} else if (TC_ARENA_GROW(
			   &tally->arena, idle->turns, idle->turn_capacity, idle->turn_count + 1)) {
		idle->turns[idle->turn_count++] = time_ns;
	}
}

/* The idle time after the last work; all the time where no work counts as busy. */
static void end_idle(struct tc_device_tally *tally, size_t i)
{
	struct idle_state *idle = &tally->sweep->idle[i];
	const struct tc_gap part = {
		.start_ns = idle->from_ns,
		.end_ns = TC_TIME_LAST,
		.launch_slice_id = TC_NO_ID,
		.tally = (int32_t)i,
		.step = -1,
		.thread = -1,
		.place = idle->started ? TC_GAP_AFTER : TC_GAP_BEFORE,
	};

	flush_gap(tally, i);
	if (tally->runs[i].op_count == 0)
		return;
	idle->is_over = true;
	add_parts(tally, i, part, NULL);
	flush_gap(tally, i);
}

/* Stores the held transfers; next is the work after them. The host was late until it began to
 * launch that work. It was late all the time when the launch is not known, and not at all when no
 * such work follows (NULL) or it was launched before the recording. */
static void flush_transfers(struct tc_device_tally *tally, const struct tc_span *next)
{
	bool has_launch = next && next->launch_slice_id != TC_NO_ID;
	bool on_time = !next || next->method == TC_LAUNCH_BEFORE;
	int64_t late_until_ns =
		on_time ? TC_TIME_FIRST
			: (has_launch ? tc_time_clamp(next->launch_ts_ns) : TC_TIME_LAST);
	struct tc_device_sweep *sweep = tally->sweep;

	for (size_t i = 0; i < sweep->transfer_count; i++) {
		struct tc_transfer *transfer = &sweep->transfers[i];
		if (transfer->late.end_ns > late_until_ns)
			transfer->late.end_ns = late_until_ns > transfer->late.start_ns
							? late_until_ns
							: transfer->late.start_ns;
		tc_sorter_put(
			&tally->spool.transfers, tally->timeline->ctx, &transfer_layout, transfer);
	}
	sweep->transfer_count = 0;
}

/* All devices together started or stopped doing nothing but transfers. */
static void turn_transfer(struct tc_device_tally *tally, bool does, int64_t time_ns)
{
	struct tc_device_sweep *sweep = tally->sweep;
	int64_t from_ns = sweep->transfer_from_ns;

	sweep->transfer_from_ns = time_ns;
	if (does || from_ns == time_ns)
		return;
	if (sweep->transfer_count == TRANSFERS_HELD)
		flush_transfers(tally, NULL);
	sweep->transfers[sweep->transfer_count++] =
		(struct tc_transfer){.late = {from_ns, time_ns}, .end_ns = time_ns};
}

static void start_busy(struct tc_device_tally *tally, size_t i, const struct op_open *op)
{
	struct tc_busy *busy = &tally->runs[i];
	struct idle_state *idle = &tally->sweep->idle[i];
	struct tc_interval interval = {op->open.start_ns, op->open.end_ns};
	bool was_idle = !is_busy(busy), had_nics = has_nics(busy);
	bool did_transfer = only_transfers(busy), is_all = i == tally->tally_count - 1;

	busy_start(busy, tally->sweep->measures, op->classes, &interval);
	if (is_all && did_transfer != only_transfers(busy))
		turn_transfer(tally, !did_transfer, interval.start_ns);
	if (is_all && (op->classes & TC_WORK_NO_TRANSFER))
		flush_transfers(tally, &op->open.span);
	if (was_idle && had_nics != has_nics(busy))
		turn_nics(tally, i, &op->open.span, interval.start_ns);
	if (!(op->classes & TC_WORK_BUSY))
		return;
	if (was_idle && idle->from_ns < interval.start_ns)
		add_idle(tally, i, &op->open.span, interval.start_ns);
	idle->started = true;
	if (tally->timeline->labels[op->open.span.label].mark != TC_MARK_EVENT_RECORD)
		end_gap(tally->timeline, idle, &op->open);
}

static void start_lane(struct tc_device_tally *tally, struct op_open *op)
{
	struct tc_lane_time *lane = &tally->lanes[op->open.span.track];

	lane->engine = op->total->engine;
	op->is_timed = true;
	if (lane->active++ == 0)
		lane->since_ns = op->open.start_ns;
	tally->extent = tc_interval_join(
		tally->extent, (struct tc_interval){op->open.start_ns, op->open.end_ns});
}

/* Whether an operation is a copy between host and device, by its name. On Gaudi all copies have one
 * name; there it is a copy without a recipe on a device whose work has recipes. */
static bool is_transfer(const struct tc_timeline *timeline, const struct tc_span *span)
{
	const struct tc_label *label = &timeline->labels[span->label];
	const struct tc_track *track = &timeline->tracks[span->track];

	if (label->direction == TC_DIRECTION_HTOD || label->direction == TC_DIRECTION_DTOH)
		return true;
	return label->direction == TC_DIRECTION_NONE && track->engine == TC_ENGINE_DMA &&
	       span->recipe == TC_STRTAB_NONE && label->kind != TC_OP_MEMSET &&
	       timeline->devices[track->device].has_recipes;
}

static uint32_t classes_of(const struct tc_timeline *timeline, const struct tc_span *span,
	const struct tc_op_total *total)
{
	if (total->engine == TC_ENGINE_OTHER)
		return 0;
	uint32_t classes = TC_WORK_OF(total->engine);
	if (total->engine == TC_ENGINE_MME && total->precision != TC_PRECISION_FP32 &&
		total->precision != TC_PRECISION_TF32)
		classes |= TC_WORK_MME_NOT_FP32;
	if ((classes & TC_WORK_COPY) && !is_transfer(timeline, span))
		classes |= TC_WORK_INNER_COPY;
	if (span->method == TC_LAUNCH_BEFORE)
		classes |= TC_WORK_LAUNCHED_BEFORE;
	return classes;
}

/* Whether the time of an operation is known. */
static bool has_time(struct tc_device_tally *tally, const struct tc_open *open)
{
	int32_t device = tally->timeline->tracks[open->span.track].device;

	if (!tally->clocks.is_clamped[device] || open->span.ts_ns != 0)
		return tc_clocks_know(&tally->clocks, open->start_ns);
	tally->clamped_count[device]++;
	return false;
}

static void on_start(void *user, struct tc_open *open)
{
	struct tc_device_tally *tally = user;
	struct op_open *op = (struct op_open *)(void *)open;
	enum tc_engine engine = tc_span_engine(tally->timeline, &open->span);
	int32_t device = tally->timeline->tracks[open->span.track].device;

	if (engine == TC_ENGINE_NONE)
		return;
	op->total = operation_of(tally, &open->span, engine);
	op->recipe = recipe_of(tally, &open->span);
	if (!op->total || !op->recipe)
		return;
	op->launched = launched_of(tally->timeline, &open->span);
	if (tc_device_tally_counts(tally, open->end_ns)) {
		op_total_count(op->total, open->end_ns - open->start_ns);
		op_total_count(op->recipe, open->end_ns - open->start_ns);
		tally->lanes[open->span.track].op_count++;
	}
	tally->lanes[open->span.track].engines |= TC_WORK_OF(engine);
	count_op(tally, &open->span);
	if (!has_time(tally, open))
		return;
	/* A call on another clock has no usable time. */
	if (!tc_clocks_know(&tally->clocks, tc_time_clamp(open->span.launch_ts_ns)))
		open->span.launch_slice_id = TC_NO_ID;
	op->classes = classes_of(tally->timeline, &open->span, op->total);
	start_lane(tally, op);
	if (!op->classes)
		return;
	struct target target = target_of(tally, &open->span);
	struct tc_interval interval = {open->start_ns, open->end_ns};
	if (op->classes & TC_WORK_COMMUNICATION)
		op->compute_ns = compute_ns_until(&tally->runs[device], open->start_ns);
	for (size_t i = 0; i < target.count; i++) {
		start_busy(tally, target.tallies[i], op);
		if (target.steps[i])
			busy_start(target.steps[i], tally->sweep->measures, op->classes, &interval);
	}
	start_op(tally, op);
}

static void end_communication(
	struct tc_device_tally *tally, const struct op_open *op, const struct tc_busy *busy)
{
	const struct tc_open *open = &op->open;
	int64_t hidden_ns = compute_ns_until(busy, open->end_ns) - op->compute_ns;

	tc_communication_tally_add(&tally->communication, tally->timeline->ctx, open->span.slice_id,
		open->end_ns - open->start_ns - hidden_ns);
}

static void end_work(struct tc_device_tally *tally, struct op_open *op)
{
	const struct tc_open *open = &op->open;
	const uint32_t *measures = tally->sweep->measures;
	struct target target = target_of(tally, &open->span);

	tc_wait_tally_end(&tally->waits, open);
	if (op->classes & TC_WORK_COMMUNICATION)
		end_communication(tally, op, &tally->runs[target.tallies[0]]);
	for (size_t i = 0; i < target.count; i++) {
		struct tc_busy *busy = &tally->runs[target.tallies[i]];
		bool was_busy = is_busy(busy), had_nics = has_nics(busy);
		bool did_transfer = only_transfers(busy);
		busy_end(busy, measures, op->classes, open->end_ns);
		if (target.tallies[i] == tally->tally_count - 1 &&
			did_transfer != only_transfers(busy))
			turn_transfer(tally, !did_transfer, open->end_ns);
		if (was_busy && !is_busy(busy))
			begin_idle(tally, target.tallies[i], open->end_ns);
		else if (!was_busy && had_nics != has_nics(busy))
			turn_nics(tally, target.tallies[i], &open->span, open->end_ns);
		if (target.steps[i])
			busy_end(target.steps[i], measures, op->classes, open->end_ns);
	}
	end_op(tally, op);
}

static void on_end(void *user, struct tc_open *open)
{
	struct tc_device_tally *tally = user;
	struct op_open *op = (struct op_open *)(void *)open;
	struct tc_lane_time *lane = &tally->lanes[open->span.track];

	if (!op->total) /* a lane without an engine */
		return;
	if (op->is_timed && --lane->active == 0 && tc_device_tally_counts(tally, open->end_ns))
		lane->busy_ns +=
			open->end_ns - tc_time_later(lane->since_ns, tally->timeline->part_from_ns);
	if (op->classes)
		end_work(tally, op);
	op->launched.time.exclusive_ns = op->exclusive_ns;
	tc_sorter_put(&tally->launched, tally->timeline->ctx, &launched_layout, &op->launched);
}

static void on_endless(void *user, const struct tc_span *span)
{
	struct tc_device_tally *tally = user;

	if (tc_span_engine(tally->timeline, span) != TC_ENGINE_NONE)
		count_op(tally, span);
}

void tc_device_tally_run(struct tc_device_tally *tally, const struct tc_timeline *timeline)
{
	const struct tc_sweep sweep = {
		.user = tally,
		.open_bytes = sizeof(struct op_open),
		.start = on_start,
		.end = on_end,
		.endless = on_endless,
	};

	init(tally, timeline);
	tc_clocks_find(&tally->clocks, &tally->arena, timeline);
	if (tally->tally_count > 0 && !tc_ctx_failed(timeline->ctx))
		tally->sweep->next_graph = tc_sorter_first(timeline->graph_runs);
	tc_sweep_run(&sweep, timeline, tally->tracks, tally->track_count);
	for (size_t i = 0; i < tally->tally_count && !tc_ctx_failed(timeline->ctx); i++)
		end_idle(tally, i);
	if (!tc_ctx_failed(timeline->ctx))
		flush_transfers(tally, NULL);
	tally->sweep = NULL;
}

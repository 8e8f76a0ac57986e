/*
 * Windows. Steps may overlap, so the step of a time is the latest that has started and not ended:
 * a tree above the steps holds the latest end below each node, and skips what has ended too early.
 * Without steps the wall is the whole trace.
 */
#include "analysis/windows.h"

#include "core/array.h"
#include "core/saturate.h"
#include "core/sort/paged.h"
#include "names/label/label.h"

/* Median and mean of the steps. */
static void measure_steps(struct tc_windows *windows)
{
	size_t count = windows->timeline->step_count;
	int64_t *sorted = windows->sorted_ns;
	int64_t sum_ns = 0;

	for (size_t i = 0; i < count; i++) {
		sorted[i] = tc_interval_measure(windows->steps[i]);
		sum_ns = tc_add_saturated(sum_ns, sorted[i]);
	}
	windows->median_ns = tc_median(sorted, count);
	windows->mean_ns = count > 0 ? sum_ns / (int64_t)count : 0;
}

TC_ORDER(compare_edges, struct tc_window_edge, TC_UP(time_ns));

static void sort_edges(struct tc_windows *windows)
{
	size_t count = windows->timeline->step_count;

	for (size_t i = 0; i < count; i++) {
		struct tc_interval step = windows->steps[i];
		windows->edges[2 * i] = (struct tc_window_edge){step.start_ns, (uint32_t)i, false};
		windows->edges[2 * i + 1] = (struct tc_window_edge){step.end_ns, (uint32_t)i, true};
	}
	TC_SORT(windows->edges, 2 * count, compare_edges);
}

/* tree_ns[i] is the latest end below, its children are 2 * i and 2 * i + 1. */
static void fill_tree(struct tc_windows *windows)
{
	size_t leaves = windows->leaf_count;

	for (size_t i = 0; i < leaves; i++)
		windows->tree_ns[leaves + i] =
			i < windows->timeline->step_count ? windows->steps[i].end_ns : INT64_MIN;
	for (size_t i = leaves; i-- > 1;)
		windows->tree_ns[i] =
			tc_time_later(windows->tree_ns[2 * i], windows->tree_ns[2 * i + 1]);
}

static void read_steps(struct tc_windows *windows)
{
	const struct tc_timeline *timeline = windows->timeline;
	int64_t end_ns = INT64_MIN;

	for (size_t i = 0; i < timeline->step_count; i++) {
		struct tc_interval step =
			tc_interval_of(timeline->steps[i].ts_ns, timeline->steps[i].dur_ns);
		windows->steps[i] = step;
		if (step.end_ns > end_ns)
			end_ns = step.end_ns;
		windows->ends_ns[i] = end_ns;
		tc_interval_set_add(&windows->host, timeline->ctx, step);
	}
	sort_edges(windows);
	fill_tree(windows);
	measure_steps(windows);
}

/* From the first to the last slice, without slices that a writer clamped to 0. */
static struct tc_interval whole_trace(const struct tc_device_tally *devices)
{
	const struct tc_timeline *timeline = devices->timeline;
	struct tc_interval whole = {timeline->start_ns, timeline->end_ns};

	if (devices->clocks.zero_is_no_time)
		whole = tc_interval_join(devices->extent, devices->clocks.host);
	if (whole.start_ns > whole.end_ns)
		return (struct tc_interval){0, 0};
	whole.start_ns = tc_time_clamp(whole.start_ns);
	whole.end_ns = tc_time_clamp(whole.end_ns);
	return tc_interval_cut(whole, devices->clocks.known);
}

/* If steps are on several clocks, or on a clock other than the device's: the steps that closely
 * follow the first. */
static struct tc_interval first_steps(const struct tc_windows *windows)
{
	struct tc_interval wall = windows->steps[0];

	for (size_t i = 1; i < windows->timeline->step_count; i++) {
		if (windows->steps[i].start_ns - TC_CLOCKS_APART_MIN_NS >= wall.end_ns)
			break;
		if (windows->steps[i].end_ns > wall.end_ns)
			wall.end_ns = windows->steps[i].end_ns;
	}
	return wall;
}

/* The end of a step and of the work that it launched. */
static int64_t end_of_step(
	const struct tc_windows *windows, const struct tc_device_tally *devices, size_t step)
{
	int64_t end_ns = windows->steps[step].end_ns;

	if (devices->tally_count == 0 || devices->clocks.steps_apart)
		return end_ns;
	const struct tc_busy *busy = tc_device_tally_step(devices, devices->tally_count - 1, step);
	return tc_busy_has_work(busy) ? tc_time_later(end_ns, busy->work_extent.end_ns) : end_ns;
}

static void find_wall(struct tc_windows *windows, const struct tc_device_tally *devices)
{
	const struct tc_timeline *timeline = windows->timeline;

	if (timeline->step_count == 0) {
		windows->wall = whole_trace(devices);
		return;
	}
	if (devices->clocks.steps_apart) {
		windows->wall = first_steps(windows);
		return;
	}
	windows->wall.start_ns =
		tc_time_later(windows->steps[0].start_ns, tc_time_clamp(timeline->part_from_ns));
	windows->wall.end_ns = windows->ends_ns[timeline->step_count - 1];
	for (size_t i = 0; i < timeline->step_count; i++)
		windows->wall.end_ns =
			tc_time_later(windows->wall.end_ns, end_of_step(windows, devices, i));
}

/* ---- idle time in the windows */

/* Kinds of idle time beside the causes: nobody knows whether the device worked, or NICs do. */
enum { IDLE_HOLE = TC_CAUSE_COUNT, IDLE_NICS, IDLE_PARTS };

/* The idle time of a tally within a window. */
struct idle_sums {
	int64_t ns[IDLE_PARTS];
};

/* Gaps within the wall. */
struct gaps {
	int64_t count, longest_ns, ns;
};

enum { BETWEEN, AT_EDGES, PLACES }; /* the first and the last work */

struct idle_run {
	size_t next_edge;             /* of the windows' edges */
	int64_t until_ns[IDLE_PARTS]; /* all so far, also outside of the wall */
	int64_t gap_ns[IDLE_PARTS];   /* of the current gap, within the wall */
	struct gaps gaps[PLACES][IDLE_PARTS];
};

struct tc_idle_time {
	struct idle_run *runs; /* by tally: how far it is */
	struct tc_paged steps; /* struct idle_sums, by tally and step */
};

static void init_idle(struct tc_windows *windows)
{
	const struct tc_timeline *timeline = windows->timeline;
	size_t tallies = windows->devices->tally_count;

	TC_ARENA(&windows->arena, windows->idle, 1);
	if (!windows->idle)
		return;
	TC_ARENA(&windows->arena, windows->idle->runs, tallies);
	tc_paged_init(&windows->idle->steps, timeline->ctx,
		(tallies - windows->devices->first_of_steps) * timeline->step_count,
		sizeof(struct idle_sums), NULL);
}

void tc_windows_init(struct tc_windows *windows, const struct tc_device_tally *devices)
{
	const struct tc_timeline *timeline = devices->timeline;
	size_t steps = timeline->step_count;

	*windows = (struct tc_windows){
		.arena.ctx = timeline->ctx, .timeline = timeline, .devices = devices};
	for (windows->leaf_count = 1; windows->leaf_count < steps;)
		windows->leaf_count *= 2;
	TC_ARENA(&windows->arena, windows->steps, steps);
	TC_ARENA(&windows->arena, windows->sorted_ns, steps);
	TC_ARENA(&windows->arena, windows->ends_ns, steps);
	TC_ARENA(&windows->arena, windows->edges, 2 * steps);
	TC_ARENA(&windows->arena, windows->tree_ns, 2 * windows->leaf_count);
	init_idle(windows);
	if (tc_ctx_failed(timeline->ctx))
		return;
	read_steps(windows);
	find_wall(windows, devices);
}

void tc_windows_clear(struct tc_windows *windows)
{
	if (windows->idle)
		tc_paged_clear(&windows->idle->steps);
	tc_interval_set_clear(&windows->host);
	tc_arena_clear(&windows->arena);
	*windows = (struct tc_windows){0};
}

/* The last of the first `count` steps that ends after a time; -1 without any. */
static int64_t latest_open(const struct tc_windows *windows, size_t count, int64_t time_ns)
{
	size_t at = windows->leaf_count + count - 1;

	if (count == 0 || windows->ends_ns[count - 1] <= time_ns)
		return -1;
	/* Skips subtrees in which all steps end too early, moving left. */
	while (windows->tree_ns[at] <= time_ns) {
		while (at % 2 == 0)
			at /= 2;
		at--;
	}
	while (at < windows->leaf_count)
		at = windows->tree_ns[2 * at + 1] > time_ns ? 2 * at + 1 : 2 * at;
	return (int64_t)(at - windows->leaf_count);
}

int64_t tc_windows_step_at(const struct tc_windows *windows, int64_t time_ns)
{
	size_t at;

	TC_BISECT(at, windows->timeline->step_count, windows->steps[at].start_ns <= time_ns);
	return latest_open(windows, at, time_ns);
}

static struct idle_sums *sums_of(const struct tc_windows *windows, size_t i, size_t step)
{
	return TC_PAGED_AT(&windows->idle->steps, struct idle_sums,
		tc_device_tally_step_index(windows->devices, i, step));
}

/* The idle time of a step is the sum at its end minus the sum at its start. So one pass over the
 * edges is enough, also where steps overlap. */
static void pass_edges(
	const struct tc_windows *windows, size_t i, int part, struct tc_interval interval)
{
	struct idle_run *run = &windows->idle->runs[i];
	size_t count = 2 * tc_device_tally_step_count(windows->devices, i);

	for (; run->next_edge < count; run->next_edge++) {
		const struct tc_window_edge *edge = &windows->edges[run->next_edge];
		if (edge->time_ns >= interval.end_ns)
			break;
		struct idle_sums *sums = sums_of(windows, i, edge->step);
		for (int k = 0; k < IDLE_PARTS; k++)
			sums->ns[k] += edge->is_end ? run->until_ns[k] : -run->until_ns[k];
		int64_t within_ns =
			tc_interval_measure((struct tc_interval){interval.start_ns, edge->time_ns});
		sums->ns[part] += edge->is_end ? within_ns : -within_ns;
	}
}

void tc_idle_add(const struct tc_windows *windows, const struct tc_gap *gap, int part,
	struct tc_interval interval)
{
	struct idle_run *run = &windows->idle->runs[gap->tally];
	int64_t wall_ns = tc_interval_measure(tc_interval_cut(interval, windows->wall));

	if (gap->is_hole || part == TC_CAUSE_UNRECORDED)
		part = IDLE_HOLE;
	else if (gap->has_nics)
		part = IDLE_NICS;
	pass_edges(windows, (size_t)gap->tally, part, interval);
	run->until_ns[part] += tc_interval_measure(interval);
	run->gap_ns[part] += wall_ns;
}

/* All time was added. */
static void end_idle(const struct tc_windows *windows)
{
	const struct tc_interval last = {TC_TIME_LAST, INT64_MAX};

	for (size_t i = 0; i < windows->devices->tally_count; i++)
		pass_edges(windows, i, TC_CAUSE_UNKNOWN, last);
}

void tc_idle_end_gap(const struct tc_windows *windows, const struct tc_gap *gap)
{
	struct idle_run *run = &windows->idle->runs[gap->tally];
	int place = gap->place == TC_GAP_WITHIN ? BETWEEN : AT_EDGES;

	for (int part = 0; part < IDLE_PARTS; part++) {
		struct gaps *gaps = &run->gaps[place][part];
		gaps->count += run->gap_ns[part] > 0;
		gaps->ns += run->gap_ns[part];
		if (run->gap_ns[part] > gaps->longest_ns)
			gaps->longest_ns = run->gap_ns[part];
		run->gap_ns[part] = 0;
	}
}

static struct idle_sums wall_sums(const struct idle_run *run)
{
	struct idle_sums sums;

	for (int part = 0; part < IDLE_PARTS; part++)
		sums.ns[part] = run->gaps[BETWEEN][part].ns + run->gaps[AT_EDGES][part].ns;
	return sums;
}

/* Idle time before the first and after the last work, where that is start-up and end of a recording
 * without steps: a hundredth of the analysed time or more. Our default, no published source. */
static int64_t start_and_end_ns(const struct tc_windows *windows, const struct idle_run *run)
{
	int64_t edge_ns = 0;

	for (int cause = 0; cause < TC_CAUSE_COUNT; cause++)
		edge_ns += run->gaps[AT_EDGES][cause].ns;
	bool is_large = edge_ns >= (tc_interval_measure(windows->wall) + 99) / 100;
	return windows->timeline->step_count == 0 && is_large ? edge_ns : 0;
}

static void put_metrics(const struct idle_sums *sums, int64_t edge_ns, struct tc_interval window,
	struct tc_metric_writer *writer, struct tc_metric_scope scope)
{
	int64_t window_ns = tc_interval_measure(window), idle_ns = 0;

	for (int cause = 0; cause < TC_CAUSE_COUNT; cause++)
		idle_ns += sums->ns[cause];
	int64_t wait_ns = idle_ns + sums->ns[IDLE_NICS];
	tc_metric_put(writer, TC_METRIC_IDLE, scope, idle_ns - edge_ns);
	tc_metric_put(writer, TC_METRIC_DEVICE_WAIT, scope, wait_ns);
	tc_metric_put(writer, TC_METRIC_DEVICE_UNKNOWN, scope, sums->ns[IDLE_HOLE]);
	tc_metric_put_ratio(writer, TC_METRIC_DEVICE_BUSY_PCT, scope,
		window_ns - wait_ns - sums->ns[IDLE_HOLE], window_ns);
}

void tc_idle_metrics(const struct tc_windows *windows, struct tc_metric_writer *writer)
{
	const struct tc_timeline *timeline = windows->timeline;
	const struct tc_device_tally *devices = windows->devices;

	for (size_t n = 0; n < tc_device_scope_count(devices); n++) {
		size_t i = tc_device_scope_tally(devices, n);
		struct tc_metric_scope scope = {tc_device_scope_name(devices, n), NULL};
		if (devices->runs[i].op_count == 0)
			continue;
		const struct idle_sums wall = wall_sums(&windows->idle->runs[i]);
		int64_t edge_ns = start_and_end_ns(windows, &windows->idle->runs[i]);
		put_metrics(&wall, edge_ns, windows->wall, writer, scope);
		tc_metric_put(writer, TC_METRIC_START_AND_END, scope, edge_ns);
		for (size_t step = 0; step < tc_device_tally_step_count(devices, i); step++) {
			scope.step = &timeline->steps[step].number;
			put_metrics(
				sums_of(windows, i, step), 0, windows->steps[step], writer, scope);
		}
	}
	tc_metric_writer_flush(writer);
}

static const char idle_sql[] =
	"idle_total (trace_id, device, step_id, cause, at_edge, dur, count, longest_ns)";

static void write_idle_gaps(const struct tc_windows *windows, struct tc_tables *tables,
	size_t scope, int place, int cause)
{
	size_t i = tc_device_scope_tally(windows->devices, scope);
	const struct gaps *gaps = &windows->idle->runs[i].gaps[place][cause];
	const struct tc_sql_value values[] = {
		tc_sql_int(windows->timeline->trace_id),
		tc_sql_text(tc_device_scope_name(windows->devices, scope)),
		tc_sql_null(),
		tc_sql_string(tc_cause_name((enum tc_cause)cause)),
		tc_sql_int(place == AT_EDGES),
		tc_sql_int(gaps->ns),
		tc_sql_int(gaps->count),
		tc_sql_int(gaps->longest_ns),
	};

	if (gaps->ns > 0)
		TC_TABLES_PUT(tables, idle_sql, values);
}

/* Steps have only the time of all devices together. */
static void write_idle_step(
	const struct tc_windows *windows, struct tc_tables *tables, int64_t step, int cause)
{
	const struct tc_timeline *timeline = windows->timeline;
	int64_t ns = sums_of(windows, windows->devices->tally_count - 1, (size_t)step)->ns[cause];
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_null(),
		tc_sql_id(tc_windows_step_id(timeline, step)),
		tc_sql_string(tc_cause_name((enum tc_cause)cause)),
		tc_sql_null(),
		tc_sql_int(ns),
		tc_sql_null(),
		tc_sql_null(),
	};

	if (ns > 0)
		TC_TABLES_PUT(tables, idle_sql, values);
}

void tc_idle_write(const struct tc_windows *windows, struct tc_tables *tables)
{
	size_t scopes = tc_device_scope_count(windows->devices);
	int64_t steps = (int64_t)windows->timeline->step_count;

	end_idle(windows);
	for (size_t scope = 0; scope < scopes; scope++)
		for (int i = 0; i < PLACES * TC_CAUSE_COUNT; i++)
			write_idle_gaps(
				windows, tables, scope, i / TC_CAUSE_COUNT, i % TC_CAUSE_COUNT);
	for (int64_t step = 0; scopes > 0 && step < steps; step++)
		for (int cause = 0; cause < TC_CAUSE_COUNT; cause++)
			write_idle_step(windows, tables, step, cause);
}

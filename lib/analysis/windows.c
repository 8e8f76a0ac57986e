/*
 * Windows. Steps may overlap, so the step of a time is the latest that has started and not ended:
 * a tree above the steps holds the latest end below each node, and skips what has ended too early.
 * Without steps the wall is the whole trace.
 */
#include "analysis/windows.h"

#include "core/array.h"

/* A first step is warm-up if it takes at least this many times the median of the others. With fewer
 * steps nothing shows which one is unusual. Our default, no published source. */
enum { WARM_UP_FACTOR = 2, WARM_UP_MIN_STEPS = 3 };

TC_ORDER(compare_ns, int64_t, TC_UP_ITSELF);

static int64_t median_of(int64_t *values, size_t count)
{
	if (count == 0)
		return 0;
	TC_SORT(values, count, compare_ns);
	int64_t low = values[(count - 1) / 2], high = values[count / 2];
	return low + (high - low) / 2;
}

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
	windows->median_ns = median_of(sorted, count);
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

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* tree_ns[i] is the latest end below, its children are 2 * i and 2 * i + 1. */
static void fill_tree(struct tc_windows *windows)
{
	size_t leaves = windows->leaf_count;

	for (size_t i = 0; i < leaves; i++)
		windows->tree_ns[leaves + i] =
			i < windows->timeline->step_count ? windows->steps[i].end_ns : INT64_MIN;
	for (size_t i = leaves; i-- > 1;)
		windows->tree_ns[i] = later(windows->tree_ns[2 * i], windows->tree_ns[2 * i + 1]);
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
	return tc_busy_has_work(busy) ? later(end_ns, busy->work_extent.end_ns) : end_ns;
}

/* Whether the first step is warm-up. A step lasts from the end of the one before, device work
 * included (the view step_time): a host that is late but still ahead of the device delays nothing.
 * */
static void find_warm_up(struct tc_windows *windows, const struct tc_device_tally *devices)
{
	size_t count = windows->timeline->step_count;

	if (count < WARM_UP_MIN_STEPS)
		return;
	int64_t until_ns = end_of_step(windows, devices, 0);
	int64_t first_ns = until_ns - windows->steps[0].start_ns;
	for (size_t i = 1; i < count; i++) {
		int64_t end_ns = later(until_ns, end_of_step(windows, devices, i));
		windows->sorted_ns[i - 1] = end_ns - until_ns;
		until_ns = end_ns;
	}
	int64_t others_ns = median_of(windows->sorted_ns, count - 1);
	windows->is_warm_up[0] = others_ns > 0 && first_ns / WARM_UP_FACTOR >= others_ns;
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
	windows->wall.start_ns = windows->steps[0].start_ns;
	windows->wall.end_ns = windows->ends_ns[timeline->step_count - 1];
	for (size_t i = 0; i < timeline->step_count; i++)
		windows->wall.end_ns =
			later(windows->wall.end_ns, end_of_step(windows, devices, i));
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
	TC_ARENA(&windows->arena, windows->is_warm_up, steps);
	if (tc_ctx_failed(timeline->ctx))
		return;
	read_steps(windows);
	find_warm_up(windows, devices);
	find_wall(windows, devices);
}

void tc_windows_clear(struct tc_windows *windows)
{
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

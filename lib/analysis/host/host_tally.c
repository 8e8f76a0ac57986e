/* The host waterfall; see host_tally.h. */
#include "analysis/host/host_tally.h"

#include "core/array.h"

struct by_end {
	int64_t end_ns;
	size_t window;
};

TC_ORDER(compare_ends, struct by_end, TC_UP(end_ns) TC_UP(window));

static void sort_ends(struct tc_host_tally *tally, struct by_end *ends)
{
	for (size_t i = 0; i < tally->window_count; i++)
		if (tc_interval_measure(tally->windows[i]) > 0)
			ends[tally->end_count++] = (struct by_end){tally->windows[i].end_ns, i};
	TC_SORT(ends, tally->end_count, compare_ends);
	for (size_t i = 0; i < tally->end_count; i++)
		tally->by_end[i] = ends[i].window;
}

enum tc_status tc_host_tally_init(struct tc_host_tally *tally, const struct tc_windows *windows,
	const struct tc_survey *survey)
{
	const struct tc_timeline *timeline = windows->timeline;
	bool has_host = survey->host.start_ns <= survey->host.end_ns;

	*tally = (struct tc_host_tally){
		.timeline = timeline,
		.has_steps = timeline->step_count > 0,
		.window_count = timeline->step_count > 0 ? timeline->step_count : has_host,
		.since_ns = TC_TIME_FIRST,
	};
	struct by_end *ends;
	TC_ARENA(&tally->arena, ends, tally->window_count);
	TC_ARENA(&tally->arena, tally->windows, tally->window_count);
	TC_ARENA(&tally->arena, tally->by_end, tally->window_count);
	TC_ARENA(&tally->arena, tally->each, tally->window_count);
	enum tc_status status = tc_arena_status(&tally->arena, timeline->ctx);
	if (status)
		return status;
	for (size_t i = 0; i < tally->window_count; i++)
		tally->windows[i] = tally->has_steps ? windows->steps[i] : survey->host;
	sort_ends(tally, ends);
	return TC_OK;
}

void tc_host_tally_clear(struct tc_host_tally *tally)
{
	tc_arena_clear(&tally->arena);
	*tally = (struct tc_host_tally){0};
}

bool tc_host_tally_boundary(const struct tc_host_tally *tally, int64_t *time_ns)
{
	bool has_start = tally->next_start < tally->window_count;
	bool has_end = tally->next_end < tally->end_count;
	int64_t start_ns = has_start ? tally->windows[tally->next_start].start_ns : INT64_MAX;
	int64_t end_ns =
		has_end ? tally->windows[tally->by_end[tally->next_end]].end_ns : INT64_MAX;

	*time_ns = start_ns < end_ns ? start_ns : end_ns;
	return has_start || has_end;
}

/* each[] has the run's values at the start of the window; the window's own values are the
 * differences. */
static void close_window(struct tc_host_tally *tally, size_t window)
{
	const struct tc_host_window *run = &tally->run;
	struct tc_host_window *each = &tally->each[window];

	for (int i = 0; i < TC_ROLE_COUNT; i++) {
		each->own_ns[i] = run->own_ns[i] - each->own_ns[i];
		each->exposed_ns[i] = run->exposed_ns[i] - each->exposed_ns[i];
		each->union_ns[i] = run->union_ns[i] - each->union_ns[i];
		each->count[i] = run->count[i] - each->count[i];
	}
	tally->open_count--;
}

void tc_host_tally_pass(struct tc_host_tally *tally, int64_t time_ns)
{
	while (tally->next_end < tally->end_count &&
		tally->windows[tally->by_end[tally->next_end]].end_ns <= time_ns)
		close_window(tally, tally->by_end[tally->next_end++]);
	while (tally->next_start < tally->window_count &&
		tally->windows[tally->next_start].start_ns <= time_ns) {
		size_t window = tally->next_start++;
		if (tc_interval_measure(tally->windows[window]) == 0)
			continue;
		tally->each[window] = tally->run;
		tally->open_count++;
	}
}

void tc_host_tally_book(struct tc_host_tally *tally, const struct tc_host_state *state,
	int64_t time_ns, int64_t idle_ns)
{
	int64_t ns = time_ns - tally->since_ns;
	int64_t exposed_ns = idle_ns - tally->idle_since_ns;
	enum tc_role category = tc_role_first(state->launching_roles);

	tally->since_ns = time_ns;
	tally->idle_since_ns = idle_ns;
	if (ns == 0 || tally->open_count == 0)
		return;
	if (category == TC_ROLE_NONE)
		category = TC_ROLE_OTHER;
	tally->run.own_ns[category] += ns;
	tally->run.exposed_ns[category] += exposed_ns;
	uint32_t waits = state->held_up_count > 0 ? UINT32_C(1) << TC_ROLE_SYNC : 0;
	for (uint32_t roles = state->counted_roles | waits; roles; roles &= roles - 1)
		tally->run.union_ns[__builtin_ctz(roles)] += ns;
}

void tc_host_tally_count(struct tc_host_tally *tally, const struct tc_host_open *host)
{
	if (tally->has_steps && host->role == TC_ROLE_COMPILE &&
		host->open.start_ns >= tally->windows[0].end_ns)
		tally->compile_after_warm_up_count++;
	if (tally->open_count > 0)
		tally->run.count[host->role]++;
}

/* The metrics of unions and counts of single roles. */
static const struct {
	enum tc_role role;
	enum tc_metric union_metric, count_metric; /* TC_METRIC_COUNT: none */
} plain_metrics[] = {
	{TC_ROLE_COMPILE, TC_METRIC_COMPILE, TC_METRIC_COMPILE_COUNT},
	{TC_ROLE_DATALOADER, TC_METRIC_DATALOADER, TC_METRIC_COUNT},
	{TC_ROLE_INPUT_COPY, TC_METRIC_INPUT_COPY, TC_METRIC_INPUT_COPY_COUNT},
	{TC_ROLE_GRAPH_BUILD, TC_METRIC_GRAPH_BUILD, TC_METRIC_COUNT},
	{TC_ROLE_SYNC, TC_METRIC_SYNC_BLOCKED, TC_METRIC_SYNC_COUNT},
};

static const struct {
	enum tc_role role;
	enum tc_metric own, exposed;
} waterfall_metrics[] = {
#define TC_ROLE(id, name, help)                                                                    \
	{TC_ROLE_##id, TC_METRIC_HOST_##id##_OWN, TC_METRIC_HOST_##id##_EXPOSED},
#include "names/label/roles.def"
};

static void write_window(const struct tc_host_window *window, struct tc_metric_writer *writer,
	struct tc_metric_scope scope)
{
	for (size_t i = 0; i < TC_COUNT_OF(plain_metrics); i++) {
		enum tc_role role = plain_metrics[i].role;
		tc_metric_put(writer, plain_metrics[i].union_metric, scope, window->union_ns[role]);
		if (plain_metrics[i].count_metric != TC_METRIC_COUNT)
			tc_metric_put(
				writer, plain_metrics[i].count_metric, scope, window->count[role]);
	}
	for (size_t i = 0; i < TC_COUNT_OF(waterfall_metrics); i++) {
		enum tc_role role = waterfall_metrics[i].role;
		tc_metric_put(writer, waterfall_metrics[i].own, scope, window->own_ns[role]);
		tc_metric_put(
			writer, waterfall_metrics[i].exposed, scope, window->exposed_ns[role]);
	}
}

void tc_host_tally_write(const struct tc_host_tally *tally, const struct tc_windows *windows,
	struct tc_metric_writer *writer)
{
	const struct tc_timeline *timeline = tally->timeline;
	int64_t window_ns = tc_interval_set_measure(&windows->host);

	if (tally->window_count == 0)
		return;
	if (!tally->has_steps)
		window_ns = tc_interval_measure(tally->windows[0]);
	tc_metric_put(writer, TC_METRIC_HOST_WINDOW, TC_METRIC_RUN, window_ns);
	tc_metric_put(
		writer, TC_METRIC_COMPILE_WARM, TC_METRIC_RUN, tally->compile_after_warm_up_count);
	write_window(&tally->run, writer, TC_METRIC_RUN);
	for (size_t i = 0; i < timeline->step_count; i++) {
		struct tc_metric_scope scope = {{NULL, 0}, &timeline->steps[i].number};
		write_window(&tally->each[i], writer, scope);
	}
}

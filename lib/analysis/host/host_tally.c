/* The host waterfall; see host_tally.h. */

#include "analysis/host/host_tally.h"

#include "core/array.h"

static struct tc_host_total *total_of(const struct tc_host_totals *totals, size_t label)
{
	return TC_PAGED_AT(&totals->labels, struct tc_host_total, label);
}

/* Whether a slice of this label can be nested in another one of its mark. Launch calls cannot. */
static bool can_nest(const struct tc_label *label)
{
	return label->mark != TC_MARK_NONE && !label->is_launch;
}

static void number_outers(struct tc_host_totals *totals)
{
	const struct tc_timeline *timeline = totals->timeline;
	uint32_t count = 0;

	for (size_t i = 0; i < timeline->label_count; i++)
		if (can_nest(&timeline->labels[i]))
			total_of(totals, i)->outer = ++count;
	TC_ARENA(&totals->arena, totals->outers, (size_t)count + 1);
}

enum tc_status tc_host_totals_init(
	struct tc_host_totals *totals, const struct tc_timeline *timeline)
{
	*totals = (struct tc_host_totals){.timeline = timeline};
	enum tc_status status = tc_paged_init(&totals->labels, timeline->ctx, timeline->label_count,
		sizeof(struct tc_host_total), NULL);
	if (status)
		return status;
	TC_ARENA(&totals->arena, totals->innermost, timeline->track_count);
	TC_ARENA(&totals->arena, totals->since_ns, timeline->track_count);
	TC_ARENA(&totals->arena, totals->since_idle_ns, timeline->track_count);
	TC_ARENA(&totals->arena, totals->open_optimizers, timeline->host_thread_count);
	number_outers(totals);
	return tc_arena_status(&totals->arena, timeline->ctx);
}

void tc_host_totals_clear(struct tc_host_totals *totals)
{
	tc_paged_clear(&totals->labels);
	tc_arena_clear(&totals->arena);
	*totals = (struct tc_host_totals){0};
}

/* A time, and how long no device worked within the windows until then. */
struct moment {
	int64_t time_ns, idle_ns;
};

/* Gives the time until now to the slice that was innermost on its track. */
static void change_innermost(struct tc_host_totals *totals, const struct tc_host_state *state,
	const struct tc_host_open *host, struct moment at)
{
	uint32_t track = host->open.span.track;
	const struct tc_open *old = totals->innermost[track];
	const struct tc_open *now = tc_host_track_at(state, track)->lists[TC_HOST_ALL].last;

	if (old == now)
		return;
	if (old) {
		struct tc_host_total *total = total_of(totals, old->span.label);
		total->self_ns =
			tc_add_saturated(total->self_ns, at.time_ns - totals->since_ns[track]);
		total->self_exposed_ns = tc_add_saturated(
			total->self_exposed_ns, at.idle_ns - totals->since_idle_ns[track]);
	}
	totals->innermost[track] = now;
	totals->since_ns[track] = at.time_ns;
	totals->since_idle_ns[track] = at.idle_ns;
}

static void start_outer(
	struct tc_host_outer *outer, const struct tc_host_open *host, int64_t idle_ns)
{
	outer->count++;
	outer->dur_ns = tc_add_saturated(outer->dur_ns, host->open.end_ns - host->open.start_ns);
	if (outer->open_count++ == 0)
		outer->idle_since_ns = idle_ns;
}

static void end_outer(struct tc_host_outer *outer, int64_t idle_ns)
{
	if (--outer->open_count == 0)
		outer->exposed_ns += idle_ns - outer->idle_since_ns;
}

void tc_host_totals_start(struct tc_host_totals *totals, const struct tc_host_state *state,
	struct tc_host_open *host, int64_t idle_ns)
{
	struct tc_host_total *total = total_of(totals, host->open.span.label);

	if (total->outer && host->is_outermost_of_mark)
		start_outer(&totals->outers[total->outer], host, idle_ns);
	total->count++;
	if (totals->timeline->labels[host->open.span.label].mark == TC_MARK_OPTIMIZER_STEP)
		totals->open_optimizers[host->thread]++;
	else if (totals->open_optimizers[host->thread] > 0)
		total->optimizer_count++;
	total->is_launching |= state->survey->threads[host->thread].is_counted;
	total->dur_ns = tc_add_saturated(total->dur_ns, host->open.end_ns - host->open.start_ns);
	if (total->open_count++ == 0)
		total->idle_since_ns = idle_ns;
	change_innermost(totals, state, host, (struct moment){host->open.start_ns, idle_ns});
}

void tc_host_totals_end(struct tc_host_totals *totals, const struct tc_host_state *state,
	const struct tc_host_open *host, int64_t idle_ns)
{
	struct tc_host_total *total = total_of(totals, host->open.span.label);

	if (totals->timeline->labels[host->open.span.label].mark == TC_MARK_OPTIMIZER_STEP)
		totals->open_optimizers[host->thread]--;
	if (total->outer && host->is_outermost_of_mark)
		end_outer(&totals->outers[total->outer], idle_ns);
	if (--total->open_count == 0)
		total->exposed_ns += idle_ns - total->idle_since_ns;
	change_innermost(totals, state, host, (struct moment){host->open.end_ns, idle_ns});
}

void tc_host_totals_write(const struct tc_host_totals *totals, struct tc_tables *tables)
{
	const struct tc_timeline *timeline = totals->timeline;

	for (size_t i = 0; i < timeline->label_count; i++) {
		const struct tc_host_total *total = total_of(totals, i);
		const struct tc_label *label = &timeline->labels[i];
		const struct tc_host_outer all = {.count = total->count,
			.dur_ns = total->dur_ns,
			.exposed_ns = total->exposed_ns};
		const struct tc_host_outer *outer =
			total->outer ? &totals->outers[total->outer] : &all;
		if (total->count == 0)
			continue;
		const struct tc_sql_value values[] = {
			tc_sql_int(timeline->trace_id),
			tc_sql_text(tc_label_category(label)),
			tc_sql_text(tc_label_name(label)),
			tc_sql_string(tc_role_name(label->role)),
			tc_sql_string(tc_class_name(label->name_class)),
			tc_sql_string(tc_collective_name(label->collective)),
			tc_sql_string(tc_phase_name(label->phase)),
			tc_sql_string(tc_mark_name(label->mark)),
			tc_sql_int(total->count),
			tc_sql_int(total->dur_ns),
			tc_sql_int(total->self_ns),
			tc_sql_int(total->self_exposed_ns),
			tc_sql_int(total->exposed_ns),
			tc_sql_int(total->is_launching),
			tc_sql_int(outer->count),
			tc_sql_int(outer->dur_ns),
			tc_sql_int(outer->exposed_ns),
			tc_sql_int(total->optimizer_count),
		};
		TC_TABLES_PUT(tables,
			"host_total (trace_id, category, name, role, class, collective, phase,"
			" mark, count, dur_ns, self_ns, self_exposed_ns, exposed_ns,"
			" is_launching, outer_count, outer_ns, outer_exposed_ns, optimizer_count)",
			values);
	}
	tc_tables_keep(tables, tc_paged_status(&totals->labels));
}

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

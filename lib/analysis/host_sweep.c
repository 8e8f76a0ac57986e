/*
 * The host sweep: what threads are doing, how long no device has worked, where the time of the
 * threads goes, and the engine that drives all of it and the visitors.
 */
#include "analysis/host_sweep.h"

#include "core/alloc.h"
#include "core/array.h"
#include "core/saturate.h"

static const struct tc_host_track no_track = {.next_track = UINT32_MAX};
static const struct tc_host_thread no_thread = {.first_track = UINT32_MAX};

static void init_state(struct tc_host_state *state, const struct tc_survey *survey)
{
	const struct tc_timeline *timeline = survey->timeline;

	*state = (struct tc_host_state){.timeline = timeline, .survey = survey};
	tc_paged_init(
		&state->tracks, timeline->ctx, timeline->track_count, sizeof(no_track), &no_track);
	tc_paged_init(&state->threads, timeline->ctx, survey->thread_count, sizeof(no_thread),
		&no_thread);
	for (int i = 0; i < TC_ROLE_COUNT; i++) {
		state->runtime_start_ns[i] = INT64_MIN;
		if (!tc_first_set_init(&state->launching[i], survey->thread_count))
			tc_no_memory(timeline->ctx);
	}
	for (size_t i = survey->track_count; i-- > 0 && !tc_ctx_failed(timeline->ctx);) {
		struct tc_host_track *track = tc_host_track_at(state, survey->tracks[i]);
		track->thread = timeline->tracks[survey->tracks[i]].host_thread;
		struct tc_host_thread *thread = tc_host_thread_at(state, track->thread);
		track->next_track = thread->first_track;
		thread->first_track = survey->tracks[i];
	}
}

static void clear_state(struct tc_host_state *state)
{
	tc_paged_clear(&state->tracks);
	tc_paged_clear(&state->threads);
	for (int i = 0; i < TC_ROLE_COUNT; i++)
		tc_first_set_clear(&state->launching[i]);
	*state = (struct tc_host_state){0};
}

/* Changes a count, and the bit that says whether it is above 0. */
static void count_role(uint32_t *counts, uint32_t *bits, enum tc_role role, int by)
{
	counts[role] += (uint32_t)by;
	if (counts[role] > 0)
		*bits |= UINT32_C(1) << role;
	else
		*bits &= ~(UINT32_C(1) << role);
}

/* For a launching thread: whether it is in a role, or for TC_ROLE_NONE whether it has an open
 * slice. */
static void note_launching(
	struct tc_host_state *state, int32_t thread, enum tc_role role, bool is_in)
{
	struct tc_first_set *set = &state->launching[role];

	if (!state->survey->threads[thread].is_launching)
		return;
	tc_first_set_put(set, (size_t)thread, is_in);
	if (role == TC_ROLE_NONE)
		return;
	if (tc_first_set_first(set) != TC_FIRST_SET_NONE)
		state->launching_roles |= UINT32_C(1) << role;
	else
		state->launching_roles &= ~(UINT32_C(1) << role);
}

static void count_track(
	struct tc_host_state *state, struct tc_host_track *track, enum tc_role role, int by)
{
	struct tc_host_thread *thread = tc_host_thread_at(state, track->thread);
	uint32_t before = thread->roles;

	if (role == TC_ROLE_NONE)
		return;
	count_role(thread->tracks_in_role, &thread->roles, role, by);
	if (thread->roles != before)
		note_launching(state, track->thread, role, by > 0);
}

static void set_track_role(
	struct tc_host_state *state, struct tc_host_track *track, enum tc_role role)
{
	if (track->role == role)
		return;
	count_track(state, track, track->role, -1);
	count_track(state, track, role, 1);
	track->role = role;
}

/* The slice that gives a track its role; NULL for none. */
static const struct tc_open *role_slice(const struct tc_host_track *track)
{
	const struct tc_open *last = track->lists[TC_HOST_ROLES].last;

	return last ? last : track->lists[TC_HOST_DISPATCH].last;
}

/* A launch that is held up does what a wait does. */
static void update_track_role(struct tc_host_state *state, struct tc_host_track *track)
{
	const struct tc_open *last = role_slice(track);
	enum tc_role role = last ? tc_host_of(last)->role : TC_ROLE_NONE;

	set_track_role(state, track, last && tc_host_of(last)->is_held_up ? TC_ROLE_SYNC : role);
}

bool tc_host_is_outermost(const struct tc_host_state *state, const struct tc_host_open *host)
{
	if (tc_host_thread_at(state, host->thread)->open_in_role[host->role] > 0)
		return false;
	if (state->counted_in_role[host->role] == 0)
		return true;
	return !state->survey->threads[host->thread].is_synapse &&
	       state->runtime_start_ns[host->role] != host->open.start_ns;
}

static void enter_role(struct tc_host_state *state, struct tc_host_open *host)
{
	host->is_outermost = tc_host_is_outermost(state, host);
	tc_host_thread_at(state, host->thread)->open_in_role[host->role]++;
	if (state->survey->threads[host->thread].is_synapse)
		state->runtime_start_ns[host->role] = host->open.start_ns;
	if (!state->survey->threads[host->thread].is_counted)
		return;
	count_role(state->counted_in_role, &state->counted_roles, host->role, 1);
	state->held_up_count += host->is_held_up;
	if (host->role == TC_ROLE_COMPILE)
		tc_open_list_append(&state->compiles, TC_HOST_COMPILE, &host->open);
}

static void leave_role(struct tc_host_state *state, struct tc_host_open *host)
{
	tc_host_thread_at(state, host->thread)->open_in_role[host->role]--;
	if (!state->survey->threads[host->thread].is_counted)
		return;
	count_role(state->counted_in_role, &state->counted_roles, host->role, -1);
	state->held_up_count -= host->is_held_up;
	if (host->role == TC_ROLE_COMPILE)
		tc_open_list_remove(&state->compiles, TC_HOST_COMPILE, &host->open);
}

/* The lists of its track that hold a slice, as bits. */
static uint32_t lists_of(const struct tc_host_state *state, const struct tc_host_open *host)
{
	const struct tc_label *label = &state->timeline->labels[host->open.span.label];
	bool is_dispatch = host->role == TC_ROLE_DISPATCH;
	bool says_more = host->role != TC_ROLE_NONE && !is_dispatch;
	bool is_carrier =
		label->mark == TC_MARK_COPY_CARRIER || label->mark == TC_MARK_READ_CARRIER;

	return 1U << TC_HOST_ALL | (uint32_t)says_more << TC_HOST_ROLES |
	       (uint32_t)is_dispatch << TC_HOST_DISPATCH | (uint32_t)label->is_op << TC_HOST_OPS |
	       (uint32_t)(label->is_op && !is_carrier) << TC_HOST_CALLERS |
	       (uint32_t)label->is_python << TC_HOST_PYTHON;
}

static enum tc_mark mark_of(const struct tc_host_state *state, const struct tc_host_open *host)
{
	return state->timeline->labels[host->open.span.label].mark;
}

static void enter_slice(struct tc_host_state *state, struct tc_host_open *host)
{
	struct tc_host_track *track = tc_host_track_at(state, host->open.span.track);
	uint32_t lists = lists_of(state, host);

	if (tc_host_thread_at(state, host->thread)->open_count++ == 0)
		note_launching(state, host->thread, TC_ROLE_NONE, true);
	host->is_outermost_of_mark = track->open_of_mark[mark_of(state, host)]++ == 0;
	for (int i = 0; i < TC_HOST_COMPILE; i++)
		if (lists & 1U << i)
			tc_open_list_append(&track->lists[i], i, &host->open);
	if (host->role == TC_ROLE_NONE)
		return;
	enter_role(state, host);
	update_track_role(state, track);
}

static void leave_slice(struct tc_host_state *state, struct tc_host_open *host)
{
	struct tc_host_track *track = tc_host_track_at(state, host->open.span.track);
	uint32_t lists = lists_of(state, host);

	if (--tc_host_thread_at(state, host->thread)->open_count == 0)
		note_launching(state, host->thread, TC_ROLE_NONE, false);
	track->open_of_mark[mark_of(state, host)]--;
	for (int i = 0; i < TC_HOST_COMPILE; i++)
		if (lists & 1U << i)
			tc_open_list_remove(&track->lists[i], i, &host->open);
	if (host->role == TC_ROLE_NONE)
		return;
	leave_role(state, host);
	update_track_role(state, track);
}

const struct tc_host_open *tc_host_innermost(
	const struct tc_host_state *state, int32_t thread, int list)
{
	const struct tc_open *best = NULL;

	for (uint32_t i = tc_host_thread_at(state, thread)->first_track; i != UINT32_MAX;) {
		const struct tc_host_track *track = tc_host_track_at(state, i);
		const struct tc_open *last = track->lists[list].last;
		if (last && (!best || last->sequence > best->sequence))
			best = last;
		i = track->next_track;
	}
	return best ? tc_host_of(best) : NULL;
}

bool tc_host_is_warm_up(const struct tc_windows *windows, const struct tc_host_open *host)
{
	size_t steps = windows->timeline->step_count;

	if (steps == 0)
		return false;
	if (steps < 2 || host->open.start_ns < windows->steps[1].start_ns)
		return true;
	return host->step >= 0 && windows->timeline->steps[host->step].is_warm_up;
}

/* The idle clock. */

static void start_clock(
	struct tc_idle_clock *clock, struct tc_sorter *intervals, struct tc_interval work)
{
	*clock = (struct tc_idle_clock){
		.intervals = intervals,
		.now_ns = TC_TIME_FIRST,
		.current = {TC_TIME_FIRST, work.start_ns},
		.after = {work.end_ns, TC_TIME_LAST},
	};
	clock->next = tc_sorter_first(intervals);
}

/* One clock is of the time in which no device works, the other of the late parts of transfers. */
static void start_clocks(struct tc_host_sweep *sweep)
{
	const struct tc_busy *all = tc_device_tally_all(sweep->devices);
	const struct tc_gap_spool *spool = &sweep->devices->spool;
	const struct tc_interval none = {TC_TIME_LAST, TC_TIME_LAST};
	const struct tc_interval always = {TC_TIME_FIRST, TC_TIME_LAST};
	bool has_work = all && all->busy_extent.start_ns <= all->busy_extent.end_ns;

	start_clock(&sweep->clock, spool->idle, has_work ? all->busy_extent : none);
	start_clock(&sweep->transfers, spool->transfers, always);
}

/* Sets a clock to a time, not before the last one. */
static void advance(struct tc_idle_clock *clock, int64_t time_ns)
{
	clock->now_ns = time_ns;
	while (clock->stage != TC_CLOCK_AFTER && clock->current.end_ns <= time_ns) {
		const struct tc_interval *next = clock->next;
		clock->past_ns += tc_interval_measure(clock->current);
		clock->stage = next ? TC_CLOCK_WITHIN : TC_CLOCK_AFTER;
		clock->current = next ? *next : clock->after;
		clock->next = tc_sorter_next(clock->intervals);
	}
	clock->idle_ns = clock->past_ns;
	if (time_ns > clock->current.start_ns)
		clock->idle_ns +=
			(time_ns < clock->current.end_ns ? time_ns : clock->current.end_ns) -
			clock->current.start_ns;
}

/*
 * Waterfall: where the time of the launching threads goes, over all steps and in each. Each instant
 * belongs to one category, the role of highest priority (order of roles.def) that any launching
 * thread is in, or OTHER when none is in a role. So the own times of all categories add up to the
 * window. Exposed time is the part in which no device works. Unions and counts of single roles
 * cover the counted threads (survey.h).
 */

struct window {
	int64_t own_ns[TC_ROLE_COUNT], exposed_ns[TC_ROLE_COUNT];
	int64_t union_ns[TC_ROLE_COUNT], count[TC_ROLE_COUNT];
};

struct waterfall {
	const struct tc_window_edge
		*edges; /* of the steps, or of all host time as the only window */
	size_t edge_count, next_edge;
	struct tc_window_edge whole[2];
	int64_t open_count;
	struct window run;   /* while any window is open */
	struct window *each; /* by window: the run's values at its end less those at its start */
	int64_t first_end_ns, compile_after_warm_up_count; /* end of the first step */
	int64_t since_ns, idle_since_ns;                   /* counted until then */
};

static void init_waterfall(
	struct waterfall *tally, const struct tc_host_sweep *sweep, struct tc_arena *arena)
{
	const struct tc_windows *windows = sweep->windows;
	const struct tc_interval *host = &sweep->survey->host;
	size_t step_count = sweep->timeline->step_count;

	*tally = (struct waterfall){
		.whole = {{host->start_ns, 0, false}, {host->end_ns, 0, true}},
		.edges = step_count > 0 ? windows->edges : tally->whole,
		.edge_count = 2 * (step_count > 0 ? step_count : host->start_ns <= host->end_ns),
		.first_end_ns = step_count > 0 ? windows->steps[0].end_ns : INT64_MAX,
		.since_ns = TC_TIME_FIRST,
	};
	TC_ARENA(arena, tally->each, tally->edge_count / 2);
}

/* Sets the next start or end of a window; false when none is left. */
static bool next_boundary(const struct waterfall *tally, int64_t *time_ns)
{
	if (tally->next_edge == tally->edge_count)
		return false;
	*time_ns = tally->edges[tally->next_edge].time_ns;
	return true;
}

static void pass_edge(struct waterfall *tally, const struct tc_window_edge *edge)
{
	const struct window *run = &tally->run;
	struct window *each = &tally->each[edge->step];
	int64_t sign = edge->is_end ? 1 : -1;

	for (int i = 0; i < TC_ROLE_COUNT; i++) {
		each->own_ns[i] += sign * run->own_ns[i];
		each->exposed_ns[i] += sign * run->exposed_ns[i];
		each->union_ns[i] += sign * run->union_ns[i];
		each->count[i] += sign * run->count[i];
	}
	tally->open_count -= sign;
}

/* Passes all boundaries at a time. The time before must have been counted. */
static void pass_boundaries(struct waterfall *tally, int64_t time_ns)
{
	for (; tally->next_edge < tally->edge_count &&
		tally->edges[tally->next_edge].time_ns <= time_ns;
		tally->next_edge++)
		pass_edge(tally, &tally->edges[tally->next_edge]);
}

/* Adds the time since the last call to what the threads were doing meanwhile. */
static void count_time(struct waterfall *tally, const struct tc_host_state *state, int64_t time_ns,
	int64_t idle_ns)
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

/* Counts an outermost slice that starts now on a counted thread. */
static void count_slice(struct waterfall *tally, const struct tc_host_open *host)
{
	if (host->role == TC_ROLE_COMPILE && host->open.start_ns >= tally->first_end_ns)
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
#define TC_ROLE(id, name, title, help)                                                             \
	{TC_ROLE_##id, TC_METRIC_HOST_##id##_OWN, TC_METRIC_HOST_##id##_EXPOSED},
#include "names/label/roles.def"
};

static void write_window(
	const struct window *window, struct tc_metric_writer *writer, struct tc_metric_scope scope)
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

static void write_waterfall(const struct waterfall *tally, const struct tc_host_sweep *sweep)
{
	const struct tc_timeline *timeline = sweep->timeline;
	struct tc_metric_writer *writer = sweep->writer;

	if (tally->edge_count == 0)
		return;
	tc_metric_put(writer, TC_METRIC_HOST_WINDOW, TC_METRIC_RUN,
		timeline->step_count > 0 ? tc_interval_set_measure(&sweep->windows->host)
					 : tc_interval_measure(sweep->survey->host));
	tc_metric_put(
		writer, TC_METRIC_COMPILE_WARM, TC_METRIC_RUN, tally->compile_after_warm_up_count);
	write_window(&tally->run, writer, TC_METRIC_RUN);
	for (size_t i = 0; i < timeline->step_count; i++) {
		struct tc_metric_scope scope = {{NULL, 0}, &timeline->steps[i].number};
		write_window(&tally->each[i], writer, scope);
	}
}

/* The sweep, and its visitors in the order in which they see each slice. */
static const struct tc_host_visitor *const visitors[] = {
	&tc_operator_visitor,
	&tc_framework_visitor,
	&tc_event_visitor,
	&tc_compile_visitor,
	&tc_host_total_visitor,
	&tc_gap_visitor,
	&tc_silence_visitor,
};

enum { VISITORS = sizeof(visitors) / sizeof(visitors[0]) };

struct run {
	struct tc_host_sweep *seen;
	struct tc_arena arena;
	struct waterfall host;
	void *tallies[VISITORS];
};

#define VISIT(run, call, ...)                                                                      \
	do {                                                                                       \
		for (size_t i_ = 0; i_ < VISITORS; i_++)                                           \
			if (visitors[i_]->call)                                                    \
				visitors[i_]->call((run)->tallies[i_], __VA_ARGS__);               \
	} while (0)

/* Counts everything until a time; nothing changed on the host since the last call. */
static void book(struct run *run, int64_t time_ns)
{
	struct tc_host_sweep *sweep = run->seen;

	advance(&sweep->clock, time_ns);
	count_time(&run->host, &sweep->state, time_ns, sweep->clock.idle_ns);
	VISIT(run, pass, time_ns);
}

/* Advances to a time. Windows that start or end until then are passed one by one. */
static void go_to(struct run *run, int64_t time_ns)
{
	struct tc_host_sweep *sweep = run->seen;
	int64_t boundary_ns;

	while (next_boundary(&run->host, &boundary_ns) && boundary_ns <= time_ns) {
		book(run, boundary_ns);
		sweep->window_idle_ns = tc_host_window_idle(sweep);
		sweep->boundary_idle_ns = sweep->clock.idle_ns;
		pass_boundaries(&run->host, boundary_ns);
		sweep->in_window = run->host.open_count > 0;
	}
	advance(&sweep->transfers, time_ns);
	advance(&sweep->clock, time_ns);
}

/* A launch that lasts beyond what is usual, while devices work all the time, and whose work is not
 * next when it returns, waited for a place in the queue. */
static bool is_held_up(const struct tc_host_sweep *sweep, const struct tc_host_open *host)
{
	const struct tc_span *span = &host->open.span;

	return host->role == TC_ROLE_LAUNCH &&
	       tc_usual_is_held_up(&sweep->survey->launches, span->label, span->dur_ns) &&
	       host->open.end_ns <= sweep->clock.current.start_ns &&
	       host->first_work_ns > tc_add_saturated(tc_span_end_ns(span), TC_LAUNCH_LATENCY_NS);
}

static void on_start(void *user, struct tc_open *open)
{
	struct run *run = user;
	struct tc_host_sweep *sweep = run->seen;
	struct tc_host_open *host = (struct tc_host_open *)(void *)open;

	go_to(run, open->start_ns);
	host->role = tc_span_role(sweep->timeline, &open->span);
	host->thread = tc_host_track_at(&sweep->state, open->span.track)->thread;
	host->idle_at_start_ns = sweep->clock.idle_ns;
	host->transfer_at_start_ns = sweep->transfers.idle_ns;
	bool is_counted = sweep->survey->threads[host->thread].is_counted;
	if (is_counted)
		book(run, open->start_ns);
	VISIT(run, before, host);
	host->is_held_up = is_held_up(sweep, host);
	enter_slice(&sweep->state, host);
	VISIT(run, start, host);
	if (host->is_outermost && is_counted)
		count_slice(&run->host, host);
}

static void on_endless(void *user, const struct tc_span *span)
{
	struct run *run = user;

	VISIT(run, endless, span);
}

static void on_end(void *user, struct tc_open *open)
{
	struct run *run = user;
	struct tc_host_sweep *sweep = run->seen;
	struct tc_host_open *host = (struct tc_host_open *)(void *)open;

	go_to(run, open->end_ns);
	if (sweep->survey->threads[host->thread].is_counted)
		book(run, open->end_ns);
	VISIT(run, end, host);
	leave_slice(&sweep->state, host);
	VISIT(run, after, host);
}

static const int64_t *thread_ids(struct tc_arena *arena, const struct tc_survey *survey)
{
	const struct tc_timeline *timeline = survey->timeline;
	int64_t *ids;

	TC_ARENA(arena, ids, survey->thread_count);
	for (size_t i = survey->track_count; i-- > 0 && ids;) {
		const struct tc_track *track = &timeline->tracks[survey->tracks[i]];
		ids[track->host_thread] = track->host_thread_id;
	}
	return ids;
}

static void init(struct run *run)
{
	struct tc_host_sweep *sweep = run->seen;
	struct tc_ctx *ctx = sweep->timeline->ctx;

	start_clocks(sweep);
	init_state(&sweep->state, sweep->survey);
	init_waterfall(&run->host, sweep, &run->arena);
	sweep->thread_ids = thread_ids(&run->arena, sweep->survey);
	TC_ARENA(&run->arena, sweep->queued_ns, sweep->devices->tally_count);
	for (size_t i = 0; i < VISITORS && !tc_ctx_failed(ctx); i++) {
		run->tallies[i] = tc_arena_take(&run->arena, 1, visitors[i]->size);
		if (run->tallies[i])
			visitors[i]->begin(run->tallies[i], sweep);
	}
}

/* When devices do nothing but copy between host and device. */

struct transfer_sum {
	int64_t first_ns, ns, late_ns, count;
};

static void write_transfer(struct tc_tables *tables, const struct tc_timeline *timeline,
	int64_t step, const struct transfer_sum *row)
{
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_id(tc_windows_step_id(timeline, step)),
		tc_sql_int(row->first_ns),
		tc_sql_int(row->ns),
		tc_sql_int(row->late_ns),
		tc_sql_int(row->count),
	};

	TC_TABLES_PUT(
		tables, "exposed_transfer (trace_id, step_id, ts, dur, late_ns, count)", values);
}

/* sums is indexed by step; the last entry is for transfers outside of steps. */
static void write_transfers(const struct tc_host_sweep *sweep, struct transfer_sum *sums)
{
	const struct tc_timeline *timeline = sweep->timeline;
	struct tc_sorter *transfers = sweep->devices->spool.transfers;
	const struct tc_transfer *transfer = NULL;

	transfer = tc_sorter_first(transfers);
	for (; transfer && sums; transfer = tc_sorter_next(transfers)) {
		int64_t start_ns = transfer->late.start_ns;
		int64_t step = tc_windows_step_at(sweep->windows, start_ns);
		struct transfer_sum row = {start_ns, transfer->end_ns - start_ns,
			tc_interval_measure(transfer->late), 1};
		if (row.ns >= TC_HOLE_MIN_NS) {
			write_transfer(sweep->tables, timeline, step, &row);
			continue;
		}
		struct transfer_sum *sum = &sums[step >= 0 ? (size_t)step : timeline->step_count];
		if (sum->count++ == 0)
			sum->first_ns = row.first_ns;
		sum->ns += row.ns;
		sum->late_ns += row.late_ns;
	}
	for (size_t i = 0; i <= timeline->step_count && sums; i++)
		if (sums[i].count > 0)
			write_transfer(sweep->tables, timeline,
				i < timeline->step_count ? (int64_t)i : -1, &sums[i]);
}

static void write_queued(const struct tc_host_sweep *sweep)
{
	const struct tc_device_tally *devices = sweep->devices;

	for (size_t i = 0; i < tc_device_scope_count(devices); i++) {
		size_t number = tc_device_scope_tally(devices, i);
		struct tc_metric_scope scope = {tc_device_scope_name(devices, i), NULL};
		if (devices->runs[number].op_count > 0)
			tc_metric_put(sweep->writer, TC_METRIC_QUEUED_IDLE, scope,
				sweep->queued_ns[number]);
	}
}

/* Writes what is known only at the end. */
static void finish(struct run *run)
{
	struct tc_host_sweep *sweep = run->seen;
	struct tc_ctx *ctx = sweep->timeline->ctx;
	struct transfer_sum *sums;

	go_to(run, TC_TIME_LAST);
	book(run, TC_TIME_LAST);
	for (size_t i = 0; i < VISITORS && !tc_ctx_failed(ctx); i++)
		visitors[i]->finish(run->tallies[i]);
	TC_ARENA(&run->arena, sums, sweep->timeline->step_count + 1);
	write_transfers(sweep, sums);
	write_waterfall(&run->host, sweep);
	write_queued(sweep);
	tc_metric_writer_flush(sweep->writer);
}

void tc_host_sweep_run(struct tc_host_sweep *sweep)
{
	const struct tc_survey *survey = sweep->survey;
	struct tc_ctx *ctx = sweep->timeline->ctx;
	struct run run = {.seen = sweep, .arena.ctx = ctx};
	const struct tc_sweep engine = {
		.user = &run,
		.open_bytes = sizeof(struct tc_host_open),
		.start = on_start,
		.end = on_end,
		.endless = on_endless,
	};

	init(&run);
	tc_sweep_run(&engine, sweep->timeline, survey->tracks, survey->track_count);
	if (!tc_ctx_failed(ctx))
		finish(&run);
	for (size_t i = 0; i < VISITORS; i++)
		if (run.tallies[i])
			visitors[i]->clear(run.tallies[i]);
	clear_state(&sweep->state);
	tc_arena_clear(&run.arena);
}

/*
 * Gaps come from the device sweep, and what threads are doing from the host sweep. A gap of a tally
 * is open from its start until its end, and the time in it goes to causes piece by piece:
 *
 *   device   --work--|               gap               |--work--
 *   host     |--loader--|--python--|--launch--|
 *   causes           |dl|host_other| launch   |queued  |
 */
#include "analysis/idle.h"

#include "analysis/host_sweep.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/limits.h"
#include "core/saturate.h"

/*
 * ---- what was not recorded: how the trace shows that a device worked on something that is not in
 * it. Such time is neither busy nor idle (docs/gaps.md). Beside the end of a cut file it shows in:
 * - The host waits for the device until the first recorded work, or that work is in the queue, far
 *   longer than the work takes: the device was at work when the recording began.
 * - A graph waits in the queue of a device that has nothing to do, in a trace whose graphs have
 *   holes: operations are missing at the ends of graphs, too.
 * - Calls launch work that is not in the trace, where the work of other calls is. While the host
 *   then waits for the device, and while the next work is in the queue behind it, it runs.
 *
 * Launches whose work is not recorded. A launch may be several nested calls, and work names one of
 * them, so the outermost call of a thread decides when it ends. What the next launch with recorded
 * work launches waits behind the unrecorded work:
 *
 *   host     |graph launch||kernel launch|  |------- item() -------|
 *   device                                   (graph)         |kernel|
 *            lost           behind it: the time until the kernel starts is no idle time
 */

/* A wait of at least this length, and of so many times the length of the work at its end, waits for
 * more than that work. Our defaults, no published source. */
#define LONG_WAIT_MIN_NS INT64_C(1000000)
enum { LONG_WAIT_TIMES = 10 };

/* So many of the latest launches are known; queues of devices hold 1024. */
enum { LAUNCHES_HELD = 4096 };

struct launching {
	uint32_t depth;        /* open launch calls */
	bool has_work;         /* one of them has launched recorded work */
	int64_t start_ns;      /* of the outermost */
	int64_t lost_since_ns; /* the first launch without recorded work since one with it */
};

struct unrecorded {
	struct tc_arena arena;
	const struct tc_host_sweep *sweep;
	bool links_work;           /* most work of the trace names its launch, none has several */
	bool is_capturing;         /* calls launch nothing now, but become nodes of a graph */
	struct launching *threads; /* by host thread */
	int64_t *behind;           /* slice ids of launches that came next after lost ones */
	int64_t launch_count;      /* of lost ones */
};

/* NULL when memory is out, which fails the context. */
static struct unrecorded *unrecorded_new(const struct tc_host_sweep *sweep)
{
	const struct tc_busy *all = tc_device_tally_all(sweep->devices);
	struct unrecorded *unrecorded = tc_new(sweep->timeline->ctx, 1, sizeof(*unrecorded));

	if (!unrecorded)
		return NULL;
	*unrecorded = (struct unrecorded){
		.arena.ctx = sweep->timeline->ctx,
		.sweep = sweep,
		.links_work = all && !sweep->timeline->has_unknown_callers &&
			      all->launched_count > 0 &&
			      all->launched_count >=
				      all->op_count - all->before_count - all->launched_count,
	};
	TC_ARENA(&unrecorded->arena, unrecorded->threads, sweep->survey->thread_count);
	TC_ARENA(&unrecorded->arena, unrecorded->behind, LAUNCHES_HELD);
	if (tc_ctx_failed(sweep->timeline->ctx))
		return unrecorded;
	for (size_t i = 0; i < sweep->survey->thread_count; i++)
		unrecorded->threads[i].lost_since_ns = TC_TIME_LAST;
	for (size_t i = 0; i < LAUNCHES_HELD; i++)
		unrecorded->behind[i] = TC_NO_ID;
	return unrecorded;
}

static void unrecorded_free(struct unrecorded *unrecorded)
{
	if (!unrecorded)
		return;
	tc_arena_clear(&unrecorded->arena);
	tc_free(unrecorded);
}

static const struct tc_label *label_of(
	const struct unrecorded *unrecorded, const struct tc_host_open *host)
{
	return &unrecorded->sweep->timeline->labels[host->open.span.label];
}

static int64_t *place_of(const struct unrecorded *unrecorded, int64_t slice_id)
{
	return &unrecorded->behind[(uint64_t)slice_id % LAUNCHES_HELD];
}

static void unrecorded_start(struct unrecorded *unrecorded, const struct tc_host_open *host)
{
	const struct tc_label *label = label_of(unrecorded, host);
	struct launching *thread = &unrecorded->threads[host->thread];

	if (label->mark == TC_MARK_GRAPH_BEGIN || label->mark == TC_MARK_GRAPH_CAPTURE)
		unrecorded->is_capturing = label->mark == TC_MARK_GRAPH_BEGIN;
	if (!label->is_launch)
		return;
	if (thread->depth++ == 0) {
		thread->has_work = false;
		thread->start_ns = host->open.start_ns;
	}
	if (host->first_work_ns == INT64_MIN)
		return;
	thread->has_work = true;
	if (thread->lost_since_ns < TC_TIME_LAST)
		*place_of(unrecorded, host->open.span.slice_id) = host->open.span.slice_id;
}

/* A host slice ends. Copies and sets between memories of the host have no work on the device, so
 * only calls that launch kernels and graphs can be known to have lost theirs. */
static void unrecorded_end(struct unrecorded *unrecorded, const struct tc_host_open *host)
{
	const struct tc_label *label = label_of(unrecorded, host);
	struct launching *thread = &unrecorded->threads[host->thread];

	if (!label->is_launch || --thread->depth > 0)
		return;
	if (thread->has_work) {
		thread->lost_since_ns = TC_TIME_LAST;
		return;
	}
	bool is_work = label->mark == TC_MARK_KERNEL_LAUNCH || label->mark == TC_MARK_GRAPH_LAUNCH;
	if (!is_work || !unrecorded->links_work || unrecorded->is_capturing)
		return;
	unrecorded->launch_count++;
	if (thread->lost_since_ns == TC_TIME_LAST)
		thread->lost_since_ns = thread->start_ns;
}

/* The call waits for the device: it reads from it, or lets it finish. A copy to the device is none,
 * because the first one of a process sets the runtime up. */
static bool is_wait(const struct tc_host_open *host)
{
	return host->role == TC_ROLE_SYNC || host->role == TC_ROLE_OUTPUT_COPY;
}

/* Whether the first recorded work starts only long after a time from which nothing but the device
 * can have held it up. Of several devices one may wait for another. */
static bool is_late(const struct unrecorded *unrecorded, const struct tc_gap *gap, int64_t from_ns)
{
	const struct tc_device_tally *devices = unrecorded->sweep->devices;
	int64_t start_ns = tc_time_clamp(unrecorded->sweep->timeline->start_ns);
	int64_t late_ns = gap->end_ns - (from_ns > start_ns ? from_ns : start_ns);

	return devices->tally_count == 1 && gap->place == TC_GAP_BEFORE &&
	       late_ns >= LONG_WAIT_MIN_NS && gap->work_ns <= late_ns / LONG_WAIT_TIMES;
}

/* The first recorded work starts while the host waits, and was launched by the wait or before. */
static bool began_at_work(const struct unrecorded *unrecorded, const struct tc_gap *gap,
	const struct tc_host_open *host)
{
	bool is_own = gap->launch_slice_id == TC_NO_ID || gap->is_queued ||
		      gap->launch_slice_id == host->open.span.slice_id ||
		      gap->launch_ts_ns <= host->open.start_ns;

	return is_own && gap->end_ns <= host->open.end_ns &&
	       is_late(unrecorded, gap, host->open.start_ns);
}

/* Whether the device works while the host is in a slice, in a gap that goes on. */
static bool unrecorded_in_wait(const struct unrecorded *unrecorded, const struct tc_gap *gap,
	const struct tc_host_open *host)
{
	return host && is_wait(host) &&
	       (began_at_work(unrecorded, gap, host) ||
		       unrecorded->threads[host->thread].lost_since_ns < host->open.start_ns);
}

/* Whether the device works while the call runs that launches the work which ends a gap: a call that
 * copies blocks until the work before it is done. */
static bool unrecorded_in_call(const struct unrecorded *unrecorded, const struct tc_gap *gap)
{
	return gap->waits && is_late(unrecorded, gap, gap->launch_ts_ns);
}

/* Whether it works while that work is in its queue, from a time on; since when the gap is there,
 * with all its intervals. */
static bool unrecorded_in_queue(const struct unrecorded *unrecorded, const struct tc_gap *gap,
	int64_t since_ns, int64_t from_ns)
{
	const struct tc_host_sweep *sweep = unrecorded->sweep;

	/* That work without a call was launched before the recording may be a guess. */
	if (gap->launch_slice_id == TC_NO_ID)
		return false;
	if (is_late(unrecorded, gap, from_ns) ||
		*place_of(unrecorded, gap->launch_slice_id) == gap->launch_slice_id)
		return true;
	return sweep->devices->has_holes && gap->place == TC_GAP_WITHIN &&
	       sweep->timeline->labels[gap->launch_label].mark == TC_MARK_GRAPH_LAUNCH &&
	       tc_add_saturated(gap->launch_end_ns, TC_LAUNCH_LATENCY_NS) <= since_ns;
}

/*
 * Gap totals: sums of the rows of gap, so that nobody who asks how long devices were idle, and why,
 * has to read a row for every gap. Each row of gap is added once.
 */

/* A host slice as it is shown for idle time. */
struct gap_slice {
	int64_t id; /* TC_NO_ID for none */
	int64_t dur_ns;
	uint32_t label;
};

static const struct gap_slice no_slice = {.id = TC_NO_ID};

/* A row of gap. */
struct gap_row {
	size_t device;
	int64_t step; /* index of steps[], or -1 */
	enum tc_cause cause;
	int64_t ns, count;
	int64_t gap_ns;         /* the whole gap; 0 for gaps that are summed up */
	int64_t empty_ns;       /* part of ns without any host slice */
	struct gap_slice slice; /* fills more of it than that, and than any other */
	int64_t slice_ns;       /* part of ns that it fills; 0 without one */
};

/* There may be as many rows with a host slice as there are gaps. */
enum { SORT_BYTES = 1024 * 1024 };

struct total {
	int64_t ns, count, longest_ns, unrecorded_ns, short_ns;
};

/* Idle time while the host was in a slice of a label. */
struct host {
	uint32_t device, cause, is_warm_up, label;
	int64_t ns;
};

TC_ORDER(compare_hosts, struct host,
	TC_UP(device) TC_UP(cause) TC_UP(is_warm_up) TC_UP(label) TC_UP(ns));

struct gap_totals {
	const struct tc_timeline *timeline;
	struct tc_paged rows;    /* by device, step and cause */
	struct tc_sorter *hosts; /* the rows with a host slice; NULL without any */
};

static size_t row_count(const struct tc_timeline *timeline)
{
	return timeline->device_count * (timeline->step_count + 1) * TC_CAUSE_COUNT;
}

static struct total *total_at(const struct gap_totals *totals, size_t i)
{
	return TC_PAGED_AT(&totals->rows, struct total, i);
}

static struct total *total_of(const struct gap_totals *totals, const struct gap_row *row)
{
	size_t of_device = row->device * (totals->timeline->step_count + 1);

	return total_at(
		totals, (of_device + (size_t)(row->step + 1)) * TC_CAUSE_COUNT + row->cause);
}

static void add_host(struct gap_totals *totals, const struct gap_row *row)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct host), SORT_BYTES, compare_hosts};
	const struct tc_timeline *timeline = totals->timeline;
	const struct host host = {.device = (uint32_t)row->device,
		.cause = row->cause,
		.is_warm_up = row->step >= 0 && timeline->steps[row->step].is_warm_up,
		.label = row->slice.label,
		.ns = row->slice_ns};

	tc_sorter_put(&totals->hosts, timeline->ctx, &layout, &host);
}

static void add_to_totals(struct gap_totals *totals, const struct gap_row *row)
{
	struct total *total = total_of(totals, row);

	total->ns = tc_add_saturated(total->ns, row->ns);
	total->count += row->count;
	if (row->count == 1 && row->ns > total->longest_ns)
		total->longest_ns = row->ns;
	total->unrecorded_ns = tc_add_saturated(total->unrecorded_ns, row->empty_ns);
	if (row->gap_ns <= TC_HOLE_MIN_NS)
		total->short_ns = tc_add_saturated(total->short_ns, row->ns);
	if (row->slice.id != TC_NO_ID)
		add_host(totals, row);
}

static void write_total(const struct gap_totals *totals, struct tc_tables *tables, size_t i)
{
	const struct tc_timeline *timeline = totals->timeline;
	const struct total *total = total_at(totals, i);
	size_t place = i / TC_CAUSE_COUNT, steps = timeline->step_count + 1;

	if (total->count == 0)
		return;
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_text(timeline->devices[place / steps].name),
		tc_sql_id(tc_windows_step_id(timeline, (int64_t)(place % steps) - 1)),
		tc_sql_string(tc_cause_name((enum tc_cause)(i % TC_CAUSE_COUNT))),
		tc_sql_int(total->ns),
		tc_sql_int(total->count),
		tc_sql_int_if(total->longest_ns > 0, total->longest_ns),
		tc_sql_int(total->unrecorded_ns),
		tc_sql_int(total->short_ns),
	};
	TC_TABLES_PUT(tables,
		"gap_total (trace_id, device, step_id, cause, dur, count, longest_ns,"
		" unrecorded_ns, short_ns)",
		values);
}

static void write_host(
	const struct gap_totals *totals, struct tc_tables *tables, const struct host *host)
{
	const struct tc_timeline *timeline = totals->timeline;

	if (host->ns == 0)
		return;
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_text(timeline->devices[host->device].name),
		tc_sql_string(tc_cause_name((enum tc_cause)host->cause)),
		tc_sql_int(host->is_warm_up),
		tc_sql_int(timeline->label_base + host->label),
		tc_sql_int(host->ns),
	};
	TC_TABLES_PUT(
		tables, "gap_host (trace_id, device, cause, is_warm_up, label_id, dur)", values);
}

static bool is_same(const struct host *a, const struct host *b)
{
	return a->device == b->device && a->cause == b->cause && a->is_warm_up == b->is_warm_up &&
	       a->label == b->label;
}

static void write_hosts(const struct gap_totals *totals, struct tc_tables *tables)
{
	const struct host *host = NULL;
	struct host sum = {0};

	host = tc_sorter_first(totals->hosts);
	for (; host; host = tc_sorter_next(totals->hosts)) {
		if (is_same(host, &sum)) {
			sum.ns = tc_add_saturated(sum.ns, host->ns);
			continue;
		}
		write_host(totals, tables, &sum);
		sum = *host;
	}
	write_host(totals, tables, &sum);
}

/* Gaps and their causes. */

/* One cause within one gap. */
struct gap_piece {
	int64_t ns, first_ns;
	int64_t empty_ns; /* without any slice */
	int64_t slice_ns; /* that the slice fills, which is the one that fills most of it */
	struct gap_slice slice;
};

struct gap_slot {
	bool is_open, goes_on; /* with goes_on: between two intervals of one gap */
	struct tc_gap gap;     /* its current interval */
	int64_t start_ns;      /* of its first interval */
	int64_t host_end_ns;   /* until then the host's activity is the cause */
	struct gap_piece pieces[TC_CAUSE_COUNT];
};

struct gap_sum {
	int64_t ns, first_ns, count, empty_ns;
};

struct gap_tally {
	struct tc_arena arena;
	const struct tc_host_sweep *sweep;
	const struct tc_timeline *timeline;
	const struct tc_gap *next;
	struct unrecorded *unrecorded;
	struct gap_slot *slots; /* by tally */
	uint32_t *open;         /* tallies whose slot is open, in ascending order */
	size_t open_count;
	struct gap_sum *sums; /* short gaps: [(device * (steps + 1) + step + 1) * causes + cause] */
	struct gap_totals totals;
	int64_t until_ns;
	size_t silence; /* the first that is not over by then */
};

/* In these roles the launching thread may be waiting for a compilation on another thread. */
static bool yields_to_compile(enum tc_cause cause)
{
	return cause == TC_CAUSE_UNKNOWN || cause == TC_CAUSE_OTHER || cause == TC_CAUSE_LAUNCH ||
	       cause == TC_CAUSE_GRAPH_BUILD || cause == TC_CAUSE_DISPATCH;
}

static void clear_tally(void *self)
{
	struct gap_tally *tally = self;

	unrecorded_free(tally->unrecorded);
	tc_arena_clear(&tally->arena);
	tc_paged_clear(&tally->totals.rows);
	tc_sorter_free(tally->totals.hosts);
}

static void begin_tally(void *self, const struct tc_host_sweep *sweep)
{
	const struct tc_timeline *timeline = sweep->timeline;
	size_t tally_count = sweep->devices->tally_count;
	struct gap_tally *tally = self;

	*tally = (struct gap_tally){
		.arena.ctx = timeline->ctx,
		.sweep = sweep,
		.timeline = timeline,
		.totals.timeline = timeline,
		.unrecorded = unrecorded_new(sweep),
		.until_ns = TC_TIME_FIRST,
	};
	TC_ARENA(&tally->arena, tally->slots, tally_count);
	TC_ARENA(&tally->arena, tally->open, tally_count);
	tally->sums =
		tc_arena_take(&tally->arena, timeline->device_count * (timeline->step_count + 1),
			TC_CAUSE_COUNT * sizeof(*tally->sums));
	tc_paged_init(&tally->totals.rows, timeline->ctx, row_count(timeline), sizeof(struct total),
		NULL);
	tally->next = tc_sorter_first(sweep->devices->spool.gaps);
}

/* The activity of a thread: a cause, and the slice that shows it. */
struct doing {
	bool is_idle; /* no slice of the thread is open */
	enum tc_cause cause;
	const struct tc_host_open *slice; /* may be NULL */
	bool has_role; /* the slice and all slices within it that have no role of their own */
};

/* The open slice that gives a thread its role; NULL without a role. Sets *role. */
static const struct tc_host_open *role_slice_of(
	const struct tc_host_state *state, int32_t thread, enum tc_role *role)
{
	*role = tc_role_first(tc_host_thread_at(state, thread)->roles);
	if (*role == TC_ROLE_NONE)
		return NULL;
	for (uint32_t i = tc_host_thread_at(state, thread)->first_track; i != UINT32_MAX;) {
		const struct tc_host_track *track = tc_host_track_at(state, i);
		if (track->role == *role) {
			const struct tc_open *last = track->lists[TC_HOST_ROLES].last;
			return tc_host_of(last ? last : track->lists[TC_HOST_DISPATCH].last);
		}
		i = track->next_track;
	}
	return NULL;
}

static struct doing doing_of(const struct tc_host_state *state, int32_t thread)
{
	struct doing doing = {.is_idle = true, .cause = TC_CAUSE_UNKNOWN};
	enum tc_role role = TC_ROLE_NONE;

	if (thread < 0 || tc_host_thread_at(state, thread)->open_count == 0)
		return doing;
	doing.is_idle = false;
	doing.slice = role_slice_of(state, thread, &role);
	doing.has_role = doing.slice != NULL;
	doing.cause = state->survey->knows_work ? tc_cause_of_role[role] : TC_CAUSE_UNKNOWN;
	if (!doing.slice)
		doing.slice = tc_host_innermost(state, thread, TC_HOST_ALL);
	return doing;
}

/* The first launching thread in the role of highest priority that any of them is in. Without such a
 * role, the first with an open slice; -1 for none. */
static int32_t launching_thread(const struct tc_host_state *state)
{
	enum tc_role role = tc_role_first(state->launching_roles);
	size_t thread = tc_first_set_first(&state->launching[role]);

	return thread == TC_FIRST_SET_NONE ? -1 : (int32_t)thread;
}

/* Chooses the thread to look at: the launching thread; while that has nothing to do, the main
 * thread, which feeds it; then any other that launches. If no slice is open on any of them within
 * their recorded time, they ran something that was not recorded. */
static struct doing host_doing(
	const struct tc_host_state *state, int32_t thread, struct tc_interval part, bool in_step)
{
	const struct tc_survey *survey = state->survey;
	struct doing doing = doing_of(state, thread);

	if (doing.is_idle && thread != survey->main_thread)
		doing = doing_of(state, survey->main_thread);
	if (doing.is_idle)
		doing = doing_of(state, launching_thread(state));
	if (state->compiles.last && yields_to_compile(doing.cause))
		return (struct doing){.cause = TC_CAUSE_COMPILE,
			.slice = tc_host_of(state->compiles.last),
			.has_role = true};
	if (doing.is_idle && survey->knows_work &&
		(in_step || (survey->launching.start_ns <= part.start_ns &&
				    part.start_ns < survey->launching.end_ns)))
		doing.cause = !in_step && tc_server_has_no_work(
						  &survey->server, tc_interval_measure(part))
				      ? TC_CAUSE_NO_WORK
				      : TC_CAUSE_OTHER;
	return doing;
}

static void add_piece(const struct gap_tally *tally, struct gap_slot *slot, enum tc_cause cause,
	struct tc_interval part, const struct gap_slice *slice, int64_t slice_ns)
{
	struct gap_piece *piece = &slot->pieces[cause];
	int64_t ns = tc_interval_measure(part);

	if (ns == 0)
		return;
	tc_idle_add(tally->sweep->windows, &slot->gap, (int)cause, part);
	if (piece->ns == 0)
		*piece = (struct gap_piece){.first_ns = part.start_ns, .slice = no_slice};
	piece->ns += ns;
	if (slice->id == TC_NO_ID) {
		piece->empty_ns += ns;
	} else if (slice_ns > piece->slice_ns) {
		piece->slice = *slice;
		piece->slice_ns = slice_ns;
	}
}

static struct gap_slice slice_of(const struct tc_host_open *open)
{
	if (!open)
		return no_slice;
	return (struct gap_slice){
		open->open.span.slice_id, open->open.span.dur_ns, open->open.span.label};
}

/* The cause within a silence of a host that was doing something else by its slices. */
static enum tc_cause cause_in(const struct tc_silence *silence, enum tc_cause cause)
{
	if (silence->kind == TC_SILENCE_COMPILE)
		return yields_to_compile(cause) ? TC_CAUSE_COMPILE : cause;
	return cause == TC_CAUSE_OTHER ? TC_CAUSE_PAUSE : cause;
}

/* Adds a part of a gap in which the state of the host did not change, silences in it apart. */
static void add_doing(const struct gap_tally *tally, struct gap_slot *slot,
	const struct doing *doing, struct tc_interval part, int64_t slice_ns)
{
	const struct tc_silences *silences = &tally->sweep->survey->silences;
	const struct gap_slice slice = slice_of(doing->slice);

	for (size_t i = tally->silence; i < silences->count; i++) {
		const struct tc_silence *silence = &silences->items[i];
		struct tc_interval silent = tc_interval_cut(
			part, (struct tc_interval){silence->from_ns, silence->until_ns});
		if (silence->until_ns <= part.start_ns)
			continue;
		if (tc_interval_measure(silent) == 0)
			break;
		add_piece(tally, slot, doing->cause,
			(struct tc_interval){part.start_ns, silent.start_ns}, &slice, slice_ns);
		add_piece(tally, slot, cause_in(silence, doing->cause), silent, &slice, slice_ns);
		part.start_ns = silent.end_ns;
	}
	add_piece(tally, slot, doing->cause, part, &slice, slice_ns);
}

/* Attributes the time since the last call as far as it lies in the host's part of a gap. */
static void ask_host(const struct gap_tally *tally, struct gap_slot *slot, int64_t time_ns)
{
	const struct tc_timeline *timeline = tally->timeline;
	bool in_step = tally->sweep->in_window && timeline->step_count > 0;
	struct tc_interval host = {slot->gap.start_ns, slot->host_end_ns};
	struct tc_interval part =
		tc_interval_cut(host, (struct tc_interval){tally->until_ns, time_ns});
	int64_t slice_ns = tc_interval_measure(part);

	if (slice_ns == 0)
		return;
	struct doing doing = host_doing(&tally->sweep->state, slot->gap.thread, part, in_step);
	/* A slice with a role counts with its whole length, since slices within it inherit the
	 * role. Of the others, the innermost slice that lasts longest is shown. */
	if (doing.slice && doing.has_role)
		slice_ns = tc_interval_measure(
			tc_interval_cut(host, (struct tc_interval){doing.slice->open.start_ns,
						      doing.slice->open.end_ns}));
	if (slot->gap.place == TC_GAP_AFTER)
		doing.cause = TC_CAUSE_AFTER_LAST_WORK;
	if (unrecorded_in_wait(tally->unrecorded, &slot->gap, doing.slice) ||
		(slot->gap.place == TC_GAP_AFTER && tc_timeline_may_lack(timeline, part.start_ns)))
		doing.cause = TC_CAUSE_UNRECORDED;
	add_doing(tally, slot, &doing, part, slice_ns);
}

static int64_t clamp_between(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

static bool has_launch(const struct tc_gap *gap)
{
	return gap->launch_slice_id != TC_NO_ID;
}

static void open_slot(struct gap_slot *slot, const struct tc_gap *gap)
{
	if (!slot->goes_on)
		*slot = (struct gap_slot){.start_ns = gap->start_ns};
	slot->is_open = true;
	slot->gap = *gap;
	slot->host_end_ns = has_launch(gap)
				    ? clamp_between(gap->launch_ts_ns, gap->start_ns, gap->end_ns)
				    : gap->end_ns;
	if (gap->is_queued || gap->is_hole)
		slot->host_end_ns = gap->start_ns;
}

/* A call that launches single kernels takes microseconds. A call of TC_LOAD_MIN_NS or more while
 * the device has nothing to do cannot be waiting for a queue: it first loads the code of the
 * kernel. */
static bool is_load(const struct gap_tally *tally, const struct gap_slice *call)
{
	return call->id != TC_NO_ID && call->dur_ns >= TC_LOAD_MIN_NS &&
	       tally->timeline->labels[call->label].mark == TC_MARK_KERNEL_LAUNCH;
}

/* The part of a gap after the launch began: first launch, then queued. */
static void split_launch(const struct gap_tally *tally, struct gap_slot *slot)
{
	const struct tc_gap *gap = &slot->gap;
	int64_t arrived_ns = slot->host_end_ns;

	if (gap->is_hole) {
		add_piece(tally, slot, TC_CAUSE_UNRECORDED,
			(struct tc_interval){gap->start_ns, gap->end_ns}, &no_slice, 0);
		return;
	}
	if (has_launch(gap))
		arrived_ns =
			clamp_between(tc_add_saturated(gap->launch_end_ns, TC_LAUNCH_LATENCY_NS),
				slot->host_end_ns, gap->end_ns);
	else if (!gap->is_queued)
		return;
	struct tc_interval launch = {slot->host_end_ns, arrived_ns};
	const struct gap_slice call = {
		gap->launch_slice_id, gap->launch_end_ns - gap->launch_ts_ns, gap->launch_label};
	enum tc_cause cause = is_load(tally, &call) ? TC_CAUSE_SETUP : TC_CAUSE_LAUNCH;
	if (unrecorded_in_call(tally->unrecorded, gap))
		cause = TC_CAUSE_UNRECORDED;
	add_piece(tally, slot, cause, launch, &call, tc_interval_measure(launch));
	bool is_behind = unrecorded_in_queue(tally->unrecorded, gap, slot->start_ns, arrived_ns);
	add_piece(tally, slot, is_behind ? TC_CAUSE_UNRECORDED : TC_CAUSE_QUEUED,
		(struct tc_interval){arrived_ns, gap->end_ns}, &no_slice, 0);
}

/* Writes the time of one gap with one cause, or the sum over several gaps (gap NULL). */
static void write_row(struct gap_tally *tally, const struct gap_row *row, int64_t first_ns,
	const struct gap_slot *slot)
{
	const struct tc_gap *gap = slot ? &slot->gap : NULL;
	const struct tc_interval launched = {gap ? gap->launch_ts_ns : 0, gap ? gap->end_ns : 0};
	const struct tc_sql_value values[] = {
		tc_sql_int(tally->timeline->trace_id),
		tc_sql_text(tally->timeline->devices[row->device].name),
		tc_sql_id(tc_windows_step_id(tally->timeline, row->step)),
		tc_sql_int(first_ns),
		tc_sql_int(row->ns),
		tc_sql_string(tc_cause_name(row->cause)),
		tc_sql_id(row->slice.id),
		tc_sql_int(row->slice_ns),
		tc_sql_int(row->empty_ns),
		tc_sql_id(gap ? gap->launch_slice_id : TC_NO_ID),
		gap && has_launch(gap) ? tc_sql_int(tc_interval_measure(launched)) : tc_sql_null(),
		tc_sql_int(row->count),
		gap ? tc_sql_int(slot->start_ns) : tc_sql_null(),
		gap ? tc_sql_int(row->gap_ns) : tc_sql_null(),
		tc_sql_int(gap && gap->is_hole),
	};

	TC_TABLES_PUT(tally->sweep->tables,
		"gap (trace_id, device, step_id, ts, dur, cause, host_slice_id, host_ns, empty_ns,"
		" next_launch_slice_id, launch_delay_ns, count, gap_ts, gap_dur, is_hole)",
		values);
	add_to_totals(&tally->totals, row);
}

/* The index of the step of a gap, or -1. */
static int64_t step_of(const struct gap_tally *tally, const struct tc_gap *gap)
{
	return (size_t)gap->step < tally->timeline->step_count ? gap->step : -1;
}

static void write_slot(struct gap_tally *tally, const struct gap_slot *slot)
{
	const struct tc_gap *gap = &slot->gap;

	for (int i = 0; i < TC_CAUSE_COUNT; i++) {
		const struct gap_piece *piece = &slot->pieces[i];
		bool is_named = piece->slice_ns >= piece->empty_ns;
		const struct gap_row row = {
			.device = (size_t)gap->tally,
			.step = step_of(tally, gap),
			.cause = (enum tc_cause)i,
			.ns = piece->ns,
			.count = 1,
			.gap_ns = gap->end_ns - slot->start_ns,
			.empty_ns = piece->empty_ns,
			.slice = is_named ? piece->slice : no_slice,
			.slice_ns = is_named ? clamp_between(piece->slice_ns, 0, piece->ns) : 0,
		};
		if (piece->ns > 0)
			write_row(tally, &row, piece->first_ns, slot);
	}
}

static void sum_slot(struct gap_tally *tally, const struct gap_slot *slot)
{
	size_t steps = tally->timeline->step_count;
	size_t step = (size_t)(step_of(tally, &slot->gap) + 1);
	struct gap_sum *sums =
		&tally->sums[((size_t)slot->gap.tally * (steps + 1) + step) * TC_CAUSE_COUNT];

	for (size_t i = 0; i < TC_CAUSE_COUNT; i++) {
		if (slot->pieces[i].ns == 0)
			continue;
		if (sums[i].count++ == 0)
			sums[i].first_ns = slot->pieces[i].first_ns;
		sums[i].ns += slot->pieces[i].ns;
		sums[i].empty_ns += slot->pieces[i].empty_ns;
	}
}

static void close_slot(struct gap_tally *tally, struct gap_slot *slot)
{
	slot->is_open = false;
	split_launch(tally, slot);
	slot->goes_on = slot->gap.goes_on;
	if (slot->goes_on)
		return;
	tc_idle_end_gap(tally->sweep->windows, &slot->gap);
	if (slot->gap.place != TC_GAP_WITHIN)
		return;
	tally->sweep->queued_ns[slot->gap.tally] += slot->pieces[TC_CAUSE_QUEUED].ns;
	if ((size_t)slot->gap.tally >= tally->timeline->device_count)
		return; /* of all devices together: only its queued time is used */
	if (slot->gap.end_ns - slot->start_ns >= TC_GAP_ROW_MIN_NS)
		write_slot(tally, slot);
	else
		sum_slot(tally, slot);
}

/* Inserts a tally into the ordered list of those with an open gap. */
static void list_open(struct gap_tally *tally, uint32_t number)
{
	size_t at = tally->open_count++;

	for (; at > 0 && tally->open[at - 1] > number; at--)
		tally->open[at] = tally->open[at - 1];
	tally->open[at] = number;
}

/* A gap that the host is not asked about: its time before the launch has no cause. */
static void pass_by(struct gap_tally *tally, struct gap_slot *slot)
{
	const struct tc_interval host = {slot->gap.start_ns, slot->host_end_ns};

	*tally->sweep->unasked_count += slot->gap.place == TC_GAP_WITHIN && !slot->gap.goes_on;
	add_piece(tally, slot, TC_CAUSE_UNKNOWN, host, &no_slice, 0);
	close_slot(tally, slot);
}

static void open_gap(struct gap_tally *tally, const struct tc_gap *gap, int64_t time_ns)
{
	struct gap_slot *slot = &tally->slots[gap->tally];
	bool is_listed = slot->is_open;

	if (is_listed) {
		ask_host(tally, slot, time_ns);
		close_slot(tally, slot);
	}
	open_slot(slot, gap);
	if (is_listed)
		return;
	/* The gaps of all devices together are always asked about. */
	if (tally->open_count < TC_GAP_OPEN_MAX_COUNT ||
		(size_t)gap->tally >= tally->timeline->device_count)
		list_open(tally, (uint32_t)gap->tally);
	else
		pass_by(tally, slot);
}

static void open_gaps(struct gap_tally *tally, int64_t time_ns)
{
	while (tally->next && tally->next->start_ns < time_ns) {
		open_gap(tally, tally->next, time_ns);
		tally->next = tc_sorter_next(tally->sweep->devices->spool.gaps);
	}
}

/* Attributes the time since the last call, in which the state of the host did not change. */
static void pass(void *self, int64_t time_ns)
{
	struct gap_tally *tally = self;
	int64_t cut_ns = tally->timeline->known_until_ns;
	size_t kept = 0;

	if (tally->until_ns < cut_ns && cut_ns < time_ns)
		pass(tally, cut_ns);
	tc_silences_next(&tally->sweep->survey->silences, &tally->silence, tally->until_ns);
	open_gaps(tally, time_ns);
	for (size_t i = 0; i < tally->open_count; i++) {
		struct gap_slot *slot = &tally->slots[tally->open[i]];
		ask_host(tally, slot, time_ns);
		if (slot->gap.end_ns <= time_ns)
			close_slot(tally, slot);
		else
			tally->open[kept++] = tally->open[i];
	}
	tally->open_count = kept;
	tally->until_ns = time_ns;
}

static void write_short_gaps(struct gap_tally *tally)
{
	size_t steps = tally->timeline->step_count;

	for (size_t i = 0; i < tally->timeline->device_count * (steps + 1) * TC_CAUSE_COUNT; i++) {
		const struct gap_sum *sum = &tally->sums[i];
		size_t place = i / TC_CAUSE_COUNT;
		const struct gap_row row = {
			.device = place / (steps + 1),
			.step = (int64_t)(place % (steps + 1)) - 1,
			.cause = (enum tc_cause)(i % TC_CAUSE_COUNT),
			.ns = sum->ns,
			.count = sum->count,
			.empty_ns = sum->empty_ns,
			.slice = no_slice,
		};
		if (sum->count > 0)
			write_row(tally, &row, sum->first_ns, NULL);
	}
}

static void finish(void *self)
{
	struct gap_tally *tally = self;
	const struct tc_host_sweep *sweep = tally->sweep;

	write_short_gaps(tally);
	for (size_t i = 0; i < row_count(tally->timeline); i++)
		write_total(&tally->totals, sweep->tables, i);
	write_hosts(&tally->totals, sweep->tables);
	tc_idle_write(sweep->windows, sweep->tables);
	if (tally->unrecorded->launch_count > 0)
		tc_metric_put(sweep->writer, TC_METRIC_LOST_LAUNCHES, TC_METRIC_RUN,
			tally->unrecorded->launch_count);
}

static void start(void *self, struct tc_host_open *host)
{
	unrecorded_start(((struct gap_tally *)self)->unrecorded, host);
}

static void end(void *self, struct tc_host_open *host)
{
	unrecorded_end(((struct gap_tally *)self)->unrecorded, host);
}

const struct tc_host_visitor tc_gap_visitor = {
	.size = sizeof(struct gap_tally),
	.begin = begin_tally,
	.clear = clear_tally,
	.start = start,
	.end = end,
	.pass = pass,
	.finish = finish,
};

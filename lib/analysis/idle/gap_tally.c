/* Causes of idle time; see gap_tally.h. */

#include "analysis/idle/gap_tally.h"

#include "analysis/device/gap_spool.h"
#include "analysis/steps/windows.h"
#include "core/array.h"
#include "core/saturate.h"

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

static size_t row_count(const struct tc_timeline *timeline)
{
	return timeline->device_count * (timeline->step_count + 1) * TC_CAUSE_COUNT;
}

static enum tc_status gap_totals_init(
	struct tc_gap_totals *totals, const struct tc_timeline *timeline)
{
	*totals = (struct tc_gap_totals){.timeline = timeline};
	return tc_paged_init(
		&totals->rows, timeline->ctx, row_count(timeline), sizeof(struct total), NULL);
}

static void gap_totals_clear(struct tc_gap_totals *totals)
{
	tc_paged_clear(&totals->rows);
	tc_sorter_free(totals->hosts);
	*totals = (struct tc_gap_totals){0};
}

static struct total *total_at(const struct tc_gap_totals *totals, size_t i)
{
	return TC_PAGED_AT(&totals->rows, struct total, i);
}

static struct total *total_of(const struct tc_gap_totals *totals, const struct tc_gap_row *row)
{
	size_t of_device = row->device * (totals->timeline->step_count + 1);

	return total_at(
		totals, (of_device + (size_t)(row->step + 1)) * TC_CAUSE_COUNT + row->cause);
}

static enum tc_status add_host(struct tc_gap_totals *totals, const struct tc_gap_row *row)
{
	static const struct tc_sorter_layout layout = {
		sizeof(struct host), SORT_BYTES, compare_hosts};
	const struct tc_timeline *timeline = totals->timeline;
	const struct host host = {.device = (uint32_t)row->device,
		.cause = row->cause,
		.is_warm_up = row->step >= 0 && timeline->steps[row->step].is_warm_up,
		.label = row->label,
		.ns = row->ns};

	return tc_sorter_put(&totals->hosts, timeline->ctx, &layout, &host);
}

static enum tc_status gap_totals_add(struct tc_gap_totals *totals, const struct tc_gap_row *row)
{
	struct total *total = total_of(totals, row);
	bool is_single = row->count == 1;

	total->ns = tc_add_saturated(total->ns, row->ns);
	total->count += row->count;
	if (is_single && row->ns > total->longest_ns)
		total->longest_ns = row->ns;
	if (is_single && row->slice_id == TC_NO_ID)
		total->unrecorded_ns = tc_add_saturated(total->unrecorded_ns, row->ns);
	if (row->gap_ns <= TC_HOLE_MIN_NS)
		total->short_ns = tc_add_saturated(total->short_ns, row->ns);
	return row->slice_id != TC_NO_ID ? add_host(totals, row) : TC_OK;
}

static void write_total(const struct tc_gap_totals *totals, struct tc_tables *tables, size_t i)
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
	const struct tc_gap_totals *totals, struct tc_tables *tables, const struct host *host)
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

static enum tc_status write_hosts(const struct tc_gap_totals *totals, struct tc_tables *tables)
{
	const struct host *host = NULL;
	struct host sum = {0};
	enum tc_status status = TC_SORTER_FIRST(totals->hosts, host);

	for (; !status && host; status = TC_SORTER_NEXT(totals->hosts, host)) {
		if (is_same(host, &sum)) {
			sum.ns = tc_add_saturated(sum.ns, host->ns);
			continue;
		}
		write_host(totals, tables, &sum);
		sum = *host;
	}
	write_host(totals, tables, &sum);
	return status;
}

static void gap_totals_write(const struct tc_gap_totals *totals, struct tc_tables *tables)
{
	for (size_t i = 0; i < row_count(totals->timeline); i++)
		write_total(totals, tables, i);
	tc_tables_keep(tables, tc_paged_status(&totals->rows));
	tc_tables_keep(tables, write_hosts(totals, tables));
}

static const enum tc_cause cause_of_role[TC_ROLE_COUNT] = {
	[TC_ROLE_NONE] = TC_CAUSE_HOST_OTHER,
	[TC_ROLE_DATALOADER] = TC_CAUSE_DATALOADER,
	[TC_ROLE_COMPILE] = TC_CAUSE_COMPILE,
	[TC_ROLE_CPU_FALLBACK] = TC_CAUSE_CPU_FALLBACK,
	[TC_ROLE_INPUT_COPY] = TC_CAUSE_INPUT_COPY,
	[TC_ROLE_OUTPUT_COPY] = TC_CAUSE_OUTPUT_COPY,
	[TC_ROLE_SYNC] = TC_CAUSE_SYNC,
	[TC_ROLE_COLLECTIVE] = TC_CAUSE_COLLECTIVE,
	[TC_ROLE_SETUP] = TC_CAUSE_SETUP,
	[TC_ROLE_LAUNCH] = TC_CAUSE_LAUNCH,
	[TC_ROLE_GRAPH_BUILD] = TC_CAUSE_GRAPH_BUILD,
	[TC_ROLE_DISPATCH] = TC_CAUSE_DISPATCH,
	[TC_ROLE_OTHER] = TC_CAUSE_HOST_OTHER,
};

/* In these roles the launching thread may be waiting for a compilation on another thread. */
static bool yields_to_compile(enum tc_cause cause)
{
	return cause == TC_CAUSE_UNKNOWN || cause == TC_CAUSE_HOST_OTHER ||
	       cause == TC_CAUSE_LAUNCH || cause == TC_CAUSE_GRAPH_BUILD ||
	       cause == TC_CAUSE_DISPATCH;
}

enum tc_status tc_gap_tally_init(struct tc_gap_tally *tally, struct tc_tables *tables,
	const struct tc_host_state *state, struct tc_gap_spool *spool, struct tc_idle_tally *idle)
{
	const struct tc_timeline *timeline = state->timeline;
	size_t tally_count = idle->devices->tally_count;
	struct tc_arena *arena = &tally->arena;

	*tally = (struct tc_gap_tally){
		.timeline = timeline,
		.state = state,
		.input = spool->gaps,
		.idle = idle,
		.until_ns = TC_TIME_FIRST,
		.tables = tables,
	};
	TC_ARENA(arena, tally->slots, tally_count);
	TC_ARENA(arena, tally->open, tally_count);
	TC_ARENA(arena, tally->queued_ns, tally_count);
	tally->sums = tc_arena_take(arena, timeline->device_count * (timeline->step_count + 1),
		TC_CAUSE_COUNT * sizeof(*tally->sums));
	enum tc_status status = tc_arena_status(arena, tables->ctx);
	if (!status)
		status = gap_totals_init(&tally->totals, timeline);
	return status ? status : TC_SORTER_FIRST(tally->input, tally->next);
}

void tc_gap_tally_clear(struct tc_gap_tally *tally)
{
	tc_arena_clear(&tally->arena);
	gap_totals_clear(&tally->totals);
	*tally = (struct tc_gap_tally){0};
}

/* What a thread was doing: a cause, and the slice that shows it. */
struct doing {
	bool is_idle; /* no slice of the thread is open */
	enum tc_cause cause;
	const struct tc_host_open *slice; /* may be NULL */
	bool has_role; /* the slice and all slices within it that have no role of their own */
};

static struct doing doing_of(const struct tc_host_state *state, int32_t thread)
{
	struct doing doing = {.is_idle = true, .cause = TC_CAUSE_UNKNOWN};
	enum tc_role role = TC_ROLE_NONE;

	if (thread < 0 || tc_host_thread_at(state, thread)->open_count == 0)
		return doing;
	doing.is_idle = false;
	doing.slice = tc_host_state_role_slice(state, thread, &role);
	doing.has_role = doing.slice != NULL;
	doing.cause = state->survey->knows_work ? cause_of_role[role] : TC_CAUSE_UNKNOWN;
	if (!doing.slice)
		doing.slice = tc_host_state_innermost(state, thread, TC_HOST_ALL);
	return doing;
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
		doing = doing_of(state, tc_host_state_launching(state));
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
				      : TC_CAUSE_HOST_OTHER;
	return doing;
}

static const struct tc_gap_slice no_slice = {.id = TC_NO_ID};

static void add_piece(const struct tc_gap_tally *tally, struct tc_gap_slot *slot,
	enum tc_cause cause, struct tc_interval part, const struct tc_gap_slice *slice,
	int64_t slice_ns)
{
	struct tc_gap_piece *piece = &slot->pieces[cause];
	int64_t ns = tc_interval_measure(part);

	if (ns == 0)
		return;
	tc_idle_tally_add(tally->idle, &slot->gap, (int)cause, part);
	if (piece->ns == 0) {
		piece->first_ns = part.start_ns;
		piece->slice = no_slice;
		piece->slice_ns = 0;
	}
	piece->ns += ns;
	if (slice->id != TC_NO_ID && slice_ns > piece->slice_ns) {
		piece->slice = *slice;
		piece->slice_ns = slice_ns;
	}
}

static struct tc_gap_slice slice_of(const struct tc_host_open *open)
{
	if (!open)
		return no_slice;
	return (struct tc_gap_slice){
		open->open.span.slice_id, open->open.span.dur_ns, open->open.span.label};
}

/* Attributes the time since the last call as far as it lies in the host's part of a gap. */
static void ask_host(
	const struct tc_gap_tally *tally, struct tc_gap_slot *slot, int64_t time_ns, bool in_step)
{
	struct tc_interval host = {slot->gap.start_ns, slot->host_end_ns};
	struct tc_interval part =
		tc_interval_cut(host, (struct tc_interval){tally->until_ns, time_ns});
	int64_t slice_ns = tc_interval_measure(part);

	if (slice_ns == 0)
		return;
	struct doing doing = host_doing(tally->state, slot->gap.thread, part, in_step);
	/* A slice with a role counts with its whole length, since slices within it inherit the
	 * role. Of the others, the innermost slice that lasts longest is shown. */
	if (doing.slice && doing.has_role)
		slice_ns = tc_interval_measure(
			tc_interval_cut(host, (struct tc_interval){doing.slice->open.start_ns,
						      doing.slice->open.end_ns}));
	const struct tc_gap_slice slice = slice_of(doing.slice);
	add_piece(tally, slot, doing.cause, part, &slice, slice_ns);
}

static int64_t clamp_between(int64_t value, int64_t low, int64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

static bool has_launch(const struct tc_gap *gap)
{
	return gap->launch_slice_id != TC_NO_ID;
}

static void open_slot(struct tc_gap_slot *slot, const struct tc_gap *gap)
{
	if (!slot->goes_on)
		*slot = (struct tc_gap_slot){.start_ns = gap->start_ns};
	slot->is_open = true;
	slot->gap = *gap;
	slot->host_end_ns = has_launch(gap)
				    ? clamp_between(gap->launch_ts_ns, gap->start_ns, gap->end_ns)
				    : gap->end_ns;
	if (gap->is_queued || gap->is_hole || gap->place == TC_GAP_AFTER)
		slot->host_end_ns = gap->start_ns;
}

/* A call that launches single kernels takes microseconds. A call of TC_LOAD_MIN_NS or more while
 * the device has nothing to do cannot be waiting for a queue: it first loads the code of the
 * kernel. */
static bool is_load(const struct tc_gap_tally *tally, const struct tc_gap_slice *call)
{
	return call->id != TC_NO_ID && call->dur_ns >= TC_LOAD_MIN_NS &&
	       tally->timeline->labels[call->label].mark == TC_MARK_KERNEL_LAUNCH;
}

/* The part of a gap after the launch began: first launch, then queued. */
static void split_launch(const struct tc_gap_tally *tally, struct tc_gap_slot *slot)
{
	const struct tc_gap *gap = &slot->gap;
	const struct tc_interval whole = {gap->start_ns, gap->end_ns};
	int64_t arrived_ns = slot->host_end_ns;

	if (gap->is_hole || gap->place == TC_GAP_AFTER) {
		add_piece(tally, slot, gap->is_hole ? TC_CAUSE_UNKNOWN : TC_CAUSE_AFTER_LAST_WORK,
			whole, &no_slice, 0);
		return;
	}
	if (has_launch(gap))
		arrived_ns =
			clamp_between(tc_add_saturated(gap->launch_end_ns, TC_LAUNCH_LATENCY_NS),
				slot->host_end_ns, gap->end_ns);
	else if (!gap->is_queued)
		return;
	struct tc_interval launch = {slot->host_end_ns, arrived_ns};
	const struct tc_gap_slice call = {
		gap->launch_slice_id, gap->launch_end_ns - gap->launch_ts_ns, gap->launch_label};
	add_piece(tally, slot, is_load(tally, &call) ? TC_CAUSE_SETUP : TC_CAUSE_LAUNCH, launch,
		&call, tc_interval_measure(launch));
	add_piece(tally, slot, TC_CAUSE_QUEUED, (struct tc_interval){arrived_ns, gap->end_ns},
		&no_slice, 0);
}

/* Writes the time of one gap with one cause, or the sum over several gaps (gap NULL). */
static void write_row(struct tc_gap_tally *tally, const struct tc_gap_row *row, int64_t first_ns,
	const struct tc_gap_slot *slot)
{
	const struct tc_gap *gap = slot ? &slot->gap : NULL;
	const struct tc_sql_value values[] = {
		tc_sql_int(tally->timeline->trace_id),
		tc_sql_text(tally->timeline->devices[row->device].name),
		tc_sql_id(tc_windows_step_id(tally->timeline, row->step)),
		tc_sql_int(first_ns),
		tc_sql_int(row->ns),
		tc_sql_string(tc_cause_name(row->cause)),
		tc_sql_id(row->slice_id),
		tc_sql_id(gap ? gap->launch_slice_id : TC_NO_ID),
		gap && has_launch(gap) ? tc_sql_int(gap->end_ns > gap->launch_ts_ns
							    ? gap->end_ns - gap->launch_ts_ns
							    : 0)
				       : tc_sql_null(),
		tc_sql_int(row->count),
		gap ? tc_sql_int(slot->start_ns) : tc_sql_null(),
		gap ? tc_sql_int(row->gap_ns) : tc_sql_null(),
		tc_sql_int(gap && gap->is_hole),
	};

	TC_TABLES_PUT(tally->tables,
		"gap (trace_id, device, step_id, ts, dur, cause, host_slice_id,"
		" next_launch_slice_id, launch_delay_ns, count, gap_ts, gap_dur, is_hole)",
		values);
	tc_tables_keep(tally->tables, gap_totals_add(&tally->totals, row));
}

/* The index of the step of a gap, or -1. */
static int64_t step_of(const struct tc_gap_tally *tally, const struct tc_gap *gap)
{
	return (size_t)gap->step < tally->timeline->step_count ? gap->step : -1;
}

static void write_slot(struct tc_gap_tally *tally, const struct tc_gap_slot *slot)
{
	const struct tc_gap *gap = &slot->gap;

	for (int i = 0; i < TC_CAUSE_COUNT; i++) {
		const struct tc_gap_piece *piece = &slot->pieces[i];
		const struct tc_gap_row row = {
			.device = (size_t)gap->tally,
			.step = step_of(tally, gap),
			.cause = (enum tc_cause)i,
			.ns = piece->ns,
			.count = 1,
			.gap_ns = gap->end_ns - slot->start_ns,
			.slice_id = piece->slice.id,
			.label = piece->slice.label,
		};
		if (piece->ns > 0)
			write_row(tally, &row, piece->first_ns, slot);
	}
}

static void sum_slot(struct tc_gap_tally *tally, const struct tc_gap_slot *slot)
{
	size_t steps = tally->timeline->step_count;
	size_t step = (size_t)(step_of(tally, &slot->gap) + 1);
	struct tc_gap_sum *sums =
		&tally->sums[((size_t)slot->gap.tally * (steps + 1) + step) * TC_CAUSE_COUNT];

	for (size_t i = 0; i < TC_CAUSE_COUNT; i++) {
		if (slot->pieces[i].ns == 0)
			continue;
		if (sums[i].count++ == 0)
			sums[i].first_ns = slot->pieces[i].first_ns;
		sums[i].ns += slot->pieces[i].ns;
	}
}

static void close_slot(struct tc_gap_tally *tally, struct tc_gap_slot *slot)
{
	slot->is_open = false;
	split_launch(tally, slot);
	slot->goes_on = slot->gap.goes_on;
	if (slot->goes_on)
		return;
	tc_idle_tally_end_gap(tally->idle, &slot->gap);
	if (slot->gap.place != TC_GAP_WITHIN)
		return;
	tally->queued_ns[slot->gap.tally] += slot->pieces[TC_CAUSE_QUEUED].ns;
	if ((size_t)slot->gap.tally >= tally->timeline->device_count)
		return; /* of all devices together: only its queued time is used */
	if (slot->gap.end_ns - slot->start_ns >= TC_GAP_ROW_MIN_NS)
		write_slot(tally, slot);
	else
		sum_slot(tally, slot);
}

/* Inserts a tally into the ordered list of those with an open gap. */
static void list_open(struct tc_gap_tally *tally, uint32_t number)
{
	size_t at = tally->open_count++;

	for (; at > 0 && tally->open[at - 1] > number; at--)
		tally->open[at] = tally->open[at - 1];
	tally->open[at] = number;
}

static enum tc_status open_gaps(struct tc_gap_tally *tally, int64_t time_ns, bool in_step)
{
	enum tc_status status = TC_OK;

	while (!status && tally->next && tally->next->start_ns < time_ns) {
		struct tc_gap_slot *slot = &tally->slots[tally->next->tally];
		if (slot->is_open) {
			ask_host(tally, slot, time_ns, in_step);
			close_slot(tally, slot);
		} else {
			list_open(tally, (uint32_t)tally->next->tally);
		}
		open_slot(slot, tally->next);
		status = TC_SORTER_NEXT(tally->input, tally->next);
	}
	return status;
}

enum tc_status tc_gap_tally_until(struct tc_gap_tally *tally, int64_t time_ns, bool in_step)
{
	enum tc_status status = open_gaps(tally, time_ns, in_step);
	size_t kept = 0;

	for (size_t i = 0; i < tally->open_count && !status; i++) {
		struct tc_gap_slot *slot = &tally->slots[tally->open[i]];
		ask_host(tally, slot, time_ns, in_step);
		if (slot->gap.end_ns <= time_ns)
			close_slot(tally, slot);
		else
			tally->open[kept++] = tally->open[i];
	}
	tally->open_count = kept;
	tally->until_ns = time_ns;
	return status;
}

void tc_gap_tally_finish(struct tc_gap_tally *tally)
{
	size_t steps = tally->timeline->step_count;
	size_t rows = tally->timeline->device_count * (steps + 1);

	for (size_t i = 0; i < rows * TC_CAUSE_COUNT; i++) {
		const struct tc_gap_sum *sum = &tally->sums[i];
		size_t place = i / TC_CAUSE_COUNT;
		const struct tc_gap_row row = {
			.device = place / (steps + 1),
			.step = (int64_t)(place % (steps + 1)) - 1,
			.cause = (enum tc_cause)(i % TC_CAUSE_COUNT),
			.ns = sum->ns,
			.count = sum->count,
			.slice_id = TC_NO_ID,
		};
		if (sum->count > 0)
			write_row(tally, &row, sum->first_ns, NULL);
	}
	gap_totals_write(&tally->totals, tally->tables);
	tc_idle_tally_end(tally->idle);
	tc_idle_tally_write(tally->idle, tally->tables);
}

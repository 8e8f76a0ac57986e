/* The device sweep; see device_account.h. */
#include "analysis/device/device_account.h"

#include "core/alloc.h"
#include "core/array.h"

static bool allocate(struct tc_device_account *account)
{
	const struct tc_timeline *timeline = account->timeline;
	size_t devices = timeline->device_count, accounts = account->account_count;

	account->runs = tc_calloc(accounts, sizeof(*account->runs));
	account->steps =
		timeline->step_count < SIZE_MAX / (accounts + 1)
			? tc_calloc(accounts * timeline->step_count, sizeof(*account->steps))
			: NULL;
	account->idle = tc_calloc(accounts, sizeof(*account->idle));
	account->graphs.until_ns = tc_calloc(accounts, sizeof(*account->graphs.until_ns));
	account->lanes = tc_calloc(timeline->track_count, sizeof(*account->lanes));
	account->clamped_count = tc_calloc(devices, sizeof(*account->clamped_count));
	account->is_clamped = tc_calloc(devices, sizeof(*account->is_clamped));
	account->tracks = tc_calloc(timeline->track_count, sizeof(*account->tracks));
	return account->runs && account->steps && account->idle && account->graphs.until_ns &&
	       account->lanes && account->clamped_count && account->is_clamped && account->tracks;
}

enum tc_status tc_device_account_init(struct tc_device_account *account,
	const struct tc_timeline *timeline, struct tc_gap_spool *spool)
{
	size_t devices = timeline->device_count;

	*account = (struct tc_device_account){
		.timeline = timeline,
		.spool = spool,
		.account_count = devices > 1 ? devices + 1 : devices,
		.extent = TC_INTERVAL_NONE,
	};
	enum tc_status status = tc_op_account_init(&account->ops, timeline);
	if (!status)
		status = tc_wait_account_init(&account->waits, timeline);
	if (!status && !allocate(account))
		status = tc_fail(timeline->ctx, TC_ERR_NOMEM, "no memory for device accounts");
	if (status) {
		tc_device_account_clear(account);
		return status;
	}
	tc_measure_table_init(&account->table);
	for (size_t i = 0; i < account->account_count; i++)
		tc_busy_init(&account->runs[i]);
	for (size_t i = 0; i < account->account_count; i++)
		account->graphs.until_ns[i] = INT64_MIN;
	for (size_t i = 0; i < account->account_count * timeline->step_count; i++)
		tc_busy_init(&account->steps[i]);
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct tc_track *track = &timeline->tracks[i];
		if (track->kind == TC_TRACK_LANE && track->device >= 0 &&
			(size_t)track->device < devices)
			account->tracks[account->track_count++] = (uint32_t)i;
	}
	return TC_OK;
}

void tc_device_account_clear(struct tc_device_account *account)
{
	tc_op_account_clear(&account->ops);
	tc_wait_account_clear(&account->waits);
	tc_communication_account_clear(&account->communication);
	tc_free(account->runs);
	tc_free(account->steps);
	tc_free(account->idle);
	tc_free(account->graphs.until_ns);
	tc_free(account->lanes);
	tc_free(account->clamped_count);
	tc_free(account->is_clamped);
	tc_free(account->tracks);
	tc_sorter_free(account->launched);
	*account = (struct tc_device_account){0};
}

/* The accounts a slice belongs to: its device, all devices, and both in its step. */
struct target {
	size_t accounts[2];
	size_t count;
	bool has_step;
	size_t step;
};

static struct target target_of(const struct tc_device_account *account, const struct tc_span *span)
{
	const struct tc_timeline *timeline = account->timeline;
	struct target target = {.count = 1};

	target.accounts[0] = (size_t)timeline->tracks[span->track].device;
	if (account->account_count > 1) {
		target.accounts[1] = account->account_count - 1;
		target.count = 2;
	}
	target.has_step = span->step >= 0 && (size_t)span->step < timeline->step_count;
	target.step = target.has_step ? (size_t)span->step : 0;
	return target;
}

static struct tc_busy *step_busy(
	const struct tc_device_account *account, const struct target *target, size_t i)
{
	return &account->steps[target->accounts[i] * account->timeline->step_count + target->step];
}

static void count_op(struct tc_device_account *account, const struct tc_span *span)
{
	struct target target = target_of(account, span);
	int64_t launched = span->launch_slice_id != TC_NO_ID;
	int64_t before = span->method == TC_LAUNCH_BEFORE;

	for (size_t i = 0; i < target.count; i++) {
		account->runs[target.accounts[i]].op_count++;
		account->runs[target.accounts[i]].launched_count += launched;
		account->runs[target.accounts[i]].before_count += before;
		if (target.has_step) {
			step_busy(account, &target, i)->op_count++;
			step_busy(account, &target, i)->launched_count += launched;
		}
	}
}

static void note_launch(struct tc_gap *gap, const struct tc_span *span)
{
	gap->launch_slice_id = span->launch_slice_id;
	gap->launch_ts_ns = tc_time_clamp(span->launch_ts_ns);
	gap->launch_end_ns = tc_time_clamp(span->launch_end_ns);
	gap->step = span->step;
	gap->is_queued = span->method == TC_LAUNCH_BEFORE;
}

static enum tc_status flush_gap(struct tc_device_account *account, size_t i)
{
	struct tc_idle_state *idle = &account->idle[i];

	if (!idle->has_last)
		return TC_OK;
	idle->has_last = false;
	return tc_gap_spool_add(account->spool, &idle->last);
}

/* Of several operations that start at the end of a gap, the first with a known launch counts. */
static void offer_launch(struct tc_idle_state *idle, const struct tc_open *open)
{
	if (idle->has_last && idle->last.end_ns == open->start_ns &&
		idle->last.launch_slice_id == TC_NO_ID && open->span.launch_slice_id != TC_NO_ID)
		note_launch(&idle->last, &open->span);
}

static enum tc_status next_run(struct tc_graph_clock *clock)
{
	const void *record = NULL;
	enum tc_status status = tc_sorter_next(clock->runs, &record);

	clock->next = record;
	return status;
}

/* Takes the runs that began before a time. */
static enum tc_status pass_runs(struct tc_device_account *account, int64_t time_ns)
{
	struct tc_graph_clock *clock = &account->graphs;
	size_t all = account->account_count - 1;
	enum tc_status status = TC_OK;

	while (clock->next && tc_time_clamp(clock->next->start_ns) < time_ns && !status) {
		int64_t end_ns = tc_time_clamp(clock->next->end_ns);
		int64_t *until_ns = &clock->until_ns[clock->next->device];
		*until_ns = end_ns > *until_ns ? end_ns : *until_ns;
		clock->until_ns[all] =
			end_ns > clock->until_ns[all] ? end_ns : clock->until_ns[all];
		status = next_run(clock);
	}
	return status;
}

/* Within the run of a graph the host is not involved, and its operations follow each other at once.
 * In a longer pause some are missing from the trace. No run begins in idle time. */
static bool is_hole(const struct tc_device_account *account, size_t i, struct tc_interval idle)
{
	return tc_interval_measure(idle) >= TC_HOLE_MIN_NS &&
	       account->graphs.until_ns[i] >= idle.end_ns;
}

/* The account's first work after idling, or its first at all, starts with this slice. */
static enum tc_status end_idle(
	struct tc_device_account *account, size_t i, const struct tc_open *open)
{
	struct tc_idle_state *idle = &account->idle[i];
	struct tc_interval interval = {idle->from_ns, open->start_ns};
	enum tc_status status = flush_gap(account, i);

	if (!status)
		status = pass_runs(account, open->start_ns);
	bool hole = is_hole(account, i, interval);
	idle->has_last = true;
	idle->last = (struct tc_gap){
		.start_ns = idle->from_ns,
		.end_ns = open->start_ns,
		.account = (int32_t)i,
		.thread = -1,
		.is_hole = hole,
	};
	note_launch(&idle->last, &open->span);
	if (!status && i == account->account_count - 1 && !hole)
		status = tc_gap_spool_add_idle(account->spool, interval);
	return status;
}

/* Stores the transfers held until now; next is the work after them. The host was late until it
 * began to launch that work: all the time when the launch is not known, not at all without such
 * work (NULL) or when it was launched before the recording. */
static enum tc_status flush_transfers(struct tc_device_account *account, const struct tc_span *next)
{
	bool has_launch = next && next->launch_slice_id != TC_NO_ID;
	bool on_time = !next || next->method == TC_LAUNCH_BEFORE;
	int64_t late_until_ns =
		on_time ? TC_TIME_FIRST
			: (has_launch ? tc_time_clamp(next->launch_ts_ns) : TC_TIME_LAST);
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < account->transfer_count && !status; i++) {
		struct tc_transfer *transfer = &account->transfers[i];
		if (transfer->late.end_ns > late_until_ns)
			transfer->late.end_ns = late_until_ns > transfer->late.start_ns
							? late_until_ns
							: transfer->late.start_ns;
		status = tc_gap_spool_add_transfer(account->spool, transfer);
	}
	account->transfer_count = 0;
	return status;
}

/* All devices together began or ended doing nothing but transfers. */
static enum tc_status turn_transfer(struct tc_device_account *account, bool does, int64_t time_ns)
{
	int64_t from_ns = account->transfer_from_ns;
	enum tc_status status = TC_OK;

	account->transfer_from_ns = time_ns;
	if (does || from_ns == time_ns)
		return TC_OK;
	if (account->transfer_count == TC_TRANSFERS_HELD)
		status = flush_transfers(account, NULL);
	account->transfers[account->transfer_count++] =
		(struct tc_transfer){.late = {from_ns, time_ns}, .end_ns = time_ns};
	return status;
}

static enum tc_status start_busy(
	struct tc_device_account *account, size_t i, const struct tc_op_open *op)
{
	struct tc_busy *busy = &account->runs[i];
	struct tc_idle_state *idle = &account->idle[i];
	struct tc_interval interval = {op->open.start_ns, op->open.end_ns};
	bool was_idle = idle->started && !tc_busy_is_busy(busy);
	bool did_transfer = tc_busy_only_transfers(busy);

	tc_busy_start(busy, &account->table, op->classes, &interval);
	enum tc_status status = TC_OK;
	if (i == account->account_count - 1 && did_transfer != tc_busy_only_transfers(busy))
		status = turn_transfer(account, !did_transfer, interval.start_ns);
	if (!status && i == account->account_count - 1 && (op->classes & TC_WORK_NO_TRANSFER))
		status = flush_transfers(account, &op->open.span);
	if (status || !(op->classes & TC_WORK_BUSY))
		return status;
	idle->started = true;
	if (was_idle && idle->from_ns < interval.start_ns)
		return end_idle(account, i, &op->open);
	offer_launch(idle, &op->open);
	return TC_OK;
}

static void start_lane(struct tc_device_account *account, struct tc_op_open *op)
{
	struct tc_lane_time *lane = &account->lanes[op->open.span.track];

	lane->engine = op->total->engine;
	op->is_timed = true;
	if (lane->active++ == 0)
		lane->since_ns = op->open.start_ns;
	account->extent = tc_interval_join(
		account->extent, (struct tc_interval){op->open.start_ns, op->open.end_ns});
}

/* A copy between host and device, by its name. On a Gaudi all copies have one name; there it is a
 * copy without a recipe on a device whose work has recipes. */
static bool is_transfer(const struct tc_timeline *timeline, const struct tc_span *span)
{
	static const char *const directions[] = {"HtoD", "DtoH"};
	const struct tc_label *label = &timeline->labels[span->label];
	const struct tc_track *track = &timeline->tracks[span->track];

	for (size_t i = 0; i < TC_COUNT_OF(directions); i++)
		if (label->direction && strcmp(label->direction, directions[i]) == 0)
			return true;
	return !label->direction && track->engine == TC_ENGINE_DMA &&
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

static enum tc_status on_start(void *user, struct tc_open *open)
{
	struct tc_device_account *account = user;
	struct tc_op_open *op = (struct tc_op_open *)(void *)open;
	enum tc_engine engine = tc_span_engine(account->timeline, &open->span);
	int32_t device = account->timeline->tracks[open->span.track].device;
	enum tc_status status = TC_OK;

	if (engine == TC_ENGINE_NONE)
		return TC_OK;
	if (tc_op_account_find(&account->ops, &open->span, op))
		return tc_fail(
			account->timeline->ctx, TC_ERR_NOMEM, "no memory for device operations");
	status = tc_launched_add(&account->launched, account->timeline->ctx, &open->span);
	if (status)
		return status;
	tc_op_total_count(op->total, open->end_ns - open->start_ns);
	tc_op_total_count(op->recipe, open->end_ns - open->start_ns);
	account->lanes[open->span.track].op_count++;
	account->lanes[open->span.track].engines |= TC_WORK_OF(engine);
	count_op(account, &open->span);
	if (account->is_clamped[device] && open->span.ts_ns == 0) {
		account->clamped_count[device]++;
		account->clamped_total++;
		return TC_OK;
	}
	if (!tc_clocks_know(&account->clocks, open->start_ns)) {
		account->other_clock_count++;
		return TC_OK;
	}
	/* The time of a call on another clock is not known. */
	if (!tc_clocks_know(&account->clocks, tc_time_clamp(open->span.launch_ts_ns)))
		open->span.launch_slice_id = TC_NO_ID;
	op->classes = classes_of(account->timeline, &open->span, op->total);
	start_lane(account, op);
	if (!op->classes)
		return TC_OK;
	struct target target = target_of(account, &open->span);
	struct tc_interval interval = {open->start_ns, open->end_ns};
	if (op->classes & TC_WORK_COMMUNICATION)
		op->compute_ns = tc_busy_compute_ns(&account->runs[device], open->start_ns);
	for (size_t i = 0; i < target.count && !status; i++) {
		status = start_busy(account, target.accounts[i], op);
		if (target.has_step)
			tc_busy_start(step_busy(account, &target, i), &account->table, op->classes,
				&interval);
	}
	tc_op_account_start(&account->ops, op);
	return status;
}

static enum tc_status end_communication(
	struct tc_device_account *account, const struct tc_op_open *op, const struct tc_busy *busy)
{
	const struct tc_open *open = &op->open;
	int64_t hidden_ns = tc_busy_compute_ns(busy, open->end_ns) - op->compute_ns;

	return tc_communication_account_add(&account->communication, account->timeline->ctx,
		open->span.slice_id, open->end_ns - open->start_ns - hidden_ns);
}

static enum tc_status on_end(void *user, struct tc_open *open)
{
	struct tc_device_account *account = user;
	struct tc_op_open *op = (struct tc_op_open *)(void *)open;
	struct tc_lane_time *lane = &account->lanes[open->span.track];

	if (op->is_timed && --lane->active == 0)
		lane->busy_ns += open->end_ns - lane->since_ns;
	if (!op->classes)
		return TC_OK;
	struct target target = target_of(account, &open->span);
	enum tc_status status = tc_wait_account_end(&account->waits, open);
	if (!status && (op->classes & TC_WORK_COMMUNICATION))
		status = end_communication(account, op, &account->runs[target.accounts[0]]);
	for (size_t i = 0; i < target.count && !status; i++) {
		struct tc_busy *busy = &account->runs[target.accounts[i]];
		bool was_busy = tc_busy_is_busy(busy);
		bool did_transfer = tc_busy_only_transfers(busy);
		tc_busy_end(busy, &account->table, op->classes, open->end_ns);
		if (target.accounts[i] == account->account_count - 1 &&
			did_transfer != tc_busy_only_transfers(busy))
			status = turn_transfer(account, !did_transfer, open->end_ns);
		if (was_busy && !tc_busy_is_busy(busy))
			account->idle[target.accounts[i]].from_ns = open->end_ns;
		if (target.has_step)
			tc_busy_end(step_busy(account, &target, i), &account->table, op->classes,
				open->end_ns);
	}
	tc_op_account_end(&account->ops, op);
	return status;
}

static enum tc_status on_endless(void *user, const struct tc_span *span)
{
	struct tc_device_account *account = user;

	if (tc_span_engine(account->timeline, span) != TC_ENGINE_NONE)
		count_op(account, span);
	return TC_OK;
}

enum tc_status tc_device_account_run(struct tc_device_account *account)
{
	struct tc_sweep sweep = {
		.user = account,
		.open_bytes = sizeof(struct tc_op_open),
		.start = on_start,
		.end = on_end,
		.endless = on_endless,
	};
	enum tc_status status = tc_clamped_find(account);

	account->clocks = (struct tc_clocks){1, 0, {TC_TIME_FIRST, TC_TIME_LAST}, false};
	if (!status && !account->zero_is_no_time)
		status = tc_clocks_find(&account->clocks, account->timeline);
	account->graphs.runs = account->timeline->graph_runs;
	if (!status && account->graphs.runs && account->account_count > 0) {
		status = tc_sorter_rewind(account->graphs.runs);
		if (!status)
			status = next_run(&account->graphs);
	}
	if (!status)
		status = tc_sweep_run(
			&sweep, account->timeline, account->tracks, account->track_count);
	for (size_t i = 0; i < account->account_count && !status; i++)
		status = flush_gap(account, i);
	return status ? status : flush_transfers(account, NULL);
}

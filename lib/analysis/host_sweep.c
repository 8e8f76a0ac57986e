/* The pass over the host threads; see host_sweep.h. */
#include "analysis/host_sweep.h"

#include "analysis/device/communication_tally.h"
#include "analysis/host/compile_tally.h"
#include "analysis/host/event_tally.h"
#include "analysis/host/framework_tally.h"
#include "analysis/idle/gap_tally.h"
#include "analysis/host/host_tally.h"
#include "analysis/host/host_state.h"
#include "analysis/host/host_total.h"
#include "analysis/device/idle_clock.h"
#include "analysis/idle/transfers.h"
#include "analysis/operators/operator_tally.h"

struct sweep {
	const struct tc_timeline *timeline;
	struct tc_tables *tables;
	struct tc_idle_clock clock, transfers;
	int64_t window_idle_ns; /* idle time within windows, until the last boundary */
	int64_t idle_since_ns;  /* the clock at that boundary */
	struct tc_host_state state;
	struct tc_host_tally host;
	struct tc_gap_tally gaps;
	struct tc_host_totals totals;
	struct tc_event_tally events;
	struct tc_framework_tally framework;
	struct tc_compile_tally compiles;
	struct tc_operator_tally operators;
	struct tc_communication_tally collectives; /* that the host carries out itself */
};

/* Counts everything until a time; nothing changed on the host since the last call. */
static enum tc_status book(struct sweep *sweep, int64_t time_ns)
{
	bool in_step = sweep->host.has_steps && sweep->host.open_count > 0;
	enum tc_status status = tc_idle_clock_advance(&sweep->clock, time_ns);

	tc_host_tally_book(&sweep->host, &sweep->state, time_ns, sweep->clock.idle_ns);
	if (!status)
		status = tc_gap_tally_until(&sweep->gaps, time_ns, in_step);
	return status;
}

/* Idle time until now within steps; without steps, within the host's time. */
static int64_t window_idle(const struct sweep *sweep)
{
	bool inside = sweep->host.open_count > 0;

	return sweep->window_idle_ns + (inside ? sweep->clock.idle_ns - sweep->idle_since_ns : 0);
}

/* Advances to a time. Steps that start or end until then are passed one by one. */
static enum tc_status go_to(struct sweep *sweep, int64_t time_ns)
{
	enum tc_status status = TC_OK;
	int64_t boundary_ns;

	while (!status && tc_host_tally_boundary(&sweep->host, &boundary_ns) &&
		boundary_ns <= time_ns) {
		status = book(sweep, boundary_ns);
		sweep->window_idle_ns = window_idle(sweep);
		sweep->idle_since_ns = sweep->clock.idle_ns;
		tc_host_tally_pass(&sweep->host, boundary_ns);
	}
	if (!status)
		status = tc_idle_clock_advance(&sweep->transfers, time_ns);
	return status ? status : tc_idle_clock_advance(&sweep->clock, time_ns);
}

/* Whether the tables that a slice was counted in could be kept and written. */
static enum tc_status kept(const struct sweep *sweep)
{
	enum tc_status status = sweep->tables->status;

	if (!status)
		status = tc_host_state_status(&sweep->state);
	if (!status)
		status = tc_framework_tally_status(&sweep->framework);
	return status ? status : tc_paged_status(&sweep->totals.labels);
}

/* A launch that lasts beyond what is usual, while devices work all the time, and whose work is not
 * next when it returns, waited for a place in the queue. */
static enum tc_status find_held_up(struct sweep *sweep, struct tc_host_open *host)
{
	const struct tc_span *span = &host->open.span;
	int64_t first_ns = INT64_MIN;
	enum tc_status status = TC_OK;

	bool may = host->role == TC_ROLE_LAUNCH &&
		   tc_usual_is_held_up(&sweep->state.survey->launches, span->label, span->dur_ns) &&
		   tc_idle_clock_is_busy(&sweep->clock, host->open.end_ns);
	if (may)
		status = tc_operator_tally_next_work(&first_ns, &sweep->operators, span);
	host->is_held_up = first_ns > tc_add_saturated(tc_span_end_ns(span), TC_LAUNCH_LATENCY_NS);
	return status;
}

static enum tc_status on_start(void *user, struct tc_open *open)
{
	struct sweep *sweep = user;
	struct tc_host_open *host = (struct tc_host_open *)(void *)open;
	enum tc_status status = go_to(sweep, open->start_ns);

	host->role = tc_span_role(sweep->timeline, &open->span);
	host->thread = tc_host_track_at(&sweep->state, open->span.track)->thread;
	if (!status)
		status = find_held_up(sweep, host);
	host->idle_at_start_ns = sweep->clock.idle_ns;
	host->transfer_at_start_ns = sweep->transfers.idle_ns;
	bool is_counted = sweep->state.survey->threads[host->thread].is_counted;
	if (!status && is_counted)
		status = book(sweep, open->start_ns);
	tc_event_tally_start(&sweep->events, &sweep->state, host);
	tc_framework_tally_start(&sweep->framework, &sweep->state, host);
	tc_host_state_start(&sweep->state, host);
	tc_compile_tally_start(&sweep->compiles, &sweep->state, host);
	tc_host_totals_start(&sweep->totals, &sweep->state, host, window_idle(sweep));
	if (host->is_outermost && is_counted)
		tc_host_tally_count(&sweep->host, host);
	if (!status)
		status = tc_operator_tally_start(&sweep->operators, &open->span);
	return status ? status : kept(sweep);
}

static enum tc_status on_endless(void *user, const struct tc_span *span)
{
	struct sweep *sweep = user;

	return tc_operator_tally_start(&sweep->operators, span);
}

/* A collective that the host carries out itself. It is exposed while no device works. */
static enum tc_status end_collective(struct sweep *sweep, const struct tc_host_open *host)
{
	const struct tc_timeline *timeline = sweep->timeline;

	if (timeline->labels[host->open.span.label].mark != TC_MARK_HOST_BACKEND)
		return TC_OK;
	return tc_communication_tally_add(&sweep->collectives, timeline->ctx,
		host->open.span.slice_id, sweep->clock.idle_ns - host->idle_at_start_ns);
}

static enum tc_status on_end(void *user, struct tc_open *open)
{
	struct sweep *sweep = user;
	struct tc_host_open *host = (struct tc_host_open *)(void *)open;
	enum tc_status status = go_to(sweep, open->end_ns);

	if (!status && sweep->state.survey->threads[host->thread].is_counted)
		status = book(sweep, open->end_ns);
	host->is_on_cpu = tc_framework_is_on_cpu(&sweep->framework, host);
	tc_event_tally_end(
		&sweep->events, &sweep->state, host, &sweep->clock, sweep->transfers.idle_ns);
	tc_framework_tally_end(&sweep->framework, host);
	tc_compile_tally_end(&sweep->compiles, &sweep->events, host, &sweep->clock);
	tc_host_state_end(&sweep->state, host);
	tc_host_totals_end(&sweep->totals, &sweep->state, host, window_idle(sweep));
	if (!status)
		status = end_collective(sweep, host);
	return status ? status : kept(sweep);
}

static enum tc_status init(struct sweep *sweep, const struct tc_host_sweep_input *input)
{
	struct tc_tables *tables = sweep->tables;
	enum tc_status status = tc_idle_clock_init(
		&sweep->clock, input->spool, tc_device_tally_all(input->devices));

	if (!status)
		status = tc_transfer_clock_init(&sweep->transfers, input->spool);
	if (!status)
		status = tc_host_state_init(&sweep->state, input->timeline, input->survey);
	if (!status)
		status = tc_host_tally_init(&sweep->host, input->windows, input->survey);
	if (!status)
		status = tc_gap_tally_init(
			&sweep->gaps, tables, &sweep->state, input->spool, input->idle);
	if (!status)
		status = tc_host_totals_init(&sweep->totals, input->timeline);
	if (status)
		return status;
	tc_event_tally_init(&sweep->events, tables, input->windows, input->survey);
	tc_compile_tally_init(&sweep->compiles, tables, input->timeline, input->survey);
	status = tc_framework_tally_init(
		&sweep->framework, tables, input->windows, input->survey, sweep->events.thread_ids);
	if (!status)
		status = tc_operator_tally_init(&sweep->operators, input->timeline,
			input->devices->launched, input->companion);
	return status ? status : tables->status;
}

static void clear(struct sweep *sweep)
{
	if (sweep->operators.timeline)
		tc_operator_tally_clear(&sweep->operators);
	tc_communication_tally_clear(&sweep->collectives);
	tc_compile_tally_clear(&sweep->compiles);
	tc_framework_tally_clear(&sweep->framework);
	tc_event_tally_clear(&sweep->events);
	tc_host_totals_clear(&sweep->totals);
	tc_gap_tally_clear(&sweep->gaps);
	tc_host_tally_clear(&sweep->host);
	tc_host_state_clear(&sweep->state);
}

/* Writes what is known only at the end. */
static enum tc_status finish(struct sweep *sweep, struct tc_metric_writer *writer,
	const struct tc_host_sweep_input *input)
{
	struct tc_tables *tables = sweep->tables;
	enum tc_status status = go_to(sweep, TC_TIME_LAST);

	if (!status)
		status = book(sweep, TC_TIME_LAST);
	if (!status)
		status = tc_operator_tally_finish(&sweep->operators);
	if (status)
		return status;
	tc_gap_tally_finish(&sweep->gaps);
	tc_host_totals_write(&sweep->totals, tables);
	tc_event_tally_finish(&sweep->events);
	tc_framework_tally_flush(&sweep->framework);
	tc_compile_tally_finish(&sweep->compiles, writer);
	tc_operator_rows_write(&sweep->operators, tables);
	tc_transfers_write(tables, input->windows, input->spool);
	tc_communication_tally_write(&sweep->collectives, tables, input->timeline->trace_id);
	tc_host_tally_write(&sweep->host, input->windows, writer);
	for (size_t i = 0; i < tc_device_scope_count(input->devices); i++) {
		size_t tally = tc_device_scope_tally(input->devices, i);
		struct tc_metric_scope scope = {tc_device_scope_name(input->devices, i), NULL};
		if (input->devices->runs[tally].op_count > 0)
			tc_metric_put(
				writer, TC_METRIC_QUEUED_IDLE, scope, sweep->gaps.queued_ns[tally]);
	}
	tc_tables_keep(tables, tc_metric_writer_flush(writer));
	return tables->status;
}

enum tc_status tc_host_sweep(struct tc_tables *tables, struct tc_metric_writer *writer,
	const struct tc_host_sweep_input *input)
{
	struct sweep state = {.timeline = input->timeline, .tables = tables};
	struct tc_sweep sweep = {
		.user = &state,
		.open_bytes = sizeof(struct tc_host_open),
		.start = on_start,
		.end = on_end,
		.endless = on_endless,
	};
	enum tc_status status = init(&state, input);

	if (!status)
		status = tc_sweep_run(
			&sweep, input->timeline, input->survey->tracks, input->survey->track_count);
	if (!status)
		status = finish(&state, writer, input);
	clear(&state);
	return status;
}

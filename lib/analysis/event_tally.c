/*
 * Event tally (table host_event): a row for each host slice that advice may be about. Such a slice
 * is the outermost of its role on its thread, on the threads that count (survey.h). Collectives
 * that the host carries out itself go to the table communication as well.
 */
#include "analysis/host_sweep.h"

static const uint32_t event_roles = 1U << TC_ROLE_DATALOADER | 1U << TC_ROLE_COMPILE |
				    1U << TC_ROLE_CPU_FALLBACK | 1U << TC_ROLE_INPUT_COPY |
				    1U << TC_ROLE_OUTPUT_COPY | 1U << TC_ROLE_SYNC |
				    1U << TC_ROLE_COLLECTIVE;

static const uint32_t wait_roles = 1U << TC_ROLE_OUTPUT_COPY | 1U << TC_ROLE_SYNC;

struct events {
	struct tc_arena arena;
	const struct tc_host_sweep *sweep;
	const struct tc_timeline *timeline;
	bool *follows_loader; /* by host thread: has run only copies since its last loader call */
	bool has_exchange;    /* a range of the trace has its mark */
	struct tc_communication_tally collectives; /* that the host carries out itself */
};

static void clear_events(void *self)
{
	struct events *events = self;

	tc_communication_tally_clear(&events->collectives);
	tc_arena_clear(&events->arena);
}

static void begin_events(void *self, const struct tc_host_sweep *sweep)
{
	const struct tc_timeline *timeline = sweep->timeline;
	struct events *events = self;

	*events = (struct events){.arena.ctx = timeline->ctx, .sweep = sweep, .timeline = timeline};
	TC_ARENA(&events->arena, events->follows_loader, sweep->survey->thread_count);
	for (size_t i = 0; i < timeline->label_count && !events->has_exchange; i++)
		events->has_exchange = timeline->labels[i].mark == TC_MARK_EXCHANGE;
}

static uint32_t frame_around(const struct tc_host_state *state, int32_t thread)
{
	const struct tc_host_open *around = tc_host_innermost(state, thread, TC_HOST_PYTHON);

	return around ? around->open.span.label : TC_LABEL_ABSENT;
}

static bool is_copy(const struct tc_label *label)
{
	return label->mark == TC_MARK_COPY_CARRIER;
}

/* The innermost operation other than those that only carry out a copy or a read, which the
 * operation around them requested; else the innermost one. */
static uint32_t caller_of(const struct tc_host_state *state, const struct tc_host_open *innermost)
{
	if (!innermost)
		return TC_LABEL_ABSENT;
	const struct tc_host_track *track = tc_host_track_at(state, innermost->open.span.track);
	const struct tc_open *caller = track->lists[TC_HOST_CALLERS].last;
	return (caller ? caller : &innermost->open)->span.label;
}

static bool is_event(const struct tc_host_state *state, const struct tc_host_open *host)
{
	return (event_roles & 1U << host->role) && state->survey->threads[host->thread].is_counted;
}

/* A step first copies a batch to the device. Any other outermost operation ends that phase. */
static void follow_loader(struct events *tally, const struct tc_host_open *host)
{
	const struct tc_host_state *state = &tally->sweep->state;
	const struct tc_label *label = &tally->timeline->labels[host->open.span.label];
	bool *follows = &tally->follows_loader[host->thread];

	if (host->role == TC_ROLE_DATALOADER)
		*follows = true;
	else if (*follows && label->is_op && host->role != TC_ROLE_INPUT_COPY && !is_copy(label) &&
		 tc_host_thread_at(state, host->thread)->open_in_role[TC_ROLE_DATALOADER] == 0 &&
		 !tc_host_innermost(state, host->thread, TC_HOST_OPS))
		*follows = false;
}

/* Notes what is around a slice. */
static void before(void *self, struct tc_host_open *host)
{
	struct events *tally = self;
	const struct tc_host_state *state = &tally->sweep->state;

	follow_loader(tally, host);
	if (!is_event(state, host) || !tc_host_is_outermost(state, host))
		return;
	int32_t thread = tc_host_calling_thread(state, host->thread);
	const struct tc_host_open *op = tc_host_innermost(state, thread, TC_HOST_OPS);
	host->in_copy = op && is_copy(&tally->timeline->labels[op->open.span.label]);
	host->follows_loader = tally->follows_loader[thread];
	host->caller = caller_of(state, op);
	host->python = frame_around(state, thread);
	host->step = tc_windows_step_at(tally->sweep->windows, host->open.start_ns);
}

/* Finds the slices around an operation on the CPU. Few operations are on the CPU, so this runs only
 * at their ends. */
static void look_around(const struct tc_host_sweep *sweep, struct tc_host_open *host)
{
	host->in_copy = host->follows_loader = false;
	host->caller = TC_LABEL_ABSENT;
	host->python = frame_around(&sweep->state, host->thread);
	host->step = tc_windows_step_at(sweep->windows, host->open.start_ns);
}

static struct tc_text label_name(const struct tc_timeline *timeline, uint32_t label)
{
	return label == TC_LABEL_ABSENT ? TC_TEXT_NONE : tc_label_name(&timeline->labels[label]);
}

/* How long it takes until a device works again: 0 while one works, and after all work. */
static int64_t resume_ns(const struct tc_idle_clock *clock)
{
	if (clock->stage == TC_CLOCK_AFTER || clock->now_ns < clock->current.start_ns)
		return 0;
	/* Without any device work, the time before device work never ends. */
	if (clock->current.end_ns == TC_TIME_LAST)
		return 0;
	return clock->current.end_ns - clock->now_ns;
}

/* Writes the row of a slice that ends now, if it has one. */
static bool write_event(struct events *tally, struct tc_host_open *host)
{
	const struct tc_host_sweep *sweep = tally->sweep;
	const struct tc_host_state *state = &sweep->state;
	const struct tc_idle_clock *clock = &sweep->clock;
	const struct tc_timeline *timeline = tally->timeline;
	struct tc_text name = tc_label_name(&timeline->labels[host->open.span.label]);

	if (host->is_on_cpu && state->survey->threads[host->thread].is_counted)
		look_around(sweep, host);
	else if (!host->is_outermost || !is_event(state, host))
		return false;
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_int(host->open.span.slice_id),
		tc_sql_string(tc_role_name(host->role)),
		tc_sql_text(name.ptr ? name : TC_TEXT("")),
		tc_sql_int(host->open.span.ts_ns),
		tc_sql_int(host->open.span.dur_ns),
		tc_sql_int(sweep->thread_ids[host->thread]),
		tc_sql_id(tc_windows_step_id(timeline, host->step)),
		tc_sql_int(tc_host_is_warm_up(sweep->windows, host)),
		tc_sql_int(clock->idle_ns - host->idle_at_start_ns),
		tc_sql_int(resume_ns(clock)),
		tc_sql_int(sweep->transfers.idle_ns - host->transfer_at_start_ns),
		tc_sql_int(host->in_copy),
		tc_sql_int(host->follows_loader),
		tc_sql_text(label_name(timeline, host->caller)),
		tc_sql_text(label_name(timeline, host->python)),
	};

	TC_TABLES_PUT(sweep->tables,
		"host_event (trace_id, slice_id, role, name, ts, dur, thread_id, step_id,"
		" is_warm_up, exposed_ns, idle_after_ns, transfer_ns, in_copy,"
		" follows_loader, caller, python)",
		values);
	return true;
}

/* The range of an exchange between ranks around a slice: of several the last one by name. */
static struct tc_text exchange_around(
	const struct tc_timeline *timeline, const struct tc_open *open)
{
	struct tc_text range = TC_TEXT_NONE;

	for (; open; open = open->before[TC_HOST_ALL]) {
		const struct tc_label *label = &timeline->labels[open->span.label];
		if (label->mark == TC_MARK_EXCHANGE &&
			(!range.ptr || tc_text_order(tc_label_name(label), range) > 0))
			range = tc_label_name(label);
	}
	return range;
}

/* Writes a wait within an exchange: it is the host event that was written last. */
static void write_exchange(const struct events *tally, const struct tc_host_open *host)
{
	const struct tc_timeline *timeline = tally->timeline;

	if (!tally->has_exchange || !(wait_roles & 1U << host->role))
		return;
	const struct tc_sql_value values[] = {tc_sql_int(timeline->trace_id),
		tc_sql_text(exchange_around(timeline, &host->open))};
	if (values[1].kind != TC_SQL_NULL)
		TC_TABLES_PUT(tally->sweep->tables,
			"INSERT INTO exchange_wait VALUES (last_insert_rowid(), ?, ?)", values);
}

static void end(void *self, struct tc_host_open *host)
{
	struct events *tally = self;

	if (write_event(tally, host))
		write_exchange(tally, host);
	/* A collective that the host carries out itself is exposed while no device works. */
	if (tally->timeline->labels[host->open.span.label].mark == TC_MARK_HOST_BACKEND)
		tc_communication_tally_add(&tally->collectives, tally->timeline->ctx,
			host->open.span.slice_id,
			tally->sweep->clock.idle_ns - host->idle_at_start_ns);
}

/* The recipe of a compilation, or the size of a copy, under the names that the Gaudi bridge and
 * runtime use. */
static const char detail_sql[] =
	"UPDATE host_event SET detail = (SELECT CASE WHEN host_event.role = 'compile' THEN"
	"   CASE WHEN a.args ->> '$.recipeName' <> ''"
	"     THEN json_object('recipe', a.args ->> '$.recipeName') END"
	"   ELSE CASE WHEN coalesce(a.args -> '$.bytes', a.args -> '$.size') IS NOT NULL"
	"     THEN json_object('bytes',"
	"       CAST(coalesce(a.args ->> '$.bytes', a.args ->> '$.size') AS INTEGER)) END END"
	" FROM (SELECT args FROM slice_args WHERE slice_id = host_event.slice_id LIMIT 1) a"
	" WHERE (instr(a.args, '\"bytes\"') OR instr(a.args, '\"size\"')"
	"   OR instr(a.args, '\"recipeName\"')) AND json_valid(a.args))"
	" WHERE trace_id = ? AND role IN ('compile', 'input_copy', 'output_copy')";

static void finish(void *self)
{
	const struct events *tally = self;
	const struct tc_sql_value trace = tc_sql_int(tally->timeline->trace_id);

	tc_tables_put(tally->sweep->tables, detail_sql, &trace, 1);
	tc_communication_tally_write(
		&tally->collectives, tally->sweep->tables, tally->timeline->trace_id);
}

const struct tc_host_visitor tc_event_visitor = {.size = sizeof(struct events),
	.begin = begin_events,
	.clear = clear_events,
	.before = before,
	.end = end,
	.finish = finish};

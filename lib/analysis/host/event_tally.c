/* Rows of host_event; see event_tally.h. */
#include "analysis/host/event_tally.h"

static const uint32_t event_roles = 1U << TC_ROLE_DATALOADER | 1U << TC_ROLE_COMPILE |
				    1U << TC_ROLE_CPU_FALLBACK | 1U << TC_ROLE_INPUT_COPY |
				    1U << TC_ROLE_OUTPUT_COPY | 1U << TC_ROLE_SYNC |
				    1U << TC_ROLE_COLLECTIVE;

void tc_event_tally_init(struct tc_event_tally *tally, struct tc_tables *tables,
	const struct tc_windows *windows, const struct tc_survey *survey)
{
	const struct tc_timeline *timeline = windows->timeline;

	*tally =
		(struct tc_event_tally){.timeline = timeline, .windows = windows, .tables = tables};
	TC_ARENA(&tally->arena, tally->thread_ids, survey->thread_count);
	TC_ARENA(&tally->arena, tally->follows_loader, survey->thread_count);
	tc_tables_keep(tables, tc_arena_status(&tally->arena, tables->ctx));
	if (tables->status)
		return;
	for (size_t i = survey->track_count; i-- > 0;) {
		const struct tc_track *track = &timeline->tracks[survey->tracks[i]];
		tally->thread_ids[track->host_thread] = track->host_thread_id;
	}
}

void tc_event_tally_clear(struct tc_event_tally *tally)
{
	tc_arena_clear(&tally->arena);
	*tally = (struct tc_event_tally){0};
}

static uint32_t frame_around(const struct tc_host_state *state, int32_t thread)
{
	const struct tc_host_open *around = tc_host_state_innermost(state, thread, TC_HOST_PYTHON);

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

int32_t tc_event_calling_thread(const struct tc_host_state *state, int32_t thread)
{
	const struct tc_survey *survey = state->survey;

	return survey->threads[thread].is_synapse && survey->main_thread >= 0 ? survey->main_thread
									      : thread;
}

static bool is_event(const struct tc_host_state *state, const struct tc_host_open *host)
{
	return (event_roles & 1U << host->role) && state->survey->threads[host->thread].is_counted;
}

/* A step first copies a batch to the device. Any other outermost operation ends that phase. */
static void follow_loader(struct tc_event_tally *tally, const struct tc_host_state *state,
	const struct tc_host_open *host)
{
	const struct tc_label *label = &tally->timeline->labels[host->open.span.label];
	bool *follows = &tally->follows_loader[host->thread];

	if (host->role == TC_ROLE_DATALOADER)
		*follows = true;
	else if (*follows && label->is_op && host->role != TC_ROLE_INPUT_COPY && !is_copy(label) &&
		 tc_host_thread_at(state, host->thread)->open_in_role[TC_ROLE_DATALOADER] == 0 &&
		 !tc_host_state_innermost(state, host->thread, TC_HOST_OPS))
		*follows = false;
}

void tc_event_tally_start(
	struct tc_event_tally *tally, const struct tc_host_state *state, struct tc_host_open *host)
{
	follow_loader(tally, state, host);
	if (!is_event(state, host) || !tc_host_state_is_outermost(state, host))
		return;
	int32_t thread = tc_event_calling_thread(state, host->thread);
	const struct tc_host_open *op = tc_host_state_innermost(state, thread, TC_HOST_OPS);
	host->in_copy = op && is_copy(&tally->timeline->labels[op->open.span.label]);
	host->follows_loader = tally->follows_loader[thread];
	host->caller = caller_of(state, op);
	host->python = frame_around(state, thread);
	host->step = tc_windows_step_at(tally->windows, host->open.start_ns);
}

bool tc_event_is_warm_up(const struct tc_event_tally *tally, const struct tc_host_open *host)
{
	const struct tc_timeline *timeline = tally->timeline;

	if (timeline->step_count == 0)
		return false;
	if (timeline->step_count < 2 || host->open.start_ns < tally->windows->steps[1].start_ns)
		return true;
	return host->step >= 0 && tally->windows->is_warm_up[host->step];
}

/* Finds the slices around an operation on the CPU. Few operations are on the CPU, so this runs only
 * at their ends. */
static void look_around(
	struct tc_event_tally *tally, const struct tc_host_state *state, struct tc_host_open *host)
{
	host->in_copy = host->follows_loader = false;
	host->caller = TC_LABEL_ABSENT;
	host->python = frame_around(state, host->thread);
	host->step = tc_windows_step_at(tally->windows, host->open.start_ns);
}

static struct tc_text label_name(const struct tc_timeline *timeline, uint32_t label)
{
	return label == TC_LABEL_ABSENT ? TC_TEXT_NONE : tc_label_name(&timeline->labels[label]);
}

void tc_event_tally_end(struct tc_event_tally *tally, const struct tc_host_state *state,
	struct tc_host_open *host, const struct tc_idle_clock *clock, int64_t transfer_ns)
{
	const struct tc_timeline *timeline = tally->timeline;
	struct tc_text name = tc_label_name(&timeline->labels[host->open.span.label]);

	if (host->is_on_cpu && state->survey->threads[host->thread].is_counted)
		look_around(tally, state, host);
	else if (!host->is_outermost || !is_event(state, host))
		return;
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_int(host->open.span.slice_id),
		tc_sql_string(tc_role_name(host->role)),
		tc_sql_text(name.ptr ? name : TC_TEXT("")),
		tc_sql_int(host->open.span.ts_ns),
		tc_sql_int(host->open.span.dur_ns),
		tc_sql_int(tally->thread_ids[host->thread]),
		tc_sql_id(tc_windows_step_id(timeline, host->step)),
		tc_sql_int(tc_event_is_warm_up(tally, host)),
		tc_sql_int(clock->idle_ns - host->idle_at_start_ns),
		tc_sql_int(tc_idle_clock_resume_ns(clock)),
		tc_sql_int(transfer_ns - host->transfer_at_start_ns),
		tc_sql_int(host->in_copy),
		tc_sql_int(host->follows_loader),
		tc_sql_text(label_name(timeline, host->caller)),
		tc_sql_text(label_name(timeline, host->python)),
	};

	TC_TABLES_PUT(tally->tables,
		"host_event (trace_id, slice_id, role, name, ts, dur, thread_id, step_id,"
		" is_warm_up, exposed_ns, idle_after_ns, transfer_ns, in_copy,"
		" follows_loader, caller, python)",
		values);
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
	" WHERE json_valid(a.args))"
	" WHERE trace_id = ? AND role IN ('compile', 'input_copy', 'output_copy')";

void tc_event_tally_finish(struct tc_event_tally *tally)
{
	const struct tc_sql_value trace = tc_sql_int(tally->timeline->trace_id);

	tc_tables_put(tally->tables, detail_sql, &trace, 1);
}

/* Host time by label; see host_total.h. */
#include "analysis/host/host_total.h"

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

/*
 * Host totals (table host_total): slices of all host threads by label. A call of an operator
 * directly within another of its name is the same call. The own time of a slice is
 * the time in which it is the innermost of its track; exposed time is the part of the union of a
 * label's slices, within the windows of the host sweep, in which no device works.
 */
#include "analysis/host_sweep.h"
#include "core/saturate.h"

struct total {
	int64_t count, dur_ns, self_ns, self_exposed_ns, exposed_ns, idle_since_ns;
	int64_t optimizer_count; /* counts slices within the step of an optimizer, on its thread */
	uint32_t open_count;
	uint32_t outer;    /* index of outers[]; 0: every slice of the label counts there */
	bool is_launching; /* a counted thread ran some of it */
};

/* Sums of slices that are not nested in another one of their mark on their track. */
struct outer {
	int64_t count, dur_ns, exposed_ns, idle_since_ns;
	uint32_t open_count;
};

struct totals {
	struct tc_arena arena;
	const struct tc_host_sweep *sweep;
	const struct tc_timeline *timeline;
	struct tc_paged labels;           /* struct total, by label */
	struct outer *outers;             /* from 1, of the labels that can nest in their mark */
	const struct tc_open **innermost; /* by track */
	int64_t *since_ns;                /* by track: since when that slice has been innermost */
	int64_t *since_idle_ns;           /* the idle time until then */
	uint32_t *open_optimizers;        /* by host thread: steps of optimizers */
};

static struct total *total_of(const struct totals *totals, size_t label)
{
	return TC_PAGED_AT(&totals->labels, struct total, label);
}

/* Whether a slice of this label can be nested in another one of its mark. Launch calls cannot. */
static bool can_nest(const struct tc_label *label)
{
	return label->mark != TC_MARK_NONE && !label->is_launch;
}

static void number_outers(struct totals *totals)
{
	const struct tc_timeline *timeline = totals->timeline;
	uint32_t count = 0;

	for (size_t i = 0; i < timeline->label_count; i++)
		if (can_nest(&timeline->labels[i]))
			total_of(totals, i)->outer = ++count;
	TC_ARENA(&totals->arena, totals->outers, (size_t)count + 1);
}

static void clear_totals(void *self)
{
	struct totals *totals = self;

	tc_paged_clear(&totals->labels);
	tc_arena_clear(&totals->arena);
}

static void begin_totals(void *self, const struct tc_host_sweep *sweep)
{
	const struct tc_timeline *timeline = sweep->timeline;
	struct totals *totals = self;

	*totals = (struct totals){.arena.ctx = timeline->ctx, .sweep = sweep, .timeline = timeline};
	tc_paged_init(
		&totals->labels, timeline->ctx, timeline->label_count, sizeof(struct total), NULL);
	TC_ARENA(&totals->arena, totals->innermost, timeline->track_count);
	TC_ARENA(&totals->arena, totals->since_ns, timeline->track_count);
	TC_ARENA(&totals->arena, totals->since_idle_ns, timeline->track_count);
	TC_ARENA(&totals->arena, totals->open_optimizers, timeline->host_thread_count);
	if (!tc_ctx_failed(timeline->ctx))
		number_outers(totals);
}

/* A time, and how long no device worked within the windows until then. */
struct moment {
	int64_t time_ns, idle_ns;
};

/* Gives the time until now to the slice that was innermost on its track. */
static void change_innermost(
	struct totals *totals, const struct tc_host_open *host, struct moment at)
{
	uint32_t track = host->open.span.track;
	const struct tc_open *old = totals->innermost[track];
	const struct tc_open *now =
		tc_host_track_at(&totals->sweep->state, track)->lists[TC_HOST_ALL].last;

	if (old == now)
		return;
	if (old) {
		struct total *total = total_of(totals, old->span.label);
		total->self_ns =
			tc_add_saturated(total->self_ns, at.time_ns - totals->since_ns[track]);
		total->self_exposed_ns = tc_add_saturated(
			total->self_exposed_ns, at.idle_ns - totals->since_idle_ns[track]);
	}
	totals->innermost[track] = now;
	totals->since_ns[track] = at.time_ns;
	totals->since_idle_ns[track] = at.idle_ns;
}

static void start_outer(struct outer *outer, const struct tc_host_open *host, int64_t idle_ns)
{
	outer->count++;
	outer->dur_ns = tc_add_saturated(outer->dur_ns, host->open.end_ns - host->open.start_ns);
	if (outer->open_count++ == 0)
		outer->idle_since_ns = idle_ns;
}

static void end_outer(struct outer *outer, int64_t idle_ns)
{
	if (--outer->open_count == 0)
		outer->exposed_ns += idle_ns - outer->idle_since_ns;
}

/* Adds a call to the counts of its label; PyTorch 1.8 records each operator twice. */
static void count_call(struct totals *totals, const struct tc_host_open *host)
{
	const struct tc_open *around = totals->innermost[host->open.span.track];
	const struct tc_label *label = &totals->timeline->labels[host->open.span.label];
	struct total *total = total_of(totals, host->open.span.label);

	if (label->is_op && around && around->span.label == host->open.span.label)
		return;
	total->count++;
	total->dur_ns = tc_add_saturated(total->dur_ns, host->open.end_ns - host->open.start_ns);
	if (label->mark != TC_MARK_OPTIMIZER_STEP && totals->open_optimizers[host->thread] > 0)
		total->optimizer_count++;
}

static void start(void *self, struct tc_host_open *host)
{
	struct totals *totals = self;
	int64_t idle_ns = tc_host_window_idle(totals->sweep);
	struct total *total = total_of(totals, host->open.span.label);

	if (total->outer && host->is_outermost_of_mark)
		start_outer(&totals->outers[total->outer], host, idle_ns);
	count_call(totals, host);
	if (totals->timeline->labels[host->open.span.label].mark == TC_MARK_OPTIMIZER_STEP)
		totals->open_optimizers[host->thread]++;
	total->is_launching |= totals->sweep->survey->threads[host->thread].is_counted;
	if (total->open_count++ == 0)
		total->idle_since_ns = idle_ns;
	change_innermost(totals, host, (struct moment){host->open.start_ns, idle_ns});
}

static void after(void *self, struct tc_host_open *host)
{
	struct totals *totals = self;
	int64_t idle_ns = tc_host_window_idle(totals->sweep);
	struct total *total = total_of(totals, host->open.span.label);

	if (totals->timeline->labels[host->open.span.label].mark == TC_MARK_OPTIMIZER_STEP)
		totals->open_optimizers[host->thread]--;
	if (total->outer && host->is_outermost_of_mark)
		end_outer(&totals->outers[total->outer], idle_ns);
	if (--total->open_count == 0)
		total->exposed_ns += idle_ns - total->idle_since_ns;
	change_innermost(totals, host, (struct moment){host->open.end_ns, idle_ns});
}

static void finish(void *self)
{
	const struct totals *totals = self;
	struct tc_tables *tables = totals->sweep->tables;
	const struct tc_timeline *timeline = totals->timeline;

	for (size_t i = 0; i < timeline->label_count; i++) {
		const struct total *total = total_of(totals, i);
		const struct tc_label *label = &timeline->labels[i];
		const struct outer all = {.count = total->count,
			.dur_ns = total->dur_ns,
			.exposed_ns = total->exposed_ns};
		const struct outer *outer = total->outer ? &totals->outers[total->outer] : &all;
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
}

const struct tc_host_visitor tc_host_total_visitor = {.size = sizeof(struct totals),
	.begin = begin_totals,
	.clear = clear_totals,
	.start = start,
	.after = after,
	.finish = finish};

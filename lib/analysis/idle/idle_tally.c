/* Idle time of the analysed time; see idle_tally.h. */
#include "analysis/idle/idle_tally.h"

#include "core/alloc.h"
#include "core/array.h"

/* Gaps within the wall. */
struct gaps {
	int64_t count, longest_ns, ns;
};

enum { BETWEEN, AT_EDGES, PLACES }; /* the first and the last work */

struct tc_idle_run {
	size_t next_edge;                /* of the windows' edges */
	int64_t until_ns[TC_IDLE_PARTS]; /* all so far, also outside of the wall */
	int64_t gap_ns[TC_IDLE_PARTS];   /* of the current gap, within the wall */
	struct gaps gaps[PLACES][TC_IDLE_PARTS];
};

enum tc_status tc_idle_tally_init(struct tc_idle_tally *tally, const struct tc_windows *windows,
	const struct tc_device_tally *devices)
{
	const struct tc_timeline *timeline = windows->timeline;

	*tally = (struct tc_idle_tally){.windows = windows,
		.devices = devices,
		.runs = tc_calloc(devices->tally_count + 1, sizeof(*tally->runs))};
	if (!tally->runs)
		return tc_no_memory(timeline->ctx);
	return tc_paged_init(&tally->steps, timeline->ctx,
		devices->tally_count * timeline->step_count, sizeof(struct tc_idle_sums), NULL);
}

void tc_idle_tally_clear(struct tc_idle_tally *tally)
{
	tc_free(tally->runs);
	tc_paged_clear(&tally->steps);
	*tally = (struct tc_idle_tally){0};
}

static struct tc_idle_sums *sums_of(const struct tc_idle_tally *tally, size_t i, size_t step)
{
	return TC_PAGED_AT(&tally->steps, struct tc_idle_sums,
		i * tally->windows->timeline->step_count + step);
}

/* The idle time of a step is the sum at its end minus the sum at its start. So one pass over the
 * edges is enough, also where steps overlap. */
static void pass_edges(struct tc_idle_tally *tally, size_t i, int part, struct tc_interval interval)
{
	struct tc_idle_run *run = &tally->runs[i];
	size_t count = 2 * tally->windows->timeline->step_count;

	for (; run->next_edge < count; run->next_edge++) {
		const struct tc_window_edge *edge = &tally->windows->edges[run->next_edge];
		if (edge->time_ns >= interval.end_ns)
			break;
		struct tc_idle_sums *sums = sums_of(tally, i, edge->step);
		for (int k = 0; k < TC_IDLE_PARTS; k++)
			sums->ns[k] += edge->is_end ? run->until_ns[k] : -run->until_ns[k];
		int64_t within_ns =
			tc_interval_measure((struct tc_interval){interval.start_ns, edge->time_ns});
		sums->ns[part] += edge->is_end ? within_ns : -within_ns;
	}
}

void tc_idle_tally_add(struct tc_idle_tally *tally, const struct tc_gap *gap, int part,
	struct tc_interval interval)
{
	struct tc_idle_run *run = &tally->runs[gap->tally];
	int64_t wall_ns = tc_interval_measure(tc_interval_cut(interval, tally->windows->wall));

	part = gap->is_hole ? TC_IDLE_HOLE : gap->has_nics ? TC_IDLE_NICS : part;
	pass_edges(tally, (size_t)gap->tally, part, interval);
	run->until_ns[part] += tc_interval_measure(interval);
	run->gap_ns[part] += wall_ns;
}

void tc_idle_tally_end(struct tc_idle_tally *tally)
{
	const struct tc_interval last = {TC_TIME_LAST, INT64_MAX};

	for (size_t i = 0; i < tally->devices->tally_count; i++)
		pass_edges(tally, i, TC_CAUSE_UNKNOWN, last);
}

void tc_idle_tally_end_gap(struct tc_idle_tally *tally, const struct tc_gap *gap)
{
	struct tc_idle_run *run = &tally->runs[gap->tally];
	int place = gap->place == TC_GAP_WITHIN ? BETWEEN : AT_EDGES;

	for (int part = 0; part < TC_IDLE_PARTS; part++) {
		struct gaps *gaps = &run->gaps[place][part];
		gaps->count += run->gap_ns[part] > 0;
		gaps->ns += run->gap_ns[part];
		if (run->gap_ns[part] > gaps->longest_ns)
			gaps->longest_ns = run->gap_ns[part];
		run->gap_ns[part] = 0;
	}
}

static struct tc_idle_sums wall_sums(const struct tc_idle_run *run)
{
	struct tc_idle_sums sums;

	for (int part = 0; part < TC_IDLE_PARTS; part++)
		sums.ns[part] = run->gaps[BETWEEN][part].ns + run->gaps[AT_EDGES][part].ns;
	return sums;
}

static void put_metrics(const struct tc_idle_sums *sums, struct tc_interval window,
	struct tc_metric_writer *writer, struct tc_metric_scope scope)
{
	int64_t window_ns = tc_interval_measure(window), idle_ns = 0;

	for (int cause = 0; cause < TC_CAUSE_COUNT; cause++)
		idle_ns += sums->ns[cause];
	int64_t wait_ns = idle_ns + sums->ns[TC_IDLE_NICS];
	tc_metric_put(writer, TC_METRIC_IDLE, scope, idle_ns);
	tc_metric_put(writer, TC_METRIC_DEVICE_WAIT, scope, wait_ns);
	tc_metric_put(writer, TC_METRIC_DEVICE_UNKNOWN, scope, sums->ns[TC_IDLE_HOLE]);
	tc_metric_put_ratio(writer, TC_METRIC_DEVICE_BUSY_PCT, scope,
		window_ns - wait_ns - sums->ns[TC_IDLE_HOLE], window_ns);
}

enum tc_status tc_idle_tally_metrics(
	const struct tc_idle_tally *tally, struct tc_metric_writer *writer)
{
	const struct tc_windows *windows = tally->windows;
	const struct tc_timeline *timeline = windows->timeline;

	for (size_t n = 0; n < tc_device_scope_count(tally->devices); n++) {
		size_t i = tc_device_scope_tally(tally->devices, n);
		struct tc_metric_scope scope = {tc_device_scope_name(tally->devices, n), NULL};
		if (tally->devices->runs[i].op_count == 0)
			continue;
		const struct tc_idle_sums wall = wall_sums(&tally->runs[i]);
		put_metrics(&wall, windows->wall, writer, scope);
		for (size_t step = 0; step < timeline->step_count; step++) {
			scope.step = &timeline->steps[step].number;
			put_metrics(sums_of(tally, i, step), windows->steps[step], writer, scope);
		}
	}
	enum tc_status status = tc_paged_status(&tally->steps);
	return status ? status : tc_metric_writer_flush(writer);
}

static const char row_sql[] =
	"idle_total (trace_id, device, step_id, cause, at_edge, dur, count, longest_ns)";

static void write_gaps(const struct tc_idle_tally *tally, struct tc_tables *tables, size_t scope,
	int place, int cause)
{
	size_t i = tc_device_scope_tally(tally->devices, scope);
	const struct gaps *gaps = &tally->runs[i].gaps[place][cause];
	const struct tc_sql_value values[] = {
		tc_sql_int(tally->windows->timeline->trace_id),
		tc_sql_text(tc_device_scope_name(tally->devices, scope)),
		tc_sql_null(),
		tc_sql_string(tc_cause_name((enum tc_cause)cause)),
		tc_sql_int(place == AT_EDGES),
		tc_sql_int(gaps->ns),
		tc_sql_int(gaps->count),
		tc_sql_int(gaps->longest_ns),
	};

	if (gaps->ns > 0)
		TC_TABLES_PUT(tables, row_sql, values);
}

/* Of a step only the time of all devices together. */
static void write_step(
	const struct tc_idle_tally *tally, struct tc_tables *tables, int64_t step, int cause)
{
	const struct tc_timeline *timeline = tally->windows->timeline;
	int64_t ns = sums_of(tally, tally->devices->tally_count - 1, (size_t)step)->ns[cause];
	const struct tc_sql_value values[] = {
		tc_sql_int(timeline->trace_id),
		tc_sql_null(),
		tc_sql_id(tc_windows_step_id(timeline, step)),
		tc_sql_string(tc_cause_name((enum tc_cause)cause)),
		tc_sql_null(),
		tc_sql_int(ns),
		tc_sql_null(),
		tc_sql_null(),
	};

	if (ns > 0)
		TC_TABLES_PUT(tables, row_sql, values);
}

void tc_idle_tally_write(const struct tc_idle_tally *tally, struct tc_tables *tables)
{
	size_t scopes = tc_device_scope_count(tally->devices);
	int64_t steps = (int64_t)tally->windows->timeline->step_count;

	for (size_t scope = 0; scope < scopes; scope++)
		for (int i = 0; i < PLACES * TC_CAUSE_COUNT; i++)
			write_gaps(tally, tables, scope, i / TC_CAUSE_COUNT, i % TC_CAUSE_COUNT);
	for (int64_t step = 0; scopes > 0 && step < steps; step++)
		for (int cause = 0; cause < TC_CAUSE_COUNT; cause++)
			write_step(tally, tables, step, cause);
	tc_tables_keep(tables, tc_paged_status(&tally->steps));
}

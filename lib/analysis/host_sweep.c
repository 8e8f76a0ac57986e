/* The pass over the host threads; see host_sweep.h. */

#include "analysis/host_sweep.h"

#include "analysis/device/communication_tally.h"
#include "analysis/device/gap_spool.h"
#include "analysis/device/idle_clock.h"
#include "analysis/host/event_tally.h"
#include "analysis/host/framework_tally.h"
#include "analysis/host/host_state.h"
#include "analysis/host/host_tally.h"
#include "analysis/idle/gap_tally.h"
#include "analysis/metrics.h"
#include "analysis/operators/operator_tally.h"
#include "analysis/steps/windows.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/strtab.h"
#include "store/tables.h"

/*
 * Transfers (table exposed_transfer): when devices do nothing but copy between host and device.
 */

struct sum {
	int64_t first_ns, ns, late_ns, count;
};

static void write_row(struct tc_tables *tables, const struct tc_timeline *timeline, int64_t step,
	const struct sum *row)
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
static enum tc_status write_rows(struct tc_tables *tables, const struct tc_windows *windows,
	struct tc_sorter *transfers, struct sum *sums)
{
	const struct tc_timeline *timeline = windows->timeline;
	const struct tc_transfer *transfer = NULL;
	enum tc_status status = TC_SORTER_FIRST(transfers, transfer);

	for (; !status && transfer; status = TC_SORTER_NEXT(transfers, transfer)) {
		int64_t start_ns = transfer->late.start_ns;
		int64_t step = tc_windows_step_at(windows, start_ns);
		struct sum row = {start_ns, transfer->end_ns - start_ns,
			tc_interval_measure(transfer->late), 1};
		if (row.ns >= TC_GAP_ROW_MIN_NS) {
			write_row(tables, timeline, step, &row);
			continue;
		}
		struct sum *sum = &sums[step >= 0 ? (size_t)step : timeline->step_count];
		if (sum->count++ == 0)
			sum->first_ns = row.first_ns;
		sum->ns += row.ns;
		sum->late_ns += row.late_ns;
	}
	for (size_t i = 0; i <= timeline->step_count; i++)
		if (sums[i].count > 0)
			write_row(tables, timeline, i < timeline->step_count ? (int64_t)i : -1,
				&sums[i]);
	return status;
}

/* Writes the rows from the transfers of the spool, which it reads from the start. */
static void transfers_write(
	struct tc_tables *tables, const struct tc_windows *windows, struct tc_gap_spool *spool)
{
	struct sum *sums = tc_calloc(windows->timeline->step_count + 1, sizeof(*sums));

	tc_tables_keep(tables, sums ? write_rows(tables, windows, spool->transfers, sums)
				    : tc_no_memory(tables->ctx));
	tc_free(sums);
}

/*
 * Compile tally (tables compile, compile_op): what each graph compilation compiled, and whether the
 * same graph was compiled before. A compilation is identified by the name of its recipe and by the
 * operations that its thread ran since it last launched or compiled a graph; see docs/compiles.md.
 */

/* At most this many operations of a graph have rows; lazy graphs of a training step have thousands.
 * */
enum { TC_COMPILE_OPS_HELD = 4096 };

/* What a thread ran since it last launched or compiled a graph. */
struct tc_compile_thread {
	uint64_t sequence; /* hash of the operations' names */
	int64_t op_count;
	int64_t *slices; /* the first of them */
	size_t held, capacity;
	int64_t compile_id;    /* compiled last and not launched yet; TC_NO_ID for none */
	int64_t launch_end_ns; /* until then, calls belong to the launch of launched_id */
	int64_t launched_id;   /* compile of the last launch; TC_NO_ID for none */
};

struct tc_compile_tally {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	const struct tc_survey *survey;
	struct tc_tables *tables;
	uint64_t *names; /* by label: hash of its name; 0 when it is not an operation */
	bool *marks;     /* by label: its end ends the graph */
	struct tc_compile_thread *threads; /* NULL in a trace without compilations */
	struct tc_host_open *open; /* the outermost compile that started last, NULL when it ended */
	int64_t first_id, next_id; /* of the trace */
};

/* Calls of the Gaudi bridge that hand over the accumulated operations. The next operation starts
 * another graph. */
static bool is_mark(const struct tc_label *label)
{
	return label->mark == TC_MARK_BRIDGE_CUT || label->mark == TC_MARK_BRIDGE_SYNC ||
	       label->mark == TC_MARK_BRIDGE_HANDOVER;
}

/* Framework operations, and those that only the lazy bridge records. */
static bool is_operation(const struct tc_label *label)
{
	return tc_label_name(label).ptr &&
	       (label->is_op || (label->role == TC_ROLE_GRAPH_BUILD && label->is_lazy));
}

static bool launches_graph(const struct tc_label *label)
{
	return label->call_class != TC_CALL_NONE && label->call_class < TC_CALL_SYN_COPY;
}

static uint64_t hash_of(struct tc_text name)
{
	return tc_hash_bytes(name.ptr, name.len) | 1;
}

static void see_labels(struct tc_compile_tally *tally)
{
	for (size_t i = 0; i < tally->timeline->label_count; i++) {
		const struct tc_label *label = &tally->timeline->labels[i];
		tally->marks[i] = is_mark(label);
		if (is_operation(label))
			tally->names[i] = hash_of(tc_label_name(label));
	}
}

static bool has_compiles(const struct tc_timeline *timeline)
{
	for (size_t i = 0; i < timeline->label_count; i++)
		if (timeline->labels[i].role == TC_ROLE_COMPILE)
			return true;
	return false;
}

static void allocate(struct tc_compile_tally *tally)
{
	const size_t labels = tally->timeline->label_count, threads = tally->survey->thread_count;

	TC_ARENA(&tally->arena, tally->names, labels);
	TC_ARENA(&tally->arena, tally->marks, labels);
	TC_ARENA(&tally->arena, tally->threads, threads);
	enum tc_status status = tc_arena_status(&tally->arena, tally->tables->ctx);
	tc_tables_keep(tally->tables, status);
	if (status)
		return;
	for (size_t i = 0; i < threads; i++)
		tally->threads[i] = (struct tc_compile_thread){.compile_id = TC_NO_ID,
			.launched_id = TC_NO_ID,
			.launch_end_ns = TC_TIME_FIRST};
	see_labels(tally);
}

/* Row ids continue after those in the store. */
static void compile_tally_init(struct tc_compile_tally *tally, struct tc_tables *tables,
	const struct tc_timeline *timeline, const struct tc_survey *survey)
{
	int64_t last = 0;

	*tally =
		(struct tc_compile_tally){.timeline = timeline, .survey = survey, .tables = tables};
	if (has_compiles(timeline))
		allocate(tally);
	if (tc_tables_find(&last, tables, "SELECT max(id) FROM compile", NULL))
		tally->first_id = tally->next_id = last + 1;
	tc_tables_put(tables,
		"CREATE TEMP TABLE IF NOT EXISTS compile_launch"
		" (compile_id INTEGER, slice_id INTEGER PRIMARY KEY)",
		NULL, 0);
}

static void compile_tally_clear(struct tc_compile_tally *tally)
{
	for (size_t i = 0; tally->threads && i < tally->survey->thread_count; i++)
		tc_free(tally->threads[i].slices);
	tc_arena_clear(&tally->arena);
	*tally = (struct tc_compile_tally){0};
}

static void begin_graph(struct tc_compile_thread *thread)
{
	thread->sequence = 0;
	thread->op_count = 0;
	thread->held = 0;
}

/* The hash of a sequence depends on its order: it combines the hash of the beginning with the last
 * name. */
static void add_operation(struct tc_compile_tally *tally, struct tc_compile_thread *thread,
	const struct tc_span *span)
{
	const uint64_t pair[2] = {thread->sequence, tally->names[span->label]};

	thread->sequence = tc_hash_bytes((const char *)pair, sizeof(pair));
	thread->op_count++;
	if (thread->held == TC_COMPILE_OPS_HELD)
		return;
	if (TC_GROW(thread->slices, thread->capacity, thread->held + 1))
		thread->slices[thread->held++] = span->slice_id;
	else
		tc_tables_keep(tally->tables, tc_no_memory(tally->tables->ctx));
}

/* The first launch after a compile launches its result. One launch may be several nested calls; the
 * work names one of them as its launch. */
static void see_launch(struct tc_compile_tally *tally, struct tc_compile_thread *thread,
	const struct tc_host_open *host)
{
	begin_graph(thread);
	if (thread->compile_id != TC_NO_ID || host->open.start_ns >= thread->launch_end_ns) {
		thread->launched_id = thread->compile_id;
		thread->compile_id = TC_NO_ID;
		thread->launch_end_ns = host->open.end_ns;
	}
	if (thread->launched_id == TC_NO_ID)
		return;
	const struct tc_sql_value values[] = {
		tc_sql_int(thread->launched_id), tc_sql_int(host->open.span.slice_id)};
	TC_TABLES_PUT(tally->tables,
		"INSERT OR IGNORE INTO compile_launch (compile_id, slice_id) VALUES (?, ?)",
		values);
}

static void begin_compile(
	struct tc_compile_tally *tally, struct tc_compile_thread *thread, struct tc_host_open *host)
{
	tally->open = host;
	host->compile = (struct tc_host_compile){.id = tally->next_id++,
		.op_count = thread->op_count,
		.sequence = thread->sequence,
		.inner_slice_id = TC_NO_ID};
	for (size_t i = 0; i < thread->held; i++) {
		const struct tc_sql_value values[] = {tc_sql_int(host->compile.id),
			tc_sql_int((int64_t)i + 1), tc_sql_int(thread->slices[i])};
		TC_TABLES_PUT(tally->tables, "compile_op (compile_id, ord, slice_id)", values);
	}
	begin_graph(thread);
	thread->compile_id = host->compile.id;
}

/* Takes a slice that starts. Call it after the host state entered the slice. */
static void compile_tally_start(struct tc_compile_tally *tally, const struct tc_host_state *state,
	struct tc_host_open *host)
{
	uint32_t label = host->open.span.label;

	if (!tally->threads || !state->survey->threads[host->thread].is_counted)
		return;
	struct tc_compile_thread *thread =
		&tally->threads[tc_event_calling_thread(state, host->thread)];
	if (host->role == TC_ROLE_COMPILE) {
		if (host->is_outermost)
			begin_compile(tally, thread, host);
		else if (tally->open)
			tally->open->compile.inner_slice_id = host->open.span.slice_id;
	} else if (launches_graph(&tally->timeline->labels[label])) {
		see_launch(tally, thread, host);
	} else if (tally->names[label] != 0 &&
		   tc_host_thread_at(state, host->thread)->open_in_role[TC_ROLE_DATALOADER] == 0) {
		add_operation(tally, thread, &host->open.span);
	}
}

static bool is_row(const struct tc_compile_tally *tally, const struct tc_host_open *host)
{
	return host->role == TC_ROLE_COMPILE && host->is_outermost &&
	       tally->survey->threads[host->thread].is_counted;
}

/* Writes the row of a compile that ends now; events knows its step. */
static void compile_tally_end(struct tc_compile_tally *tally, const struct tc_event_tally *events,
	const struct tc_host_open *host, const struct tc_idle_clock *clock)
{
	const struct tc_timeline *timeline = tally->timeline;
	const struct tc_host_compile *compile = &host->compile;

	if (!tally->threads)
		return;
	if (tally->marks[host->open.span.label])
		begin_graph(&tally->threads[host->thread]);
	if (!is_row(tally, host))
		return;
	if (tally->open == host)
		tally->open = NULL;
	const struct tc_sql_value values[] = {
		tc_sql_int(compile->id),
		tc_sql_int(timeline->trace_id),
		tc_sql_int(host->open.span.slice_id),
		tc_sql_id(tc_windows_step_id(timeline, host->step)),
		tc_sql_int(host->open.span.ts_ns),
		tc_sql_int(host->open.span.dur_ns),
		tc_sql_int(clock->idle_ns - host->idle_at_start_ns),
		tc_sql_int(tc_event_is_warm_up(events, host)),
		tc_sql_id(compile->inner_slice_id),
		tc_sql_int(compile->op_count),
		tc_sql_int((int64_t)compile->sequence),
	};

	TC_TABLES_PUT(tally->tables,
		"INSERT INTO compile (id, trace_id, slice_id, step_id, ts, dur, exposed_ns,"
		" is_warm_up, inner_slice_id, op_count, op_sequence, kind)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, printf('%016llx', ?), 'unknown')",
		values);
}

/* Name and sizes from the args of a slice. `column` includes its table, because a bare slice_id
 * would be that of slice_args. NULL when the args are not JSON. */
#define ARGS_OF(slice) "(SELECT s.args FROM slice_args s WHERE s.slice_id = " slice ")"
#define RECIPE_OF(slice)                                                                           \
	"(SELECT nullif(a.args ->> '$.recipeName', '') FROM (SELECT " ARGS_OF(                     \
		slice) " AS args) a"                                                               \
		       " WHERE json_valid(a.args))"
#define DIMS_OF(slice)                                                                             \
	"(SELECT coalesce(a.args ->> '$.\"Input Dims\"', a.args ->> '$.\"Input dims\"')"           \
	" FROM (SELECT " ARGS_OF(slice) " AS args) a WHERE json_valid(a.args))"

static const char no_sequence_sql[] =
	"UPDATE compile SET op_sequence = NULL WHERE trace_id = ?1 AND op_count = 0";

static const char args_sql[] = "UPDATE compile SET recipe = coalesce(" RECIPE_OF(
	"compile.slice_id") ", " RECIPE_OF("compile.inner_slice_id") ") WHERE trace_id = ?1";

static const char source_sql[] = "UPDATE compile SET recipe_source = 'args' WHERE trace_id = ?1 AND"
				 " recipe IS NOT NULL";

/* The call that the work names as its launch, else the outermost one. */
static const char launch_sql[] =
	"WITH linked AS (SELECT l.compile_id, min(k.first_slice_id) AS work_id, k.launch_slice_id"
	"  FROM device_link k JOIN compile_launch l ON l.slice_id = k.launch_slice_id"
	"  WHERE k.first_slice_id >= ?2"
	"  GROUP BY l.compile_id)"
	"UPDATE compile SET launch_slice_id = k.launch_slice_id,"
	" recipe_source = iif(compile.recipe IS NULL AND k.recipe IS NOT NULL, 'launch',"
	" recipe_source), recipe = coalesce(compile.recipe, k.recipe)"
	" FROM (SELECT compile_id, launch_slice_id, " RECIPE_OF(
		"linked.work_id") " AS recipe FROM linked) k"
				  " WHERE trace_id = ?1 AND k.compile_id = compile.id";

static const char unlinked_sql[] =
	"UPDATE compile SET launch_slice_id = k.slice_id FROM"
	" (SELECT compile_id, min(slice_id) AS slice_id FROM compile_launch GROUP BY compile_id) k"
	" WHERE trace_id = ?1 AND k.compile_id = compile.id AND launch_slice_id IS NULL";

static const char kind_sql[] =
	"UPDATE compile SET kind = iif(p.same IS NULL AND p.earlier IS NULL, 'first', 'again'),"
	" previous_id = coalesce(p.same, p.earlier), changed = iif(p.same IS NULL, NULL, 'nothing')"
	" FROM (SELECT id, iif(recipe IS NULL, NULL, lag(id) OVER (PARTITION BY recipe ORDER BY"
	" id)) AS same, iif(op_sequence IS NULL, NULL, lag(id) OVER (PARTITION BY op_sequence"
	" ORDER BY id)) AS earlier FROM compile WHERE trace_id = ?1) p WHERE p.id = compile.id"
	" AND (recipe IS NOT NULL OR op_sequence IS NOT NULL)";

/* The first operation whose sizes differ from those of the same position before. */
static const char shapes_sql[] =
	"UPDATE compile SET changed_slice_id = (SELECT a.slice_id FROM compile_op a"
	"  JOIN compile_op b ON b.compile_id = compile.previous_id AND b.ord = a.ord"
	"  WHERE a.compile_id = compile.id AND " DIMS_OF("a.slice_id") " IS NOT " DIMS_OF(
		"b.slice_id") " ORDER BY a.ord LIMIT 1)"
			      " WHERE trace_id = ?1 AND kind = 'again' AND changed IS NULL";

static const char changed_sql[] =
	"UPDATE compile SET changed = CASE WHEN changed_slice_id IS NOT NULL THEN 'shapes'"
	" WHEN EXISTS (SELECT 1 FROM compile_op a WHERE a.compile_id = compile.id AND " DIMS_OF(
		"a.slice_id") " IS NOT NULL) THEN 'other' ELSE 'unknown' END"
			      " WHERE trace_id = ?1 AND kind = 'again' AND changed IS NULL";

static const char drop_sql[] = "DELETE FROM compile_launch WHERE ?1 IS NOT NULL";

static void run_updates(struct tc_compile_tally *tally)
{
	static const char *const updates[] = {no_sequence_sql, args_sql, source_sql, launch_sql,
		unlinked_sql, kind_sql, shapes_sql, changed_sql, drop_sql};
	const struct tc_sql_value values[] = {
		tc_sql_int(tally->timeline->trace_id), tc_sql_int(tally->timeline->slice_base)};

	for (size_t i = 0; i < TC_COUNT_OF(updates) && tally->next_id > tally->first_id; i++)
		tc_tables_put(tally->tables, updates[i], values, updates[i] == launch_sql ? 2 : 1);
}

/* Counts by step. Rows come ordered by step, those outside of steps first. */
static const char counts_sql[] =
	"SELECT s.number, sum(c.kind = 'first'), sum(c.kind = 'again') FROM step s"
	" LEFT JOIN compile c ON c.trace_id = ?1 AND c.step_id = s.id WHERE s.trace_id = ?1"
	" GROUP BY s.id UNION ALL"
	" SELECT NULL, sum(c.kind = 'first'), sum(c.kind = 'again') FROM compile c"
	" WHERE c.trace_id = ?1 AND (c.step_id IS NOT NULL OR"
	" NOT EXISTS (SELECT 1 FROM step s WHERE s.trace_id = ?1))";

static enum tc_status take_counts(void *user, sqlite3_stmt *row)
{
	struct tc_metric_writer *writer = user;
	int64_t number = sqlite3_column_int64(row, 0);
	bool of_run = sqlite3_column_type(row, 0) == SQLITE_NULL;
	struct tc_metric_scope scope = {TC_TEXT_NONE, of_run ? NULL : &number};

	tc_metric_put(writer, TC_METRIC_COMPILE_FIRST, scope, sqlite3_column_int64(row, 1));
	tc_metric_put(writer, TC_METRIC_COMPILE_AGAIN, scope, sqlite3_column_int64(row, 2));
	return TC_OK;
}

/* Tells first compiles and repeated ones apart once all are written, and writes the metrics. */
static void compile_tally_finish(struct tc_compile_tally *tally, struct tc_metric_writer *writer)
{
	const struct tc_sql_value trace = tc_sql_int(tally->timeline->trace_id);
	struct tc_interval host = tally->survey->host;

	run_updates(tally);
	if (host.start_ns <= host.end_ns) /* without a host there is no compile_count either */
		tc_tables_each(tally->tables, counts_sql, &trace, take_counts, writer);
}

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
	compile_tally_start(&sweep->compiles, &sweep->state, host);
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
	compile_tally_end(&sweep->compiles, &sweep->events, host, &sweep->clock);
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
	compile_tally_init(&sweep->compiles, tables, input->timeline, input->survey);
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
	compile_tally_clear(&sweep->compiles);
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
	compile_tally_finish(&sweep->compiles, writer);
	tc_operator_rows_write(&sweep->operators, tables);
	transfers_write(tables, input->windows, input->spool);
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

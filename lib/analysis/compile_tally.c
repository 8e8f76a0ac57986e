/*
 * Compile tally (tables compile, compile_op): what each graph compilation compiled, and whether
 * that graph was compiled before. A compilation is identified by the name of its recipe and by the
 * operations that its thread ran since it last launched or compiled a graph; see docs/compiles.md.
 */
#include "analysis/host_sweep.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/strtab.h"

/* At most this many operations of a graph have rows; lazy graphs of a training step have thousands.
 */
enum { OPS_HELD = 4096 };

/* The slices of a thread since it last launched or compiled a graph. */
struct graph_thread {
	uint64_t sequence; /* hash of the operations' names */
	int64_t op_count;
	int64_t *slices; /* the first of them */
	size_t held, capacity;
	int64_t compile_id;    /* compiled last and not launched yet; TC_NO_ID for none */
	int64_t launch_end_ns; /* until then, calls belong to the launch of launched_id */
	int64_t launched_id;   /* compile of the last launch; TC_NO_ID for none */
};

struct compiles {
	struct tc_arena arena;
	const struct tc_host_sweep *sweep;
	const struct tc_timeline *timeline;
	uint64_t *names; /* by label: hash of its name; 0 when it is not an operation */
	bool *marks;     /* by label: its end ends the graph */
	struct graph_thread *threads; /* NULL in a trace without compilations */
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

static void see_labels(struct compiles *tally)
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

static void allocate(struct compiles *tally)
{
	const size_t labels = tally->timeline->label_count,
		     threads = tally->sweep->survey->thread_count;

	TC_ARENA(&tally->arena, tally->names, labels);
	TC_ARENA(&tally->arena, tally->marks, labels);
	TC_ARENA(&tally->arena, tally->threads, threads);
	if (tc_ctx_failed(tally->timeline->ctx))
		return;
	for (size_t i = 0; i < threads; i++)
		tally->threads[i] = (struct graph_thread){.compile_id = TC_NO_ID,
			.launched_id = TC_NO_ID,
			.launch_end_ns = TC_TIME_FIRST};
	see_labels(tally);
}

static void clear_compiles(void *self)
{
	struct compiles *tally = self;

	for (size_t i = 0; tally->threads && i < tally->sweep->survey->thread_count; i++)
		tc_free(tally->threads[i].slices);
	tc_arena_clear(&tally->arena);
}

/* Row ids continue after those in the store. */
static void begin_compiles(void *self, const struct tc_host_sweep *sweep)
{
	const struct tc_timeline *timeline = sweep->timeline;
	struct compiles *tally = self;
	int64_t last = 0;

	*tally =
		(struct compiles){.arena.ctx = timeline->ctx, .sweep = sweep, .timeline = timeline};
	if (has_compiles(timeline))
		allocate(tally);
	if (tc_tables_find(&last, sweep->tables, "SELECT max(id) FROM compile", NULL))
		tally->first_id = tally->next_id = last + 1;
	tc_tables_put(sweep->tables,
		"CREATE TEMP TABLE IF NOT EXISTS compile_launch"
		" (compile_id INTEGER, slice_id INTEGER PRIMARY KEY)",
		NULL, 0);
}

static void begin_graph(struct graph_thread *thread)
{
	thread->sequence = 0;
	thread->op_count = 0;
	thread->held = 0;
}

/* The hash of a sequence depends on its order: it combines the hash of the beginning with the last
 * name. */
static void add_operation(
	struct compiles *tally, struct graph_thread *thread, const struct tc_span *span)
{
	const uint64_t pair[2] = {thread->sequence, tally->names[span->label]};

	thread->sequence = tc_hash_bytes((const char *)pair, sizeof(pair));
	thread->op_count++;
	if (thread->held < OPS_HELD)
		TC_PUSH(tally->timeline->ctx, thread->slices, thread->held, thread->capacity,
			span->slice_id);
}

/* The first launch after a compile launches its result. One launch may be several nested calls; the
 * work names one of them as its launch. */
static void see_launch(
	struct compiles *tally, struct graph_thread *thread, const struct tc_host_open *host)
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
	TC_TABLES_PUT(tally->sweep->tables,
		"INSERT OR IGNORE INTO compile_launch (compile_id, slice_id) VALUES (?, ?)",
		values);
}

static void begin_compile(
	struct compiles *tally, struct graph_thread *thread, struct tc_host_open *host)
{
	tally->open = host;
	host->compile = (struct tc_host_compile){.id = tally->next_id++,
		.op_count = thread->op_count,
		.sequence = thread->sequence,
		.inner_slice_id = TC_NO_ID};
	for (size_t i = 0; i < thread->held; i++) {
		const struct tc_sql_value values[] = {tc_sql_int(host->compile.id),
			tc_sql_int((int64_t)i + 1), tc_sql_int(thread->slices[i])};
		TC_TABLES_PUT(
			tally->sweep->tables, "compile_op (compile_id, ord, slice_id)", values);
	}
	begin_graph(thread);
	thread->compile_id = host->compile.id;
}

static void start(void *self, struct tc_host_open *host)
{
	struct compiles *tally = self;
	const struct tc_host_state *state = &tally->sweep->state;
	uint32_t label = host->open.span.label;

	if (!tally->threads || !state->survey->threads[host->thread].is_counted)
		return;
	struct graph_thread *thread = &tally->threads[tc_host_calling_thread(state, host->thread)];
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

static bool is_row(const struct compiles *tally, const struct tc_host_open *host)
{
	return host->role == TC_ROLE_COMPILE && host->is_outermost &&
	       tally->sweep->survey->threads[host->thread].is_counted;
}

/* Writes the row of a compile that ends now; the event tally has set its step. */
static void end(void *self, struct tc_host_open *host)
{
	struct compiles *tally = self;
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
		tc_sql_int(tally->sweep->clock.idle_ns - host->idle_at_start_ns),
		tc_sql_int(tc_host_is_warm_up(tally->sweep->windows, host)),
		tc_sql_id(compile->inner_slice_id),
		tc_sql_int(compile->op_count),
		tc_sql_int((int64_t)compile->sequence),
	};

	TC_TABLES_PUT(tally->sweep->tables,
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

static void run_updates(struct compiles *tally)
{
	static const char *const updates[] = {no_sequence_sql, args_sql, source_sql, launch_sql,
		unlinked_sql, kind_sql, shapes_sql, changed_sql, drop_sql};
	const struct tc_sql_value values[] = {
		tc_sql_int(tally->timeline->trace_id), tc_sql_int(tally->timeline->slice_base)};

	for (size_t i = 0; i < TC_COUNT_OF(updates) && tally->next_id > tally->first_id; i++)
		tc_tables_put(
			tally->sweep->tables, updates[i], values, updates[i] == launch_sql ? 2 : 1);
}

/* Counts by step. Rows come ordered by step, those outside of steps first. */
static const char counts_sql[] =
	"SELECT s.number, sum(c.kind = 'first'), sum(c.kind = 'again') FROM counted_step s"
	" LEFT JOIN compile c ON c.trace_id = ?1 AND c.step_id = s.id WHERE s.trace_id = ?1"
	" GROUP BY s.id UNION ALL"
	" SELECT NULL, sum(c.kind = 'first'), sum(c.kind = 'again') FROM compile c"
	" WHERE c.trace_id = ?1 AND (c.step_id IS NOT NULL OR"
	" NOT EXISTS (SELECT 1 FROM counted_step s WHERE s.trace_id = ?1))";

static void write_counts(const struct tc_host_sweep *sweep)
{
	struct tc_rows row = TC_ROWS(
		sweep->tables->ctx, sweep->tables->db, counts_sql, sweep->timeline->trace_id);

	while (tc_rows_next(&row)) {
		int64_t number = tc_rows_int(&row, 0);
		struct tc_metric_scope scope = {
			TC_TEXT_NONE, tc_rows_null(&row, 0) ? NULL : &number};
		tc_metric_put(sweep->writer, TC_METRIC_COMPILE_FIRST, scope, tc_rows_int(&row, 1));
		tc_metric_put(sweep->writer, TC_METRIC_COMPILE_AGAIN, scope, tc_rows_int(&row, 2));
	}
}

/* Tells first compiles and repeated ones apart once all are written, and writes the metrics. */
static void finish(void *self)
{
	struct compiles *tally = self;
	struct tc_interval host = tally->sweep->survey->host;

	run_updates(tally);
	if (host.start_ns <= host.end_ns) /* without a host there is no compile_count either */
		write_counts(tally->sweep);
}

const struct tc_host_visitor tc_compile_visitor = {.size = sizeof(struct compiles),
	.begin = begin_compiles,
	.clear = clear_compiles,
	.start = start,
	.end = end,
	.finish = finish};

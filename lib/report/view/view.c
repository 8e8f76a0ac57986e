/*
 * The traces of a store one by one, with what every report on a trace asks first: metrics, parts of
 * the time, findings, inputs that were left out.
 */
#include "report/view/view.h"

#include <math.h>

#include "core/alloc.h"
#include "core/array.h"
#include "report/text/format.h"
#include "store/sql.h"

/* ---- metrics */

/* TC_METRIC_COUNT for a name that this version does not know. */
static enum tc_metric metric_of(struct tc_text name)
{
	for (size_t i = 0; i < TC_METRIC_COUNT; i++)
		if (tc_text_equal(tc_text_from(tc_metric_info((enum tc_metric)i)->name), name))
			return (enum tc_metric)i;
	return TC_METRIC_COUNT;
}

/* The set of a device; NULL when memory is out. Rows come sorted by device, so a name other than
 * the last one begins a new set. */
static struct tc_metric_set *set_of(
	struct tc_metrics *metrics, struct tc_text device, struct tc_ctx *ctx)
{
	size_t count = metrics->device_count;

	if (!device.ptr)
		return &metrics->run;
	if (count > 0 && tc_text_equal(tc_text_from(metrics->devices[count - 1].device), device))
		return &metrics->devices[count - 1];
	char *name = TC_GROW(metrics->devices, metrics->device_capacity, count + 1)
			     ? tc_text_dup(device)
			     : NULL;
	if (!name) {
		tc_no_memory(ctx);
		return NULL;
	}
	metrics->devices[count] = (struct tc_metric_set){.device = name};
	metrics->device_count++;
	return &metrics->devices[count];
}

void tc_metrics_take(struct tc_metric_set *set, const struct tc_rows *row, int column)
{
	enum tc_metric id = metric_of(tc_rows_text(row, column));
	double real = tc_rows_real(row, column + 1);
	bool is_real = sqlite3_column_type(row->stmt, column + 1) == SQLITE_FLOAT;

	if (id < TC_METRIC_COUNT)
		set->cells[id] = (struct tc_metric_cell){.present = true,
			.real = real,
			.integer = is_real ? tc_integer_saturated(round(real))
					   : tc_rows_int(row, column + 1)};
}

void tc_metrics_load(
	struct tc_metrics *metrics, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id, int64_t step)
{
	struct tc_metric_set *set;
	struct tc_rows rows = TC_ROWS(ctx, db,
		"SELECT device, name, value FROM metric WHERE trace_id = ?1"
		" AND step IS nullif(?2, -1) ORDER BY CAST(device AS INTEGER), device, rowid",
		trace_id, step < 0 ? -1 : step);

	*metrics = TC_METRICS_EMPTY;
	while (tc_rows_next(&rows) && (set = set_of(metrics, tc_rows_text(&rows, 0), ctx)))
		tc_metrics_take(set, &rows, 1);
	tc_rows_close(&rows);
}

void tc_metrics_clear(struct tc_metrics *metrics)
{
	for (size_t i = 0; i < metrics->device_count; i++)
		tc_free(metrics->devices[i].device);
	tc_free(metrics->devices);
	*metrics = TC_METRICS_EMPTY;
}

/* ---- traces */

static const struct tc_part gaudi_parts[] = {
	{TC_METRIC_MME_BUSY, "MME"},
	{TC_METRIC_TPC_EXCLUSIVE, "TPC, no MME"},
	{TC_METRIC_DMA_EXCLUSIVE, "DMA, no MME or TPC"},
	{TC_METRIC_NIC_EXCLUSIVE, "NIC alone"},
	{TC_METRIC_DEVICE_UNKNOWN, "not recorded"},
};
static const struct tc_part other_parts[] = {
	{TC_METRIC_COMPUTE_BUSY, "compute"},
	{TC_METRIC_COMM_EXPOSED, "communication, exposed"},
	{TC_METRIC_COPY_EXCLUSIVE, "copies, fills alone"},
	{TC_METRIC_DEVICE_UNKNOWN, "not recorded"},
};

static const struct tc_host_part host_parts[] = {
#define TC_METRIC(...)
#define TC_HOST_CATEGORY_METRIC(id, text)                                                          \
	{TC_METRIC_HOST_##id##_OWN, TC_METRIC_HOST_##id##_EXPOSED, TC_ROLE_##id},
#include "analysis/metrics.def"
#undef TC_METRIC
};

const struct tc_part *tc_device_parts(bool gaudi, size_t *count)
{
	*count = gaudi ? TC_COUNT_OF(gaudi_parts) : TC_COUNT_OF(other_parts);
	return gaudi ? gaudi_parts : other_parts;
}

const struct tc_host_part *tc_host_parts(size_t *count)
{
	*count = TC_COUNT_OF(host_parts);
	return host_parts;
}

struct tc_text tc_part_title(struct tc_text name)
{
	enum tc_role role = tc_role_find(name);

	return role ? tc_text_from(tc_role_title(role)) : tc_engine_title(name);
}

static const char traces_sql[] =
	"SELECT * FROM (SELECT t.id, t.path, t.format, t.form, t.vendor, t.backend, t.device_name,"
	" coalesce(t.rank, -1), coalesce(t.world_size, -1), t.device_memory_bytes, t.read_bytes,"
	" t.event_count, coalesce(t.base_time_ns, 0) + t.start_ns, s.total, s.working, s.first, "
	"s.last, s.asked,"
	" (SELECT count(*) FROM import_log l WHERE l.trace_id = t.id AND l.severity = 'data_loss'),"
	" (SELECT count(*) FROM trace), s.first_ts - t.start_ns, " TC_JUDGE_ONCE_SQL
	", (SELECT min(path) FROM trace), (SELECT max(path) FROM trace)"
	" FROM trace t LEFT JOIN (SELECT trace_id, count(*) AS total, count(device_ts) AS working,"
	" min(number) AS first, max(number) AS last, max(number = ?1) AS asked,"
	" min(ts) AS first_ts FROM counted_step"
	" WHERE trace_id BETWEEN max(?3, 0) AND iif(?3 < 0, 9223372036854775807, ?3)"
	" GROUP BY trace_id) s ON s.trace_id = t.id"
	" WHERE (?2 < 0 OR t.rank = ?2) AND (?3 < 0 OR t.id = ?3))"
	" WHERE NOT ?4 OR id NOT IN (SELECT trace_id FROM job_rank) ORDER BY id";

/* An absolute path without the directory that all paths share, which the first and the last of them
 * do. Where one of these is not absolute they share none. */
static struct tc_text name_of(struct tc_text path, struct tc_text first, struct tc_text last)
{
	size_t shared = 0;

	for (size_t i = 0; i < first.len && i < last.len && first.ptr[i] == last.ptr[i]; i++)
		shared = first.ptr[0] == '/' && first.ptr[i] == '/' ? i + 1 : shared;
	return (struct tc_text){path.ptr + shared, path.len - shared};
}

static void fill(struct tc_view *view, const struct tc_rows *row)
{
	*view = (struct tc_view){.id = tc_rows_int(row, 0),
		.path = tc_rows_text(row, 1),
		.format = tc_rows_text(row, 2),
		.form = tc_rows_text(row, 3),
		.vendor = tc_rows_text(row, 4),
		.backend = tc_rows_text(row, 5),
		.device_name = tc_rows_text(row, 6),
		.rank = tc_rows_int(row, 7),
		.world_size = tc_rows_int(row, 8),
		.device_memory_bytes = tc_rows_int(row, 9),
		.read_bytes = tc_rows_int(row, 10),
		.event_count = tc_rows_int(row, 11),
		.recorded_at_ns = tc_rows_int(row, 12),
		.step_count = tc_rows_int(row, 13),
		.working_step_count = tc_rows_int(row, 14),
		.step_first = tc_rows_int(row, 15),
		.step_last = tc_rows_int(row, 16),
		.step_here = tc_rows_int(row, 17) != 0,
		.loss_count = tc_rows_int(row, 18),
		.trace_count = tc_rows_int(row, 19),
		.before_steps_ns = tc_rows_int(row, 20),
		.once = (enum tc_judge_once)tc_rows_int(row, 21)};
	view->name = name_of(view->path, tc_rows_text(row, 22), tc_rows_text(row, 23));
}

struct tc_text tc_view_title(const struct tc_job *job, const struct tc_view *view)
{
	return job->write == tc_doc_write_markdown ? view->name : view->path;
}

/* Which traces to show. Traces are counted before no_jobs takes the ranks of jobs out. */
static struct tc_views choose(struct tc_job *job, int64_t rank, int64_t trace_id, bool no_jobs)
{
	return (struct tc_views){.job = job,
		.rows = TC_ROWS(
			job->ctx, job->db, traces_sql, job->options.step, rank, trace_id, no_jobs)};
}

struct tc_views tc_views_all(struct tc_job *job)
{
	return choose(job, job->options.rank, -1, false);
}

struct tc_views tc_views_rest(struct tc_job *job)
{
	bool all = job->options.step >= 0 || job->options.details;

	return choose(job, job->options.rank, -1, !all);
}

struct tc_views tc_views_one(struct tc_job *job, int64_t trace_id)
{
	return choose(job, -1, trace_id, false);
}

static void clear(struct tc_views *views)
{
	tc_names_clear(&views->job->names);
	tc_metrics_clear(&views->view.whole);
	tc_metrics_clear(&views->view.step);
}

static void load(struct tc_view *view, struct tc_job *job)
{
	int64_t step = job->options.step;

	tc_metrics_load(&view->whole, job->ctx, job->db, view->id, -1);
	if (step >= 0)
		tc_metrics_load(&view->step, job->ctx, job->db, view->id, step);
	view->shown = step >= 0 ? &view->step : &view->whole;
	view->names = &job->names;
	tc_names_load(&job->names, job->ctx, job->db, view->id);
}

const struct tc_view *tc_views_next(struct tc_views *views)
{
	struct tc_job *job = views->job;

	clear(views);
	if (!tc_sink_dead(&job->sink) && tc_rows_next(&views->rows)) {
		fill(&views->view, &views->rows);
		load(&views->view, job);
		if (!tc_ctx_failed(job->ctx))
			return &views->view;
	}
	tc_views_close(views);
	return NULL;
}

void tc_views_close(struct tc_views *views)
{
	clear(views);
	tc_rows_close(&views->rows);
}

const struct tc_finding *tc_next_finding(
	const struct tc_advice *advice, int64_t trace_id, const struct tc_finding *before)
{
	for (size_t i = before ? (size_t)(before - advice->findings) + 1 : 0;
		i < advice->finding_count; i++)
		if (advice->findings[i].trace_id == trace_id)
			return &advice->findings[i];
	return NULL;
}

const struct tc_finding *tc_next_of_kind(const struct tc_advice *advice, int64_t trace_id,
	enum tc_heuristic_kind kind, const struct tc_finding *before)
{
	while ((before = tc_next_finding(advice, trace_id, before)) &&
		before->heuristic->kind != kind)
		;
	return before;
}

const struct tc_finding *tc_find_finding(
	const struct tc_advice *advice, int64_t trace_id, const struct tc_heuristic *heuristic)
{
	const struct tc_finding *finding = NULL;

	while ((finding = tc_next_finding(advice, trace_id, finding)) &&
		strcmp(finding->heuristic->id, heuristic->id) != 0)
		;
	return finding;
}

struct tc_rank_wait tc_view_rank_wait(struct tc_job *job, const struct tc_view *view)
{
	struct tc_rank_wait wait = {0};
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT wait_ns, longest_ns, longest_bytes, guessed_count FROM rank_wait WHERE "
		"trace_id = ?1"
		" AND ?2 < 0 AND (SELECT count(DISTINCT device) FROM op_total WHERE trace_id = ?1) "
		"= 1",
		view->id, job->options.step);

	if (tc_rows_next(&rows))
		wait = (struct tc_rank_wait){tc_rows_int(&rows, 0), tc_rows_int(&rows, 1),
			tc_rows_int(&rows, 2), tc_rows_int(&rows, 3)};
	tc_rows_close(&rows);
	/* Where two collectives run at once, the time counts for both. */
	int64_t exposed_ns = tc_metric(tc_view_device(view), TC_METRIC_COMM_EXPOSED);
	wait.wait_ns = wait.wait_ns < exposed_ns ? wait.wait_ns : exposed_ns;
	return wait;
}

void tc_append_rank_wait(struct tc_buf *buf)
{
	tc_buf_append_text(buf, tc_cause_phrase(TC_TEXT("rank_wait")));
}

const struct tc_account_row *tc_next_check(
	const struct tc_advice *advice, int64_t trace_id, const struct tc_account_row *before)
{
	size_t at;

	if (before)
		at = (size_t)(before - advice->account) + 1;
	else
		TC_BISECT(at, advice->account_count, advice->account[at].trace_id < trace_id);
	return at < advice->account_count && advice->account[at].trace_id == trace_id
		       ? &advice->account[at]
		       : NULL;
}

const struct tc_account_row *tc_find_check(
	const struct tc_advice *advice, int64_t trace_id, const char *id)
{
	const struct tc_account_row *check = NULL;

	while ((check = tc_next_check(advice, trace_id, check)) &&
		strcmp(check->heuristic->id, id) != 0)
		;
	return check;
}

bool tc_check_is_alike(const struct tc_account_row *check, const struct tc_account_row *other)
{
	return check->outcome == other->outcome &&
	       tc_text_equal(tc_text_from(check->reason), tc_text_from(other->reason));
}

int64_t tc_count_outcome(const struct tc_advice *advice, int64_t trace_id, enum tc_outcome outcome)
{
	int64_t count = 0;

	for (const struct tc_account_row *check = NULL;
		(check = tc_next_check(advice, trace_id, check));)
		count += check->outcome == outcome;
	return count;
}

void tc_view_append_kind(struct tc_buf *line, const struct tc_view *view)
{
	tc_buf_append_text(line, view->format);
	if (view->device_name.len > 0) {
		TC_APPEND(line, TC_TEXT(", "), view->device_name);
	} else if (view->vendor.len > 0) {
		TC_APPEND(line, TC_TEXT(", "), view->vendor);
		if (tc_view_has(view, TC_METRIC_HAS_DEVICE))
			tc_buf_append_string(line, " (model not recorded)");
	}
}

void tc_view_append_count(struct tc_buf *line, int64_t count, const char *noun)
{
	tc_buf_format(line, ", %s", tc_show_counted(count, noun).text);
}

const char tc_left_out_sql[] = "SELECT path, reason FROM left_out ORDER BY id";

void tc_left_out_append(struct tc_buf *text, struct tc_ctx *ctx, sqlite3 *db)
{
	struct tc_rows rows = tc_rows_open(ctx, db,
		"SELECT (SELECT count(*) FROM left_out),"
		" (SELECT count(*) FROM left_out) + (SELECT count(*) FROM trace)"
		" + (SELECT count(*) FROM side_file WHERE origin = 'given')");

	if (tc_rows_next(&rows) && tc_rows_int(&rows, 0) > 0)
		tc_buf_format(text, "%s of %s inputs %s left out",
			tc_show_count(tc_rows_int(&rows, 0)).text,
			tc_show_count(tc_rows_int(&rows, 1)).text,
			tc_rows_int(&rows, 0) == 1 ? "was" : "were");
	tc_rows_close(&rows);
}

int64_t tc_view_steady_ns(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	return tc_rows_single(ctx, db,
		"SELECT iif(s.gain_wall_ns > 0, s.gain_wall_ns, m.value) FROM metric m"
		" LEFT JOIN steady s ON s.trace_id = m.trace_id"
		" WHERE m.trace_id = ?1 AND m.name = 'wall_ns' AND m.device IS NULL AND m.step IS "
		"NULL",
		trace_id);
}

/* Loads jobs, their numbers and their fixes from an index; see facts.h. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/saturate.h"
#include "fleet/report/facts.h"
#include "report/view/rows.h"
#include "store/connection.h"

/* Devices by the world size that the ranks give, unless no job has so many ranks; else those that
 * the trace itself shows. One damaged file must not outweigh all the others. */
static const char job_sql[] =
	"SELECT j.id, j.path, j.state, coalesce(j.reason, ''), count(*) FILTER (WHERE t.state ="
	" 'done'), count(*) FILTER (WHERE t.state <> 'done'), max(coalesce(max(t.world_size)"
	" FILTER (WHERE t.world_size BETWEEN 1 AND 1 << 24), 0),"
	" count(DISTINCT t.rank)), total(t.blind_count), coalesce((SELECT coalesce(p.device_name,"
	" p.vendor) FROM trace p WHERE p.id = j.pace_trace_id), ''),"
	" coalesce((SELECT p.is_judged FROM trace p WHERE p.id = j.pace_trace_id), 0),"
	" coalesce((SELECT p.vendor FROM trace p WHERE p.id = j.pace_trace_id), ''),"
	" max(t.world_size) FILTER (WHERE t.world_size BETWEEN 1 AND 1 << 24)"
	" FROM job j LEFT JOIN trace t ON t.job_id = j.id GROUP BY j.id ORDER BY j.id";

static const char metric_sql[] = "SELECT j.id, m.name, m.value FROM job j JOIN trace_metric m"
				 " ON m.trace_id = j.pace_trace_id ORDER BY j.id";

/* Steps of all ranks: the mean over ranks of the step time and of its quartiles. The count stays
 * that of one rank: ranks run in step, so more ranks are not more observations. */
static const char steps_sql[] =
	"WITH rank_steps AS (SELECT trace_id,"
	"  max(iif(name = 'steady_step_count', value, NULL)) AS count,"
	"  max(iif(name = 'steady_step_sum_ns', value, NULL)) AS sum,"
	"  max(iif(name = 'steady_step_min_ns', value, NULL)) AS least,"
	"  max(iif(name = 'steady_step_lower_quartile_ns', value, NULL)) AS q1,"
	"  max(iif(name = 'steady_step_median_ns', value, NULL)) AS median,"
	"  max(iif(name = 'steady_step_upper_quartile_ns', value, NULL)) AS q3,"
	"  max(iif(name = 'steady_step_max_ns', value, NULL)) AS most"
	"  FROM trace_metric WHERE substr(name, 1, 12) = 'steady_step_' GROUP BY trace_id)"
	" SELECT t.job_id, min(r.count), CAST(round(avg(1.0 * r.sum / r.count) * min(r.count)) AS"
	" INTEGER), min(r.least), CAST(round(avg(r.q1)) AS INTEGER),"
	" CAST(round(avg(r.median)) AS INTEGER), CAST(round(avg(r.q3)) AS INTEGER), max(r.most)"
	" FROM rank_steps r JOIN trace t ON t.id = r.trace_id WHERE r.count > 0"
	" GROUP BY t.job_id ORDER BY t.job_id";

/* Fixes of the trace that stands for the job, with a gain; the best one is marked. */
static const char fired_sql[] =
	"SELECT t.job_id, h.name, coalesce(max(iif(t.id = j.pace_trace_id, f.gain_ns, NULL)), 0),"
	" max(t.id = j.pace_trace_id AND f.gain_ns > 0 AND f.ord = (SELECT min(x.ord) FROM finding "
	"x"
	"  JOIN heuristic y ON y.id = x.heuristic_id WHERE x.trace_id = j.pace_trace_id"
	"  AND y.kind = 'fix' AND x.gain_ns > 0))"
	" FROM finding f JOIN trace t ON t.id = f.trace_id JOIN job j ON j.id = t.job_id"
	" JOIN heuristic h ON h.id = f.heuristic_id WHERE h.kind = 'fix'"
	" GROUP BY t.job_id, h.id ORDER BY t.job_id, h.id";

bool tc_fleet_has_hours(const struct tc_fleet_job *job)
{
	return job->has_device && job->is_judged && job->wall_ns > 0;
}

int64_t tc_fleet_step_ns(const struct tc_fleet_job *job)
{
	return tc_compare_mean(job->steps.sum_ns, job->steps.count);
}

struct tc_text tc_fleet_title(const struct tc_fleet *fleet, uint32_t heuristic)
{
	for (size_t i = 0; i < fleet->advice_count; i++)
		if (fleet->advice[i].heuristic == heuristic)
			return tc_fleet_text(fleet, fleet->advice[i].title);
	return TC_TEXT("");
}

double tc_fleet_hours(const struct tc_fleet_job *job, int64_t ns)
{
	if (!tc_fleet_has_hours(job))
		return 0;
	return (double)ns / (double)job->wall_ns * (double)job->device_count * 24;
}

void tc_fleet_add(struct tc_fleet_sums *sums, const struct tc_fleet_job *job)
{
	sums->job_count++;
	sums->trace_count += job->trace_count;
	if (!tc_fleet_has_hours(job))
		return;
	sums->device_count = tc_add_saturated(sums->device_count, job->device_count);
	sums->all += tc_fleet_hours(job, job->wall_ns);
	sums->idle += tc_fleet_hours(job, job->idle_ns);
	sums->lost += tc_fleet_hours(job, job->lost_ns);
	sums->won += tc_fleet_hours(job, job->gain_ns);
}

/* The number of a text. The context keeps the failure. */
static uint32_t intern(struct tc_fleet *fleet, struct tc_text text)
{
	uint32_t number = tc_strtab_intern(&fleet->texts, text);

	if (number == TC_STRTAB_NONE)
		tc_strtab_fail(&fleet->texts, fleet->ctx);
	return number;
}

/* The same; no number for "". */
static uint32_t intern_if(struct tc_fleet *fleet, struct tc_text text)
{
	return text.len == 0 ? TC_STRTAB_NONE : intern(fleet, text);
}

static struct tc_text name_of(struct tc_text path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.ptr[i - 1] == '/')
			return (struct tc_text){path.ptr + i, path.len - i};
	return path;
}

static void take_job(struct tc_fleet *fleet, struct tc_fleet_side *side, const struct tc_rows *rows)
{
	struct tc_fleet_job job = {.id = tc_rows_int(rows, 0),
		.is_done = tc_text_equal(tc_rows_text(rows, 2), TC_TEXT("done")),
		.trace_count = tc_rows_int(rows, 4),
		.failed_count = tc_rows_int(rows, 5),
		.device_count = tc_rows_int(rows, 6),
		.blind_count = tc_rows_int(rows, 7),
		.is_judged = tc_rows_int(rows, 9) != 0,
		.path = intern(fleet, tc_rows_text(rows, 1)),
		.name = intern(fleet, name_of(tc_rows_text(rows, 1))),
		.reason = intern_if(fleet, tc_rows_text(rows, 3)),
		.device = intern_if(fleet, tc_rows_text(rows, 8)),
		.vendor = intern_if(fleet, tc_rows_text(rows, 10)),
		.rank_count = tc_rows_int(rows, 11),
		.fix = TC_STRTAB_NONE};

	TC_PUSH(fleet->ctx, side->jobs, side->job_count, side->job_capacity, job);
}

static void load_jobs(struct tc_fleet *fleet, struct tc_fleet_side *side)
{
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(side->index), job_sql);

	while (tc_rows_next(&rows))
		take_job(fleet, side, &rows);
}

static int64_t at_least(int64_t value, int64_t least)
{
	return value > least ? value : least;
}

static void take_metrics(struct tc_fleet_job *job, const struct tc_metric_set *run)
{
	bool computes = run->cells[TC_METRIC_COMPUTE_BUSY].present;

	job->has_device = tc_metric(run, TC_METRIC_HAS_DEVICE) != 0;
	job->device_count = at_least(job->device_count, tc_metric(run, TC_METRIC_DEVICE_COUNT));
	job->wall_ns = tc_metric(run, TC_METRIC_WALL);
	job->idle_ns = tc_view_idle_ns(run);
	job->lost_ns = computes ? at_least(job->wall_ns - tc_metric(run, TC_METRIC_COMPUTE_BUSY), 0)
				: job->idle_ns;
}

/* Both are ordered by job. */
static void load_metrics(struct tc_fleet *fleet, struct tc_fleet_side *side)
{
	struct tc_metric_set run = {0};
	size_t at = 0;
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(side->index), metric_sql);

	while (at < side->job_count && tc_rows_next(&rows)) {
		while (at < side->job_count && side->jobs[at].id != tc_rows_int(&rows, 0)) {
			take_metrics(&side->jobs[at++], &run);
			run = (struct tc_metric_set){0};
		}
		tc_metrics_take(&run, &rows, 1);
	}
	if (at < side->job_count)
		take_metrics(&side->jobs[at], &run);
	tc_rows_close(&rows);
}

static void load_steps(struct tc_fleet *fleet, struct tc_fleet_side *side)
{
	size_t at = 0;
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(side->index), steps_sql);

	while (tc_rows_next(&rows)) {
		while (at < side->job_count && side->jobs[at].id != tc_rows_int(&rows, 0))
			at++;
		if (at == side->job_count)
			continue;
		side->jobs[at].steps = tc_spread_of(&rows, 1);
	}
}

static void take_fired(struct tc_fleet *fleet, struct tc_fleet_side *side, struct tc_fleet_job *job,
	const struct tc_rows *rows)
{
	const struct tc_fleet_fired row = {
		.heuristic = intern(fleet, tc_rows_text(rows, 1)), .gain_ns = tc_rows_int(rows, 2)};

	TC_PUSH(fleet->ctx, side->fired, side->fired_count, side->fired_capacity, row);
	if (tc_rows_int(rows, 3)) {
		job->fix = row.heuristic;
		job->gain_ns = row.gain_ns;
	}
	job->fired_count++;
}

static void load_fired(struct tc_fleet *fleet, struct tc_fleet_side *side)
{
	size_t at = 0;
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(side->index), fired_sql);

	while (tc_rows_next(&rows)) {
		while (at < side->job_count && side->jobs[at].id != tc_rows_int(&rows, 0))
			at++;
		if (at == side->job_count)
			break;
		if (side->jobs[at].fired_count == 0)
			side->jobs[at].first_fired = side->fired_count;
		take_fired(fleet, side, &side->jobs[at], &rows);
	}
	tc_rows_close(&rows);
}

static void load_batch(struct tc_fleet *fleet, struct tc_fleet_side *side)
{
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(side->index),
		"SELECT program_version, settings_hash FROM batch");

	if (tc_rows_next(&rows)) {
		side->version = intern_if(fleet, tc_rows_text(&rows, 0));
		side->settings_hash = tc_rows_int(&rows, 1);
	}
	tc_rows_close(&rows);
}

void tc_fleet_load(struct tc_fleet *fleet, enum tc_compare_index index)
{
	struct tc_fleet_side *side = &fleet->sides[index];

	load_batch(fleet, side);
	load_jobs(fleet, side);
	load_metrics(fleet, side);
	load_steps(fleet, side);
	load_fired(fleet, side);
}

void tc_fleet_clear(struct tc_fleet *fleet)
{
	for (int i = 0; i < TC_COMPARE_SIDES; i++) {
		tc_free(fleet->sides[i].jobs);
		tc_free(fleet->sides[i].fired);
	}
	tc_free(fleet->advice);
	tc_arena_clear(&fleet->arena);
	tc_strtab_clear(&fleet->texts);
}

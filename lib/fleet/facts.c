/* The facts of a report: jobs, their numbers and their fixes from one index or two, the changes
 * between these, and advice over all jobs. */
#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "fleet/report.h"
#include "report/compare/compare.h"
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
	" max(t.world_size) FILTER (WHERE t.world_size BETWEEN 1 AND 1 << 24),"
	" j.id IN (SELECT t.job_id" TC_FROM_DAMAGE ")"
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
	return job->is_judged && job->wall_ns > 0;
}

int64_t tc_fleet_step_ns(const struct tc_fleet_job *job)
{
	return tc_compare_mean(job->steps.sum_ns, job->steps.count);
}

double tc_fleet_hours(const struct tc_fleet_job *job, int64_t ns)
{
	if (!tc_fleet_has_hours(job))
		return 0;
	return (double)ns / (double)job->wall_ns * (double)job->device_count * 24;
}

/* The number of a text; none for "". */
static uint32_t intern_if(struct tc_fleet *fleet, struct tc_text text)
{
	return text.len == 0 ? TC_STRTAB_NONE : tc_strtab_intern(&fleet->texts, text);
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
		.path = tc_strtab_intern(&fleet->texts, tc_rows_text(rows, 1)),
		.name = tc_strtab_intern(&fleet->texts, name_of(tc_rows_text(rows, 1))),
		.reason = intern_if(fleet, tc_rows_text(rows, 3)),
		.device = intern_if(fleet, tc_rows_text(rows, 8)),
		.vendor = intern_if(fleet, tc_rows_text(rows, 10)),
		.rank_count = tc_rows_int(rows, 11),
		.is_damaged = tc_rows_int(rows, 12) != 0,
		.best = {.heuristic = TC_STRTAB_NONE}};

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

	job->is_judged &= tc_metric(run, TC_METRIC_HAS_DEVICE) != 0;
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
		.heuristic = tc_strtab_intern(&fleet->texts, tc_rows_text(rows, 1)),
		.gain_ns = tc_rows_int(rows, 2)};

	TC_PUSH(fleet->ctx, side->fired, side->fired_count, side->fired_capacity, row);
	if (tc_rows_int(rows, 3))
		job->best = row;
	job->fired.count++;
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
		if (side->jobs[at].fired.count == 0)
			side->jobs[at].fired.first = side->fired_count;
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

static void load_side(struct tc_fleet *fleet, enum tc_compare_index index)
{
	struct tc_fleet_side *side = &fleet->sides[index];

	load_batch(fleet, side);
	load_jobs(fleet, side);
	load_metrics(fleet, side);
	load_steps(fleet, side);
	load_fired(fleet, side);
}

/* ---- Changes. Two jobs are the same when their paths are equal, or else when the last components
 * are equal and no other job of either index has that name: a run that was moved keeps its name. */

#define NONE SIZE_MAX

/* By number of a text: jobs with that path or name. */
struct use {
	size_t before;                    /* the last earlier job */
	size_t before_count, after_count; /* jobs with that name */
};

static void match_paths(struct tc_fleet *fleet, struct use *uses, bool *taken)
{
	const struct tc_fleet_side *before = &fleet->sides[TC_BEFORE];
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];

	for (size_t i = 0; i < fleet->texts.count; i++)
		uses[i].before = NONE;
	for (size_t i = 0; i < before->job_count; i++)
		uses[before->jobs[i].path].before = i;
	for (size_t i = 0; i < after->job_count; i++) {
		fleet->changes[i].before = uses[after->jobs[i].path].before;
		if (fleet->changes[i].before != NONE)
			taken[fleet->changes[i].before] = true;
	}
}

static void match_names(struct tc_fleet *fleet, struct use *uses, bool *taken)
{
	const struct tc_fleet_side *before = &fleet->sides[TC_BEFORE];
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];

	for (size_t i = 0; i < before->job_count; i++) {
		uses[before->jobs[i].name].before = i;
		uses[before->jobs[i].name].before_count++;
	}
	for (size_t i = 0; i < after->job_count; i++)
		uses[after->jobs[i].name].after_count++;
	for (size_t i = 0; i < after->job_count; i++) {
		const struct use *use = &uses[after->jobs[i].name];
		if (fleet->changes[i].before != NONE || use->before_count != 1 ||
			use->after_count != 1 || taken[use->before])
			continue;
		fleet->changes[i].before = use->before;
		taken[use->before] = true;
	}
}

static void match(struct tc_fleet *fleet)
{
	size_t before_count = fleet->sides[TC_BEFORE].job_count;
	size_t after_count = fleet->sides[TC_AFTER].job_count;
	struct use *uses = tc_arena_take(&fleet->arena, fleet->texts.count, sizeof(*uses));
	bool *taken = tc_arena_take(&fleet->arena, before_count, sizeof(*taken));

	TC_ARENA(&fleet->arena, fleet->changes, after_count);
	if (tc_ctx_failed(fleet->ctx))
		return;
	match_paths(fleet, uses, taken);
	match_names(fleet, uses, taken);
	fleet->gone_count = before_count;
	for (size_t i = 0; i < before_count; i++)
		fleet->gone_count -= taken[i];
}

static struct tc_site site_of(const struct tc_fleet *fleet, const struct tc_fleet_job *job)
{
	uint32_t device = job->device == job->vendor ? TC_STRTAB_NONE : job->device;

	return (struct tc_site){tc_fleet_text(fleet, job->vendor), tc_fleet_text(fleet, device),
		job->rank_count, 0};
}

void tc_fleet_append_reason(struct tc_buf *buf, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_change *change = &fleet->changes[index];

	if (change->before == NONE || !change->result.is_other_work)
		return;
	const struct tc_site before = site_of(fleet, &fleet->sides[TC_BEFORE].jobs[change->before]),
			     after = site_of(fleet, &fleet->sides[TC_AFTER].jobs[index]);
	tc_site_is_other(&before, &after, false, buf);
}

static void count_judged(struct tc_fleet *fleet, const struct tc_compare_result *result)
{
	struct tc_fleet_report_result *counts = &fleet->result;
	size_t *count = result->outcome == TC_COMPARE_DAMAGED      ? &counts->damaged_count
			: result->outcome == TC_COMPARE_OTHER_WORK ? &counts->other_work_count
			: result->judged                           ? &counts->judged_count
								   : &counts->unjudged_count;

	++*count;
	if (count == &counts->judged_count && result->outcome == TC_COMPARE_SLOWER &&
		result->difference_pct > counts->slower_pct)
		counts->slower_pct = result->difference_pct;
}

/* Decides as compare does, but from steps, devices, ranks and damage alone. A damaged job may have
 * lost its steps. */
static void judge(struct tc_fleet *fleet, size_t index)
{
	struct tc_fleet_change *change = &fleet->changes[index];
	struct tc_compare compare = {
		.by_step = true, .unit = TC_UNIT_STEP, .anyway = fleet->options->anyway};

	if (change->before == NONE)
		return;
	const struct tc_fleet_job *jobs[] = {
		&fleet->sides[TC_BEFORE].jobs[change->before], &fleet->sides[TC_AFTER].jobs[index]};
	const struct tc_site before = site_of(fleet, jobs[TC_BEFORE]),
			     after = site_of(fleet, jobs[TC_AFTER]);
	bool is_damaged = false;
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		compare.sides[side].batch = 1;
		compare.sides[side].steps = jobs[side]->steps;
		compare.result.damaged[side] = jobs[side]->is_damaged;
		is_damaged |= jobs[side]->is_damaged;
	}
	change->has_steps = compare.sides[TC_BEFORE].steps.sum_ns > 0 &&
			    compare.sides[TC_AFTER].steps.sum_ns > 0;
	if (change->has_steps) {
		compare.result.is_other_work = tc_site_is_other(&before, &after, false, NULL);
		tc_compare_judge(&compare);
	} else if (is_damaged && !compare.anyway) {
		compare.result.outcome = TC_COMPARE_DAMAGED;
	}
	change->result = compare.result;
	count_judged(fleet, &change->result);
}

static void take_heuristic(struct tc_fleet *fleet, const struct tc_rows *rows)
{
	uint32_t name = tc_strtab_intern(&fleet->texts, tc_rows_text(rows, 0));
	uint32_t title = tc_strtab_intern(&fleet->texts, tc_rows_text(rows, 1));

	for (size_t i = 0; i < fleet->advice_count; i++)
		if (fleet->advice[i].heuristic == name)
			return;
	TC_PUSH(fleet->ctx, fleet->advice, fleet->advice_count, fleet->advice_capacity,
		(struct tc_fleet_advice){.heuristic = name, .title = title});
}

static void load_heuristics(struct tc_fleet *fleet, enum tc_compare_index side)
{
	if (!fleet->sides[side].index)
		return;
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(fleet->sides[side].index),
		"SELECT name, title FROM heuristic WHERE kind = 'fix' ORDER BY id");
	while (tc_rows_next(&rows))
		take_heuristic(fleet, &rows);
}

static const struct tc_fleet_fired *find_fired(
	const struct tc_fleet_side *side, const struct tc_fleet_job *job, uint32_t heuristic)
{
	for (size_t i = 0; i < job->fired.count; i++)
		if (side->fired[job->fired.first + i].heuristic == heuristic)
			return &side->fired[job->fired.first + i];
	return NULL;
}

static void add_job(struct tc_fleet_advice *advice, const struct tc_fleet_job *job, size_t index,
	const struct tc_fleet_fired *fired)
{
	double hours = tc_fleet_hours(job, fired->gain_ns);

	advice->hours += hours;
	if (advice->job_count++ == 0 || hours > advice->most_hours) {
		advice->most = index;
		advice->most_hours = hours;
	}
}

/* Counts changes in jobs that were read both times. A finding is not called gone when more
 * heuristics were not applicable than before, or a part of the recording was lost. */
static void add_change(struct tc_fleet *fleet, struct tc_fleet_advice *advice, size_t index)
{
	const struct tc_fleet_side *sides = fleet->sides;
	const struct tc_fleet_job *after = &sides[TC_AFTER].jobs[index];
	size_t place = fleet->changes ? fleet->changes[index].before : NONE;

	if (place == NONE || !after->is_done || !sides[TC_BEFORE].jobs[place].is_done)
		return;
	const struct tc_fleet_job *before = &sides[TC_BEFORE].jobs[place];
	bool is_there = find_fired(&sides[TC_AFTER], after, advice->heuristic) != NULL;
	bool was_there = find_fired(&sides[TC_BEFORE], before, advice->heuristic) != NULL;
	if (is_there && !was_there && advice->new_count++ == 0)
		advice->new_job = index;
	if (is_there || !was_there)
		return;
	if (after->blind_count > before->blind_count || after->is_damaged)
		advice->unsure_count++;
	else if (advice->gone_count++ == 0)
		advice->gone_job = index;
}

TC_ORDER(
	compare_advice, struct tc_fleet_advice, TC_DOWN(hours) TC_DOWN(job_count) TC_UP(heuristic));

static void sum_advice(struct tc_fleet *fleet)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];

	load_heuristics(fleet, TC_AFTER);
	load_heuristics(fleet, TC_BEFORE);
	for (size_t i = 0; i < fleet->advice_count && !tc_ctx_failed(fleet->ctx); i++) {
		for (size_t k = 0; k < after->job_count; k++) {
			const struct tc_fleet_fired *fired =
				find_fired(after, &after->jobs[k], fleet->advice[i].heuristic);
			if (fired)
				add_job(&fleet->advice[i], &after->jobs[k], k, fired);
			add_change(fleet, &fleet->advice[i], k);
		}
	}
	TC_SORT(fleet->advice, fleet->advice_count, compare_advice);
}

static void find_worst(struct tc_fleet *fleet)
{
	struct tc_fleet_report_result *result = &fleet->result;
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(fleet->sides[TC_AFTER].index),
		"SELECT DISTINCT severity FROM finding");

	while (tc_rows_next(&rows)) {
		struct tc_text word = tc_rows_text(&rows, 0);
		for (int i = TC_SEVERITY_INFO; i <= TC_SEVERITY_HIGH; i++) {
			enum tc_severity severity = (enum tc_severity)i;
			if (!tc_text_equal(word, tc_text_from(tc_severity_name(severity))))
				continue;
			if (!result->has_finding || severity > result->worst)
				result->worst = severity;
			result->has_finding = true;
		}
	}
}

void tc_fleet_load(struct tc_fleet *fleet)
{
	load_side(fleet, TC_AFTER);
	if (fleet->sides[TC_BEFORE].index)
		load_side(fleet, TC_BEFORE);
	find_worst(fleet);
	fleet->result.fault_count =
		tc_rows_single(fleet->ctx, tc_store_db(fleet->sides[TC_AFTER].index),
			"SELECT count(*) FROM trace WHERE fault_count > 0", 0);
	for (size_t i = 0; i < fleet->sides[TC_AFTER].job_count; i++)
		fleet->result.has_judged |= tc_fleet_has_hours(&fleet->sides[TC_AFTER].jobs[i]);
	if (fleet->sides[TC_BEFORE].index && !tc_ctx_failed(fleet->ctx)) {
		match(fleet);
		for (size_t i = 0;
			!tc_ctx_failed(fleet->ctx) && i < fleet->sides[TC_AFTER].job_count; i++)
			judge(fleet, i);
	}
	sum_advice(fleet);
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

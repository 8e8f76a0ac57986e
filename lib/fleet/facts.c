/* The facts of a report: jobs, their numbers and their fixes from one index or two, the changes
 * between these, the steps over several nights, and advice over all jobs. */
#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "core/saturate.h"
#include "fleet/report.h"
#include "names/run.h"
#include "report/compare/compare.h"
#include "report/text/format.h"
#include "store/connection.h"
#include "store/sql.h"

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
	" j.id IN (SELECT t.job_id" TC_FROM_DAMAGE "), coalesce(j.owner, ''),"
	" coalesce(j.revision, ''), coalesce(j.price, -1), (?1 IS NULL OR j.owner IS ?1) AND"
	" (?2 IS NULL OR EXISTS (SELECT 1 FROM trace p WHERE p.id = j.pace_trace_id"
	"  AND instr(lower(coalesce(p.device_name, p.vendor)), lower(?2)) > 0))"
	" FROM job j LEFT JOIN trace t ON t.job_id = j.id GROUP BY j.id ORDER BY j.id";

static const char metric_sql[] = "SELECT j.id, m.name, m.value FROM job j JOIN trace_metric m"
				 " ON m.trace_id = j.pace_trace_id ORDER BY j.id";

/* Steps of the trace that stands for the job. */
static const char steps_sql[] =
	"SELECT j.id, max(iif(m.name = 'steady_step_count', m.value, NULL)),"
	" max(iif(m.name = 'steady_step_sum_ns', m.value, NULL)),"
	" max(iif(m.name = 'steady_step_min_ns', m.value, NULL)),"
	" max(iif(m.name = 'steady_step_lower_quartile_ns', m.value, NULL)),"
	" max(iif(m.name = 'steady_step_median_ns', m.value, NULL)),"
	" max(iif(m.name = 'steady_step_upper_quartile_ns', m.value, NULL)),"
	" max(iif(m.name = 'steady_step_max_ns', m.value, NULL)),"
	" coalesce(max(iif(m.name = 'steady_step_first_ns', m.value, NULL)), -1)"
	" FROM job j JOIN trace_metric m ON m.trace_id = j.pace_trace_id"
	" WHERE substr(m.name, 1, 12) = 'steady_step_' GROUP BY j.id ORDER BY j.id";

/* Traces of ranks with steps; of a job without steps all that were read. */
static const char ranks_sql[] =
	"WITH stepping AS (SELECT t.id, t.job_id FROM trace t JOIN trace_metric m"
	"  ON m.trace_id = t.id WHERE m.name = 'steady_step_count' AND m.value > 0)"
	" SELECT job_id, rank, path FROM trace WHERE state = 'done' AND (id IN (SELECT id FROM"
	" stepping) OR job_id NOT IN (SELECT job_id FROM stepping)) ORDER BY job_id";

/* Fixes of the trace that stands for the job, with a gain; the best one is marked. */
static const char fired_sql[] =
	"SELECT t.job_id, h.name, max(iif(t.id = j.pace_trace_id, f.gain_ns, NULL)),"
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

double tc_fleet_change_hours(const struct tc_fleet_job *job, const struct tc_fleet_change *change)
{
	double now = (double)change->step_ns[TC_AFTER];

	return now > 0 ? (now - (double)change->step_ns[TC_BEFORE]) / now *
				 (double)job->device_count * 24
		       : 0;
}

double tc_fleet_cost(const struct tc_fleet_job *job, double hours)
{
	return job->notes.price > 0 ? job->notes.price * hours : 0;
}

/* The number of a text; none for "". */
static uint32_t intern_if(struct tc_fleet *fleet, struct tc_text text)
{
	return text.len == 0 ? TC_STRTAB_NONE : tc_strtab_intern(&fleet->texts, text);
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
		.name = tc_strtab_intern(&fleet->texts, tc_text_last_part(tc_rows_text(rows, 1))),
		.reason = intern_if(fleet, tc_rows_text(rows, 3)),
		.device = intern_if(fleet, tc_rows_text(rows, 8)),
		.vendor = intern_if(fleet, tc_rows_text(rows, 10)),
		.rank_count = tc_rows_int(rows, 11),
		.is_damaged = tc_rows_int(rows, 12) != 0,
		.notes.owner = intern_if(fleet, tc_rows_text(rows, 13)),
		.notes.revision = intern_if(fleet, tc_rows_text(rows, 14)),
		.notes.price = tc_rows_real(rows, 15),
		.notes.is_asked = tc_rows_int(rows, 16) != 0,
		.best = {.heuristic = TC_STRTAB_NONE}};

	/* Whose a job was before, and on what it ran, does not matter for what it is now. */
	if (job.notes.is_asked || side != &fleet->sides[TC_AFTER])
		TC_PUSH(fleet->ctx, side->jobs, side->job_count, side->job_capacity, job);
}

static void load_jobs(struct tc_fleet *fleet, struct tc_fleet_side *side)
{
	struct tc_rows rows = tc_rows_prepare(fleet->ctx, tc_store_db(side->index), job_sql);

	if (fleet->input->owner)
		tc_rows_bind_text(&rows, 1, tc_text_from(fleet->input->owner));
	if (fleet->input->device)
		tc_rows_bind_text(&rows, 2, tc_text_from(fleet->input->device));
	while (tc_rows_next(&rows))
		take_job(fleet, side, &rows);
	tc_rows_close(&rows);
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
	job->run_ns = tc_sub_saturated(job->wall_ns, tc_metric(run, TC_METRIC_START_AND_END));
	job->idle_ns = tc_view_idle_ns(run);
	job->lost_ns = computes ? at_least(job->wall_ns - tc_metric(run, TC_METRIC_COMPUTE_BUSY), 0)
				: tc_add_saturated(job->idle_ns,
					  tc_sub_saturated(job->wall_ns, job->run_ns));
}

/* Both are ordered by job; rows may be of jobs that are not chosen. */
static void load_metrics(struct tc_fleet *fleet, struct tc_fleet_side *side)
{
	struct tc_metric_set run = {0};
	size_t at = 0;
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(side->index), metric_sql);

	while (at < side->job_count && tc_rows_next(&rows)) {
		while (at < side->job_count && side->jobs[at].id < tc_rows_int(&rows, 0)) {
			take_metrics(&side->jobs[at++], &run);
			run = (struct tc_metric_set){0};
		}
		if (at < side->job_count && side->jobs[at].id == tc_rows_int(&rows, 0))
			tc_metrics_take(&run, &rows, 1);
	}
	if (at < side->job_count)
		take_metrics(&side->jobs[at], &run);
	tc_rows_close(&rows);
}

/* The job of the row, or NULL; rows and jobs are both ordered by job, and *at is where to go on. */
static struct tc_fleet_job *job_of_row(
	const struct tc_fleet_side *side, size_t *at, const struct tc_rows *row)
{
	while (*at < side->job_count && side->jobs[*at].id < tc_rows_int(row, 0))
		++*at;
	return *at < side->job_count && side->jobs[*at].id == tc_rows_int(row, 0) ? &side->jobs[*at]
										  : NULL;
}

static void load_steps(struct tc_fleet *fleet, struct tc_fleet_side *side)
{
	size_t at = 0;
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(side->index), steps_sql);

	while (tc_rows_next(&rows)) {
		struct tc_fleet_job *job = job_of_row(side, &at, &rows);
		if (job)
			job->steps = tc_spread_of(&rows, 1);
	}
}

/* Some profilers record no rank, and then the names of files may have it. */
static void load_ranks(struct tc_fleet *fleet, struct tc_fleet_side *side)
{
	size_t at = 0;
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(side->index), ranks_sql);

	while (tc_rows_next(&rows)) {
		struct tc_fleet_job *job = job_of_row(side, &at, &rows);
		int64_t rank = tc_rows_null(&rows, 1) ? tc_run_rank(tc_rows_text(&rows, 2))
						      : tc_rows_int(&rows, 1);
		if (!job || rank < 0)
			continue;
		if (job->ranks.count++ == 0)
			job->ranks.first = side->rank_count;
		TC_PUSH(fleet->ctx, side->ranks, side->rank_count, side->rank_capacity, rank);
	}
	for (size_t i = 0; i < side->job_count && !tc_ctx_failed(fleet->ctx); i++) {
		const struct tc_fleet_range *ranks = &side->jobs[i].ranks;
		if (ranks->count > 0)
			TC_SORT(side->ranks + ranks->first, ranks->count, tc_compare_numbers);
	}
}

static void take_fired(struct tc_fleet *fleet, struct tc_fleet_side *side, struct tc_fleet_job *job,
	const struct tc_rows *rows)
{
	const struct tc_fleet_fired row = {
		.heuristic = tc_strtab_intern(&fleet->texts, tc_rows_text(rows, 1)),
		.has_gain = !tc_rows_null(rows, 2),
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
		struct tc_fleet_job *job = job_of_row(side, &at, &rows);
		if (!job)
			continue;
		if (job->fired.count == 0)
			job->fired.first = side->fired_count;
		take_fired(fleet, side, job, &rows);
	}
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

static void load_times(struct tc_fleet *fleet, struct tc_fleet_side *side)
{
	load_batch(fleet, side);
	load_jobs(fleet, side);
	load_metrics(fleet, side);
	load_steps(fleet, side);
	load_ranks(fleet, side);
}

static void clear_side(struct tc_fleet_side *side)
{
	tc_free(side->jobs);
	tc_free(side->fired);
	tc_free(side->ranks);
}

static void load_side(struct tc_fleet *fleet, enum tc_compare_index index)
{
	struct tc_fleet_side *side = &fleet->sides[index];

	load_times(fleet, side);
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

/* The matching of two sides. */
struct matching {
	const struct tc_fleet_side *before, *after;
	struct tc_fleet_change *changes;
	struct use *uses;
	bool *taken; /* by earlier job */
	size_t text_count;
};

static void take(const struct matching *matching, size_t after, size_t before)
{
	matching->changes[after].before = before;
	if (before != NONE)
		matching->taken[before] = true;
}

static void match_paths(const struct matching *matching)
{
	const struct tc_fleet_side *before = matching->before, *after = matching->after;

	for (size_t i = 0; i < matching->text_count; i++)
		matching->uses[i].before = NONE;
	for (size_t i = 0; i < before->job_count; i++)
		matching->uses[before->jobs[i].path].before = i;
	for (size_t i = 0; i < after->job_count; i++)
		take(matching, i, matching->uses[after->jobs[i].path].before);
}

static void match_names(const struct matching *matching)
{
	const struct tc_fleet_side *before = matching->before, *after = matching->after;
	struct use *uses = matching->uses;

	for (size_t i = 0; i < before->job_count; i++) {
		uses[before->jobs[i].name].before = i;
		uses[before->jobs[i].name].before_count++;
	}
	for (size_t i = 0; i < after->job_count; i++)
		uses[after->jobs[i].name].after_count++;
	for (size_t i = 0; i < after->job_count; i++) {
		const struct use *use = &uses[after->jobs[i].name];
		if (matching->changes[i].before == NONE && use->before_count == 1 &&
			use->after_count == 1 && !matching->taken[use->before])
			take(matching, i, use->before);
	}
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

/* A job of one side, and the ranks of that side. */
struct ranked {
	const struct tc_fleet_job *job;
	const int64_t *ranks;
};

/* Whether a rank, or all of the job, could be read on the other side alone. The rank that sets the
 * pace is known only among those that were read. Where no ranks are known, as of several recordings
 * of one host, only a file that cannot be read tells. */
static bool lacks_ranks(const struct ranked *side, const struct ranked *other_side)
{
	const struct tc_fleet_job *job = side->job, *other = other_side->job;
	size_t at = 0;

	for (size_t i = 0; i < other->ranks.count; i++) {
		int64_t rank = other_side->ranks[other->ranks.first + i];
		while (at < job->ranks.count && side->ranks[job->ranks.first + at] < rank)
			at++;
		if (at == job->ranks.count || side->ranks[job->ranks.first + at] != rank)
			return true;
	}
	return other->ranks.count == 0 && job->failed_count > 0 &&
	       job->trace_count < other->trace_count;
}

static void leave_first(struct tc_compare *compare)
{
	struct tc_compared *sides = compare->sides;

	if (!tc_compare_leaves_first(&sides[TC_BEFORE].steps, &sides[TC_AFTER].steps))
		return;
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		struct tc_spread *steps = &sides[side].steps;
		if (steps->first_ns < 0)
			continue;
		steps->count--;
		steps->sum_ns -= steps->first_ns;
	}
}

/* Decides as compare does, but from steps, devices, ranks and damage alone. A damaged job may have
 * lost its steps. */
static void judge(struct tc_fleet_change *change, const struct tc_fleet *fleet,
	const struct ranked sides[TC_COMPARE_SIDES])
{
	struct tc_compare compare = {
		.by_step = true, .unit = TC_UNIT_STEP, .anyway = fleet->options->anyway};
	const struct tc_site before = site_of(fleet, sides[TC_BEFORE].job),
			     after = site_of(fleet, sides[TC_AFTER].job);
	bool is_damaged = false;

	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		compare.sides[side].batch = 1;
		compare.sides[side].steps = sides[side].job->steps;
		compare.result.damaged[side] =
			sides[side].job->is_damaged || lacks_ranks(&sides[side], &sides[!side]);
		is_damaged |= compare.result.damaged[side];
	}
	change->has_steps = compare.sides[TC_BEFORE].steps.sum_ns > 0 &&
			    compare.sides[TC_AFTER].steps.sum_ns > 0;
	if (change->has_steps) {
		compare.result.is_other_work = tc_site_is_other(&before, &after, false, NULL);
		leave_first(&compare);
		tc_compare_judge(&compare);
		for (int side = 0; side < TC_COMPARE_SIDES; side++)
			change->step_ns[side] = compare.by_median
							? compare.sides[side].steps.median_ns
							: compare.mean_ns[side];
	} else if (is_damaged && !compare.anyway) {
		compare.result.outcome = TC_COMPARE_DAMAGED;
	}
	change->result = compare.result;
}

/* The changes since an earlier side, by job: an array that lives as long as the arena; NULL where
 * memory is out. */
static struct tc_fleet_change *find_changes(
	const struct tc_fleet *fleet, const struct tc_fleet_side *before, struct tc_arena *arena)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];
	struct matching matching = {
		.before = before, .after = after, .text_count = fleet->texts.count};

	TC_ARENA(arena, matching.changes, after->job_count);
	TC_ARENA(arena, matching.uses, matching.text_count);
	TC_ARENA(arena, matching.taken, before->job_count);
	if (tc_ctx_failed(fleet->ctx))
		return NULL;
	match_paths(&matching);
	match_names(&matching);
	for (size_t i = 0; i < after->job_count; i++) {
		struct tc_fleet_change *change = &matching.changes[i];
		const struct ranked sides[] = {
			{change->before == NONE ? NULL : &before->jobs[change->before],
				before->ranks},
			{&after->jobs[i], after->ranks}};
		if (change->before != NONE)
			judge(change, fleet, sides);
	}
	return matching.changes;
}

static void count_judged(struct tc_fleet *fleet, struct tc_fleet_change *change)
{
	const struct tc_compare_result *result = &change->result;
	struct tc_fleet_report_result *counts = &fleet->result;
	size_t *count = result->outcome == TC_COMPARE_DAMAGED      ? &counts->damaged_count
			: result->outcome == TC_COMPARE_OTHER_WORK ? &counts->other_work_count
			: result->judged                           ? &counts->judged_count
								   : &counts->unjudged_count;

	++*count;
	if (count != &counts->judged_count || result->outcome != TC_COMPARE_SLOWER)
		return;
	if (result->difference_pct > counts->slower_pct)
		counts->slower_pct = result->difference_pct;
	change->has_failed = fleet->input->slower.is_given && result->difference_pct > 0 &&
			     result->difference_pct >= fleet->input->slower.pct;
	counts->slower_count += change->has_failed;
}

static void count_changes(struct tc_fleet *fleet)
{
	const struct tc_fleet_side *before = &fleet->sides[TC_BEFORE];

	for (size_t i = 0; i < before->job_count; i++)
		fleet->gone_count += before->jobs[i].notes.is_asked;
	for (size_t i = 0; i < fleet->sides[TC_AFTER].job_count; i++) {
		const size_t place = fleet->changes[i].before;
		if (place == NONE)
			continue;
		fleet->gone_count -= before->jobs[place].notes.is_asked;
		count_judged(fleet, &fleet->changes[i]);
	}
}

/* ---- The steps of jobs over several nights, an index each, and since when a job takes as long as
 * it does now. Nights are read one at a time, the latest first: a job is compared with what it was
 * in each of them, and the first one against which it is slower or faster ends its search. So a job
 * that crept for a week has the night before which it was clearly better. */

/* The name of a night, the last part of its path: the directory of an index that is called as
 * batches call it. */
static struct tc_text name_of_night(const char *path)
{
	struct tc_text text = tc_text_from(path);
	const struct tc_text file = TC_TEXT("/" TC_INDEX_NAME);

	while (text.len > 1 && text.ptr[text.len - 1] == '/')
		text.len--;
	if (text.len > file.len &&
		tc_text_equal((struct tc_text){text.ptr + text.len - file.len, file.len}, file))
		text.len -= file.len;
	return tc_text_last_part(text);
}

static const char *path_of(const struct tc_fleet *fleet, size_t night)
{
	const struct tc_fleet_report_input *input = fleet->input;

	return night < input->night_count ? input->nights[night] : input->path;
}

/* Where two nights have one name, each has its whole path. */
static void name_nights(struct tc_fleet *fleet)
{
	struct tc_fleet_trend *trend = fleet->trend;
	bool is_clear = true;

	for (size_t i = 0; i < trend->count; i++) {
		trend->nights[i] = name_of_night(path_of(fleet, i));
		for (size_t k = 0; k < i; k++)
			is_clear &= !tc_text_equal(trend->nights[i], trend->nights[k]);
	}
	for (size_t i = 0; !is_clear && i < trend->count; i++)
		trend->nights[i] = tc_text_from(path_of(fleet, i));
}

/* What a night says of a job: that it was as it is now, that it was not, or nothing. */
static void take_level(struct tc_fleet_level *level, const struct tc_fleet_change *change,
	uint32_t revision, size_t night)
{
	if (level->before != NONE || !change->has_steps || !change->result.judged ||
		change->result.outcome >= TC_COMPARE_UNLIKE)
		return;
	level->is_judged = true;
	if (change->result.outcome == TC_COMPARE_SLOWER ||
		change->result.outcome == TC_COMPARE_FASTER) {
		level->before = night;
		level->change = *change;
		level->revisions[TC_BEFORE] = revision;
	} else {
		level->since = night;
		level->revisions[TC_AFTER] = revision;
	}
}

static void take_night(struct tc_fleet *fleet, const struct tc_fleet_side *side, size_t night)
{
	struct tc_fleet_trend *trend = fleet->trend;
	struct tc_arena arena = {.ctx = fleet->ctx};
	const struct tc_fleet_change *changes = find_changes(fleet, side, &arena);

	for (size_t i = 0; changes && i < fleet->sides[TC_AFTER].job_count; i++) {
		if (changes[i].before == NONE)
			continue;
		const struct tc_fleet_job *before = &side->jobs[changes[i].before];
		trend->step_ns[i * trend->count + night] = tc_fleet_step_ns(before);
		take_level(&trend->levels[i], &changes[i], before->notes.revision, night);
	}
	tc_arena_clear(&arena);
}

static void read_night(struct tc_fleet *fleet, size_t night)
{
	struct tc_fleet_side side = {.path = path_of(fleet, night)};

	tc_index_open(&side.index, fleet->ctx, side.path);
	if (!tc_ctx_failed(fleet->ctx))
		load_times(fleet, &side);
	if (!tc_ctx_failed(fleet->ctx))
		take_night(fleet, &side, night);
	clear_side(&side);
	tc_store_close(side.index);
}

static void start_trend(struct tc_fleet *fleet)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];
	struct tc_fleet_trend *trend = fleet->trend;
	const size_t last = trend->count - 1;

	TC_ARENA(&fleet->arena, trend->nights, trend->count);
	TC_ARENA(&fleet->arena, trend->step_ns, after->job_count * trend->count);
	TC_ARENA(&fleet->arena, trend->levels, after->job_count);
	if (tc_ctx_failed(fleet->ctx))
		return;
	name_nights(fleet);
	for (size_t i = 0; i < after->job_count; i++) {
		trend->step_ns[i * trend->count + last] = tc_fleet_step_ns(&after->jobs[i]);
		trend->levels[i] = (struct tc_fleet_level){.since = last,
			.before = NONE,
			.revisions = {TC_STRTAB_NONE, after->jobs[i].notes.revision}};
	}
}

/* "day-3", with the commits of the night before and of that night where both are known. */
static void name_since(struct tc_fleet *fleet, struct tc_fleet_level *level)
{
	const struct tc_text before = tc_fleet_text(fleet, level->revisions[TC_BEFORE]),
			     after = tc_fleet_text(fleet, level->revisions[TC_AFTER]);
	struct tc_buf text = {.ctx = fleet->ctx};

	tc_buf_append_text(&text, fleet->trend->nights[level->since]);
	if (before.len > 0 && after.len > 0)
		TC_APPEND(&text, TC_TEXT(" ("), before, TC_TEXT(".."), after, TC_TEXT(")"));
	level->since_text = tc_arena_keep(&fleet->arena, &text);
}

static void load_trend(struct tc_fleet *fleet)
{
	TC_ARENA(&fleet->arena, fleet->trend, 1);
	if (tc_ctx_failed(fleet->ctx))
		return;
	fleet->trend->count = fleet->input->night_count + 1;
	start_trend(fleet);
	for (size_t night = fleet->trend->count - 1; !tc_ctx_failed(fleet->ctx) && night-- > 0;)
		read_night(fleet, night);
	for (size_t i = 0; i < fleet->sides[TC_AFTER].job_count && !tc_ctx_failed(fleet->ctx); i++)
		name_since(fleet, &fleet->trend->levels[i]);
}

void tc_fleet_append_change(struct tc_buf *buf, const struct tc_fleet *fleet, size_t index,
	const struct tc_fleet_change *change)
{
	tc_buf_format(buf, "%s a step before, %s now (%+.1f %%)",
		tc_show_ns(change->step_ns[TC_BEFORE]).text,
		tc_show_ns(change->step_ns[TC_AFTER]).text, change->result.difference_pct);
	if (fleet->trend && fleet->trend->levels[index].before != NONE)
		TC_APPEND(buf, TC_TEXT(", so since "),
			tc_text_from(fleet->trend->levels[index].since_text));
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
	bool is_there = tc_fleet_find_fired(&sides[TC_AFTER], after, advice->heuristic) != NULL;
	bool was_there = tc_fleet_find_fired(&sides[TC_BEFORE], before, advice->heuristic) != NULL;
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
			const struct tc_fleet_fired *fired = tc_fleet_find_fired(
				after, &after->jobs[k], fleet->advice[i].heuristic);
			if (fired)
				add_job(&fleet->advice[i], &after->jobs[k], k, fired);
			add_change(fleet, &fleet->advice[i], k);
		}
	}
	TC_SORT(fleet->advice, fleet->advice_count, compare_advice);
}

static void take_severity(struct tc_fleet_report_result *result, struct tc_text word)
{
	for (int i = TC_SEVERITY_INFO; i <= TC_SEVERITY_HIGH; i++) {
		enum tc_severity severity = (enum tc_severity)i;
		if (!tc_text_equal(word, tc_text_from(tc_severity_name(severity))))
			continue;
		if (!result->has_finding || severity > result->worst)
			result->worst = severity;
		result->has_finding = true;
	}
}

/* What gates decide by, of the jobs that are chosen. */
static void find_worst(struct tc_fleet *fleet)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];
	struct tc_fleet_report_result *result = &fleet->result;
	struct tc_rows rows = tc_rows_open(fleet->ctx, tc_store_db(after->index),
		"SELECT DISTINCT t.job_id, f.severity FROM finding f JOIN trace t"
		" ON t.id = f.trace_id");

	while (tc_rows_next(&rows))
		if (tc_fleet_is_chosen(after, tc_rows_int(&rows, 0)))
			take_severity(result, tc_rows_text(&rows, 1));
	rows = tc_rows_open(fleet->ctx, tc_store_db(after->index),
		"SELECT job_id FROM trace WHERE fault_count > 0");
	while (tc_rows_next(&rows))
		result->fault_count += tc_fleet_is_chosen(after, tc_rows_int(&rows, 0));
	for (size_t i = 0; i < after->job_count; i++) {
		result->has_judged |= tc_fleet_has_hours(&after->jobs[i]);
		fleet->has_prices |= after->jobs[i].notes.price >= 0;
	}
}

void tc_fleet_load(struct tc_fleet *fleet)
{
	load_side(fleet, TC_AFTER);
	if (fleet->sides[TC_AFTER].job_count == 0 && (fleet->input->owner || fleet->input->device))
		tc_fail(fleet->ctx, TC_ERR_USAGE,
			"%s: no job%s%s%s%s%s: --format csv lists the owners and devices of all",
			fleet->sides[TC_AFTER].path, fleet->input->owner ? " of owner '" : "",
			fleet->input->owner ? fleet->input->owner : "",
			fleet->input->owner ? "'" : "", fleet->input->device ? " on " : "",
			fleet->input->device ? fleet->input->device : "");
	if (fleet->sides[TC_BEFORE].index)
		load_side(fleet, TC_BEFORE);
	find_worst(fleet);
	if (fleet->sides[TC_BEFORE].index)
		fleet->changes = find_changes(fleet, &fleet->sides[TC_BEFORE], &fleet->arena);
	if (fleet->changes)
		count_changes(fleet);
	if (fleet->input->night_count > 0 && !tc_ctx_failed(fleet->ctx))
		load_trend(fleet);
	sum_advice(fleet);
}

void tc_fleet_clear(struct tc_fleet *fleet)
{
	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		clear_side(&fleet->sides[i]);
	tc_free(fleet->advice);
	tc_arena_clear(&fleet->arena);
	tc_strtab_clear(&fleet->texts);
}

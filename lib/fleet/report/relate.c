/*
 * Changes between two indexes, and advice over all jobs; see facts.h. Two jobs are the same when
 * their paths are equal, or else when the last components are equal and no other job of either
 * index has that name: a run that was moved keeps its name.
 */

#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "fleet/report/facts.h"
#include "report/compare/compare.h"
#include "report/view/rows.h"
#include "store/connection.h"

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
	if (tc_arena_status(&fleet->arena, fleet->ctx))
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

/* Decides as compare does, but from steps, devices and ranks alone. */
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
	for (int side = 0; side < TC_COMPARE_SIDES; side++) {
		compare.sides[side].batch = 1;
		compare.sides[side].steps = jobs[side]->steps;
	}
	compare.result.is_other_work = tc_site_is_other(&before, &after, false);
	change->has_steps = compare.sides[TC_BEFORE].steps.sum_ns > 0 &&
			    compare.sides[TC_AFTER].steps.sum_ns > 0;
	if (change->has_steps) {
		tc_compare_judge(&compare);
		change->result = compare.result;
	}
	bool is_other = change->result.outcome == TC_COMPARE_OTHER_WORK;
	fleet->result.other_work_count += is_other;
	fleet->result.judged_count += change->result.judged && !is_other;
	fleet->result.unjudged_count += !change->result.judged && !is_other;
	if (change->result.judged && change->result.outcome == TC_COMPARE_SLOWER &&
		change->result.difference_pct > fleet->result.slower_pct)
		fleet->result.slower_pct = change->result.difference_pct;
}

static void take_heuristic(struct tc_fleet *fleet, const struct tc_rows *rows)
{
	uint32_t name = tc_strtab_intern(&fleet->texts, tc_rows_text(rows, 0));
	uint32_t title = tc_strtab_intern(&fleet->texts, tc_rows_text(rows, 1));

	for (size_t i = 0; i < fleet->advice_count; i++)
		if (fleet->advice[i].heuristic == name)
			return;
	if (name == TC_STRTAB_NONE || title == TC_STRTAB_NONE)
		tc_no_memory(fleet->ctx);
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
	for (size_t i = 0; i < job->fired_count; i++)
		if (side->fired[job->first_fired + i].heuristic == heuristic)
			return &side->fired[job->first_fired + i];
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
 * heuristics were not applicable than before. */
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
	if (after->blind_count > before->blind_count)
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

void tc_fleet_relate(struct tc_fleet *fleet)
{
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

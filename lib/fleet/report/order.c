/* The order in which jobs are listed; see formats.h. */
#include <math.h>

#include "core/array.h"
#include "core/context.h"
#include "fleet/report/formats.h"

/* A job and the number to sort by: largest first, then by path. */
struct place {
	double key;
	size_t job;
};

TC_ORDER(compare_places, struct place, TC_DOWN(key) TC_UP(job));

typedef bool (*place_fn)(
	struct place *place, const struct tc_fleet *fleet, enum tc_compare_outcome outcome);

static bool place_lost(
	struct place *place, const struct tc_fleet *fleet, enum tc_compare_outcome outcome)
{
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[place->job];

	(void)outcome;
	place->key = tc_fleet_hours(job, job->lost_ns);
	return tc_fleet_has_hours(job);
}

static bool place_changed(
	struct place *place, const struct tc_fleet *fleet, enum tc_compare_outcome outcome)
{
	const struct tc_fleet_change *change = &fleet->changes[place->job];

	place->key = fabs(change->result.difference_pct) *
		     (double)fleet->sides[TC_AFTER].jobs[place->job].device_count;
	return change->has_steps && change->result.judged && change->result.outcome == outcome;
}

static size_t *sort(
	size_t *count, struct tc_fleet *fleet, place_fn place, enum tc_compare_outcome outcome)
{
	size_t job_count = fleet->sides[TC_AFTER].job_count;
	struct place *places = tc_arena_take(&fleet->arena, job_count + 1, sizeof(*places));
	size_t *jobs = tc_arena_take(&fleet->arena, job_count, sizeof(*jobs));

	*count = 0;
	if (tc_arena_status(&fleet->arena, fleet->ctx))
		return jobs;
	for (size_t i = 0; i < job_count; i++) {
		places[*count].job = i;
		*count += place(&places[*count], fleet, outcome);
	}
	TC_SORT(places, *count, compare_places);
	for (size_t i = 0; i < *count; i++)
		jobs[i] = places[i].job;
	return jobs;
}

size_t *tc_fleet_rank(size_t *count, struct tc_fleet *fleet)
{
	return sort(count, fleet, place_lost, TC_COMPARE_SAME);
}

size_t *tc_fleet_changed(size_t *count, struct tc_fleet *fleet, enum tc_compare_outcome outcome)
{
	return sort(count, fleet, place_changed, outcome);
}

/* The report on an index as JSON: all jobs, in the order of paths. See docs/fleet.schema.json. */
#include "fleet/report/formats.h"
#include "report/text/json.h"
#include "tracecoach/version.h"

static void put_text(
	struct tc_json *json, const struct tc_fleet *fleet, const char *key, uint32_t number)
{
	if (number == TC_STRTAB_NONE)
		tc_json_null(json, key);
	else
		tc_json_text(json, key, tc_fleet_text(fleet, number));
}

const char *tc_fleet_outcome_name(const struct tc_fleet_change *change)
{
	static const char *const names[] = {[TC_COMPARE_SAME] = "same",
		[TC_COMPARE_WITHIN] = "within",
		[TC_COMPARE_FASTER] = "faster",
		[TC_COMPARE_SLOWER] = "slower",
		[TC_COMPARE_OTHER_WORK] = "other_work"};

	if (change->before == SIZE_MAX)
		return "new";
	if (!change->result.judged && change->result.outcome != TC_COMPARE_OTHER_WORK)
		return "unknown";
	return names[change->result.outcome];
}

static void put_change(
	struct tc_json *json, const struct tc_fleet *fleet, const struct tc_fleet_change *change)
{
	const struct tc_fleet_side *before = &fleet->sides[TC_BEFORE];

	tc_json_object(json, "change");
	tc_json_string(json, "outcome", tc_fleet_outcome_name(change));
	if (change->before == SIZE_MAX)
		tc_json_null(json, "before");
	else
		put_text(json, fleet, "before", before->jobs[change->before].path);
	if (change->has_steps)
		tc_json_real(json, "difference_pct", change->result.difference_pct);
	else
		tc_json_null(json, "difference_pct");
	tc_json_end(json);
}

static void put_fixes(
	struct tc_json *json, const struct tc_fleet *fleet, const struct tc_fleet_job *job)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];

	tc_json_array(json, "fixes");
	for (size_t i = 0; i < job->fired_count; i++) {
		const struct tc_fleet_fired *fired = &after->fired[job->first_fired + i];
		tc_json_object(json, NULL);
		put_text(json, fleet, "heuristic", fired->heuristic);
		tc_json_int(json, "gain_ns", fired->gain_ns);
		tc_json_end(json);
	}
	tc_json_end(json);
}

static void put_job(struct tc_json *json, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[index];
	bool knows = tc_fleet_has_hours(job);

	tc_json_object(json, NULL);
	put_text(json, fleet, "path", job->path);
	tc_json_bool(json, "done", job->is_done);
	put_text(json, fleet, "reason", job->reason);
	tc_json_int(json, "trace_count", job->trace_count);
	tc_json_int(json, "failed_count", job->failed_count);
	put_text(json, fleet, "device", job->device);
	tc_json_int_if(json, "device_count", knows, job->device_count);
	tc_json_int_if(json, "wall_ns", job->wall_ns > 0, job->wall_ns);
	tc_json_int_if(json, "step_mean_ns", tc_fleet_step_ns(job) > 0, tc_fleet_step_ns(job));
	tc_json_int_if(json, "idle_ns", knows, job->idle_ns);
	tc_json_int_if(json, "lost_ns", knows, job->lost_ns);
	if (knows)
		tc_json_real(json, "lost_hours", tc_fleet_hours(job, job->lost_ns));
	else
		tc_json_null(json, "lost_hours");
	put_text(json, fleet, "first_fix", job->fix);
	tc_json_int_if(json, "gain_ns", job->fix != TC_STRTAB_NONE, job->gain_ns);
	tc_json_real(json, "gain_hours", tc_fleet_hours(job, job->gain_ns));
	put_fixes(json, fleet, job);
	if (fleet->changes)
		put_change(json, fleet, &fleet->changes[index]);
	tc_json_end(json);
}

static void put_advice(struct tc_json *json, const struct tc_fleet *fleet)
{
	tc_json_array(json, "fixes");
	for (size_t i = 0; i < fleet->advice_count; i++) {
		const struct tc_fleet_advice *advice = &fleet->advice[i];
		if (advice->job_count + advice->gone_count + advice->unsure_count == 0)
			continue;
		tc_json_object(json, NULL);
		put_text(json, fleet, "heuristic", advice->heuristic);
		put_text(json, fleet, "title", advice->title);
		tc_json_int(json, "job_count", advice->job_count);
		tc_json_real(json, "gain_hours", advice->hours);
		if (fleet->changes) {
			tc_json_int(json, "new_count", advice->new_count);
			tc_json_int(json, "gone_count", advice->gone_count);
			tc_json_int(json, "unsure_count", advice->unsure_count);
		}
		tc_json_end(json);
	}
	tc_json_end(json);
}

void tc_fleet_write_json(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	const struct tc_fleet_side *after = &fleet->sides[TC_AFTER];
	struct tc_json json = {.sink = sink};

	(void)layout;
	sink->escapes = true;
	tc_json_begin(&json, TC_FLEET_VERSION);
	tc_json_string(&json, "index", after->path);
	tc_json_string(&json, "since", fleet->sides[TC_BEFORE].path);
	tc_json_array(&json, "jobs");
	for (size_t i = 0; i < after->job_count; i++)
		put_job(&json, fleet, i);
	tc_json_end(&json);
	put_advice(&json, fleet);
	tc_json_end(&json);
	tc_sink_put(sink, "\n");
}

/* The member "jobs" of the JSON report: the ranks of each job together. */
#include "report/json/members.h"

#include "report/view/ranks.h"

static void put_line(struct tc_json *json, const struct tc_rank_line *line)
{
	tc_json_object(json, NULL);
	tc_json_int(json, "trace_id", line->trace_id);
	tc_json_int(json, "rank", line->rank);
	tc_json_int(json, "step_count", line->step_count);
	tc_json_int(json, "step_mean_ns", line->step_mean_ns);
	tc_json_int(json, "wall_ns", line->wall_ns);
	tc_json_int(json, "compute_busy_ns", line->compute_ns);
	tc_json_int(json, "exposed_communication_ns", line->exposed_ns);
	tc_json_int_if(json, "late_rank_wait_ns", line->wait_ns >= 0, line->wait_ns);
	tc_json_int_if(json, "start_wait_ns", line->wait_ns >= 0, line->start_wait_ns);
	tc_json_int(json, "device_wait_ns", line->device_wait_ns);
	tc_json_int(json, "late_count", line->late_count);
	tc_json_int(json, "matched_count", line->matched_count);
	tc_json_int_if(json, "late_order", line->late_order > 0, line->late_order);
	tc_json_int_if(json, "late_gain_ns", line->late_order > 0, line->late_gain_ns);
	tc_json_int_if(json, "late_together_ns", line->late_order > 0, line->late_together_ns);
	tc_json_string(json, "top_advice", line->top ? line->top->heuristic->id : NULL);
	tc_json_end(json);
}

static void put_advice(struct tc_json *json, const struct tc_rank_advice *advice)
{
	const struct tc_heuristic *heuristic = advice->finding->heuristic;

	tc_json_object(json, NULL);
	tc_json_string(json, "id", heuristic->id);
	tc_json_string(json, "kind", tc_heuristic_kind_name(heuristic->kind));
	tc_json_string(json, "title", heuristic->title);
	tc_json_string(json, "severity", tc_severity_name(advice->finding->severity));
	tc_json_int_if(json, "gain_ns", advice->gain_ns != TC_GAIN_NONE, advice->gain_ns);
	tc_json_int_if(json, "largest_gain_ns", advice->largest->gain_ns != TC_GAIN_NONE,
		advice->largest->gain_ns);
	tc_json_int(json, "largest_rank", advice->largest_rank);
	tc_json_int(json, "rank_count", (int64_t)advice->rank_count);
	tc_json_end(json);
}

static void put_job(struct tc_json *json, struct tc_job *job, const struct tc_ranks *ranks)
{
	struct tc_buf text = TC_BUF_EMPTY;

	tc_ranks_verdict(&text, job, ranks);
	tc_json_object(json, NULL);
	tc_json_int(json, "job_id", ranks->job_id);
	tc_json_int(json, "world_size", ranks->world_size);
	tc_json_bool(json, "by_guess", ranks->by_guess);
	tc_json_take(json, "verdict", &text);
	tc_json_int(json, "pace_rank", ranks->lines[ranks->pace].rank);
	tc_json_array(json, "ranks");
	for (size_t i = 0; i < ranks->count; i++)
		put_line(json, &ranks->lines[i]);
	tc_json_end(json);
	tc_json_array(json, "advice");
	for (size_t i = 0; i < ranks->advice_count; i++)
		put_advice(json, &ranks->advice[i]);
	tc_json_end(json);
	tc_json_end(json);
}

void tc_json_jobs(struct tc_json *json, struct tc_job *job)
{
	struct tc_ranks_list list = tc_ranks_all(job);

	tc_json_array(json, "jobs");
	for (const struct tc_ranks *ranks; (ranks = tc_ranks_next(&list));)
		put_job(json, job, ranks);
	tc_json_end(json);
}

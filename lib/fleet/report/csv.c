/* The report on an index as CSV: one row per job, for spreadsheets and databases. */
#include "fleet/report/formats.h"
#include "report/text/sink.h"

static void put_int(struct tc_sink *sink, bool known, int64_t value)
{
	if (known)
		tc_sink_format(sink, "%lld", (long long)value);
	tc_sink_put(sink, ",");
}

static void put_job(struct tc_sink *sink, const struct tc_fleet *fleet, size_t index)
{
	const struct tc_fleet_job *job = &fleet->sides[TC_AFTER].jobs[index];
	bool knows = tc_fleet_has_hours(job);

	tc_put_csv(sink, tc_fleet_text(fleet, job->path), ",");
	put_int(sink, true, job->trace_count);
	put_int(sink, true, job->failed_count);
	tc_put_csv(sink, tc_fleet_text(fleet, job->device), ",");
	put_int(sink, knows, job->device_count);
	put_int(sink, job->wall_ns > 0, job->wall_ns);
	put_int(sink, tc_fleet_step_ns(job) > 0, tc_fleet_step_ns(job));
	put_int(sink, knows, job->idle_ns);
	put_int(sink, knows, job->lost_ns);
	tc_put_csv(sink, tc_fleet_text(fleet, job->fix), ",");
	put_int(sink, job->fix != TC_STRTAB_NONE, job->gain_ns);
	if (fleet->changes && fleet->changes[index].has_steps)
		tc_sink_format(sink, "%.3f", fleet->changes[index].result.difference_pct);
	tc_sink_put(sink, ",");
	if (fleet->changes)
		tc_sink_put(sink, tc_fleet_outcome_name(&fleet->changes[index]));
	tc_sink_put(sink, "\n");
}

void tc_fleet_write_csv(struct tc_fleet *fleet, struct tc_sink *sink, tc_doc_write_fn layout)
{
	(void)layout;
	sink->escapes = true;
	tc_sink_put(sink, "job,traces,failed,device,devices,wall_ns,step_mean_ns,idle_ns,lost_ns,"
			  "first_fix,gain_ns,difference_pct,outcome\n");
	for (size_t i = 0; i < fleet->sides[TC_AFTER].job_count && !tc_sink_dead(sink); i++)
		put_job(sink, fleet, i);
}

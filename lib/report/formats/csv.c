/* Every metric of the store as comma-separated rows: trace, device, step, name, value, unit. */
#include "report/text/sink.h"
#include "report/job.h"
#include "report/view/view.h"

/* An input that was left out has no metrics. It gets a row without a trace, with the reason as the
 * value. */
static void put_left_out(struct tc_job *job)
{
	struct tc_rows rows = tc_rows_open(job->ctx, job->db, tc_left_out_sql);

	while (!tc_sink_dead(&job->sink) && tc_rows_next(&rows)) {
		tc_sink_put(&job->sink, ",,,left_out,");
		tc_put_csv(&job->sink, tc_rows_text(&rows, 1), ",text\n");
	}
	tc_rows_close(&rows);
}

void tc_render_csv(struct tc_job *job)
{
	job->sink.escapes = true;
	tc_sink_put(&job->sink, "trace,device,step,name,value,unit\n");
	struct tc_rows rows = TC_ROWS(job->ctx, job->db,
		"SELECT trace_id, device, step, name, value, unit FROM metric"
		" WHERE (?1 < 0 OR step = ?1)"
		" AND (?2 < 0 OR trace_id IN (SELECT id FROM trace WHERE rank = ?2))"
		" ORDER BY trace_id, step, device, rowid",
		job->options.step, job->options.rank);
	while (!tc_sink_dead(&job->sink) && tc_rows_next(&rows))
		for (int column = 0; column < 6; column++)
			tc_put_csv(
				&job->sink, tc_rows_text(&rows, column), column < 5 ? "," : "\n");
	tc_rows_close(&rows);
	put_left_out(job);
}

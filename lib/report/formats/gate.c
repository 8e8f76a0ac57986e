/* See gate.h. */
#include "report/formats/gate.h"

#include "report/text/format.h"

void tc_gate_each(
	struct tc_job *job, void (*put)(struct tc_job *job, const struct tc_gate_trace *trace))
{
	struct tc_buf name = TC_BUF_EMPTY;
	struct tc_rows rows;

	tc_rows_open(&rows, job->ctx, job->db,
		"SELECT id, path, rank FROM trace WHERE ?1 < 0 OR rank = ?1 ORDER BY id");
	tc_rows_bind(&rows, 1, job->options.rank);
	while (!tc_sink_dead(&job->sink) && tc_rows_next(&rows)) {
		tc_buf_reset(&name);
		tc_buf_append_text(&name, tc_rows_text(&rows, 1));
		if (!tc_rows_null(&rows, 2))
			tc_buf_format(&name, " (rank %lld)", (long long)tc_rows_int(&rows, 2));
		const struct tc_gate_trace trace = {tc_rows_int(&rows, 0), tc_buf_text(&name)};
		put(job, &trace);
	}
	tc_buf_end(&job->sink.buf, &name);
	tc_rows_close(&rows);
}

bool tc_gate_fails(const struct tc_job *job, const struct tc_finding *finding)
{
	return job->options.fail_on > TC_SEVERITY_INFO &&
	       (int)finding->severity >= job->options.fail_on;
}

const struct tc_finding *tc_gate_finding(const struct tc_job *job, const struct tc_account_row *row)
{
	if (row->outcome != TC_OUTCOME_FIRED)
		return NULL;
	for (size_t i = 0; i < job->advice->finding_count; i++) {
		const struct tc_finding *finding = &job->advice->findings[i];
		if (finding->trace_id == row->trace_id && finding->heuristic == row->heuristic)
			return finding;
	}
	return NULL;
}

void tc_gate_message(struct tc_buf *buf, const struct tc_finding *finding)
{
	if (finding->gain_ns != TC_GAIN_NONE) {
		tc_buf_format(buf, "Saves up to %s, %s of the run; severity ",
			tc_show_ns(finding->gain_ns).text, tc_show_pct(finding->gain_pct).text);
	} else {
		tc_buf_append_string(buf, "Severity ");
	}
	tc_buf_format(buf, "%s.\n%s\n%s", tc_severity_name(finding->severity), finding->why,
		finding->advice);
}

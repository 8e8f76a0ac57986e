#include "report/formats/gate.h"

#include "report/view/view.h"

void tc_gate_name(struct tc_buf *name, const struct tc_view *trace)
{
	tc_buf_append_text(name, trace->name);
	if (trace->rank >= 0)
		tc_buf_format(name, " (rank %lld)", (long long)trace->rank);
}

bool tc_gate_is_asked(const struct tc_job *job)
{
	return job->options.fail_on > TC_SEVERITY_INFO;
}

bool tc_gate_fails(const struct tc_job *job, const struct tc_finding *finding)
{
	return tc_gate_is_asked(job) && (int)finding->severity >= job->options.fail_on;
}

void tc_gate_message(struct tc_buf *buf, struct tc_job *job, const struct tc_finding *finding)
{
	tc_evidence_gain(buf, job, finding);
	tc_evidence_severity(buf, finding);
	tc_buf_format(buf, "\n%s\n%s", finding->why, finding->advice);
}

/* Shared by the reports for CI systems: which findings fail a run, and a finding in a few lines. */
#ifndef TC_REPORT_FORMATS_GATE_H
#define TC_REPORT_FORMATS_GATE_H

#include "report/job.h"

struct tc_gate_trace {
	int64_t id;
	struct tc_text name; /* its path, with the rank where there is one; borrowed */
};

/* Calls put for every trace of the store (of the rank asked for), in order. */
void tc_gate_each(
	struct tc_job *job, void (*put)(struct tc_job *job, const struct tc_gate_trace *trace));

/* True for a finding that --fail-on counts. */
bool tc_gate_fails(const struct tc_job *job, const struct tc_finding *finding);
/* The finding of a row of the account; NULL if the heuristic found nothing. */
const struct tc_finding *tc_gate_finding(
	const struct tc_job *job, const struct tc_account_row *row);
/* Appends gain and severity, why it costs time, and what to do, on a line each. */
void tc_gate_message(struct tc_buf *buf, const struct tc_finding *finding);

#endif

/* Shared by the reports for CI systems: which findings fail a run, and a finding in a few lines. */
#ifndef TC_REPORT_FORMATS_GATE_H
#define TC_REPORT_FORMATS_GATE_H

#include "report/view/view.h"

/* Appends the name of a trace, with its rank where there is one. */
void tc_gate_name(struct tc_buf *name, const struct tc_view *trace);

/* True with --fail-on. */
bool tc_gate_is_asked(const struct tc_job *job);
/* True for a finding that --fail-on counts. */
bool tc_gate_fails(const struct tc_job *job, const struct tc_finding *finding);
/* Appends gain, severity and confidence, why it costs time, and what to do, on a line each. */
void tc_gate_message(struct tc_buf *buf, struct tc_job *job, const struct tc_finding *finding);

#endif

/*
 * Evidence in words: the rows of a finding, each column in the words of its heuristic. Columns that
 * are the same in all rows are written once, on a separate line.
 */
#ifndef TC_REPORT_VIEW_EVIDENCE_H
#define TC_REPORT_VIEW_EVIDENCE_H

#include "report/job.h"

/* "aten::item: 12 times, up to 3.200 ms, the host blocked for 4.100 ms" for a row of a finding. */
void tc_evidence_line(
	struct tc_buf *line, struct tc_job *job, const struct tc_finding *finding, size_t index);

/* "the same for all: 3 steps": what the rows have in common; nothing for a single row. */
void tc_evidence_common(struct tc_buf *line, const struct tc_finding *finding);

/* "Saves up to 3.200 ms, 4.1 % of the run", or that a fix saves nothing, or that nobody knows;
 * nothing of notes on the recording. */
void tc_evidence_gain(struct tc_buf *buf, const struct tc_finding *finding);

/* The idle time that the fix removes, from columns with TC_SAYS_IDLE; 0 if there is none. */
int64_t tc_evidence_idle_ns(const struct tc_finding *finding);

#endif

/*
 * A row of evidence in words: its subject, then its columns, each formatted by the suffix of its
 * name.
 */
#ifndef TC_REPORT_EVIDENCE_H
#define TC_REPORT_EVIDENCE_H

#include "report/job.h"

/* "aten::item: 12 times, up to 3.200 ms; blocked 4.100 ms" */
enum tc_status tc_evidence_line(
	struct tc_buf *line, struct tc_job *job, const struct tc_evidence *evidence);

/* The row's JSON, or NULL text when it is no valid JSON (which advice never writes). */
enum tc_status tc_evidence_json(
	struct tc_text *out, struct tc_job *job, const struct tc_evidence *evidence);

#endif

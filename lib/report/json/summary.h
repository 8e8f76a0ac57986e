/* The short form of the JSON report: the content of a first screen, in a few kilobytes. */
#ifndef TC_REPORT_JSON_SUMMARY_H
#define TC_REPORT_JSON_SUMMARY_H

#include "report/job.h"

/* Writes the summary under docs/summary.schema.json. It lists --top findings of a trace, 5 by default, and
 * counts the others. */
enum tc_status tc_render_json_summary(struct tc_job *job);

#endif

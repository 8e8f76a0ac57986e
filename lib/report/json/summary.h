/* The short form of the JSON report: what a first screen says, in a few kilobytes. */
#ifndef TC_REPORT_JSON_SUMMARY_H
#define TC_REPORT_JSON_SUMMARY_H

#include "report/job.h"

/* Writes it under docs/summary.schema.json. Of a trace's findings --top are there, 5 unless it is
 * given; the others are counted. */
enum tc_status tc_render_json_summary(struct tc_job *job);

#endif

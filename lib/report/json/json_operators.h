/* The member "operators" of a trace of the JSON report. */
#ifndef TC_REPORT_JSON_OPERATORS_H
#define TC_REPORT_JSON_OPERATORS_H

#include "report/job.h"
#include "report/json/json_writer.h"

/* Writes the member, an object with an array for each view of docs/operators.md. */
enum tc_status tc_json_operators(struct tc_json *json, struct tc_job *job, int64_t trace_id);

#endif

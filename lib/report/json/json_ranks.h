/* The member "jobs" of the JSON report. */
#ifndef TC_REPORT_JSON_RANKS_H
#define TC_REPORT_JSON_RANKS_H

#include "report/job.h"
#include "report/json/json_writer.h"

/* Writes it, an array; empty without ranks of a job. job->state is the writer. */
enum tc_status tc_json_jobs(struct tc_json *json, struct tc_job *job);

#endif

/* The member "jobs" of the JSON report. */
#ifndef TC_REPORT_JSON_RANKS_H
#define TC_REPORT_JSON_RANKS_H

#include "report/job.h"
#include "report/json/json_writer.h"

/* Writes the member, an array that is empty without a job of several ranks. Sets job->state to the writer. */
enum tc_status tc_json_jobs(struct tc_json *json, struct tc_job *job);

#endif

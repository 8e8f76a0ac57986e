/* The ranks of a job as a grid: a row a rank, a column a step, the time of each, and how far it is from the
 * median of its step as a shade. */
#ifndef TC_REPORT_HTML_GRID_H
#define TC_REPORT_HTML_GRID_H

#include "report/job.h"

/* Writes that of a job of the store; nothing without steps. */
enum tc_status tc_put_rank_grid(struct tc_job *job, int64_t job_id);

#endif

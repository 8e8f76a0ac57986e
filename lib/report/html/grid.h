/* The step times of a job as a grid: a row for each rank, a column for each step. The shade of a
 * cell shows how far the time is from the median of its step. */
#ifndef TC_REPORT_HTML_GRID_H
#define TC_REPORT_HTML_GRID_H

#include "report/job.h"

/* Writes the grid of a job; nothing without steps. */
void tc_put_rank_grid(struct tc_job *job, int64_t job_id);

#endif

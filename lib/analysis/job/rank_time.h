/* Compares where each rank's time goes with the median rank of its job. */
#ifndef TC_ANALYSIS_JOB_RANK_TIME_H
#define TC_ANALYSIS_JOB_RANK_TIME_H

#include <sqlite3.h>

#include "core/context.h"

/* Fills the table rank_time. job_rank must be filled. */
enum tc_status tc_rank_time_write(struct tc_ctx *ctx, sqlite3 *db);

#endif

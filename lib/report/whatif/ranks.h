/* What-ifs of jobs: their ranks wait for each other. */
#ifndef TC_REPORT_WHATIF_RANKS_H
#define TC_REPORT_WHATIF_RANKS_H

#include "report/whatif/answer.h"

/* Replays the ranks of a job together and writes an answer for each. */
enum tc_status tc_whatif_ranks(struct tc_whatif_output *output, int64_t job_id);
/* Fails unless there is a trace for every rank that the edits name as never late. */
enum tc_status tc_whatif_check_ranks(struct tc_whatif_output *output);

#endif

/* compare for two sets of jobs: indexes, or directories of traces. */
#ifndef TC_CMD_COMPARE_JOBS_H
#define TC_CMD_COMPARE_JOBS_H

#include <stdbool.h>

struct tc_cli;

/* Compares job against job and sets *code, the exit code. False when the arguments are to be
 * compared as two runs: traces, stores, directories with one trace each, or with one job each of
 * which a rank is chosen. */
bool tc_compare_jobs(int *code, struct tc_cli *cli);

#endif

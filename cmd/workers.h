/*
 * Worker processes: each reads one job of a batch and ends, so what a damaged trace does to it (a
 * signal, all memory) is one row of the index, and memory does not grow with the number of jobs.
 */
#ifndef TC_CMD_WORKERS_H
#define TC_CMD_WORKERS_H

#include "command.h"
#include "tracecoach/fleet.h"

struct tc_workers {
	const struct tc_cli *cli;
	struct tc_fleet *batch;
	int count;                /* processes at once */
	int max_cpu_s;            /* CPU seconds a trace may take; 0 for no limit */
	int max_memory_mb;        /* MB of address space a process may have; 0 for no limit */
	void (*tick)(void *user); /* called several times a second */
	void *user;
};

/* Cores that this process may use. */
int tc_workers_cores(void);

/* Reads all jobs of the batch that are to be read. The process must have no other thread. Returns
 * 0, TC_EXIT_INTERRUPTED, or prints what is wrong and returns another exit code. */
int tc_workers_run(const struct tc_workers *workers);

#endif

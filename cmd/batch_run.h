/* A batch that runs: worker processes, the progress line, and what was left out. */
#ifndef TC_CMD_BATCH_RUN_H
#define TC_CMD_BATCH_RUN_H

#include "command.h"
#include "tracecoach/fleet.h"

struct tc_batch {
	struct tc_cli *cli;
	struct tc_fleet *fleet;
	int process_count;
	size_t other_count;  /* files that are called like traces and are none */
	size_t failed_count; /* jobs that the system kept from being read, */
	char *failure;       /* and what it could not do for the first of them */
	int64_t start_ns, shown_ns;
	bool is_live; /* the progress line is shown */
};

/* Finds the jobs. Returns 0, or prints what is wrong and returns an exit code; no job is wrong
 * where there are no shards. The context's notes go to the batch until it is closed. */
int tc_batch_open(
	struct tc_batch *batch, struct tc_cli *cli, const struct tc_fleet_options *options);
/* Reads what is to be read and writes the index. Returns 0 and the index, which the caller owns, or
 * TC_EXIT_INTERRUPTED, or prints what is wrong and returns another exit code; the index is complete
 * also where the system kept jobs from being read. Adds what is left
 * out, now or before, to that of the command. */
int tc_batch_read(struct tc_store **index, struct tc_batch *batch);
void tc_batch_close(struct tc_batch *batch); /* one that is not open is fine */

/* ---- shard.c: --shard: which part of the jobs this process reads, said or taken from what started
 * it. */

/* Sets *shard, from 0, and *count; a count of 0 for no text. "K/N" says it; "auto" takes both from
 * a Slurm array; "auto/N" K from it, or from a Kubernetes indexed Job. Returns 0, or prints what is
 * wrong and returns an exit code. */
int tc_shard_parse(int64_t *shard, int64_t *count, const char *text);

/* ---- workers.c: worker processes: each reads one job of a batch and ends, so what a damaged trace
 * does to it (a signal, all memory) is one row of the index, and memory does not grow with the
 * number of jobs. */

struct tc_workers {
	const struct tc_cli *cli;
	struct tc_fleet *batch;
	int count;                /* processes at once */
	int max_cpu_s;            /* CPU seconds a trace may take; 0 for no limit */
	int max_memory_mb;        /* MB of address space a process may have; 0 for no limit */
	void (*tick)(void *user); /* called several times a second */
	/* Called for a job that the system kept from being read. */
	void (*fail)(void *user, const char *why);
	void *user;
};

/* Cores that this process may use. */
int tc_workers_cores(void);

/* Reads all jobs of the batch that are to be read. The process must have no other thread. Returns
 * 0, TC_EXIT_INTERRUPTED, or prints what is wrong and returns another exit code. */
int tc_workers_run(const struct tc_workers *workers);

#endif

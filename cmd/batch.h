/* A batch that runs, for the commands that read many jobs. */
#pragma once

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

/* Cores that this process may use. */
int tc_batch_cores(void);

/* Finds the jobs. Returns 0, or prints what is wrong and returns an exit code; no job is wrong
 * where there are no shards. The context's notes go to the batch until it is closed. */
int tc_batch_open(
	struct tc_batch *batch, struct tc_cli *cli, const struct tc_fleet_options *options);
/* Reads what is to be read and writes the index. Returns 0 and the index, which the caller owns, or
 * TC_EXIT_INTERRUPTED, or prints what is wrong and returns another exit code; the index is complete
 * also where the system kept jobs from being read. Adds what is left out, now or before, to that of
 * the command. */
int tc_batch_read(struct tc_store **index, struct tc_batch *batch);
void tc_batch_close(struct tc_batch *batch); /* one that is not open is fine */

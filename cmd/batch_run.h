/* A batch that runs: worker processes, the progress line, and what was left out. */
#ifndef TC_CMD_BATCH_RUN_H
#define TC_CMD_BATCH_RUN_H

#include "command.h"
#include "tracecoach/fleet.h"

struct tc_batch {
	struct tc_cli *cli;
	struct tc_fleet *fleet;
	int process_count;
	size_t other_count; /* files that are called like traces and are none */
	int64_t start_ns, shown_ns;
	bool is_live, is_shown; /* the progress line */
};

/* Finds the jobs. Returns 0, or prints what is wrong and returns an exit code; no job is wrong
 * where there are no shards. The context's notes go to the batch until it is closed. */
int tc_batch_open(
	struct tc_batch *batch, struct tc_cli *cli, const struct tc_fleet_options *options);
/* Reads what is to be read and writes the index. Returns 0 and the index, which the caller owns, or
 * TC_EXIT_INTERRUPTED, or prints what is wrong and returns another exit code. Adds what is left
 * out, now or before, to that of the command. */
int tc_batch_read(struct tc_store **index, struct tc_batch *batch);
void tc_batch_close(struct tc_batch *batch); /* one that is not open is fine */

/* ---- shard.c: --shard: which part of the jobs this process reads, said or taken from what started
 * it. */

/* Sets *shard, from 0, and *count; a count of 0 for no text. "K/N" says it; "auto" takes both from
 * a Slurm array; "auto/N" K from it, or from a Kubernetes indexed Job. Returns 0, or prints what is
 * wrong and returns an exit code. */
int tc_shard_parse(int64_t *shard, int64_t *count, const char *text);

#endif

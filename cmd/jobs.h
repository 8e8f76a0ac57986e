/* Shared by the commands on many jobs: a batch that runs, and the report on indexes. */
#pragma once

#include "command.h"
#include "tracecoach/fleet.h"
#include "tracecoach/fleet_report.h"

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

/* Finds the jobs. As many processes read them as there are cores, unless the options give a number.
 * Returns 0, or prints what is wrong and returns an exit code; no job is wrong where there are no
 * shards. The context's notes go to the batch until it is closed. */
int tc_batch_open(
	struct tc_batch *batch, struct tc_cli *cli, const struct tc_fleet_options *options);
/* Reads what is to be read and writes the index. Returns 0 and the index, which the caller owns, or
 * TC_EXIT_INTERRUPTED, or prints what is wrong and returns another exit code; the index is complete
 * also where the system kept jobs from being read. Adds what is left out, now or before, to that of
 * the command. */
int tc_batch_read(struct tc_store **index, struct tc_batch *batch);
void tc_batch_close(struct tc_batch *batch); /* one that is not open is fine */

/* Makes the indexes of a report that there are none of yet. Sets input->index and input->since,
 * which go to the report, also when it fails. Returns 0, or an exit code after it said what is
 * wrong. */
struct tc_index_opener {
	int (*open)(struct tc_fleet_report_input *input, void *user);
	void *user;
};

/* Writes the report to where the options say, in the format that they name, and asks the gates.
 * input names the indexes by path only; without an opener they are opened by these. Returns an exit
 * code. */
int tc_fleet_output(const struct tc_cli *cli, struct tc_fleet_report_input input,
	const struct tc_index_opener *opener);

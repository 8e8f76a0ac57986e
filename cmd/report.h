/* Reports on indexes, for the commands that write one. */
#pragma once

#include "command.h"
#include "tracecoach/fleet_report.h"

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

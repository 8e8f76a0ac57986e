/* Reports on indexes, for the commands that write one. */
#ifndef TC_CMD_FLEET_OUTPUT_H
#define TC_CMD_FLEET_OUTPUT_H

#include "tracecoach/fleet_report.h"

struct tc_cli;

/* Writes the report to where the options say, in the format that they name, and asks the gates
 * (gate.h). input names the indexes by path only: they are opened here. Returns an exit code. */
int tc_fleet_output(const struct tc_cli *cli, struct tc_fleet_report_input input);

#endif

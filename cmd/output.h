/* Where results go: what -o names, or standard output. */
#ifndef TC_CMD_OUTPUT_H
#define TC_CMD_OUTPUT_H

#include "command.h"
#include "tracecoach/output.h"
#include "tracecoach/report.h"

/*
 * Opens it, before anything is read for long; call it when settings and rules are read. Returns 0,
 * or prints why nothing can be written there and returns an exit code.
 */
int tc_cli_open_output(struct tc_output **out, const struct tc_cli *cli);
/* What the options and the place where it goes say of a report. */
struct tc_report_options tc_cli_report_options(const struct tc_cli *cli, struct tc_output *output);
/* Whether its name asks for gzip: "trace.json.gz". */
bool tc_cli_wants_gzip(const struct tc_cli *cli);

#endif

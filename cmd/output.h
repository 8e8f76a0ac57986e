/* Where results go: what -o names, or standard output. */
#ifndef TC_CMD_OUTPUT_H
#define TC_CMD_OUTPUT_H

#include "command.h"
#include "tracecoach/output.h"

/*
 * Opens it, before anything is read for long; call it when settings and rules are read. Returns 0,
 * or prints why nothing can be written there and returns an exit code.
 */
int tc_cli_open_output(struct tc_output **out, const struct tc_cli *cli);
/* Whether its name asks for gzip: "trace.json.gz". */
bool tc_cli_wants_gzip(const struct tc_cli *cli);

#endif

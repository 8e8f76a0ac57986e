/* What analyze and explain share. */
#ifndef TC_CMD_ANALYZE_H
#define TC_CMD_ANALYZE_H

#include "command.h"

/* Reads the arguments and prints a report; only of this finding where it is not NULL. */
int tc_cli_report(struct tc_cli *cli, const char *finding);

#endif

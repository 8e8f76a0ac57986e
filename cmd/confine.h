/* The confinement of the program while it reads traces (tracecoach/confine.h, SECURITY.md). */
#ifndef TC_CMD_CONFINE_H
#define TC_CMD_CONFINE_H

#include "command.h"

/* Confines the process to what its command line asks for, unless the environment says otherwise. */
void tc_cli_confine(const struct tc_cli *cli);
/* What this system offers, a line for --version. */
void tc_cli_print_confinement(void);

#endif

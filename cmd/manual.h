/* The manual page of a command, for man: roff with the macros of man(7). */
#ifndef TC_CMD_MANUAL_H
#define TC_CMD_MANUAL_H

#include "command.h"

/* Prints it on stdout. Its words are those of --help. */
void tc_manual_print(const struct tc_command *command);

#endif

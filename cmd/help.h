/* The help texts, made from the rows of commands and options. */
#pragma once

#include <stdio.h>

#include "command.h"

void tc_help_usage(FILE *file); /* the short help: what it is, the commands */
void tc_help_all(void);         /* the short help and the exit codes, on stdout */
/* Options of the command whose line was parsed last, on stdout. */
void tc_help_command(const struct tc_command *command);
struct tc_choices tc_help_formats(void);

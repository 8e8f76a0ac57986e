/* Scripts that let a shell complete the command line of tracecoach. */
#ifndef TC_CMD_COMPLETION_H
#define TC_CMD_COMPLETION_H

#include "tracecoach/settings.h"

/* Each prints the script of one shell on stdout, made from the tables of commands and options. */
void tc_completion_bash(const struct tc_settings *settings);
void tc_completion_zsh(const struct tc_settings *settings);
void tc_completion_fish(const struct tc_settings *settings);

#endif

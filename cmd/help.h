/* The help texts and the version. */
#ifndef TC_CMD_HELP_H
#define TC_CMD_HELP_H

#include <stdio.h>

#include "command.h"
#include "tracecoach/settings.h"

void tc_help_usage(FILE *file); /* the short help: what it is, the commands */
void tc_help_all(void);         /* the short help and the exit codes, on stdout */
void tc_help_version(void);
struct tc_choices tc_help_formats(void);
/* Options of the command whose line was parsed last, on stdout. */
void tc_help_command(const struct tc_command *command);

/* ---- completion.c: scripts that let a shell complete the command line of tracecoach. */

/* Each prints the script of one shell on stdout, made from the tables of commands and options. */
void tc_completion_bash(const struct tc_settings *settings);
void tc_completion_zsh(const struct tc_settings *settings);
void tc_completion_fish(const struct tc_settings *settings);

/* ---- manual.c: the manual page of a command, for man: roff with the macros of man(7). */

/* Prints it on stdout. Its words are those of --help. */
void tc_manual_print(const struct tc_command *command);

/* ---- page.c: the pages of the heuristics on a terminal. */

/*
 * Prints the sections of a heuristic's page that were written by hand, the text wrapped to width;
 * nothing when there is no page. Of Markdown it knows what these pages use: sections, paragraphs,
 * lists of one level, code and links.
 */
void tc_page_print(const char *page, int width);

#endif

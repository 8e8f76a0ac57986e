/* The terminal: its colours, width and characters, text wrapped to that width, and a line that is
 * rewritten. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"

/* COLUMNS, else the columns of the terminal on fd, else 80. */
int tc_terminal_columns(int fd);
/* Columns to fill: wanted (--width) unless it is 0, else those of the terminal, but not more than a
 * report fills. */
int tc_terminal_width(int fd, int wanted);
/* Whether the locale's characters are not UTF-8, or --ascii was given. */
bool tc_terminal_ascii(const struct tc_options *options);
/* A clock for what is shown there: it only goes forward. */
int64_t tc_terminal_now_ns(void);
/* Whether fd is a terminal where a line can be rewritten. */
bool tc_terminal_live(int fd);
/* The line of progress on standard error: rewritten, and erased if it is shown. */
void tc_terminal_show(const char *line);
void tc_terminal_erase(void);

/* Prints label and text as tc_text_wrap() lays them out. */
void tc_terminal_wrap(FILE *file, const char *label, const char *text, int indent, int width);

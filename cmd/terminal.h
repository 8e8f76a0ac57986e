/* What the terminal can show: colours, width, characters. And text wrapped to that width. */
#ifndef TC_CMD_TERMINAL_H
#define TC_CMD_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/* True when colours are wanted on fd: a terminal that is not dumb, and nobody said no. */
bool tc_terminal_color(int fd, const struct tc_options *options);
/* --width, COLUMNS, the width of the terminal on fd, or 80. */
int tc_terminal_width(int fd, const struct tc_options *options);
/* True when the locale's characters are not UTF-8, or --ascii was given. */
bool tc_terminal_ascii(const struct tc_options *options);
/* True when fd is a terminal where a line can be rewritten. */
bool tc_terminal_live(int fd);

/* Prints text on stdout, wrapped at blanks to width, every line after indent blanks. */
void tc_terminal_wrap(const char *text, int indent, int width);

#endif

/* Directories among the inputs: the traces in them. */
#ifndef TC_CMD_FOLDER_H
#define TC_CMD_FOLDER_H

#include "command.h"
#include "string_list.h"

/*
 * Fills paths from the arguments, in their order; a directory stands for the files in it (not below), by name, whose names
 * end in .json, .json.gz or .json.zst and whose first bytes are those of a trace, or of one
 * that is damaged. Other files are told on standard error. Returns 0, or prints what is wrong and returns an exit code.
 * tc_strings_clear() in any case.
 */
int tc_paths_find(struct tc_strings *paths, const struct tc_cli *cli);
/* The same without a look into files: all that may be read. */
int tc_paths_list(struct tc_strings *paths, const struct tc_cli *cli);

#endif

/* Directories among the inputs: the traces in them. */
#ifndef TC_CMD_FOLDER_H
#define TC_CMD_FOLDER_H

#include "command.h"

/* Paths of inputs, in the order given; those of a directory by name. */
struct tc_paths {
	char **items;
	size_t count, capacity;
};

/*
 * Fills paths from the arguments; a directory stands for the files in it (not below) whose names
 * end in .json, .json.gz or .json.zst and whose first bytes are those of a trace, or of one
 * that is damaged. Other files are told on standard error. Returns 0, or prints what is wrong and returns an exit code.
 * tc_paths_clear() in any case.
 */
int tc_paths_find(struct tc_paths *paths, const struct tc_cli *cli);
/* The same without a look into files: all that may be read. */
int tc_paths_list(struct tc_paths *paths, const struct tc_cli *cli);
void tc_paths_clear(struct tc_paths *paths);

#endif

/* The files of a directory of rules. */
#ifndef TC_ADVICE_CATALOGUE_RULE_FILES_H
#define TC_ADVICE_CATALOGUE_RULE_FILES_H

#include "core/collections/arena.h"

/* Takes one file; path is a string of the arena, text is borrowed for the call. */
typedef enum tc_status (*tc_rule_take_fn)(void *user, const char *path, struct tc_text text);

/*
 * Reads every file of a directory whose name ends with .sql, in the order of their names.
 * TC_ERR_USAGE for a directory that cannot be read or has none, and for a file that cannot be read.
 */
enum tc_status tc_rule_files_read(struct tc_ctx *ctx, struct tc_arena *arena, const char *directory,
	tc_rule_take_fn take, void *user);

#endif

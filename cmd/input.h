/* Inputs of a command: traces, imported with a progress line, or one sealed store. */
#pragma once

#include "command.h"
#include "tracecoach/import.h"

/* How the options that several commands have say to import. */
struct tc_import_options tc_input_options(const struct tc_cli *cli);

/* Imports all arguments into db_path (NULL: a temporary place). Returns 0 and the store, which
 * the caller owns, or prints what is wrong and returns an exit code. */
int tc_input_import(struct tc_store **out, const struct tc_cli *cli, const char *db_path,
	const struct tc_import_options *options);
/* Imports traces, or opens the one store among the arguments. *advice is what the import found, the
 * caller's to free; NULL for a store. */
int tc_input_open(struct tc_store **out, struct tc_advice **advice, const struct tc_cli *cli);

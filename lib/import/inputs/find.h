/*
 * Finding jobs: the traces in and below directories, put together by directory and run
 * (names/run.h). analysis/ranks.c finds which of them are ranks of one job, from their contents.
 */
#ifndef TC_IMPORT_INPUTS_FIND_H
#define TC_IMPORT_INPUTS_FIND_H

#include "import/inputs/found.h"

/*
 * Finds the jobs in and below count directories and files. Directories whose names start with a
 * dot, links to directories, and directories for which options->is_skipped is true are not looked
 * into. Files that are called like traces and are other JSON are noted. *out is owned by the
 * caller. TC_ERR_READ when one of paths cannot be read; what cannot be read below one is in
 * left_out.
 */
enum tc_status tc_find_jobs(struct tc_found **out, struct tc_ctx *ctx, const char *const *paths,
	size_t count, const struct tc_find_options *options);

#endif

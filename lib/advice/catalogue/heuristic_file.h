/*
 * One heuristic: its file as a descriptor. The form is in docs/user-rules.md.
 */
#ifndef TC_ADVICE_CATALOGUE_HEURISTIC_FILE_H
#define TC_ADVICE_CATALOGUE_HEURISTIC_FILE_H

#include "advice/catalogue/header.h"

/*
 * Fills file, which is zero. A fault is TC_ERR_USAGE and "path:line: what, what to do".
 * tc_heuristic_file_clear() in any case.
 */
enum tc_status tc_heuristic_file_parse(struct tc_heuristic_file *file, struct tc_ctx *ctx,
	struct tc_arena *arena, const struct tc_heuristic_source *source);

#endif

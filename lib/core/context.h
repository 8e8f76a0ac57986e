/* The part of the context that only core uses: what files were read. See reads.h. */
#ifndef TC_CORE_CONTEXT_H
#define TC_CORE_CONTEXT_H

#include <sys/stat.h>

#include "tracecoach/context.h"

/* Enters a file if it is a regular one; other threads may do so, too. Returns 0, or ENOMEM. */
int tc_ctx_add_read(struct tc_ctx *ctx, const struct stat *file);
bool tc_ctx_has_read(struct tc_ctx *ctx, const struct stat *file);

#endif

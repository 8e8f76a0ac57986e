/*
 * Load: the timeline of a trace from the tables of its store, with all that a replay looks at, so
 * that a sealed store can be replayed with other edits. The same replay as at import comes out.
 */
#pragma once

#include <sqlite3.h>

#include "model/timeline/timeline.h"

struct tc_loaded;

/* The caller owns it: tc_loaded_free(). NULL on failure. */
struct tc_loaded *tc_loaded_new(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);
void tc_loaded_free(struct tc_loaded *loaded); /* NULL is fine */
const struct tc_timeline *tc_loaded_timeline(const struct tc_loaded *loaded);

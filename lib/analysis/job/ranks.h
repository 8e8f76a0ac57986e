/*
 * Ranks of one job: which traces of the store belong together (table job_rank), which of their
 * collectives are the same one (table collective), and how long each waited for the last rank.
 */
#ifndef TC_ANALYSIS_JOB_RANKS_H
#define TC_ANALYSIS_JOB_RANKS_H

#include <sqlite3.h>

#include "core/context.h"

/*
 * Relates all traces of db, a store about to be sealed; once, after the last of them. A store
 * without two ranks of one job costs nothing. Adds metric rows late_rank_wait_ns.
 */
enum tc_status tc_ranks_relate(struct tc_ctx *ctx, sqlite3 *db);

#endif

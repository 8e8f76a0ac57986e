/*
 * Ranks of one job: which traces of the store belong together (table job_rank), which of their
 * collectives belong together (table collective), and how long each waited for the last rank.
 */
#pragma once

#include <sqlite3.h>

#include "core/context.h"

/*
 * For job ?1: how far apart the recordings of its ranks start, if that hides which rank is late;
 * else 0. A recording of one step has no earlier step in which the ranks met, so a rank may seem to
 * wait only because another profiler started later. Up to 1 % of the shortest recording the
 * distance is too small to matter (our default).
 */
#define TC_STARTS_APART_SQL                                                                        \
	"(SELECT CAST(iif(min(steps) = 1 AND max(steps) = 1"                                       \
	"  AND (max(from_ns) - min(from_ns)) * 1.0 > min(wall_ns) * 0.01,"                         \
	"  max(from_ns) - min(from_ns), 0) AS INTEGER)"                                            \
	" FROM (SELECT coalesce(t.base_time_ns, 0) + t.start_ns - coalesce(j.clock_offset_ns, 0)"  \
	"   AS from_ns, max(iif(m.name = 'step_count', m.value, 0)) AS steps,"                     \
	"   max(iif(m.name = 'wall_ns', m.value, 0)) AS wall_ns"                                   \
	"  FROM job_rank j JOIN trace t ON t.id = j.trace_id JOIN metric m"                        \
	"   ON m.trace_id = t.id AND m.device IS NULL AND m.step IS NULL"                          \
	"  WHERE j.job_id = ?1 GROUP BY t.id))"

/*
 * Relates all traces of db, a store about to be sealed. Call it once, after the last trace. A store
 * without two ranks of one job costs nothing. Adds metric rows late_rank_wait_ns.
 */
void tc_ranks_relate(struct tc_ctx *ctx, sqlite3 *db);

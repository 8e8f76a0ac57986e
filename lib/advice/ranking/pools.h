/*
 * Pools: the parts of the wall time that fixes win back, one per bit of enum tc_bucket, with their
 * measured sizes. They are disjoint, so they limit how much several findings can save together, and
 * how much two of them may claim of the same time.
 */
#ifndef TC_ADVICE_RANKING_POOLS_H
#define TC_ADVICE_RANKING_POOLS_H

#include <sqlite3.h>

#include "tracecoach/advice.h"

#define TC_POOL_COUNT 7
#define TC_POOL_UNKNOWN (-1)

struct tc_pools {
	int64_t wall_ns;           /* 0: not known */
	bool knows_idle;           /* else nobody knows what a fix of idle time wins */
	bool judges;               /* judge.h: else no gain is a reason for alarm */
	int64_t ns[TC_POOL_COUNT]; /* by bit of the bucket; TC_POOL_UNKNOWN: no limit is known */
	/* How far faster device work is won back, see docs/gain.md; steps 0: not known. */
	int64_t wait_ns, tail_ns, tail_step_count, step_count;
};

enum tc_status tc_pools_read(
	struct tc_pools *out, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);

/* The most that a gain in these pools can be. */
int64_t tc_pools_cap(const struct tc_pools *pools, enum tc_bucket bucket, int64_t gain_ns);

/* The most that findings can win together: no more than each claims, and no time twice. Findings
 * without a gain win nothing. */
int64_t tc_pools_together(
	const struct tc_pools *pools, const struct tc_finding *findings, size_t count);

/* The most that two findings may claim of the same idle, copy or communication time. Compute time is
 * claimed by operation, so no two findings share it. */
int64_t tc_pools_shared(
	const struct tc_pools *pools, const struct tc_finding *a, const struct tc_finding *b);

#endif

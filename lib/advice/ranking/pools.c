/* Sizes of pools and what findings claim of them; see pools.h. */
#include "advice/ranking/pools.h"

#include "advice/ranking/judge.h"
#include "store/connection.h"

/* Buckets that are device work: won back only while the host keeps ahead. */
#define DEVICE_WORK                                                                                \
	(TC_BUCKET_TRANSFER | TC_BUCKET_COPY | TC_BUCKET_COMPUTE | TC_BUCKET_COMMUNICATION)
#define TOLD_BY_OPERATION TC_BUCKET_COMPUTE
#define NO_LIMIT (INT64_MAX / 4)

/* One row: wall_ns, the pools in the order of their bits, the host's slack, has_idle, the facts of
 * judge.h, NULL where the store does not say. Idle time is that of
 * the device that waits most, work that of the device with most of it. total() is exact below 2^53 ns,
 * 104 days, and does not fail beyond. */
static const char sizes_sql[] =
	"WITH size AS ("
	"  SELECT name, max(value) AS ns FROM metric WHERE trace_id = ?1 AND step IS NULL"
	"  GROUP BY name),"
	"waits AS ("
	"  SELECT coalesce((SELECT ns FROM size WHERE name = 'device_wait_ns'),"
	"    (SELECT ns FROM size WHERE name = 'device_idle_ns')) AS ns),"
	"gaps AS ("
	"  SELECT sum(iif(cause IN ('graph_build', 'dispatch', 'launch', 'host_other'), dur, 0)) "
	"AS "
	"host_ns,"
	"    sum(iif(cause IN ('queued', 'unknown', 'no_work'), dur, 0)) AS pause_ns"
	"  FROM gap WHERE trace_id = ?1 GROUP BY device ORDER BY sum(dur) DESC, device LIMIT 1),"
	"held AS ("
	"  SELECT CAST(total(held_ns) AS INTEGER) AS ns FROM host_block WHERE trace_id = ?1),"
	"idle AS ("
	"  SELECT w.ns, min(max(coalesce(g.host_ns, 0) - h.ns, 0), w.ns) AS host_ns,"
	"    min(coalesce(g.pause_ns, 0), w.ns) AS pause_ns"
	"  FROM waits w JOIN held h LEFT JOIN gaps g),"
	"late AS ("
	"  SELECT CAST(total(late_ns) AS INTEGER) AS ns FROM exposed_transfer WHERE trace_id = ?1)"
	"SELECT (SELECT ns FROM size WHERE name = 'wall_ns'), i.host_ns,"
	"  max(i.ns - i.host_ns - i.pause_ns, 0), i.pause_ns, l.ns,"
	"  max(coalesce((SELECT ns FROM size WHERE name = 'dma_exclusive_ns'),"
	"    (SELECT ns FROM size WHERE name = 'copy_exclusive_ns')) - l.ns, 0),"
	"  (SELECT ns FROM size WHERE name = 'compute_busy_ns'),"
	"  (SELECT ns FROM size WHERE name = 'exposed_communication_ns'),"
	"  s.wait_ns, s.tail_ns, s.tail_step_count, s.step_count,"
	"  (SELECT ns FROM size WHERE name = 'has_idle'),"
	"  (SELECT ns FROM size WHERE name = 'slice_count'),"
	"  (SELECT ns FROM size WHERE name = 'device_op_count'),"
	"  (SELECT ns FROM size WHERE name = 'has_device'),"
	"  (SELECT ns FROM size WHERE name = 'has_one_clock'),"
	"  (SELECT count(*) FROM step WHERE trace_id = ?1),"
	"  (SELECT count(device_ts) FROM step WHERE trace_id = ?1) "
	"FROM idle i JOIN late l LEFT JOIN (SELECT * FROM host_slack WHERE trace_id = ?1) s";

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* A number of a row, within what add() can add; none for NULL. */
static int64_t column(sqlite3_stmt *stmt, int at, int64_t none)
{
	int64_t value = sqlite3_column_int64(stmt, at);

	if (sqlite3_column_type(stmt, at) == SQLITE_NULL)
		return none;
	return value < -NO_LIMIT ? -NO_LIMIT : least(value, NO_LIMIT);
}

static bool judges(sqlite3_stmt *stmt, int at)
{
	const struct tc_judge_facts facts = {.slice_count = column(stmt, at, 1),
		.device_op_count = column(stmt, at + 1, TC_JUDGE_MIN_OPS),
		.has_device = column(stmt, at + 2, 1) != 0,
		.has_one_clock = column(stmt, at + 3, 1) != 0,
		.step_count = column(stmt, at + 4, 0),
		.working_step_count = column(stmt, at + 5, 0)};

	return tc_judge(&facts) == TC_JUDGE_ENOUGH;
}

enum tc_status tc_pools_read(
	struct tc_pools *out, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sizes_sql, -1, &stmt, NULL), at = 0;

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 1, trace_id);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW) {
		sqlite3_finalize(stmt);
		return tc_store_fail(ctx, db, "read the times of the trace");
	}
	out->wall_ns = column(stmt, at++, 0);
	for (int i = 0; i < TC_POOL_COUNT; i++)
		out->ns[i] = column(stmt, at++, TC_POOL_UNKNOWN);
	out->wait_ns = column(stmt, at++, 0);
	out->tail_ns = column(stmt, at++, 0);
	out->tail_step_count = column(stmt, at++, 0);
	out->step_count = column(stmt, at++, 0);
	out->knows_idle = column(stmt, at++, 1) != 0;
	out->judges = judges(stmt, at);
	sqlite3_finalize(stmt);
	return TC_OK;
}

static int64_t add(int64_t a, int64_t b)
{
	return a > NO_LIMIT - b ? NO_LIMIT : a + b;
}

/* The size of the pools of a set. */
static int64_t size_of(const struct tc_pools *pools, unsigned set)
{
	int64_t sum = 0;

	for (int i = 0; i < TC_POOL_COUNT; i++)
		if (set & 1U << i)
			sum = add(sum, pools->ns[i] == TC_POOL_UNKNOWN
					       ? NO_LIMIT
					       : least(pools->ns[i], NO_LIMIT));
	return sum;
}

/* A device that becomes faster than its host just waits: what is won is the time in which the host
 * waited for it, and at the end of the run what the steps under way then become shorter. */
static int64_t slack_of(const struct tc_pools *pools, int64_t gain_ns)
{
	double per_step = (double)gain_ns / (double)pools->step_count;
	double tail = per_step * (double)pools->tail_step_count;

	return add(pools->wait_ns, tail < (double)pools->tail_ns ? (int64_t)tail : pools->tail_ns);
}

int64_t tc_pools_cap(const struct tc_pools *pools, enum tc_bucket bucket, int64_t gain_ns)
{
	int64_t cap_ns = size_of(pools, bucket);

	if (pools->step_count > 0 && !(bucket & ~(unsigned)DEVICE_WORK))
		cap_ns = least(cap_ns, slack_of(pools, gain_ns));
	if (pools->wall_ns > 0)
		cap_ns = least(cap_ns, pools->wall_ns);
	return least(gain_ns, cap_ns);
}

static int64_t claim_of(const struct tc_finding *finding)
{
	return finding->gain_ns == TC_GAIN_NONE ? 0 : least(finding->gain_ns, NO_LIMIT);
}

/* What a finding claims of some pools; rows that state idle time and device work make two claims. */
struct claim {
	int64_t ns;
	unsigned pools;
};

enum { CLAIM_COUNT = 2 };

static void claims_of(struct claim claims[CLAIM_COUNT], const struct tc_finding *finding)
{
	unsigned bucket = finding->heuristic->bucket;
	int64_t all_ns = claim_of(finding);
	int64_t work_ns =
		finding->knows_work && finding->work_ns > 0 ? least(finding->work_ns, all_ns) : 0;

	claims[0] = (struct claim){all_ns - work_ns, bucket};
	claims[1] = (struct claim){work_ns, bucket & DEVICE_WORK};
	if (finding->knows_work)
		claims[0].pools &= TC_BUCKET_IDLE;
}

static int64_t cut_of(unsigned set, const struct tc_finding *finding)
{
	struct claim claims[CLAIM_COUNT];
	int64_t cut = 0;

	claims_of(claims, finding);
	for (int i = 0; i < CLAIM_COUNT; i++)
		if (claims[i].pools & ~set)
			cut = add(cut, claims[i].ns);
	return cut;
}

/* A flow from findings to pools: by the theorem of the least cut, the smallest over all sets of
 * pools of the set's size and all claims that reach outside of it. */
int64_t tc_pools_together(
	const struct tc_pools *pools, const struct tc_finding *findings, size_t count)
{
	int64_t best = pools->wall_ns > 0 ? pools->wall_ns : NO_LIMIT;

	for (unsigned set = 0; set < 1U << TC_POOL_COUNT; set++) {
		int64_t cut = size_of(pools, set);
		for (size_t i = 0; i < count && cut < best; i++)
			cut = add(cut, cut_of(set, &findings[i]));
		best = least(best, cut);
	}
	return best;
}

int64_t tc_pools_shared(
	const struct tc_pools *pools, const struct tc_finding *a, const struct tc_finding *b)
{
	struct claim of_a[CLAIM_COUNT], of_b[CLAIM_COUNT];
	int64_t shared = 0;

	claims_of(of_a, a);
	claims_of(of_b, b);
	for (int i = 0; i < CLAIM_COUNT; i++)
		for (int j = 0; j < CLAIM_COUNT; j++) {
			unsigned both =
				of_a[i].pools & of_b[j].pools & ~(unsigned)TOLD_BY_OPERATION;
			int64_t ns = least(least(of_a[i].ns, of_b[j].ns), size_of(pools, both));
			shared = add(shared, ns);
		}
	return least(shared, least(claim_of(a), claim_of(b)));
}

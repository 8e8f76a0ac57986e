/*
 * Gain of findings; see gain.h. A bucket's size is the largest of its metric over the devices and
 * over all of them together: no fix can win back more than the device that has most of it.
 * Device time is won back only while the host keeps ahead: a device that gets faster than its host
 * just waits. Buckets of device time are therefore capped at what the host leaves as well.
 */
#include "advice/gain.h"

#define BUCKET_COUNT (TC_BUCKET_WALL + 1)
#define NOT_MEASURED (-1)

/* Complete steps from which the host's slack says something. */
#define SLACK_MIN_STEPS 3

/* The metric of a bucket, the next one where the first is not there. */
static const struct {
	const char *first, *next;
} bucket_metrics[BUCKET_COUNT] = {
	[TC_BUCKET_IDLE] = {"device_wait_ns", "device_idle_ns"},
	[TC_BUCKET_COMPUTE] = {"compute_busy_ns", NULL},
	[TC_BUCKET_COPY] = {"dma_exclusive_ns", "copy_exclusive_ns"},
	[TC_BUCKET_COMMUNICATION] = {"exposed_communication_ns", NULL},
	[TC_BUCKET_WALL] = {"wall_ns", NULL},
};

/* Smallest share of the wall time for each severity; documented in docs/advice.md. */
static const struct {
	double min_pct;
	enum tc_severity severity;
} severities[] = {
	{10.0, TC_SEVERITY_HIGH},
	{5.0, TC_SEVERITY_MEDIUM},
	{1.0, TC_SEVERITY_LOW},
};

enum tc_severity tc_gain_severity(double gain_pct)
{
	for (size_t i = 0; i < sizeof(severities) / sizeof(severities[0]); i++)
		if (gain_pct >= severities[i].min_pct)
			return severities[i].severity;
	return TC_SEVERITY_INFO;
}

/* The largest value of a metric over the whole trace, NOT_MEASURED when there is none. */
static enum tc_status read_metric(
	int64_t *out, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id, const char *name)
{
	static const char sql[] = "SELECT coalesce(max(value), ?3) FROM metric "
				  "WHERE trace_id = ?1 AND name = ?2 AND step IS NULL";
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 1, trace_id);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(stmt, 2, name, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int(stmt, 3, NOT_MEASURED);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW) {
		sqlite3_finalize(stmt);
		return tc_store_fail(ctx, db, "metrics of the trace");
	}
	*out = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return TC_OK;
}

static enum tc_status read_buckets(
	int64_t *sizes, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	enum tc_status status = TC_OK;

	sizes[TC_BUCKET_NONE] = NOT_MEASURED;
	for (int i = TC_BUCKET_NONE + 1; i < BUCKET_COUNT && status == TC_OK; i++) {
		status = read_metric(&sizes[i], ctx, db, trace_id, bucket_metrics[i].first);
		if (status == TC_OK && sizes[i] == NOT_MEASURED && bucket_metrics[i].next)
			status = read_metric(&sizes[i], ctx, db, trace_id, bucket_metrics[i].next);
	}
	return status;
}

static bool is_rest(const struct tc_finding *finding)
{
	return finding->heuristic->combine == TC_COMBINE_REST;
}

/*
 * How much device time the host leaves to win back: the time in which it waits for the device or
 * does nothing of its own, and how long the device works on after the last step, less one step that
 * it always lags behind. Needs a few steps, for the start and the end of the recording weigh too
 * much otherwise.
 */
static enum tc_status read_host_slack(
	int64_t *out, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	static const char sql[] =
		"WITH run AS ("
		"  SELECT name, value FROM metric"
		"  WHERE trace_id = ?1 AND device IS NULL AND step IS NULL),"
		"total AS ("
		"  SELECT max(CASE name WHEN 'wall_ns' THEN value END) AS wall_ns,"
		"    max(CASE name WHEN 'step_count' THEN value END) AS steps,"
		"    max(CASE name WHEN 'host_window_ns' THEN value END) AS host_ns,"
		"    max(CASE name WHEN 'device_busy_ns' THEN value END) AS busy_ns,"
		"    sum(CASE WHEN name IN ('host_dataloader_own_ns', 'host_compile_own_ns',"
		"      'host_cpu_fallback_own_ns', 'host_graph_build_own_ns', "
		"'host_dispatch_own_ns')"
		"      THEN value END) AS active_ns"
		"  FROM run)"
		"SELECT CAST(max(host_ns - active_ns, 0)"
		"  + max(wall_ns - host_ns - busy_ns / steps, 0) AS INTEGER)"
		"FROM total WHERE steps >= ?2";
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 1, trace_id);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int(stmt, 2, SLACK_MIN_STEPS);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
		*out = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	if (rc == SQLITE_ROW || rc == SQLITE_DONE)
		return TC_OK;
	return tc_store_fail(ctx, db, "host times of the trace");
}

static enum tc_status limit_device_buckets(
	int64_t *sizes, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	static const enum tc_bucket buckets[] = {
		TC_BUCKET_COMPUTE, TC_BUCKET_COPY, TC_BUCKET_COMMUNICATION};
	int64_t slack_ns = NOT_MEASURED;
	enum tc_status status = read_host_slack(&slack_ns, ctx, db, trace_id);

	if (status != TC_OK || slack_ns == NOT_MEASURED)
		return status;
	for (size_t i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++) {
		int64_t *size_ns = &sizes[buckets[i]];

		if (*size_ns == NOT_MEASURED || *size_ns > slack_ns)
			*size_ns = slack_ns;
	}
	return TC_OK;
}

/* Caps a gain at its bucket and at the wall time; none without a bucket. */
static void cap(struct tc_finding *finding, int64_t bucket_ns, int64_t wall_ns)
{
	if (finding->heuristic->bucket == TC_BUCKET_NONE)
		finding->gain_ns = TC_GAIN_NONE;
	if (finding->gain_ns == TC_GAIN_NONE)
		return;
	if (bucket_ns != NOT_MEASURED && finding->gain_ns > bucket_ns)
		finding->gain_ns = bucket_ns;
	if (wall_ns > 0 && finding->gain_ns > wall_ns)
		finding->gain_ns = wall_ns;
}

/* Leaves an umbrella what the other findings of its bucket do not claim. Two of them may claim
 * the same time, so this can be too little, never too much. */
static void reduce_to_rest(struct tc_finding *rest, const struct tc_finding *findings, size_t count)
{
	for (size_t i = 0; i < count && rest->gain_ns > 0; i++) {
		const struct tc_finding *other = &findings[i];

		if (is_rest(other) || other->heuristic->bucket != rest->heuristic->bucket ||
			other->gain_ns == TC_GAIN_NONE)
			continue;
		rest->gain_ns = rest->gain_ns > other->gain_ns ? rest->gain_ns - other->gain_ns : 0;
	}
}

static void derive(struct tc_finding *finding, int64_t wall_ns)
{
	if (finding->gain_ns != TC_GAIN_NONE && wall_ns > 0)
		finding->gain_pct = 100.0 * (double)finding->gain_ns / (double)wall_ns;
	if (finding->heuristic->kind == TC_HEURISTIC_FIX)
		finding->severity = tc_gain_severity(finding->gain_pct);
}

enum tc_status tc_gain_settle(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id,
	struct tc_finding *findings, size_t count)
{
	int64_t sizes[BUCKET_COUNT], wall_ns = NOT_MEASURED;
	enum tc_status status = read_metric(&wall_ns, ctx, db, trace_id, "wall_ns");

	if (status == TC_OK)
		status = read_buckets(sizes, ctx, db, trace_id);
	if (status == TC_OK)
		status = limit_device_buckets(sizes, ctx, db, trace_id);
	if (status != TC_OK)
		return status;
	for (size_t i = 0; i < count; i++)
		cap(&findings[i], sizes[findings[i].heuristic->bucket], wall_ns);
	for (size_t i = 0; i < count; i++) {
		if (is_rest(&findings[i]))
			reduce_to_rest(&findings[i], findings, count);
		derive(&findings[i], wall_ns);
	}
	return TC_OK;
}

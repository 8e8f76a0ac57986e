/*
 * Gain of findings; see gain.h. A gain is capped at the pools of its bucket (pools.h); what several
 * findings claim together, and of the same time, follows from the same pools.
 */
#include "advice/ranking/gain.h"

#include <stdlib.h>

#include "advice/ranking/replayed.h"
#include "core/alloc.h"
#include "core/context.h"

/* Smallest share of the wall time for each severity; documented in docs/advice.md. */
static const struct {
	double min_pct;
	enum tc_severity severity;
} severities[] = {
	{10.0, TC_SEVERITY_HIGH},
	{5.0, TC_SEVERITY_MEDIUM},
	{1.0, TC_SEVERITY_LOW},
};

/* A fix that wins less of the wall time is none. */
#define NOTHING_PCT 0.1

/* Overlaps below this share of the wall time are not named. */
#define OVERLAP_MIN_PCT 1

enum tc_severity tc_gain_severity(double gain_pct)
{
	for (size_t i = 0; i < sizeof(severities) / sizeof(severities[0]); i++)
		if (gain_pct >= severities[i].min_pct)
			return severities[i].severity;
	return TC_SEVERITY_INFO;
}

static void cap(struct tc_finding *finding, const struct tc_pools *pools)
{
	unsigned bucket = finding->heuristic->bucket;

	finding->claimed_ns = finding->gain_ns;
	if (tc_is_replayed(finding->heuristic))
		return;
	if (bucket == TC_BUCKET_NONE || ((bucket & TC_BUCKET_IDLE) && !pools->knows_idle))
		finding->gain_ns = TC_GAIN_NONE;
	finding->claimed_ns = finding->gain_ns;
	if (finding->gain_ns != TC_GAIN_NONE)
		finding->gain_ns =
			tc_pools_cap(pools, finding->heuristic->bucket, finding->gain_ns);
}

/* A weak sign is no reason for alarm, however much it would win, nor is a trace that shows too
 * little to judge. */
static void derive(struct tc_finding *finding, const struct tc_pools *pools)
{
	if (finding->gain_ns != TC_GAIN_NONE && pools->wall_ns > 0)
		finding->gain_pct = 100.0 * (double)finding->gain_ns / (double)pools->wall_ns;
	if (finding->heuristic->kind != TC_HEURISTIC_FIX)
		return;
	finding->severity = pools->judges ? tc_gain_severity(finding->gain_pct) : TC_SEVERITY_INFO;
	if (finding->confidence == TC_CONFIDENCE_GUESSED && finding->severity > TC_SEVERITY_MEDIUM)
		finding->severity = TC_SEVERITY_MEDIUM;
}

void tc_gain_settle(const struct tc_pools *pools, struct tc_finding *findings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cap(&findings[i], pools);
		derive(&findings[i], pools);
	}
}

bool tc_gain_is_nothing(const struct tc_finding *finding)
{
	return tc_is_replayed(finding->heuristic) && finding->gain_ns != TC_GAIN_NONE &&
	       finding->gain_pct < NOTHING_PCT;
}

static int compare_overlaps(const void *left, const void *right)
{
	const struct tc_overlap *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Lists the findings that may claim the same time. */
static enum tc_status name_overlaps(const struct tc_pools *pools, struct tc_ctx *ctx,
	struct tc_finding *findings, size_t count, size_t index)
{
	struct tc_finding *finding = &findings[index];

	if (finding->gain_ns == TC_GAIN_NONE)
		return TC_OK;
	finding->overlaps = tc_calloc(count, sizeof(*finding->overlaps));
	if (!finding->overlaps)
		return tc_fail(ctx, TC_ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < count; i++) {
		int64_t ns = i == index ? 0 : tc_pools_shared(pools, finding, &findings[i]);
		if (ns > 0 && ns >= pools->wall_ns / 100 * OVERLAP_MIN_PCT)
			finding->overlaps[finding->overlap_count++] =
				(struct tc_overlap){findings[i].heuristic, i, ns};
	}
	qsort(finding->overlaps, finding->overlap_count, sizeof(*finding->overlaps),
		compare_overlaps);
	return TC_OK;
}

enum tc_status tc_gain_overlap(
	const struct tc_pools *pools, struct tc_ctx *ctx, struct tc_finding *findings, size_t count)
{
	int64_t before_ns = 0;
	enum tc_status status = TC_OK;

	for (size_t i = 0; i < count && status == TC_OK; i++) {
		int64_t together_ns = tc_pools_together(pools, findings, i + 1);

		findings[i].added_ns = together_ns - before_ns;
		before_ns = together_ns;
		status = name_overlaps(pools, ctx, findings, count, i);
	}
	return status;
}

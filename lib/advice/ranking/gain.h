/*
 * Settles what the findings of one trace win back: capped at the measured size of their bucket,
 * and as share of the wall time. Severity follows. Once they are ranked: what each adds to those before it, and who claims the same time.
 */
#ifndef TC_ADVICE_RANKING_GAIN_H
#define TC_ADVICE_RANKING_GAIN_H

#include "advice/ranking/pools.h"

/* findings are all of one trace, and pools are that trace's. */
void tc_gain_settle(const struct tc_pools *pools, struct tc_finding *findings, size_t count);

/* True for a fix that wins nothing. */
bool tc_gain_is_nothing(const struct tc_finding *finding);

/* The same findings in their final order: sets added_ns and overlaps. */
enum tc_status tc_gain_overlap(const struct tc_pools *pools, struct tc_ctx *ctx,
	struct tc_finding *findings, size_t count);

/* The severity of a gain of so many percent of the wall time. */
enum tc_severity tc_gain_severity(double gain_pct);

#endif

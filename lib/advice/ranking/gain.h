/*
 * Settles what the findings of one trace win back: never more than the wall time, and as share of
 * it. Severity follows.
 */
#ifndef TC_ADVICE_RANKING_GAIN_H
#define TC_ADVICE_RANKING_GAIN_H

#include <sqlite3.h>

#include "tracecoach/advice.h"

/* Of the wall time: a fix that wins less is none. */
#define TC_GAIN_NOTHING_PCT 0.1

/* findings are all of the trace. Sets *judges to whether the trace shows enough to be judged. */
enum tc_status tc_gain_settle(bool *judges, struct tc_finding *findings, size_t count,
	struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id);

/* True for a fix that wins nothing. */
bool tc_gain_is_nothing(const struct tc_finding *finding);

/* The severity of a gain of so many percent of the wall time. */
enum tc_severity tc_gain_severity(double gain_pct);

#endif

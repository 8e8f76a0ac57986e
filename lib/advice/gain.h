/*
 * Settles what the findings of one trace win back: capped at the measured size of their bucket,
 * an umbrella reduced to what the others leave, and as share of the wall time. Severity follows.
 */
#ifndef TC_ADVICE_GAIN_H
#define TC_ADVICE_GAIN_H

#include <sqlite3.h>

#include "tracecoach/advice.h"

/* findings are all of one trace. */
enum tc_status tc_gain_settle(struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id,
	struct tc_finding *findings, size_t count);

/* The severity of a gain of so many percent of the wall time. */
enum tc_severity tc_gain_severity(double gain_pct);

#endif

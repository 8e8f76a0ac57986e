/*
 * Settles what the findings of one trace win back: never more than the wall time, and as share of
 * it. Whether a fix is reported, and its severity, follow from that alone.
 */
#ifndef TC_ADVICE_RANKING_GAIN_H
#define TC_ADVICE_RANKING_GAIN_H

#include <sqlite3.h>

#include "tracecoach/advice.h"

/* What decides about the gains of a trace. */
struct tc_gain_trace {
	double min_gain_pct; /* a replayed fix that wins less is not reported */
	int64_t wall_ns;     /* 0: not known */
	bool judges;         /* it shows enough to be judged */
	bool has_shares;     /* its times are those of the run */
	bool is_blind;       /* devices work, and nothing shows which call launched what */
};

enum tc_status tc_gain_trace_load(struct tc_gain_trace *out, struct tc_ctx *ctx, sqlite3 *db,
	int64_t trace_id, double min_gain_pct);

/* True for a fix that wins too little to be reported. Where nothing shows what it wins, what its
 * edits take away decides: it wins no more. */
bool tc_gain_is_small(const struct tc_finding *finding, const struct tc_gain_trace *trace);

/* Sets gain, share and severity of a finding that is reported. */
void tc_gain_settle(struct tc_finding *finding, const struct tc_gain_trace *trace);

/* The severity of a gain of so many percent of the wall time. */
enum tc_severity tc_gain_severity(double gain_pct);

#endif

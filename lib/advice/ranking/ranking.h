/*
 * Gains, severities and order of the findings of one trace, once all heuristics have run. A gain is
 * never more than the wall time, its share is one of the steady run (as those of thresholds), and
 * that of a finding whose heuristic names an edit is the replay's. Whether a fix is reported, its
 * severity and its place follow from that alone. Every report and the plan have the one order of
 * findings from here.
 */
#pragma once

#include <sqlite3.h>

#include "advice/evaluate/evaluate.h"
#include "advice/settings/settings.h"
#include "core/text.h"
#include "tracecoach/advice.h"

struct tc_fixes; /* of replay/whatif.h */

/* Facts that decide about the gains of a trace. */
struct tc_gain_trace {
	double min_gain_pct; /* a replayed fix that wins less is not reported */
	int64_t wall_ns;     /* 0: not known */
	int64_t steady_ns;   /* of the steady run, of which gains are shares; see table steady */
	bool judges;         /* it shows enough to be judged */
	bool has_shares;     /* its times are those of the run */
	bool is_blind;       /* devices work, and nothing shows which call launched which work */
};

void tc_gain_trace_load(struct tc_gain_trace *out, struct tc_ctx *ctx, sqlite3 *db,
	int64_t trace_id, double min_gain_pct);

/* Whether a fix wins too little to be reported. Where nothing shows its gain, the time that
 * its edits take away decides: it wins no more. */
bool tc_gain_is_small(const struct tc_finding *finding, const struct tc_gain_trace *trace);

/* Sets gain, share and severity of a finding that is reported. */
void tc_gain_settle(struct tc_finding *finding, const struct tc_gain_trace *trace);

/*
 * Sorts findings of one trace: serious quality notes first (they make all else doubtful), then by
 * gain, larger first and none last. Of those that win within 1 % the same, special cases (part_of)
 * come first, then severity, confidence and id decide. Where special cases, guesses apart, win four
 * fifths of a general finding's gain, it counts with the rest: sets rank_ns.
 */
void tc_rank(struct tc_finding *findings, size_t count);

/* For TC_ORDER, of structs with both: the larger rest of a gain first; of equal ones the general
 * finding last. */
#define TC_RANK_KEYS TC_DOWN(rank_ns) TC_KEY(x_->rank_ns != x_->gain_ns, y_->rank_ns != y_->gain_ns)

/* Whether a heuristic says that it is a special case of another. */
bool tc_rank_is_part(const struct tc_heuristic *special, const struct tc_heuristic *general);

static inline bool tc_is_replayed(const struct tc_heuristic *heuristic)
{
	return heuristic->edits && heuristic->edits[0];
}

/* Its edit is that nobody waits for late ranks: its findings are of one job, on several traces. */
static inline bool tc_is_about_ranks(const struct tc_heuristic *heuristic)
{
	return tc_is_replayed(heuristic) &&
	       tc_text_starts(tc_text_from(heuristic->edits[0]), TC_TEXT("nowait rank"));
}

/* A serious defect of the recording stands before all fixes. */
static inline bool tc_rank_is_serious(const struct tc_finding *finding)
{
	return finding->heuristic->kind == TC_HEURISTIC_QUALITY &&
	       finding->severity == TC_SEVERITY_HIGH;
}

/* All of it, for the findings of a trace: those of the box from first on. Drops those that are too
 * small, whose heuristics are then quiet, or hides them. Whether the store has all gains: none was
 * replayed here.
 */
bool tc_findings_settle(struct tc_box *box, size_t first, const struct tc_evaluation *evaluation,
	const struct tc_settings *settings, const struct tc_fixes *fixes);

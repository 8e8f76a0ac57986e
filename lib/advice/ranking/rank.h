/* The one order of findings: every report and the plan have it from here. */
#ifndef TC_ADVICE_RANKING_RANK_H
#define TC_ADVICE_RANKING_RANK_H

#include "tracecoach/advice.h"

/*
 * Sorts findings of one trace: serious quality notes first (they make all else doubtful), then by
 * gain, larger first and none last, then by severity, confidence and id. A general finding counts
 * with what its special cases (part_of) leave of its gain, guesses apart: sets rank_ns.
 */
void tc_rank(struct tc_finding *findings, size_t count);

/* <0 when a gain goes before another, by what each wins and what its special cases leave of it. */
int tc_rank_gains(int64_t gain_ns, int64_t rank_ns, int64_t other_gain_ns, int64_t other_rank_ns);

/* Whether a heuristic says that it is a special case of another. */
bool tc_rank_is_part(const struct tc_heuristic *special, const struct tc_heuristic *general);
/* Whether what a finding wins is taken off another for its place. */
bool tc_rank_counts_as_part(const struct tc_finding *special, const struct tc_finding *general);

#endif

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

/* For TC_ORDER, of what has both: the larger gain first, by what its special cases leave of it; of
 * equal ones the general finding last. */
#define TC_RANK_KEYS TC_DOWN(rank_ns) TC_KEY(x_->rank_ns != x_->gain_ns, y_->rank_ns != y_->gain_ns)

/* Whether a heuristic says that it is a special case of another. */
bool tc_rank_is_part(const struct tc_heuristic *special, const struct tc_heuristic *general);
/* Whether what a finding wins is taken off another for its place. */
bool tc_rank_counts_as_part(const struct tc_finding *special, const struct tc_finding *general);

#endif

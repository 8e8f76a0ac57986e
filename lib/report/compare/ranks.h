/* Stores of several traces: pairs the traces of both sides, and chooses the pair that the report is
 * about. */
#ifndef TC_REPORT_COMPARE_RANKS_H
#define TC_REPORT_COMPARE_RANKS_H

#include "report/compare/facts.h"

/*
 * Finds the traces to compare: that of the rank asked for, else, of all ranks that both sides have,
 * the pair whose steps changed most. Traces without ranks are paired in their order when both sides
 * have equally many. TC_ERR_USAGE, with the ranks there are, when this does not decide.
 */
void tc_compare_ranks_choose(int64_t ids[static TC_COMPARE_SIDES], struct tc_compare *compare);

/* Appends how the other ranks changed; nothing when there is only one pair. */
void tc_compare_put_ranks(const struct tc_compare *compare);

#endif

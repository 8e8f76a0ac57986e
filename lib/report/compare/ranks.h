/* Stores of several traces: which trace is set against which, and which pair the report is about. */
#ifndef TC_REPORT_COMPARE_RANKS_H
#define TC_REPORT_COMPARE_RANKS_H

#include "report/compare/facts.h"

/*
 * Finds the traces to compare: that of the rank asked for, else the pair whose steps changed most, of
 * all ranks that both sides have; traces without ranks are paired in their order, if both sides have
 * as many. TC_ERR_USAGE where that does not say which, with the ranks there are.
 */
enum tc_status tc_compare_ranks_choose(
	int64_t ids[static TC_COMPARE_SIDES], struct tc_compare *compare);

/* What the other ranks did; nothing where there is one pair. */
void tc_compare_put_ranks(const struct tc_compare *compare);

#endif

/* The order in which findings are told. */
#ifndef TC_ADVICE_RANKING_RANK_H
#define TC_ADVICE_RANKING_RANK_H

#include "tracecoach/advice.h"

/*
 * Sorts findings of one trace: serious quality notes first (they make all else doubtful), then by
 * gain, larger first and none last, then by severity, confidence and id. A general finding counts with
 * what its special cases (part_of) leave of its gain, guesses apart: sets rank_ns. An umbrella stands
 * behind all that win anything, however much it has left.
 */
void tc_rank(struct tc_finding *findings, size_t count);

/* <0 when a gain goes before another, by what each wins and what its special cases leave of it. */
int tc_rank_gains(int64_t gain_ns, int64_t rank_ns, int64_t other_gain_ns, int64_t other_rank_ns);

/*
 * Moves each umbrella of a sorted array behind the last item that is a cause of it. finding_of
 * gives the finding of an item, and its gain there.
 */
typedef const struct tc_finding *(*tc_rank_finding_fn)(const void *item, int64_t *gain_ns);
void tc_rank_lower(void *items, size_t count, size_t size, tc_rank_finding_fn finding_of);

#endif

/* The order in which findings are told. */
#ifndef TC_ADVICE_RANK_H
#define TC_ADVICE_RANK_H

#include "tracecoach/advice.h"

/*
 * Sorts findings of one trace: serious quality notes first (they make all else doubtful), then by
 * gain, larger first and none last, then by severity, confidence and id.
 */
void tc_rank(struct tc_finding *findings, size_t count);

#endif

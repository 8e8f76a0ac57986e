/* Reads both sides. */
#ifndef TC_REPORT_COMPARE_LOAD_H
#define TC_REPORT_COMPARE_LOAD_H

#include "report/compare/facts.h"

/* Loads all but the judgement; the views are there. tc_compare_clear() also when it failed. */
void tc_compare_load(struct tc_compare *compare);
void tc_compare_clear(struct tc_compare *compare);

#endif

/* The findings of both sides as a table: what each fix would save before and after. */
#ifndef TC_REPORT_COMPARE_ADVICE_H
#define TC_REPORT_COMPARE_ADVICE_H

#include "report/compare/facts.h"

void tc_compare_put_advice(const struct tc_compare *compare);

#endif

/* What the tables of a comparison have in common. */
#ifndef TC_REPORT_COMPARE_TABLE_H
#define TC_REPORT_COMPARE_TABLE_H

#include "report/compare/facts.h"

/* "TEXT, per step" */
void tc_compare_put_heading(const struct tc_compare *compare, const char *text);
/* Says how many rows the last table left out, if any. */
void tc_compare_put_hidden(const struct tc_compare *compare, int hidden);

#endif

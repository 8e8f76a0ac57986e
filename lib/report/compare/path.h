/* The difference of the critical paths, in words and as a table. */
#ifndef TC_REPORT_COMPARE_PATH_H
#define TC_REPORT_COMPARE_PATH_H

#include "report/compare/facts.h"

/* Appends a sentence: the pieces that changed most, in the direction of the total and against
 * it. */
void tc_compare_append_path(struct tc_buf *buf, const struct tc_compare *compare);
/* All pieces, which add up. */
void tc_compare_put_path(const struct tc_compare *compare);

#endif

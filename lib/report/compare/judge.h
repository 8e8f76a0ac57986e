/* Decides whether the difference of two runs is more than noise, and writes the verdict. See
 * docs/compare.md. */
#ifndef TC_REPORT_COMPARE_JUDGE_H
#define TC_REPORT_COMPARE_JUDGE_H

#include "report/compare/facts.h"

/* Fills the result. */
void tc_compare_judge(struct tc_compare *compare);

/* Appends the verdict: what changed, by how much, and on what evidence. */
void tc_compare_verdict(struct tc_buf *buf, const struct tc_compare *compare);
void tc_compare_change(struct tc_buf *buf, const struct tc_compare *compare);
void tc_compare_reasons(struct tc_buf *buf, const struct tc_compare *compare);

#endif

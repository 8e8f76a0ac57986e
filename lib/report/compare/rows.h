/* Operations, operators, host slices and pieces of the critical path of both sides, matched row by
 * row. */
#ifndef TC_REPORT_COMPARE_ROWS_H
#define TC_REPORT_COMPARE_ROWS_H

#include "report/compare/facts.h"

/* Fills compare->rows[query] from the query of each side, which has group, name, count, duration
 * and time. */
void tc_compare_rows_load(struct tc_compare *compare, enum tc_compare_query query);

/*
 * Joins rows that only one side has when their shortened names are equal: another version of a
 * library gives a kernel other template arguments. Rows that both sides have stay.
 */
void tc_compare_rows_merge(struct tc_compare *compare, enum tc_compare_query query);

/* The same for rows of one group, which then names the row: a framework has its own operators for
 * each vendor (aten::cudnn_convolution, aten::miopen_convolution). Rows without a group stay. */
void tc_compare_rows_merge_groups(struct tc_compare *compare, enum tc_compare_query query);

/* Durations of both sides in the rows that both have. */
int64_t tc_compare_rows_matched_ns(const struct tc_compare_rows *list);

void tc_compare_rows_clear(struct tc_compare_rows *list);

#endif

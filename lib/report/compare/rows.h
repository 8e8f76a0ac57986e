/* Operations, operators, host slices and pieces of the critical path of both sides, matched row by
 * row. */
#ifndef TC_REPORT_COMPARE_ROWS_H
#define TC_REPORT_COMPARE_ROWS_H

#include "report/compare/facts.h"

/* Fills the list from a query of each side with group, name, count, duration and time, ordered by
 * group and name. rows are two open queries, which it closes. */
enum tc_status tc_compare_rows_take(
	struct tc_compare_rows *list, struct tc_compare *compare, struct tc_rows *rows);

/*
 * Joins rows that only one side has when their shortened names are equal: another version of a
 * library gives a kernel other template arguments. Rows that both sides have stay.
 */
enum tc_status tc_compare_rows_merge(struct tc_compare_rows *list, struct tc_compare *compare);

/* The same for rows of one group, which then names the row: a framework has its own operators for
 * each vendor (aten::cudnn_convolution, aten::miopen_convolution). Rows without a group stay. */
enum tc_status tc_compare_rows_merge_groups(
	struct tc_compare_rows *list, struct tc_compare *compare);

/* Durations of both sides in the rows that both have. */
int64_t tc_compare_rows_matched_ns(const struct tc_compare_rows *list);

void tc_compare_rows_clear(struct tc_compare_rows *list);

#endif

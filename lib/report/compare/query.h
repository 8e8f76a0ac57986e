/* The queries behind the numbers of a comparison. */
#ifndef TC_REPORT_COMPARE_QUERY_H
#define TC_REPORT_COMPARE_QUERY_H

#include "report/compare/facts.h"

/* The queries behind the numbers, in this order. */
enum tc_compare_query {
	TC_QUERY_STEPS,
	TC_QUERY_METRICS,
	TC_QUERY_OPERATIONS,
	TC_QUERY_OPERATORS,
	TC_QUERY_OPERATOR_SHAPES,
	TC_QUERY_KERNEL_SHAPES,
	TC_QUERY_SLICES,
	TC_QUERY_SHAPES,
	TC_QUERY_PATH,
	TC_QUERY_COPIES,
	TC_QUERY_ADVICE,
	TC_QUERY_COUNT
};
const char *tc_compare_query_name(enum tc_compare_query query);
/* Opens the query of one side. */
void tc_compare_open(struct tc_rows *rows, const struct tc_compare *compare,
	enum tc_compare_query query, enum tc_compare_index side);
/* Closes the queries of both sides. Returns status, or what was wrong with a query if that is
 * TC_OK. */
enum tc_status tc_compare_close(
	struct tc_rows rows[static TC_COMPARE_SIDES], enum tc_status status);
/* Appends the query for both: the store before is main, the other one attached as after. */
void tc_compare_both_sql(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_query query);
/* Appends a path so that no command takes it for an option; "-" stays standard input. */
void tc_compare_path(struct tc_buf *buf, const char *path);
/* Appends the path of the side's store, or one that is free for it: "before.db". */
void tc_compare_store_name(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_index side);

#endif

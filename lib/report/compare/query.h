/* The queries behind the numbers of a comparison. */
#ifndef TC_REPORT_COMPARE_QUERY_H
#define TC_REPORT_COMPARE_QUERY_H

#include "report/compare/facts.h"

const char *tc_compare_query_name(enum tc_compare_query query);
/* Opens the query of one side. */
void tc_compare_open(struct tc_rows *rows, const struct tc_compare *compare,
	enum tc_compare_query query, enum tc_compare_index side);

/* The rows of both sides joined by their first columns, the key, by which they are ordered. */
struct tc_pairs {
	struct tc_rows rows[TC_COMPARE_SIDES];
	int key_count;                /* columns of the key; 0 joins line by line */
	bool there[TC_COMPARE_SIDES]; /* the side is at a row */
	bool has[TC_COMPARE_SIDES];   /* that row has the current key */
};

/* Joins two open queries, which tc_pairs_next() closes after their last row. */
void tc_pairs_begin(struct tc_pairs *pairs, int key_count);
/* The same with a query of the comparison. */
void tc_pairs_open(struct tc_pairs *pairs, const struct tc_compare *compare,
	enum tc_compare_query query, int key_count);
/* Goes to the next key; false after the last. */
bool tc_pairs_next(struct tc_pairs *pairs);

/* Appends the query for both: the store before is main, the other one attached as after. */
void tc_compare_both_sql(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_query query);
/* Appends a path so that no command takes it for an option; "-" stays standard input. */
void tc_compare_path(struct tc_buf *buf, const char *path);
/* Appends the path of the side's store, or one that is free for it: "before.db". */
void tc_compare_store_name(
	struct tc_buf *buf, const struct tc_compare *compare, enum tc_compare_index side);

#endif

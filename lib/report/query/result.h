/*
 * Formats of a query's result (tracecoach/query.h). A writer is called with the columns once, with
 * every row, and at the end. It writes to the sink and keeps its state in struct tc_result.
 */
#ifndef TC_REPORT_QUERY_RESULT_H
#define TC_REPORT_QUERY_RESULT_H

#include "report/json/json_writer.h"
#include "report/text/sink.h"
#include "store/query/query.h"
#include "tracecoach/query.h"

struct tc_cell {
	size_t start, len; /* of its text in tc_result.text */
	int width;         /* columns on a terminal */
	bool right;        /* a number */
};

struct tc_result {
	struct tc_sink *sink;
	const struct tc_query_writer *writer;
	char **names; /* column_count column names, owned */
	int column_count;
	struct tc_json json; /* of the format json */
	int width;           /* of the format table; 0 for no limit */
	bool ascii, is_bounded;
	/* Of the format table: the first rows, kept until their widths are known. */
	struct tc_buf text;
	struct tc_cell *cells;
	size_t cell_count, cell_capacity;
	int *widths; /* NULL until known */
	bool *right; /* the column's first value is a number */
	bool failed; /* memory ran out */
};

struct tc_query_writer {
	void (*begin)(struct tc_result *result);
	void (*row)(struct tc_result *result, const struct tc_sql_value *values);
	void (*end)(struct tc_result *result);
};

/* Appends a value as plain text: nothing for NULL, the shortest digits that give a real again,
 * x'hex' for a blob. */
void tc_result_append(struct tc_buf *buf, const struct tc_sql_value *value);

void tc_result_table_begin(struct tc_result *result);
void tc_result_table_row(struct tc_result *result, const struct tc_sql_value *values);
void tc_result_table_end(struct tc_result *result);

#endif

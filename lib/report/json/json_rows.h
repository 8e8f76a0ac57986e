/* Rows of a query as JSON: members have the names and types of the columns. */
#ifndef TC_REPORT_JSON_ROWS_H
#define TC_REPORT_JSON_ROWS_H

#include "report/job.h"
#include "report/json/json_writer.h"
#include "report/view/rows.h"

/* What a query is about, where it is not about the whole store. */
struct tc_json_place {
	int64_t trace_id;
	const char *device; /* of the trace, or NULL */
	int64_t top;        /* 0: that of the job */
};

/* Writes the first count columns of the row as members of the open object. */
void tc_json_columns(struct tc_json *json, const struct tc_rows *row, int count);
/* Writes an array with an object for each row. The query may ask for :trace, :device, :step (-1:
 * all), :top and :rows, as many as --top but at least 100. place is NULL for queries on the
 * store. */
void tc_json_query(struct tc_json *json, struct tc_job *job, const char *key, const char *sql,
	const struct tc_json_place *place);

#endif

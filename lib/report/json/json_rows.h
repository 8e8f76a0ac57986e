/* Rows of a query as JSON: members have the names and types of the columns. */
#ifndef TC_REPORT_JSON_ROWS_H
#define TC_REPORT_JSON_ROWS_H

#include "report/json/json_writer.h"
#include "report/view/rows.h"

/* Writes the first count columns of the row as members of the open object. */
void tc_json_columns(struct tc_json *json, const struct tc_rows *row, int count);
/* Writes an array with an object for each row, and closes the query. */
enum tc_status tc_json_rows(struct tc_json *json, struct tc_rows *rows, const char *key);

#endif

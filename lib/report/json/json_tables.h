/* Members of the JSON report that are rows of views, such as "memory": a table of tables. */
#ifndef TC_REPORT_JSON_TABLES_H
#define TC_REPORT_JSON_TABLES_H

#include "report/job.h"
#include "report/json/json_writer.h"

enum tc_status tc_json_tables(struct tc_json *json, struct tc_job *job);

#endif

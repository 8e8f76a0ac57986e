/* Members of the JSON report, and its short form, which has some of them. */
#ifndef TC_REPORT_JSON_MEMBERS_H
#define TC_REPORT_JSON_MEMBERS_H

#include "report/job.h"
#include "report/json/json_writer.h"
#include "report/view/view.h"

/* "verdict" of a trace. */
void tc_json_verdict(struct tc_json *json, struct tc_job *job, const struct tc_view *view);
/* "jobs", an array that is empty without a job of several ranks. */
void tc_json_jobs(struct tc_json *json, struct tc_job *job);

/* ---- json_rows.c: rows of a query as JSON: members have the names and types of the columns. */

/* Writes the first count columns of the row as members of the open object. */
void tc_json_columns(struct tc_json *json, const struct tc_rows *row, int count);
/* Writes an array with an object for each row of tc_job_rows(). */
void tc_json_query(struct tc_json *json, struct tc_job *job, const char *key, const char *sql,
	const struct tc_query_place *place);

/* The content of a first screen in a few kilobytes, under docs/summary.schema.json. It lists --top
 * findings of a trace, 5 by default, and counts the others. */
void tc_render_json_summary(struct tc_job *job);

#endif
